//! Every order and every store explores the same, and breadth-first search finds shortest paths.

use crate::graphs::graph::{Explored, Graph, reachable};
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{
    AllDependent, Dependency, End, Fault, Limit, Limits, Observer, Order, Path, Progress, ProvisoKind, StateId,
    Statistics, Storage, Strategy, System, Unsupported,
};
use mazurka_seeds::seeds;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Every combination without reduction.
fn strategies() -> Vec<Strategy<'static>> {
    let mut all = Vec::new();
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        for storage in [
            Storage::Exact,
            Storage::Collapse,
            Storage::Cache(20),
            Storage::Bitstate {
                bytes: 1 << 14,
                seed: 1,
            },
        ] {
            for proviso in [ProvisoKind::None, ProvisoKind::Stack, ProvisoKind::Component] {
                let strategy = Strategy {
                    order,
                    storage,
                    proviso,
                    ..Strategy::default()
                };
                if strategy.supported().is_ok() {
                    all.push(strategy);
                }
            }
        }
    }
    all
}

#[test]
fn every_store_and_order_sees_every_edge_and_every_fault() {
    let strategies = strategies();
    assert_eq!(strategies.len(), 3 + 3 + 3 + 2 + 2);
    seeds(3_000, |seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let graph = Graph::random(&mut rng, true);
        let all = reachable(&graph);
        let states: BTreeSet<usize> = all.values().copied().chain([0]).collect();
        let failing = |s: &usize| {
            let edges = graph.states[*s].1.iter().enumerate();
            let s = *s;
            edges.filter(|(_, (to, _))| to.is_none()).map(move |(t, _)| (s, t))
        };
        let faults: BTreeSet<_> = states.iter().flat_map(failing).collect();
        for strategy in &strategies {
            let mut explored = Explored::default();
            let (statistics, end) = strategy
                .run(&graph, &AllDependent, &mut AllEnabled, &mut explored)
                .unwrap();
            let partial = matches!(strategy.storage, Storage::Bitstate { .. });
            assert_eq!(
                end,
                if partial {
                    End::Limit(Limit::Bitstate)
                } else {
                    End::Complete
                }
            );
            assert_eq!(explored.edges, all, "{strategy:?}");
            assert_eq!(explored.faults.len(), faults.len());
            assert_eq!(explored.faults.into_iter().collect::<BTreeSet<_>>(), faults);
            assert_eq!(statistics.stored as usize, states.len());
            assert_eq!(statistics.transitions as usize, all.len() + faults.len());
        }
    });
}

/// Stops at a state.
struct Target(usize, Option<Vec<usize>>);

impl Observer<Graph> for Target {
    fn state(&mut self, _: StateId, state: &[u8], _: &[usize], path: &dyn Path<usize>) -> ControlFlow<()> {
        if state[0] as usize == self.0 {
            self.1 = Some(path.transitions());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Per state, its distance, by relaxing every edge repeatedly.
fn distances(edges: &BTreeMap<(usize, usize), usize>) -> BTreeMap<usize, usize> {
    let mut distance = BTreeMap::from([(0, 0)]);
    for _ in 0..=edges.len() {
        for ((from, _), to) in edges {
            if let Some(&d) = distance.get(from) {
                let best = distance.entry(*to).or_insert(d + 1);
                *best = (*best).min(d + 1);
            }
        }
    }
    distance
}

#[test]
fn breadth_first_without_reduction_hands_out_shortest_paths() {
    seeds(3_000, |seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let graph = Graph::random(&mut rng, false);
        let distance = distances(&reachable(&graph));
        for storage in [Storage::Exact, Storage::Collapse] {
            let strategy = Strategy {
                order: Order::BreadthFirst,
                storage,
                ..Strategy::default()
            };
            for target in 0..graph.states.len() {
                let mut observer = Target(target, None);
                let (_, end) = strategy
                    .run(&graph, &AllDependent, &mut AllEnabled, &mut observer)
                    .unwrap();
                let Target(_, path) = observer;
                assert_eq!(path.as_ref().map(Vec::len), distance.get(&target).copied());
                let Some(path) = path else { continue };
                assert_eq!(end, End::Stopped);
                let reached = path
                    .iter()
                    .fold(0, |at, t| graph.states[at].1[*t].0.expect("no faults"));
                assert_eq!(reached, target);
            }
        }
    });
}

/// Two independent processes of two steps each. The first step of one fails, and the
/// second step of the other.
struct Failures;

impl System for Failures {
    type Transition = usize;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        state.extend([0, 0]);
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<usize>) {
        out.extend((0..2).filter(|p| state[*p] < 2));
    }

    fn fire(&self, (): &mut (), state: &[u8], t: usize, next: &mut Vec<u8>) -> Result<(), Fault> {
        next.clear();
        next.extend_from_slice(state);
        next[t] += 1;
        match (t, next[t]) {
            (0, 1) | (1, 2) => Err(Fault::new(format!("process {t}"))),
            _ => Ok(()),
        }
    }
}

impl Dependency<usize> for Failures {
    fn independent(&self, _: &[u8], t: usize, u: usize) -> bool {
        t != u
    }
}

/// One process at a time: each is a persistent set.
struct OneProcess;

impl PersistentSets<usize> for OneProcess {
    fn containing(&mut self, _: &[u8], enabled: &[usize], start: usize, _: usize, out: &mut BitSet) -> bool {
        out.reset(enabled.len());
        bitset::insert(out, start);
        true
    }
}

/// What failed.
struct Failed(BTreeSet<String>);

impl Observer<Failures> for Failed {
    fn fault(&mut self, fault: Fault, (): &(), _: &dyn Path<usize>) -> ControlFlow<()> {
        self.0.insert(fault.reason);
        ControlFlow::Continue(())
    }
}

#[test]
fn a_reduced_search_that_goes_on_after_a_fault_finds_the_others() {
    for strategy in strategies() {
        for sleep in [false, true] {
            let strategy = Strategy { sleep, ..strategy };
            if strategy.supported().is_err() {
                continue;
            }
            let mut failed = Failed(BTreeSet::new());
            strategy
                .run(&Failures, &Failures, &mut OneProcess, &mut failed)
                .unwrap();
            assert_eq!(failed.0.len(), 2, "{strategy:?}");
        }
    }
}

/// Counts to a large number, slowly.
struct Slow;

impl System for Slow {
    type Transition = ();
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        state.extend(0_u32.to_le_bytes());
    }

    fn enabled(&self, _: &[u8], out: &mut Vec<()>) {
        out.push(());
    }

    fn fire(&self, (): &mut (), state: &[u8], (): (), next: &mut Vec<u8>) -> Result<(), Fault> {
        std::thread::sleep(std::time::Duration::from_millis(1));
        let number = u32::from_le_bytes(state.try_into().expect("four bytes"));
        next.clear();
        next.extend((number + 1).to_le_bytes());
        Ok(())
    }
}

#[test]
fn searches_tell_how_far_they_are() {
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let (reports, depth) = (AtomicU64::new(0), AtomicU64::new(0));
        let report = |so_far: &Statistics| {
            reports.fetch_add(1, Ordering::Relaxed);
            depth.store(so_far.depth as u64, Ordering::Relaxed);
            assert!(so_far.states > 1 && so_far.transitions > 1 && so_far.bytes > 0 && !so_far.time.is_zero());
        };
        let strategy = Strategy {
            order,
            limits: Limits {
                depth: Some(500),
                progress: Some(Progress(&report)),
                ..Limits::default()
            },
            ..Strategy::default()
        };
        let (statistics, end) = strategy.run(&Slow, &AllDependent, &mut AllEnabled, &mut ()).unwrap();
        assert_eq!(end, End::Limit(Limit::Depth));
        assert!(reports.into_inner() >= 1);
        assert!((1..=statistics.depth as u64).contains(&depth.into_inner()));
    }
}

#[test]
fn what_needs_ids_is_refused_with_bitstate() {
    let bitstate = Strategy {
        storage: Storage::Bitstate {
            bytes: 1 << 10,
            seed: 1,
        },
        ..Strategy::default()
    };
    let refused = |strategy: Strategy<'_>| strategy.supported().unwrap_err();
    assert_eq!(
        refused(Strategy {
            sleep: true,
            ..bitstate
        }),
        Unsupported::BitstateWithMore
    );
    let component = Strategy {
        proviso: ProvisoKind::Component,
        ..bitstate
    };
    assert_eq!(refused(component), Unsupported::BitstateWithMore);
    let empty = Strategy {
        storage: Storage::Bitstate { bytes: 0, seed: 1 },
        ..bitstate
    };
    assert_eq!(refused(empty), Unsupported::EmptyBitstate);
}
