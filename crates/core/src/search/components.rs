//! Strongly connected components of a depth-first search, with the marks inside them.
//!
//! States are numbered as they are entered ([`OpenStates`]). The open ones, those whose component
//! may still grow, lie in this order, cut into components by the numbers of their
//! roots: a cut is removed when an edge leads back over it (Gabow 2000, Cheriyan
//! and Mehlhorn 1996). With each root lie the marks of the edges inside its
//! component, and those of the edge of the path that leads to it from the component
//! below, which comes inside when the two are merged (Couvreur 1999).
//!
//! Invariant: the open components are strongly connected by edges that were
//! explored, the path goes through all of them, and no other explored edge joins
//! two open states of different components against the path.

use super::frugal;
use super::open_states::OpenStates;
use crate::ids::StateId;

/// The open components.
#[derive(Debug)]
pub(super) struct Components {
    open: OpenStates,
    roots: Vec<Root>,
}

#[derive(Debug)]
struct Root {
    number: u32,
    /// Of the edges inside.
    marks: u64,
    /// Of the edge of the path that leads here.
    entered_by: u64,
}

impl Default for Components {
    fn default() -> Self {
        Self {
            open: OpenStates::new(false),
            roots: Vec::new(),
        }
    }
}

impl Components {
    /// A new state is entered by an edge with these marks: a component of its own.
    #[inline]
    pub(super) fn enter(&mut self, id: StateId, entered_by: u64) {
        let number = self.open.enter(id);
        let root = Root {
            number,
            marks: 0,
            entered_by,
        };
        frugal::push(&mut self.roots, root);
    }

    /// The number of an open state.
    #[inline]
    pub(super) fn number(&self, id: StateId) -> Option<u32> {
        self.open.number(id)
    }

    /// An edge with these marks leads from the state on top of the path to the open
    /// one with this number: what lies between becomes one component. Returns the marks inside it.
    #[inline]
    pub(super) fn close(&mut self, to: u32, mut marks: u64) -> u64 {
        while let Some(root) = self.roots.pop_if(|root| root.number > to) {
            marks |= root.marks | root.entered_by;
        }
        let root = self.roots.last_mut().expect("the first state is a root");
        root.marks |= marks;
        root.marks
    }

    /// The state on top of the path is left: if it is the root of its component,
    /// that is complete.
    #[inline]
    pub(super) fn leave(&mut self, id: StateId) {
        let number = self.number(id);
        if let Some(root) = self.roots.pop_if(|root| number == Some(root.number)) {
            self.open.complete(root.number, |_| ());
        }
    }

    /// The number of the root of the component on top: its members are the open
    /// states with this number or a larger one.
    pub(super) fn top_root(&self) -> Option<u32> {
        self.roots.last().map(|root| root.number)
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.open.bytes() + self.roots.capacity() * size_of::<Root>()
    }
}
