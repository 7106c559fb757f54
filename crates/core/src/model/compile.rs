//! From drafts to a [`Model`]: checks the drafts, then lays out states.

use super::builder::{Builder, TransitionDraft};
use super::check::Checker;
use super::error::{BuildError, BuildErrors};
use super::gate::Gates;
use super::interval;
use super::invariant;
use super::layout::Layout;
use super::{LocalInfo, Model, ObjectInfo, ProcessInfo, Property, PropertyKind, Transition};
use crate::ids::PropertyId;
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
        match Checker::new(&m, &draft).transition(&mut assertions) {
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
pub(super) struct Assertions {
    properties: Vec<Property>,
    /// By the user's transition and the place in its command: copies share them.
    known: HashMap<(Option<usize>, usize), PropertyId>,
}

impl Assertions {
    pub(super) fn id(&mut self, draft: &TransitionDraft, step: usize, message: &str) -> PropertyId {
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
        token: m.token,
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
