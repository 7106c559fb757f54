//! Strongly connected components of a depth-first search, with the marks inside them.
//!
//! States are numbered as they are entered. The open states, those whose component
//! may still grow, lie in this order, cut into components by the numbers of their
//! roots: a cut is removed when an edge leads back over it (Gabow 2000, Cheriyan
//! and Mehlhorn 1996). With each root lie the marks of the edges inside its
//! component, and those of the edge of the path that leads to it from the component
//! below, which comes inside when the two are merged (Couvreur 1999).
//!
//! Invariant: the open components are strongly connected by edges that were
//! explored, the path goes through all of them, and no other explored edge joins
//! two open states of different components against the path.

use crate::ids::StateId;
use crate::narrow;

/// The open components.
#[derive(Debug, Default)]
pub(super) struct Components {
    /// Per state: one more than its place in `open`, or 0 if it is not there.
    number: Vec<u32>,
    open: Vec<StateId>,
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

impl Components {
    /// A new state is entered by an edge with these marks: a component of its own.
    #[inline]
    pub(super) fn enter(&mut self, id: StateId, entered_by: u64) {
        if self.number.len() <= id.index() {
            self.number.resize(id.index() + 1, 0);
        }
        self.open.push(id);
        let number = narrow::short(self.open.len());
        self.number[id.index()] = number;
        self.roots.push(Root {
            number,
            marks: 0,
            entered_by,
        });
    }

    /// The number of an open state; 0 if it is not open.
    #[inline]
    pub(super) fn number(&self, id: StateId) -> u32 {
        self.number.get(id.index()).copied().unwrap_or(0)
    }

    /// An edge with these marks leads from the state on top of the path to an open
    /// one: what lies between becomes one component. Returns the marks inside it.
    #[inline]
    pub(super) fn close(&mut self, to: StateId, mut marks: u64) -> u64 {
        let number = self.number(to);
        debug_assert_ne!(number, 0, "the state is open");
        while let Some(root) = self.roots.pop_if(|root| root.number > number) {
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
        if self.roots.pop_if(|root| root.number == number).is_some() {
            for member in self.open.drain(number as usize - 1..) {
                self.number[member.index()] = 0;
            }
        }
    }

    /// The number of the root of the component on top: its members are the open
    /// states with this number or a larger one.
    pub(super) fn top_root(&self) -> u32 {
        self.roots.last().map_or(0, |root| root.number)
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.number.capacity() * 4
            + self.open.capacity() * size_of::<StateId>()
            + self.roots.capacity() * size_of::<Root>()
    }
}
