//! Sequential specifications: what an object does if its operations come one after the other.

use std::hash::Hash;

/// What an object does if its operations come one after the other.
///
/// Operations are partial and may be nondeterministic: [`Specification::step`] lists every state after an operation.
///
/// ```
/// use mazurka_linear::{History, Specification, check};
/// use mazurka_outcome::{Limits, Verdict};
///
/// /// A flag that only one operation can raise. The response says whether it did.
/// struct Flag;
///
/// impl Specification for Flag {
///     type State = bool;
///     type Operation = ();
///     type Response = bool;
///     fn initial(&self) -> bool { false }
///     fn step(&self, raised: &bool, (): &(), response: Option<&bool>, next: &mut Vec<bool>) {
///         if response.is_none_or(|first| first != raised) {
///             next.push(true);
///         }
///     }
/// }
///
/// let mut history = History::new();
/// let (a, b) = (history.invoke(0, ()), history.invoke(1, ()));
/// history.returned(a, true);
/// history.returned(b, true);
/// assert_eq!(check(&Flag, &history, Limits::default()).verdict, Verdict::Violated);
/// ```
pub trait Specification {
    /// The abstract states. Equal states have the same future.
    type State: Clone + Eq + Hash;
    /// The operations, with their arguments.
    type Operation: Clone + Eq;
    /// The responses.
    type Response: Clone + Eq;

    /// The state at the beginning.
    fn initial(&self) -> Self::State;

    /// Adds to `next` every state after `operation` in `state`, if it answers `response`. Nobody knows the answer of an
    /// operation that never returned; then the states after any answer are added.
    fn step(
        &self,
        state: &Self::State,
        operation: &Self::Operation,
        response: Option<&Self::Response>,
        next: &mut Vec<Self::State>,
    );

    /// Whether this operation, with this response, leaves *every* state in which it is possible as it is. False is always
    /// safe. True makes the search shorter: such an operation is put into the order as soon as it fits.
    fn only_reads(&self, _operation: &Self::Operation, _response: Option<&Self::Response>) -> bool {
        false
    }

    /// About how many bytes a state takes.
    fn bytes(&self, _state: &Self::State) -> usize {
        size_of::<Self::State>()
    }
}
