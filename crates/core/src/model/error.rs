//! What can be wrong with a model, found when it is built.

use std::fmt;

/// One thing wrong with a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two processes, objects or transitions of one name.
    #[error("two {kind} are named `{name}`")]
    DuplicateName {
        /// Processes, objects or transitions.
        kind: &'static str,
        /// Their name.
        name: String,
    },
    /// A process needs a control point to start at.
    #[error("process `{process}` has no control point")]
    NoControlPoint {
        /// Its name.
        process: String,
    },
    /// There is nothing to run.
    #[error("the model has no process")]
    NoProcess,
    /// The parameters of an object make no sense.
    #[error("object `{object}`: {reason}")]
    BadObject {
        /// Its name.
        object: String,
        /// What is wrong.
        reason: String,
    },
    /// A guard or command uses an object that this model does not have.
    #[error("transition `{transition}` uses an object that does not exist in this model")]
    NoSuchObject {
        /// The transition.
        transition: String,
    },
    /// An operation that the object's type does not have, or not in this place.
    #[error("transition `{transition}`: object `{object}` {reason}")]
    BadOperation {
        /// The transition.
        transition: String,
        /// The object.
        object: String,
        /// What is wrong.
        reason: String,
    },
    /// A preset or postset names a control point of another model.
    #[error("transition `{transition}` uses a control point that does not exist in this model")]
    NoSuchLocal {
        /// The transition.
        transition: String,
    },
    /// Nobody moves.
    #[error("transition `{transition}` has an empty preset: a transition moves at least one process")]
    EmptyPreset {
        /// The transition.
        transition: String,
    },
    /// A process is in two places at once.
    #[error("transition `{transition}` names two control points of process `{process}` in its {set}")]
    TwiceInSet {
        /// The transition.
        transition: String,
        /// The process.
        process: String,
        /// Preset or postset.
        set: &'static str,
    },
    /// Preset and postset must name the same processes (thesis 2.1).
    #[error(
        "transition `{transition}`: its preset and postset name different processes: `{process}` is only in the {set}"
    )]
    DifferentProcesses {
        /// The transition.
        transition: String,
        /// A process that is in only one of them.
        process: String,
        /// The one it is in.
        set: &'static str,
    },
    /// Thesis 2.1: after an operation that modifies an object, a command uses it no more.
    #[error("transition `{transition}`: its command uses object `{object}` after an operation that modifies it")]
    UseAfterModification {
        /// The transition.
        transition: String,
        /// The object.
        object: String,
    },
    /// A constant that the object can never take.
    #[error("transition `{transition}`: {value} is not a value of object `{object}`")]
    ConstantOutOfRange {
        /// The transition.
        transition: String,
        /// The object.
        object: String,
        /// The constant.
        value: i64,
    },
    /// Several processes move, and one of them must own the lock.
    #[error(
        "transition `{transition}` moves several processes: say which one acts on `{object}` (acquire_by, release_by)"
    )]
    WhoActs {
        /// The transition.
        transition: String,
        /// The lock.
        object: String,
    },
    /// The property speaks of things that this model does not have.
    #[error("property `{property}` uses an object or a control point that does not exist in this model")]
    ForeignProperty {
        /// The property.
        property: String,
    },
    /// An invariant whose negation has too many cases.
    #[error("invariant `{property}`: its negation has more than {limit} cases; split it into several invariants")]
    TooManyCases {
        /// The invariant.
        property: String,
        /// How many are accepted.
        limit: usize,
    },
    /// A safety automaton that is not deterministic or names unknown states.
    #[error("safety automaton `{automaton}`: {reason}")]
    BadAutomaton {
        /// The automaton.
        automaton: String,
        /// What is wrong.
        reason: String,
    },
}

/// Everything wrong with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildErrors(pub Vec<BuildError>);

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, error) in self.0.iter().enumerate() {
            if k > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildErrors {}
