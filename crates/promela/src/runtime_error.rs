//! What can go wrong while a model runs, whoever runs it.

/// What went wrong while a model ran: the model is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// `assert(e)` with `e` equal to 0.
    #[error("assertion violated")]
    Assertion,
    /// An index that the array does not have.
    #[error("index {index} is out of range: the array has {length} elements")]
    Index {
        /// The index.
        index: i32,
        /// How many elements there are.
        length: usize,
    },
    /// `/` or `%` by 0.
    #[error("division by zero")]
    DivisionByZero,
    /// A channel variable that names no open channel.
    #[error("there is no open channel {0}")]
    NoChannel(i32),
    /// A test of what is in a rendezvous channel, or a copy from it.
    #[error("the contents of a rendezvous channel cannot be inspected")]
    Inspected,
    /// A message with more or fewer fields than those of the channel.
    #[error("the message has {given} fields, those of the channel have {expected}")]
    Arity {
        /// How many the statement has.
        given: usize,
        /// How many the channel has.
        expected: usize,
    },
    /// An event that the `trace` assertion does not allow.
    #[error("the trace assertion does not allow this event here")]
    TraceMismatch,
    /// An event that completes the `notrace` assertion.
    #[error("the notrace assertion is matched: this event completes it")]
    TraceMatched,
    /// An event that a trace assertion has several places for.
    #[error("the trace assertion is not deterministic: this event matches in several ways")]
    TraceAmbiguous,
    /// A process beyond the 255 that can be alive at a time.
    #[error("there are 255 processes already")]
    TooManyProcesses,
    /// A channel beyond the 255 that can be open at a time.
    #[error("there are 255 channels already")]
    TooManyChannels,
    /// Nothing can be executed inside `d_step`.
    #[error("blocked inside d_step")]
    BlockedInDStep,
    /// A send to a rendezvous channel inside `d_step`.
    #[error("a rendezvous cannot be offered inside d_step")]
    OfferInDStep,
    /// A `d_step` that has executed a million statements.
    #[error("this d_step does not end")]
    EndlessDStep,
    /// `enabled(p)` where `p` asks that itself.
    #[error("process {0} is asked whether it can move, at a place where it asks that itself")]
    EnabledAsks(u8),
    /// A priority that is not between 1 and 255.
    #[error("priority {0} is not between 1 and 255")]
    Priority(i32),
    /// A step that cannot be taken in this state.
    #[error("this step is not executable here")]
    NotExecutable,
    /// A tree that the front end does not produce.
    #[error("the model is malformed: {0}")]
    Malformed(&'static str),
}
