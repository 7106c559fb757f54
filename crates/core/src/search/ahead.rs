//! Looking ahead: transitions that are fired before it is their turn.
//!
//! Where many states are stored, looking one up means to wait for memory. A processor waits for several places
//! at the same time, if it is told of them all at once. So what is left to be taken in a state is fired in one go, and the store
//! [expects](crate::store::Store::expect) the states that it leads to. When it is the turn of such a transition, it is not fired again. If it
//! leads to a new state, the search goes on there, and those that were to come after it are forgotten.

use crate::store::Store;
use crate::system::{Fault, System};

/// Transitions of the state on top, fired in the order in which they will be taken.
pub(super) struct Ahead<S: System> {
    fired: Vec<Fired<S::Scratch>>,
    /// Which of them comes next, and how many there are.
    next: usize,
    len: usize,
}

struct Fired<C> {
    position: usize,
    result: Result<(), Fault>,
    state: Vec<u8>,
    /// Boxed, since it may be large and changes hands.
    scratch: Box<C>,
}

/// At most so many transitions are fired at once.
const MOST: usize = 8;

impl<S: System> Default for Ahead<S> {
    fn default() -> Self {
        Self {
            fired: Vec::new(),
            next: 0,
            len: 0,
        }
    }
}

impl<S: System> Ahead<S> {
    /// Whether nothing was fired that is still to come.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.next == self.len
    }

    /// Forgets all of them: another state is on top.
    #[inline]
    pub(super) fn clear(&mut self) {
        (self.next, self.len) = (0, 0);
    }

    /// Fires the next of these transitions of the state on top, given with their positions.
    #[cold]
    pub(super) fn fire<H: Store>(
        &mut self,
        system: &S,
        store: &mut H,
        top: &[u8],
        transitions: impl Iterator<Item = (usize, S::Transition)>,
    ) {
        self.clear();
        for (position, transition) in transitions.take(MOST) {
            if self.len == self.fired.len() {
                self.fired.push(Fired {
                    position,
                    result: Ok(()),
                    state: Vec::new(),
                    scratch: Box::new(system.scratch()),
                });
            }
            let fired = &mut self.fired[self.len];
            fired.position = position;
            fired.result = system.fire(&mut fired.scratch, top, transition, &mut fired.state);
            if fired.result.is_ok() {
                store.expect(&fired.state);
            }
            self.len += 1;
        }
        store.await_expected();
    }

    /// What came of firing the transition at this position, if it was fired: as if it were done now.
    #[inline]
    pub(super) fn take(
        &mut self,
        position: usize,
        scratch: &mut Box<S::Scratch>,
        after: &mut Vec<u8>,
    ) -> Option<Result<(), Fault>> {
        if self.is_empty() {
            return None;
        }
        let fired = &mut self.fired[self.next];
        if fired.position != position {
            self.clear();
            return None;
        }
        self.next += 1;
        std::mem::swap(scratch, &mut fired.scratch);
        std::mem::swap(after, &mut fired.state);
        Some(std::mem::replace(&mut fired.result, Ok(())))
    }
}
