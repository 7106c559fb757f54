//! Operations on atomics and fences, as they happen.

use super::asked::{Asked, acquires, releases};
use super::graph::{Action, NONE, Node, Read};
use crate::execution::Execution;
use crate::execution::thread::Thread;
use crate::ids::{EventId, ThreadId};
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// Bits of a label that name the event within its thread; those above name the thread.
const EVENT_BITS: u32 = 20;
const THREADS: u32 = 2046;

/// The bit of a label that says that a compare-exchange fails for no reason.
pub(crate) const FAILS: u32 = 1;

/// The name of what an event writes: the same in all equivalent executions, and never that of a first value, which is 0.
fn label(thread: ThreadId, index: u32) -> u32 {
    assert!(
        thread.0 < THREADS && index < 1 << EVENT_BITS,
        "with weak memory, an execution has at most {THREADS} threads with a million operations each"
    );
    ((thread.0 << EVENT_BITS | index) + 1) << 1
}

/// The way to read a write, and perhaps to update it.
pub(super) fn way(source: &Node, asked: &Asked, update: bool) -> u32 {
    let fails = asked.would_update(source.bits) && !update;
    source.label | if fails { FAILS } else { 0 }
}

impl Execution {
    /// The ways to perform a read, by the labels of the writes that it could see. The natural way comes first.
    pub(crate) fn readable(&self, thread: &Thread, location: u32) -> Rc<[u32]> {
        let id = self.id_of(thread);
        let read = Read {
            thread: id,
            location,
            asked: thread.access,
            known: self.detectors.knowledge(id),
        };
        let graph = &self.detectors.graph;
        let readable = graph.readable(&read).into_iter();
        let labels = readable.map(|(source, update)| {
            let node = &graph.nodes[source as usize];
            way(node, &read.asked, update)
        });
        labels.collect()
    }

    /// The current thread reads the write with this label, and perhaps updates it. Returns whether it does.
    pub(crate) fn weak_read(&mut self, id: ThreadId, location: u32, way: u32) -> bool {
        let asked = self.threads[id.index()].access;
        let graph = &self.detectors.graph;
        let source = graph
            .labelled(location, way & !FAILS)
            .expect("a write that it may read");
        let bits = graph.nodes[source as usize].bits;
        let update = asked.would_update(bits) && way & FAILS == 0;
        if way & FAILS != 0 {
            self.threads[id.index()].failures_left -= 1;
        }
        let node = self.detectors.reads((id, location, asked), source, update);
        if update {
            self.name_write(id, node, asked.written);
        }
        let thread = &mut self.threads[id.index()];
        thread.found = bits;
        thread.saw = Some(bits);
        // If what is written depends on what is read, that comes later.
        thread.kept = !update || asked.expected.is_some() && asked.written == bits;
        self.sort_out(location);
        update
    }

    /// The current thread writes what it has asked to write.
    pub(crate) fn weak_write(&mut self, id: ThreadId, location: u32) {
        let asked = self.threads[id.index()].access;
        let node = self.detectors.writes(id, location, asked);
        self.name_write(id, node, asked.written);
        self.sort_out(location);
    }

    fn name_write(&mut self, id: ThreadId, node: u32, bits: u64) {
        let event = self.events.last().map_or(0, |e| e.index);
        let node = &mut self.detectors.graph.nodes[node as usize];
        node.label = label(id, event);
        node.bits = bits;
    }

    /// The last operation was an update that writes this.
    pub(crate) fn updates_to(&mut self, bits: u64) {
        if self.is_on_trial() {
            return;
        }
        let event = EventId::new(self.events.len() - 1);
        let thread = &mut self.threads[self.current.index()];
        thread.kept = bits == thread.found;
        let graph = &mut self.detectors.graph;
        if let Some(node) = graph.access(event) {
            graph.nodes[node as usize].bits = bits;
        }
    }

    /// The current thread executes a fence.
    pub(crate) fn weak_fence(&mut self, id: ThreadId, order: Ordering) {
        let detectors = &mut self.detectors;
        let before = detectors.knowledge(id).to_vec();
        detectors.fence(id, acquires(order), false);
        let after = detectors.knowledge(id).to_vec();
        let graph = &mut self.detectors.graph;
        let clocks = [graph.keep(&before), graph.keep(&after)];
        let node = Node {
            sequential: order == Ordering::SeqCst,
            ..Node::new(id, Action::Fence, NONE)
        };
        graph.other(node, clocks);
        self.detectors.fence(id, false, releases(order));
    }

    /// Forgets writes that no thread can read any more.
    fn sort_out(&mut self, location: u32) {
        let detectors = &mut self.detectors;
        if !detectors.graph.has_many(location) {
            return;
        }
        let alive = ThreadId::all()
            .zip(&self.threads)
            .filter(|(_, thread)| thread.is_alive());
        let clocks = alive
            .map(|(id, _)| (id, detectors.knowledge(id).to_vec()))
            .collect::<Vec<_>>();
        detectors.graph.sort_out(location, &clocks);
    }

    fn id_of(&self, thread: &Thread) -> ThreadId {
        let position = self.threads.iter().position(|t| std::ptr::eq(t, thread));
        ThreadId::new(position.expect("a thread of this execution"))
    }

    /// What the current thread asks of an atomic, before it announces the operation.
    pub(crate) fn asks(&mut self, asked: Asked) {
        let thread = &mut self.threads[self.current.index()];
        let may_fail = asked.may_fail && thread.failures_left > 0;
        thread.access = Asked { may_fail, ..asked };
    }
}
