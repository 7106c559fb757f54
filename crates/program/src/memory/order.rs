//! What is known of the modification order of one location.
//!
//! The search does not choose modification orders. Two executions whose reads see the same writes are the same to it, and all that
//! matters is that *some* modification order makes the execution consistent. [`Order`] holds the part of it that coherence
//! forces, closed under transitivity.
//!
//! An update comes directly after the write that it reads. So writes form *chains*, which nothing can come between, and if
//! something comes before a member of another chain, all of its own chain comes before all of that chain. A relation between
//! chains that is closed in this way and has no cycle can be extended to a modification order.

use crate::narrow::short;

/// A relation among the writes of a location, which are numbered as they happen.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// How many words a row has.
    words: usize,
    /// For each write, the writes that come before it, as bits.
    rows: Vec<u64>,
    /// For each write, the first write of its chain.
    chains: Vec<u32>,
    /// For each write, the update that reads it, or [`NONE`].
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Order {
    /// Forgets all writes.
    pub(super) fn clear(&mut self) {
        self.words = 0;
        self.rows.clear();
        self.chains.clear();
        self.next.clear();
    }

    fn row(&self, write: u32) -> &[u64] {
        let start = write as usize * self.words;
        &self.rows[start..start + self.words]
    }

    fn set(&mut self, first: u32, second: u32) {
        let start = second as usize * self.words;
        self.rows[start + first as usize / 64] |= 1 << (first % 64);
    }

    /// True if `first` comes before `second`.
    pub(super) fn before(&self, first: u32, second: u32) -> bool {
        self.row(second)[first as usize / 64] >> (first % 64) & 1 == 1
    }

    /// The writes that come before some of these, as bits.
    pub(super) fn before_any(&self, writes: &[u32], into: &mut Vec<u64>) {
        into.clear();
        into.resize(self.words, 0);
        for write in writes {
            for (all, some) in into.iter_mut().zip(self.row(*write)) {
                *all |= some;
            }
        }
    }

    /// True if both are in one chain.
    pub(super) fn chained(&self, a: u32, b: u32) -> bool {
        self.chains[a as usize] == self.chains[b as usize]
    }

    /// True if an update reads this write, so that no other can.
    pub(super) fn is_claimed(&self, write: u32) -> bool {
        self.next[write as usize] != NONE
    }

    /// How many writes there are.
    pub(super) fn len(&self) -> u32 {
        short(self.chains.len())
    }

    fn add(&mut self, chain: Option<u32>) -> u32 {
        let write = self.len();
        if write as usize / 64 >= self.words {
            // Twice as many, so that each row is copied only a few times.
            let words = (2 * self.words).max(1);
            let mut rows = vec![0; words * self.chains.len()];
            for (from, to) in self.rows.chunks(self.words.max(1)).zip(rows.chunks_mut(words)) {
                to[..from.len()].copy_from_slice(from);
            }
            (self.rows, self.words) = (rows, words);
        }
        self.rows.resize((write as usize + 1) * self.words, 0);
        self.chains.push(chain.unwrap_or(write));
        self.next.push(NONE);
        write
    }

    /// Makes the row of `write` contain what comes before `other`, and `other` itself.
    fn inherit(&mut self, write: u32, other: u32) {
        let (from, to) = (other as usize * self.words, write as usize * self.words);
        for i in 0..self.words {
            self.rows[to + i] |= self.rows[from + i];
        }
        self.set(other, write);
    }

    /// Adds a write that comes after these, and after their chains. It begins a chain.
    pub(super) fn write(&mut self, after: &[u32]) -> u32 {
        let write = self.add(None);
        for &other in after {
            let mut member = other;
            while member != NONE {
                if !self.before(member, write) {
                    self.inherit(write, member);
                }
                member = self.next[member as usize];
            }
        }
        write
    }

    /// Adds a write that comes directly after `source`, the last of its chain.
    pub(super) fn update(&mut self, source: u32) -> u32 {
        let write = self.add(Some(self.chains[source as usize]));
        self.next[source as usize] = write;
        self.inherit(write, source);
        for other in 0..write {
            if self.before(source, other) {
                self.set(write, other);
            }
        }
        write
    }

    /// Makes the chain of `first` come before that of `second`. They must be possible in this order.
    pub(super) fn force(&mut self, first: u32, second: u32) {
        if self.chained(first, second) || self.before(first, second) {
            return;
        }
        let all = 0..self.len();
        let later: Vec<u32> = all
            .clone()
            .filter(|w| self.chained(*w, second) || self.before(second, *w))
            .collect();
        let chain: Vec<u32> = all.filter(|w| self.chained(*w, first)).collect();
        for write in later {
            for member in &chain {
                self.inherit(write, *member);
            }
        }
    }

    /// Two writes of different chains whose order is open.
    pub(super) fn open(&self) -> Option<(u32, u32)> {
        let last = self.len();
        (0..last).find_map(|a| {
            let other = (a + 1..last).find(|b| !self.chained(a, *b) && !self.before(a, *b) && !self.before(*b, a))?;
            Some((a, other))
        })
    }

    /// True if all others come before this one.
    pub(super) fn is_last(&self, write: u32) -> bool {
        (0..self.len()).all(|other| other == write || self.before(other, write))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_stay_together() {
        let mut order = Order::default();
        let first = order.write(&[]);
        let a = order.write(&[first]);
        let b = order.write(&[first]);
        let a2 = order.update(a);
        assert_eq!(order.open(), Some((a, b)));
        order.force(b, a2);
        assert!(order.before(b, a) && order.before(b, a2) && order.before(a, a2) && order.before(first, b));
        assert_eq!(order.open(), None);
        assert!(order.is_last(a2) && !order.is_last(a));
        let b2 = order.update(b);
        assert!(order.before(b2, a) && order.before(b2, a2));
        let last = order.write(&[a]);
        assert!(order.before(a2, last));
    }

    #[test]
    fn there_can_be_many() {
        let mut order = Order::default();
        let mut last = order.write(&[]);
        for i in 0..200 {
            last = if i % 3 == 0 {
                order.update(last)
            } else {
                order.write(&[last])
            };
        }
        assert!((0..200).all(|w| order.before(w, last) && !order.before(last, w)));
        assert_eq!(order.open(), None);
    }
}
