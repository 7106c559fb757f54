//! Bit sets over small indices: transitions, processes, positions in a list of enabled transitions.
//!
//! A set is a slice of words, so that rows of a [`BitMatrix`], pieces of an
//! arena and owned [`BitSet`]s share one vocabulary.
//!
//! ```
//! use mazurka_core::bitset::{self, BitSet};
//!
//! let mut set = BitSet::new(100);
//! bitset::insert(&mut set, 70);
//! bitset::insert(&mut set, 3);
//! assert!(bitset::contains(&set, 70));
//! assert_eq!(bitset::iter(&set).collect::<Vec<_>>(), [3, 70]);
//! ```

/// Bits in a word.
const BITS: usize = u64::BITS as usize;

/// How many words hold `len` bits.
#[inline]
pub fn words_for(len: usize) -> usize {
    len.div_ceil(BITS)
}

/// Whether `set` has member `i`.
#[inline]
pub fn contains(set: &[u64], i: usize) -> bool {
    set[i / BITS] & (1 << (i % BITS)) != 0
}

/// Makes `i` a member of `set`.
#[inline]
pub fn insert(set: &mut [u64], i: usize) {
    set[i / BITS] |= 1 << (i % BITS);
}

/// Makes `i` a member of a set without a universe, which grows as needed.
#[inline]
pub(crate) fn insert_growing(set: &mut Vec<u64>, i: usize) {
    if set.len() <= i / BITS {
        set.resize(i / BITS + 1, 0);
    }
    insert(set, i);
}

/// Whether a set without a universe has member `i`.
#[inline]
pub(crate) fn contains_growing(set: &[u64], i: usize) -> bool {
    i / BITS < set.len() && contains(set, i)
}

/// Takes `i` out of `set`.
#[inline]
pub fn remove(set: &mut [u64], i: usize) {
    set[i / BITS] &= !(1 << (i % BITS));
}

/// Makes `set` the union of itself and `other`.
#[inline]
pub fn union(set: &mut [u64], other: &[u64]) {
    for (a, b) in set.iter_mut().zip(other) {
        *a |= b;
    }
}

/// Number of members.
#[inline]
pub fn len(set: &[u64]) -> usize {
    set.iter().map(|w| w.count_ones() as usize).sum()
}

/// Whether there is no member.
#[inline]
pub fn is_empty(set: &[u64]) -> bool {
    set.iter().all(|&w| w == 0)
}

/// Whether every member of `a` is one of `b`.
#[inline]
pub fn is_subset(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}

/// Whether `a` and `b` have a member in common.
#[inline]
pub fn intersects(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// Removes and returns the smallest member.
#[inline]
pub fn pop_first(set: &mut [u64]) -> Option<usize> {
    for (k, word) in set.iter_mut().enumerate() {
        if *word != 0 {
            let bit = word.trailing_zeros() as usize;
            *word &= *word - 1;
            return Some(k * BITS + bit);
        }
    }
    None
}

/// Removes and returns the largest member.
#[inline]
pub fn pop_last(set: &mut [u64]) -> Option<usize> {
    for (k, word) in set.iter_mut().enumerate().rev() {
        if *word != 0 {
            let bit = word.ilog2() as usize;
            *word &= !(1 << bit);
            return Some(k * BITS + bit);
        }
    }
    None
}

/// The members, ascending.
#[inline]
pub fn iter(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(k, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(k * BITS + bit)
        })
    })
}

/// An owned bit set; every operation of this module applies to it as a slice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    /// The empty set of a universe of `len` indices.
    pub fn new(len: usize) -> Self {
        Self(vec![0; words_for(len)])
    }

    /// Empties the set and gives it a universe of `len` indices; keeps its memory.
    #[inline]
    pub fn reset(&mut self, len: usize) {
        self.0.clear();
        self.0.resize(words_for(len), 0);
    }

    /// Makes it the set of all of `0..len`.
    #[inline]
    pub fn set_all(&mut self, len: usize) {
        self.0.clear();
        self.0.resize(words_for(len), u64::MAX);
        if !len.is_multiple_of(BITS) {
            *self.0.last_mut().expect("len > 0") = (1 << (len % BITS)) - 1;
        }
    }

    /// Makes it equal to `other`, keeping its memory.
    #[inline]
    pub fn copy_from(&mut self, other: &[u64]) {
        self.0.clear();
        self.0.extend_from_slice(other);
    }
}

impl std::ops::Deref for BitSet {
    type Target = [u64];
    #[inline]
    fn deref(&self) -> &[u64] {
        &self.0
    }
}

impl std::ops::DerefMut for BitSet {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

/// One bit set per row, all of one universe.
#[derive(Clone, Debug, Default)]
pub struct BitMatrix {
    words: usize,
    data: Vec<u64>,
}

impl BitMatrix {
    /// `rows` empty sets over `columns` indices.
    pub fn new(rows: usize, columns: usize) -> Self {
        let words = words_for(columns);
        Self {
            words,
            data: vec![0; rows * words],
        }
    }

    /// The set in row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> &[u64] {
        &self.data[i * self.words..(i + 1) * self.words]
    }

    /// The set in row `i`, to change.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [u64] {
        &mut self.data[i * self.words..(i + 1) * self.words]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_out_in_order_across_words() {
        let mut set = BitSet::new(200);
        for i in [199, 0, 64, 63, 128] {
            insert(&mut set, i);
        }
        assert_eq!(iter(&set).collect::<Vec<_>>(), [0, 63, 64, 128, 199]);
        assert_eq!(len(&set), 5);
        remove(&mut set, 64);
        let mut popped = vec![];
        while let Some(i) = pop_first(&mut set) {
            popped.push(i);
        }
        assert_eq!(popped, [0, 63, 128, 199]);
        popped.iter().for_each(|i| insert(&mut set, *i));
        let last = std::iter::from_fn(|| pop_last(&mut set));
        assert_eq!(last.collect::<Vec<_>>(), [199, 128, 63, 0]);
    }

    #[test]
    fn set_all_has_exactly_the_universe() {
        let mut set = BitSet::default();
        for len_ in [1, 63, 64, 65, 130] {
            set.set_all(len_);
            assert_eq!(len(&set), len_);
        }
    }

    #[test]
    fn subset_and_intersection() {
        let (mut a, mut b) = (BitSet::new(70), BitSet::new(70));
        insert(&mut a, 65);
        insert(&mut b, 65);
        insert(&mut b, 1);
        assert!(is_subset(&a, &b) && !is_subset(&b, &a) && intersects(&a, &b));
    }
}
