//! The dining philosophers, as the thesis' Fig. 8.1 and 8.4 want them.

use mazurka_core::{Algorithm, Search, Storage};
use mazurka_experiments::{Fork, philosophers};

#[test]
fn the_full_state_space_has_3_to_the_n_minus_1_states() {
    for fork in [Fork::Lock, Fork::Variable] {
        for n in 2..=8 {
            let model = philosophers(n, fork);
            for sleep in [false, true] {
                let outcome = Search::full(&model).sleep(sleep).run().unwrap();
                assert_eq!(outcome.statistics.states, 3u64.pow(n as u32) - 1, "{n} {fork:?}");
                assert_eq!(outcome.deadlocks.len(), 1);
            }
        }
    }
}

#[test]
fn the_reduced_state_space_is_polynomial() {
    for fork in [Fork::Lock, Fork::Variable] {
        for n in 3..=14 {
            let model = philosophers(n, fork);
            let search = Search::deadlocks(&model);
            let with_sleep = search.run().unwrap();
            let without = search.clone().sleep(false).run().unwrap();
            let n = n as u64;
            assert!(without.statistics.states <= 3 * n * n - 3 * n + 2, "{n} {fork:?}");
            assert!(with_sleep.statistics.states <= 3 * n * n + 8 - 6 * n, "{n} {fork:?}");
            assert_eq!((without.deadlocks.len(), with_sleep.deadlocks.len()), (1, 1));
        }
    }
}

/// Beyond the thesis: the terminal-component proviso adds nothing here, so the
/// state space for safety is polynomial as well.
#[test]
fn safety_is_polynomial_with_the_component_proviso() {
    for n in 3..=10 {
        let model = philosophers(n, Fork::Lock);
        let outcome = Search::new(&model).run().unwrap();
        let n = n as u64;
        assert!(outcome.statistics.states <= 3 * n * n - 3 * n + 2, "{n}");
        assert_eq!(outcome.coverage, Some(Default::default()), "everything is reached");
    }
}

#[test]
fn a_cache_of_twice_the_depth_is_enough() {
    for n in 4..=14 {
        let model = philosophers(n, Fork::Lock);
        let search = Search::deadlocks(&model);
        let uncached = search.run().unwrap();
        let cache = 2 * uncached.statistics.depth;
        let cached = search.store(Storage::Cache(cache)).run().unwrap();
        assert!(cached.is_complete());
        assert!(cached.statistics.stored <= cache as u64);
        assert_eq!(cached.deadlocks[0].state, uncached.deadlocks[0].state);
        let (few, all) = (uncached.statistics.transitions, cached.statistics.transitions);
        println!("{n}: cache {cache}, {few} transitions, {all} with the cache");
        assert!(
            all as f64 <= 1.2 * few as f64,
            "{n}: {few} transitions, {all} with a cache of {cache}"
        );
    }
}

#[test]
fn the_inclusions_of_chapter_4_show_in_the_counts() {
    let model = philosophers(6, Fork::Lock);
    let states = |algorithm| {
        let search = Search::deadlocks(&model).sleep(false).persistent(algorithm);
        search.run().unwrap().statistics.states
    };
    let counts = [
        Algorithm::AllEnabled,
        Algorithm::Conflicting,
        Algorithm::Overman,
        Algorithm::Stubborn,
        Algorithm::Conditional,
    ]
    .map(states);
    assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
}
