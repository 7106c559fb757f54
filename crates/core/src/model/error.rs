//! What can be wrong with a model, found when it is built.

use std::fmt;

/// One thing wrong with a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two processes, objects, transitions or properties have the same name.
    #[error("two {kind} are named `{name}`")]
    DuplicateName {
        /// What they are: "processes", "objects", "transitions" or "properties".
        kind: &'static str,
        /// Their name.
        name: String,
    },
    /// A process has no control point to start at.
    #[error("process `{process}` has no control point")]
    NoControlPoint {
        /// Its name.
        process: String,
    },
    /// The model has no process.
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
    /// An operation that the object's type does not have, or that is not allowed here.
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
    /// A transition moves no process.
    #[error("transition `{transition}` has an empty preset: a transition moves at least one process")]
    EmptyPreset {
        /// The transition.
        transition: String,
    },
    /// A preset or postset has two control points of one process.
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
    /// A constant is not a value of the object.
    #[error("transition `{transition}`: {value} is not a value of object `{object}`")]
    ConstantOutOfRange {
        /// The transition.
        transition: String,
        /// The object.
        object: String,
        /// The constant.
        value: i64,
    },
    /// Several processes move, and it is not said which one acts on the lock.
    #[error(
        "transition `{transition}` moves several processes: say which one acts on `{object}` (acquire_by, release_by)"
    )]
    AmbiguousActor {
        /// The transition.
        transition: String,
        /// The lock.
        object: String,
    },
    /// A property uses an object or a control point of another model.
    #[error("property `{property}` uses an object or a control point that does not exist in this model")]
    ForeignProperty {
        /// The property.
        property: String,
    },
    /// The negation of an invariant has too many cases.
    #[error("invariant `{property}`: its negation has more than {limit} cases; split it into several invariants")]
    TooManyCases {
        /// The invariant.
        property: String,
        /// How many are accepted.
        limit: usize,
    },
    /// A safety automaton is not deterministic or names unknown states.
    #[error("safety automaton `{automaton}`: {reason}")]
    BadAutomaton {
        /// The automaton.
        automaton: String,
        /// What is wrong.
        reason: String,
    },
}

/// Everything that is wrong with a model.
///
/// ```
/// # use mazurka_core::{BuildError, Builder};
/// let mut m = Builder::new("m");
/// let [a0] = m.process("A", ["a0"]);
/// let x = m.boolean("x");
/// m.transition("t", a0, a0).then(x.write(2));
/// let errors = m.build().unwrap_err();
/// assert!(matches!(errors.0[0], BuildError::ConstantOutOfRange { value: 2, .. }));
/// assert_eq!(errors.to_string(), "transition `t`: 2 is not a value of object `x`");
/// ```
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
