//! The states of a depth-first search whose strongly connected component is not complete.
//!
//! They are numbered in the order in which they are entered, and leave in the opposite order: when a component is
//! complete, all open states from its root on are its members.
//!
//! If a store gives each new state the next id, the id is the number. Then it takes a bit to know whether a state is open,
//! and the open ones are runs of ids, of which there are few. A store that forgets states reuses ids; then a number is the
//! place in the list of open states.

use super::frugal;
use crate::bitset;
use crate::ids::StateId;
use crate::narrow;

/// The open states.
#[derive(Debug)]
pub(super) enum OpenStates {
    /// Ids are numbers.
    Dense {
        /// Per state: whether it is open.
        open: Vec<u64>,
        /// The open states: from the first of a run to before the last.
        runs: Vec<(u32, u32)>,
    },
    /// Ids are reused.
    Sparse {
        /// Per state: one more than its number, or 0 if it is not open.
        numbers: Vec<u32>,
        open: Vec<StateId>,
    },
}

impl OpenStates {
    /// None are open. Says whether ids are reused.
    pub(super) fn new(reused: bool) -> Self {
        match reused {
            false => Self::Dense {
                open: Vec::new(),
                runs: Vec::new(),
            },
            true => Self::Sparse {
                numbers: Vec::new(),
                open: Vec::new(),
            },
        }
    }

    /// A state is entered. Returns its number.
    #[inline]
    pub(super) fn enter(&mut self, id: StateId) -> u32 {
        match self {
            Self::Dense { open, runs } => {
                let number = narrow::short(id.index());
                bitset::insert_growing(open, id.index());
                match runs.last_mut() {
                    Some((_, end)) if *end == number => *end += 1,
                    last => {
                        debug_assert!(last.is_none_or(|(_, end)| *end < number), "ids grow");
                        frugal::push(runs, (number, number + 1));
                    }
                }
                number
            }
            Self::Sparse { numbers, open } => {
                if numbers.len() <= id.index() {
                    numbers.resize(id.index() + 1, 0);
                }
                open.push(id);
                let number = narrow::short(open.len());
                numbers[id.index()] = number;
                number - 1
            }
        }
    }

    /// The number of a state, if it is open.
    #[inline]
    pub(super) fn number(&self, id: StateId) -> Option<u32> {
        match self {
            Self::Dense { open, .. } => bitset::contains_growing(open, id.index()).then(|| narrow::short(id.index())),
            Self::Sparse { numbers, .. } => numbers.get(id.index())?.checked_sub(1),
        }
    }

    /// The open states from this number on are complete. Calls `release` with those whose ids may be reused.
    #[inline]
    pub(super) fn complete(&mut self, root: u32, mut release: impl FnMut(StateId)) {
        match self {
            Self::Dense { open, runs } => {
                while let Some((first, end)) = runs.last_mut().filter(|(_, end)| *end > root) {
                    let from = (*first).max(root);
                    clear(open, from as usize, *end as usize);
                    *end = from;
                    if *first == from {
                        runs.pop();
                    }
                }
            }
            Self::Sparse { numbers, open } => {
                for id in open.drain(root as usize..) {
                    numbers[id.index()] = 0;
                    release(id);
                }
            }
        }
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Dense { open, runs } => open.capacity() * 8 + runs.capacity() * 8,
            Self::Sparse { numbers, open } => (numbers.capacity() + open.capacity()) * 4,
        }
    }
}

/// Takes the members from `from` to before `to` out of a set.
fn clear(set: &mut [u64], from: usize, to: usize) {
    const BITS: usize = u64::BITS as usize;
    let (first, last) = (from / BITS, (to - 1) / BITS);
    let (low, high) = (u64::MAX << (from % BITS), u64::MAX >> (BITS - 1 - (to - 1) % BITS));
    if first == last {
        set[first] &= !(low & high);
        return;
    }
    set[first] &= !low;
    set[first + 1..last].fill(0);
    set[last] &= !high;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_agree_with_a_list() {
        let mut rng = fastrand::Rng::with_seed(9);
        for _ in 0..50 {
            let (mut dense, mut sparse) = (OpenStates::new(false), OpenStates::new(true));
            let mut open: Vec<StateId> = Vec::new();
            let mut entered = 0;
            for _ in 0..500 {
                if rng.u8(0..8) > 0 || open.is_empty() {
                    let id = StateId::new(entered);
                    entered += 1;
                    assert_eq!(dense.enter(id) as usize, id.index());
                    assert_eq!(sparse.enter(id) as usize, open.len());
                    open.push(id);
                } else {
                    let k = open.len() - 1 - rng.usize(..open.len().min(200));
                    dense.complete(narrow::short(open[k].index()), |_| ());
                    let mut released = Vec::new();
                    sparse.complete(narrow::short(k), |id| released.push(id));
                    assert_eq!(released, open[k..]);
                    open.truncate(k);
                }
                let id = StateId::new(rng.usize(..=entered));
                let place = open.iter().position(|o| *o == id);
                assert_eq!(dense.number(id).is_some(), place.is_some());
                assert_eq!(sparse.number(id).map(|n| n as usize), place);
            }
        }
    }
}
