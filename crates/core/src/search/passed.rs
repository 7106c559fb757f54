//! Where chains led that passed through a state.
//!
//! A chain goes on through states that are not stored, so chains that come together are executed again from there on. Here some
//! of these states are kept, each with the stored state that a chain through it came to. A chain that meets one ends there, as a transition to
//! that stored state.
//!
//! This is right because each step of a chain is a persistent set by itself, whichever step led to the state before it. So what one chain has
//! done from there on is right for another too. What the observer wants to know of it, it was told when the first one was
//! taken. The state that the chain leads to is stored already, so nobody will want to execute this transition again.
//!
//! Which states are kept is a matter of speed alone. A state has one place, which its hash chooses, and takes it from whoever has it. States are
//! compared as a whole.

use crate::ids::StateId;
use crate::narrow;
use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// States that chains have passed through.
#[derive(Debug, Default)]
pub(super) struct Passed {
    /// The length of the states that are kept.
    len: usize,
    /// For each place, the stored state that the state there leads to, and [`NONE`] if there is no state.
    ends: Vec<u32>,
    /// The states, place by place.
    states: Vec<u8>,
    /// The hashes of the states that the current chain has passed through, and these states.
    hashes: Vec<u64>,
    trail: Vec<u8>,
}

const NONE: u32 = u32::MAX;

/// How many places there are at first and at last, and how many stored states there are for each.
const FIRST: usize = 1 << 8;
const MOST: usize = 1 << 16;
const EACH: usize = 64;

#[inline]
fn hash(state: &[u8]) -> u64 {
    FixedState::with_seed(0x7061_7373).hash_one(state)
}

impl Passed {
    /// A chain begins.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.hashes.clear();
        self.trail.clear();
    }

    /// The stored state that a chain through this state has led to, if that is known. Otherwise the current chain passes through it.
    #[inline]
    pub(super) fn end(&mut self, state: &[u8]) -> Option<StateId> {
        if state.len() != self.len {
            return None;
        }
        let hash = hash(state);
        let place = self.place(hash);
        let end = self.ends[place];
        if end != NONE && self.states[place * self.len..][..self.len] == *state {
            return Some(StateId::new(end as usize));
        }
        self.hashes.push(hash);
        self.trail.extend_from_slice(state);
        None
    }

    /// The current chain has led to a stored state, one of so many.
    #[inline]
    pub(super) fn lead_to(&mut self, end: StateId, state: &[u8], stored: usize) {
        if self.ends.len() < MOST && stored >= self.ends.len() * EACH {
            self.grow(state.len());
        }
        if state.len() != self.len {
            return;
        }
        for (hash, passed) in self.hashes.iter().zip(self.trail.chunks_exact(self.len)) {
            if passed != state {
                let place = self.place(*hash);
                self.ends[place] = narrow::short(end.index());
                self.states[place * self.len..][..self.len].copy_from_slice(passed);
            }
        }
    }

    /// Starts anew with more places.
    #[cold]
    fn grow(&mut self, len: usize) {
        if self.ends.is_empty() {
            self.len = len;
        }
        self.begin();
        let places = (2 * self.ends.len()).max(FIRST);
        self.ends = vec![NONE; places];
        self.states = vec![0; places * self.len];
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        narrow::index(hash >> 32) & (self.ends.len() - 1)
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.ends.capacity() * 4 + self.states.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Chains on random maps: whatever is known of a state is where some chain through it has ended.
    #[test]
    fn what_is_known_is_where_a_chain_has_led() {
        let mut rng = fastrand::Rng::with_seed(11);
        let mut passed = Passed::default();
        let mut ends: HashMap<[u8; 3], Vec<StateId>> = HashMap::new();
        let (mut known, mut chains) = (0, 0);
        for stored in 0..60_000 {
            passed.begin();
            let mut trail = Vec::new();
            for _ in 0..rng.usize(1..6) {
                let state = [rng.u8(..40), rng.u8(..40), rng.u8(..4)];
                trail.push(state);
                match passed.end(&state) {
                    Some(end) => {
                        assert!(ends[&state].contains(&end), "{state:?}");
                        known += 1;
                        break;
                    }
                    None => chains += 1,
                }
            }
            // Another length is not kept.
            assert_eq!(passed.end(&[1]), None);
            let end = StateId::new(stored);
            let last = trail.pop().expect("a state");
            for state in trail {
                ends.entry(state).or_default().push(end);
            }
            ends.entry(last).or_default();
            passed.lead_to(end, &last, stored);
        }
        assert!(known > 1_000 && chains > 1_000, "{known} {chains}");
        assert!(passed.bytes() <= MOST * 7);
    }
}
