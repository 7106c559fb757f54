//! The engine on the dining philosophers: the costs and savings of each reduction.

use crate::{heap, spin};
use mazurka_core::{Algorithm, Limits, ProvisoKind, Search, Statistics, Storage};
use mazurka_experiments::{Fork, philosophers};
use std::time::{Duration, Instant};

/// One line of the table.
struct Line {
    name: String,
    statistics: Statistics,
    /// The fastest run.
    time: Duration,
    /// The most heap in use during a run.
    peak: usize,
}

impl Line {
    fn nanoseconds(&self) -> f64 {
        self.time.as_nanos() as f64 / self.statistics.transitions as f64
    }

    fn print(&self, full: &Line) {
        let s = &self.statistics;
        println!(
            "{:<28} {:>10} {:>11} {:>10.0} {:>12.2} {:>9.0} {:>8.2} {:>9} {:>9}",
            self.name,
            s.states,
            s.transitions,
            s.states as f64 / self.time.as_secs_f64() / 1e3,
            s.transitions as f64 / self.time.as_secs_f64() / 1e6,
            self.nanoseconds(),
            self.nanoseconds() / full.nanoseconds(),
            s.bytes as u64 / s.states,
            self.peak as u64 / s.states,
        );
    }
}

/// Runs a search repeatedly for a while, so that short ones are measured warm.
fn measure(name: impl Into<String>, search: &Search<'_>) -> Line {
    let run = || search.observe(&mut ()).expect("a supported combination").0;
    let (statistics, peak) = heap::peak(run);
    let mut time = statistics.time;
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(1500) {
        time = time.min(run().time);
    }
    Line {
        name: name.into(),
        statistics,
        time,
        peak,
    }
}

/// Prints the table for `n` philosophers, then the peer.
pub fn run(n: usize) {
    let model = philosophers(n, Fork::Lock);
    println!("{n} dining philosophers, forks as locks; times are the fastest of several runs");
    println!();
    println!(
        "{:<28} {:>10} {:>11} {:>10} {:>12} {:>9} {:>8} {:>9} {:>9}",
        "search", "states", "transitions", "kstates/s", "Mtrans./s", "ns/trans.", "ratio", "B/state", "peak"
    );
    let search = Search::deadlocks(&model);
    let thesis = search.clone().proviso(ProvisoKind::Stack);
    let full = measure("full", &Search::full(&model));
    full.print(&full);
    for (name, search) in [
        ("sleep", Search::full(&model).sleep(true)),
        (
            "Algorithm 1",
            search.clone().persistent(Algorithm::Conflicting).sleep(false),
        ),
        (
            "Algorithm 2",
            search.clone().persistent(Algorithm::Overman).sleep(false),
        ),
        (
            "Algorithm 3",
            search.clone().persistent(Algorithm::Stubborn).sleep(false),
        ),
        ("Algorithm 4", search.clone().sleep(false)),
        (
            "Algorithm 4, weak",
            search.clone().persistent(Algorithm::Weak).sleep(false),
        ),
        ("Algorithm 4 + sleep", search.clone()),
        ("Algorithm 4 + component", Search::new(&model)),
        ("Algorithm 4 + sleep + stack", thesis),
    ] {
        measure(name, &search).print(&full);
    }
    caching(&search);
    println!();
    println!("ratio: time per explored transition, full search = 1");
    println!("B/state: bytes that the search holds at its end (states, table, sleep sets, stack)");
    println!("peak: the most heap in use at any time, per state");
    println!();
    peer(n, &full);
}

/// The same search with ever smaller caches.
fn caching(search: &Search<'_>) {
    let uncached = search.observe(&mut ()).expect("supported").0;
    for factor in [8, 4, 2] {
        let size = factor * (uncached.depth + 1);
        if size as u64 >= uncached.states {
            continue;
        }
        let cached = search.clone().store(Storage::Cache(size)).limits(Limits {
            time: Some(Duration::from_secs(60)),
            ..Limits::default()
        });
        let line = measure(format!("… with a cache of {size}"), &cached);
        let s = line.statistics;
        println!(
            "{:<28} {:>10} {:>11}   {:.3} times the transitions, {} states stored at most",
            line.name,
            s.states,
            s.transitions,
            s.transitions as f64 / uncached.transitions as f64,
            s.stored
        );
    }
}

/// SPIN on the same model, if it is installed.
fn peer(n: usize, full: &Line) {
    match spin::full_search(&spin::philosophers(n)) {
        Err(reason) => println!("SPIN: skipped, {reason}"),
        Ok(pan) => {
            let ours = full.statistics.states as f64 / full.time.as_secs_f64();
            println!(
                "SPIN, full search: {} states, {} transitions, {:.0} kstates/s, {} bytes per state",
                pan.states,
                pan.transitions,
                pan.states as f64 / pan.seconds / 1e3,
                pan.bytes_per_state
            );
            println!(
                "full search, mazurka against SPIN: {:.2} times the states per second, {:.2} of the memory per state",
                ours / (pan.states as f64 / pan.seconds),
                full.statistics.bytes as f64 / full.statistics.states as f64 / pan.bytes_per_state
            );
        }
    }
}
