//! Searching a typed model.

use super::answers::Answers;
use super::audit::{Audit, Mistake, audit};
use super::eventually::never;
use super::footprint::Footprint;
use super::property::{Property, visible};
use super::{Answer, Findings, Footprints, Knowledge, Model, Nothing, PropertyKind, SearchError, Typed};
use crate::bitset::BitSet;
use crate::persistent::Algorithm;
use crate::search::{
    CycleSearch, Doubt, End, Limits, Observer, Order, Outcome, ProvisoKind, Statistics, Strategy, Unsupported, Verdict,
};
use crate::store::Storage;
use crate::system::Dependency;
use std::fmt;

/// A search of a typed model, to be configured and run.
///
/// [`Search::new`] explores everything. [`Search::reduced`] leaves out what the model's [`Footprint`] shows to be
/// redundant. Both look for deadlocks. Every setting can be changed.
///
/// ```
/// # use mazurka_core::typed::{Footprint, Model, Parts, Search};
/// # use mazurka_core::{Order, Storage, Verdict};
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
/// let outcome = Search::new(&Ring)
///     .always("there are three places", |(place, _)| *place < 3)
///     .sometimes("it comes to the last", |(place, _)| *place == 2)
///     .eventually("it comes to the last", |(place, _)| *place == 2)
///     .order(Order::BreadthFirst)
///     .store(Storage::Collapse)
///     .run()?;
/// let verdicts: Vec<Verdict> = outcome.properties.iter().map(|p| p.verdict).collect();
/// // Nobody says that the token has to be passed: time may go by for ever.
/// assert_eq!(verdicts, [Verdict::Holds, Verdict::Holds, Verdict::Violated]);
/// assert_eq!(outcome.properties[1].run.as_ref().map(|run| run.steps.len()), Some(2));
/// assert!(outcome.properties[2].run.as_ref().is_some_and(|run| run.back_to.is_some()));
/// assert_eq!(outcome.statistics.states, 36);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Search<'a, M: Model, K = Nothing> {
    system: Typed<'a, M>,
    knowledge: K,
    properties: Vec<Property<'a, M>>,
    algorithm: Algorithm,
    sleep: Option<bool>,
    proviso: Option<ProvisoKind>,
    order: Order,
    storage: Storage,
    limits: Limits<'a>,
    witnesses: usize,
    first_only: bool,
}

impl<M: Model, K> fmt::Debug for Search<'_, M, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search")
            .field("algorithm", &self.algorithm)
            .field("sleep", &self.sleep)
            .field("proviso", &self.proviso)
            .field("order", &self.order)
            .field("storage", &self.storage)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Search<'a, M> {
    /// A search without reduction.
    pub fn new(model: &'a M) -> Self {
        Self::with(model, Nothing)
    }
}

impl<'a, M: Footprint> Search<'a, M, Footprints<'a, M>> {
    /// A search with persistent sets and, if no property is stated, sleep sets.
    ///
    /// The answers are right if the footprints are true: see [`Search::audit`].
    pub fn reduced(model: &'a M) -> Self {
        Self::with(model, Footprints::new(model))
    }

    /// States that the last property reads these parts only. A property without this statement may read everything; then
    /// all enabled actions are explored.
    ///
    /// # Panics
    /// If no property was stated.
    pub fn reading(mut self, parts: impl IntoIterator<Item = M::Part>) -> Self {
        let property = self.properties.last_mut().expect("a property is stated first");
        property.visible = Some(self.knowledge.changing(parts));
        self
    }

    /// Checks on every reachable state that the footprints are true: actions that they make independent commute and neither
    /// enable nor disable each other (thesis, Def. 3.1), obstacles are real (Def. 4.14), the alphabet is complete, and
    /// properties read no other parts than stated.
    ///
    /// The audit explores everything, and takes longer than a search without reduction. Use it on a small instance of the
    /// model, in a test. Only the limit on states applies.
    ///
    /// ```
    /// # use mazurka_core::typed::{Footprint, Mistake, Model, Parts, Search};
    /// /// A number that is doubled and incremented, once each.
    /// struct Number;
    ///
    /// impl Model for Number {
    ///     type State = (u8, bool, bool);
    ///     type Action = &'static str;
    ///     fn initial(&self) -> Self::State { (1, false, false) }
    ///     fn actions(&self, (_, doubled, incremented): &Self::State, actions: &mut Vec<&'static str>) {
    ///         actions.extend((!doubled).then_some("double"));
    ///         actions.extend((!incremented).then_some("increment"));
    ///     }
    ///     fn apply(&self, (number, doubled, incremented): &mut Self::State, action: &'static str) {
    ///         match action {
    ///             "double" => (*number, *doubled) = (*number * 2, true),
    ///             _ => (*number, *incremented) = (*number + 1, true),
    ///         }
    ///     }
    /// }
    ///
    /// impl Footprint for Number {
    ///     type Part = &'static str;
    ///     fn alphabet(&self) -> Vec<&'static str> { vec!["double", "increment"] }
    ///     fn touches(&self, action: &'static str, parts: &mut Parts<&'static str>) {
    ///         parts.writes(action); // whether it was done
    ///         parts.adds("number"); // wrong: doubling is no addition
    ///     }
    /// }
    ///
    /// let mistake = Search::reduced(&Number).audit().unwrap_err();
    /// assert!(matches!(*mistake, Mistake::DoNotCommute { .. }));
    /// ```
    ///
    /// # Errors
    /// The first mistake that was found.
    pub fn audit(&self) -> Result<Audit, Box<Mistake<M>>> {
        audit(self.system, &self.knowledge, &self.properties, self.limits.states)
    }
}

impl<'a, M: Model, K: Knowledge<M>> Search<'a, M, K> {
    fn with(model: &'a M, knowledge: K) -> Self {
        Self {
            system: Typed::new(model),
            knowledge,
            properties: Vec::new(),
            algorithm: Algorithm::default(),
            sleep: None,
            proviso: None,
            order: Order::DepthFirst,
            storage: Storage::Exact,
            limits: Limits::default(),
            witnesses: 64,
            first_only: false,
        }
    }

    fn property(mut self, name: String, kind: PropertyKind, holds: impl Fn(&M::State) -> bool + Sync + 'a) -> Self {
        self.properties.push(Property {
            name,
            kind,
            holds: Box::new(holds),
            visible: None,
        });
        self
    }

    /// Requires that the condition is true in every reachable state.
    pub fn always(self, name: impl Into<String>, holds: impl Fn(&M::State) -> bool + Sync + 'a) -> Self {
        self.property(name.into(), PropertyKind::Always, holds)
    }

    /// Requires that the condition is true in some reachable state.
    pub fn sometimes(self, name: impl Into<String>, holds: impl Fn(&M::State) -> bool + Sync + 'a) -> Self {
        self.property(name.into(), PropertyKind::Sometimes, holds)
    }

    /// Requires that every execution passes a state where the condition is true. No fairness is assumed: executions in which
    /// some action waits for ever although it could always happen count too.
    pub fn eventually(self, name: impl Into<String>, holds: impl Fn(&M::State) -> bool + Sync + 'a) -> Self {
        self.property(name.into(), PropertyKind::Eventually, holds)
    }

    /// Sets the algorithm for persistent sets. Algorithms 3 and 4 and weak sets are the same here. Without footprints, the
    /// setting has no effect.
    pub fn persistent(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Sets whether sleep sets are used.
    pub fn sleep(mut self, sleep: bool) -> Self {
        self.sleep = Some(sleep);
        self
    }

    /// Sets the proviso.
    pub fn proviso(mut self, proviso: ProvisoKind) -> Self {
        self.proviso = Some(proviso);
        self
    }

    /// Sets the order of exploration.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Sets which states are remembered. The search for `eventually` needs every state.
    pub fn store(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// Sets bounds. A bound on time applies to all searches together.
    pub fn limits(mut self, limits: Limits<'a>) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how many deadlocks get a run (64 by default); the others have only a state.
    pub fn witnesses(mut self, witnesses: usize) -> Self {
        self.witnesses = witnesses;
        self
    }

    /// Sets whether to stop at the first deadlock or violation.
    pub fn first_only(mut self, first_only: bool) -> Self {
        self.first_only = first_only;
        self
    }

    /// The classes that the properties can see; `None` if there is nothing to reduce.
    fn visible(&self, of: impl Fn(PropertyKind) -> bool) -> Option<BitSet> {
        if !self.knowledge.reduces() || self.algorithm == Algorithm::AllEnabled {
            return None;
        }
        visible(self.properties.iter().filter(|p| of(p.kind)))
    }

    /// The strategy for deadlocks and the properties that one state settles. Settings that were not made are the best
    /// that fit the others.
    fn strategy(&self, reduces: bool, limits: Limits<'a>) -> Strategy<'a> {
        let safety = self.properties.iter().any(|p| p.kind != PropertyKind::Eventually);
        let identified = self.storage.identifies_states();
        let needs_proviso = reduces && safety && self.order == Order::DepthFirst;
        let proviso = self.proviso.unwrap_or(match self.sleep {
            _ if !needs_proviso => ProvisoKind::None,
            Some(true) => ProvisoKind::Stack,
            _ if !identified => ProvisoKind::Stack,
            _ => ProvisoKind::Component,
        });
        let sleep = self
            .sleep
            .unwrap_or(reduces && !safety && identified && proviso == ProvisoKind::None);
        Strategy {
            sleep,
            proviso,
            order: self.order,
            storage: self.storage,
            limits,
        }
    }

    /// Runs the search.
    ///
    /// # Errors
    /// If the settings do not fit together, or the model breaks its contract: see [`SearchError`].
    pub fn run(&self) -> Result<Outcome<Findings<M>>, SearchError> {
        if self.storage.is_for_trees() {
            return Err(Unsupported::PathForModel.into());
        }
        let limits = self.limits.from_now();
        let seen = self.visible(|kind| kind != PropertyKind::Eventually);
        let strategy = self.strategy(seen.is_some(), limits);
        let mut answers = Answers {
            system: self.system,
            knowledge: &self.knowledge,
            properties: &self.properties,
            witnesses: self.witnesses,
            first_only: self.first_only,
            deadlocks: Vec::new(),
            terminations: 0,
            settled: self.properties.iter().map(|_| None).collect(),
            error: None,
        };
        let (statistics, end) = self.search(&strategy, seen.as_ref(), &mut answers)?;
        if let Some(error) = answers.error {
            return Err(error);
        }
        let doubt = match Verdict::of_no_findings(end) {
            Verdict::Inconclusive(doubt) => Some(doubt),
            _ => (seen.is_some() && strategy.proviso == ProvisoKind::None).then_some(Doubt::NoProviso),
        };
        let mut properties = Vec::new();
        for k in 0..self.properties.len() {
            properties.push(match self.properties[k].kind {
                PropertyKind::Eventually if end != End::Stopped => self.eventually_holds(k, limits)?,
                _ => answers.answer(k, doubt),
            });
        }
        let deadlocks = match end.limit() {
            _ if !answers.deadlocks.is_empty() => Verdict::Violated,
            Some(limit) => Verdict::Inconclusive(limit.into()),
            None => Verdict::Holds,
        };
        Ok(Outcome {
            verdict: properties
                .iter()
                .map(|answer| answer.verdict)
                .fold(deadlocks, Verdict::max),
            end,
            statistics,
            found: Findings {
                deadlocks: answers.deadlocks,
                terminations: answers.terminations,
                properties,
            },
        })
    }

    fn search(
        &self,
        strategy: &Strategy<'_>,
        visible: Option<&BitSet>,
        answers: &mut Answers<'_, 'a, M, K>,
    ) -> Result<(Statistics, End), Unsupported> {
        // Searches are compiled once for a model, whatever is known about it.
        let observer: &mut dyn Observer<Typed<'a, M>> = answers;
        let mut result = None;
        let (algorithm, visible) = self.sets(visible);
        self.knowledge.with_sets(algorithm, &visible, &mut |sets| {
            result = Some(strategy.run(&self.system, &Relation(&self.knowledge), sets, observer));
        });
        result.expect("the search was called")
    }

    /// The algorithm and the visible classes for persistent sets; if there is nothing to reduce, all enabled actions.
    fn sets(&self, visible: Option<&BitSet>) -> (Algorithm, BitSet) {
        match visible {
            Some(visible) => (self.algorithm, visible.clone()),
            None => (Algorithm::AllEnabled, BitSet::default()),
        }
    }

    /// The answer to the property with this number, which is an `eventually`.
    fn eventually_holds(&self, k: usize, limits: Limits<'a>) -> Result<Answer<M>, SearchError> {
        let property = &self.properties[k];
        let cycles = CycleSearch {
            storage: self.storage,
            limits,
        };
        let reduces = self.knowledge.reduces() && self.algorithm != Algorithm::AllEnabled;
        let (algorithm, visible) = self.sets(property.visible.as_ref().filter(|_| reduces));
        let expects = |action| self.knowledge.expects(action);
        let mut result = None;
        self.knowledge.with_sets(algorithm, &visible, &mut |sets| {
            result = Some(never(&cycles, self.system, &expects, &property.holds, sets));
        });
        let (run, statistics, end) = result.expect("the search was called")?;
        let verdict = match (&run, end) {
            (Some(_), _) => Verdict::Violated,
            (None, End::Limit(limit)) => Verdict::Inconclusive(limit.into()),
            (None, _) => Verdict::Holds,
        };
        Ok(Answer {
            name: property.name.clone(),
            kind: property.kind,
            verdict,
            run,
            statistics: Some(statistics),
        })
    }
}

/// Any dependency relation.
struct Relation<'a, T>(&'a dyn Dependency<T>);

impl<T> Dependency<T> for Relation<'_, T> {
    fn independent(&self, state: &[u8], t: T, u: T) -> bool {
        self.0.independent(state, t, u)
    }
}
