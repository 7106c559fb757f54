//! Pairs of words as nodes of trees, and tables that give each node a place.

use super::index::Index;
use super::numbering::Numbering;
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
    numbering: Numbering,
    nodes: Packed,
}

/// How many nodes a table can have: the index keeps one more than a place.
const MOST: usize = u32::MAX as usize - 1;

impl NodeTable {
    /// The place of a node.
    #[inline]
    pub(super) fn find(&self, node: Node) -> Option<u32> {
        let number = self.numbering.number(node)?;
        self.index.find(number, |place| self.nodes.get(place as usize) == node)
    }

    /// Looks where a node would be found. What it returns means nothing, but has to be used for the look not to be left out.
    #[inline]
    pub(super) fn touch(&self, node: Node) -> u64 {
        self.numbering.number(node).map_or(0, |number| self.index.touch(number))
    }

    /// Looks at a place of which the node will be asked for. What it returns means nothing, as above.
    #[inline]
    pub(super) fn touch_place(&self, place: u32) -> u8 {
        self.nodes.touch(place as usize)
    }

    /// Adds a node, which is not there yet, and returns its place; none if the table is full.
    #[inline]
    pub(super) fn push(&mut self, node: Node) -> Option<u32> {
        if self.nodes.len() >= MOST {
            return None;
        }
        let number = match self.numbering.number(node) {
            Some(number) if !self.index.is_full() => number,
            _ => self.make_room(node),
        };
        self.index.push(number);
        self.nodes.push(node);
        Some(narrow::short(self.nodes.len() - 1))
    }

    /// Gives the index room for another node, or its nodes numbers that it has, too. Returns its number.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, node: Node) -> u64 {
        let larger = self.index.is_full();
        let (format, most) = (self.nodes.format().wider(node), self.index.bits_to_tell_apart(larger));
        // A few bits more are left as they are, since they need not lead to mistakes and other numbers cost time.
        let may_stay = match self.numbering.is_one_to_one() {
            true => self.numbering.number(node).is_some() && self.numbering.bits() <= most + TOLERANCE,
            false => format.bits() > most,
        };
        if !may_stay {
            self.numbering = Numbering::new(format, most);
        }
        let Self {
            index,
            numbering,
            nodes,
        } = self;
        let number = |node| numbering.number(node).expect("the numbering fits all nodes");
        let number_of = |place: u32| number(nodes.get(place as usize));
        match larger && may_stay {
            true => index.grow(number_of),
            false => index.renumber(larger, numbering.bits(), number_of),
        }
        number(node)
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

/// By how many bits a numbering may be wider than a new one would be.
const TOLERANCE: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn nodes_keep_their_places_however_they_are_numbered() {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut ways = [0; 2];
        for round in 0..60 {
            let many = [1 << 23, 300][round % 2];
            let mut table = NodeTable {
                index: Index::that_widens_at(many),
                ..NodeTable::default()
            };
            let mut naive: HashMap<(u32, u32, u32), u32> = HashMap::new();
            let mut most = [rng.u32(1..50), rng.u32(1..50), 1];
            for _ in 0..3000 {
                if rng.u32(0..100) == 0 {
                    let k = rng.usize(0..3);
                    most[k] = most[k].saturating_mul(1 + rng.u32(0..3));
                }
                let [left, right, shape] = most.map(|most| rng.u32(0..most));
                let node = Node { left, right, shape };
                let known = naive.get(&(left, right, shape)).copied();
                assert_eq!(table.find(node), known);
                table.touch(node);
                ways[usize::from(table.numbering.is_one_to_one())] += 1;
                if known.is_none() && rng.bool() {
                    let place = table.push(node).expect("there is room");
                    assert_eq!(place as usize, naive.len());
                    naive.insert((left, right, shape), place);
                }
            }
            assert_eq!(table.len(), naive.len());
            for ((left, right, shape), place) in naive {
                let node = Node { left, right, shape };
                assert_eq!((table.find(node), table.get(place)), (Some(place), node));
            }
        }
        assert!(ways.iter().all(|count| *count > 10_000), "{ways:?}");
    }
}
