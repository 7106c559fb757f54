//! The interface of a store.

use crate::ids::StateId;
use crate::search::Limit;

/// The result of offering a state to a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// It was not there; now it is.
    New(StateId),
    /// It was there already.
    Known(StateId),
    /// It was there already, or seems to be, and has no id.
    Seen,
    /// It was not there, and there is no room: every stored state is pinned.
    Full,
}

/// A set of states.
pub(crate) trait Store {
    /// Whether a state may be taken for another, so that a search misses some.
    fn is_partial(&self) -> bool {
        false
    }

    /// Whether an id may come to mean another state. If not, each new state has the next id.
    fn reuses_ids(&self) -> bool {
        false
    }

    /// The limit that is reached when there is no room; by default, there are no more ids.
    fn full(&self) -> Limit {
        Limit::States
    }

    /// Finds a state or adds it.
    fn insert(&mut self, state: &[u8]) -> Stored;

    /// Finds a state.
    fn find(&self, state: &[u8]) -> Option<StateId>;

    /// The same. The store may remember what it did, so that it costs little to add the state next.
    fn look_up(&mut self, state: &[u8]) -> Option<StateId> {
        self.find(state)
    }

    /// Whether a state is stored. The store may remember what it did.
    fn contains(&mut self, state: &[u8]) -> bool {
        self.look_up(state).is_some()
    }

    /// Whether finding a state takes so long that it helps to [expect](Self::expect) it.
    fn is_slow(&self) -> bool {
        false
    }

    /// Tells the store that this state will be inserted soon, after those that it expects already.
    fn expect(&mut self, _state: &[u8]) {}

    /// Gets from memory whatever is needed to insert the states that are expected, all at once.
    fn await_expected(&mut self) {}

    /// Tells the store that the path grows by this stored state, which is kept until it is unpinned.
    fn push(&mut self, _id: StateId, _state: &[u8]) {}

    /// Tells the store that the path shrinks by the state on top.
    fn pop(&mut self) {}

    /// Tells the store that the path may shrink to this state before long.
    fn will_be_back_at(&mut self, _id: StateId) {}

    /// Tells the store that the path has shrunk to this state, and its bytes will be asked for.
    fn back_at(&mut self, _id: StateId) {}

    /// The bytes of the state on top of the path, whose id is given. Called after the
    /// state was pushed, or after `back_at`.
    fn top(&self, id: StateId) -> &[u8];

    /// Allows this state to be forgotten.
    fn unpin(&mut self, _id: StateId) {}

    /// How many states are stored now.
    fn len(&self) -> usize;

    /// How many times a state was forgotten.
    fn cleared(&self) -> u64 {
        0
    }

    /// Bytes of memory held.
    fn bytes(&self) -> usize;
}

/// A store that can turn an id back into bytes.
pub(crate) trait Readable: Store {
    /// Makes `state` the bytes of a stored state.
    fn read(&self, id: StateId, state: &mut Vec<u8>);
}

/// A store that was chosen at run time.
impl<H: Store + ?Sized> Store for Box<H> {
    fn is_partial(&self) -> bool {
        (**self).is_partial()
    }

    fn reuses_ids(&self) -> bool {
        (**self).reuses_ids()
    }

    fn full(&self) -> Limit {
        (**self).full()
    }

    fn insert(&mut self, state: &[u8]) -> Stored {
        (**self).insert(state)
    }

    fn find(&self, state: &[u8]) -> Option<StateId> {
        (**self).find(state)
    }

    fn look_up(&mut self, state: &[u8]) -> Option<StateId> {
        (**self).look_up(state)
    }

    fn contains(&mut self, state: &[u8]) -> bool {
        (**self).contains(state)
    }

    fn is_slow(&self) -> bool {
        (**self).is_slow()
    }

    fn expect(&mut self, state: &[u8]) {
        (**self).expect(state);
    }

    fn await_expected(&mut self) {
        (**self).await_expected();
    }

    fn push(&mut self, id: StateId, state: &[u8]) {
        (**self).push(id, state);
    }

    fn pop(&mut self) {
        (**self).pop();
    }

    fn will_be_back_at(&mut self, id: StateId) {
        (**self).will_be_back_at(id);
    }

    fn back_at(&mut self, id: StateId) {
        (**self).back_at(id);
    }

    fn top(&self, id: StateId) -> &[u8] {
        (**self).top(id)
    }

    fn unpin(&mut self, id: StateId) {
        (**self).unpin(id);
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn cleared(&self) -> u64 {
        (**self).cleared()
    }

    fn bytes(&self) -> usize {
        (**self).bytes()
    }
}

impl<H: Readable + ?Sized> Readable for Box<H> {
    fn read(&self, id: StateId, state: &mut Vec<u8>) {
        (**self).read(id, state);
    }
}
