//! The variables that some statement may assign, in any state.
//!
//! They are collected once, when an interpreter is made, since every step of a counterexample needs them.

use crate::model::{
    Access, Base, ExprKind, GlobalId, Model, Pattern, Place, ProctypeId, Sequence, StatementKind, VariableId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The variables that some statement of a model may assign.
#[derive(Clone, Debug, Default)]
pub(super) struct Assigned {
    /// For each global variable, the assigned paths. An index that is not a number stands for any.
    globals: BTreeMap<GlobalId, BTreeSet<Vec<Option<u32>>>>,
    locals: BTreeSet<(ProctypeId, VariableId)>,
}

impl Assigned {
    pub(super) fn of(model: &Model) -> Self {
        let mut assigned = Self::default();
        for (proctype, id) in model.proctypes.iter().zip(0..) {
            each_assigned(&proctype.body, &mut |place| match place.base {
                Base::Global(global) => {
                    let path = place.path.iter().map(step).collect();
                    assigned.globals.entry(global).or_default().insert(path);
                }
                Base::Local(local) => drop(assigned.locals.insert((ProctypeId(id), local))),
                Base::Scratch => {}
            });
        }
        assigned
    }

    /// Whether some statement may assign the scalar at this path.
    pub(super) fn is_assigned(&self, global: GlobalId, path: &[u32]) -> bool {
        let fits = |(step, wanted): (&Option<u32>, &u32)| step.is_none_or(|step| step == *wanted);
        let mut paths = self.globals.get(&global).into_iter().flatten();
        paths.any(|assigned| assigned.iter().zip(path).all(fits))
    }

    /// Whether some statement may assign a part of a global variable.
    pub(super) fn has_global(&self, global: GlobalId) -> bool {
        self.globals.contains_key(&global)
    }

    /// Whether some statement of a proctype may assign a part of a local variable.
    pub(super) fn has_local(&self, proctype: ProctypeId, local: VariableId) -> bool {
        self.locals.contains(&(proctype, local))
    }
}

/// A step of a path: a field, or an index if it is a number. A negative index is no element.
fn step(access: &Access) -> Option<u32> {
    match access {
        Access::Field(field) => Some(*field),
        Access::Index(index) => match index.kind {
            ExprKind::Constant(value) => Some(u32::try_from(value).unwrap_or(u32::MAX)),
            _ => None,
        },
    }
}

fn each_assigned(sequence: &Sequence, found: &mut dyn FnMut(&Place)) {
    for statement in sequence {
        match &statement.kind {
            StatementKind::Assign { place, .. } => found(place),
            StatementKind::Receive { patterns, .. } => {
                for pattern in patterns {
                    if let Pattern::Store(place) = pattern {
                        found(place);
                    }
                }
            }
            StatementKind::If(options) | StatementKind::Do(options) => {
                options.iter().for_each(|option| each_assigned(option, found));
            }
            StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body) => {
                each_assigned(body, found);
            }
            StatementKind::Unless { main, escape } => {
                each_assigned(main, found);
                each_assigned(escape, found);
            }
            _ => {}
        }
    }
}
