//! Random formulas and words, and what the automata must do with them, the naive way.

pub mod lassos;
pub mod random;
pub mod tableau;
// The runner of mazurka-testkit, without building everything that it builds on.
#[path = "../../../testkit/src/seeds.rs"]
pub mod seeds;
