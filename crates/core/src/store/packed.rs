//! A list of nodes in as many bytes each as their numbers need.
//!
//! The numbers of a node count what was seen so far, so they are small at first and grow slowly. A chunk of the list
//! has one format, which is as wide as its largest numbers. When a number does not fit, the last chunk is written
//! again; as each width grows at most 32 times, this costs nothing in the long run.

use super::node::Node;
use crate::narrow;

/// A chunk has 2^SHIFT nodes.
const SHIFT: u32 = 12;

/// Room at the end of a chunk, so that every node can be read as a word.
const SPARE: usize = 16;

/// A list of nodes. Only the last chunk has room to spare.
#[derive(Debug, Default)]
pub(super) struct Packed {
    chunks: Vec<Chunk>,
    len: usize,
    format: Format,
}

#[derive(Debug)]
struct Chunk {
    format: Format,
    bytes: Vec<u8>,
}

/// How many bits the numbers of a node have. The left one is in the lowest bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Format {
    left: u8,
    right: u8,
    shape: u8,
    /// How many bytes a node takes.
    size: u8,
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "at most 32")]
fn bits(number: u32) -> u8 {
    (u32::BITS - number.leading_zeros()) as u8
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the rest is masked away")]
fn low(word: u64, bits: u8) -> u32 {
    (word & ((1 << bits) - 1)) as u32
}

impl Format {
    /// This one, wide enough for another node.
    pub(super) fn wider(self, node: Node) -> Self {
        Self::new(
            self.left.max(bits(node.left)),
            self.right.max(bits(node.right)),
            self.shape.max(bits(node.shape)),
        )
    }

    /// This one with so many bits more, shared among the left and the right number.
    pub(super) fn with_spare(self, spare: u32) -> Self {
        let spare = narrow::low_byte(spare.min(64) as usize);
        let left = (self.left + spare / 2).min(32);
        Self::new(left, (self.right + spare.div_ceil(2)).min(32), self.shape)
    }

    fn new(left: u8, right: u8, shape: u8) -> Self {
        Self {
            left,
            right,
            shape,
            size: (left + right + shape).div_ceil(8),
        }
    }

    /// How many bits a node has.
    pub(super) fn bits(self) -> u32 {
        u32::from(self.left) + u32::from(self.right) + u32::from(self.shape)
    }

    /// The numbers of a node side by side, if they are at most 64 bits.
    #[inline(always)]
    pub(super) fn word(self, node: Node) -> u64 {
        u64::from(node.left)
            | u64::from(node.right) << self.left
            | u64::from(node.shape).unbounded_shl(u32::from(self.left + self.right))
    }

    #[inline(always)]
    pub(super) fn fits(self, node: Node) -> bool {
        (u64::from(node.left) >> self.left)
            | (u64::from(node.right) >> self.right)
            | (u64::from(node.shape) >> self.shape)
            == 0
    }

    /// The node at the beginning of some bytes, of which there are at least [`SPARE`].
    #[inline]
    fn read(self, bytes: &[u8]) -> Node {
        let (word, more) = bytes[..SPARE].split_at(8);
        let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
        if self.left + self.right + self.shape <= 64 {
            let above = word >> self.left;
            return Node {
                left: low(word, self.left),
                right: low(above, self.right),
                shape: low(above >> self.right, self.shape),
            };
        }
        let more = u64::from_le_bytes(more.try_into().expect("eight bytes"));
        let above = (u128::from(word) | u128::from(more) << 64) >> self.left;
        Node {
            left: low(word, self.left),
            right: low(narrow::words(above).1, self.right),
            shape: low(narrow::words(above >> self.right).1, self.shape),
        }
    }

    #[inline]
    fn write(self, node: Node, bytes: &mut [u8]) {
        let word = u128::from(node.left)
            | u128::from(node.right) << self.left
            | u128::from(node.shape) << (self.left + self.right);
        bytes[..usize::from(self.size)].copy_from_slice(&word.to_le_bytes()[..usize::from(self.size)]);
    }
}

impl Packed {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The format that all nodes fit.
    pub(super) fn format(&self) -> Format {
        self.format
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Node {
        let Chunk { format, bytes } = &self.chunks[index >> SHIFT];
        let at = (index & ((1 << SHIFT) - 1)) * usize::from(format.size);
        format.read(&bytes[at..])
    }

    /// A byte of the node with this index.
    #[inline]
    pub(super) fn touch(&self, index: usize) -> u8 {
        let Chunk { format, bytes } = &self.chunks[index >> SHIFT];
        bytes[(index & ((1 << SHIFT) - 1)) * usize::from(format.size)]
    }

    #[inline]
    pub(super) fn push(&mut self, node: Node) {
        let within = self.len & ((1 << SHIFT) - 1);
        if !self.format.fits(node) {
            self.widen(node, within);
        }
        let format = self.format;
        let size = usize::from(format.size);
        if within == 0 {
            let chunk = Chunk {
                format,
                bytes: Vec::new(),
            };
            self.chunks.push(chunk);
        }
        let chunk = self.chunks.last_mut().expect("just made sure");
        let at = within * size;
        if chunk.bytes.len() < at + size + SPARE {
            grow(
                &mut chunk.bytes,
                at + size + SPARE,
                (size << SHIFT) + SPARE,
                self.len > within,
            );
        }
        format.write(node, &mut chunk.bytes[at..]);
        self.len += 1;
    }

    /// Makes the format fit a node, and writes the last chunk, which has `within` nodes, again.
    #[cold]
    fn widen(&mut self, node: Node, within: usize) {
        self.format = self.format.wider(node);
        if within == 0 {
            return;
        }
        let (size, one_of_many) = (usize::from(self.format.size), self.chunks.len() > 1);
        let chunk = self.chunks.last_mut().expect("it has nodes");
        let mut bytes = Vec::new();
        grow(&mut bytes, within * size + SPARE, (size << SHIFT) + SPARE, one_of_many);
        for k in 0..within {
            let node = chunk.format.read(&chunk.bytes[k * usize::from(chunk.format.size)..]);
            self.format.write(node, &mut bytes[k * size..]);
        }
        *chunk = Chunk {
            format: self.format,
            bytes,
        };
    }

    /// Bytes of memory held; the last chunk counts as far as it was written.
    pub(super) fn bytes(&self) -> usize {
        let of = |chunk: &Chunk| (usize::from(chunk.format.size) << SHIFT) + SPARE;
        let full = self.chunks.split_last().map_or(0, |(last, full)| {
            let within = self.len - (full.len() << SHIFT);
            full.iter().map(of).sum::<usize>() + within * usize::from(last.format.size) + SPARE
        });
        full + self.chunks.capacity() * size_of::<Chunk>()
    }
}

/// Gives a chunk room: at once for all that it will ever have if it is `one_of_many`, else for twice as much.
fn grow(bytes: &mut Vec<u8>, needed: usize, most: usize, one_of_many: bool) {
    let len = match one_of_many {
        true => most,
        false => (2 * needed).min(most),
    };
    bytes.reserve_exact(len - bytes.len());
    bytes.resize(len, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_as_they_were_written_however_wide_they_become() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..20 {
            let (mut packed, mut naive) = (Packed::default(), Vec::new());
            let mut most = [rng.u32(1..5), rng.u32(1..5), 1];
            for _ in 0..20_000 {
                if rng.u32(0..500) == 0 {
                    let k = rng.usize(0..3);
                    most[k] = most[k].saturating_mul(1 + rng.u32(0..9));
                }
                let [left, right, shape] = most.map(|most| rng.u32(0..most));
                let node = Node { left, right, shape };
                packed.push(node);
                naive.push(node);
            }
            assert_eq!(packed.len(), naive.len());
            for (k, node) in naive.iter().enumerate() {
                assert_eq!(packed.get(k), *node);
            }
        }
    }

    #[test]
    fn the_widest_nodes_fit() {
        let mut packed = Packed::default();
        let wide = Node {
            left: u32::MAX,
            right: u32::MAX,
            shape: u32::MAX,
        };
        let none = Node::default();
        packed.push(none);
        packed.push(wide);
        packed.push(Node { left: 0, ..wide });
        packed.push(Node { right: 0, ..wide });
        packed.push(Node { shape: 0, ..wide });
        let read: Vec<_> = (0..5).map(|k| packed.get(k)).collect();
        assert_eq!(read[..2], [none, wide]);
        assert_eq!(
            read[2..],
            [
                Node { left: 0, ..wide },
                Node { right: 0, ..wide },
                Node { shape: 0, ..wide }
            ]
        );
    }

    #[test]
    fn small_numbers_take_few_bytes() {
        let mut packed = Packed::default();
        for k in 0..100_000 {
            let node = Node {
                left: k % 1000,
                right: k % 3000,
                shape: 0,
            };
            packed.push(node);
        }
        assert!(packed.bytes() < 100_000 * 3 + 5000, "{}", packed.bytes());
    }
}
