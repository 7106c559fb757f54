//! A plain interpreter of checked models, which serves as a second opinion.
//!
//! It executes a [`Model`](crate::Model) statement by statement, directly by the
//! semantics of the language, on states that are trees of values. It is not fast,
//! and it shares nothing with the compiled form, so each can be checked against the
//! other: it replays every counterexample before it is shown, random tests compare
//! with [`explore()`], and `simulate` uses it.
//!
//! Where the manual leaves a question open, the interpreter follows the verifier that
//! SPIN 6.5 generates (without reduction), because verdicts are compared with SPIN's.
//! Departure: a jump that leaves `atomic` takes no step of its own after another statement.

mod assigned;
#[cfg(test)]
mod builder;
mod changes;
mod error;
mod evaluate;
mod explore;
mod interpreter;
mod machine;
mod mentions;
mod monitor;
mod position;
pub(crate) mod print;
mod simulate;
mod state;
mod touches;
mod tracker;
mod unchanged;
mod uses;
mod value;

pub use changes::Change;
pub use error::Failure;
pub use explore::{Explored, Violation, ViolationKind, explore};
pub use interpreter::{Interpreter, Partner, Step};
pub use monitor::Watch;
pub use position::Position;
pub use simulate::{Event, Simulation};
pub use state::{Channel, Pid, Process, State};
pub use touches::{Component, Participants};
pub use tracker::{Action, Tracker};
pub use value::Value;
