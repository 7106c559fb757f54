//! The definitions of the thesis, decided by looking at every state.
//!
//! A check that fails reports what is wrong, with names and a state.

mod dependency;
mod independence_table;
mod persistence;
mod trace_automaton;
mod weak_stubborn;

pub use dependency::{valid_dependency, weakly_uniform};
pub use independence_table::IndependenceTable;
pub use persistence::persistent;
pub use trace_automaton::{Edges, trace_automaton};
pub use weak_stubborn::weak_stubborn;
