//! Buckets of an index: lines of the cache that hold as many entries as fit.
//!
//! An entry is a place, plus one, in its lowest bits, and a tag above it. Entries fill a bucket from the first on; 0 is none. A narrow
//! entry has four bytes and a wide one six, so that many places leave bits to the tag. The highest bytes of the entries lie
//! side by side, and are compared all at once.

use crate::narrow;

/// A line of the cache with entries.
pub(super) trait Bucket: Copy + Default {
    /// How many entries it holds.
    const ENTRIES: usize;
    /// The bits of an entry.
    const BITS: u32;

    /// The k-th entry.
    fn get(&self, k: usize) -> u64;

    fn set(&mut self, k: usize, entry: u64);

    /// The highest bytes of the entries, which may be followed by others.
    fn high(&self) -> [u8; 16];

    /// Has a bit for each entry whose highest byte is that of this one, the eighth of its byte, and perhaps others.
    #[inline(always)]
    fn alike(&self, entry: u64) -> u128 {
        const ONES: u64 = u64::MAX / 255;
        let all = ONES * (entry >> (Self::BITS - 8));
        let differ = u128::from_le_bytes(self.high()) ^ (u128::from(all) << 64 | u128::from(all));
        let ones = u128::from(ONES) << 64 | u128::from(ONES);
        differ.wrapping_sub(ones) & !differ & (ones << 7)
    }

    /// How many entries there are.
    #[inline(always)]
    fn count(&self) -> usize {
        let mut count = 0;
        for step in [16, 8, 4, 2, 1] {
            if count + step <= Self::ENTRIES && self.get(count + step - 1) != 0 {
                count += step;
            }
        }
        count
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.get(Self::ENTRIES - 1) != 0
    }
}

/// A bucket of entries of 32 bits, from the highest on.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Narrow {
    high: [u8; 16],
    middle: [u8; 16],
    low: [u16; 16],
}

/// A bucket of entries of 48 bits.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Wide {
    high: [u8; 10],
    middle: [u8; 10],
    low: [u32; 10],
}

/// Eight bits of an entry from there on.
#[inline(always)]
fn byte(entry: u64, from: u32) -> u8 {
    narrow::low_byte(narrow::index(entry >> from & 0xff))
}

impl Bucket for Narrow {
    const ENTRIES: usize = 16;
    const BITS: u32 = 32;

    #[inline(always)]
    fn get(&self, k: usize) -> u64 {
        u64::from(self.high[k]) << 24 | u64::from(self.middle[k]) << 16 | u64::from(self.low[k])
    }

    #[inline(always)]
    fn set(&mut self, k: usize, entry: u64) {
        self.high[k] = byte(entry, 24);
        self.middle[k] = byte(entry, 16);
        self.low[k] = u16::from_le_bytes([byte(entry, 0), byte(entry, 8)]);
    }

    #[inline(always)]
    fn high(&self) -> [u8; 16] {
        self.high
    }
}

impl Bucket for Wide {
    const ENTRIES: usize = 10;
    const BITS: u32 = 48;

    #[inline(always)]
    fn get(&self, k: usize) -> u64 {
        u64::from(self.high[k]) << 40 | u64::from(self.middle[k]) << 32 | u64::from(self.low[k])
    }

    #[inline(always)]
    fn set(&mut self, k: usize, entry: u64) {
        self.high[k] = byte(entry, 40);
        self.middle[k] = byte(entry, 32);
        self.low[k] = narrow::halves(entry).1;
    }

    #[inline(always)]
    fn high(&self) -> [u8; 16] {
        let mut high = [0; 16];
        high[..10].copy_from_slice(&self.high);
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries_are_kept_and_found_by_their_highest_bytes<B: Bucket>() {
        let mut rng = fastrand::Rng::with_seed(8);
        for _ in 0..2000 {
            let mut bucket = B::default();
            assert_eq!(size_of::<B>(), 64);
            let count = rng.usize(0..=B::ENTRIES);
            let highest = rng.u64(0..250);
            let entries: Vec<u64> = (0..count)
                .map(|_| (highest + rng.u64(0..4)) << (B::BITS - 8) | rng.u64(1..1 << (B::BITS - 8)))
                .collect();
            for (k, entry) in entries.iter().enumerate() {
                assert_eq!(bucket.count(), k);
                assert!(!bucket.is_full());
                bucket.set(k, *entry);
            }
            assert_eq!((bucket.count(), bucket.is_full()), (count, count == B::ENTRIES));
            let wanted = highest << (B::BITS - 8);
            let alike = bucket.alike(wanted);
            for (k, entry) in entries.iter().enumerate() {
                assert_eq!(bucket.get(k), *entry);
                let is = entry >> (B::BITS - 8) == highest;
                assert!(!is || alike >> (8 * k + 7) & 1 == 1);
            }
        }
    }

    #[test]
    fn narrow_entries() {
        entries_are_kept_and_found_by_their_highest_bytes::<Narrow>();
    }

    #[test]
    fn wide_entries() {
        entries_are_kept_and_found_by_their_highest_bytes::<Wide>();
    }
}
