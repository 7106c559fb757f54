//! What a verification found, as data for reports.

use crate::source::Span;
use mazurka_core::{Doubt, Outcome, Verdict};

/// The answers about a model, one for each property.
#[derive(Clone, Debug)]
pub struct Checked {
    /// In the order in which they were checked.
    pub properties: Vec<PropertyResult>,
}

impl Checked {
    /// The worst of the verdicts.
    pub fn verdict(&self) -> Verdict {
        self.properties
            .iter()
            .map(|p| p.verdict)
            .max()
            // Nothing follows from nothing.
            .unwrap_or(Verdict::Inconclusive(Doubt::Unexplored))
    }
}

/// What kind of property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Assertions, invalid end states, runtime errors.
    Safety,
    /// A formula.
    Ltl,
    /// The `never` claim of the model.
    Never,
    /// No non-progress cycles.
    Progress,
    /// No cycle through accept labels of processes.
    Acceptance,
}

/// The answer about one property.
pub type PropertyResult = Outcome<PropertyFindings>;

/// What was found out about one property.
#[derive(Clone, Debug)]
pub struct PropertyFindings {
    /// Its name: `safety`, `never`, `progress`, the name of an `ltl` block, or the
    /// formula of the command line.
    pub name: String,
    /// What kind it is.
    pub kind: Kind,
    /// How the search was reduced.
    pub reduction: ReductionUsed,
    /// What was found, each replayed by the plain interpreter.
    pub violations: Vec<Violation>,
    /// Statements that no explored execution reached; only said when the search was
    /// complete.
    pub unreached: Vec<Unreached>,
    /// `xr` and `xs` that are not true, as far as was noticed.
    pub untrue: Vec<Untrue>,
    /// Why the property cannot be checked at all, if it cannot.
    pub refusal: Option<String>,
}

impl PropertyFindings {
    /// Nothing yet.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
            reduction: ReductionUsed::default(),
            violations: Vec::new(),
            unreached: Vec::new(),
            untrue: Vec::new(),
            refusal: None,
        }
    }
}

/// `xr c` or `xs c` that is not true. No verdict depends on it here; SPIN's reduction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untrue {
    /// The proctype that says so.
    pub process: String,
    /// `xr` if true, `xs` if not.
    pub receives: bool,
    /// Where it is said.
    pub span: Span,
    /// A proctype of which another process uses the channel too.
    pub by: String,
}

/// How a search was reduced.
#[derive(Clone, Debug, Default)]
pub struct ReductionUsed {
    /// The persistent-set algorithm, if any.
    pub persistent: Option<&'static str>,
    /// Whether sleep sets were used.
    pub sleep: bool,
    /// The proviso, if any.
    pub proviso: Option<&'static str>,
    /// Why there is less reduction than was asked for.
    pub note: Option<String>,
}

/// A way to violate a property.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What kind.
    pub kind: ViolationKind,
    /// In a sentence.
    pub message: String,
    /// The statement in question.
    pub location: Option<Span>,
    /// From the initial state on.
    pub steps: Vec<ShownStep>,
    /// For an infinite execution: the step that the steps from there on repeat for
    /// ever. Equal to the number of steps if the last state is repeated.
    pub cycle_start: Option<usize>,
    /// What there is to say about the snapshots of the formula.
    pub snapshots: Vec<SnapshotFinding>,
}

/// What a counterexample has to do with a snapshot of the formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotFinding {
    /// `snapshot(q)`.
    pub text: String,
    /// Whether it is passed, and why.
    pub outcome: SnapshotOutcome,
}

/// Whether a snapshot is passed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotOutcome {
    /// It is.
    Passed {
        /// After this many steps `snapshot(q)` holds.
        at: usize,
        /// These steps, by number from 0, in an equivalent order that passes through a state with `q`.
        order: Vec<usize>,
        /// After how many steps of that order it does.
        marked: usize,
        /// The variables and channels in that state that differ from the first.
        state: Vec<(String, String)>,
    },
    /// It is, but how was too much to work out.
    PassedSomehow,
    /// It never is: what is missing, for each conjunction that `q` is made of.
    Missing(Vec<MissingSnapshot>),
}

/// Why a conjunction never holds of a state that is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingSnapshot {
    /// The conjuncts, each with the process or object that it is about.
    pub conjuncts: Vec<(String, String)>,
    /// The largest sets of these that are found together in a state that is passed up to the end, and that
    /// may still be completed. (The freeze sets.)
    pub frozen: Vec<Vec<String>>,
    /// Those that are in no such set.
    pub open: Vec<String>,
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// `assert` of something false.
    Assertion,
    /// A process can never go on and is not at an end label.
    Deadlock,
    /// An index out of range, a division by zero, a channel that is not open, …
    RuntimeError,
    /// An infinite execution that the formula forbids, or that the claim accepts.
    AcceptanceCycle,
    /// The claim reached its end.
    ClaimCompleted,
    /// An infinite execution without progress.
    NonProgressCycle,
    /// The `trace` assertion does not match.
    TraceMismatch,
}

/// A step of a counterexample.
#[derive(Clone, Debug)]
pub struct ShownStep {
    /// Which process.
    pub pid: u32,
    /// Its proctype.
    pub process: String,
    /// The statement.
    pub span: Span,
    /// Its text, on one line.
    pub statement: String,
    /// The variables and channels that it changed, with their new values.
    pub changes: Vec<(String, String)>,
    /// What it printed.
    pub printed: String,
    /// What it sent or received.
    pub exchange: Option<Exchange>,
    /// The steps before it, by number from 0, that it directly depends on, and perhaps others that these depend on; those
    /// of its own process too. Every order of the steps that keeps to it is an execution of the model.
    pub causes: Vec<usize>,
    /// Whether it ends inside an `atomic`, where only its process may go on.
    pub inside: bool,
}

/// A message that a step sends or receives.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// What happens to the message.
    pub kind: ExchangeKind,
    /// The channel, by the name it has in the model.
    pub channel: String,
    /// The number of the channel.
    pub number: u32,
    /// Its fields.
    pub message: String,
    /// The receiver of a rendezvous.
    pub partner: Option<u32>,
    /// For a receive: the step that sent the message, if it is known.
    pub sent_by: Option<usize>,
}

/// What happens to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeKind {
    /// It is put into a channel.
    Send,
    /// It is taken out of a channel.
    Receive,
    /// It is read and stays.
    Copy,
    /// It is handed over.
    Rendezvous,
}

/// A statement that was never executed.
#[derive(Clone, Debug)]
pub struct Unreached {
    /// The proctype.
    pub process: String,
    /// The statement.
    pub span: Span,
    /// Its text, on one line.
    pub statement: String,
}
