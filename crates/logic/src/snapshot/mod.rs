//! Snapshots: whether an execution, or an equivalent one, has passed through a state.
//!
//! A system has *components*, numbered from 0: processes, and shared objects, each of which
//! counts as one more process. A step has *participants*: it reads and changes only their
//! local states. Steps without a common participant are independent. `snapshot(q)` holds after a finite
//! execution `u` if `u` is equivalent to some `u1 u2` (equal up to exchanging neighbours
//! that are independent) and `q` holds in the state after `u1`.
//!
//! Three automata decide this while the execution proceeds. [`Tracker`] remembers all states that were
//! passed: exponential, for any `q`. The two others are for conjunctions with one conjunct for each
//! component (true, if nothing is required of it): [`FreezeSets`], by the definition of freeze sets, and
//! [`FreezeBasis`], which is quadratic in the number of components. [`conjunctions`] makes an
//! arbitrary boolean `q` a disjunction of such conjunctions; `snapshot(p || q)` is
//! `snapshot(p) || snapshot(q)`.
//!
//! Niebert and Peled, *Efficient model checking for LTL with partial order snapshots* (TACAS 2006,
//! TCS 2009); called "the paper" here.

mod basis;
mod component;
mod conjunctions;
mod freeze_sets;
mod tracker;

pub use basis::FreezeBasis;
pub use component::ComponentId;
pub use conjunctions::{Conjunction, MAX_CONJUNCTIONS, NotASnapshot, conjunctions};
pub use freeze_sets::FreezeSets;
pub use tracker::Tracker;

/// An automaton that reads an execution and tells whether a conjunction of local propositions,
/// one for each component, was passed. Sets of [components](ComponentId) are [bit sets](mazurka_core::bitset).
pub trait SnapshotAutomaton {
    /// Reads a step of these participants. `satisfied` are the components whose conjunct holds after it;
    /// only participants are looked at, since the others have not changed.
    fn step(&mut self, participants: &[u64], satisfied: &[u64]);

    /// Whether the snapshot was passed. Once true, it stays true.
    fn is_passed(&self) -> bool;
}
