//! Conditional stubborn sets for processes that come and go.
//!
//! Algorithm 4 of the thesis (4.7), with two departures that Promela requires.
//! The transitions of a model are not known beforehand, since processes start and
//! end. So the set consists of *current* edges only: those of the locations where the
//! processes are. And a future edge is represented by the current edges that lead
//! to it. They are a necessary enabling set for it, since its process is not there yet.
//!
//! The closure, from an executable edge:
//!
//! * with an executable edge of a process, all current edges of the process, its partners in
//!   a rendezvous, and each current edge of another process that may lead to an operation in
//!   conflict with what the edge does (now, or later);
//! * with an edge that is not executable, for one of the reasons why, the current edges of
//!   other processes that may lead to an operation that removes it; or the executable
//!   edge that inhibits it, with those that may lead to an offer for it.
//!
//! The executable edges in the result are a persistent set: whatever others do while
//! they stay outside, none of it conflicts with an executable edge of the set, and
//! none of it makes another edge of those processes executable.
//!
//! If a process has exclusive control, or only a timeout is left, the set is everything executable.

use super::PersistentAlgorithm;
use super::instance::{InstanceId, Instances};
use super::knowledge::Knowledge;
use super::obstacles::{obstacles, offers_wanted};
use super::timeout::timeouts;
use crate::ir::{EXCLUSIVE, LocationId, Node, Program};
use crate::run::{Processes, Step};
use mazurka_core::Limits;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;

/// Persistent sets for a compiled model.
#[derive(Clone, Debug)]
pub(crate) struct StubbornSets<'p> {
    program: &'p Program,
    algorithm: PersistentAlgorithm,
    pub(super) instances: Instances<'p>,
    /// For each proctype and edge, whether its condition mentions `timeout`.
    mentions_timeout: Vec<Vec<bool>>,
    /// The operations that a property observes. A set with an executable edge that performs
    /// one is not used unless it is everything.
    observed: Option<Vec<u64>>,
    processes: Vec<Process>,
    current: Vec<Current>,
    /// For each executable step, its current edges.
    steps: Vec<(usize, Option<usize>)>,
    /// Whether everything must be taken.
    everything: bool,
    /// For each current edge, the alternatives that its closure rule may add.
    rules: Vec<Rule>,
    row: usize,
    todo: Vec<usize>,
    /// The set of current edges that is being closed.
    closure: Vec<u64>,
    /// Scratch sets of operations.
    operations: [Vec<u64>; 2],
    candidate: BitSet,
    /// Whether the last set was abandoned because a property observes a step of it.
    saw_observed: bool,
    /// With fairness, the operations that can change whether a process that does not exist yet may go on.
    later: Vec<u64>,
    /// Among very many current edges, those that a set was started from; empty otherwise. A set that comes to contain
    /// one is hardly smaller than the one that was started there.
    avoided: Vec<u64>,
    limits: Limits<'p>,
}

/// From this many current edges on, computing a set may take so long that limits are checked meanwhile, and
/// that not every start is followed to the end.
const LARGE: usize = 500;

#[derive(Clone, Copy, Debug)]
struct Process {
    instance: InstanceId,
    location: LocationId,
    /// Its current edges.
    first: usize,
    end: usize,
    at: usize,
}

#[derive(Clone, Copy, Debug)]
struct Current {
    process: usize,
    edge: usize,
    executable: bool,
}

/// Bit sets over current edges, one after the other; empty if not worked out yet.
#[derive(Clone, Debug, Default)]
struct Rule {
    rows: Vec<u64>,
    known: bool,
}

impl<'p> StubbornSets<'p> {
    pub(crate) fn new(program: &'p Program, algorithm: PersistentAlgorithm, observed: Option<Vec<u64>>) -> Self {
        Self {
            program,
            algorithm,
            instances: Instances::new(program),
            mentions_timeout: timeouts(program),
            observed,
            processes: Vec::new(),
            current: Vec::new(),
            steps: Vec::new(),
            everything: false,
            rules: Vec::new(),
            row: 0,
            todo: Vec::new(),
            closure: Vec::new(),
            operations: Default::default(),
            candidate: BitSet::default(),
            saw_observed: false,
            later: Vec::new(),
            avoided: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// When these limits are reached, the set is everything enabled. That is a persistent set, and the search ends anyway.
    pub(crate) fn within(mut self, limits: Limits<'p>) -> Self {
        self.limits = limits;
        self
    }

    /// Computes sets that preserve weak fairness: see [`waits`](super::waits).
    pub(crate) fn fair(program: &'p Program, algorithm: PersistentAlgorithm, observed: Vec<u64>) -> Self {
        let mut sets = Self::new(program, algorithm, Some(observed));
        sets.instances.fair = true;
        sets.later = sets.instances.waits_of_later();
        sets
    }

    /// Computes sets that are persistent in the sense of snapshots: steps are independent only if they touch no common object.
    pub(crate) fn touching(program: &'p Program, algorithm: PersistentAlgorithm, observed: Vec<u64>) -> Self {
        let mut sets = Self::new(program, algorithm, Some(observed));
        sets.instances = Instances::touching(program);
        sets
    }

    /// A step that is a persistent set by itself and that no property observes.
    pub(crate) fn single(&mut self, state: &[u8], enabled: &[Step]) -> Option<Step> {
        if let ([only], None) = (enabled, &self.observed) {
            return Some(*only);
        }
        self.prepare(state, enabled);
        if self.everything || enabled.is_empty() {
            return None;
        }
        let mut set = std::mem::take(&mut self.candidate);
        let found = (0..enabled.len()).find(|start| {
            self.saw_observed = false;
            self.containing(state, enabled, *start, 1, &mut set) && bitset::len(&set) == 1 && !self.saw_observed
        });
        self.candidate = set;
        found.map(|k| enabled[k])
    }

    /// Computes the closure rule of a current edge.
    fn work_out(&mut self, state: &[u8], k: usize) {
        let mut rows = std::mem::take(&mut self.rules[k].rows);
        rows.clear();
        if self.current[k].executable {
            self.executable_rule(state, k, &mut rows);
        } else {
            self.blocked_rule(state, k, &mut rows);
        }
        self.rules[k] = Rule { rows, known: true };
    }

    fn executable_rule(&mut self, state: &[u8], k: usize, rows: &mut Vec<u64>) {
        rows.resize(self.row, 0);
        let Current { process, edge, .. } = self.current[k];
        let own = self.processes[process];
        (own.first..own.end).for_each(|other| bitset::insert(rows, other));
        for (a, b) in &self.steps {
            if let Some(b) = *b
                && (*a == k || b == k)
            {
                bitset::insert(rows, *a);
                bitset::insert(rows, b);
            }
        }
        let instance = self.instances.get(own.instance);
        if instance.is_global(edge) {
            (0..self.current.len()).for_each(|other| bitset::insert(rows, other));
            return;
        }
        if instance.sharper_now[edge] && self.algorithm == PersistentAlgorithm::Conditional {
            let [mut does, mut hits] = std::mem::take(&mut self.operations);
            does.fill(0);
            hits.fill(0);
            let automaton = &self.program.automata[state[own.at] as usize];
            let view = self.view(state, process);
            let knowledge = Knowledge::Now(view);
            let mut accesses = self.instances.accesses(knowledge, &mut does);
            accesses.edge(&automaton.graph.edges[edge], &automaton.graph);
            let inside = self
                .instances
                .alphabet
                .inside(state[own.at] as usize, super::operations::WRITE);
            bitset::insert(&mut does, inside);
            self.instances
                .lifetime(&automaton.graph.edges[edge], automaton, knowledge, &mut does);
            self.instances.alphabet.add_conflicts(&does, &mut hits);
            self.leading_to(&hits, process, rows);
            self.waited_for(&does, process, rows);
            self.operations = [does, hits];
        } else {
            self.leading_to(instance.hits(edge), process, rows);
            self.waited_for(instance.does(edge), process, rows);
        }
    }

    /// Adds the current edges of others that may lead to something that can change, as what `process` does
    /// can, whether a third process may go on.
    fn waited_for(&self, does: &[u64], process: usize, row: &mut [u64]) {
        if !self.instances.fair {
            return;
        }
        for (third, other) in self.processes.iter().enumerate().filter(|(q, _)| *q != process) {
            let waits = self.instances.get(other.instance).waits();
            for changes in waits.filter(|changes| bitset::intersects(changes, does)) {
                self.leading_to_without(changes, [process, third], row);
            }
        }
        let later = self.later.chunks_exact(self.instances.alphabet.words);
        for changes in later.filter(|changes| bitset::intersects(changes, does)) {
            self.leading_to(changes, process, row);
        }
    }

    /// Adds the current edges of other processes that may lead to one of the operations.
    fn leading_to(&self, operations: &[u64], but: usize, row: &mut [u64]) {
        self.leading_to_without(operations, [but, but], row);
    }

    /// Adds the current edges that may lead to one of the operations, of all processes but two.
    fn leading_to_without(&self, operations: &[u64], but: [usize; 2], row: &mut [u64]) {
        for (q, other) in self.processes.iter().enumerate() {
            if but.contains(&q) {
                continue;
            }
            let instance = self.instances.get(other.instance);
            if !bitset::intersects(instance.future_at(other.location), operations) {
                continue;
            }
            for k in other.first..other.end {
                if bitset::intersects(instance.future(self.current[k].edge), operations) {
                    bitset::insert(row, k);
                }
            }
        }
    }

    fn view<'a>(&'a self, state: &'a [u8], process: usize) -> crate::run::View<'a, 'a> {
        let own = self.processes[process];
        crate::run::View {
            program: self.program,
            state,
            pid: crate::narrow::pid(process),
            frame: own.at + self.program.automata[state[own.at] as usize].frame,
            timeout: false,
        }
    }

    fn blocked_rule(&mut self, state: &[u8], k: usize, rows: &mut Vec<u64>) {
        let Current { process, edge, .. } = self.current[k];
        let own = self.processes[process];
        match self.algorithm {
            // The limits are reached.
            PersistentAlgorithm::Conflicting => {
                rows.resize(self.row, 0);
                (0..self.current.len()).for_each(|other| bitset::insert(rows, other));
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
        let graph = &self.program.automata[state[own.at] as usize].graph;
        // An executable edge of the same process inhibits it.
        let first = graph.locations[own.location.index()].first as usize;
        let view = self.view(state, process);
        let mut reasons = Vec::new();
        let mut operations = vec![0; self.instances.alphabet.words];
        for inhibitor in &graph.edges[edge].inhibitors {
            let other = own.first + (*inhibitor as usize - first);
            // One that only accepts what somebody offers inhibits nothing.
            if self.current[other].executable && self.program.can_start(&view, graph, *inhibitor as usize) {
                rows.resize(self.row, 0);
                bitset::insert(rows, other);
                // Whoever offers a rendezvous does not ask for inhibitors of the receive.
                offers_wanted(&view, &graph.edges[edge], &mut reasons);
                for reason in &reasons {
                    reason.removers(&mut self.instances.accesses(Knowledge::Now(view), &mut operations));
                }
                self.leading_to(&operations, process, rows);
                return;
            }
        }
        obstacles(&view, &graph.edges[edge], &mut reasons);
        for reason in &reasons {
            operations.fill(0);
            reason.removers(&mut self.instances.accesses(Knowledge::Now(view), &mut operations));
            let at = rows.len();
            rows.resize(at + self.row, 0);
            self.leading_to(&operations, process, &mut rows[at..]);
        }
        if rows.is_empty() {
            // Its inhibitor is inhibited itself: nothing is known about how that ends.
            rows.resize(self.row, 0);
            (0..self.current.len()).for_each(|other| bitset::insert(rows, other));
        }
    }

    /// The rule of Algorithm 2 for an edge that is not executable: it adds every process that may perform an operation that
    /// conflicts with the edge or makes it executable.
    fn overman_row(&self, state: &[u8], k: usize, row: &mut [u64]) {
        let Current { process, edge, .. } = self.current[k];
        let own = self.processes[process];
        let graph = &self.program.automata[state[own.at] as usize].graph;
        (own.first..own.end).for_each(|other| bitset::insert(row, other));
        let view = self.view(state, process);
        let mut operations = self.instances.get(own.instance).hits(edge).to_vec();
        let mut reasons = Vec::new();
        obstacles(&view, &graph.edges[edge], &mut reasons);
        for reason in &reasons {
            reason.removers(&mut self.instances.accesses(Knowledge::Now(view), &mut operations));
        }
        self.leading_to(&operations, process, row);
        if reasons.is_empty() && graph.edges[edge].inhibitors.is_empty() {
            (0..self.current.len()).for_each(|other| bitset::insert(row, other));
        }
    }

    /// The alternative of a rule that adds the fewest executable edges.
    fn cheapest(&self, rule: &Rule, set: &[u64]) -> usize {
        let row = self.row;
        let cost = |at: usize| {
            let new = rule.rows[at..at + row].iter().zip(set).enumerate();
            let mut cost = (0, 0);
            for (word, (r, s)) in new {
                let mut rest = r & !s;
                cost.1 += rest.count_ones();
                while rest != 0 {
                    let k = word * 64 + rest.trailing_zeros() as usize;
                    cost.0 += u32::from(self.current[k].executable);
                    rest &= rest - 1;
                }
            }
            cost
        };
        (0..rule.rows.len() / row)
            .map(|n| n * row)
            .min_by_key(|at| cost(*at))
            .unwrap_or(0)
    }

    /// Whether a property observes what an edge does.
    fn is_observed(&self, k: usize) -> bool {
        let Some(observed) = &self.observed else { return false };
        let Current { process, edge, .. } = self.current[k];
        let instance = self.instances.get(self.processes[process].instance);
        instance.is_global(edge) || bitset::intersects(instance.does(edge), observed)
    }
}

impl PersistentSets<Step> for StubbornSets<'_> {
    fn prepare(&mut self, state: &[u8], enabled: &[Step]) {
        self.everything = state[EXCLUSIVE] != 0 || (enabled.len() < 2 && self.observed.is_none());
        if self.everything {
            return;
        }
        self.processes.clear();
        self.current.clear();
        self.steps.clear();
        for process in Processes::new(self.program, state) {
            let instance = self.instances.find(state, process);
            let first = self.current.len();
            for edge in process.location(state).edges() {
                self.current.push(Current {
                    process: process.pid as usize,
                    edge,
                    executable: false,
                });
            }
            self.processes.push(Process {
                instance,
                location: process.location_id(state),
                first,
                end: self.current.len(),
                at: process.at,
            });
        }
        let mut only_timeouts = self.program.features.timeout;
        for step in enabled {
            let a = self.place(step.pid, step.edge);
            self.current[a].executable = true;
            let b = step.has_partner().then(|| {
                let b = self.place(step.partner, step.partner_edge);
                self.current[b].executable = true;
                b
            });
            self.steps.push((a, b));
            if only_timeouts {
                let at = self.processes[step.pid as usize].at;
                only_timeouts = self.mentions_timeout[state[at] as usize][step.edge as usize];
            }
        }
        self.everything = only_timeouts;
        self.row = bitset::words_for(self.current.len());
        self.avoided.clear();
        for operations in &mut self.operations {
            operations.resize(self.instances.alphabet.words, 0);
        }
        if self.rules.len() < self.current.len() {
            self.rules.resize_with(self.current.len(), Rule::default);
        }
        for rule in &mut self.rules[..self.current.len()] {
            rule.known = false;
        }
    }

    fn avoid(&mut self, step: Step) {
        if self.current.len() > LARGE && !self.everything {
            let edge = self.place(step.pid, step.edge);
            self.avoided.resize(self.row, 0);
            bitset::insert(&mut self.avoided, edge);
        }
    }

    fn containing(&mut self, state: &[u8], enabled: &[Step], start: usize, most: usize, out: &mut BitSet) -> bool {
        if self.everything {
            out.set_all(enabled.len());
            return true;
        }
        let mut set = std::mem::take(&mut self.closure);
        let fits = self.close(state, enabled, start, most, &mut set, out);
        self.closure = set;
        fits
    }
}

impl StubbornSets<'_> {
    /// The current edge of a process with this number in its automaton.
    fn place(&self, pid: u8, edge: u16) -> usize {
        let process = self.processes[pid as usize];
        process.first + (edge as usize - self.current[process.first].edge)
    }

    /// Computes the closure of the current edge of a step, and from it the set of steps.
    fn close(
        &mut self,
        state: &[u8],
        enabled: &[Step],
        start: usize,
        most: usize,
        set: &mut Vec<u64>,
        out: &mut BitSet,
    ) -> bool {
        set.clear();
        set.resize(self.row, 0);
        self.todo.clear();
        self.todo.push(self.steps[start].0);
        bitset::insert(set, self.steps[start].0);
        let mut executable = 0;
        while let Some(k) = self.todo.pop() {
            if !self.avoided.is_empty() && bitset::contains(&self.avoided, k) {
                return false;
            }
            if self.current[k].executable {
                executable += 1;
                if self.is_observed(k) {
                    out.set_all(enabled.len());
                    self.saw_observed = true;
                    return enabled.len() <= most;
                }
            }
            if executable > 2 * most {
                return false;
            }
            if !self.rules[k].known {
                if self.current.len() > LARGE && self.limits.stop().is_some() {
                    self.everything = true;
                    out.set_all(enabled.len());
                    return enabled.len() <= most;
                }
                self.work_out(state, k);
            }
            let rule = &self.rules[k];
            let at = self.cheapest(rule, set);
            let row = &rule.rows[at..at + self.row];
            for word in 0..self.row {
                let mut new = row[word] & !set[word];
                set[word] |= new;
                while new != 0 {
                    self.todo.push(word * 64 + new.trailing_zeros() as usize);
                    new &= new - 1;
                }
            }
        }
        out.reset(enabled.len());
        let mut size = 0;
        for (k, (a, _)) in self.steps.iter().enumerate() {
            if bitset::contains(set, *a) {
                bitset::insert(out, k);
                size += 1;
            }
        }
        size <= most
    }
}

/// The operations that may change the value of an atom.
pub(crate) fn observed(program: &Program, atoms: &[Node]) -> Vec<u64> {
    let instances = Instances::new(program);
    let mut operations = vec![0; instances.alphabet.words];
    for atom in atoms {
        let mut accesses = instances.accesses(Knowledge::Nothing(program), &mut operations);
        accesses.could_change(atom);
    }
    operations
}
