//! Properties of states that are evaluated rather than watched.
//!
//! An [invariant](super::invariant) becomes a process of the model. A predicate does not change the model: whoever has
//! a state asks whether it holds there, and whoever reduces asks which transitions can change it. These are the
//! *visible* ones (thesis 7.2).

use super::check::unreadable;
use super::expr::{Node, Prop};
use super::{Configuration, Model, TransitionStep};
use crate::bitset::{self, BitSet};
use crate::ids::{LocalId, ObjectId, ProcessId, TransitionId};
use std::fmt;

/// A property of the states of a model.
///
/// ```
/// # use mazurka_core::{Builder, System, bitset};
/// # let mut m = Builder::new("m");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// let (x, y) = (m.boolean("x"), m.boolean("y"));
/// m.transition("x", a0, a1).then(x.write(1));
/// m.transition("y", a0, a0).then(y.write(1));
/// let model = m.build()?;
/// let unset = model.predicate(a0 & x.is(0))?;
/// let mut state = Vec::new();
/// model.initial(&mut state);
/// assert!(unset.holds(&state));
/// let visible = unset.visible();
/// assert_eq!(bitset::iter(&visible).collect::<Vec<_>>(), [0]); // `y` does not change it
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Predicate<'m> {
    model: &'m Model,
    test: Test,
}

#[derive(Debug)]
enum Test {
    At(ProcessId, LocalId),
    Data(Node),
    Not(Box<Test>),
    And(Box<Test>, Box<Test>),
    Or(Box<Test>, Box<Test>),
}

/// Why a property is not one of a model's states.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PredicateError {
    /// It mentions a control point or an object of another model.
    #[error("the property mentions a control point or an object of another model")]
    Foreign,
    /// It reads an object by an operation that does not only read.
    #[error("object `{object}` {reason}")]
    BadOperation {
        /// The name of the object.
        object: String,
        /// What is wrong.
        reason: String,
    },
}

impl fmt::Debug for Predicate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.test.fmt(f)
    }
}

impl Model {
    /// The predicate of a property. The handles in it are those that the model was built with.
    ///
    /// # Errors
    /// If handles are of another model, or do not only read.
    pub fn predicate(&self, property: impl Into<Prop>) -> Result<Predicate<'_>, PredicateError> {
        let test = self.test(property.into())?;
        Ok(Predicate { model: self, test })
    }

    fn test(&self, property: Prop) -> Result<Test, PredicateError> {
        let go = |p: Box<Prop>| self.test(*p).map(Box::new);
        Ok(match property {
            Prop::At(local) if local.model != self.token => return Err(PredicateError::Foreign),
            Prop::At(local) => Test::At(self.process_of(local.id), local.id),
            Prop::Not(p) => Test::Not(go(p)?),
            Prop::And(p, q) => Test::And(go(p)?, go(q)?),
            Prop::Or(p, q) => Test::Or(go(p)?, go(q)?),
            Prop::Data(expr) => {
                let mut wrong = None;
                expr.0.queries(&mut |q| {
                    if q.model != self.token {
                        wrong.get_or_insert(PredicateError::Foreign);
                    } else if let Some(reason) = unreadable(self.object_type(q.object).operations(), q.kind) {
                        let object = self.object_name(q.object).to_string();
                        wrong.get_or_insert(PredicateError::BadOperation { object, reason });
                    }
                });
                wrong.map_or(Ok(Test::Data(expr.0)), Err)?
            }
        })
    }

    /// Whether a transition may change the value of an object.
    pub(super) fn may_modify(&self, t: TransitionId, object: ObjectId) -> bool {
        let mut steps = self.transitions[t.index()].command.iter();
        steps.any(|step| matches!(step, TransitionStep::Operate(o) if o.modifies && o.op.object == object))
    }

    /// Whether a transition changes whether some process is at this control point.
    pub(super) fn enters_or_leaves(&self, t: TransitionId, local: LocalId) -> bool {
        let mut moves = self.preset(t).iter().zip(self.postset(t));
        moves.any(|(from, to)| (*from == local) != (*to == local))
    }
}

impl Predicate<'_> {
    /// Whether it holds in a state. An expression without a value is not true.
    #[inline]
    pub fn holds(&self, state: &[u8]) -> bool {
        self.test
            .holds(&|process, local| self.model.local(state, process) == local, &|node| {
                self.model.eval(node, state, 0)
            })
    }

    /// Whether it holds in a state of the plain interpreter.
    pub fn holds_in(&self, state: &Configuration) -> bool {
        self.test
            .holds(&|process, local| state.control[process.index()] == local, &|node| {
                state.eval(self.model, node, 0)
            })
    }

    /// The transitions that can change it, as a bit set.
    pub fn visible(&self) -> BitSet {
        let mut visible = BitSet::new(self.model.transitions());
        self.test.visible(self.model, &mut visible);
        visible
    }
}

impl Test {
    fn holds(&self, at: &impl Fn(ProcessId, LocalId) -> bool, value: &impl Fn(&Node) -> Option<i64>) -> bool {
        match self {
            Self::At(process, local) => at(*process, *local),
            Self::Data(node) => value(node).is_some_and(|v| v != 0),
            Self::Not(p) => !p.holds(at, value),
            Self::And(p, q) => p.holds(at, value) && q.holds(at, value),
            Self::Or(p, q) => p.holds(at, value) || q.holds(at, value),
        }
    }

    fn visible(&self, model: &Model, out: &mut BitSet) {
        let mut add = |changes: &dyn Fn(TransitionId) -> bool| {
            let all = (0..model.transitions()).map(TransitionId::new);
            all.filter(|t| changes(*t)).for_each(|t| bitset::insert(out, t.index()));
        };
        match self {
            Self::At(_, local) => add(&|t| model.enters_or_leaves(t, *local)),
            Self::Data(node) => node.queries(&mut |q| add(&|t| model.may_modify(t, q.object))),
            Self::Not(p) => p.visible(model, out),
            Self::And(p, q) | Self::Or(p, q) => {
                p.visible(model, out);
                q.visible(model, out);
            }
        }
    }
}
