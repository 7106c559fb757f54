//! The tree store: every state, folded into pairs (Laarman, van de Pol, Weber 2011).
//!
//! A state is cut into units of eight bytes. Each unit is looked up in a table and replaced by its place there. In both
//! halves of the state, neighbours are paired, each pair is replaced by its place in a table, and so on until one place is
//! left of each half: the two are the root, which is the state. Halves of the same size are best: of a half that
//! is nearly all of the state there are nearly as many as there are states. Neighbouring states of a system differ in few bytes, so nearly all nodes below the root are there
//! already, and a state costs its root. The two nodes below the root have tables of their own, so that their places are
//! small numbers, and a root is written in as many bytes as they need ([`Packed`](super::packed::Packed)).
//!
//! Two states of one length are equal iff their roots are: which nodes are paired depends on the length alone, and a
//! table has a node once. If lengths vary, the root also has the number of the length.
//!
//! **Incremental folding.** A search asks about states that differ in few bytes from the one on top of its path. The nodes of
//! that state are remembered, and only those above a unit that differs are looked up again. On the way back, only the
//! nodes that differ from those of the state that is left are unfolded. The state that was last asked about is
//! remembered too: to store it costs no more than its root.
//!
//! Chains of a reduced search ask about many states that are not stored and never will be. A [`Filter`] says so of most of them before
//! anything is folded.
//!
//! Invariant: the remembered nodes are those of the remembered bytes, so it is a matter of speed alone which state is
//! remembered.

use super::filter::Filter;
use super::node::{Node, NodeTable};
use super::{Readable, Store, Stored, hash};
use crate::ids::StateId;
use crate::narrow;
use std::collections::HashMap;
use std::sync::Mutex;

/// A store that forgets nothing and shares what states have in common.
#[derive(Debug)]
pub(crate) struct TreeStore {
    tables: Tables,
    roots: NodeTable,
    shapes: Shapes,
    /// The hashes of all states, if some were looked up from the start.
    filter: Option<Filter>,
    /// The state on top of the path; without a path, the one that was stored last.
    top: Folded,
    /// States that were asked about, and those that are expected, in their order. The first is never expected.
    asked: Vec<Folded>,
    /// The state of these that was last asked about, and whether it was only looked up.
    last: usize,
    looked_up: bool,
    /// The one that is expected next, and the end of those that are.
    expected: std::ops::Range<usize>,
    /// How long the path is.
    depth: usize,
    /// Which nodes of a level differ.
    changed: Vec<usize>,
    /// What those who have no more than a reference to the store have asked about.
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    before: Folded,
    last: Folded,
    /// The state that was read last.
    read: Folded,
    changed: Vec<usize>,
}

/// The tables of the nodes below the root.
#[derive(Debug, Default)]
struct Tables {
    /// Those of the two nodes just below it, and of all others: what one of these means, its level says.
    tables: [NodeTable; 3],
    /// Nodes that were looked up lately, by their hashes.
    recent: Vec<Recent>,
}

#[derive(Clone, Copy, Debug)]
struct Recent {
    /// The node, with the number of its table as its shape.
    node: Node,
    place: u32,
}

/// No node: there is no such table.
const NONE: Recent = Recent {
    node: Node {
        left: 0,
        right: 0,
        shape: u32::MAX,
    },
    place: 0,
};

/// How many recent nodes are remembered.
const RECENT: usize = 1 << 11;

/// A table of more roots than this is in memory rather than in caches. Where assertions are checked, in tests, a few are many.
const LARGE: usize = if cfg!(debug_assertions) { 4 } else { 1 << 22 };

/// The table of all nodes but the two just below the root.
const INNER: usize = 2;

/// A state with its nodes.
#[derive(Debug, Default)]
struct Folded {
    state: Vec<u8>,
    shape: u32,
    /// The places of its nodes, from the units up, level by level. None if they were not looked up or are not there.
    nodes: Vec<u32>,
    is_folded: bool,
    root: Node,
    /// Its id, if it is stored.
    id: Option<u32>,
}

/// The shapes of trees, one for each length of states.
#[derive(Debug, Default)]
struct Shapes {
    shapes: Vec<Shape>,
    numbers: HashMap<usize, u32>,
}

/// A tree. Its nodes are numbered level by level, first the units, at last the two below the root.
#[derive(Debug)]
struct Shape {
    /// The bytes of a state.
    len: usize,
    /// Where each level begins, and where the last one ends.
    levels: Vec<usize>,
    nodes: Vec<Position>,
}

/// Where a node is in a tree.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// The first below it.
    below: usize,
    /// Whether there are two. If there is one, it is at the end of a half with an odd number of nodes, and has the same
    /// place; units have none.
    paired: bool,
    /// The one above it.
    above: usize,
    /// The table of the node.
    table: usize,
}

const UNIT: usize = 8;

impl Shape {
    /// Both halves of the units are paired from the left.
    fn new(len: usize) -> Self {
        let units = len.div_ceil(UNIT);
        let mut halves = [units.div_ceil(2), units / 2];
        let mut shape = Self {
            len,
            levels: vec![0],
            nodes: Vec::new(),
        };
        if units <= 1 {
            return shape;
        }
        for (side, width) in halves.into_iter().enumerate() {
            let unit = Position {
                below: 0,
                paired: false,
                above: 0,
                table: if width == 1 { side } else { INNER },
            };
            shape.nodes.extend(std::iter::repeat_n(unit, width));
        }
        shape.levels.push(units);
        while halves != [1, 1] {
            let mut below = shape.nodes.len() - halves[0] - halves[1];
            for (side, width) in halves.iter_mut().enumerate() {
                let end = below + *width;
                *width = width.div_ceil(2);
                while below < end {
                    let paired = below + 1 < end;
                    let (above, count) = (shape.nodes.len(), if paired { 2 } else { 1 });
                    for node in &mut shape.nodes[below..below + count] {
                        node.above = above;
                    }
                    shape.nodes.push(Position {
                        below,
                        paired,
                        above: 0,
                        table: if *width == 1 { side } else { INNER },
                    });
                    below += count;
                }
            }
            shape.levels.push(shape.nodes.len());
        }
        shape
    }

    /// How many units there are, if they are more than one.
    #[inline]
    fn units(&self) -> usize {
        self.levels.get(1).copied().unwrap_or(0)
    }
}

impl Shapes {
    /// The number of the shape for states of this length; none if there are too many.
    fn number(&mut self, len: usize) -> Option<u32> {
        if let Some(number) = self.numbers.get(&len) {
            return Some(*number);
        }
        let number = u32::try_from(self.shapes.len()).ok()?;
        self.numbers.insert(len, number);
        self.shapes.push(Shape::new(len));
        Some(number)
    }

    fn bytes(&self) -> usize {
        let nodes: usize = self.shapes.iter().map(|shape| shape.nodes.capacity()).sum();
        self.shapes.capacity() * (size_of::<Shape>() + 64) + nodes * size_of::<Position>()
    }
}

/// Who finds places for nodes.
trait Places {
    /// The place of a node in one of the tables.
    fn place(&mut self, table: usize, node: Node) -> Option<u32>;
}

/// Finds the nodes that are there.
impl Places for &Tables {
    #[inline]
    fn place(&mut self, table: usize, node: Node) -> Option<u32> {
        self.tables[table].find(node)
    }
}

/// The same, and remembers them.
struct Find<'a>(&'a mut Tables);

impl Places for Find<'_> {
    #[inline]
    fn place(&mut self, table: usize, node: Node) -> Option<u32> {
        self.0.place(table, node, |_, _| None)
    }
}

/// Adds the nodes that are not there.
struct Add<'a>(&'a mut Tables);

impl Places for Add<'_> {
    #[inline]
    fn place(&mut self, table: usize, node: Node) -> Option<u32> {
        self.0.place(table, node, NodeTable::push)
    }
}

impl Tables {
    /// The place of a node; what to do if it is not there is given.
    #[inline]
    fn place(
        &mut self,
        table: usize,
        node: Node,
        otherwise: impl FnOnce(&mut NodeTable, Node) -> Option<u32>,
    ) -> Option<u32> {
        let hash = node.hash();
        if self.recent.is_empty() {
            self.recent.resize(RECENT, NONE);
        }
        let named = Node {
            shape: narrow::short(table),
            ..node
        };
        let recent = &mut self.recent[narrow::index(hash) % RECENT];
        if recent.node == named {
            return Some(recent.place);
        }
        let table = &mut self.tables[table];
        let place = table.find(node).or_else(|| otherwise(table, node))?;
        *recent = Recent { node: named, place };
        Some(place)
    }
}

/// The k-th unit of a state, filled up with zeros.
#[inline]
fn unit(state: &[u8], k: usize) -> Node {
    let bytes = &state[k * UNIT..];
    let word = match bytes.first_chunk() {
        Some(unit) => u64::from_le_bytes(*unit),
        None => {
            let mut unit = [0; UNIT];
            unit[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(unit)
        }
    };
    let (right, left) = narrow::halves(word);
    Node::pair(left, right)
}

/// Finds the units in which two states of one length differ.
#[inline]
fn differing_units(state: &[u8], other: &[u8], out: &mut Vec<usize>) {
    let ((ours, rest), (theirs, other_rest)) = (state.as_chunks::<UNIT>(), other.as_chunks::<UNIT>());
    let theirs = &theirs[..ours.len()];
    for k in 0..ours.len() {
        if u64::from_ne_bytes(ours[k]) != u64::from_ne_bytes(theirs[k]) {
            out.push(k);
        }
    }
    if rest != other_rest {
        out.push(ours.len());
    }
}

impl Folded {
    /// Whether it is this state.
    #[inline]
    fn is(&self, state: &[u8]) -> bool {
        self.is_folded && self.state == state
    }

    /// Makes this the given state, whose nodes are those of another where the two have the same units. Returns whether all nodes
    /// have a place.
    #[inline]
    fn fold(
        &mut self,
        state: &[u8],
        (number, shapes): (u32, &Shapes),
        other: &Self,
        mut places: impl Places,
        changed: &mut Vec<usize>,
    ) -> bool {
        self.is_folded = false;
        self.id = None;
        self.shape = number;
        self.state.clear();
        self.state.extend_from_slice(state);
        changed.clear();
        let shape = &shapes.shapes[number as usize];
        let units = shape.units();
        if units == 0 {
            let node = if state.is_empty() {
                Node::default()
            } else {
                unit(state, 0)
            };
            return self.be_rooted_in(node);
        }
        self.nodes.clear();
        let alike = other.is_folded && other.shape == number;
        if alike {
            self.nodes.extend_from_slice(&other.nodes);
            differing_units(state, &other.state, changed);
            if changed.is_empty() {
                self.root = other.root;
                self.id = other.id;
                self.is_folded = true;
                return true;
            }
        } else {
            self.nodes.resize(shape.nodes.len(), 0);
            changed.extend(0..units);
        }
        for k in changed.iter().copied() {
            match places.place(shape.nodes[k].table, unit(state, k)) {
                Some(place) => self.nodes[k] = place,
                None => return false,
            }
        }
        let is_there = match (alike, &changed[..]) {
            (true, [unit]) => self.climb(shape, *unit, places),
            _ => self.rise(shape, alike, places, changed),
        };
        let top = self.nodes.len() - 2;
        is_there && self.be_rooted_in(Node::pair(self.nodes[top], self.nodes[top + 1]))
    }

    /// Looks up the node at a place of the tree, from those below it. Returns whether it is there.
    #[inline(always)]
    fn join(&mut self, shape: &Shape, k: usize, places: &mut impl Places) -> bool {
        let Position {
            below, paired, table, ..
        } = shape.nodes[k];
        let place = match paired {
            true => places.place(table, Node::pair(self.nodes[below], self.nodes[below + 1])),
            false => Some(self.nodes[below]),
        };
        place.inspect(|place| self.nodes[k] = *place).is_some()
    }

    /// Looks up the nodes above one unit, up to those below the root.
    #[inline]
    fn climb(&mut self, shape: &Shape, unit: usize, mut places: impl Places) -> bool {
        let mut k = unit;
        while k + 2 < shape.nodes.len() {
            k = shape.nodes[k].above;
            if !self.join(shape, k, &mut places) {
                return false;
            }
        }
        true
    }

    /// The same for several units, level by level, or for all of them.
    #[inline]
    fn rise(&mut self, shape: &Shape, alike: bool, mut places: impl Places, changed: &mut Vec<usize>) -> bool {
        for level in shape.levels[1..].windows(2) {
            if alike {
                // From the nodes that differ to those above them.
                let (mut count, mut last) = (0, usize::MAX);
                for k in 0..changed.len() {
                    let above = shape.nodes[changed[k]].above;
                    if above != last {
                        changed[count] = above;
                        count += 1;
                        last = above;
                    }
                }
                changed.truncate(count);
            } else {
                changed.clear();
                changed.extend(level[0]..level[1]);
            }
            for k in changed.iter().copied() {
                if !self.join(shape, k, &mut places) {
                    return false;
                }
            }
        }
        true
    }

    #[inline]
    fn be_rooted_in(&mut self, pair: Node) -> bool {
        self.root = Node {
            shape: self.shape,
            ..pair
        };
        self.is_folded = true;
        true
    }

    /// Makes this the state with the given root, of which it may have many nodes already.
    fn unfold(&mut self, root: Node, id: u32, tables: &Tables, shapes: &Shapes, changed: &mut Vec<usize>) {
        let shape = &shapes.shapes[root.shape as usize];
        let all = !self.is_folded || self.shape != root.shape;
        self.shape = root.shape;
        self.root = root;
        self.id = Some(id);
        self.is_folded = true;
        self.state.resize(shape.len, 0);
        if shape.units() == 0 {
            if shape.len > 0 {
                self.write_unit(0, root);
            }
            return;
        }
        self.nodes.resize(shape.nodes.len(), 0);
        changed.clear();
        let top = self.nodes.len() - 2;
        for (k, place) in [(top, root.left), (top + 1, root.right)] {
            if all || self.nodes[k] != place {
                self.nodes[k] = place;
                changed.push(k);
            }
        }
        // Those below a node come after it, and units after all others of their half.
        let mut next = 0;
        while let Some(k) = changed.get(next).copied() {
            next += 1;
            let Position {
                below, paired, table, ..
            } = shape.nodes[k];
            let place = self.nodes[k];
            if k < shape.units() {
                let unit = tables.tables[table].get(place);
                self.write_unit(k, unit);
            } else if paired {
                let Node { left, right, .. } = tables.tables[table].get(place);
                for (k, place) in [(below, left), (below + 1, right)] {
                    if all || self.nodes[k] != place {
                        self.nodes[k] = place;
                        changed.push(k);
                    }
                }
            } else {
                self.nodes[below] = place;
                changed.push(below);
            }
        }
    }

    #[inline]
    fn write_unit(&mut self, k: usize, unit: Node) {
        let word = u64::from(unit.right) << 32 | u64::from(unit.left);
        let bytes = &mut self.state[k * UNIT..];
        let len = bytes.len().min(UNIT);
        bytes[..len].copy_from_slice(&word.to_le_bytes()[..len]);
    }

    fn bytes(&self) -> usize {
        self.state.capacity() + self.nodes.capacity() * 4
    }
}

impl TreeStore {
    /// An empty store for states of any length.
    pub(crate) fn new() -> Self {
        Self {
            tables: Tables::default(),
            roots: NodeTable::default(),
            shapes: Shapes::default(),
            filter: None,
            top: Folded::default(),
            asked: vec![Folded::default()],
            last: 0,
            looked_up: false,
            expected: 1..1,
            depth: 0,
            changed: Vec::new(),
            shared: Mutex::default(),
        }
    }

    /// Calls `f` with what is remembered. If another thread is there, that is nothing.
    fn with_shared<R>(&self, f: impl FnOnce(&mut Shared) -> R) -> R {
        match self.shared.try_lock() {
            Ok(mut shared) => f(&mut shared),
            Err(_) => f(&mut Shared::default()),
        }
    }

    /// Whether the filter says that a state is not stored.
    #[inline]
    fn is_new(&mut self, state: &[u8]) -> bool {
        match &self.filter {
            Some(filter) => !filter.may_have(hash(state)),
            None => {
                self.open_filter();
                false
            }
        }
    }

    /// Begins to filter, if there is at most one state, so that none is missing.
    fn open_filter(&mut self) {
        let mut filter = Filter::default();
        match self.roots.len() {
            0 => {}
            1 => {
                let mut state = Vec::new();
                self.read(StateId::new(0), &mut state);
                filter.add(hash(&state));
            }
            _ => return,
        }
        self.filter = Some(filter);
    }

    /// Makes a state the last one, if it is the next that is expected.
    #[inline]
    fn was_expected(&mut self, state: &[u8]) -> bool {
        let Some(next) = self.expected.next() else {
            return false;
        };
        let is = self.asked[next].is(state);
        if is {
            self.last = next;
        }
        is
    }

    /// Folds a state and makes it the last one. Returns whether all nodes have a place.
    #[inline(always)]
    fn fold<'a, P: Places>(&'a mut self, state: &[u8], places: impl FnOnce(&'a mut Tables) -> P) -> bool {
        let Some(shape) = self.shape(state) else {
            return false;
        };
        self.last = 0;
        let last = &mut self.asked[0];
        let shape = (shape, &self.shapes);
        last.fold(state, shape, &self.top, places(&mut self.tables), &mut self.changed)
    }

    /// The shape of a state.
    #[inline]
    fn shape(&mut self, state: &[u8]) -> Option<u32> {
        match self.top.is_folded && self.top.state.len() == state.len() {
            true => Some(self.top.shape),
            false => self.shapes.number(state.len()),
        }
    }
}

impl Store for TreeStore {
    #[inline]
    fn insert(&mut self, state: &[u8]) -> Stored {
        let asked = std::mem::take(&mut self.looked_up) && self.asked[self.last].is(state);
        if !asked && !self.was_expected(state) && !self.fold(state, Add) {
            return Stored::Full;
        }
        let last = &mut self.asked[self.last];
        if last.id.is_none() && !asked {
            last.id = self.roots.find(last.root);
        }
        if let Some(id) = last.id {
            return Stored::Known(StateId::new(id as usize));
        }
        last.id = self.roots.push(last.root);
        let Some(id) = last.id else {
            return Stored::Full;
        };
        if let Some(filter) = &mut self.filter {
            filter.add(hash(state));
        }
        if self.depth == 0 {
            std::mem::swap(&mut self.top, last);
        }
        Stored::New(StateId::new(id as usize))
    }

    #[inline]
    fn look_up(&mut self, state: &[u8]) -> Option<StateId> {
        if !(std::mem::replace(&mut self.looked_up, true) && self.asked[self.last].is(state)) {
            if self.is_new(state) {
                self.looked_up = false;
                return None;
            }
            if !self.fold(state, Find) {
                return None;
            }
            let last = &mut self.asked[self.last];
            if last.id.is_none() {
                last.id = self.roots.find(last.root);
            }
        }
        self.asked[self.last].id.map(|id| StateId::new(id as usize))
    }

    fn is_slow(&self) -> bool {
        self.roots.len() > LARGE
    }

    fn expect(&mut self, state: &[u8]) {
        if self.expected.start > 1 {
            self.expected = 1..1;
        }
        let Some(shape) = self.shape(state) else {
            return;
        };
        if self.expected.end == self.asked.len() {
            self.asked.push(Folded::default());
        }
        // The last one is not there any more if it was expected, too.
        self.looked_up = false;
        let folded = &mut self.asked[self.expected.end];
        self.expected.end += 1;
        let shape = (shape, &self.shapes);
        folded.fold(state, shape, &self.top, Find(&mut self.tables), &mut self.changed);
    }

    fn await_expected(&mut self) {
        let folded = self.asked[self.expected.clone()].iter().filter(|state| state.is_folded);
        let looks = folded.map(|state| self.roots.touch(state.root));
        std::hint::black_box(looks.fold(0, u64::wrapping_add));
    }

    fn find(&self, state: &[u8]) -> Option<StateId> {
        let shape = *self.shapes.numbers.get(&state.len())?;
        self.with_shared(|shared| {
            let Shared {
                before, last, changed, ..
            } = shared;
            if !last.fold(state, (shape, &self.shapes), before, &self.tables, changed) {
                return None;
            }
            // What was not stored then may be stored now.
            last.id = last.id.or_else(|| self.roots.find(last.root));
            std::mem::swap(before, last);
            before.id.map(|id| StateId::new(id as usize))
        })
    }

    #[inline]
    fn push(&mut self, id: StateId, state: &[u8]) {
        self.depth += 1;
        let last = &mut self.asked[self.last];
        if last.is(state) {
            std::mem::swap(&mut self.top, last);
        } else if !self.top.is(state) {
            self.back_at(id);
        }
    }

    #[inline]
    fn pop(&mut self) {
        self.depth -= 1;
    }

    #[inline]
    fn will_be_back_at(&mut self, id: StateId) {
        std::hint::black_box(self.roots.touch_place(narrow::short(id.index())));
    }

    #[inline]
    fn back_at(&mut self, id: StateId) {
        let id = narrow::short(id.index());
        if self.top.id != Some(id) {
            let root = self.roots.get(id);
            self.top.unfold(root, id, &self.tables, &self.shapes, &mut self.changed);
        }
    }

    #[inline]
    fn top(&self, _: StateId) -> &[u8] {
        &self.top.state
    }

    fn len(&self) -> usize {
        self.roots.len()
    }

    fn bytes(&self) -> usize {
        let Tables { tables, recent } = &self.tables;
        let tables = tables.iter().chain([&self.roots]);
        tables.map(NodeTable::bytes).sum::<usize>()
            + recent.capacity() * size_of::<Recent>()
            + self.shapes.bytes()
            + self.filter.as_ref().map_or(0, Filter::bytes)
            + self.top.bytes()
            + self.asked.iter().map(Folded::bytes).sum::<usize>()
    }
}

impl Readable for TreeStore {
    fn read(&self, id: StateId, state: &mut Vec<u8>) {
        let id = narrow::short(id.index());
        let root = self.roots.get(id);
        self.with_shared(|Shared { read, changed, .. }| {
            read.unfold(root, id, &self.tables, &self.shapes, changed);
            state.clear();
            state.extend_from_slice(&read.state);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path that grows and shrinks, over states that differ in few bytes and perhaps in length.
    fn walk(fixed: Option<usize>, steps: usize, rng: &mut fastrand::Rng) {
        let mut store = TreeStore::new();
        let mut naive: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut path: Vec<(StateId, Vec<u8>)> = Vec::new();
        let mut state = vec![0; fixed.unwrap_or(3)];
        let most = rng.usize(1..120);
        let mut read = Vec::new();
        for _ in 0..steps {
            if let Some((_, top)) = path.last()
                && rng.bool()
            {
                state.clone_from(top);
            }
            if fixed.is_none() && rng.u8(0..4) == 0 {
                state.resize(rng.usize(0..most), 0);
            }
            for _ in 0..rng.usize(0..3) {
                if !state.is_empty() {
                    let k = rng.usize(0..state.len());
                    state[k] = rng.u8(0..3);
                }
            }
            let known = naive.get(&state).copied();
            if rng.u8(0..4) == 0 {
                expect_some(&mut store, &state, rng);
            }
            if rng.bool() {
                assert_eq!(store.look_up(&state).map(StateId::index), known);
            }
            if rng.bool() {
                assert_eq!(store.find(&state).map(StateId::index), known);
                assert_eq!(store.contains(&state), known.is_some());
            }
            if rng.u8(0..4) == 0 {
                continue;
            }
            let id = StateId::new(known.unwrap_or(naive.len()));
            let expected = match known {
                Some(_) => Stored::Known(id),
                None => Stored::New(id),
            };
            assert_eq!(store.insert(&state), expected);
            naive.entry(state.clone()).or_insert(id.index());
            match rng.u8(0..6) {
                0..3 => {
                    store.push(id, &state);
                    path.push((id, state.clone()));
                }
                3 | 4 if !path.is_empty() => {
                    for _ in 0..rng.usize(1..=path.len().min(3)) {
                        store.pop();
                        path.pop();
                    }
                    if let Some((id, state)) = path.last() {
                        store.back_at(*id);
                        assert_eq!(store.top(*id), state);
                    }
                }
                _ => {
                    store.read(id, &mut read);
                    assert_eq!(read, state);
                }
            }
        }
        assert_eq!(store.len(), naive.len());
        for (state, id) in naive {
            store.read(StateId::new(id), &mut read);
            assert_eq!(read, state);
            assert_eq!(store.find(&state), Some(StateId::new(id)));
        }
    }

    /// Lets a store expect a state, and others that come before it or never.
    fn expect_some(store: &mut TreeStore, state: &[u8], rng: &mut fastrand::Rng) {
        for _ in 0..rng.usize(0..3) {
            let mut other = state.to_vec();
            if let Some(byte) = other.first_mut() {
                *byte = rng.u8(0..3);
            }
            store.expect(&other);
            if rng.bool() {
                store.expect(state);
            }
        }
        if rng.bool() {
            store.await_expected();
        }
    }

    #[test]
    fn states_have_one_id_each_and_can_be_read_again() {
        let mut rng = fastrand::Rng::with_seed(17);
        for len in 0..100 {
            walk(Some(len), 300, &mut rng);
            walk(None, 300, &mut rng);
        }
        walk(Some(64), 100_000, &mut rng);
        walk(None, 100_000, &mut rng);
    }

    #[test]
    fn states_that_begin_alike_or_end_with_zeros_are_told_apart() {
        let mut store = TreeStore::new();
        for len in 0..300 {
            assert_eq!(store.insert(&vec![0; len]), Stored::New(StateId::new(len)));
        }
        for len in (0..300).rev() {
            assert_eq!(store.look_up(&vec![0; len]), Some(StateId::new(len)));
            assert_eq!(store.find(&vec![1; len + 1]), None);
        }
    }

    #[test]
    fn states_with_much_in_common_cost_little() {
        let mut store = TreeStore::new();
        for k in 0..100_000_u32 {
            let mut state = [7; 200];
            state[(k % 50) as usize * 4] = (k / 50 % 256) as u8;
            state[100] = (k / 12_800) as u8;
            store.insert(&state);
        }
        let each = store.bytes() / store.len();
        assert!(each < 24, "{each} bytes for each of {} states", store.len());
    }
}
