//! Detection in computations by definition, and random inputs for it.
//!
//! The definitions are those of Stoller, Unnikrishnan and Liu, *Efficient
//! Detection of Global Properties in Distributed Systems Using Partial-Order
//! Methods*, section 2 of the conference version (CAV 2000) and of the long one:
//!
//! * [`all_cuts`], [`HappenedBefore`]: the lattice of consistent cuts;
//! * [`possibly`], [`definitely`] and checks of witnesses ([`is_minimal`],
//!   [`is_path_avoiding`]);
//! * [`certain_after`]: what a prefix of the input settles, for on-line detection;
//! * [`computation`], [`continuation`], [`tell`]: random computations, what else
//!   they could have become, and the same ones in other words;
//! * [`Formula`]: random predicates, as text and with a meaning of their own.
//!
//! Local states are numbered from 0 here, as everywhere in `mazurka-trace`; the
//! paper numbers them from 1.

mod chance;
mod continuation;
mod formula;
mod lattice;
mod misspelling;
mod modalities;
mod online;
mod random;
mod random_formula;
mod retelling;
mod truth;

pub use continuation::{continuation, freest_continuation};
pub use formula::{Comparison, Formula, Number, Who};
pub use lattice::{HappenedBefore, all_cuts, edges, successors};
pub use misspelling::{Slip, misspelt};
pub use modalities::{
    Predicate, avoiding_path, definitely, error, holds, is_minimal, is_path_avoiding, least, minimal, possibly,
    reached_avoiding, smallest_size,
};
pub use online::{Arrived, Certain, certain_after, definitely_after};
pub use random::{Shape, computation};
pub use random_formula::{Preset, disguised, formula, pair_and_locals};
pub use retelling::{Order, Record, Words, difference, linear_extension, tell, text};
pub use truth::Truth;
