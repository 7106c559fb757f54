//! What an edge at the location of its process brings into a [stubborn set](super::stubborn).

use super::PersistentAlgorithm;
use super::accesses::used_channel;
use super::knowledge::Knowledge;
use super::obstacles::{Obstacle, obstacles, offers_wanted};
use super::operations::ChannelOp;
use super::stubborn::{Current, StubbornSets};
use crate::ir::Edge;
use crate::run::View;
use mazurka_core::bitset;

impl StubbornSets<'_> {
    /// The rule of an executable edge.
    pub(super) fn executable_rule(&mut self, state: &[u8], k: usize, rows: &mut Vec<u64>) {
        rows.resize(self.row, 0);
        let Current { process, edge, .. } = self.current[k];
        let own = self.processes[process];
        self.add_current(process, rows);
        for (a, b) in &self.steps {
            if let Some(b) = *b
                && (*a == k || b == k)
            {
                bitset::insert(rows, self.bit_of(*a));
                bitset::insert(rows, self.bit_of(b));
            }
        }
        let instance = self.instances.get(own.instance);
        if instance.is_global(edge) && !(self.branching && instance.branches(edge)) {
            self.add_all(rows);
            return;
        }
        let is_conditional = self.algorithm == PersistentAlgorithm::Conditional;
        let automaton = &self.program.automata[own.proctype];
        let spare = is_conditional && has_spare(&self.view(state, process), &automaton.graph.edges[edge]);
        if !instance.sharper_now[edge] || !is_conditional {
            self.add_conflicts(process, edge, spare, rows);
            self.waited_for(self.instances.get(own.instance).does(edge), process, rows);
            return;
        }
        let [mut does, mut hits] = std::mem::take(&mut self.operations);
        does.fill(0);
        hits.fill(0);
        let view = self.view(state, process);
        self.instances
            .now(view, own.proctype, edge, spare, &mut does, &mut hits);
        self.leading_to(&hits, [process, process], rows);
        self.waited_for(&does, process, rows);
        self.operations = [does, hits];
    }

    /// Adds the edges of other processes that lead to an operation in conflict with an edge.
    fn add_conflicts(&mut self, process: usize, edge: usize, spare: bool, row: &mut [u64]) {
        let own = self.processes[process];
        let instance = self.instances.get(own.instance);
        for (q, other) in self.processes.iter().enumerate().filter(|(q, _)| *q != process) {
            let theirs = self.instances.get(other.instance);
            let table = match self.instances.flows[other.proctype].as_ref() {
                Some(flow) => {
                    let reach = flow.reach(other.location);
                    let table = self.pairs.conflicts(instance, edge, spare, theirs, reach.len());
                    table.map(|conflicts| (conflicts, reach))
                }
                None => None,
            };
            match table {
                Some((conflicts, reach)) => {
                    let block = row[other.word..].iter_mut();
                    for (word, (conflicts, reach)) in block.zip(conflicts.iter().zip(reach)) {
                        *word |= conflicts & reach;
                    }
                }
                None => self.leading_in(q, instance.hits_with(edge, spare), row),
            }
        }
    }

    /// Adds the edges of others that lead to something that can change, as what `process` does
    /// can, whether a third process may go on.
    fn waited_for(&self, does: &[u64], process: usize, row: &mut [u64]) {
        if !self.instances.fair {
            return;
        }
        for (third, other) in self.processes.iter().enumerate().filter(|(q, _)| *q != process) {
            let waits = self.instances.get(other.instance).waits();
            for changes in waits.filter(|changes| bitset::intersects(changes, does)) {
                self.leading_to(changes, [process, third], row);
            }
        }
        let later = self.later.chunks_exact(self.instances.alphabet.words);
        for changes in later.filter(|changes| bitset::intersects(changes, does)) {
            self.leading_to(changes, [process, process], row);
        }
    }

    /// Adds the edges that lead to one of the operations, of all processes but two.
    pub(super) fn leading_to(&self, operations: &[u64], but: [usize; 2], row: &mut [u64]) {
        for q in (0..self.processes.len()).filter(|q| !but.contains(q)) {
            self.leading_in(q, operations, row);
        }
    }

    /// Adds the edges of a process that lead to one of the operations.
    fn leading_in(&self, process: usize, operations: &[u64], row: &mut [u64]) {
        let own = &self.processes[process];
        let instance = self.instances.get(own.instance);
        if let Some(flow) = &self.instances.flows[own.proctype] {
            let reach = flow.reach(own.location);
            for operation in bitset::iter(operations) {
                for edge in instance.leading_to(operation) {
                    if bitset::contains(reach, *edge as usize) {
                        bitset::insert(row, own.bit(*edge as usize));
                    }
                }
            }
            return;
        }
        if !bitset::intersects(instance.future_at(own.location), operations) {
            return;
        }
        for k in own.first..own.end {
            let edge = self.current[k].edge;
            if bitset::intersects(instance.future(edge), operations) {
                bitset::insert(row, own.bit(edge));
            }
        }
    }

    pub(super) fn view<'a>(&'a self, state: &'a [u8], process: usize) -> View<'a, 'a> {
        let own = self.processes[process];
        View {
            program: self.program,
            state,
            pid: crate::narrow::pid(process),
            frame: own.at + self.program.automata[own.proctype].frame,
            timeout: false,
        }
    }

    /// The rule of an edge that is not executable.
    pub(super) fn blocked_rule(&mut self, state: &[u8], k: usize, rows: &mut Vec<u64>) {
        let Current { process, edge, .. } = self.current[k];
        let own = self.processes[process];
        match self.algorithm {
            // The limits are reached.
            PersistentAlgorithm::Conflicting => {
                rows.resize(self.row, 0);
                self.add_all(rows);
                return;
            }
            // Everything relevant, for all reasons at once.
            PersistentAlgorithm::Overman => {
                rows.resize(self.row, 0);
                self.overman_row(state, k, rows);
                return;
            }
            PersistentAlgorithm::Stubborn | PersistentAlgorithm::Conditional => {}
        }
        if self.private.is_condition(own.proctype, edge) {
            rows.resize(self.row, 0);
            self.add_returning(process, edge, rows);
            return;
        }
        let [mut operations, other] = std::mem::take(&mut self.operations);
        self.reasons_rule(state, k, &mut operations, rows);
        self.operations = [operations, other];
        if rows.is_empty() {
            // Its inhibitor is inhibited itself: nothing is known about how that ends.
            rows.resize(self.row, 0);
            self.add_all(rows);
        }
    }

    /// For each reason why an edge is not executable, what could remove it.
    fn reasons_rule(&self, state: &[u8], k: usize, operations: &mut [u64], rows: &mut Vec<u64>) {
        let Current { process, edge, .. } = self.current[k];
        let own = self.processes[process];
        let graph = &self.program.automata[own.proctype].graph;
        let first = graph.locations[own.location.index()].first as usize;
        let view = self.view(state, process);
        let mut reasons = Vec::new();
        for inhibitor in &graph.edges[edge].inhibitors {
            let other = own.first + (*inhibitor as usize - first);
            // An executable edge of the same process inhibits it. One that only accepts what somebody offers inhibits nothing.
            if self.current[other].executable && self.program.can_start(&view, graph, *inhibitor as usize) {
                rows.resize(self.row, 0);
                bitset::insert(rows, own.bit(*inhibitor as usize));
                // Whoever offers a rendezvous does not ask for inhibitors of the receive.
                offers_wanted(&view, &graph.edges[edge], &mut reasons);
                operations.fill(0);
                for reason in &reasons {
                    reason.removers(&mut self.instances.accesses(Knowledge::Now(view), operations));
                }
                self.leading_to(operations, [process, process], rows);
                return;
            }
        }
        obstacles(&view, &graph.edges[edge], &mut reasons);
        for reason in &reasons {
            let at = rows.len();
            self.add_removers(view, reason, operations, Some(process), rows);
            self.add_returning(process, edge, &mut rows[at..]);
        }
    }

    /// Adds the current edges of a process, other than one of them, after which it can come back to that one.
    fn add_returning(&self, process: usize, edge: usize, row: &mut [u64]) {
        let own = &self.processes[process];
        let Some(flow) = &self.instances.flows[own.proctype] else {
            // Who is here because of what it leads to is here together with all that lead to the same.
            return;
        };
        let graph = &self.program.automata[own.proctype].graph;
        for k in own.first..own.end {
            let other = self.current[k].edge;
            if other != edge && bitset::contains(flow.reach(graph.edges[other].to), edge) {
                bitset::insert(row, own.bit(other));
            }
        }
    }

    /// The rule of Algorithm 2 for an edge that is not executable: it adds every process that may perform an operation that
    /// conflicts with the edge or makes it executable.
    fn overman_row(&self, state: &[u8], k: usize, row: &mut [u64]) {
        let Current { process, edge, .. } = self.current[k];
        let own = self.processes[process];
        let graph = &self.program.automata[own.proctype].graph;
        self.add_current(process, row);
        let view = self.view(state, process);
        let mut operations = self.instances.get(own.instance).hits(edge).to_vec();
        let mut reasons = Vec::new();
        obstacles(&view, &graph.edges[edge], &mut reasons);
        for reason in &reasons {
            reason.removers(&mut self.instances.accesses(Knowledge::Now(view), &mut operations));
        }
        self.leading_to(&operations, [process, process], row);
        if reasons.is_empty() && graph.edges[edge].inhibitors.is_empty() {
            self.add_all(row);
        }
    }

    /// Adds an alternative: the edges of all processes, or all but one, that lead to an operation that removes a reason.
    pub(super) fn add_removers(
        &self,
        view: View<'_, '_>,
        reason: &Obstacle<'_>,
        operations: &mut [u64],
        but: Option<usize>,
        rows: &mut Vec<u64>,
    ) {
        operations.fill(0);
        reason.removers(&mut self.instances.accesses(Knowledge::Now(view), operations));
        let at = rows.len();
        rows.resize(at + self.row, 0);
        let but = but.unwrap_or(usize::MAX);
        self.leading_to(operations, [but, but], &mut rows[at..]);
    }
}

/// Whether the channel that an edge uses has two messages that it could take, or room for two that it could add.
pub(super) fn has_spare(view: &View<'_, '_>, edge: &Edge) -> bool {
    let Some((channel, op)) = used_channel(edge) else {
        return false;
    };
    let Ok(channel) = view.channel(channel) else {
        return false;
    };
    let (length, capacity) = (channel.len(view.state), channel.layout.capacity);
    match op {
        ChannelOp::Send | ChannelOp::SendSorted => length + 1 < capacity,
        ChannelOp::Receive | ChannelOp::ReceiveAny => capacity > 0 && length > 1,
        _ => false,
    }
}
