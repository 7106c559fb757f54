//! An index: from hashes to the places of what has them.
//!
//! An entry has four bytes: the place, and in the bits above it as much of the hash as there is room for. Sixteen
//! entries are a bucket, which is a line of the cache. An entry lies in the bucket that its hash names or, if that is
//! full, in the next that is not, so a bucket with room ends every search. Nothing is ever removed.
//!
//! The bucket is the hash scaled to their number. This keeps the order of hashes, so the index can grow by a third where it
//! is: going through the buckets from the last to the first, each entry moves to a bucket at its place or after it, all
//! of which were emptied before. It is between 64% and 85% full, and it never needs memory for two copies.

use crate::narrow;

const ENTRIES: usize = 16;

/// A line of the cache. Entries fill it from the first on; 0 is none.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([u32; ENTRIES]);

/// A chunk has 2^SHIFT buckets.
const SHIFT: u32 = 10;

/// An index of places, which are numbers from 0 on in the order in which they are added.
#[derive(Debug, Default)]
pub(super) struct Index {
    chunks: Vec<Vec<Bucket>>,
    /// How many buckets hashes name. There may be more: the last ones may overflow.
    named: u64,
    len: usize,
    /// How many entries there may be before it grows.
    room: usize,
    /// The bits of a place and of one more.
    place_bits: u32,
}

impl Index {
    #[inline]
    fn home(&self, hash: u64) -> usize {
        narrow::index(narrow::words(u128::from(hash) * u128::from(self.named)).0)
    }

    /// The bits of the hash that are in an entry, where they are there.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        narrow::halves(hash << self.place_bits).1
    }

    #[inline]
    fn bucket(&self, k: usize) -> Option<&Bucket> {
        self.chunks.get(k >> SHIFT)?.get(k & ((1 << SHIFT) - 1))
    }

    /// The place with this hash that is the right one.
    #[inline]
    pub(super) fn find(&self, hash: u64, mut is_right: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut k = self.home(hash);
        let tag = self.tag(hash);
        let place = narrow::halves((1_u64 << self.place_bits) - 1).1;
        while let Some(Bucket(entries)) = self.bucket(k) {
            // A byte for each entry, so that all are compared at once.
            let alike = entries.map(|entry| u8::from((entry ^ tag) & !place == 0));
            let mut alike = u128::from_le_bytes(alike);
            while alike != 0 {
                let found = (entries[alike.trailing_zeros() as usize / 8] & place).wrapping_sub(1);
                if found != u32::MAX && is_right(found) {
                    return Some(found);
                }
                alike &= alike - 1;
            }
            if entries[ENTRIES - 1] == 0 {
                return None;
            }
            k += 1;
        }
        None
    }

    /// Adds the next place, whose hash is given; those of all others are asked for when it grows. There are fewer than 2^32 - 1.
    #[inline]
    pub(super) fn push(&mut self, hash: u64, hash_of: impl Fn(u32) -> u64) {
        if self.len == self.room {
            self.grow(hash_of);
        }
        let place = narrow::short(self.len);
        self.put(hash, place);
        self.len += 1;
    }

    #[inline]
    fn put(&mut self, hash: u64, place: u32) {
        let entry = self.tag(hash) | (place + 1);
        let mut k = self.home(hash);
        loop {
            if k >> SHIFT == self.chunks.len() {
                self.chunks.push(Vec::new());
            }
            let chunk = &mut self.chunks[k >> SHIFT];
            let within = k & ((1 << SHIFT) - 1);
            if within == chunk.len() {
                chunk.push(Bucket::default());
            }
            let Bucket(entries) = &mut chunk[within];
            if entries[ENTRIES - 1] == 0 {
                let free = entries.iter().position(|entry| *entry == 0);
                entries[free.unwrap_or(ENTRIES - 1)] = entry;
                return;
            }
            k += 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, hash_of: impl Fn(u32) -> u64) {
        let before: usize = self.chunks.iter().map(Vec::len).sum();
        let place_of = (1_u64 << self.place_bits) - 1;
        let small = self.named < 1 << SHIFT;
        let named = if small {
            self.named * 2
        } else {
            self.named + self.named / 3
        };
        self.named = named.max(1);
        let buckets = narrow::index(self.named);
        self.room = buckets * ENTRIES * 85 / 100;
        self.place_bits = usize::BITS - self.room.min(u32::MAX as usize).leading_zeros();
        self.reserve(buckets);
        let mut late = Vec::new();
        for k in (0..before).rev() {
            let Bucket(entries) = std::mem::take(&mut self.chunks[k >> SHIFT][k & ((1 << SHIFT) - 1)]);
            let mut hashes = [0; ENTRIES];
            for (hash, entry) in hashes.iter_mut().zip(entries).filter(|(_, entry)| *entry != 0) {
                *hash = hash_of(narrow::halves(u64::from(entry) & place_of).1 - 1);
            }
            for (hash, entry) in hashes.into_iter().zip(entries).filter(|(_, entry)| *entry != 0) {
                let place = narrow::halves(u64::from(entry) & place_of).1 - 1;
                // An entry that had overflowed may belong before its bucket, where it is not empty yet.
                match self.home(hash) >= k {
                    true => self.put(hash, place),
                    false => late.push((hash, place)),
                }
            }
        }
        for (hash, place) in late {
            self.put(hash, place);
        }
    }

    /// Makes sure that there are so many buckets.
    fn reserve(&mut self, buckets: usize) {
        let chunks = buckets.div_ceil(1 << SHIFT);
        while self.chunks.len() < chunks {
            self.chunks.push(Vec::new());
        }
        for (k, chunk) in self.chunks.iter_mut().enumerate() {
            let wanted = buckets.saturating_sub(k << SHIFT).min(1 << SHIFT);
            if chunk.len() < wanted {
                chunk.reserve_exact(wanted - chunk.len());
                chunk.resize(wanted, Bucket::default());
            }
        }
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        let buckets: usize = self.chunks.iter().map(Vec::capacity).sum();
        buckets * size_of::<Bucket>() + self.chunks.capacity() * size_of::<Vec<Bucket>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds places with these hashes and finds each again.
    fn all_are_found(hashes: &[u64]) {
        let mut index = Index::default();
        for (k, hash) in hashes.iter().enumerate() {
            assert_eq!(index.find(*hash, |place| place as usize == k), None);
            index.push(*hash, |place| hashes[place as usize]);
            if k % 97 == 0 || k < 40 {
                for (j, hash) in hashes[..=k].iter().enumerate() {
                    assert_eq!(
                        index.find(*hash, |place| place as usize == j).map(|p| p as usize),
                        Some(j)
                    );
                }
            }
        }
        for (j, hash) in hashes.iter().enumerate() {
            assert_eq!(
                index.find(*hash, |place| place as usize == j).map(|p| p as usize),
                Some(j)
            );
        }
    }

    #[test]
    fn places_are_found_however_hashes_are_distributed() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut of = |hash: &dyn Fn(&mut fastrand::Rng) -> u64, n| (0..n).map(|_| hash(&mut rng)).collect::<Vec<_>>();
        all_are_found(&of(&|rng| rng.u64(..), 3000));
        all_are_found(&of(&|_| 0, 300));
        all_are_found(&of(&|_| u64::MAX, 300));
        all_are_found(&of(&|rng| rng.u64(..) >> 7, 1000));
        all_are_found(&of(&|rng| !(rng.u64(..) >> 9), 1000));
        all_are_found(&of(&|rng| [1, 1 << 62, u64::MAX][rng.usize(..3)], 700));
    }

    #[test]
    fn the_wrong_places_are_few() {
        let mut rng = fastrand::Rng::with_seed(6);
        let hashes: Vec<u64> = (0..300_000).map(|_| rng.u64(..)).collect();
        let mut index = Index::default();
        for hash in &hashes {
            index.push(*hash, |place| hashes[place as usize]);
        }
        let mut wrong = 0;
        for _ in 0..100_000 {
            index.find(rng.u64(..), |_| {
                wrong += 1;
                false
            });
        }
        assert!(wrong < 2000, "{wrong}");
        assert!(index.bytes() < 300_000 * 13 / 2, "{}", index.bytes());
    }
}
