//! Tests by definition: naive oracles for everything that mazurka does fast.
//!
//! Everything here is deliberately simple. The definitions of P. Godefroid's thesis
//! are loops over all states, and the tests of this crate compare them with the
//! engine on thousands of [random models](random_model):
//!
//! * [`StateSpace`]: the global state space `A_G`, explored with the plain
//!   interpreter alone;
//! * [`definitions`]: valid dependency (Def. 3.17), persistent sets (Def. 4.1),
//!   weak uniformity (Def. 6.6), trace automata (Def. 6.4);
//! * [`temporal`]: linear temporal logic with fairness, by the textbook, for `mazurka-ltl`;
//! * [`computations`]: consistent cuts, Possibly and Definitely, for `mazurka-trace`,
//!   with random computations and predicates;
//! * [`promela`]: random models in Promela, for `mazurka-promela`;
//! * [`spin`]: SPIN without its reduction, as the oracle for those;
//! * [`ObjectTables`]: the tables of an object type against Defs 3.18, 4.6, 4.13,
//!   4.26 and 6.6.
//!
//! A failing test prints its seed. `MAZURKA_SEED=<n>` runs that seed alone, `<m>..<n>` a range,
//! `MAZURKA_CASES=<n>` changes how many seeds are tried; see [`seeds`].

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod computations;
pub mod definitions;
mod object_tables;
pub mod promela;
mod random_model;
pub mod spin;
mod state_space;
pub mod temporal;

pub use mazurka_seeds::seeds;
pub use object_tables::{Entry, ObjectTables};
pub use random_model::{Formula, RandomModel, Shape, random_model};
pub use state_space::StateSpace;
