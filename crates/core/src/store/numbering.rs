//! Nodes as numbers that serve as their hashes.
//!
//! While the words of all nodes are small, a node is one number of few bits: its words side by side. The number is scrambled by
//! steps that can be undone (multiplication by an odd number, and adding the high half to the low one without carry), so two nodes have two numbers,
//! and an [`Index`](super::index::Index) need not look at nodes if it keeps enough of their numbers. Otherwise a node has a hash of 64 bits.

use super::node::Node;
use super::packed::Format;

/// How nodes are numbered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbering {
    /// How many bits a number has.
    bits: u32,
    mask: u64,
    half: u32,
    factor: u64,
    /// The widths of words, if no two nodes have the same number.
    format: Option<Format>,
}

impl Default for Numbering {
    fn default() -> Self {
        Self::HASHES
    }
}

/// Its highest bits, made odd, multiply numbers: they have no pattern, so rows and grids of numbers are spread evenly.
const FACTOR: u64 = 0xa076_1d64_78bd_642f;

impl Numbering {
    /// Hashes.
    const HASHES: Self = Self {
        bits: 64,
        mask: u64::MAX,
        half: 32,
        factor: FACTOR,
        format: None,
    };

    /// For nodes of this format: numbers of `most` bits, with all that are spare shared among the words, or
    /// hashes if that is too few.
    pub(super) fn new(format: Format, most: u32) -> Self {
        let Some(spare) = most.checked_sub(format.bits()) else {
            return Self::HASHES;
        };
        let format = format.with_spare(spare);
        let bits = format.bits().max(1);
        Self {
            bits,
            mask: u64::MAX >> (64 - bits),
            half: bits.div_ceil(2),
            factor: FACTOR >> (64 - bits) | 1,
            format: Some(format),
        }
    }

    /// How many bits a number has.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// Whether no two nodes have the same number.
    pub(super) fn is_one_to_one(&self) -> bool {
        self.format.is_some()
    }

    /// The number of a node, if it has one.
    #[inline(always)]
    pub(super) fn number(&self, node: Node) -> Option<u64> {
        match self.format {
            Some(format) if format.fits(node) => Some(self.scramble(format.word(node))),
            Some(_) => None,
            None => Some(node.hash()),
        }
    }

    #[inline(always)]
    fn scramble(&self, number: u64) -> u64 {
        let number = (number ^ number >> self.half).wrapping_mul(self.factor) & self.mask;
        number ^ number >> self.half
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_nodes_have_the_same_number() {
        for (left, right, shape) in [(0, 0, 0), (1, 0, 0), (0, 3, 1), (7, 8, 0), (5, 0, 4), (3, 3, 3)] {
            let widest = Node {
                left: (1 << left) - 1,
                right: (1 << right) - 1,
                shape: (1 << shape) - 1,
            };
            let format = Format::default().wider(widest);
            for most in format.bits()..format.bits() + 3 {
                let numbering = Numbering::new(format, most);
                let mut numbers = HashSet::new();
                for node in 0..1_u32 << (left + right + shape) {
                    let node = Node {
                        left: node & widest.left,
                        right: node >> left & widest.right,
                        shape: node >> (left + right) & widest.shape,
                    };
                    let number = numbering.number(node).expect("it fits");
                    assert!(number <= numbering.mask && numbers.insert(number), "{node:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_too_wide_has_no_number() {
        let format = Format::default().wider(Node::pair(3, 3));
        let numbering = Numbering::new(format, 4);
        assert_eq!(numbering.number(Node::pair(4, 0)), None);
        assert_eq!(numbering.number(Node::pair(0, 4)), None);
        assert!(numbering.is_one_to_one() && numbering.bits() == 4);
        assert!(!Numbering::new(format, 3).is_one_to_one());
    }
}
