//! What a search for violations of a formula found.

use mazurka_core::{Configuration, PredicateError, ReplayError, TransitionId, Unsupported, typed};
use mazurka_logic::BuchiError;
use std::fmt;

/// What a [search](crate::LtlSearch) found: the field `found` of its [`Outcome`](mazurka_core::Outcome).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LtlFindings {
    /// An execution that violates the formula, if one was found.
    pub counterexample: Option<Counterexample>,
    /// Why all interleavings were explored; `None` if the model was reduced.
    pub unreduced: Option<Unreduced>,
    /// Whether some transition failed. What would come after it is not known, so the search does not prove the formula.
    pub failed: bool,
}

/// An infinite execution: the prefix, and then the cycle for ever. It was executed by the plain interpreter, and the
/// formula is false on it by definition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counterexample {
    /// From the initial state to the first state of the cycle.
    pub prefix: Vec<TransitionId>,
    /// From there back to it. Empty if nothing is enabled there: then the state is repeated.
    pub cycle: Vec<TransitionId>,
    /// The initial state, and the state after each transition of the prefix and of the cycle.
    pub states: Vec<Configuration>,
}

/// Why all interleavings were explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unreduced {
    /// Nothing else was asked for.
    Asked,
    /// The formula may count steps: it is not known to be invariant under transitions that change no atom and have no
    /// label of the formula.
    CountsSteps,
    /// Fairness of actions is assumed, and what decides whether an action can happen is not known.
    Fairness,
    /// An atom about states may read everything: nobody said which parts it reads.
    ReadsEverything,
}

impl fmt::Display for Unreduced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Asked => "no reduction: none was asked for",
            Self::CountsSteps => "no reduction: the formula may count steps (it is not known to be stutter-invariant)",
            Self::Fairness => "no reduction: fairness of actions is assumed",
            Self::ReadsEverything => "no reduction: an atom may read every part of the state",
        })
    }
}

/// Why a search has no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LtlError {
    /// No atom was given for a name in the formula.
    #[error("the formula has the name `{0}`, for which no atom was given")]
    UnknownName(String),
    /// An atom is not about states of this model.
    #[error("atom `{name}`: {error}")]
    Atom {
        /// Its name.
        name: String,
        /// What is wrong with it.
        error: PredicateError,
    },
    /// No transition has this label.
    #[error("no transition has the label `{0}`")]
    UnknownLabel(String),
    /// There is no process of this name.
    #[error("the model has no process `{0}`")]
    UnknownProcess(String),
    /// The formula has no automaton of reasonable size.
    #[error(transparent)]
    Automaton(#[from] BuchiError),
    /// The settings do not fit together, so the search was not started.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The model contradicts itself or its footprint.
    #[error(transparent)]
    Typed(#[from] typed::SearchError),
    /// A counterexample could not be replayed: a defect of this library. Please report it.
    #[error("internal error: the plain interpreter does not confirm a counterexample: {0}")]
    Replay(#[from] ReplayError),
}
