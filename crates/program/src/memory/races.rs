//! What could have gone otherwise: reads that could see a later write, and updates that could come first.

use super::graph::{Action, NONE, Node, Read};
use super::perform::{FAILS, way};
use crate::execution::{Execution, Other, Race, join};
use crate::ids::{EventId, ThreadId};

impl Execution {
    /// Joins to `clock` what happened before an access to an atomic, which is the event `id`, because it has read it. If the event is
    /// `new`, reports what could have gone otherwise.
    pub(crate) fn relate(&self, id: EventId, clock: &mut Vec<u32>, new: bool, mut report: impl FnMut(Race)) {
        let graph = &self.detectors.graph;
        let Some(access) = graph.access(id) else { return };
        let node = &graph.nodes[access as usize];
        if let Some(source) = graph.nodes.get(node.source as usize)
            && source.event != EventId::NONE
        {
            join(clock, self.clock(source.event));
        }
        if !new {
            return;
        }
        let race = |first: &Node, how| Race {
            first: first.event,
            thread: node.thread,
            second: id,
            without: 0,
            how,
        };
        if node.writes() {
            let reads = self.concurrent(node, clock).into_iter();
            for read in reads.filter(|read| self.could_see(*read, access)) {
                report(race(&graph.nodes[read as usize], Other::Sees(node.label)));
            }
        }
        if node.source != NONE {
            let ways = self.out_of_reach(access);
            let rivals = if ways.is_empty() {
                Vec::new()
            } else {
                self.rival_reads(node)
            };
            for (source, update) in ways {
                for &rival in &rivals {
                    if self.would_see(access, (source, update), rival) {
                        let way = way(&graph.nodes[source as usize], &node.asked, update);
                        report(race(&graph.nodes[rival as usize], Other::Replaces(way)));
                    }
                }
            }
        }
    }

    /// The writes, and whether they would be updated, that a read could not see, but could perhaps without the choices that other
    /// threads have made.
    fn out_of_reach(&self, read: u32) -> Vec<(u32, bool)> {
        let graph = &self.detectors.graph;
        let asked = &graph.nodes[read as usize].asked;
        let candidates = graph.not_overlooked(read).into_iter();
        let ways = candidates.flat_map(|source| {
            let bits = graph.nodes[source as usize].bits;
            asked.ways(bits).map(move |update| (source, update))
        });
        ways.filter(|&(source, update)| {
            let node = &graph.nodes[source as usize];
            !self.readable.contains(&way(node, asked, update)) && self.would_see_alone(read, (source, update))
        })
        .collect()
    }

    /// The reads of other threads that an access does not need, and that could keep it from seeing something: those of its
    /// location, or all if some operations are sequentially consistent.
    fn rival_reads(&self, node: &Node) -> Vec<u32> {
        let graph = &self.detectors.graph;
        let before = self.before(node.event, node.thread);
        let rivals = if graph.is_sequential() {
            let locations = 0..graph.locations();
            locations
                .flat_map(|l| self.concurrent_at(l, node.thread, before))
                .collect()
        } else {
            self.concurrent(node, before)
        };
        rivals
            .into_iter()
            .filter(|rival| graph.nodes[*rival as usize].reads())
            .collect()
    }

    /// True if a read could see a write, if nothing but what both need had happened.
    fn would_see_alone(&self, read: u32, (source, update): (u32, bool)) -> bool {
        let graph = &self.detectors.graph;
        let (reader, writer) = (&graph.nodes[read as usize], &graph.nodes[source as usize]);
        let needed = |e: EventId| {
            let of_writer = writer.event != EventId::NONE && self.happened_before(e, writer.event);
            e < reader.event && (of_writer || self.knows(reader.event, reader.thread, e))
        };
        let (part, numbers) = graph.part(needed);
        part.admits(&self.question(read), numbers[source as usize], update)
    }

    /// True if a read could see a write, if an earlier read and what needs that had not happened, and not if only what needs it
    /// had not.
    fn would_see(&self, read: u32, (source, update): (u32, bool), rival: u32) -> bool {
        let graph = &self.detectors.graph;
        let (first, writer) = (graph.nodes[rival as usize].event, graph.nodes[source as usize].event);
        let reader = graph.nodes[read as usize].event;
        if writer != EventId::NONE && self.happened_before(first, writer) {
            return false;
        }
        let without = |e: EventId| e < first || e < reader && !self.happened_before(first, e);
        let admits = |remains: &dyn Fn(EventId) -> bool| {
            let (part, numbers) = graph.part(remains);
            part.admits(&self.question(read), numbers[source as usize], update)
        };
        admits(&without) && !admits(&|e| e == first || without(e))
    }

    /// Accesses of other threads to the location of a node that are not in `clock`.
    fn concurrent(&self, node: &Node, clock: &[u32]) -> Vec<u32> {
        self.concurrent_at(node.location, node.thread, clock)
    }

    fn concurrent_at(&self, location: u32, thread: ThreadId, clock: &[u32]) -> Vec<u32> {
        let index = |event: EventId| self.events[event.index()].index;
        self.detectors.graph.concurrent(location, thread, clock, index)
    }

    /// The read that a node was, before it happened.
    fn question(&self, node: u32) -> Read<'_> {
        let graph = &self.detectors.graph;
        let Node {
            thread,
            location,
            asked,
            ..
        } = graph.nodes[node as usize];
        Read {
            thread,
            location,
            asked,
            known: graph.known(node),
        }
    }

    /// True if a read could see a later write, if what happened after the read is left out.
    fn could_see(&self, read: u32, write: u32) -> bool {
        let graph = &self.detectors.graph;
        let (reader, writer) = (&graph.nodes[read as usize], &graph.nodes[write as usize]);
        if !reader.reads() || reader.asked.last {
            return false;
        }
        if writer.action == Action::Write && !graph.is_sequential() {
            return true;
        }
        let first = reader.event;
        let (part, numbers) =
            graph.part(|e| e < first || e == writer.event || e < writer.event && !self.happened_before(first, e));
        let source = numbers[write as usize];
        reader
            .asked
            .ways(writer.bits)
            .any(|update| part.admits(&self.question(read), source, update))
    }

    /// The ways in which the operation of a race is performed that goes otherwise.
    pub(crate) fn ways_of(&self, race: &Race) -> Vec<u32> {
        match race.how {
            Other::Order => (0..self.choices_of_second(race)).collect(),
            Other::Replaces(way) => vec![way],
            Other::Sees(label) => {
                let graph = &self.detectors.graph;
                let access = |event| graph.access(event).map(|node| &graph.nodes[node as usize]);
                let (Some(read), Some(write)) = (access(race.first), access(race.second)) else {
                    return Vec::new();
                };
                let update = read.asked.would_update(write.bits);
                let ways = read.asked.ways(write.bits);
                ways.map(|way| label | if update && !way { FAILS } else { 0 }).collect()
            }
        }
    }
}
