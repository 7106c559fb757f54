//! The path of a depth-first search: a stack of states and what is to be explored there.
//!
//! What a state of the path needs (what is still to be explored, what is asleep,
//! what was selected) is bits in an arena that grows and shrinks with the stack, so
//! a warm search allocates nothing. Only for the state on top is the list of enabled
//! transitions kept; it is computed again when the search returns to a state with
//! more to explore, which is once per stored state at most and saves most of the
//! stack. The bytes of the states are the store's business.

use super::observer::Path;
use crate::bitset;
use crate::ids::StateId;
use crate::narrow;
use crate::store::Store;
use crate::system::System;

/// A state on the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) id: StateId,
    /// How many transitions are enabled there, [`FULL`] and [`SUSPENDED`].
    count: u32,
}

/// Set once everything enabled in a state is or will be explored, so that no set
/// needs to be chosen there any more.
const FULL: u32 = 1 << 31;

/// Set if others are suspended in a state.
const SUSPENDED: u32 = 1 << 30;

impl Frame {
    /// How many transitions are enabled there.
    #[inline]
    pub(super) fn count(self) -> usize {
        (self.count & !(FULL | SUSPENDED)) as usize
    }

    /// The words of a bit set over them.
    #[inline]
    pub(super) fn words(self) -> usize {
        bitset::words_for(self.count())
    }

    /// Whether it was said that everything is explored.
    #[inline]
    pub(super) fn is_full(self) -> bool {
        self.count & FULL != 0
    }

    /// Whether others are [suspended](System::is_suspended) there.
    #[inline]
    pub(super) fn is_suspended(self) -> bool {
        self.count & SUSPENDED != 0
    }

    /// Says that everything enabled is or will be explored.
    #[inline]
    pub(super) fn fill(&mut self) {
        self.count |= FULL;
    }
}

/// The stack. The number of bit sets per state, `sets`, is the same in all calls:
/// it is an argument so that it is a constant where it is used. The first of them
/// is what is still to be explored.
#[derive(Debug)]
pub(super) struct Stack<T> {
    pub(super) frames: Vec<Frame>,
    /// Per frame: its bit sets over enabled transitions.
    pub(super) sets: Vec<u64>,
    /// What is enabled in the state on top, if it was asked for since.
    pub(super) enabled: Vec<T>,
    enabled_known: bool,
    pub(super) path: Taken<T>,
}

/// The transitions from each frame to the next, and perhaps one more.
#[derive(Debug)]
pub(super) struct Taken<T>(pub(super) Vec<T>);

impl<T: Clone> Path<T> for Taken<T> {
    fn transitions(&self) -> Vec<T> {
        self.0.clone()
    }
}

impl<T> Default for Stack<T> {
    fn default() -> Self {
        Self {
            frames: Vec::new(),
            sets: Vec::new(),
            enabled: Vec::new(),
            enabled_known: false,
            path: Taken(Vec::new()),
        }
    }
}

impl<T: Copy> Stack<T> {
    /// Puts a state on top with all its bit sets empty; returns where they begin.
    #[inline]
    pub(super) fn push<S>(&mut self, system: &S, id: StateId, state: &[u8], sets: usize) -> usize
    where
        S: System<Transition = T>,
    {
        self.enabled.clear();
        system.enabled(state, &mut self.enabled);
        self.push_listed(system, id, state, sets)
    }

    /// The same, if `enabled` is already about the state.
    #[inline]
    pub(super) fn push_listed<S>(&mut self, system: &S, id: StateId, state: &[u8], sets: usize) -> usize
    where
        S: System<Transition = T>,
    {
        self.enabled_known = true;
        let count = narrow::short(self.enabled.len());
        debug_assert!(count < SUSPENDED);
        let suspended = if system.is_suspended(state) { SUSPENDED } else { 0 };
        self.frames.push(Frame {
            id,
            count: count | suspended,
        });
        let at = self.sets.len();
        self.sets.resize(at + sets * bitset::words_for(self.enabled.len()), 0);
        at
    }

    /// Takes the state on top off.
    #[inline]
    pub(super) fn pop(&mut self, sets: usize) {
        let frame = self.frames.pop().expect("there is a current state");
        self.sets.truncate(self.sets.len() - sets * frame.words());
        self.enabled_known = false;
    }

    /// The position of the next transition to explore from the state on top, if any.
    #[inline]
    pub(super) fn next_position(&mut self, sets: usize) -> Option<usize> {
        let at = self.top(sets);
        let words = self.frames.last()?.words();
        bitset::pop_last(&mut self.sets[at..at + words])
    }

    /// Where the bit sets of the state on top begin.
    #[inline]
    pub(super) fn top(&self, sets: usize) -> usize {
        self.sets.len() - sets * self.frames.last().map_or(0, |f| f.words())
    }

    /// Makes sure that `enabled` is about the state on top, and that the store is.
    #[inline]
    pub(super) fn know_enabled<S, H>(&mut self, system: &S, store: &mut H)
    where
        S: System<Transition = T>,
        H: Store,
    {
        if !self.enabled_known {
            let top = self.frames.last().expect("there is a current state");
            store.back_at(top.id);
            self.enabled.clear();
            system.enabled(store.top(top.id), &mut self.enabled);
            self.enabled_known = true;
        }
    }

    /// Makes `t` the last transition of the path, leaving the state on top.
    #[inline]
    pub(super) fn take(&mut self, t: T) {
        self.path.0.truncate(self.frames.len() - 1);
        self.path.0.push(t);
    }

    /// How many transitions lead to the state on top.
    #[inline]
    pub(super) fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>() + self.path.0.capacity() * size_of::<T>() + self.sets.capacity() * 8
    }
}
