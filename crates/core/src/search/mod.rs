//! Searching a model.
//!
//! [`Search`] has a setting for each part of the theory that varies. It checks that
//! the settings fit together, and runs the driver that is compiled for them. A
//! combination that the theory does not support is [`Unsupported`], with its reason.

mod acceptance;
mod ahead;
mod breadth_first;
mod components;
mod depth_first;
mod findings;
mod frugal;
mod lasso;
mod observer;
mod open_states;
mod passed;
mod proviso;
mod reduced;
mod reduction;
mod stack;
mod strategy;
mod take;

pub use acceptance::{Acceptance, CycleSearch, Emptiness};
pub use findings::{Coverage, Deadlock, Findings, Violation, ViolationKind};
pub use lasso::Lasso;
pub use mazurka_outcome::{Doubt, End, Limit, Limits, Outcome, Progress, Statistics, Verdict, Watch};
pub use observer::{Edge, Observer, Path};
pub use reduced::ReducedGraph;
pub use reduction::{Reduction, UnknownReduction};
pub use strategy::{Order, ProvisoKind, Strategy, Unsupported};

use crate::independence::Independence;
use crate::model::{Model, ReplayError};
use crate::objects::Relation;
use crate::persistent::{Algorithm, Enabling};
use crate::store::Storage;
use findings::Answers;

/// Why a search has no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The settings do not fit together, so the search was not started.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// A witness could not be replayed: a defect of this library. Please report it.
    #[error("internal error: the plain interpreter cannot replay a witness: {0}")]
    Replay(#[from] ReplayError),
}

/// A search of a model, to be configured and run.
///
/// [`Search::new`] answers everything that the model states: Algorithm 4 and the
/// terminal-component proviso. [`Search::deadlocks`] answers only whether there
/// are deadlocks, and explores less: Algorithm 4 and sleep sets, no proviso.
/// [`Search::full`] explores everything. Each part can be replaced.
///
/// ```
/// # use mazurka_core::{Builder, Search, Verdict, Algorithm, ProvisoKind};
/// # let mut m = Builder::new("m");
/// # let [a0, a1] = m.process("A", ["a0", "a1"]);
/// # m.transition("a", a0, a1);
/// # let model = m.build()?;
/// let outcome = Search::new(&model).run()?;
/// assert_eq!(outcome.verdict, Verdict::Violated); // it stops at a1
///
/// // As the thesis does it: stubborn sets, sleep sets, the stack proviso.
/// let outcome = Search::new(&model)
///     .persistent(Algorithm::Stubborn)
///     .sleep(true)
///     .proviso(ProvisoKind::Stack)
///     .run()?;
/// assert_eq!(outcome.deadlocks.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Search<'m> {
    model: &'m Model,
    algorithm: Algorithm,
    enabling: Enabling,
    relation: Option<Relation>,
    strategy: Strategy<'m>,
    witnesses: usize,
    first_only: bool,
}

impl<'m> Search<'m> {
    /// A search that answers everything that the model states: Algorithm 4, the
    /// terminal-component proviso, depth first, every state stored.
    ///
    /// The stack proviso allows sleep sets and explores fewer transitions, but on
    /// systems whose processes run in cycles it explores many more states: see the
    /// benchmark `engine`.
    pub fn new(model: &'m Model) -> Self {
        Self {
            model,
            algorithm: Algorithm::Conditional,
            enabling: Enabling::Fewest,
            relation: None,
            strategy: Strategy {
                proviso: ProvisoKind::Component,
                ..Strategy::default()
            },
            witnesses: 64,
            first_only: false,
        }
    }

    /// A search for deadlocks only: Algorithm 4 and sleep sets, no proviso.
    pub fn deadlocks(model: &'m Model) -> Self {
        Self::new(model).sleep(true).proviso(ProvisoKind::None)
    }

    /// A search without reduction.
    pub fn full(model: &'m Model) -> Self {
        Self::new(model)
            .persistent(Algorithm::AllEnabled)
            .proviso(ProvisoKind::None)
    }

    /// Sets the algorithm for persistent sets.
    pub fn persistent(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Sets which necessary enabling sets Algorithms 3 and 4 take.
    pub fn enabling(mut self, enabling: Enabling) -> Self {
        self.enabling = enabling;
        self
    }

    /// Sets whether sleep sets are used.
    pub fn sleep(mut self, sleep: bool) -> Self {
        self.strategy.sleep = sleep;
        self
    }

    /// Sets the proviso.
    pub fn proviso(mut self, proviso: ProvisoKind) -> Self {
        self.strategy.proviso = proviso;
        self
    }

    /// Sets the order of exploration.
    pub fn order(mut self, order: Order) -> Self {
        self.strategy.order = order;
        self
    }

    /// Sets which states are remembered.
    pub fn store(mut self, storage: Storage) -> Self {
        self.strategy.storage = storage;
        self
    }

    /// Sets the dependency relation. The default is the finest one that the other settings allow.
    pub fn relation(mut self, relation: Relation) -> Self {
        self.relation = Some(relation);
        self
    }

    /// Sets bounds on states, depth, memory and time.
    pub fn limits(mut self, limits: Limits<'m>) -> Self {
        self.strategy.limits = limits;
        self
    }

    /// Sets how many deadlocks get a path (64 by default); the others have only a state.
    pub fn witnesses(mut self, witnesses: usize) -> Self {
        self.witnesses = witnesses;
        self
    }

    /// Sets whether to stop at the first deadlock or violation.
    pub fn first_only(mut self, first_only: bool) -> Self {
        self.first_only = first_only;
        self
    }

    /// Whether the explored part is a trace automaton (Def. 6.4): only then does the
    /// search find every violation and everything unreached. It finds deadlocks in any case.
    pub fn is_trace_automaton(&self) -> bool {
        self.algorithm == Algorithm::AllEnabled || self.strategy.proviso != ProvisoKind::None
    }

    /// The dependency relation that the search will use.
    ///
    /// # Errors
    /// If the combination is not supported.
    pub fn supported(&self) -> Result<Relation, Unsupported> {
        self.strategy.supported()?;
        if self.strategy.storage.is_for_trees() {
            return Err(Unsupported::PathForModel);
        }
        if self.algorithm == Algorithm::Weak && (self.strategy.sleep || self.strategy.proviso != ProvisoKind::None) {
            return Err(Unsupported::WeakWithMore);
        }
        let Strategy { sleep, proviso, .. } = self.strategy;
        let needs_uniform = sleep && proviso != ProvisoKind::None && self.algorithm != Algorithm::AllEnabled;
        let relation = self.relation.unwrap_or(if needs_uniform {
            Relation::WeaklyUniform
        } else {
            Relation::Conditional
        });
        if needs_uniform
            && relation == Relation::Conditional
            && let Some(object) = self.model.not_weakly_uniform()
        {
            let object = self.model.object_name(object).to_string();
            return Err(Unsupported::NotWeaklyUniform { object });
        }
        Ok(relation)
    }

    /// Runs the search.
    ///
    /// # Errors
    /// If the combination is not supported.
    pub fn run(&self) -> Result<Outcome<Findings>, SearchError> {
        let mut answers = Answers::new(self.model, self.witnesses, self.first_only);
        let (statistics, end) = self.observe(&mut answers)?;
        Ok(answers.outcome(statistics, end, self.is_trace_automaton())?)
    }

    /// Runs the search with an observer of your own instead of collecting findings.
    ///
    /// ```
    /// # use mazurka_core::{Builder, Search};
    /// # let mut m = Builder::new("m");
    /// let [a0, a1] = m.process("A", ["a0", "a1"]);
    /// m.transition("a", a0, a1);
    /// let model = m.build()?;
    /// // The observer `()` does nothing: the search only counts.
    /// let (statistics, _) = Search::full(&model).observe(&mut ())?;
    /// assert_eq!(statistics.states, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the combination is not supported.
    pub fn observe<O: Observer<Model> + ?Sized>(&self, observer: &mut O) -> Result<(Statistics, End), Unsupported> {
        let relation = self.supported()?;
        let independence = Independence::new(self.model, relation);
        let mut persistent = self.algorithm.open(&independence, self.enabling);
        self.strategy.run(self.model, &independence, &mut *persistent, observer)
    }
}
