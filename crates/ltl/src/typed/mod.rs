//! Formulas on models with states and actions of the user's own types.
//!
//! The same product as for other models. Atoms are closures over states, or over the action just done. A typed model
//! has no processes, so fairness is stated for sets of actions, and a search with fairness is not reduced: a footprint
//! does not say what decides whether an action can happen, apart from everything else that it reads.
//!
//! With a [`Footprint`], what changes a part that an atom reads is visible, and so is each action that an atom is true
//! of. Sets of actions without visible ones are explored as in [`sets`](crate::sets).

mod executions;
mod sets;

use crate::outcome::{LtlError, Unreduced};
use crate::product::{Searched, violation};
use crate::search::verdict;
use executions::{ActionTest, Executions, StateTest};
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::typed::{Footprint, Footprints, Knowledge, Model, Nothing, Run, Typed};
use mazurka_core::{Algorithm, CycleSearch, Limits, Outcome, ReducedGraph, Storage, Unsupported};
use mazurka_logic::{BuchiError, Formula, StutterInvariance};
use sets::{Expected, Quiet};
use std::fmt;

/// Checks that every execution of a typed model satisfies a formula, to be configured and run.
///
/// ```
/// use mazurka_core::Verdict;
/// use mazurka_core::typed::Model;
/// use mazurka_ltl::{TypedLtlSearch, parse};
///
/// /// A token goes round three places; a clock ticks beside it.
/// struct Ring;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
/// enum Action { Pass, Tick }
///
/// impl Model for Ring {
///     type State = (u8, u8); // the place of the token, the time
///     type Action = Action;
///     fn initial(&self) -> (u8, u8) { (0, 0) }
///     fn actions(&self, _: &(u8, u8), actions: &mut Vec<Action>) {
///         actions.extend([Action::Pass, Action::Tick]);
///     }
///     fn apply(&self, (place, time): &mut (u8, u8), action: Action) {
///         match action {
///             Action::Pass => *place = (*place + 1) % 3,
///             Action::Tick => *time = (*time + 1) % 12,
///         }
///     }
/// }
///
/// let check = |text: &str| -> Result<_, Box<dyn std::error::Error>> {
///     let search = TypedLtlSearch::new(&Ring, parse(text)?);
///     Ok(search.state("home", |(place, _)| *place == 0).action("passed", |action| action == Action::Pass))
/// };
/// // It stays until it is passed.
/// assert_eq!(check("[] (home -> (home W passed))")?.run()?.verdict, Verdict::Holds);
/// // It need not come home again and again, unless passing is fair.
/// let outcome = check("[] <> home")?.run()?;
/// assert_eq!(outcome.verdict, Verdict::Violated);
/// assert!(outcome.run.as_ref().is_some_and(|run| run.back_to.is_some()));
/// assert_eq!(check("[] <> home")?.fair(|action| action == Action::Pass).run()?.verdict, Verdict::Holds);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TypedLtlSearch<'a, M: Model, K = Nothing> {
    model: &'a M,
    knowledge: K,
    formula: Formula<String>,
    atoms: Vec<Atom<'a, M>>,
    fair: Vec<Box<ActionTest<'a, M>>>,
    algorithm: Algorithm,
    storage: Storage,
    limits: Limits<'a>,
}

struct Atom<'a, M: Model> {
    name: String,
    test: Test<'a, M>,
}

enum Test<'a, M: Model> {
    State {
        holds: Box<StateTest<'a, M>>,
        /// The classes of actions that can change it; `None` if all can.
        visible: Option<BitSet>,
    },
    Action(Box<ActionTest<'a, M>>),
}

/// What a search of a typed model found: the field `found` of its [`Outcome`].
#[non_exhaustive]
pub struct TypedLtlFindings<M: Model> {
    /// An execution that violates the formula, if one was found. If it has an end, nothing can happen there, and the
    /// last state is repeated.
    pub run: Option<Run<M>>,
    /// Why all interleavings were explored; `None` if the model was reduced.
    pub unreduced: Option<Unreduced>,
}

impl<M: Model> fmt::Debug for TypedLtlFindings<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedLtlFindings")
            .field("run", &self.run)
            .field("unreduced", &self.unreduced)
            .finish()
    }
}

impl<M: Model, K> fmt::Debug for TypedLtlSearch<'_, M, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedLtlSearch")
            .field("formula", &self.formula)
            .field("algorithm", &self.algorithm)
            .field("storage", &self.storage)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> TypedLtlSearch<'a, M> {
    /// A search without reduction.
    pub fn new(model: &'a M, formula: Formula<String>) -> Self {
        Self::with(model, Nothing, formula)
    }
}

impl<'a, M: Footprint> TypedLtlSearch<'a, M, Footprints<'a, M>> {
    /// A search with persistent sets, if the formula allows it, there is no fairness, and each atom about states says
    /// what it [reads](Self::reading).
    pub fn reduced(model: &'a M, formula: Formula<String>) -> Self {
        Self::with(model, Footprints::new(model), formula)
    }

    /// States that the last atom, which is about states, reads these parts only.
    ///
    /// # Panics
    /// If the last atom is not about states.
    pub fn reading(mut self, parts: impl IntoIterator<Item = M::Part>) -> Self {
        match self.atoms.last_mut().map(|atom| &mut atom.test) {
            Some(Test::State { visible, .. }) => *visible = Some(self.knowledge.changing(parts)),
            _ => panic!("an atom about states is given first"),
        }
        self
    }
}

impl<'a, M: Model, K: Knowledge<M>> TypedLtlSearch<'a, M, K> {
    fn with(model: &'a M, knowledge: K, formula: Formula<String>) -> Self {
        Self {
            model,
            knowledge,
            formula,
            atoms: Vec::new(),
            fair: Vec::new(),
            algorithm: Algorithm::default(),
            storage: Storage::Exact,
            limits: Limits::default(),
        }
    }

    fn atom(mut self, name: String, test: Test<'a, M>) -> Self {
        self.atoms.retain(|atom| atom.name != name);
        self.atoms.push(Atom { name, test });
        self
    }

    /// A name in the formula stands for a condition on states.
    pub fn state(self, name: impl Into<String>, holds: impl Fn(&M::State) -> bool + Sync + 'a) -> Self {
        let (holds, visible) = (Box::new(holds), None);
        self.atom(name.into(), Test::State { holds, visible })
    }

    /// A name in the formula stands for a condition on the action just done. It does not hold at the beginning.
    pub fn action(self, name: impl Into<String>, holds: impl Fn(M::Action) -> bool + Sync + 'a) -> Self {
        self.atom(name.into(), Test::Action(Box::new(holds)))
    }

    /// Assumes weak fairness of a set of actions, besides those given before: executions in which from some time on one
    /// of them can always happen, but none does, do not count.
    pub fn fair(mut self, actions: impl Fn(M::Action) -> bool + Sync + 'a) -> Self {
        self.fair.push(Box::new(actions));
        self
    }

    /// Sets the algorithm for persistent sets. Without footprints, the setting has no effect.
    pub fn persistent(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Sets how states are stored.
    pub fn store(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// Sets bounds. A bound on time applies to all searches together.
    pub fn limits(mut self, limits: Limits<'a>) -> Self {
        self.limits = limits;
        self
    }

    /// Runs the search.
    ///
    /// # Errors
    /// If a name of the formula is not known, the formula has no automaton of reasonable size, the storage forgets
    /// states, there is fairness of more than 63 sets, or the model contradicts itself or its footprint.
    pub fn run(&self) -> Result<Outcome<TypedLtlFindings<M>>, LtlError> {
        let mut names = Vec::new();
        let formula = self.formula.clone().number_atoms(&mut names);
        if names.len() > 64 {
            return Err(BuchiError::TooManyAtoms.into());
        }
        let mut executions = Executions {
            system: Typed::new(self.model),
            states: Vec::new(),
            actions: Vec::new(),
            fair: &self.fair,
        };
        for (bit, name) in names.iter().enumerate() {
            match self.atoms.iter().find(|atom| atom.name == *name).map(|atom| &atom.test) {
                None => return Err(LtlError::UnknownName(name.clone())),
                Some(Test::State { holds, visible }) => executions.states.push((bit, holds, visible.as_ref())),
                Some(Test::Action(holds)) => executions.actions.push((bit, holds)),
            }
        }
        let search = CycleSearch {
            storage: self.storage,
            limits: self.limits.from_now(),
        };
        let unreduced = self.why_unreduced(&formula, &executions);
        let reduced = match unreduced {
            None => Some(self.reduced_graph(&search, &executions)?),
            Some(_) => None,
        };
        let Searched {
            lasso, statistics, end, ..
        } = violation(&search, &executions, &formula, reduced.as_ref())?;
        let run = lasso.map(|(prefix, cycle)| executions.confirmed(&formula, &prefix, &cycle));
        let run = run.transpose()?;
        Ok(Outcome {
            verdict: verdict(run.is_some(), end, false),
            end,
            statistics,
            found: TypedLtlFindings { run, unreduced },
        })
    }

    fn why_unreduced(&self, formula: &Formula, executions: &Executions<'_, 'a, M>) -> Option<Unreduced> {
        if !self.knowledge.reduces() || self.algorithm == Algorithm::AllEnabled {
            return Some(Unreduced::Asked);
        }
        if !self.fair.is_empty() {
            return Some(Unreduced::Fairness);
        }
        if executions.states.iter().any(|(_, _, visible)| visible.is_none()) {
            return Some(Unreduced::ReadsEverything);
        }
        let is_event = |bit: u32| executions.actions.iter().any(|(k, _)| *k == bit as usize);
        let invariance = formula.stutter_invariance_with(|atom| is_event(atom.0));
        (invariance != StutterInvariance::Invariant).then_some(Unreduced::CountsSteps)
    }

    /// The reduced graph of the model.
    fn reduced_graph(
        &self,
        search: &CycleSearch<'_>,
        executions: &Executions<'_, 'a, M>,
    ) -> Result<ReducedGraph, LtlError> {
        let mut visible = BitSet::default();
        for changing in executions.states.iter().filter_map(|(_, _, visible)| *visible) {
            match visible.is_empty() {
                true => visible.copy_from(changing),
                false => bitset::union(&mut visible, changing),
            }
        }
        let mut expected = Expected {
            knowledge: &self.knowledge,
            error: None,
        };
        let mut graph: Option<Result<ReducedGraph, Unsupported>> = None;
        self.knowledge.with_sets(self.algorithm, &visible, &mut |sets| {
            let mut quiet = Quiet { sets, executions };
            graph = Some(ReducedGraph::new(search, executions, &mut quiet, &mut expected));
        });
        let graph = graph.expect("the search was called")?;
        match expected.error {
            Some(error) => Err(error.into()),
            None => Ok(graph),
        }
    }
}
