//! Random formulas and words, and what the automata must do with them, the naive way.

pub mod lassos;
pub mod random;
pub mod tableau;
