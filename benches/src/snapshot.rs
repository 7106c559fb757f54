//! Snapshots on rings of processes that meet: freeze sets against the naive tracker, and their cost.
//!
//! Each process meets its neighbours and counts modulo three how often. The formula says that a snapshot of all
//! processes but one is passed before one of all: it holds, so that the whole product is explored.

use mazurka_core::Limits;
use mazurka_promela::verify::{Options, Property, PropertyResult, Reduction, SnapshotMethod, Verdict, check};
use mazurka_promela::{Model, load, parse_ltl};
use std::time::Duration;

/// A ring of `n` processes with a rendezvous channel from each to the next.
fn ring(n: usize) -> Model {
    let text = format!(
        "chan c[{n}] = [0] of {{ bit }};
        active [{n}] proctype P() {{
            byte x;
            do
            :: c[_pid]!1 -> x = (x + 1) % 3
            :: c[(_pid + {n} - 1) % {n}]?_
            od
        }}"
    );
    let loaded = load("ring.pml", text, &mazurka_promela::Options::default());
    loaded.expect("it is a model").model
}

fn conjunction(processes: std::ops::Range<usize>) -> String {
    let conjuncts: Vec<String> = processes.map(|k| format!("P[{k}]:x == 1")).collect();
    conjuncts.join(" && ")
}

fn run(n: usize, formula: &str, snapshots: SnapshotMethod, limits: Limits<'_>) -> PropertyResult {
    let mut model = ring(n);
    let ltl = parse_ltl(&mut model, "ring", formula).expect("it is a formula");
    let options = Options {
        reduction: Reduction::None,
        snapshots,
        limits,
        ..Options::default()
    };
    check(&model, &Property::Ltl(ltl), &options).expect("it can be checked")
}

pub fn snapshot(quick: bool) {
    let patience = Duration::from_secs(if quick { 5 } else { 60 });
    let limits = Limits {
        time: Some(patience),
        ..Limits::default()
    };
    println!(
        "product states on rings, all interleavings, at most {} s each",
        patience.as_secs()
    );
    println!("{:>4} {:>22} {:>22}", "N", "freeze sets (basis)", "tracker");
    let (mut basis_ends, mut tracker_ends) = (true, true);
    for n in 2..=if quick { 4 } else { 8 } {
        let formula = format!(
            "(!snapshot({})) W snapshot({})",
            conjunction(0..n),
            conjunction(0..n - 1)
        );
        let cell = |method, ends: &mut bool| {
            if !*ends {
                return "-".to_string();
            }
            let found = run(n, &formula, method, limits);
            *ends = found.verdict == Verdict::Holds;
            let more = if *ends { "" } else { "> " };
            format!(
                "{more}{} in {:.2} s",
                found.statistics.states,
                found.statistics.time.as_secs_f64()
            )
        };
        let basis = cell(SnapshotMethod::Basis, &mut basis_ends);
        let tracker = cell(SnapshotMethod::Tracker, &mut tracker_ends);
        println!("{n:>4} {basis:>22} {tracker:>22}");
    }
    let states = if quick { 10_000 } else { 200_000 };
    let limits = Limits {
        states: Some(states),
        ..Limits::default()
    };
    let time = |formula: &str| {
        let runs = (0..3).map(|_| {
            let statistics = run(16, formula, SnapshotMethod::Basis, limits).statistics;
            statistics.time.as_nanos() as f64 / statistics.transitions as f64
        });
        runs.fold(f64::INFINITY, f64::min)
    };
    let without = time("[] (P[0]:x < 3)");
    let with = time(&format!("[] (P[0]:x < 3 || snapshot({}))", conjunction(0..16)));
    println!("\nring of 16, the first {states} states: {without:.0} ns per transition without a snapshot,");
    println!(
        "{with:.0} ns with one of all 16 processes: {:.2} times as much",
        with / without
    );
}
