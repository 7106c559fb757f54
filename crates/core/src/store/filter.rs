//! Says of most states that are not stored that they are not: a Bloom filter that grows.
//!
//! A state has three bits in one word, which its hash chooses. If they are not all set, the state was never added. When a layer has
//! as many states as it has bytes, another one of twice its size, or eight times if it is small, takes the next ones. So there is about a byte for each state, one look
//! at each layer, and nothing is ever hashed again. About one of twenty states that are not there seems to be.

use crate::narrow;

/// A set of hashes that may seem to have more than it has.
#[derive(Debug, Default)]
pub(super) struct Filter {
    layers: Vec<Vec<u64>>,
    /// How many more states the last layer takes.
    room: usize,
}

/// The number of words of the first layer.
const FIRST: usize = 1 << 8;

/// Layers with fewer words than this are followed by one eight times as large.
const SMALL: usize = 1 << 12;

/// The three bits of a hash.
#[inline]
fn bits(hash: u64) -> u64 {
    1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63)
}

/// The word of a hash in a layer of so many words, which are a power of two.
#[inline]
fn word(hash: u64, words: usize) -> usize {
    narrow::index(hash >> 20) & (words - 1)
}

impl Filter {
    /// Whether a hash may have been added.
    #[inline]
    pub(super) fn may_have(&self, hash: u64) -> bool {
        let bits = bits(hash);
        let has = |layer: &Vec<u64>| layer[word(hash, layer.len())] & bits == bits;
        self.layers.iter().rev().any(has)
    }

    /// Adds a hash.
    #[inline]
    pub(super) fn add(&mut self, hash: u64) {
        if self.room == 0 {
            self.grow();
        }
        self.room -= 1;
        if let Some(layer) = self.layers.last_mut() {
            let word = word(hash, layer.len());
            layer[word] |= bits(hash);
        }
    }

    #[cold]
    fn grow(&mut self) {
        let words = self.layers.last().map_or(FIRST, |layer| match layer.len() {
            small if small < SMALL => 8 * small,
            words => 2 * words,
        });
        self.layers.push(vec![0; words]);
        self.room = 8 * words;
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.layers.iter().map(|layer| layer.capacity() * 8).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::hash;

    #[test]
    fn what_was_added_is_there_and_little_else() {
        let mut filter = Filter::default();
        assert!(!filter.may_have(hash(&[1])));
        let count = 300_000_u32;
        for k in 0..count {
            filter.add(hash(&k.to_le_bytes()));
        }
        assert!((0..count).all(|k| filter.may_have(hash(&k.to_le_bytes()))));
        let wrong = (count..2 * count)
            .filter(|k| filter.may_have(hash(&k.to_le_bytes())))
            .count();
        assert!(wrong < 300_000 / 8, "{wrong}");
        assert!(filter.bytes() < 3 * 300_000, "{}", filter.bytes());
    }
}
