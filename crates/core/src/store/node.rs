//! Pairs of words as nodes of trees, and tables that give each node a place.

use super::index::Index;
use super::packed::Packed;
use crate::narrow;

/// Two words, which are bytes of a state or the places of other nodes, and for the root of a tree the number of its
/// shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) shape: u32,
}

impl Node {
    #[inline]
    pub(super) fn pair(left: u32, right: u32) -> Self {
        Self { left, right, shape: 0 }
    }

    /// Multiplies and folds: every bit of the node reaches the highest bits of the hash, which choose a bucket, and the
    /// lowest, which are compared first.
    #[inline]
    pub(super) fn hash(self) -> u64 {
        let pair = u64::from(self.left) << 32 | u64::from(self.right);
        let shape = u64::from(self.shape).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let product = u128::from(pair ^ shape ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
        let (high, low) = narrow::words(product);
        high ^ low
    }
}

/// A set of nodes. The place of a node is the number of those that were there before it.
#[derive(Debug, Default)]
pub(super) struct NodeTable {
    index: Index,
    nodes: Packed,
}

/// How many nodes a table can have: the index keeps one more than a place.
const MOST: usize = u32::MAX as usize - 1;

impl NodeTable {
    /// The place of a node, whose hash is given.
    #[inline]
    pub(super) fn find(&self, node: Node, hash: u64) -> Option<u32> {
        self.index.find(hash, |place| self.nodes.get(place as usize) == node)
    }

    /// Adds a node, which is not there yet, and returns its place; none if the table is full.
    #[inline]
    pub(super) fn push(&mut self, node: Node, hash: u64) -> Option<u32> {
        if self.nodes.len() >= MOST {
            return None;
        }
        let nodes = &self.nodes;
        self.index.push(hash, |place| nodes.get(place as usize).hash());
        self.nodes.push(node);
        Some(narrow::short(self.nodes.len() - 1))
    }

    /// The node at a place.
    #[inline]
    pub(super) fn get(&self, place: u32) -> Node {
        self.nodes.get(place as usize)
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.index.bytes() + self.nodes.bytes()
    }
}
