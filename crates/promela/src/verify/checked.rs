//! The results of a verification, as data for reports.

use super::step_id::StepId;
use crate::plain::Pid;
use crate::source::Span;
use mazurka_core::{Doubt, Outcome, Verdict};

/// The results for a model, one for each property.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The results, in the order in which the properties were checked.
    pub properties: Vec<PropertyResult>,
}

impl Checked {
    /// The results for these properties.
    pub fn new(properties: Vec<PropertyResult>) -> Self {
        Self { properties }
    }

    /// The worst verdict of all properties.
    pub fn verdict(&self) -> Verdict {
        self.properties
            .iter()
            .map(|p| p.verdict)
            .max()
            // Without properties there is nothing to conclude.
            .unwrap_or(Verdict::Inconclusive(Doubt::Unexplored))
    }
}

/// The kind of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

impl Kind {
    /// Its name in reports, such as `ltl`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safety => "safety",
            Self::Ltl => "ltl",
            Self::Never => "never",
            Self::Progress => "progress",
            Self::Acceptance => "acceptance",
        }
    }
}

/// The result for one property.
pub type PropertyResult = Outcome<PropertyFindings>;

/// The findings about one property.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PropertyFindings {
    /// Its name: `safety`, `never`, `progress`, the name of an `ltl` block, or the
    /// formula of the command line.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// How the search was reduced.
    pub reduction: ReductionUsed,
    /// The violations, each replayed by the plain interpreter.
    pub violations: Vec<Violation>,
    /// Statements that no explored execution reached. Empty unless the search was
    /// complete.
    pub unreached: Vec<Unreached>,
    /// `xr` and `xs` promises that were seen to be broken.
    pub untrue: Vec<Untrue>,
    /// Why the property cannot be checked at all, if it cannot.
    pub refusal: Option<String>,
}

impl PropertyFindings {
    /// Findings with nothing in them yet.
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

/// An `xr c` or `xs c` promise that is broken. SPIN's reduction relies on such promises; no verdict here does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Untrue {
    /// The proctype that makes the promise.
    pub process: String,
    /// True for `xr`, false for `xs`.
    pub receives: bool,
    /// The place of the promise.
    pub span: Span,
    /// The proctype of another process that uses the channel.
    pub by: String,
}

/// How a search was reduced.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReductionUsed {
    /// The persistent-set algorithm, if any.
    pub persistent: Option<&'static str>,
    /// Whether sleep sets were used.
    pub sleep: bool,
    /// The proviso, if any.
    pub proviso: Option<&'static str>,
    /// Why there is less reduction than requested.
    pub note: Option<String>,
    /// Where sets are not started, after a trial.
    pub trial: Option<Trial>,
}

/// Where persistent sets are not started, because that did not pay for itself in a short search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trial {
    /// The number of edges of the model from which no set of one step is started.
    pub left_out: usize,
    /// The number of all edges.
    pub of: usize,
}

/// A violation of a property, with a counterexample.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Violation {
    /// Its kind.
    pub kind: ViolationKind,
    /// A description in one sentence.
    pub message: String,
    /// The place of the statement that it is about.
    pub location: Option<Span>,
    /// The steps from the initial state.
    pub steps: Vec<ShownStep>,
    /// For an infinite execution, the first step of the part that is repeated for
    /// ever. If the last state is repeated, it is the step that would come after the last one.
    pub cycle_start: Option<StepId>,
    /// The snapshots of the formula, and whether the counterexample passes them.
    pub snapshots: Vec<SnapshotFinding>,
}

impl Violation {
    /// A violation that the initial state shows. Steps, a cycle and snapshots may be added.
    pub fn new(kind: ViolationKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            location: None,
            steps: Vec::new(),
            cycle_start: None,
            snapshots: Vec::new(),
        }
    }

    /// A step of the counterexample.
    ///
    /// # Panics
    /// If the counterexample has no such step.
    pub fn step(&self, id: StepId) -> &ShownStep {
        &self.steps[id.index()]
    }

    /// The steps of the counterexample, with their ids.
    pub fn numbered_steps(&self) -> impl Iterator<Item = (StepId, &ShownStep)> {
        let numbered = self.steps.iter().enumerate();
        numbered.map(|(k, step)| (StepId::new(k), step))
    }
}

/// A snapshot of the formula, and whether a counterexample passes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotFinding {
    /// `snapshot(q)`.
    pub text: String,
    /// Whether it is passed, and why.
    pub outcome: SnapshotOutcome,
}

impl SnapshotFinding {
    /// What is known about the snapshot with this text.
    pub fn new(text: impl Into<String>, outcome: SnapshotOutcome) -> Self {
        Self {
            text: text.into(),
            outcome,
        }
    }
}

/// Whether a snapshot is passed, and why. The enum is exhaustive, so that a report has words for each case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotOutcome {
    /// It is passed.
    Passed {
        /// The number of steps after which `snapshot(q)` holds.
        at: usize,
        /// The steps, in an equivalent order that passes through a state with `q`.
        order: Vec<StepId>,
        /// The number of steps of that order after which `q` holds.
        marked: usize,
        /// The variables and channels in that state that differ from the initial state.
        state: Vec<(String, String)>,
    },
    /// It is passed, but explaining how would take too long.
    PassedSomehow,
    /// It is never passed. For each conjunction of `q`, what is missing.
    Missing(Vec<MissingSnapshot>),
}

/// Why a conjunction holds in no state that is passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingSnapshot {
    /// The conjuncts, each with the process or object that it is about.
    pub conjuncts: Vec<(String, String)>,
    /// The largest sets of conjuncts that hold together in a state that is passed, and that
    /// may still be completed (the freeze sets).
    pub frozen: Vec<Vec<String>>,
    /// The conjuncts that are in no such set.
    pub open: Vec<String>,
}

/// The kind of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// An assertion that does not hold.
    Assertion,
    /// Nothing can be executed, and some process is not at a valid end.
    Deadlock,
    /// An index out of range, a division by zero, a channel that is not open, …
    RuntimeError,
    /// An infinite execution that the formula forbids, or that the claim accepts.
    AcceptanceCycle,
    /// A finite execution that the formula forbids, however it goes on, or after which the `never` claim is at its end.
    ClaimCompleted,
    /// An infinite execution without progress.
    NonProgressCycle,
    /// The `trace` assertion does not match.
    TraceMismatch,
}

impl ViolationKind {
    /// Its name in reports, such as `acceptance-cycle`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Deadlock => "deadlock",
            Self::RuntimeError => "runtime-error",
            Self::AcceptanceCycle => "acceptance-cycle",
            Self::ClaimCompleted => "claim-completed",
            Self::NonProgressCycle => "non-progress-cycle",
            Self::TraceMismatch => "trace-mismatch",
        }
    }
}

/// A step of a counterexample.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ShownStep {
    /// The process.
    pub pid: Pid,
    /// Its proctype.
    pub process: String,
    /// The statement.
    pub span: Span,
    /// Its text, on one line.
    pub statement: String,
    /// The variables and channels that it changed, with their new values.
    pub changes: Vec<(String, String)>,
    /// The text that it printed.
    pub printed: String,
    /// The messages that it sent or received.
    pub exchange: Option<Exchange>,
    /// The steps before it that it directly depends on, including those of its own process, and perhaps
    /// others that these depend on. Every order of the steps that respects these dependencies is an execution of the model.
    pub causes: Vec<StepId>,
    /// Whether it ends inside an `atomic`, where only its process may continue.
    pub inside: bool,
    /// Whether the violation depends on it. A step of another process may be there only because nothing may be able to move
    /// in an invalid end state.
    pub matters: bool,
}

impl ShownStep {
    /// A step that changes nothing and depends on no other. What it does may be added.
    pub fn new(pid: Pid, process: impl Into<String>, span: Span, statement: impl Into<String>) -> Self {
        Self {
            pid,
            process: process.into(),
            span,
            statement: statement.into(),
            changes: Vec::new(),
            printed: String::new(),
            exchange: None,
            causes: Vec::new(),
            inside: false,
            matters: true,
        }
    }
}

/// A message that a step sends or receives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exchange {
    /// What happens to the message.
    pub kind: ExchangeKind,
    /// The name of the channel in the model.
    pub channel: String,
    /// The number of the channel.
    pub number: u32,
    /// Its fields.
    pub message: String,
    /// The receiver of a rendezvous.
    pub partner: Option<Pid>,
    /// For a receive, the step that sent the message, if it is known.
    pub sent_by: Option<StepId>,
}

impl Exchange {
    /// A message on a channel. The receiver or the sender may be added.
    pub fn new(kind: ExchangeKind, channel: impl Into<String>, number: u32, message: impl Into<String>) -> Self {
        Self {
            kind,
            channel: channel.into(),
            number,
            message: message.into(),
            partner: None,
            sent_by: None,
        }
    }
}

/// What happens to a message. The enum is exhaustive: Promela has no other operations on messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeKind {
    /// It is put into a channel.
    Send,
    /// It is taken out of a channel.
    Receive,
    /// It is read and stays in the channel.
    Copy,
    /// It is handed over in a rendezvous.
    Rendezvous,
}

/// A statement that was never executed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unreached {
    /// The proctype.
    pub process: String,
    /// The statement.
    pub span: Span,
    /// Its text, on one line.
    pub statement: String,
}

impl Unreached {
    /// A statement of a proctype.
    pub fn new(process: impl Into<String>, span: Span, statement: impl Into<String>) -> Self {
        Self {
            process: process.into(),
            span,
            statement: statement.into(),
        }
    }
}
