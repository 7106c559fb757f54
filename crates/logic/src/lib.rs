//! Linear temporal logic: formulas, their Büchi automata, stutter-invariance, monitors and snapshots.
//!
//! Atoms are opaque: a front end parses them ([`Tokens`]), keeps them in a list and says
//! which of them hold in a state. To check that every run of a system satisfies a formula, build
//! the automaton of its negation and search the product for an accepting cycle.
//!
//! ```
//! use mazurka_logic::{Buchi, StutterInvariance, parse};
//!
//! let mut atoms = vec![];
//! let formula = parse("[] (request -> <> (grants > 0))").unwrap().number_atoms(&mut atoms);
//! assert_eq!(atoms, ["request", "grants > 0"]);
//! // A partial-order reduction may be used.
//! assert_eq!(formula.stutter_invariance(), StutterInvariance::Invariant);
//! // The automaton of the violating runs waits for a request after which there is no grant.
//! let automaton = Buchi::new(&formula.negated()).unwrap();
//! print!("{}", automaton.to_never_claim(&atoms));
//! let accepting: Vec<_> = automaton.states().filter(|&q| automaton.is_accepting(q)).collect();
//! assert_eq!(accepting.len(), 1);
//! assert_eq!(automaton.edges(accepting[0])[0].guard.negative(), 0b10);
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod buchi;
mod formula;
mod monitor;
mod normal;
mod parse;
mod residual;
mod semantics;
pub mod snapshot;
mod stutter;

pub use buchi::{Buchi, BuchiError, BuchiState, Cube, Edge};
pub use formula::{AtomId, Formula};
pub use monitor::Monitor;
pub use parse::{
    Lexicon, MAX_DEPTH, MAX_OPERATORS, Operator, ParseError, SyntaxError, Token, Tokens, parse, parse_tokens,
};
pub use residual::{ResidualId, Residuals};
pub use semantics::Lasso;
pub use stutter::StutterInvariance;
