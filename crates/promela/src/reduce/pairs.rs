//! Which edges of one process conflict with which of another, for each pair of kinds of processes.
//!
//! None of this depends on the state, so it is computed once, when two kinds of processes first meet.

use super::instance::Instance;
use mazurka_core::bitset;

/// Tables are kept for this many kinds of processes.
const MOST: usize = 64;

/// The tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// By the serial numbers of the two kinds.
    tables: Vec<Vec<Option<Box<[u64]>>>>,
}

impl Pairs {
    /// The edges of `other` that lead to an operation in conflict with `edge` of `one`, as a bit set of so many `words`.
    /// `None` if there are too many kinds of processes.
    pub(super) fn conflicts(
        &mut self,
        one: &Instance,
        edge: usize,
        spare: bool,
        other: &Instance,
        words: usize,
    ) -> Option<&[u64]> {
        let (i, j) = (one.serial, other.serial);
        if i.max(j) >= MOST {
            return None;
        }
        if self.tables.len() <= i {
            self.tables.resize_with(i + 1, Vec::new);
        }
        let row = &mut self.tables[i];
        if row.len() <= j {
            row.resize_with(j + 1, || None);
        }
        let table = row[j].get_or_insert_with(|| table(one, other, words));
        let at = (2 * edge + usize::from(spare)) * words;
        Some(&table[at..at + words])
    }
}

fn table(one: &Instance, other: &Instance, words: usize) -> Box<[u64]> {
    let mut table = vec![0; 2 * one.edges() * words];
    for (k, row) in table.chunks_mut(words).enumerate() {
        for operation in bitset::iter(one.hits_with(k / 2, k % 2 == 1)) {
            for edge in other.leading_to(operation) {
                bitset::insert(row, *edge as usize);
            }
        }
    }
    table.into()
}
