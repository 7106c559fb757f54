//! Every store and every reduction against the naive search.

use super::naive::{Everything, everything};
use super::world::{Predicate, State, World};
use mazurka_core::typed::{Answer, Findings, Knowledge, PropertyKind, Run, Search};
use mazurka_core::{Algorithm, Doubt, End, Limit, Order, Outcome, ProvisoKind, Storage, Verdict};
use mazurka_seeds::{are_chosen, seeds};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// Models with more states are skipped.
const MOST: usize = 500;

/// A model, what is asked, and the naive answers.
pub(crate) struct Case {
    pub(crate) world: World,
    pub(crate) everything: Everything,
    pub(crate) predicates: [Predicate; 3],
    pub(crate) deadlocks: HashSet<State>,
    terminations: u64,
    pub(crate) answers: [bool; 3],
}

impl Case {
    pub(crate) fn random(rng: &mut fastrand::Rng) -> Option<Self> {
        let world = World::random(rng);
        let everything = everything(&world, MOST)?;
        let predicates = [(); 3].map(|()| Predicate::random(&world, rng));
        let [always, sometimes, eventually] = predicates;
        let (deadlocks, terminations) = everything.deadlocks(&world);
        let answers = [
            !everything.sometimes(|s| always.holds(s)),
            everything.sometimes(|s| sometimes.holds(s)),
            everything.eventually(&world, |s| eventually.holds(s)),
        ];
        Some(Self {
            world,
            everything,
            predicates,
            deadlocks,
            terminations,
            answers,
        })
    }

    /// The same question for any search.
    pub(crate) fn ask<'a, K: Knowledge<World>>(&self, search: Search<'a, World, K>) -> Search<'a, World, K> {
        let [always, sometimes, _] = self.predicates;
        search
            .always("never", move |s| !always.holds(s))
            .sometimes("once", move |s| sometimes.holds(s))
            .witnesses(3)
    }

    /// Checks that a run is one of the model and that its states satisfy `end` as they should.
    fn check_run(&self, run: &Run<World>, end: impl Fn(&State) -> bool) {
        let mut here = &run.first;
        for (action, next) in &run.steps {
            let step = self.everything.edges[here].iter().find(|(a, _)| a == action);
            assert_eq!(step.map(|(_, to)| to), Some(next));
            here = next;
        }
        assert!(end(run.last()));
    }

    fn check_finding(&self, finding: &Answer<World>, k: usize) -> Verdict {
        let [always, sometimes, eventually] = self.predicates;
        let expected = if self.answers[k] {
            Verdict::Holds
        } else {
            Verdict::Violated
        };
        if let Verdict::Inconclusive(_) = finding.verdict {
            assert!(finding.run.is_none());
            return finding.verdict;
        }
        assert_eq!(finding.verdict, expected, "{} of {:?}", finding.name, self.world);
        match finding.kind {
            PropertyKind::Always => assert_eq!(finding.run.is_some(), !self.answers[k]),
            PropertyKind::Sometimes => assert_eq!(finding.run.is_some(), self.answers[k]),
            PropertyKind::Eventually => assert_eq!(finding.run.is_some(), !self.answers[k]),
            other => panic!("{other:?}"),
        }
        let Some(run) = &finding.run else {
            return finding.verdict;
        };
        match finding.kind {
            PropertyKind::Always => self.check_run(run, |s| always.holds(s)),
            PropertyKind::Sometimes => self.check_run(run, |s| sometimes.holds(s)),
            PropertyKind::Eventually => {
                self.check_run(run, |_| true);
                assert!(!run.states().any(|s| eventually.holds(s)));
                match run.back_to {
                    Some(back) => assert_eq!(run.states().nth(back), Some(run.last())),
                    None => assert!(self.everything.edges[run.last()].is_empty()),
                }
            }
            other => panic!("{other:?}"),
        }
        finding.verdict
    }

    /// Checks that all answers are right and, if `conclusive`, that all questions are answered.
    fn check(&self, outcome: &Outcome<Findings<World>>, conclusive: bool) {
        let found: HashSet<State> = outcome.deadlocks.iter().map(|d| d.state.clone()).collect();
        if outcome.end == End::Complete {
            assert_eq!(found, self.deadlocks, "{:?}", self.world);
            assert!(outcome.terminations >= self.terminations);
        }
        assert!(found.is_subset(&self.deadlocks));
        for (k, deadlock) in outcome.deadlocks.iter().enumerate() {
            assert_eq!(deadlock.run.is_some(), k < 3);
            if let Some(run) = &deadlock.run {
                self.check_run(run, |s| *s == deadlock.state);
            }
        }
        for (k, finding) in outcome.properties.iter().enumerate() {
            let verdict = self.check_finding(finding, k);
            assert!(
                !conclusive || !matches!(verdict, Verdict::Inconclusive(_)),
                "{finding:?}"
            );
        }
        let bad = !found.is_empty() || outcome.properties.iter().any(|f| f.verdict == Verdict::Violated);
        assert_eq!(outcome.verdict == Verdict::Violated, bad);
        if outcome.verdict == Verdict::Holds {
            assert!(outcome.properties.iter().all(|f| f.verdict == Verdict::Holds));
        }
    }
}

fn storages(states: usize) -> [Storage; 4] {
    let bitstate = Storage::Bitstate {
        bytes: 1 << 16,
        seed: 1,
    };
    [
        Storage::Exact,
        Storage::Collapse,
        Storage::Cache(states / 2 + 20),
        bitstate,
    ]
}

#[test]
fn without_footprints_every_store_and_order_sees_everything() {
    seeds(500, |seed| {
        let Some(case) = Case::random(&mut fastrand::Rng::with_seed(seed)) else {
            return;
        };
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            for storage in storages(case.everything.edges.len()) {
                // Sleep sets change nothing where everything is dependent.
                for sleep in [false, true] {
                    let search = case
                        .ask(Search::new(&case.world))
                        .order(order)
                        .store(storage)
                        .sleep(sleep);
                    let Ok(outcome) = search.run() else {
                        assert!(order == Order::BreadthFirst || (sleep && matches!(storage, Storage::Bitstate { .. })));
                        continue;
                    };
                    case.check(&outcome, outcome.end == End::Complete);
                    if let Storage::Exact | Storage::Collapse = storage {
                        assert_eq!(outcome.end, End::Complete);
                        assert_eq!(outcome.statistics.states as usize, case.everything.edges.len());
                        assert_eq!(outcome.statistics.transitions as usize, case.everything.transitions());
                        assert_eq!(outcome.terminations, case.terminations);
                    }
                }
            }
        }
    });
}

#[test]
fn with_footprints_every_reduction_has_the_naive_answers() {
    let (all, few) = (AtomicU64::new(0), AtomicU64::new(0));
    seeds(200, |seed| {
        let Some(case) = Case::random(&mut fastrand::Rng::with_seed(seed)) else {
            return;
        };
        for algorithm in [
            Algorithm::AllEnabled,
            Algorithm::Conflicting,
            Algorithm::Overman,
            Algorithm::Stubborn,
        ] {
            for (sleep, proviso) in [
                (false, ProvisoKind::None),
                (true, ProvisoKind::None),
                (false, ProvisoKind::Stack),
                (true, ProvisoKind::Stack),
                (false, ProvisoKind::Component),
            ] {
                for order in [Order::DepthFirst, Order::BreadthFirst] {
                    for storage in storages(case.everything.edges.len()) {
                        let [always, sometimes, _] = case.predicates;
                        let search = Search::reduced(&case.world)
                            .always("never", move |s| !always.holds(s))
                            .reading(always.parts())
                            .sometimes("once", move |s| sometimes.holds(s))
                            .reading(sometimes.parts())
                            .witnesses(3)
                            .persistent(algorithm)
                            .sleep(sleep)
                            .proviso(proviso)
                            .order(order)
                            .store(storage);
                        let Ok(outcome) = search.run() else {
                            continue;
                        };
                        let preserves = algorithm == Algorithm::AllEnabled || proviso != ProvisoKind::None;
                        case.check(&outcome, preserves && outcome.end == End::Complete);
                        if storage == Storage::Exact {
                            assert_eq!(outcome.end, End::Complete);
                            assert!(outcome.statistics.states as usize <= case.everything.edges.len());
                            all.fetch_add(case.everything.edges.len() as u64, Ordering::Relaxed);
                            few.fetch_add(outcome.statistics.states, Ordering::Relaxed);
                        }
                        if let (Storage::Bitstate { .. }, Verdict::Inconclusive(doubt)) = (storage, outcome.verdict) {
                            assert_eq!(doubt, Doubt::Limit(Limit::Bitstate));
                        }
                    }
                }
            }
        }
    });
    let (all, few) = (all.into_inner(), few.into_inner());
    println!("{few} states instead of {all}");
    assert!(are_chosen() || few * 10 < all * 9, "{few} of {all}");
}

/// The search with default settings.
#[test]
fn the_default_is_conclusive_about_everything_that_is_asked() {
    let (all, few) = (AtomicU64::new(0), AtomicU64::new(0));
    seeds(2_000, |seed| {
        let Some(case) = Case::random(&mut fastrand::Rng::with_seed(seed)) else {
            return;
        };
        let [always, sometimes, eventually] = case.predicates;
        let search = Search::reduced(&case.world)
            .always("never", move |s| !always.holds(s))
            .reading(always.parts())
            .sometimes("once", move |s| sometimes.holds(s))
            .reading(sometimes.parts())
            .eventually("at last", move |s| eventually.holds(s))
            .reading(eventually.parts())
            .witnesses(3);
        let reduced = search.run().unwrap();
        case.check(&reduced, true);
        let deadlocks = Search::reduced(&case.world).witnesses(3).run().unwrap();
        case.check(&deadlocks, true);
        // Without parts, a property may read everything.
        let full = case
            .ask(Search::reduced(&case.world))
            .eventually("at last", move |s| eventually.holds(s))
            .run()
            .unwrap();
        case.check(&full, true);
        assert_eq!(full.statistics.states as usize, case.everything.edges.len());
        let cost = |outcome: &Outcome<Findings<World>>| outcome.properties[2].statistics.unwrap().states;
        if full.properties[2].verdict == Verdict::Holds {
            all.fetch_add(cost(&full), Ordering::Relaxed);
            few.fetch_add(cost(&reduced), Ordering::Relaxed);
        }
        let audit = search.audit().unwrap();
        assert!(audit.complete && audit.states == case.everything.edges.len());
    });
    let (all, few) = (all.into_inner(), few.into_inner());
    println!("{few} states instead of {all} for eventually");
    assert!(are_chosen() || few < all);
}
