//! Selective search: Possibly and Definitely on the engine (paper, sections 4-7).
//!
//! Four levels, as the paper measures them: no reduction, sleep sets, persistent
//! sets, both. Possibly looks for a state in which the predicate holds; Definitely
//! for the last state, reached without passing through one.
//!
//! Under sleep sets a search for Possibly reaches no state twice (the paper observes
//! that they eliminate all state matches): two events of different processes
//! always commute, so every cut with an event that an earlier branch took is
//! left out. Such a search stores its path only.

use super::Explored;
use super::histories::{EventsCommute, Histories, UnlessTrue, Width};
use super::ps_def::{PsDef, PsDefSimple};
use super::ps_poss::PsPoss;
use super::stubborn::ConditionalStubborn;
use crate::causality::{Causality, Cut, Event};
use crate::clocks::Clocks;
use crate::condition::Condition;
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{Dependency, Limits, Observer, Path, Reduction, StateId, Storage, Strategy, System};
use std::ops::ControlFlow;

/// In which order the members of a persistent set are explored. Sleep sets and the size of what is explored depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MemberOrder {
    /// The process with the highest number first.
    #[default]
    LastFirst,
    /// In the order in which the algorithm of the paper inserts them, for the processes of a conjunct as the predicate names them.
    Insertion,
}

/// Which algorithm computes persistent sets for Possibly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PossiblySets {
    /// PS_Poss of the paper.
    #[default]
    Specialised,
    /// Conditional stubborn sets, for comparison.
    ConditionalStubborn,
}

/// Which algorithm computes persistent sets for Definitely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DefinitelySets {
    /// The algorithm of the long version, for all conjunctions.
    #[default]
    Long,
    /// The algorithm of the conference version, for conjunctions of 1-local predicates.
    Conference,
}

/// Looks for a cut in which the condition holds.
pub(crate) fn possibly(
    order: &Causality,
    condition: &Condition<'_>,
    reduction: Reduction,
    sets: PossiblySets,
    limits: Limits<'_>,
) -> Explored<Option<Cut>> {
    let system = Histories::new(order);
    let mut observer = Finder {
        width: Width::of(order),
        condition,
        cut: Cut::new(),
        likely: 0,
        found: false,
    };
    let storage = match reduction.sleep() {
        true => Storage::Path,
        false => Storage::Exact,
    };
    let strategy = strategy(reduction, storage, limits);
    let explored = match (reduction.persistent(), sets) {
        (true, PossiblySets::Specialised) => {
            let mut sets = PsPoss::new(order, condition);
            run::<_, true>(&system, &EventsCommute, &mut sets, &mut observer, &strategy)
        }
        (true, PossiblySets::ConditionalStubborn) => {
            let mut sets = ConditionalStubborn::new(order, condition);
            run::<_, true>(&system, &EventsCommute, &mut sets, &mut observer, &strategy)
        }
        (false, _) => run::<_, true>(&system, &EventsCommute, &mut AllEnabled, &mut observer, &strategy),
    };
    let found = observer.found.then_some(observer.cut);
    explored.map(|()| found)
}

/// Looks for a history in which the condition never holds: the order of its events.
pub(crate) fn definitely(
    order: &Causality,
    condition: &Condition<'_>,
    reduction: Reduction,
    sets: DefinitelySets,
    limits: Limits<'_>,
) -> Explored<Option<Vec<Event>>> {
    let system = Histories::until(order, condition);
    let width = Width::of(order);
    let mut observer = Avoider {
        width,
        condition,
        last: width.encode(order.process_ids().map(|p| order.events(p))),
        history: None,
    };
    let dependency = UnlessTrue::new(order, condition);
    let strategy = strategy(reduction, Storage::Exact, limits);
    let explored = match (reduction.persistent(), sets) {
        (false, _) => run::<_, false>(&system, &dependency, &mut AllEnabled, &mut observer, &strategy),
        (true, DefinitelySets::Conference) => {
            let mut sets = PsDefSimple::new(order, condition);
            run::<_, false>(&system, &dependency, &mut sets, &mut observer, &strategy)
        }
        (true, DefinitelySets::Long) => {
            let clocks = Clocks::of(order).expect("the order of a computation is acyclic");
            let mut sets = PsDef::new(order, &clocks, condition);
            run::<_, false>(&system, &dependency, &mut sets, &mut observer, &strategy)
        }
    };
    explored.map(|()| observer.history)
}

/// A depth-first search with this reduction.
fn strategy(reduction: Reduction, storage: Storage, limits: Limits<'_>) -> Strategy<'_> {
    Strategy {
        sleep: reduction.sleep(),
        storage,
        limits,
        ..Strategy::default()
    }
}

/// Runs the search that the strategy names; of Definitely's, none stores the path alone.
fn run<S: System<Transition = Event>, const MAY_STORE_PATH: bool>(
    system: &S,
    dependency: &impl Dependency<Event>,
    sets: &mut dyn PersistentSets<Event>,
    observer: &mut impl Observer<S>,
    strategy: &Strategy<'_>,
) -> Explored<()> {
    let run = if !strategy.sleep {
        strategy.run_acyclic::<_, _, _, _, false>(system, dependency, sets, observer)
    } else if MAY_STORE_PATH {
        strategy.run_along_path(system, dependency, sets, observer)
    } else {
        strategy.run_acyclic::<_, _, _, _, true>(system, dependency, sets, observer)
    };
    let (statistics, end) = run.expect("sleep sets, no proviso, depth first");
    Explored {
        result: (),
        states: statistics.states,
        transitions: statistics.transitions,
        end,
    }
}

/// Stops where the condition holds.
struct Finder<'a> {
    width: Width,
    condition: &'a Condition<'a>,
    cut: Cut,
    /// The conjunct that was false last: it is likely to be false again.
    likely: usize,
    found: bool,
}

impl Observer<Histories<'_>> for Finder<'_> {
    #[inline]
    fn state(&mut self, _: StateId, state: &[u8], _: &[Event], _: &dyn Path<Event>) -> ControlFlow<()> {
        self.width.decode(state, &mut self.cut);
        match self.condition.holds_after(&mut self.likely, &self.cut) {
            false => ControlFlow::Continue(()),
            true => {
                self.found = true;
                ControlFlow::Break(())
            }
        }
    }
}

/// Stops at the last state, if the condition does not hold there.
struct Avoider<'a> {
    width: Width,
    condition: &'a Condition<'a>,
    last: Vec<u8>,
    history: Option<Vec<Event>>,
}

impl Observer<Histories<'_>> for Avoider<'_> {
    fn state(&mut self, _: StateId, state: &[u8], _: &[Event], path: &dyn Path<Event>) -> ControlFlow<()> {
        if state != self.last {
            return ControlFlow::Continue(());
        }
        let mut cut = Cut::new();
        self.width.decode(state, &mut cut);
        if self.condition.holds(&cut) {
            return ControlFlow::Continue(());
        }
        self.history = Some(path.transitions());
        ControlFlow::Break(())
    }
}
