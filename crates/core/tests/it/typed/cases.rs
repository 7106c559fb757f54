//! Single cases: refusals, reports, and readable runs.

use mazurka_core::persistent::AllEnabled;
use mazurka_core::typed::{Footprint, Mistake, Model, Parts, Search, SearchError, Typed};
use mazurka_core::{
    AllDependent, Doubt, End, Limit, Limits, Order, ProvisoKind, Storage, Strategy, System, Unsupported, Verdict,
};
use std::sync::atomic::{AtomicU8, Ordering};

/// Counters that each go from 0 to `top`, and start again if `round`.
struct Counters {
    top: u8,
    round: bool,
}

impl Model for Counters {
    type State = [u8; 3];
    type Action = usize;

    fn initial(&self) -> [u8; 3] {
        [0; 3]
    }

    fn actions(&self, state: &[u8; 3], actions: &mut Vec<usize>) {
        actions.extend((0..3).filter(|i| self.round || state[*i] < self.top));
    }

    fn apply(&self, state: &mut [u8; 3], i: usize) {
        state[i] = if state[i] == self.top { 0 } else { state[i] + 1 };
    }
}

impl Footprint for Counters {
    type Part = usize;

    fn alphabet(&self) -> Vec<usize> {
        vec![0, 1, 2]
    }

    fn touches(&self, i: usize, parts: &mut Parts<usize>) {
        parts.writes(i);
    }
}

#[test]
fn states_of_one_length_can_be_searched_by_the_path_alone() {
    let counters = Counters { top: 3, round: false };
    let system = Typed::new(&counters);
    assert_eq!(system.state_len(), Some(3));
    let path = Strategy {
        storage: Storage::Path,
        ..Strategy::default()
    };
    let (statistics, end) = path.run(&system, &AllDependent, &mut AllEnabled, &mut ()).unwrap();
    let exact = Search::new(&counters).run().unwrap().statistics;
    assert_eq!((end, exact.states), (End::Complete, 64));
    assert!(statistics.states > 64 && statistics.depth == exact.depth);
    let refused = Search::new(&counters).store(Storage::Path).run().unwrap_err();
    assert_eq!(refused, SearchError::Unsupported(Unsupported::PathForModel));
}

#[test]
fn what_the_theory_does_not_support_is_refused() {
    let counters = Counters { top: 3, round: true };
    let search = || Search::reduced(&counters);
    let refused = |search: Search<'_, _, _>| search.run().unwrap_err();
    let reason = refused(search().sleep(true).proviso(ProvisoKind::Component));
    assert_eq!(reason, SearchError::Unsupported(Unsupported::ComponentWithSleep));
    let cache = Search::new(&counters)
        .eventually("never", |_| false)
        .store(Storage::Cache(100));
    assert_eq!(
        cache.run().unwrap_err(),
        SearchError::Unsupported(Unsupported::CyclesWithoutStates)
    );
}

#[test]
fn an_answer_says_how_strong_it_is() {
    let counters = Counters { top: 3, round: true };
    let limits = Limits {
        states: Some(10),
        ..Limits::default()
    };
    let cut = Search::new(&counters)
        .always("small", |s| s[0] <= 3)
        .limits(limits)
        .run()
        .unwrap();
    let doubt = Verdict::Inconclusive(Doubt::Limit(Limit::States));
    assert_eq!((cut.verdict, cut.properties[0].verdict), (doubt, doubt));
    // Persistent sets without a proviso may ignore an action for ever.
    let ignoring = Search::reduced(&counters)
        .always("small", |s| s[2] < 3)
        .reading([2])
        .order(Order::BreadthFirst)
        .run()
        .unwrap();
    assert_eq!(ignoring.end, End::Complete);
    assert_eq!(ignoring.properties[0].verdict, Verdict::Inconclusive(Doubt::NoProviso));
    let first = Search::new(&counters)
        .always("never two", |s| s[0] < 2)
        .always("small", |s| s[0] <= 3)
        .eventually("never", |_| false)
        .first_only(true)
        .run()
        .unwrap();
    let verdicts: Vec<Verdict> = first.properties.iter().map(|f| f.verdict).collect();
    let stopped = Verdict::Inconclusive(Doubt::Unexplored);
    assert_eq!(verdicts, [Verdict::Violated, stopped, stopped]);
    assert_eq!((first.verdict, first.end), (Verdict::Violated, End::Stopped));
}

#[test]
fn a_property_keeps_the_actions_that_it_can_see() {
    let counters = Counters { top: 3, round: false };
    let ask = |search: Search<'_, Counters, _>| search.run().unwrap();
    let blind = ask(Search::reduced(&counters));
    let one = ask(Search::reduced(&counters).always("small", |s| s[1] <= 3).reading([1]));
    let all = ask(Search::reduced(&counters).always("small", |s| s[1] <= 3));
    let states = [&blind, &one, &all].map(|outcome| outcome.statistics.states);
    assert_eq!(states, [10, 10, 64]);
    assert_eq!(
        [&one, &all].map(|outcome| outcome.properties[0].verdict),
        [Verdict::Holds; 2]
    );
    let counters = Counters { top: 3, round: true };
    let ask = |search: Search<'_, Counters, _>| search.run().unwrap();
    let reached = ask(Search::reduced(&counters)
        .sometimes("three", |s| s[1] == 3)
        .reading([1]));
    assert_eq!(reached.verdict, Verdict::Holds);
    assert_eq!(reached.properties[0].run.as_ref().unwrap().last()[1], 3);
    let wrong = Search::reduced(&counters)
        .always("small", |s| s[1] <= 2)
        .reading([0])
        .audit();
    assert!(matches!(
        *wrong.unwrap_err(),
        Mistake::ChangesProperty { action: 1, .. }
    ));
}

#[test]
fn an_execution_that_goes_round_never_arrives() {
    let counters = Counters { top: 1, round: true };
    let outcome = Search::new(&counters)
        .eventually("the last moves", |s| s[2] == 1)
        .run()
        .unwrap();
    let run = outcome.properties[0].run.as_ref().unwrap();
    assert!(run.back_to.is_some() && !run.states().any(|s| s[2] == 1));
    let text = run.to_string();
    assert!(
        text.starts_with("[0, 0, 0]\n") && text.contains("and so on from "),
        "{text}"
    );
    let counters = Counters { top: 1, round: false };
    let outcome = Search::new(&counters)
        .eventually("the last moves", |s| s[2] == 1)
        .run()
        .unwrap();
    assert_eq!(outcome.properties[0].verdict, Verdict::Holds);
    let outcome = Search::new(&counters).eventually("two", |s| s[2] == 2).run().unwrap();
    let run = outcome.properties[0].run.as_ref().unwrap();
    assert_eq!((run.back_to, *run.last()), (None, [1; 3]));
    assert_eq!(run.actions().count(), 3);
}

/// A model whose actions change during the search.
struct Moody(AtomicU8);

impl Model for Moody {
    type State = u8;
    type Action = u8;

    fn initial(&self) -> u8 {
        0
    }

    fn actions(&self, state: &u8, actions: &mut Vec<u8>) {
        if *state < 9 {
            actions.push(self.0.fetch_add(1, Ordering::Relaxed));
        }
    }

    fn apply(&self, state: &mut u8, _: u8) {
        *state += 1;
    }
}

#[test]
fn a_model_that_is_no_function_is_noticed() {
    let error = Search::new(&Moody(AtomicU8::new(0))).run().unwrap_err();
    assert!(matches!(error, SearchError::NotRepeatable { step: 1, .. }), "{error}");
}

/// One lock, two processes that take it and give it back. The footprint has a mistake if `forgets`.
struct Locking {
    forgets: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Take(usize),
    Give(usize),
}

impl Model for Locking {
    type State = (Option<u8>, [bool; 2]);
    type Action = Step;

    fn initial(&self) -> Self::State {
        (None, [false; 2])
    }

    fn actions(&self, (lock, has): &Self::State, actions: &mut Vec<Step>) {
        for (i, has) in has.iter().enumerate() {
            match has {
                true => actions.push(Step::Give(i)),
                false if lock.is_none() => actions.push(Step::Take(i)),
                false => {}
            }
        }
    }

    fn apply(&self, (lock, has): &mut Self::State, step: Step) {
        match step {
            Step::Take(i) => (*lock, has[i]) = (Some(i as u8), true),
            Step::Give(i) => (*lock, has[i]) = (None, false),
        }
    }
}

impl Footprint for Locking {
    /// A process, or the lock, which is 2.
    type Part = usize;

    fn alphabet(&self) -> Vec<Step> {
        (0..2).flat_map(|i| [Step::Take(i), Step::Give(i)]).collect()
    }

    fn touches(&self, step: Step, parts: &mut Parts<usize>) {
        match step {
            Step::Take(i) => parts.writes(i),
            Step::Give(i) => parts.writes(i),
        }
        if !self.forgets {
            parts.writes(2);
        }
    }
}

#[test]
fn a_forgotten_part_is_found_and_explained() {
    let audit = Search::reduced(&Locking { forgets: false }).audit().unwrap();
    assert_eq!((audit.states, audit.complete), (3, true));
    let locking = Locking { forgets: true };
    let mistake = Search::reduced(&locking).audit().unwrap_err();
    assert_eq!(
        mistake.to_string(),
        "Take(0) disables Take(1), but their footprints make them independent, in the last state of\n\
         (None, [false, false])"
    );
    assert_eq!(mistake.run().steps.len(), 0);
}

#[test]
fn an_audit_of_a_part_of_the_states_says_so() {
    let limits = Limits {
        states: Some(5),
        ..Limits::default()
    };
    let counters = Counters { top: 3, round: true };
    let audit = Search::reduced(&counters).limits(limits).audit().unwrap();
    assert!(!audit.complete && audit.states == 5);
}
