//! The plain interpreter: the semantics of ch. 2 on plain values.
//!
//! It shares with the search the model's text, the evaluation of expressions and
//! the objects' definitions ([`crate::ObjectType::operate`]), and nothing else: no
//! bytes, no layout, no compiled guards, no tables. It is slow and obvious, and it
//! is the authority: every witness is replayed here before it is reported, and the
//! oracles of the tests explore with it.

use super::expr::{Node, Query};
use super::{Model, TransitionStep};
use crate::ids::{LocalId, ObjectId, ProcessId, PropertyId, TransitionId};
use crate::objects::{Op, Operated};
use crate::system::Fault;

/// A global state as plain values: a control point per process, a value per object.
///
/// ```
/// # use mazurka_core::{Builder, Configuration};
/// # let mut m = Builder::new("m");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// let x = m.boolean("x");
/// m.transition("t", a0, a1).then(x.write(1));
/// let model = m.build()?;
/// let path = Configuration::initial(&model).enabled(&model);
/// let (states, _) = Configuration::replay(&model, &path)?;
/// assert_eq!((&states[0].values, &states[1].values), (&vec![vec![0]], &vec![vec![1]]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Configuration {
    /// The control point of each process.
    pub control: Vec<LocalId>,
    /// The value of each object: one number for variables, semaphores and locks
    /// (0 for a free lock, else the owner's index plus one), the messages for a
    /// channel.
    pub values: Vec<Vec<i64>>,
}

/// The result of executing a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stepped {
    /// The state after it.
    pub next: Configuration,
    /// The properties that it violates.
    pub violated: Vec<PropertyId>,
}

/// Why a path cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// A transition of the path is not enabled when its turn comes.
    #[error("step {step}: transition `{transition}` is not enabled")]
    NotEnabled {
        /// Counted from 1.
        step: usize,
        /// Its name.
        transition: String,
    },
    /// The transition failed before the last step.
    #[error("step {step}: {fault}")]
    Faulted {
        /// Counted from 1.
        step: usize,
        /// What went wrong.
        fault: Fault,
    },
    /// The path can be replayed, but does not show what the search found.
    #[error("the path does not end where the search says")]
    OtherState,
}

impl Configuration {
    /// The initial state.
    pub fn initial(model: &Model) -> Self {
        Self {
            control: model.processes.iter().map(|p| p.initial).collect(),
            values: model.objects.iter().map(|o| o.kind.initial()).collect(),
        }
    }

    /// The state that these bytes encode.
    pub fn decode(model: &Model, state: &[u8]) -> Self {
        let process = (0..model.processes.len()).map(ProcessId::new);
        let object = (0..model.objects.len()).map(ObjectId::new);
        Self {
            control: process.map(|p| model.local(state, p)).collect(),
            values: object
                .map(|o| model.object_type(o).decode(model.value(state, o)))
                .collect(),
        }
    }

    /// Writes the bytes of this state, replacing what is in `state`.
    pub fn encode(&self, model: &Model, state: &mut Vec<u8>) {
        let layout = &model.layout;
        state.clear();
        state.resize(layout.fixed_part(), 0);
        for (p, local) in self.control.iter().enumerate() {
            layout.set_local(state, ProcessId::new(p), *local);
        }
        let mut bytes = Vec::new();
        for (o, value) in self.values.iter().enumerate() {
            let object = ObjectId::new(o);
            if let Some(place) = layout.fixed_place(object) {
                bytes.clear();
                model.object_type(object).encode(value, &mut bytes);
                state[place].copy_from_slice(&bytes);
            }
        }
        for object in layout.varying() {
            let value = &self.values[object.index()];
            model.object_type(*object).encode(value, state);
        }
    }

    /// Whether a transition is enabled.
    pub fn is_enabled(&self, model: &Model, t: TransitionId) -> bool {
        let transition = &model.transitions[t.index()];
        let ready = transition
            .active
            .iter()
            .zip(&transition.pre)
            .all(|(p, l)| self.control[p.index()] == *l);
        let defined = transition.command.iter().all(|step| match step {
            TransitionStep::Operate(o) => {
                let value = &self.values[o.op.object.index()];
                let kind = model.object_type(o.op.object);
                // Whether an operation is defined does not depend on its input.
                kind.operate(o.op.op, 0, value) != Operated::Undefined
            }
            TransitionStep::Assert { .. } => true,
        });
        let holds = |node: &Node| self.eval(model, node, 0).is_some_and(|v| v != 0);
        ready && defined && transition.guard.iter().all(holds)
    }

    /// The enabled transitions, ascending.
    pub fn enabled(&self, model: &Model) -> Vec<TransitionId> {
        let all = (0..model.transitions.len()).map(TransitionId::new);
        all.filter(|t| self.is_enabled(model, *t)).collect()
    }

    /// Executes an enabled transition.
    ///
    /// # Errors
    /// If a value leaves its domain or an expression of the command has no value.
    pub fn fire(&self, model: &Model, t: TransitionId) -> Result<Stepped, Fault> {
        let transition = &model.transitions[t.index()];
        let mut next = self.clone();
        for (p, l) in transition.active.iter().zip(&transition.post) {
            next.control[p.index()] = *l;
        }
        let mut violated: Vec<PropertyId> = transition.violates.clone();
        let mut output = 0;
        for step in &transition.command {
            match step {
                TransitionStep::Assert { holds, property } => match next.eval(model, holds, output) {
                    None => return Err(model.no_value(t)),
                    Some(0) => violated.push(*property),
                    Some(_) => {}
                },
                TransitionStep::Operate(o) => {
                    let input = match &o.input {
                        Some(node) => next.eval(model, node, output).ok_or_else(|| model.no_value(t))?,
                        None => 0,
                    };
                    let object = o.op.object;
                    let value = &next.values[object.index()];
                    match model.object_type(object).operate(o.op.op, input, value) {
                        Operated::Done(out, value) => {
                            output = out;
                            next.values[object.index()] = value;
                        }
                        Operated::OutOfRange => return Err(model.out_of_range(t, object, input)),
                        Operated::Undefined => unreachable!("an enabled transition's operations are defined"),
                    }
                }
            }
        }
        Ok(Stepped { next, violated })
    }

    /// Executes a sequence from the initial state: every state on the way, the
    /// initial one first, and the properties that the last step violates.
    ///
    /// # Errors
    /// If a transition is not enabled or fails before the last step; a fault of
    /// the last step ends the path before it.
    pub fn replay(model: &Model, path: &[TransitionId]) -> Result<(Vec<Self>, Vec<PropertyId>), ReplayError> {
        let mut states = vec![Self::initial(model)];
        let mut violated = Vec::new();
        for (k, t) in path.iter().enumerate() {
            let here = states.last().expect("never empty");
            if !here.is_enabled(model, *t) {
                return Err(ReplayError::NotEnabled {
                    step: k + 1,
                    transition: model.transition_name(*t).into(),
                });
            }
            match here.fire(model, *t) {
                Ok(stepped) => {
                    violated = stepped.violated;
                    states.push(stepped.next);
                }
                Err(_) if k + 1 == path.len() => return Ok((states, Vec::new())),
                Err(fault) => return Err(ReplayError::Faulted { step: k + 1, fault }),
            }
        }
        Ok((states, violated))
    }

    pub(super) fn eval(&self, model: &Model, node: &Node, output: i64) -> Option<i64> {
        node.eval(output, &mut |q: &Query| {
            let op = Op {
                kind: q.kind,
                by: ProcessId::new(0),
            };
            let value = &self.values[q.object.index()];
            match model.object_type(q.object).operate(op, 0, value) {
                Operated::Done(output, _) => output,
                _ => unreachable!("expressions use operations that are always defined"),
            }
        })
    }
}
