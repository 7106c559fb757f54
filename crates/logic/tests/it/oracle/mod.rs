//! Random formulas and words, and naive versions of what automata do with them.

pub mod lassos;
pub mod random;
pub mod tableau;
