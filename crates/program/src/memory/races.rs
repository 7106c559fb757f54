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
            let rivals = self.rival_reads(node);
            let ways = if rivals.is_empty() {
                Vec::new()
            } else {
                self.out_of_reach(access)
            };
            for (source, update) in ways {
                let way = way(&graph.nodes[source as usize], &node.asked, update);
                for of_thread in
                    rivals.chunk_by(|a, b| graph.nodes[*a as usize].thread == graph.nodes[*b as usize].thread)
                {
                    if let Some(rival) = self.last_without(access, (source, update), of_thread) {
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
    /// location, or all if some operations are sequentially consistent. They are sorted by threads.
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
        let reads = |rival: &u32| graph.nodes[*rival as usize].reads();
        let mut rivals: Vec<u32> = rivals.into_iter().filter(reads).collect();
        rivals.sort_unstable_by_key(|rival| (graph.nodes[*rival as usize].thread, *rival));
        rivals
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

    /// The read of these, which are of one thread and in order, without which an access could see a write, and with which it could
    /// not, if what needs that read had not happened.
    ///
    /// What a consistent graph admits is admitted if a part of it had not happened. So it is admitted without each of these up to the
    /// last one, and with each of them but that one.
    fn last_without(&self, access: u32, (source, update): (u32, bool), of_thread: &[u32]) -> Option<u32> {
        let graph = &self.detectors.graph;
        let event = |node: u32| graph.nodes[node as usize].event;
        let (reader, writer) = (event(access), event(source));
        let needed = |rival: u32| writer != EventId::NONE && self.happened_before(event(rival), writer);
        let possible = &of_thread[of_thread.partition_point(|rival| needed(*rival))..];
        let without = |first: EventId, e: EventId| e < first || e < reader && !self.happened_before(first, e);
        let admits = |remains: &dyn Fn(EventId) -> bool| {
            let (part, numbers) = graph.part(remains);
            part.admits(&self.question(access), numbers[source as usize], update)
        };
        // An update that reads the same write must not remain.
        let claims = |node: &u32| graph.nodes[*node as usize].source == source && graph.nodes[*node as usize].writes();
        let claimed = if update {
            (0..access).rev().find(claims).map(event)
        } else {
            None
        };
        let goes = |first: EventId| claimed.is_none_or(|claim| self.happened_before(first, claim));
        let certainly = possible.partition_point(|rival| goes(event(*rival)));
        let last = possible[..certainly]
            .partition_point(|rival| admits(&|e| without(event(*rival), e)))
            .checked_sub(1)?;
        let first = event(possible[last]);
        (!admits(&|e| e == first || without(first, e))).then_some(possible[last])
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

    /// True if the second operation of a race, which goes otherwise because the first one has not happened, writes something that
    /// the first one could see.
    pub(crate) fn first_sees_second(&self, race: &Race) -> bool {
        let Other::Replaces(way) = race.how else { return false };
        let graph = &self.detectors.graph;
        let access = |event| graph.access(event).map(|node| &graph.nodes[node as usize]);
        let (Some(first), Some(second)) = (access(race.first), access(race.second)) else {
            return false;
        };
        let source = graph.labelled(second.location, way & !FAILS);
        let updates = source.is_some_and(|s| second.asked.would_update(graph.nodes[s as usize].bits));
        first.location == second.location && updates && way & FAILS == 0
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
