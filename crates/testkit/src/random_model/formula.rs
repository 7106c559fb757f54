//! Properties of states, to be stated as invariants or atoms and to be evaluated without
//! the engine.

use mazurka_core::{Channel, Configuration, Local, LocalId, Prop, Variable};

/// A property of states that can be evaluated without the engine.
#[derive(Clone, Debug)]
pub enum Formula {
    /// The process with this index is at this control point.
    At(usize, LocalId, Local),
    /// The variable with this object index has this value.
    Is(usize, i64, Variable),
    /// The channel with this object index has at least so many messages.
    AtLeast(usize, usize, Channel),
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
            Self::AtLeast(object, length, _) => state.values[*object].len() >= *length,
            Self::Not(f) => !f.holds(state),
            Self::And(f, g) => f.holds(state) && g.holds(state),
            Self::Or(f, g) => f.holds(state) || g.holds(state),
        }
    }

    /// The property as the builder takes it.
    pub fn prop(&self) -> Prop {
        match self {
            Self::At(_, _, local) => local.reached(),
            Self::Is(_, value, variable) => variable.is(*value).into(),
            Self::AtLeast(_, length, channel) => channel.length().ge(u32::try_from(*length).expect("short")).into(),
            Self::Not(f) => !f.prop(),
            Self::And(f, g) => f.prop() & g.prop(),
            Self::Or(f, g) => f.prop() | g.prop(),
        }
    }
}
