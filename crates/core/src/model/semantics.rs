//! The compiled semantics of a model: what is enabled, why not, and what firing does, on the bytes of states.

use super::expr::Query;
use super::{Condition, Configuration, Model, Node, Operate, TransitionStep, Use};
use crate::ids::{LocalId, ObjectId, ProcessId, PropertyId, TransitionId};
use crate::objects::Op;
use crate::system::{Fault, System};

/// Why a transition is disabled in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle<'m> {
    /// A process that should move is not at this control point.
    NotAt(LocalId),
    /// A condition of the guard is false; these operations evaluate it.
    Condition(&'m [Use]),
    /// This operation of the command is not defined.
    Undefined(Use),
}

impl Model {
    /// Calls `f` with each property that executing `t` in `state` violates.
    pub fn violated(&self, state: &[u8], t: TransitionId, mut f: impl FnMut(PropertyId)) {
        let transition = &self.transitions[t.index()];
        transition.violates.iter().copied().for_each(&mut f);
        for step in &transition.command {
            if let TransitionStep::Assert { holds, property } = step
                && self.eval(holds, state, 0) == Some(0)
            {
                f(*property);
            }
        }
    }

    /// Calls `f` with each reason why `t` is disabled; there is none iff `t` is enabled.
    #[inline]
    pub fn obstacles<'m>(&'m self, state: &[u8], t: TransitionId, mut f: impl FnMut(Obstacle<'m>)) {
        let transition = &self.transitions[t.index()];
        for (process, local) in transition.active.iter().zip(&transition.pre) {
            if self.layout.local(state, *process) != *local {
                f(Obstacle::NotAt(*local));
            }
        }
        for used in &transition.partial {
            if !self.is_defined(state, used) {
                f(Obstacle::Undefined(*used));
            }
        }
        for condition in &transition.conditions {
            if !self.holds(state, condition) {
                f(Obstacle::Condition(&condition.uses));
            }
        }
    }

    /// Whether `t` is enabled in `state`.
    pub fn is_enabled(&self, state: &[u8], t: TransitionId) -> bool {
        let mut enabled = true;
        self.obstacles(state, t, |_| enabled = false);
        enabled
    }

    #[inline(always)]
    pub(super) fn is_defined(&self, state: &[u8], used: &Use) -> bool {
        let object = &self.objects[used.object.index()].kind;
        object.defined(used.op, self.value(state, used.object))
    }

    #[inline(always)]
    pub(super) fn holds(&self, state: &[u8], condition: &Condition) -> bool {
        self.eval(&condition.holds, state, 0).is_some_and(|v| v != 0)
    }

    /// The value of an expression in `state`. All reads see the state before the
    /// transition, because a command never uses an object after modifying it.
    #[inline]
    pub(super) fn eval(&self, node: &Node, state: &[u8], output: i64) -> Option<i64> {
        node.eval(output, &mut |q: &Query| {
            let op = Op {
                kind: q.kind,
                by: ProcessId::new(0),
            };
            let object = &self.objects[q.object.index()].kind;
            object.query(op, self.value(state, q.object))
        })
    }

    fn fault(&self, t: TransitionId, reason: &str) -> Fault {
        Fault::new(format!("transition `{}`: {reason}", self.transition_name(t)))
    }

    #[cold]
    pub(super) fn out_of_range(&self, t: TransitionId, object: ObjectId, value: i64) -> Fault {
        let object = self.object_name(object);
        self.fault(t, &format!("{value} is not a value of object `{object}`"))
    }

    #[cold]
    pub(super) fn no_value(&self, t: TransitionId) -> Fault {
        self.fault(t, "an expression of its command divides by zero or overflows")
    }
}

impl System for Model {
    type Transition = TransitionId;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        Configuration::initial(self).encode(self, state);
    }

    #[inline]
    fn enabled(&self, state: &[u8], out: &mut Vec<TransitionId>) {
        self.gates.enabled(self, state, out);
    }

    #[inline]
    fn fire(&self, (): &mut (), state: &[u8], t: TransitionId, next: &mut Vec<u8>) -> Result<(), Fault> {
        let transition = &self.transitions[t.index()];
        next.clear();
        next.extend_from_slice(state);
        for (process, local) in transition.active.iter().zip(&transition.post) {
            self.layout.set_local(next, *process, *local);
        }
        let mut output = 0;
        for step in &transition.command {
            match step {
                TransitionStep::Assert { holds, .. } => {
                    self.eval(holds, state, output).ok_or_else(|| self.no_value(t))?;
                }
                TransitionStep::Operate(Operate { op, input, modifies }) => {
                    let input = match input {
                        Some(node) => self.eval(node, state, output).ok_or_else(|| self.no_value(t))?,
                        None => 0,
                    };
                    let object = &self.objects[op.object.index()].kind;
                    if *modifies {
                        let at = self.layout.range(next, op.object, &self.objects);
                        output = object
                            .modify(op.op, input, next, at)
                            .map_err(|_| self.out_of_range(t, op.object, input))?;
                    } else {
                        output = object.query(op.op, self.value(state, op.object));
                    }
                }
            }
        }
        Ok(())
    }

    fn state_len(&self) -> Option<usize> {
        self.layout.fixed_len()
    }
}
