//! A plain interpreter of the checked tree: the project's second opinion.
//!
//! It executes a [`Model`](crate::Model) statement by statement, straight from the
//! semantics of the language, on states that are trees of values. Nothing here is fast
//! and nothing is shared with the compiled form, so that each can be checked against the
//! other: every counterexample is replayed here before it is shown, random tests compare
//! with [`explore()`] here, and `simulate` runs here.
//!
//! Where the manual leaves a question open, the answer is that of the verifier which
//! SPIN 6.5 generates (without reduction), because verdicts are compared with its.
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
