//! The memory model RC11 by its axioms, naively: what the search of real programs is compared with.
//!
//! Nothing here knows how the crate `mazurka` explores executions, and nothing here is fast. [`enumerate`] tries every
//! execution graph of a [`Program`] and keeps those that satisfy the axioms ([`rc11`]), [`enumerate_unpruned`] does the
//! same without any short cut, and [`interleavings`] executes the program one step at a time, as sequential consistency
//! has it. [`litmus_tests`] is a corpus with the verdicts of the literature, and [`random_program`] makes as many other
//! programs as one likes.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod choices;
mod enumerate;
mod graph;
mod interleavings;
mod litmus;
mod program;
mod random;
pub mod rc11;
mod relation;
mod text;
mod traces;
mod unpruned;

pub use enumerate::{Executions, consistent_graphs, enumerate};
pub use graph::{Event, Graph, Outcome};
pub use interleavings::interleavings;
pub use litmus::{Condition, LitmusTest, ParseError, Question, litmus_tests, parse_litmus};
pub use program::{Expr, Location, Mutex, Operator, Order, Program, Register, Statement, Update, Value};
pub use random::{Random, Size, random_program};
pub use relation::{MAX_EVENTS, Relation, Set};
pub use traces::{Label, Mode};
pub use unpruned::enumerate_unpruned;
