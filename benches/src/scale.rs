//! Time and memory per state, from a million states to as many as are asked for.
//!
//! The system is made for it: six counters in a state of 60 bytes, which only go up. Firing costs next to nothing, so what
//! is measured is the store, and the ratio is the worst there is.

use crate::heap;
use mazurka_core::persistent::AllEnabled;
use mazurka_core::{AllDependent, Fault, Limits, Strategy, System};

/// Counters that go up to a bound, ten bytes apart.
struct Counters {
    most: u8,
}

const COUNTERS: usize = 6;
const APART: usize = 10;

impl System for Counters {
    type Transition = u8;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        state.resize(COUNTERS * APART, 7);
        state.iter_mut().step_by(APART).for_each(|counter| *counter = 0);
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<u8>) {
        let counters = state.iter().step_by(APART);
        out.extend(
            (0..)
                .zip(counters)
                .filter(|(_, counter)| **counter < self.most)
                .map(|(k, _)| k),
        );
    }

    fn fire(&self, (): &mut (), state: &[u8], k: u8, next: &mut Vec<u8>) -> Result<(), Fault> {
        next.clear();
        next.extend_from_slice(state);
        next[usize::from(k) * APART] += 1;
        Ok(())
    }
}

/// Prints a line for a million states, ten times as many, and so on.
pub fn run(states: u64) {
    println!(
        "{:>12} {:>12} {:>9} {:>9} {:>9}",
        "states", "transitions", "ns/state", "B/state", "peak"
    );
    let mut sizes: Vec<u64> = (6..)
        .map(|power| 10_u64.pow(power))
        .take_while(|size| *size < states)
        .collect();
    sizes.push(states);
    for states in sizes {
        let most = (1..=u8::MAX)
            .find(|most| u64::from(*most).pow(6) >= states)
            .unwrap_or(u8::MAX);
        let strategy = Strategy {
            limits: Limits {
                states: Some(states),
                ..Limits::default()
            },
            ..Strategy::default()
        };
        let search = || strategy.run(&Counters { most }, &AllDependent, &mut AllEnabled, &mut ());
        let (result, peak) = heap::peak(search);
        let (statistics, _) = result.expect("a supported combination");
        println!(
            "{:>12} {:>12} {:>9.0} {:>9.1} {:>9.1}",
            statistics.states,
            statistics.transitions,
            statistics.time.as_nanos() as f64 / statistics.states as f64,
            statistics.bytes as f64 / statistics.states as f64,
            peak as f64 / statistics.states as f64,
        );
    }
}
