//! What persistent-set algorithms ask a system, beyond what searches ask.
//!
//! The algorithms of ch. 4 "infer the persistent sets from the static structure
//! (code) of the system" (thesis 4.2): which transitions are in conflict, which
//! could interfere, what could enable a disabled one. Sets of transitions are
//! [bit sets](crate::bitset) over transition indices, sets of processes over
//! process indices. A larger set is always a safe answer.

use crate::ids::{LocalId, ProcessId, TransitionId};

/// How closely to look at the current state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Over all states: can-be-dependent and do-not-accord (Defs 4.6, 4.13).
    Static,
    /// From the current state on: `▷s` (Def. 4.26).
    Conditional,
}

/// A system whose transitions are all known beforehand, enabled or not.
pub trait Structure {
    /// How many transitions there are.
    fn transitions(&self) -> usize;

    /// How many processes there are.
    fn processes(&self) -> usize;

    /// The control point of a process in `state`.
    fn local(&self, state: &[u8], process: ProcessId) -> LocalId;

    /// The processes that move with `t`.
    fn active(&self, t: TransitionId) -> &[u64];

    /// The transitions in conflict with `t` (Def. 4.4): they leave a common
    /// control point.
    fn in_conflict(&self, t: TransitionId) -> &[u64];

    /// The transitions parallel to `t` that use an operation that
    /// can-be-dependent with one of `t`.
    fn can_be_dependent(&self, t: TransitionId) -> &[u64];

    /// The processes that step 2 of Algorithm 2 adds for a process at `local`:
    /// those that move with a transition leaving it, or with a parallel one that
    /// can-be-dependent with such a transition.
    fn processes_added(&self, local: LocalId) -> &[u64];

    /// Adds to `out` the transitions parallel to the enabled `t` that might
    /// interfere with it: an operation of theirs and one of `t` do-not-accord
    /// or, with [`Precision::Conditional`], are also in the relation `▷s`.
    fn interfering(&self, state: &[u8], t: TransitionId, precision: Precision, out: &mut [u64]);

    /// The transitions `u` for which it is not known that whenever `u` and then `t`
    /// can be executed, so can `t` and then `u`, with the same result. Those that
    /// can enable `t` are among them.
    fn not_left_commuting(&self, t: TransitionId) -> &[u64];

    /// Whether `t` makes values larger on balance (see
    /// [`crate::ObjectType::growth`]), so that it is the last choice to start from.
    fn grows(&self, _t: TransitionId) -> bool {
        false
    }

    /// Calls `each` with necessary enabling sets of the disabled `t` (Def. 4.14),
    /// one for each reason why it is disabled. `scratch` is of the right size.
    fn enabling_sets(
        &self,
        state: &[u8],
        t: TransitionId,
        precision: Precision,
        scratch: &mut [u64],
        each: impl FnMut(&[u64]),
    );
}
