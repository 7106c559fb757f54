//! What could have gone otherwise: reads that could see a later write, and updates that could come first.

use super::graph::{Action, Node, Read};
use crate::execution::{Execution, Other, Race, join};
use crate::ids::EventId;

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
        if node.asked.update {
            let before = self.before(id, node.thread);
            for update in self.concurrent(node, before) {
                let rival = &graph.nodes[update as usize];
                if rival.action == Action::Update && self.could_replace(update, access) {
                    let source = &graph.nodes[rival.source as usize];
                    report(race(rival, Other::Replaces(source.label)));
                }
            }
        }
    }

    /// Accesses of other threads to the location of a node that are not in `clock`.
    fn concurrent(&self, node: &Node, clock: &[u32]) -> Vec<u32> {
        let index = |event: EventId| self.events[event.index()].index;
        self.detectors.graph.concurrent(node.location, node.thread, clock, index)
    }

    /// The read that a node was, before it happened.
    fn question(&self, node: u32) -> Read<'_> {
        let graph = &self.detectors.graph;
        let Node { thread, location, asked, .. } = graph.nodes[node as usize];
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
        let (part, numbers) = graph.part(|e| e < first || e == writer.event || e < writer.event && !self.happened_before(first, e));
        let source = numbers[write as usize];
        reader.asked.ways(writer.bits).any(|update| part.admits(&self.question(read), source, update))
    }

    /// True if an update could see what an earlier one has seen, in its place.
    fn could_replace(&self, earlier: u32, later: u32) -> bool {
        let graph = &self.detectors.graph;
        let (rival, asking) = (&graph.nodes[earlier as usize], &graph.nodes[later as usize]);
        let source = rival.source as usize;
        if !asking.asked.would_update(graph.nodes[source].bits) {
            return false;
        }
        let first = rival.event;
        let (part, numbers) = graph.part(|e| e < first || e < asking.event && !self.happened_before(first, e));
        part.admits(&self.question(later), numbers[source], true)
    }

    /// The ways in which the operation of a race is performed that goes otherwise.
    pub(crate) fn ways_of(&self, race: &Race) -> Vec<u32> {
        match race.how {
            Other::Order => (0..self.choices_of_second(race)).collect(),
            Other::Replaces(label) => vec![label],
            Other::Sees(label) => {
                let graph = &self.detectors.graph;
                let access = |event| graph.access(event).map(|node| &graph.nodes[node as usize]);
                let (Some(read), Some(write)) = (access(race.first), access(race.second)) else {
                    return Vec::new();
                };
                let update = read.asked.would_update(write.bits);
                let ways = read.asked.ways(write.bits);
                ways.map(|way| label | if update && !way { super::perform::FAILS } else { 0 }).collect()
            }
        }
    }
}
