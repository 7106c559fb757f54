//! Freeze sets as a basis: at most as many rows as components, updated in quadratic time.
//!
//! Freeze sets are closed under union and intersection (Lemma 2 of the paper), so the smallest
//! freeze set `U(i)` with member `i` exists if there is any, and every freeze set is a
//! union of such sets (Proposition 1). Row `i` is `U(i)`, empty if there is none. The snapshot was
//! passed when the union of the rows has all components, that is, when no row is empty. No single
//! row needs to have them all.
//!
//! **The update.** The paper gives rules 1-4 for a set `C` of sets between the new basis and the new freeze
//! sets, from which non-trivial unions are then removed (4.2). With the rows `U(i)` that becomes
//! simpler. Let `A` be the participants and `W` the union of `U(x)` over `x` in `A`, which exists
//! if none of these is empty.
//!
//! * `i` in `A`, its conjunct holds after the step: `{i}` is frozen by extension, and nothing is smaller.
//! * `i` in `A` otherwise: a new freeze set with `i` comes from propagation, so it is an old one
//!   that contains `A`, hence every `U(x)`, hence `W`, which is one itself.
//! * `i` not in `A`, and `U(i)` has no member of `A`: extension keeps it, and every new freeze set with
//!   `i` contains an old one.
//! * `i` not in `A`, and `U(i)` has a member of `A`: no set with `i` can be extended, as it would have
//!   that participant too, so a new one contains `U(i)` and `A`, hence `W`; and `U(i) ∪ W` is one.
//!   Without `W` the row is lost. (If `U(i)` has all of `A`, it contains `W` already: rule 2.)
//!
//! So a step costs a few operations on words for each row. `tests/it/snapshots.rs` compares with the
//! rules as they are printed, with freeze sets and with the tracker.

use mazurka_core::bitset;

use super::{ComponentId, SnapshotAutomaton};

/// The basis of the freeze sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreezeBasis {
    components: usize,
    words: usize,
    /// Row after row, `words` each.
    rows: Vec<u64>,
    /// How many rows are empty.
    open: usize,
    union: Vec<u64>,
}

impl FreezeBasis {
    /// The automaton before the first step, where the conjuncts of `satisfied` hold.
    ///
    /// ```
    /// use mazurka_logic::snapshot::{FreezeBasis, SnapshotAutomaton};
    /// // Two processes. Only the conjunct of the first holds at first.
    /// let mut basis = FreezeBasis::new(2, &[0b01]);
    /// // The first moves on, and its conjunct does not hold any more. Then the second's does.
    /// basis.step(&[0b01], &[0b00]);
    /// basis.step(&[0b10], &[0b10]);
    /// // They never met, so the second could have been faster.
    /// assert!(basis.is_passed());
    /// ```
    pub fn new(components: usize, satisfied: &[u64]) -> Self {
        let words = bitset::words_for(components);
        let mut basis = Self {
            components,
            words,
            rows: vec![0; components * words],
            open: components,
            union: vec![0; words],
        };
        for i in bitset::iter(satisfied).filter(|i| *i < components) {
            bitset::insert(basis.row_mut(i), i);
            basis.open -= 1;
        }
        basis
    }

    /// The smallest freeze set with a member; empty if there is none.
    pub fn smallest(&self, member: ComponentId) -> &[u64] {
        self.row(member.index())
    }

    fn row(&self, i: usize) -> &[u64] {
        &self.rows[i * self.words..(i + 1) * self.words]
    }

    fn row_mut(&mut self, i: usize) -> &mut [u64] {
        &mut self.rows[i * self.words..(i + 1) * self.words]
    }

    /// The number of components.
    pub fn components(&self) -> usize {
        self.components
    }

    /// The members of the basis, each once.
    pub fn sets(&self) -> Vec<Vec<u64>> {
        let mut sets: Vec<_> = (0..self.components).map(|i| self.row(i).to_vec()).collect();
        sets.retain(|set| !bitset::is_empty(set));
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// Grows to this many components. The conjuncts of the new ones always hold, and they have not taken part in any step.
    pub fn grow(&mut self, components: usize) {
        if components <= self.components {
            return;
        }
        let old = std::mem::replace(self, Self::new(components, &[]));
        let kept = old.words;
        for i in 0..old.components {
            self.row_mut(i)[..kept].copy_from_slice(old.row(i));
        }
        for i in old.components..self.components {
            bitset::insert(self.row_mut(i), i);
        }
        self.open = old.open;
    }

    /// Appends the basis as bytes: equal bases with equally many components have equal bytes. If the snapshot
    /// was passed, only that fact is kept.
    pub fn encode(&self, out: &mut Vec<u8>) {
        if self.is_passed() {
            out.push(PASSED);
            return;
        }
        out.push(0);
        // What kind each row is, two bits each, then those that are neither empty nor `{i}`.
        let kinds = out.len();
        out.resize(kinds + self.components.div_ceil(4), 0);
        let width = self.components.div_ceil(8);
        for i in 0..self.components {
            let row = self.row(i);
            let kind = match bitset::len(row) {
                0 => EMPTY,
                1 => ALONE,
                _ => FULL,
            };
            out[kinds + i / 4] |= kind << (i % 4 * 2);
            if kind == FULL {
                let bytes = row.iter().flat_map(|word| word.to_le_bytes());
                out.extend(bytes.take(width));
            }
        }
    }

    /// Replaces `self` by what `encode` wrote for equally many components, and returns the number of bytes read.
    /// If the snapshot was passed, the rows are `{i}` for all `i`.
    ///
    /// # Panics
    /// If the bytes are not those of an encoding.
    pub fn decode(&mut self, bytes: &[u8]) -> usize {
        self.rows.fill(0);
        self.open = 0;
        if bytes[0] == PASSED {
            for i in 0..self.components {
                bitset::insert(self.row_mut(i), i);
            }
            return 1;
        }
        let width = self.components.div_ceil(8);
        let mut at = 1 + self.components.div_ceil(4);
        for i in 0..self.components {
            match bytes[1 + i / 4] >> (i % 4 * 2) & 3 {
                EMPTY => self.open += 1,
                ALONE => bitset::insert(self.row_mut(i), i),
                _ => {
                    for (k, byte) in bytes[at..at + width].iter().enumerate() {
                        self.row_mut(i)[k / 8] |= u64::from(*byte) << (k % 8 * 8);
                    }
                    at += width;
                }
            }
        }
        at
    }
}

/// The first byte when the snapshot was passed.
const PASSED: u8 = 1;
const EMPTY: u8 = 0;
const ALONE: u8 = 1;
const FULL: u8 = 2;

impl SnapshotAutomaton for FreezeBasis {
    fn step(&mut self, participants: &[u64], satisfied: &[u64]) {
        if self.is_passed() {
            return;
        }
        let mut union = std::mem::take(&mut self.union);
        union.fill(0);
        let mut exists = true;
        for x in bitset::iter(participants) {
            exists &= !bitset::is_empty(self.row(x));
            bitset::union(&mut union, self.row(x));
        }
        self.open = 0;
        for i in 0..self.components {
            let takes_part = bitset::contains(participants, i);
            let holds = takes_part && bitset::contains(satisfied, i);
            let row = &mut self.rows[i * self.words..(i + 1) * self.words];
            if holds {
                row.fill(0);
                bitset::insert(row, i);
            } else if takes_part || bitset::intersects(row, participants) {
                match exists {
                    true => bitset::union(row, &union),
                    false => row.fill(0),
                }
            }
            self.open += usize::from(bitset::is_empty(row));
        }
        self.union = union;
    }

    fn is_passed(&self) -> bool {
        self.open == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(basis: &FreezeBasis) -> Vec<u64> {
        basis.sets().iter().map(|set| set[0]).collect()
    }

    #[test]
    fn a_snapshot_may_be_passed_before_the_first_step() {
        let basis = FreezeBasis::new(2, &[0b11]);
        // No row has everybody, their union has.
        assert_eq!(sets(&basis), [0b01, 0b10]);
        assert!(basis.is_passed());
        assert!(!FreezeBasis::new(2, &[0b10]).is_passed());
        assert!(FreezeBasis::new(0, &[]).is_passed());
    }

    #[test]
    fn participants_that_satisfy_are_frozen_one_by_one() {
        // Rule 4 adds singletons. If {0, 1} were one row, 0 could not move on without losing 1.
        let mut basis = FreezeBasis::new(3, &[0]);
        basis.step(&[0b011], &[0b011]);
        assert_eq!(sets(&basis), [0b001, 0b010]);
        basis.step(&[0b101], &[0b100]);
        assert_eq!(sets(&basis), [0b010, 0b100]);
    }

    #[test]
    fn a_set_that_is_cut_takes_in_the_other_participants_or_is_lost() {
        // 0, 1 and 2 are frozen, 3 is not. 0 meets 1 and fails: each is frozen only together now.
        let mut basis = FreezeBasis::new(4, &[0b0111]);
        basis.step(&[0b0011], &[0]);
        assert_eq!(sets(&basis), [0b0011, 0b0100]);
        // 1 meets 2: the set of 0 is cut, and takes in 2.
        basis.step(&[0b0110], &[0]);
        assert_eq!(sets(&basis), [0b0111]);
        // 2 meets 3, which is not frozen: all is lost.
        basis.step(&[0b1100], &[0]);
        assert_eq!(sets(&basis), []);
    }

    #[test]
    fn bytes_are_read_back_and_grow() {
        let mut basis = FreezeBasis::new(70, &[u64::MAX, 0b1111]);
        basis.step(&[0b11, 0b10], &[0, 0]);
        for components in [70, 75, 130] {
            basis.grow(components);
            assert_eq!(basis.components(), components);
            let mut bytes = vec![];
            basis.encode(&mut bytes);
            let mut read = FreezeBasis::new(components, &[]);
            assert_eq!(read.decode(&bytes), bytes.len());
            assert_eq!(read.sets(), basis.sets());
            assert_eq!(read.is_passed(), basis.is_passed());
            let last = ComponentId::new(components - 1);
            assert!(bitset::contains(read.smallest(last), last.index()) || components == 70);
        }
        let mut bytes = vec![];
        FreezeBasis::new(2, &[0b11]).encode(&mut bytes);
        assert_eq!(bytes, [PASSED]);
        let mut read = FreezeBasis::new(2, &[]);
        read.decode(&bytes);
        assert!(read.is_passed());
    }
}
