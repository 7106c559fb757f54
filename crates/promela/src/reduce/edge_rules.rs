//! What an edge at the location of its process brings into a [stubborn set](super::stubborn).

use super::PersistentAlgorithm;
use super::inquiry::{Answer, Inquiry, Notes, Question};
use super::knowledge::Knowledge;
use super::obstacles::{Obstacle, obstacles, offers_wanted};
use super::stubborn::{Current, StubbornSets, look};
use mazurka_core::bitset;

impl StubbornSets<'_> {
    /// The rule of an executable edge, apart from its partners in a rendezvous. Returns `false` for all current edges.
    pub(super) fn executable_rule(&mut self, state: &[u8], k: usize, notes: &Notes, rows: &mut Vec<u64>) -> bool {
        let Current { process, edge, .. } = self.current[k];
        let own = self.processes[process];
        let instance = self.instances.get(own.instance);
        if instance.is_global(edge) && !(self.branching && instance.branches(edge)) {
            return false;
        }
        rows.resize(self.closure.row, 0);
        self.add_current(process, rows);
        let is_conditional = self.algorithm == PersistentAlgorithm::Conditional;
        let automaton = &self.program.automata[own.proctype];
        let spare = is_conditional
            && self
                .inquiry(state, process, notes)
                .has_spare(edge, &automaton.graph.edges[edge]);
        if !instance.sharper_now[edge] || !is_conditional {
            self.add_conflicts(process, edge, spare, rows);
            self.waited_for(self.instances.get(own.instance).does(edge), process, rows);
            return true;
        }
        let [mut does, mut hits] = std::mem::take(&mut self.operations);
        does.fill(0);
        hits.fill(0);
        let inquiry = self.inquiry(state, process, notes);
        self.instances
            .now(inquiry, own.proctype, edge, spare, &mut does, &mut hits);
        self.leading_to(&hits, [process, process], rows);
        self.waited_for(&does, process, rows);
        self.operations = [does, hits];
        true
    }

    /// Adds the edges of other processes that lead to an operation in conflict with an edge.
    fn add_conflicts(&mut self, process: usize, edge: usize, spare: bool, row: &mut [u64]) {
        let own = self.processes[process];
        let instance = self.instances.get(own.instance);
        for (q, other) in self.processes.iter().enumerate().filter(|(q, _)| *q != process) {
            let theirs = self.instances.get(other.instance);
            let table = match self.instances.flows[other.proctype].as_ref() {
                Some(_) => self.pairs.conflicts(instance, edge, spare, theirs, other.words),
                None => None,
            };
            match table {
                Some(conflicts) => bitset::union(&mut row[other.word..other.word + other.words], conflicts),
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
        if self.instances.flows[own.proctype].is_some() {
            for operation in bitset::iter(operations) {
                for edge in instance.leading_to(operation) {
                    bitset::insert(row, own.bit(*edge as usize));
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

    /// A state as a process sees it, with somebody who takes notes.
    pub(super) fn inquiry<'a>(&'a self, state: &'a [u8], process: usize, notes: &'a Notes) -> Inquiry<'a> {
        let own = &self.processes[process];
        Inquiry {
            view: look(self.program, state, own.pid, own.at, own.proctype),
            notes: Some(notes),
        }
    }

    /// The rule of an edge that is not executable. Returns `false` for all current edges.
    pub(super) fn blocked_rule(&mut self, state: &[u8], k: usize, notes: &Notes, rows: &mut Vec<u64>) -> bool {
        let Current { process, edge, .. } = self.current[k];
        let own = self.processes[process];
        match self.algorithm {
            // The limits are reached.
            PersistentAlgorithm::Conflicting => return false,
            // Everything relevant, for all reasons at once.
            PersistentAlgorithm::Overman => {
                rows.resize(self.closure.row, 0);
                return self.overman_row(state, k, notes, rows);
            }
            PersistentAlgorithm::Stubborn | PersistentAlgorithm::Conditional => {}
        }
        if self.private.is_condition(own.proctype, edge) {
            rows.resize(self.closure.row, 0);
            self.add_returning(process, edge, rows);
            return true;
        }
        let [mut operations, other] = std::mem::take(&mut self.operations);
        self.reasons_rule(state, k, notes, &mut operations, rows);
        self.operations = [operations, other];
        // If there is none, its inhibitor is inhibited itself: nothing is known about how that ends.
        !rows.is_empty()
    }

    /// For each reason why an edge is not executable, what could remove it.
    fn reasons_rule(&self, state: &[u8], k: usize, notes: &Notes, operations: &mut [u64], rows: &mut Vec<u64>) {
        let Current { process, edge, .. } = self.current[k];
        let own = self.processes[process];
        let graph = &self.program.automata[own.proctype].graph;
        let first = graph.locations[own.location.index()].first as usize;
        let inquiry = self.inquiry(state, process, notes);
        let mut reasons = Vec::new();
        for inhibitor in graph.edges[edge].inhibitors.iter().map(|i| *i as usize) {
            let is_executable = self.current[own.first + (inhibitor - first)].executable;
            notes.add(|| Question::Executable(inhibitor), Answer::from(is_executable));
            if !is_executable {
                continue;
            }
            let starts = self.program.can_start(&inquiry.view, graph, inhibitor);
            notes.add(|| Question::Starts(inhibitor), Answer::from(starts));
            // An executable edge of the same process inhibits it. One that only accepts what somebody offers inhibits nothing.
            if starts {
                rows.resize(self.closure.row, 0);
                bitset::insert(rows, own.bit(inhibitor));
                // Whoever offers a rendezvous does not ask for inhibitors of the receive.
                offers_wanted(&inquiry, &graph.edges[edge], &mut reasons);
                operations.fill(0);
                for reason in &reasons {
                    reason.removers(&mut self.instances.accesses(Knowledge::Now(inquiry), operations));
                }
                self.leading_to(operations, [process, process], rows);
                return;
            }
        }
        obstacles(&inquiry, &graph.edges[edge], &mut reasons);
        for reason in &reasons {
            let at = rows.len();
            self.add_removers(inquiry, reason, operations, Some(process), rows);
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
    /// conflicts with the edge or makes it executable. Returns `false` for all current edges.
    fn overman_row(&self, state: &[u8], k: usize, notes: &Notes, row: &mut [u64]) -> bool {
        let Current { process, edge, .. } = self.current[k];
        let own = self.processes[process];
        let graph = &self.program.automata[own.proctype].graph;
        let inquiry = self.inquiry(state, process, notes);
        let mut reasons = Vec::new();
        obstacles(&inquiry, &graph.edges[edge], &mut reasons);
        if reasons.is_empty() && graph.edges[edge].inhibitors.is_empty() {
            return false;
        }
        self.add_current(process, row);
        let mut operations = self.instances.get(own.instance).hits(edge).to_vec();
        for reason in &reasons {
            reason.removers(&mut self.instances.accesses(Knowledge::Now(inquiry), &mut operations));
        }
        self.leading_to(&operations, [process, process], row);
        true
    }

    /// Adds an alternative: the edges of all processes, or all but one, that lead to an operation that removes a reason.
    pub(super) fn add_removers(
        &self,
        inquiry: Inquiry<'_>,
        reason: &Obstacle<'_>,
        operations: &mut [u64],
        but: Option<usize>,
        rows: &mut Vec<u64>,
    ) {
        operations.fill(0);
        reason.removers(&mut self.instances.accesses(Knowledge::Now(inquiry), operations));
        let at = rows.len();
        rows.resize(at + self.closure.row, 0);
        let but = but.unwrap_or(usize::MAX);
        self.leading_to(operations, [but, but], &mut rows[at..]);
    }
}
