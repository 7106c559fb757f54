//! Runtime errors of models. The plain interpreter and the compiled form share them.

/// A `d_step` that executes this many statements counts as endless.
pub(crate) const LONGEST_D_STEP: u32 = 10_000_000;

/// An error in a model that shows when it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// `assert(e)` with `e` equal to 0.
    #[error("assertion violated")]
    Assertion,
    /// An index out of range.
    #[error("index {index} is out of range: the array has {length} elements")]
    Index {
        /// The index.
        index: i32,
        /// The number of elements.
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
    /// A message with more or fewer fields than the channel's messages have.
    #[error("the message has {given} fields, but messages of this channel have {expected}")]
    Arity {
        /// The number of fields in the statement.
        given: usize,
        /// The number of fields of the channel's messages.
        expected: usize,
    },
    /// An event that the `trace` assertion does not allow.
    #[error("the trace assertion does not allow this event here")]
    TraceMismatch,
    /// An event that completes the `notrace` assertion.
    #[error("the notrace assertion is matched: this event completes it")]
    TraceMatched,
    /// An event that a trace assertion can match in several ways.
    #[error("the trace assertion is not deterministic: this event matches in several ways")]
    TraceAmbiguous,
    /// A 256th process. At most 255 can be alive at a time.
    #[error("there are already 255 processes")]
    TooManyProcesses,
    /// A 256th channel. At most 255 can be open at a time.
    #[error("there are already 255 channels")]
    TooManyChannels,
    /// No statement of a `d_step` is executable.
    #[error("blocked inside d_step")]
    BlockedInDStep,
    /// A send to a rendezvous channel inside `d_step`.
    #[error("a rendezvous cannot be offered inside d_step")]
    OfferInDStep,
    /// A `d_step` that has executed ten million statements.
    #[error("this d_step does not end")]
    EndlessDStep,
    /// `enabled(p)` for a process `p` that evaluates `enabled` itself.
    #[error("`enabled` cannot be evaluated for process {0}, which evaluates `enabled` itself")]
    EnabledAsks(u8),
    /// A priority that is not between 1 and 255.
    #[error("priority {0} is not between 1 and 255")]
    Priority(i32),
    /// A step that cannot be taken in this state.
    #[error("this step is not executable here")]
    NotExecutable,
    /// A tree that the front end never produces.
    #[error("the model is malformed: {0}")]
    Malformed(&'static str),
}
