//! The states of a depth-first search whose strongly connected component is not complete.
//!
//! They are numbered in the order in which they are entered, and leave in the opposite order: when a component is
//! complete, all open states from its root on are its members.
//!
//! If a store gives each new state the next id, the id is the number. Then the open states are a set of bits. A bit
//! for each word of the set says whether there is any, and so on: this finds the last member at once, however many states are
//! not open. A store that forgets states reuses ids; then a number is the place in the list of open states.

use super::frugal;
use crate::bitset;
use crate::ids::StateId;
use crate::narrow;

/// The open states.
#[derive(Debug)]
pub(super) enum OpenStates {
    /// Ids are numbers.
    Dense(Members),
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
            false => Self::Dense(Members::default()),
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
            Self::Dense(open) => {
                open.insert(id.index());
                narrow::short(id.index())
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
            Self::Dense(open) => open.contains(id.index()).then(|| narrow::short(id.index())),
            Self::Sparse { numbers, .. } => numbers.get(id.index())?.checked_sub(1),
        }
    }

    /// The open states from this number on are complete. Calls `release` with those whose ids may be reused.
    #[inline]
    pub(super) fn complete(&mut self, root: u32, mut release: impl FnMut(StateId)) {
        match self {
            Self::Dense(open) => open.remove_from(root as usize),
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
            Self::Dense(open) => open.levels.iter().map(|level| level.capacity() * 8).sum(),
            Self::Sparse { numbers, open } => (numbers.capacity() + open.capacity()) * 4,
        }
    }
}

/// A set of numbers. The first level has a bit for each number, each other one a bit for each word of the level below,
/// and the last is a single word.
#[derive(Debug, Default)]
pub(super) struct Members {
    levels: Vec<Vec<u64>>,
}

const BITS: usize = u64::BITS as usize;

impl Members {
    #[inline]
    fn contains(&self, number: usize) -> bool {
        self.levels
            .first()
            .is_some_and(|set| bitset::contains_growing(set, number))
    }

    #[inline]
    fn insert(&mut self, number: usize) {
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        let mut k = number;
        for set in &mut self.levels {
            if set.len() <= k / BITS {
                frugal::make_room(set, k / BITS + 1 - set.len());
                set.resize(k / BITS + 1, 0);
            }
            let any = set[k / BITS] != 0;
            bitset::insert(set, k);
            if any {
                return;
            }
            k /= BITS;
        }
        self.grow();
    }

    /// Puts levels on top until the last is a single word.
    #[cold]
    fn grow(&mut self) {
        while let Some(last) = self.levels.last().filter(|last| last.len() > 1) {
            let mut above = vec![0; bitset::words_for(last.len())];
            for (k, word) in last.iter().enumerate() {
                if *word != 0 {
                    bitset::insert(&mut above, k);
                }
            }
            self.levels.push(above);
        }
    }

    /// The word of the first level that has the last member.
    #[inline]
    fn last_word(&self) -> Option<usize> {
        let mut last = 0;
        for set in self.levels.iter().rev() {
            let word = set.get(last)?;
            last = last * BITS + word.checked_ilog2()? as usize;
        }
        Some(last / BITS)
    }

    /// Removes the members that are not below a number.
    #[inline]
    fn remove_from(&mut self, number: usize) {
        let first = number / BITS;
        while let Some(word) = self.last_word().filter(|word| *word >= first) {
            let kept = if word == first {
                !(u64::MAX << (number % BITS))
            } else {
                0
            };
            self.levels[0][word] &= kept;
            let (mut k, mut empty) = (word, self.levels[0][word] == 0);
            for set in &mut self.levels[1..] {
                if !empty {
                    break;
                }
                bitset::remove(set, k);
                k /= BITS;
                empty = set[k] == 0;
            }
            if word == first {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_agree_with_a_list() {
        let mut rng = fastrand::Rng::with_seed(9);
        for _ in 0..8 {
            let (mut dense, mut sparse) = (OpenStates::new(false), OpenStates::new(true));
            let mut open: Vec<StateId> = Vec::new();
            let mut entered = 0;
            for _ in 0..20_000 {
                if rng.u8(0..20) > 0 || open.is_empty() {
                    let id = StateId::new(entered);
                    entered += 1;
                    assert_eq!(dense.enter(id) as usize, id.index());
                    assert_eq!(sparse.enter(id) as usize, open.len());
                    open.push(id);
                } else {
                    let most = [1, 5, 100, 3000][rng.usize(..4)];
                    let k = open.len() - 1 - rng.usize(..open.len().min(most));
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
