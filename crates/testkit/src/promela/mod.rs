//! Random Promela models, as text, the same for the same seed.
//!
//! They cover the language as SPIN 6.5 accepts it: every type, channels of all kinds and
//! every operation on them, processes that are there from the start or created, that end
//! or loop, all compound statements, macros and inlines, claims and formulas. [`Shape`]
//! switches features on and off.
//!
//! State spaces stay small because every assignment takes its value modulo a small number
//! or is guarded, because channels hold few messages, and because a process is only
//! created where it cannot be created again and again. What could go wrong at run time
//! (an index out of range, a division by zero, a wait inside `d_step`) occurs where the
//! shape allows it, and rarely.
//!
//! A model is a [tree](Program) until it is printed, so that a failure can be
//! [shrunk](Program::shrink) to a few lines.

mod compound;
mod expression;
mod loops;
mod process;
mod program;
mod property;
mod races;
mod scope;
mod shape;
mod shrink;
mod statement;
mod writer;

pub use loops::{random_loops, random_loops_with_claim};
pub use program::Program;
pub use races::{random_races, random_races_with_formulas};
pub use shape::Shape;

use fastrand::Rng;

/// The model of a seed.
pub fn random_program(seed: u64, shape: &Shape) -> Program {
    writer::Writer::new(Rng::with_seed(seed), shape.clone()).write()
}
