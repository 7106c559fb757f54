//! Execution graphs: what has happened to atomics, and who has seen what.
//!
//! A [`Graph`] grows with the execution. Its nodes are reads, writes and fences with the clocks of C++'s happened-before, which
//! the detectors keep ([`crate::detect`]); other synchronisation is a node as well, since the order of sequentially consistent
//! operations may go through it. Each read knows the write that it has read from.

use super::asked::Asked;
use super::order::Order;
use crate::execution::join;
use crate::ids::{EventId, ThreadId};
use crate::narrow::short;
use std::cell::Cell;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    Read,
    Write,
    /// Reads and writes.
    Update,
    Fence,
    /// Something else that synchronises.
    Other,
}

/// Stands for no location, node or write.
pub(crate) const NONE: u32 = u32::MAX;

/// Where a clock is in the pool.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Span {
    start: u32,
    len: u32,
}

/// A node, with the numbers of other nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The event to whose transition it belongs, or [`EventId::NONE`].
    pub(crate) event: EventId,
    pub(crate) thread: ThreadId,
    pub(crate) action: Action,
    /// Whether it is sequentially consistent.
    pub(crate) sequential: bool,
    pub(crate) location: u32,
    /// The write that it reads.
    pub(crate) source: u32,
    /// The name of the write, which is the same in all equivalent executions.
    pub(crate) label: u32,
    /// What it writes.
    pub(crate) bits: u64,
    /// What its thread asked for.
    pub(crate) asked: Asked,
    /// Its number among the writes of its location.
    pub(super) place: u32,
    /// How much its thread has published, which tells whether others know of it.
    pub(super) epoch: u32,
    /// What its thread knew before it.
    pub(super) known: Span,
    /// What its thread knew after it.
    pub(super) clock: Span,
    /// What those learn that synchronise with it.
    pub(super) published: Span,
}

impl Node {
    /// A node that has yet to be given its clocks.
    pub(crate) fn new(thread: ThreadId, action: Action, location: u32) -> Node {
        Node {
            event: EventId::NONE,
            thread,
            action,
            sequential: false,
            location,
            source: NONE,
            label: 0,
            bits: 0,
            asked: Asked::default(),
            place: NONE,
            epoch: 0,
            known: Span::default(),
            clock: Span::default(),
            published: Span::default(),
        }
    }

    pub(crate) fn reads(&self) -> bool {
        matches!(self.action, Action::Read | Action::Update)
    }

    pub(crate) fn writes(&self) -> bool {
        matches!(self.action, Action::Write | Action::Update)
    }
}

/// An access to a location by a thread.
#[derive(Clone, Copy, Debug)]
struct Access {
    node: u32,
    epoch: u32,
    /// The write that it is or has read.
    write: u32,
}

/// A set of writes, as bits.
#[derive(Clone, Debug, Default)]
struct Live {
    words: Vec<u64>,
    len: usize,
}

impl Live {
    fn clear(&mut self) {
        self.words.clear();
        self.len = 0;
    }

    /// Adds a write that is later than all others.
    fn push(&mut self, write: u32) {
        self.words.resize(write as usize / 64 + 1, 0);
        self.words[write as usize / 64] |= 1 << (write % 64);
        self.len += 1;
    }

    fn remove(&mut self, write: u32) {
        self.words[write as usize / 64] &= !(1 << (write % 64));
        self.len -= 1;
    }

    /// The writes that are not among the `others`, of which there is a bit for each.
    fn latest_first(&self, others: &[u64]) -> impl Iterator<Item = u32> {
        let words = self.words.iter().zip(others).enumerate().rev();
        words.flat_map(|(word, (live, others))| {
            let left = |bits: u64| (bits != 0).then(|| (bits, 63 - bits.leading_zeros()));
            let each = std::iter::successors(left(live & !others), move |(bits, last)| left(bits & !(1 << last)));
            each.map(move |(_, bit)| short(word) * 64 + bit)
        })
    }
}

/// A location: an atomic from its first use on, or since a reference excluded all others.
#[derive(Clone, Debug, Default)]
struct Location {
    /// The nodes that write, in the order in which they happened.
    writes: Vec<u32>,
    /// The writes that some thread might still read.
    live: Live,
    /// When the others were last sorted out, there were so many.
    sorted: usize,
    order: Order,
    /// The accesses of each thread, in order.
    threads: Vec<Vec<Access>>,
}

impl Location {
    fn clear(&mut self) {
        self.writes.clear();
        self.live.clear();
        self.sorted = 0;
        self.order.clear();
        self.threads.iter_mut().for_each(Vec::clear);
    }
}

/// A read that has not happened.
#[derive(Clone, Copy)]
pub(crate) struct Read<'a> {
    pub(crate) thread: ThreadId,
    pub(crate) location: u32,
    pub(crate) asked: Asked,
    /// What its thread knows before.
    pub(crate) known: &'a [u32],
}

/// The atomics of an execution.
#[derive(Default)]
pub(crate) struct Graph {
    /// Whether it is kept.
    pub(crate) active: bool,
    /// The event that is happening.
    pub(crate) event: EventId,
    pub(crate) nodes: Vec<Node>,
    /// For each event, the access that it is, or [`NONE`].
    accesses: Vec<u32>,
    /// Those in use come first; the others are kept for their allocations.
    locations: Vec<Location>,
    used: u32,
    scratch: Cell<Vec<u32>>,
    overlooked: Cell<Vec<u64>>,
    clocks: Vec<u32>,
    /// How many nodes are sequentially consistent.
    sequential: u32,
    /// Of each thread that has one, its first sequentially consistent fence: its epoch.
    fences: Vec<(ThreadId, u32)>,
}

impl Graph {
    pub(crate) fn clear(&mut self) {
        self.event = EventId::NONE;
        self.nodes.clear();
        self.accesses.clear();
        self.used = 0;
        self.clocks.clear();
        self.sequential = 0;
        self.fences.clear();
    }

    /// Adds a location with its first value, which everybody knows.
    pub(crate) fn location(&mut self, bits: u64) -> u32 {
        let location = self.used;
        self.used += 1;
        match self.locations.get_mut(location as usize) {
            Some(there) => there.clear(),
            None => self.locations.push(Location::default()),
        }
        let mut first = Node::new(ThreadId::MAIN, Action::Write, location);
        first.bits = bits;
        first.place = self.locations[location as usize].order.write(&[]);
        let node = self.push(first);
        let there = &mut self.locations[location as usize];
        there.writes.push(node);
        there.live.push(0);
        location
    }

    fn copy(&self) -> Graph {
        Graph {
            active: self.active,
            event: self.event,
            nodes: self.nodes.clone(),
            accesses: Vec::new(),
            locations: self.locations[..self.used as usize].to_vec(),
            used: self.used,
            scratch: Cell::default(),
            overlooked: Cell::default(),
            clocks: self.clocks.clone(),
            sequential: self.sequential,
            fences: self.fences.clone(),
        }
    }

    fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        short(self.nodes.len() - 1)
    }

    /// Puts a clock into the pool.
    pub(crate) fn keep(&mut self, clock: &[u32]) -> Span {
        let start = short(self.clocks.len());
        self.clocks.extend_from_slice(clock);
        let len = short(clock.len());
        Span { start, len }
    }

    /// Puts the join of two clocks into the pool, of which one is there.
    pub(crate) fn keep_both(&mut self, first: Span, second: &[u32]) -> Span {
        let start = short(self.clocks.len());
        let len = first.len.max(short(second.len()));
        for i in 0..len {
            let mine = if i < first.len {
                self.clocks[(first.start + i) as usize]
            } else {
                0
            };
            let theirs = second.get(i as usize).copied().unwrap_or(0);
            self.clocks.push(mine.max(theirs));
        }
        Span { start, len }
    }

    /// A clock of the pool.
    pub(crate) fn span(&self, span: Span) -> &[u32] {
        &self.clocks[span.start as usize..(span.start + span.len) as usize]
    }

    /// The node with its clocks: what its thread knows before and after it, and what it publishes.
    fn with_clocks(&self, node: Node, [known, clock, published]: [Span; 3]) -> Node {
        Node {
            event: self.event,
            epoch: self.span(clock).get(node.thread.index()).copied().unwrap_or(0),
            known,
            clock,
            published,
            ..node
        }
    }

    /// What those learn that synchronise with a write.
    pub(crate) fn published(&self, node: u32) -> Span {
        self.nodes[node as usize].published
    }

    /// What the thread of a node knew before it.
    pub(crate) fn known(&self, node: u32) -> &[u32] {
        self.span(self.nodes[node as usize].known)
    }

    /// True for the first value of a location, which everybody knows.
    pub(super) fn is_first(&self, node: usize) -> bool {
        self.nodes[node].epoch == 0
    }

    /// True if the first node happened before the second one.
    pub(super) fn happened_before(&self, first: usize, second: usize) -> bool {
        if self.is_first(first) || self.is_first(second) {
            return self.is_first(first) && !self.is_first(second);
        }
        let (a, b) = (&self.nodes[first], &self.nodes[second]);
        let knows = || self.span(b.clock).get(a.thread.index()).copied().unwrap_or(0) >= a.epoch;
        first < second && (a.thread == b.thread || knows())
    }

    /// The write of a location with this label.
    pub(crate) fn labelled(&self, location: u32, label: u32) -> Option<u32> {
        let there = &self.locations[location as usize];
        let mut writes = there.writes.iter().rev().copied();
        writes.find(|w| self.nodes[*w as usize].label == label)
    }

    /// The writes that a thread with this knowledge cannot overlook: of each thread, the latest that it knows of, or that a
    /// read has seen that it knows of.
    fn seen(&self, thread: ThreadId, known: &[u32], location: u32) -> Vec<u32> {
        let mut seen = self.scratch.take();
        seen.clear();
        self.seen_before(thread, known, location, NONE, &mut seen);
        seen
    }

    /// The same, before a node of the thread.
    fn seen_before(&self, thread: ThreadId, known: &[u32], location: u32, node: u32, seen: &mut Vec<u32>) {
        let there = &self.locations[location as usize];
        seen.push(0);
        for (i, accesses) in there.threads.iter().enumerate() {
            let last = if i == thread.index() {
                accesses.iter().rev().find(|a| a.node < node)
            } else {
                let epoch = known.get(i).copied().unwrap_or(0);
                accesses[..accesses.partition_point(|a| a.epoch <= epoch)].last()
            };
            seen.extend(last.map(|a| a.write).filter(|write| *write != 0));
        }
    }

    /// The writes that a read may see, the latest first, and for each whether it would be read by an update. `known` is what the
    /// thread knows before.
    pub(crate) fn readable(&self, read: &Read) -> Vec<(u32, bool)> {
        let there = &self.locations[read.location as usize];
        let seen = self.seen(read.thread, read.known, read.location);
        let mut readable = Vec::new();
        let mut overlooked = self.overlooked.take();
        there.order.before_any(&seen, &mut overlooked);
        for write in there.live.latest_first(&overlooked) {
            let source = there.writes[write as usize];
            for update in read.asked.ways(self.nodes[source as usize].bits) {
                if self.admits_read(read, source, update, &seen) {
                    readable.push((source, update));
                }
            }
        }
        self.scratch.set(seen);
        self.overlooked.set(overlooked);
        readable
    }

    /// The writes that a read need not overlook because of what its thread knew before.
    pub(super) fn not_overlooked(&self, read: u32) -> Vec<u32> {
        let Node { thread, location, .. } = self.nodes[read as usize];
        let there = &self.locations[location as usize];
        let mut seen = Vec::new();
        self.seen_before(thread, self.known(read), location, read, &mut seen);
        let node = |write: u32| there.writes[write as usize] as usize;
        let overlooked = |write: u32| {
            let by = |later: u32| {
                later != write
                    && (self.happened_before(node(write), node(later))
                        || there.order.chained(write, later) && there.order.before(write, later))
            };
            seen.iter().any(|later| by(*later))
        };
        let none = vec![0; there.live.words.len()];
        let writes = there.live.latest_first(&none).filter(|write| !overlooked(*write));
        let others = writes.map(|write| there.writes[write as usize]);
        others.filter(|write| *write != read).collect()
    }

    /// True if the graph stays consistent with a read of `source`, which is perhaps an `update`.
    pub(super) fn admits(&self, read: &Read, source: u32, update: bool) -> bool {
        self.admits_read(read, source, update, &self.seen(read.thread, read.known, read.location))
    }

    fn admits_read(&self, read: &Read, source: u32, update: bool, seen: &[u32]) -> bool {
        let order = &self.locations[read.location as usize].order;
        let write = self.nodes[source as usize].place;
        if update && order.is_claimed(write) || seen.iter().any(|s| order.before(write, *s)) {
            return false;
        }
        if read.asked.last && (0..order.len()).any(|other| order.before(write, other)) {
            return false;
        }
        let sequential = self.sequential + u32::from(read.asked.is_sequential(update));
        if sequential < 2 || order.is_last(write) {
            return true;
        }
        let mut after = read.known.to_vec();
        if read.asked.acquires(update) {
            join(&mut after, self.span(self.published(source)));
        }
        let settled = seen.iter().all(|s| *s == write || order.before(*s, write));
        if settled && !read.asked.last && !read.asked.is_sequential(update) && !self.knows_fence(read.thread, &after) {
            // A step of `psc` begins or ends at a sequentially consistent access, or at such a fence that happened before or after.
            // So none of them meets this access, which orders no other writes either.
            return true;
        }
        let mut with = self.copy();
        let known = with.keep(read.known);
        let clock = with.keep(&after);
        with.read(
            (read.thread, read.location, read.asked),
            source,
            update,
            [known, clock, Span::default()],
        );
        with.is_sequentially_consistent()
    }

    /// True if a sequentially consistent fence is known to a thread with this knowledge, or is its own.
    fn knows_fence(&self, thread: ThreadId, known: &[u32]) -> bool {
        let epoch = |of: ThreadId| known.get(of.index()).copied().unwrap_or(0);
        self.fences
            .iter()
            .any(|(of, first)| *of == thread || epoch(*of) >= *first)
    }

    /// Adds a read of `source`, which is perhaps an update, by a thread and of a location.
    pub(crate) fn read(
        &mut self,
        (thread, location, asked): (ThreadId, u32, Asked),
        source: u32,
        update: bool,
        clocks: [Span; 3],
    ) -> u32 {
        let node = Node {
            source,
            sequential: asked.is_sequential(update),
            asked,
            ..Node::new(thread, if update { Action::Update } else { Action::Read }, location)
        };
        self.insert(self.with_clocks(node, clocks))
    }

    /// Adds a write.
    pub(crate) fn write(&mut self, (thread, location, asked): (ThreadId, u32, Asked), clocks: [Span; 3]) -> u32 {
        let node = Node {
            sequential: asked.is_sequential(false),
            asked,
            ..Node::new(thread, Action::Write, location)
        };
        self.insert(self.with_clocks(node, clocks))
    }

    /// Adds a node that is no access, with what its thread knows before and after it.
    pub(crate) fn other(&mut self, node: Node, [known, clock]: [Span; 2]) {
        self.insert(self.with_clocks(node, [known, clock, Span::default()]));
    }

    /// Adds a node with its clocks and its source. The graph stays consistent if it is admitted.
    fn insert(&mut self, node: Node) -> u32 {
        self.sequential += u32::from(node.sequential);
        if node.sequential && node.action == Action::Fence && self.fences.iter().all(|(of, _)| *of != node.thread) {
            self.fences.push((node.thread, node.epoch));
        }
        let index = self.push(node);
        if node.location == NONE {
            return index;
        }
        let mut seen = self.scratch.take();
        seen.clear();
        self.seen_before(node.thread, self.span(node.known), node.location, NONE, &mut seen);
        let source = self.nodes.get(node.source as usize).map(|source| source.place);
        let there = &mut self.locations[node.location as usize];
        if let Some(source) = source {
            if node.asked.last {
                for other in 0..there.order.len() {
                    there.order.force(other, source);
                }
            }
            for &write in &seen {
                there.order.force(write, source);
            }
        }
        let place = match (node.action, source) {
            (Action::Write, _) => Some(there.order.write(&seen)),
            (Action::Update, Some(source)) => Some(there.order.update(source)),
            _ => None,
        };
        if let Some(place) = place {
            there.writes.push(index);
            there.live.push(place);
            self.nodes[index as usize].place = place;
        }
        if node.event != EventId::NONE {
            let event = node.event.index();
            if self.accesses.len() <= event {
                self.accesses.resize(event + 1, NONE);
            }
            self.accesses[event] = index;
        }
        while there.threads.len() <= node.thread.index() {
            there.threads.push(Vec::new());
        }
        there.threads[node.thread.index()].push(Access {
            node: index,
            epoch: node.epoch,
            write: place.or(source).unwrap_or(0),
        });
        self.scratch.set(seen);
        index
    }

    /// The location of a read, and what it has seen; none if it would see something else another time: a compare-exchange that
    /// has failed for no reason.
    pub(crate) fn seen_by(&self, read: u32) -> Option<(u32, u64)> {
        let node = &self.nodes[read as usize];
        let bits = self.nodes.get(node.source as usize)?.bits;
        let failed = node.action == Action::Read && node.asked.would_update(bits);
        (!failed).then_some((node.location, bits))
    }

    /// True if these can be the last values of locations, in some modification orders.
    pub(crate) fn can_end_with(&self, values: &[(u32, u64)]) -> bool {
        let Some((&(location, bits), others)) = values.split_first() else {
            return self.sequential < 2 || self.is_sequentially_consistent();
        };
        if others.iter().any(|(other, _)| *other == location) {
            return false;
        }
        let there = &self.locations[location as usize];
        let last = |write: u32| (0..there.order.len()).all(|other| !there.order.before(write, other));
        let mut candidates = (0..there.order.len()).rev().filter(|write| {
            let node = there.writes[*write as usize];
            self.nodes[node as usize].bits == bits && last(*write)
        });
        candidates.any(|write| {
            let mut with = self.copy();
            let order = &mut with.locations[location as usize].order;
            (0..order.len()).for_each(|other| order.force(other, write));
            with.can_end_with(others)
        })
    }

    /// True if there are many writes to a location that somebody might still read.
    pub(crate) fn has_many(&self, location: u32) -> bool {
        let there = &self.locations[location as usize];
        there.live.len >= 2 * there.sorted + 32
    }

    /// Forgets writes that nobody can read any more. `clocks` are what the threads know that have not ended.
    pub(crate) fn sort_out(&mut self, location: u32, clocks: &[(ThreadId, Vec<u32>)]) {
        let seen: Vec<_> = clocks
            .iter()
            .map(|(thread, known)| self.seen(*thread, known, location))
            .collect();
        let there = &mut self.locations[location as usize];
        let Location { order, live, .. } = there;
        let none = vec![0; live.words.len()];
        let all: Vec<u32> = live.latest_first(&none).collect();
        for write in all {
            let may_read = |seen: &Vec<u32>| !seen.iter().any(|s| order.before(write, *s));
            if !seen.iter().any(may_read) {
                live.remove(write);
            }
        }
        there.sorted = there.live.len;
    }

    /// The access that an event is; none if it is something else.
    pub(crate) fn access(&self, event: EventId) -> Option<u32> {
        let access = self.accesses.get(event.index()).copied();
        access.filter(|access| *access != NONE)
    }

    /// The nodes of a location that others than `thread` have added and that are not yet in `events`, the number of events of each
    /// thread. `index` tells which event of its thread an event is.
    pub(super) fn concurrent(
        &self,
        location: u32,
        thread: ThreadId,
        events: &[u32],
        index: impl Fn(EventId) -> u32,
    ) -> Vec<u32> {
        let mut nodes = Vec::new();
        for (i, accesses) in self.locations[location as usize].threads.iter().enumerate() {
            if i == thread.index() {
                continue;
            }
            let known = events.get(i).copied().unwrap_or(0);
            let from = accesses.partition_point(|a| index(self.nodes[a.node as usize].event) < known);
            nodes.extend(accesses[from..].iter().map(|a| a.node));
        }
        nodes
    }

    /// The graph of the nodes whose events remain, which are closed under what happened before. Returns where each node is.
    pub(super) fn part(&self, remains: impl Fn(EventId) -> bool) -> (Graph, Vec<u32>) {
        let mut part = Graph {
            active: true,
            clocks: self.clocks.clone(),
            locations: Vec::new(),
            ..Graph::default()
        };
        let mut numbers = vec![NONE; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            if self.is_first(index) {
                let location = part.location(node.bits);
                let first = part.locations[location as usize].writes[0];
                numbers[index] = first;
                part.nodes[first as usize].label = node.label;
            } else if node.event == EventId::NONE || remains(node.event) {
                let source = numbers.get(node.source as usize).copied().unwrap_or(NONE);
                numbers[index] = part.insert(Node { source, ..*node });
            }
        }
        (part, numbers)
    }

    /// How many locations there are.
    pub(super) fn locations(&self) -> u32 {
        self.used
    }

    /// True if some operation is sequentially consistent.
    pub(super) fn is_sequential(&self) -> bool {
        self.sequential > 0
    }

    pub(super) fn orders(&self) -> Vec<Order> {
        let used = &self.locations[..self.used as usize];
        used.iter().map(|l| l.order.clone()).collect()
    }
}
