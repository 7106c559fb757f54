//! Benchmarks, each against the peers that are installed, in one command.
//!
//! `cargo run --release -p mazurka-bench -- engine`
//! `cargo run --release -p mazurka-bench -- detect`
//! `cargo run --release -p mazurka-bench -- peers`
//! `cargo run --release -p mazurka-bench -- snapshot`
//! `cargo run --release -p mazurka-bench -- linear`
//! `cargo run --release -p mazurka-bench -- programs`
//! `cargo run --release -p mazurka-bench -- cost`
//! `cargo run --release -p mazurka-bench -- scale --states 100000000`
//!
//! Machines are noisy: compare the ratios, which come from one run, not the times.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod cost;
mod detect;
mod engine;
mod heap;
mod linear;
mod peers;
mod programs;
mod scale;
mod snapshot;
mod spin;

use clap::{Parser, Subcommand};

#[global_allocator]
static HEAP: heap::Measured = heap::Measured;

/// Benchmarks of mazurka.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Subcommand)]
enum Benchmark {
    /// What mazurka costs Rust programs: by memory model, by the length of an execution, and outside a check beside std.
    Cost {
        /// Small sizes, to see that it works.
        #[arg(long)]
        quick: bool,
    },
    /// Detection in recorded runs: search, linear algorithms, loading, counting, on-line.
    Detect {
        /// Small sizes, to see that it works.
        #[arg(long)]
        quick: bool,
    },
    /// Speed and memory of each reduction, on the dining philosophers.
    Engine {
        /// The number of philosophers.
        #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u8).range(2..=16))]
        philosophers: u8,
    },
    /// Linearizability of long histories, by their length and by how many operations overlap.
    Linear {
        /// Small sizes, to see that it works.
        #[arg(long)]
        quick: bool,
    },
    /// Verification of Promela models, side by side with SPIN.
    Peers(peers::Options),
    /// Time and memory per state as the number of states grows.
    Scale {
        /// The most states.
        #[arg(long, default_value_t = 10_000_000)]
        states: u64,
    },
    /// Snapshots: freeze sets against the naive tracker on rings, and their cost.
    Snapshot {
        /// Small sizes, to see that it works.
        #[arg(long)]
        quick: bool,
    },
    /// Real programs under test, side by side with loom, shuttle and TraceForge.
    Programs {
        /// The time limit of each tool for each program, in seconds.
        #[arg(long, default_value_t = 10)]
        seconds: u64,
    },
}

fn main() {
    match Arguments::parse().benchmark {
        Benchmark::Cost { quick } => cost::run(quick),
        Benchmark::Detect { quick } => detect::run(quick),
        Benchmark::Engine { philosophers } => engine::run(philosophers.into()),
        Benchmark::Linear { quick } => linear::run(quick),
        Benchmark::Peers(options) => peers::run(&options),
        Benchmark::Scale { states } => scale::run(states),
        Benchmark::Snapshot { quick } => snapshot::snapshot(quick),
        Benchmark::Programs { seconds } => programs::run(seconds),
    }
}
