//! From drafts to a [`Model`]: checks the drafts, then lays out states.

use super::builder::{Builder, TransitionDraft};
use super::error::{BuildError, BuildErrors};
use super::expr::{Local, Node, Query};
use super::gate::Gates;
use super::handle::{Action, Object, Step};
use super::interval;
use super::invariant;
use super::layout::Layout;
use super::{Condition, LocalInfo, Model, ObjectInfo, ProcessInfo, Property, PropertyKind};
use super::{Operate, Transition, TransitionStep, Use};
use crate::ids::{LocalId, ObjectId, ProcessId, PropertyId};
use crate::objects::Op;
use std::collections::{HashMap, HashSet};

/// Checks the drafts and builds the model.
pub(crate) fn compile(mut m: Builder) -> Result<Model, BuildErrors> {
    let mut errors = Vec::new();
    names(&m, &mut errors);
    for (k, t) in m.transitions.iter_mut().enumerate() {
        t.origin = Some(k);
    }
    let declared: Vec<String> = m.transitions.iter().map(|t| t.name.clone()).collect();
    let mut properties = Vec::new();
    monitors(&mut m, &mut properties, &mut errors);

    let processes = m.processes.len();
    for object in &mut m.objects {
        if let Some(reason) = object.kind.defect() {
            errors.push(BuildError::BadObject {
                object: object.name.clone(),
                reason,
            });
        }
        object.kind.fit(processes);
    }
    let drafts = std::mem::take(&mut m.transitions);
    let mut transitions = Vec::new();
    let mut assertions = Assertions {
        properties,
        known: HashMap::new(),
    };
    for draft in drafts {
        match Checked::new(&m, &draft).transition(&mut assertions) {
            Ok(t) => transitions.push(t),
            Err(error) => errors.push(error),
        }
    }
    // Copies of one transition repeat its errors.
    let mut seen = HashSet::new();
    errors.retain(|e| seen.insert(e.to_string()));
    if !errors.is_empty() {
        return Err(BuildErrors(errors));
    }
    Ok(assemble(m, transitions, declared, assertions.properties))
}

fn names(m: &Builder, errors: &mut Vec<BuildError>) {
    fn unique<'a>(kind: &'static str, names: impl Iterator<Item = &'a String>, errors: &mut Vec<BuildError>) {
        let mut seen = HashSet::new();
        for name in names {
            if !seen.insert(name) {
                errors.push(BuildError::DuplicateName {
                    kind,
                    name: name.clone(),
                });
            }
        }
    }
    unique("processes", m.processes.iter().map(|p| &p.name), errors);
    unique("objects", m.objects.iter().map(|o| &o.name), errors);
    unique("transitions", m.transitions.iter().map(|t| &t.name), errors);
    unique(
        "properties",
        m.invariants
            .iter()
            .map(|(name, _)| name)
            .chain(m.automata.iter().map(|a| &a.name)),
        errors,
    );
    if m.processes.is_empty() {
        errors.push(BuildError::NoProcess);
    }
    for process in m.processes.iter().filter(|p| p.initial.is_none()) {
        errors.push(BuildError::NoControlPoint {
            process: process.name.clone(),
        });
    }
}

/// Adds the processes and transitions that watch properties.
fn monitors(m: &mut Builder, properties: &mut Vec<Property>, errors: &mut Vec<BuildError>) {
    for automaton in std::mem::take(&mut m.automata) {
        let id = PropertyId::new(properties.len());
        properties.push(Property {
            kind: PropertyKind::SafetyAutomaton,
            message: format!("safety automaton `{}` is violated", automaton.name),
            name: automaton.name.clone(),
        });
        automaton.compose(id, m, errors);
    }
    for (name, holds) in std::mem::take(&mut m.invariants) {
        let id = PropertyId::new(properties.len());
        properties.push(Property {
            kind: PropertyKind::Invariant,
            message: format!("invariant `{name}` is violated"),
            name: name.clone(),
        });
        invariant::watch(&name, &holds, id, m, errors);
    }
}

/// The properties so far, and those that are assertions of transitions.
struct Assertions {
    properties: Vec<Property>,
    /// By the user's transition and the place in its command: copies share them.
    known: HashMap<(Option<usize>, usize), PropertyId>,
}

impl Assertions {
    fn id(&mut self, draft: &TransitionDraft, step: usize, message: &str) -> PropertyId {
        *self.known.entry((draft.origin, step)).or_insert_with(|| {
            self.properties.push(Property {
                kind: PropertyKind::Assertion,
                name: message.into(),
                message: format!("assertion `{message}` of transition `{}` is violated", draft.name),
            });
            PropertyId::new(self.properties.len() - 1)
        })
    }
}

/// A command, as far as it is checked.
#[derive(Default)]
struct Command {
    steps: Vec<TransitionStep>,
    /// The objects that it modifies.
    modified: Vec<ObjectId>,
    /// Its operations that are not always defined.
    partial: Vec<Use>,
    /// All its operations, and those that its expressions use.
    used: Vec<Use>,
}

impl Command {
    fn operate(&mut self, operate: Operate, total: bool) {
        if operate.modifies {
            self.modified.push(operate.op.object);
        }
        if !total {
            self.partial.push(operate.op);
        }
        self.used.push(operate.op);
        self.steps.push(TransitionStep::Operate(operate));
    }
}

/// A draft with what is needed to check it.
struct Checked<'a> {
    m: &'a Builder,
    draft: &'a TransitionDraft,
}

impl<'a> Checked<'a> {
    fn new(m: &'a Builder, draft: &'a TransitionDraft) -> Self {
        Self { m, draft }
    }

    fn name(&self) -> String {
        self.draft.name.clone()
    }

    fn transition(self, assertions: &mut Assertions) -> Result<Transition, BuildError> {
        let (pre, post) = self.control()?;
        let active: Vec<ProcessId> = pre.iter().map(|l| self.process(*l)).collect();
        let mut conditions = self.conditions()?;
        let Command {
            steps: command,
            mut partial,
            mut used,
            ..
        } = self.command(&active, assertions)?;
        conditions.retain(|c| !self.implied(&c.holds, &partial));
        used.extend(conditions.iter().flat_map(|c| c.uses.clone()));
        used.sort();
        used.dedup();
        partial.sort();
        partial.dedup();
        Ok(Transition {
            guard: self.draft.guard.clone(),
            name: self.name(),
            label: self.draft.label.clone().unwrap_or_else(|| self.name()),
            active,
            pre,
            post,
            conditions,
            partial,
            command,
            used,
            violates: self.draft.violates.clone(),
            origin: self.draft.origin,
        })
    }

    /// The conjuncts of the guard, with the operations that they use.
    fn conditions(&self) -> Result<Vec<Condition>, BuildError> {
        let condition = |node: &Node| {
            Ok(Condition {
                holds: node.clone(),
                uses: self.uses_of(node)?,
            })
        };
        self.draft.guard.iter().map(condition).collect()
    }

    fn command(&self, active: &[ProcessId], assertions: &mut Assertions) -> Result<Command, BuildError> {
        let mut command = Command::default();
        for (k, Action(step)) in self.draft.command.iter().enumerate() {
            let node = match step {
                Step::Operate { input, .. } => input.as_ref(),
                Step::Assert { holds, .. } => Some(holds),
            };
            let reads = node.map_or(Ok(Vec::new()), |n| self.uses_of(n))?;
            for read in &reads {
                self.unmodified(&command.modified, read.object)?;
            }
            command.used.extend(reads);
            match step {
                Step::Assert { holds, message } => command.steps.push(TransitionStep::Assert {
                    holds: holds.clone(),
                    property: assertions.id(self.draft, k, message),
                }),
                Step::Operate {
                    object,
                    kind,
                    input,
                    by,
                } => {
                    let operate = self.operation(object, *kind, input, *by, active)?;
                    self.unmodified(&command.modified, operate.op.object)?;
                    let operations = self.m.objects[operate.op.object.index()].kind.operations();
                    command.operate(operate, operations[usize::from(*kind)].total);
                }
            }
        }
        Ok(command)
    }

    /// Whether a condition says no more than that an operation of the command is
    /// defined. The thesis writes such guards out (Example 8.1), and then their
    /// Full and Empty count as used; but they are the operation's own condition,
    /// and its table is finer.
    fn implied(&self, condition: &Node, partial: &[Use]) -> bool {
        let Some((query, answer)) = condition.asks() else {
            return false;
        };
        partial.iter().any(|used| {
            let kind = &self.m.objects[used.object.index()].kind;
            used.object == query.object && kind.defined_iff(used.op) == Some((query.kind, answer))
        })
    }

    /// Preset and postset, sorted by process.
    fn control(&self) -> Result<(Vec<LocalId>, Vec<LocalId>), BuildError> {
        let pre = self.set(&self.draft.pre, "preset")?;
        let post = self.set(&self.draft.post, "postset")?;
        let transition = self.name();
        if pre.is_empty() && post.is_empty() {
            return Err(BuildError::EmptyPreset { transition });
        }
        for (one, other, set) in [(&pre, &post, "preset"), (&post, &pre, "postset")] {
            for l in one {
                if !other.iter().any(|k| self.process(*k) == self.process(*l)) {
                    return Err(BuildError::DifferentProcesses {
                        transition,
                        process: self.m.processes[self.process(*l).index()].name.clone(),
                        set,
                    });
                }
            }
        }
        Ok((pre, post))
    }

    fn set(&self, locals: &[Local], set: &'static str) -> Result<Vec<LocalId>, BuildError> {
        let mut out: Vec<LocalId> = Vec::new();
        for local in locals {
            if local.model != self.m.token {
                return Err(BuildError::NoSuchLocal {
                    transition: self.name(),
                });
            }
            let process = self.process(local.id);
            if out.iter().any(|l| self.process(*l) == process) {
                return Err(BuildError::TwiceInSet {
                    transition: self.name(),
                    process: self.m.processes[process.index()].name.clone(),
                    set,
                });
            }
            out.push(local.id);
        }
        out.sort_by_key(|l| self.process(*l));
        Ok(out)
    }

    fn process(&self, local: LocalId) -> ProcessId {
        self.m.locals[local.index()].process
    }

    fn object(&self, id: ObjectId, model: u32) -> Result<&'a str, BuildError> {
        if model != self.m.token {
            return Err(BuildError::NoSuchObject {
                transition: self.name(),
            });
        }
        Ok(&self.m.objects[id.index()].name)
    }

    fn unmodified(&self, modified: &[ObjectId], object: ObjectId) -> Result<(), BuildError> {
        if modified.contains(&object) {
            return Err(BuildError::UseAfterModification {
                transition: self.name(),
                object: self.m.objects[object.index()].name.clone(),
            });
        }
        Ok(())
    }

    /// The operations that an expression uses.
    fn uses_of(&self, node: &Node) -> Result<Vec<Use>, BuildError> {
        let mut uses = Vec::new();
        let mut wrong = None;
        node.queries(&mut |q: &Query| match self.query(q) {
            Ok(used) => uses.push(used),
            Err(error) => wrong = wrong.take().or(Some(error)),
        });
        uses.sort();
        uses.dedup();
        wrong.map_or(Ok(uses), Err)
    }

    fn query(&self, q: &Query) -> Result<Use, BuildError> {
        let name = self.object(q.object, q.model)?;
        let operations = self.m.objects[q.object.index()].kind.operations();
        let bad = |reason: String| BuildError::BadOperation {
            transition: self.name(),
            object: name.into(),
            reason,
        };
        let operation = operations
            .get(usize::from(q.kind))
            .ok_or_else(|| bad(format!("has no operation number {}", q.kind)))?;
        if operation.modifies || !operation.gives_output || !operation.total {
            return Err(bad(format!(
                "cannot be read by {}: only operations that are always defined and modify nothing stand in expressions",
                operation.name
            )));
        }
        Ok(Use {
            object: q.object,
            op: Op {
                kind: q.kind,
                by: ProcessId::new(0),
            },
        })
    }

    fn operation(
        &self,
        object: &Object,
        kind: u8,
        input: &Option<Node>,
        by: Option<Local>,
        active: &[ProcessId],
    ) -> Result<Operate, BuildError> {
        let name = self.object(object.id, object.model)?;
        let object_type = &self.m.objects[object.id.index()].kind;
        let bad = |reason: String| BuildError::BadOperation {
            transition: self.name(),
            object: name.into(),
            reason,
        };
        let operation = object_type
            .operations()
            .get(usize::from(kind))
            .ok_or_else(|| bad(format!("has no operation number {kind}")))?;
        if operation.takes_input != input.is_some() {
            let verb = if operation.takes_input { "needs" } else { "takes no" };
            return Err(bad(format!("{verb} input for {}", operation.name)));
        }
        let by = match by {
            Some(local) if local.model != self.m.token => {
                let transition = self.name();
                return Err(BuildError::NoSuchLocal { transition });
            }
            Some(local) if !active.contains(&self.process(local.id)) => {
                return Err(bad("is operated by a process that does not move".into()));
            }
            Some(local) => self.process(local.id),
            None if !object_type.refined_by_process() || !operation.modifies => ProcessId::new(0),
            None if active.iter().filter(|p| !self.m.processes[p.index()].monitor).count() > 1 => {
                return Err(BuildError::AmbiguousActor {
                    transition: self.name(),
                    object: name.into(),
                });
            }
            None => active[0],
        };
        let op = Op { kind, by };
        if let Some(Node::Const(value)) = input
            && !object_type.accepts(op, *value)
        {
            return Err(BuildError::ConstantOutOfRange {
                transition: self.name(),
                object: name.into(),
                value: *value,
            });
        }
        Ok(Operate {
            op: Use { object: object.id, op },
            input: input.clone(),
            modifies: operation.modifies,
        })
    }
}

fn assemble(m: Builder, transitions: Vec<Transition>, declared: Vec<String>, properties: Vec<Property>) -> Model {
    let processes: Vec<ProcessInfo> = m
        .processes
        .into_iter()
        .map(|p| ProcessInfo {
            name: p.name,
            initial: p.initial.expect("checked"),
            monitor: p.monitor,
        })
        .collect();
    let locals: Vec<LocalInfo> = m
        .locals
        .into_iter()
        .map(|l| LocalInfo {
            name: l.name,
            process: l.process,
            end: l.end,
        })
        .collect();
    let objects: Vec<ObjectInfo> = m
        .objects
        .into_iter()
        .map(|o| ObjectInfo {
            name: o.name,
            kind: o.kind,
        })
        .collect();
    let layout = Layout::new(processes.len(), &locals, &objects);
    let mut model = Model {
        name: m.name,
        processes,
        locals,
        objects,
        transitions,
        declared,
        properties,
        layout,
        gates: Gates::default(),
        can_fault: false,
    };
    model.can_fault = model.transitions.iter().any(|t| interval::can_fault(&model, t));
    model.gates = Gates::new(&model);
    model
}
