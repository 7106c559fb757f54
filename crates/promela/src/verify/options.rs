//! Options of a verification.

use crate::reduce::PersistentAlgorithm;
use mazurka_core::{Limits, ProvisoKind, Reduction, Storage};

/// The method for snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapshotMethod {
    /// Freeze sets in their basis form: polynomial, for propositions that are about one component each.
    #[default]
    Basis,
    /// All states that were passed: exponential, for any proposition.
    Tracker,
}

/// Who executes a model during a search. Counterexamples are executed by the plain interpreter all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// A translation for each process, which leaves to the interpreter what is rare.
    #[default]
    Native,
    /// The interpreter of the compiled form alone.
    Interpreter,
}

/// Options of a verification.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The reduction.
    pub reduction: Reduction,
    /// The algorithm for persistent sets.
    pub persistent: PersistentAlgorithm,
    /// The proviso of safety properties. `None` is the one that suits the store. Formulas and cycles have a proviso of their own.
    pub proviso: Option<ProvisoKind>,
    /// The store of visited states.
    pub storage: Storage,
    /// When to stop, and where to report progress.
    pub limits: Limits<'a>,
    /// Whether to find all violations rather than the first.
    pub all: bool,
    /// Whether to find a counterexample to safety with the fewest statements. The search is breadth first, and
    /// reduced where that keeps lengths: for invalid end states if no statement can fail.
    pub shortest: bool,
    /// Weak fairness: whether to ignore executions in which a process waits for ever although it can always
    /// move.
    pub fair: bool,
    /// Whether steps that concern nobody else are merged with the step before, and values that are not read any more are reset.
    /// Otherwise a search without reduction stores every state, as SPIN does with `-o1 -o2 -o3`. `--shortest` and weak
    /// fairness look at each step in any case.
    pub merge: bool,
    /// The method for snapshots.
    pub snapshots: SnapshotMethod,
    /// Who executes the model.
    pub engine: Engine,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            reduction: Reduction::Full,
            persistent: PersistentAlgorithm::Conditional,
            proviso: None,
            storage: Storage::Exact,
            limits: Limits::default(),
            all: false,
            shortest: false,
            fair: false,
            merge: true,
            snapshots: SnapshotMethod::Basis,
            engine: Engine::Native,
        }
    }
}
