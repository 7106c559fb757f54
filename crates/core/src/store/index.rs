//! An index: from numbers to the places of what has them.
//!
//! An entry has the place, and in the bits above it, its tag, as many of the lowest bits of the number as there is room for.
//! Entries are in [buckets](super::bucket), which are lines of the cache. An entry lies in the bucket that the highest bits of its number name or, if that is
//! full, in the next that is not, so a bucket with room ends every search. Nothing is ever removed.
//!
//! The bucket is the number scaled to their count. This keeps the order of numbers, so the index can grow by a third where it
//! is: going through the buckets from the last to the first, each entry moves to a bucket at its place or after it, all
//! of which were emptied before. It is between 64% and 85% full, and it never needs memory for two copies.
//!
//! **Exactness** (Cleary 1984). The numbers that belong in a bucket are neighbours, and those of the entries that are there belong there or in
//! the few buckets before it. If the tags of so many neighbours differ, then an entry with the right tag has the right number. If no two
//! things have the same number, there is no need to look at the thing itself, which would be somewhere else in memory; and the number of an entry
//! is known from where it lies, so that growing needs nothing but the index. Van der Vegt and Laarman (2011) store trees in
//! such a table. Unlike theirs, ours needs no bits that say how far an entry is from its bucket, since it remembers how far any is.

use super::bucket::{Bucket, Narrow, Wide};
use crate::narrow;

/// A chunk has 2^SHIFT buckets.
const SHIFT: u32 = 15;

/// Up to this many buckets their number doubles, beyond it grows by a third.
const SMALL: u64 = 1 << 10;

/// With as many places as this, entries become wide.
const MANY: usize = 1 << 23;

/// An index of places, which are numbers from 0 on in the order in which they are added.
#[derive(Debug)]
pub(super) struct Index {
    table: Table,
    /// See [`MANY`].
    many: usize,
}

#[derive(Debug)]
enum Table {
    Narrow(Buckets<Narrow>),
    Wide(Buckets<Wide>),
}

impl Default for Index {
    fn default() -> Self {
        Self {
            table: Table::Narrow(Buckets::new(64)),
            many: MANY,
        }
    }
}

/// Does the same with either width.
macro_rules! with {
    ($table:expr, $buckets:ident => $result:expr) => {
        match $table {
            Table::Narrow($buckets) => $result,
            Table::Wide($buckets) => $result,
        }
    };
}

impl Index {
    /// The place with this number that is the right one.
    #[inline]
    pub(super) fn find(&self, number: u64, is_right: impl FnMut(u32) -> bool) -> Option<u32> {
        with!(&self.table, buckets => buckets.find(number, is_right))
    }

    /// Entries where those with this number begin, and in the bucket after that, where one in five searches goes on.
    #[inline]
    pub(super) fn touch(&self, number: u64) -> u64 {
        with!(&self.table, buckets => {
            let home = buckets.home(number);
            let first = |k| buckets.bucket(k).map_or(0, |bucket| bucket.get(0));
            first(home).wrapping_add(first(home + 1))
        })
    }

    /// Whether it has to grow before another place is added.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        with!(&self.table, buckets => buckets.len == buckets.room)
    }

    /// Adds the next place, whose number is given. There are fewer than 2^32 - 1.
    #[inline]
    pub(super) fn push(&mut self, number: u64) {
        with!(&mut self.table, buckets => {
            let place = narrow::short(buckets.len);
            buckets.put(number, place);
            buckets.len += 1;
        });
    }

    /// Numbers of up to so many bits are told apart by their tags in this index, or when it has grown, unless entries lie far from their buckets.
    pub(super) fn bits_to_tell_apart(&self, larger: bool) -> u32 {
        let named = with!(&self.table, buckets => if larger { buckets.next() } else { buckets.named });
        match &self.table {
            Table::Narrow(_) if !(larger && self.is_to_be_wide()) => bits_to_tell_apart::<Narrow>(named),
            Table::Narrow(_) => bits_to_tell_apart::<Wide>(widened(named)),
            Table::Wide(_) => bits_to_tell_apart::<Wide>(named),
        }
    }

    fn is_to_be_wide(&self) -> bool {
        matches!(&self.table, Table::Narrow(buckets) if room::<Narrow>(buckets.next()) >= self.many)
    }

    /// Makes room for more. The numbers of all places are as before and can be asked for.
    pub(super) fn grow(&mut self, number_of: impl Fn(u32) -> u64) {
        match self.is_to_be_wide() {
            true => self.renumber(true, with!(&self.table, buckets => buckets.bits), number_of),
            false => with!(&mut self.table, buckets => buckets.grow(number_of)),
        }
    }

    /// Gives all places new numbers of so many bits, and makes it `larger` if that is said.
    pub(super) fn renumber(&mut self, larger: bool, bits: u32, number_of: impl Fn(u32) -> u64) {
        let (len, named) =
            with!(&self.table, buckets => (buckets.len, if larger { buckets.next() } else { buckets.named }));
        if larger && self.is_to_be_wide() {
            // The old one goes before the new one comes.
            self.table = Table::Wide(Buckets::new(bits));
            with!(&mut self.table, buckets => buckets.fill(widened(named), len, number_of));
        } else {
            with!(&mut self.table, buckets => {
                buckets.bits = bits;
                buckets.fill(named, len, number_of);
            });
        }
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        with!(&self.table, buckets => buckets.bytes())
    }
}

/// So many entries fill 85% of the buckets.
fn room<B: Bucket>(named: u64) -> usize {
    narrow::index(named) * B::ENTRIES * 85 / 100
}

/// As many wide buckets as hold what narrow ones do.
fn widened(named: u64) -> u64 {
    let [from, to] = [Narrow::ENTRIES, Wide::ENTRIES].map(|entries| entries as u64);
    (named * from).div_ceil(to)
}

/// The bits of places, plus one.
fn place_bits<B: Bucket>(named: u64) -> u32 {
    usize::BITS - room::<B>(named).min(u32::MAX as usize).leading_zeros()
}

/// With numbers of so many bits, tags are enough while no entry is more than fifteen buckets from its own.
fn bits_to_tell_apart<B: Bucket>(named: u64) -> u32 {
    (B::BITS - place_bits::<B>(named) + named.max(1).ilog2()).saturating_sub(4)
}

/// Buckets of one width.
#[derive(Debug)]
struct Buckets<B> {
    chunks: Vec<Vec<B>>,
    /// How many buckets numbers name. There may be more: the last ones may overflow.
    named: u64,
    len: usize,
    /// How many entries there may be before it grows.
    room: usize,
    /// The bits of a number.
    bits: u32,
    /// The bits of a place and of one more.
    place_bits: u32,
    /// How many buckets an entry is from its own, at most.
    furthest: usize,
    /// Whether a tag tells the number.
    is_exact: bool,
}

impl<B: Bucket> Buckets<B> {
    fn new(bits: u32) -> Self {
        Self {
            chunks: Vec::new(),
            named: 0,
            len: 0,
            room: 0,
            bits,
            place_bits: 0,
            furthest: 0,
            is_exact: false,
        }
    }

    #[inline(always)]
    fn home(&self, number: u64) -> usize {
        let scaled = u128::from(number << (64 - self.bits)) * u128::from(self.named);
        narrow::index(narrow::words(scaled).0)
    }

    #[inline(always)]
    fn bucket(&self, k: usize) -> Option<&B> {
        self.chunks.get(k >> SHIFT)?.get(k & ((1 << SHIFT) - 1))
    }

    /// The bits of an entry that are the place, and those that are the tag.
    #[inline(always)]
    fn masks(&self) -> (u64, u64) {
        let place = (1 << self.place_bits) - 1;
        (place, ((1 << B::BITS) - 1) & !place)
    }

    #[inline(always)]
    fn find(&self, number: u64, mut is_right: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut k = self.home(number);
        let (place, tag) = self.masks();
        let wanted = number << self.place_bits & tag;
        while let Some(bucket) = self.bucket(k) {
            let mut alike = bucket.alike(wanted);
            while alike != 0 {
                let at = alike.trailing_zeros() as usize / 8;
                let entry = if at < B::ENTRIES { bucket.get(at) } else { 0 };
                if entry & tag == wanted && entry & place != 0 {
                    let found = narrow::halves((entry & place) - 1).1;
                    if self.is_exact || is_right(found) {
                        return Some(found);
                    }
                }
                alike &= alike - 1;
            }
            if !bucket.is_full() {
                return None;
            }
            k += 1;
        }
        None
    }

    #[inline(always)]
    fn put(&mut self, number: u64, place: u32) {
        let entry = (number << self.place_bits) & self.masks().1 | (u64::from(place) + 1);
        let home = self.home(number);
        let mut k = home;
        loop {
            if k >> SHIFT == self.chunks.len() {
                self.chunks.push(Vec::new());
            }
            let chunk = &mut self.chunks[k >> SHIFT];
            let within = k & ((1 << SHIFT) - 1);
            if within == chunk.len() {
                chunk.reserve_exact(1);
                chunk.push(B::default());
            }
            let bucket = &mut chunk[within];
            if !bucket.is_full() {
                bucket.set(bucket.count(), entry);
                break;
            }
            k += 1;
        }
        if k - home > self.furthest {
            self.furthest = k - home;
            self.judge();
        }
    }

    /// Finds out whether tags are enough: as many neighbours as belong in the buckets from the furthest on have different ones.
    fn judge(&mut self) {
        let tags = u128::from(self.named) << (B::BITS - self.place_bits);
        self.is_exact = (self.furthest as u128 + 1) << self.bits <= tags;
    }

    /// How many buckets it will name when it has grown.
    fn next(&self) -> u64 {
        let more = if self.named < SMALL { self.named } else { self.named / 3 };
        (self.named + more).max(1)
    }

    /// Prepares for so many buckets; what there is stays where it is.
    fn resize(&mut self, named: u64) {
        self.named = named;
        self.room = room::<B>(named);
        self.place_bits = place_bits::<B>(named);
        self.furthest = 0;
        self.judge();
        self.reserve(narrow::index(named));
    }

    /// Begins anew with so many buckets and places.
    fn fill(&mut self, named: u64, len: usize, number_of: impl Fn(u32) -> u64) {
        for bucket in self.chunks.iter_mut().flatten() {
            *bucket = B::default();
        }
        self.resize(named);
        self.len = len;
        for place in 0..narrow::short(len) {
            self.put(number_of(place), place);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, number_of: impl Fn(u32) -> u64) {
        let count: usize = self.chunks.iter().map(Vec::len).sum();
        let before = Self {
            chunks: Vec::new(),
            ..*self
        };
        self.resize(self.next());
        let mut late = Vec::new();
        for k in (0..count).rev() {
            let bucket = std::mem::take(&mut self.chunks[k >> SHIFT][k & ((1 << SHIFT) - 1)]);
            let mut moved = [(0, 0); 16];
            let moved = &mut moved[..bucket.count()];
            before.decode(k, &bucket, moved, &number_of);
            for (number, place) in moved.iter().copied() {
                // An entry that had overflowed may belong before its bucket, where it is not empty yet.
                match self.home(number) >= k {
                    true => self.put(number, place),
                    false => late.push((number, place)),
                }
            }
        }
        for (number, place) in late {
            self.put(number, place);
        }
    }

    /// The numbers and places of the entries in the k-th bucket.
    #[inline(always)]
    fn decode(&self, k: usize, bucket: &B, out: &mut [(u64, u32)], number_of: &impl Fn(u32) -> u64) {
        let (place, _) = self.masks();
        let first = self.first(k.saturating_sub(self.furthest));
        for (j, (number, found)) in out.iter_mut().enumerate() {
            let entry = bucket.get(j);
            *found = narrow::halves((entry & place) - 1).1;
            *number = match self.is_exact {
                // The first number from there on with this tag.
                true => {
                    let tags = (1 << (B::BITS - self.place_bits)) - 1;
                    first + ((entry >> self.place_bits).wrapping_sub(first) & tags)
                }
                false => number_of(*found),
            };
        }
    }

    /// The first number that belongs in a bucket.
    fn first(&self, k: usize) -> u64 {
        let scaled = ((k as u128) << self.bits).div_ceil(u128::from(self.named));
        narrow::words(scaled).1
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
                chunk.resize(wanted, B::default());
            }
        }
    }

    fn bytes(&self) -> usize {
        let buckets: usize = self.chunks.iter().map(Vec::capacity).sum();
        buckets * size_of::<B>() + self.chunks.capacity() * size_of::<Vec<B>>()
    }
}

#[cfg(test)]
impl Index {
    /// One whose entries become wide with so many places.
    pub(super) fn that_widens_at(many: usize) -> Self {
        Self {
            many,
            ..Self::default()
        }
    }

    fn is_exact(&self) -> bool {
        with!(&self.table, buckets => buckets.is_exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Adds places with these numbers.
    fn add(index: &mut Index, k: usize, numbers: &[u64]) {
        if index.is_full() {
            index.grow(|place| numbers[place as usize]);
        }
        index.push(numbers[k]);
    }

    /// Adds places with these numbers and finds each again.
    fn all_are_found(numbers: &[u64]) {
        for many in [MANY, 200] {
            let mut index = Index::that_widens_at(many);
            let is_found =
                |index: &Index, j: usize| index.find(numbers[j], |place| place as usize == j) == Some(narrow::short(j));
            for k in 0..numbers.len() {
                assert_eq!(index.find(numbers[k], |place| place as usize == k), None);
                add(&mut index, k, numbers);
                if k % 97 == 0 || k < 40 {
                    assert!((0..=k).all(|j| is_found(&index, j)));
                }
            }
            assert!((0..numbers.len()).all(|j| is_found(&index, j)));
            assert_eq!(matches!(index.table, Table::Wide(_)), many == 200);
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

    /// Numbers of so many bits, none of them twice, crowded where they are low or anywhere.
    fn different(bits: u32, count: usize, rng: &mut fastrand::Rng) -> Vec<u64> {
        let crowd = 1 << rng.u32(1..=bits);
        let mut numbers = HashMap::new();
        while numbers.len() < count {
            let most = if rng.bool() { crowd } else { 1 << bits };
            let next = numbers.len();
            numbers.entry(rng.u64(0..most)).or_insert(next);
            if numbers.len() as u64 >= 1 << bits {
                break;
            }
        }
        let mut in_order: Vec<_> = numbers.into_iter().collect();
        in_order.sort_by_key(|(_, place)| *place);
        in_order.into_iter().map(|(number, _)| number).collect()
    }

    #[test]
    fn an_exact_index_never_asks() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut exact = [0, 0];
        for round in 0..300 {
            let many = [MANY, 100][round % 2];
            let bits = rng.u32(4..26);
            let count = rng.usize(1..2000);
            let numbers = different(bits, count, &mut rng);
            let mut index = Index::that_widens_at(many);
            index.renumber(false, bits, |_| unreachable!("there is nothing yet"));
            let mut naive = HashMap::new();
            for k in 0..numbers.len() {
                add(&mut index, k, &numbers);
                naive.insert(numbers[k], narrow::short(k));
                let asked = if rng.bool() {
                    numbers[rng.usize(0..=k)]
                } else {
                    rng.u64(0..1 << bits)
                };
                let is_exact = index.is_exact();
                exact[round % 2] += usize::from(is_exact);
                let found = index.find(asked, |place| {
                    assert!(!is_exact);
                    numbers[place as usize] == asked
                });
                assert_eq!(found, naive.get(&asked).copied(), "round {round}");
            }
            for (number, place) in naive {
                assert_eq!(
                    index.find(number, |place| numbers[place as usize] == number),
                    Some(place)
                );
            }
        }
        assert!(exact.iter().all(|count| *count > 50_000), "{exact:?}");
    }

    #[test]
    fn the_wrong_places_are_few() {
        let mut rng = fastrand::Rng::with_seed(6);
        let hashes: Vec<u64> = (0..300_000).map(|_| rng.u64(..)).collect();
        for (many, most_wrong, most_bytes) in [(MANY, 2000, 300_000 * 13 / 2), (1000, 2, 300_000 * 21 / 2)] {
            let mut index = Index::that_widens_at(many);
            for k in 0..hashes.len() {
                add(&mut index, k, &hashes);
            }
            let mut wrong = 0;
            for _ in 0..100_000 {
                index.find(rng.u64(..), |_| {
                    wrong += 1;
                    false
                });
            }
            assert!(wrong < most_wrong, "{wrong}");
            assert!(index.bytes() < most_bytes, "{}", index.bytes());
        }
    }
}
