//! The path of a depth-first search: a stack of states and what is to be explored there.
//!
//! What a state of the path needs (what is still to be explored, what is asleep,
//! what was selected) is bits. Those of the state on top are words; those of the others are packed into bytes
//! in an arena that grows and shrinks with the stack, so a warm search allocates nothing. With the id and the number of
//! enabled transitions, a state of the path takes some seven bytes besides its transition. Only for the state on top is the list of enabled
//! transitions kept; it is computed again when the search returns to a state with
//! more to explore, which is once per stored state at most and saves most of the
//! stack. The bytes of the states are the store's business.

use super::frugal;
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
    /// How many transitions are enabled there.
    count: usize,
    /// [`FULL`] and [`SUSPENDED`].
    flags: u8,
}

/// Set once everything enabled in a state is or will be explored, so that no set
/// needs to be chosen there any more.
const FULL: u8 = 1 << 7;

/// Set if others are suspended in a state.
const SUSPENDED: u8 = 1 << 6;

/// The count of a frame if there is no room for it beside the flags.
const LARGE: u8 = SUSPENDED - 1;

impl Frame {
    /// How many transitions are enabled there.
    #[inline]
    pub(super) fn count(self) -> usize {
        self.count
    }

    /// The words of a bit set over them.
    #[inline]
    pub(super) fn words(self) -> usize {
        bitset::words_for(self.count)
    }

    /// Whether it was said that everything is explored.
    #[inline]
    pub(super) fn is_full(self) -> bool {
        self.flags & FULL != 0
    }

    /// Whether others are [suspended](System::is_suspended) there.
    #[inline]
    pub(super) fn is_suspended(self) -> bool {
        self.flags & SUSPENDED != 0
    }

    /// Says that everything enabled is or will be explored.
    #[inline]
    pub(super) fn fill(&mut self) {
        self.flags |= FULL;
    }
}

/// The stack. The number of bit sets per state, `sets`, is the same in all calls:
/// it is an argument so that it is a constant where it is used. The first of them
/// is what is still to be explored.
#[derive(Debug)]
pub(super) struct Stack<T> {
    /// The states of the path.
    pub(super) ids: Vec<StateId>,
    /// Per state of the path: its flags, and its count or [`LARGE`].
    heads: Vec<u8>,
    /// The large counts, in the order of the path.
    large: Vec<u32>,
    /// The bit sets of the state on top, over its enabled transitions.
    pub(super) sets: Vec<u64>,
    /// Those of the others, each in as many bytes as it needs.
    packed: Vec<u8>,
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
            ids: Vec::new(),
            heads: Vec::new(),
            large: Vec::new(),
            sets: Vec::new(),
            packed: Vec::new(),
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
        if let Some(below) = self.last() {
            frugal::make_room(&mut self.packed, sets * below.count().div_ceil(8));
            pack(&self.sets, below.count(), |bytes| self.packed.extend_from_slice(bytes));
        }
        let count = self.enabled.len();
        let head = match u8::try_from(count) {
            Ok(count) if count < LARGE => count,
            _ => {
                self.large.push(narrow::short(count));
                LARGE
            }
        };
        let suspended = if system.is_suspended(state) { SUSPENDED } else { 0 };
        frugal::push(&mut self.ids, id);
        frugal::push(&mut self.heads, head | suspended);
        self.sets.clear();
        self.sets.resize(sets * bitset::words_for(count), 0);
        0
    }

    /// Takes the state on top off.
    #[inline]
    pub(super) fn pop(&mut self, sets: usize) {
        self.ids.pop().expect("there is a current state");
        if self.heads.pop().is_some_and(|head| head & LARGE == LARGE) {
            self.large.pop();
        }
        self.enabled_known = false;
        if let Some(top) = self.last() {
            let at = self.packed.len() - sets * top.count().div_ceil(8);
            unpack(&self.packed[at..], top.count(), sets, &mut self.sets);
            self.packed.truncate(at);
        }
    }

    /// The state on top.
    #[inline]
    pub(super) fn last(&self) -> Option<Frame> {
        let head = *self.heads.last()?;
        Some(frame(*self.ids.last()?, head, || self.large.last().copied()))
    }

    /// Says of the state at this depth that everything enabled is or will be explored.
    #[inline]
    pub(super) fn fill(&mut self, depth: usize) {
        self.heads[depth] |= FULL;
    }

    /// Goes down the path from the state on top, as long as `change` says so, which may change flags and sets.
    #[cold]
    pub(super) fn descend(&mut self, sets: usize, mut change: impl FnMut(&mut Frame, &mut [u64]) -> bool) {
        let (mut end, mut large) = (self.packed.len(), self.large.len());
        let mut words = Vec::new();
        for depth in (0..self.ids.len()).rev() {
            let mut frame = frame(self.ids[depth], self.heads[depth], || {
                large -= 1;
                self.large.get(large).copied()
            });
            let go_on = if depth == self.depth() {
                change(&mut frame, &mut self.sets)
            } else {
                let at = end - sets * frame.count().div_ceil(8);
                unpack(&self.packed[at..end], frame.count(), sets, &mut words);
                let go_on = change(&mut frame, &mut words);
                let mut to = at;
                pack(&words, frame.count(), |bytes| {
                    self.packed[to..to + bytes.len()].copy_from_slice(bytes);
                    to += bytes.len();
                });
                end = at;
                go_on
            };
            self.heads[depth] |= frame.flags;
            if !go_on {
                return;
            }
        }
    }

    /// The position of the next transition to explore from the state on top, if any.
    #[inline]
    pub(super) fn next_position(&mut self) -> Option<usize> {
        let words = self.last()?.words();
        bitset::pop_last(&mut self.sets[..words])
    }

    /// Makes sure that `enabled` is about the state on top, and that the store is.
    #[inline]
    pub(super) fn know_enabled<S, H>(&mut self, system: &S, store: &mut H)
    where
        S: System<Transition = T>,
        H: Store,
    {
        if !self.enabled_known {
            let top = *self.ids.last().expect("there is a current state");
            store.back_at(top);
            self.enabled.clear();
            system.enabled(store.top(top), &mut self.enabled);
            self.enabled_known = true;
        }
    }

    /// Makes `t` the last transition of the path, leaving the state on top.
    #[inline]
    pub(super) fn take(&mut self, t: T) {
        self.path.0.truncate(self.ids.len() - 1);
        frugal::push(&mut self.path.0, t);
    }

    /// How many transitions lead to the state on top.
    #[inline]
    pub(super) fn depth(&self) -> usize {
        self.ids.len() - 1
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.ids.capacity() * size_of::<StateId>()
            + self.heads.capacity()
            + self.large.capacity() * 4
            + self.packed.capacity()
            + self.path.0.capacity() * size_of::<T>()
    }
}

#[inline]
fn frame(id: StateId, head: u8, large: impl FnOnce() -> Option<u32>) -> Frame {
    let count = match head & LARGE {
        LARGE => large().map_or(0, |count| count as usize),
        count => usize::from(count),
    };
    Frame {
        id,
        count,
        flags: head & !LARGE,
    }
}

/// Hands over bit sets over so many members, without the bytes that they do not need.
#[inline]
fn pack(sets: &[u64], count: usize, mut out: impl FnMut(&[u8])) {
    for set in sets.chunks_exact(bitset::words_for(count).max(1)) {
        let mut left = count.div_ceil(8);
        for word in set {
            let bytes = left.min(8);
            out(&word.to_le_bytes()[..bytes]);
            left -= bytes;
        }
    }
}

/// The other way round.
#[inline]
fn unpack(packed: &[u8], count: usize, sets: usize, out: &mut Vec<u64>) {
    out.clear();
    for set in packed.chunks_exact(count.div_ceil(8).max(1)).take(sets) {
        for bytes in set.chunks(8) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            out.push(u64::from_le_bytes(word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_unpacked_as_they_were_packed() {
        let mut rng = fastrand::Rng::with_seed(2);
        for count in 0..200 {
            for sets in 1..4 {
                let words = bitset::words_for(count);
                let mut all = vec![0; sets * words];
                for set in all.chunks_exact_mut(words.max(1)) {
                    (0..count).filter(|_| rng.bool()).for_each(|k| bitset::insert(set, k));
                }
                let mut packed = Vec::new();
                pack(&all, count, |bytes| packed.extend_from_slice(bytes));
                assert_eq!(packed.len(), sets * count.div_ceil(8));
                let mut read = Vec::new();
                unpack(&packed, count, sets, &mut read);
                assert_eq!(read, all);
            }
        }
    }
}
