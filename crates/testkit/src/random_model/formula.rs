//! Properties of states, to be stated as invariants and to be evaluated without
//! the engine.

use mazurka_core::{Configuration, Local, LocalId, Prop, Variable};

/// A property of states that can be evaluated without the engine.
#[derive(Clone, Debug)]
pub enum Formula {
    /// The process with this index is at this control point.
    At(usize, LocalId, Local),
    /// The variable with this object index has this value.
    Is(usize, i64, Variable),
    /// The formula does not hold.
    Not(Box<Formula>),
    /// Both formulas hold.
    And(Box<Formula>, Box<Formula>),
    /// At least one of them holds.
    Or(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Whether it holds in a state.
    pub fn holds(&self, state: &Configuration) -> bool {
        match self {
            Self::At(process, local, _) => state.control[*process] == *local,
            Self::Is(object, value, _) => state.values[*object] == [*value],
            Self::Not(f) => !f.holds(state),
            Self::And(f, g) => f.holds(state) && g.holds(state),
            Self::Or(f, g) => f.holds(state) || g.holds(state),
        }
    }

    /// The property as the builder takes it.
    pub(super) fn prop(&self) -> Prop {
        match self {
            Self::At(_, _, local) => local.reached(),
            Self::Is(_, value, variable) => variable.is(*value).into(),
            Self::Not(f) => !f.prop(),
            Self::And(f, g) => f.prop() & g.prop(),
            Self::Or(f, g) => f.prop() | g.prop(),
        }
    }
}
