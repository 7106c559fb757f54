//! Checks a draft of a transition against the rules of the thesis (2.1), and compiles it.

use super::builder::{Builder, TransitionDraft};
use super::compile::Assertions;
use super::error::BuildError;
use super::expr::{Local, Node, Query};
use super::handle::{Action, Object, Step};
use super::{Condition, Operate, Transition, TransitionStep, Use};
use crate::ids::{LocalId, ObjectId, ProcessId};
use crate::objects::{Op, Operation};

/// The part of a command that was checked so far.
#[derive(Default)]
struct CheckedCommand {
    steps: Vec<TransitionStep>,
    /// The objects that it modifies.
    modified: Vec<ObjectId>,
    /// Its operations that are not always defined.
    partial: Vec<Use>,
    /// All its operations, and those that its expressions use.
    used: Vec<Use>,
}

impl CheckedCommand {
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

/// Checks a draft of a transition of this model.
pub(super) struct Checker<'a> {
    m: &'a Builder,
    draft: &'a TransitionDraft,
}

impl<'a> Checker<'a> {
    pub(super) fn new(m: &'a Builder, draft: &'a TransitionDraft) -> Self {
        Self { m, draft }
    }

    fn name(&self) -> String {
        self.draft.name.clone()
    }

    pub(super) fn transition(self, assertions: &mut Assertions) -> Result<Transition, BuildError> {
        let (pre, post) = self.control()?;
        let active: Vec<ProcessId> = pre.iter().map(|l| self.process(*l)).collect();
        let mut conditions = self.conditions()?;
        let CheckedCommand {
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

    fn command(&self, active: &[ProcessId], assertions: &mut Assertions) -> Result<CheckedCommand, BuildError> {
        let mut command = CheckedCommand::default();
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
        if let Some(reason) = unreadable(operations, q.kind) {
            return Err(bad(reason));
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

/// Why an operation of this kind cannot stand in an expression, if it cannot.
pub(super) fn unreadable(operations: &[Operation], kind: u8) -> Option<String> {
    let Some(operation) = operations.get(usize::from(kind)) else {
        return Some(format!("has no operation number {kind}"));
    };
    let readable = !operation.modifies && operation.gives_output && operation.total;
    (!readable).then(|| {
        format!(
            "cannot be read by {}: only operations that are always defined and modify nothing stand in expressions",
            operation.name
        )
    })
}
