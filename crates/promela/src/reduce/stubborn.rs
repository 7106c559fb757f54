//! Conditional stubborn sets for processes that come and go.
//!
//! Algorithms 3 and 4 of the thesis (4.5, 4.7), with one departure that Promela requires: the transitions of a model are not known
//! beforehand, since processes start and end. So the set consists of edges of the processes that exist, those of
//! the locations where they are (*current* edges) and others. What a process that does not exist
//! yet may do is represented by the edges that lead to its start, which are a necessary enabling set for it.
//!
//! The closure, from an executable edge:
//!
//! * with an executable edge of a process, all current edges of the process, its partners in
//!   a rendezvous, and each edge of another process that leads to an operation in conflict with what the edge does;
//! * with a current edge that is not executable, for one of the reasons why, the edges of
//!   other processes that lead to an operation that removes it, and those current edges of its own process from which it can be
//!   reached again; or the executable edge that inhibits it, with those that lead to an offer for it;
//! * with an edge that is not current, either the edges that enter its location ([`Flow`](super::flow)), or, for one of the
//!   [lasting](super::obstacles) reasons why it could not be executed in this state either, the edges of all processes that lead
//!   to an operation that removes it.
//!
//! The second and third rule add necessary enabling sets (Def. 4.14): the edge is not executed before one of them was. For
//! the second: either its process stays, and others remove the reason, or it leaves by another edge and
//! comes back. A rendezvous is a transition of two edges, and a third alternative for one that is not current, if no
//! process is at an edge that could be its partner, are the edges by which partners arrive. For a current edge that
//! waits for a partner, the partners' edges are in the set themselves. None of them uses this alternative, since a
//! process is where their partner should be. So the two do not wait for each other in a circle.
//!
//! So the executable edges in the result are a persistent set: whatever others do while
//! they stay outside, none of it conflicts with an executable edge of the set, and
//! none of it makes another edge of the set executable (Thms 4.18 and 4.27).
//!
//! The conflicts depend on the state (`▷s`, Def. 4.26), and the relation is not weakly uniform (Def. 6.6). The thesis asks for
//! that where a proviso is used (Thm 6.12), since its proof is about traces and covers sleep sets. Without sleep sets it is not
//! needed. Let w be a sequence from s to a step that fails. If it has a member of the set, its first such member is
//! independent of all before it, so it can come first, and the rest of w leads to the same failure. Otherwise w is independent of
//! every member t, so it can be executed after t too, with the same failure, and its first step stays
//! executable. The proviso ends this: that step is executed somewhere.
//!
//! Algorithms 1 and 2, and proctypes that are too large for [`Flow`](super::flow), use current edges only:
//! those from which an edge can be reached stand for it.
//!
//! If a process has exclusive control, or only a timeout is left, the set is everything executable.

use super::PersistentAlgorithm;
use super::accesses::used_channel;
use super::instance::{InstanceId, Instances};
use super::knowledge::Knowledge;
use super::observed::Observed;
use super::obstacles::{Obstacle, is_lasting, lasting_obstacles, obstacles, offers_wanted};
use super::operations::ChannelOp;
use super::pairs::Pairs;
use super::timeout::timeouts;
use crate::ir::{Action, Automaton, EXCLUSIVE, Edge, LocationId, Program};
use crate::run::{Processes, Step, View};
use mazurka_core::Limits;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;

/// Persistent sets for a compiled model.
#[derive(Clone, Debug)]
pub(crate) struct StubbornSets<'p> {
    program: &'p Program,
    algorithm: PersistentAlgorithm,
    pub(super) instances: Instances<'p>,
    pairs: Pairs,
    /// For each proctype and edge, whether its condition mentions `timeout`.
    mentions_timeout: Vec<Vec<bool>>,
    /// What a property observes. A set with an executable edge that it may notice is not used unless it is everything.
    observed: Option<Observed>,
    processes: Vec<Process>,
    current: Vec<Current>,
    /// For each executable step, its current edges.
    steps: Vec<(usize, Option<usize>)>,
    /// Whether everything must be taken.
    everything: bool,
    /// The number of words of a set of edges.
    row: usize,
    /// For each word of such a set, the process that its edges belong to.
    owner: Vec<u32>,
    /// The executable edges.
    executable: Vec<u64>,
    /// For each edge, the alternatives that its closure rule may add.
    rules: Vec<Rule>,
    /// The number of states so far. Rules with another number are of another state.
    stamp: u64,
    todo: Vec<usize>,
    /// The set of edges that is being closed.
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
    /// Whether the search knows about states in which processes are suspended.
    branching: bool,
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
    /// The number of its proctype.
    proctype: usize,
    /// The first word of its edges in a set.
    word: usize,
    /// The edge that the first bit there stands for.
    shift: usize,
}

impl Process {
    /// The position of an edge in a set.
    #[inline]
    fn bit(&self, edge: usize) -> usize {
        self.word * 64 + edge - self.shift
    }
}

#[derive(Clone, Copy, Debug)]
struct Current {
    process: usize,
    edge: usize,
    executable: bool,
}

/// What an edge brings into a set: one of several alternatives.
#[derive(Clone, Debug, Default)]
struct Rule {
    /// Sets of edges, one after the other.
    rows: Vec<u64>,
    /// The state it was worked out for.
    stamp: u64,
    /// Whether the edge is not current. Then the first alternative is that its process does not arrive.
    absent: bool,
    /// Whether the other alternatives of an edge that is not current are worked out.
    complete: bool,
}

impl<'p> StubbornSets<'p> {
    pub(crate) fn new(program: &'p Program, algorithm: PersistentAlgorithm, observed: Option<Observed>) -> Self {
        Self::with(program, algorithm, observed, Instances::new(program))
    }

    fn with(
        program: &'p Program,
        algorithm: PersistentAlgorithm,
        observed: Option<Observed>,
        instances: Instances<'p>,
    ) -> Self {
        let uses_futures = matches!(
            algorithm,
            PersistentAlgorithm::Conflicting | PersistentAlgorithm::Overman
        );
        Self {
            program,
            algorithm,
            instances: if uses_futures { instances.coarse() } else { instances },
            pairs: Pairs::default(),
            mentions_timeout: timeouts(program),
            observed,
            processes: Vec::new(),
            current: Vec::new(),
            steps: Vec::new(),
            everything: false,
            row: 0,
            owner: Vec::new(),
            executable: Vec::new(),
            rules: Vec::new(),
            stamp: 0,
            todo: Vec::new(),
            closure: Vec::new(),
            operations: Default::default(),
            candidate: BitSet::default(),
            saw_observed: false,
            later: Vec::new(),
            avoided: Vec::new(),
            limits: Limits::default(),
            branching: false,
        }
    }

    /// For searches without a proviso, or with one that knows about states in which processes are suspended: choices inside
    /// an `atomic` do not make it depend on everything.
    pub(crate) fn branching(mut self) -> Self {
        self.branching = true;
        self
    }

    /// When these limits are reached, the set is everything enabled. That is a persistent set, and the search ends anyway.
    pub(crate) fn within(mut self, limits: Limits<'p>) -> Self {
        self.limits = limits;
        self
    }

    /// Computes sets that preserve weak fairness: see [`waits`](super::waits).
    pub(crate) fn fair(program: &'p Program, algorithm: PersistentAlgorithm, observed: Observed) -> Self {
        let mut sets = Self::new(program, algorithm, Some(observed));
        sets.instances.fair = true;
        sets.later = sets.instances.waits_of_later();
        sets
    }

    /// Computes sets that are persistent in the sense of snapshots: steps are independent only if they touch no common object.
    pub(crate) fn touching(program: &'p Program, algorithm: PersistentAlgorithm, observed: Observed) -> Self {
        Self::with(program, algorithm, Some(observed), Instances::touching(program))
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
        let mut find = |last_choices: bool| {
            (0..enabled.len()).find(|start| {
                self.saw_observed = false;
                self.is_last_choice(enabled[*start]) == last_choices
                    && self.containing(state, enabled, *start, 1, &mut set)
                    && bitset::len(&set) == 1
                    && !self.saw_observed
                    && !self.is_interrupted(enabled[*start])
            })
        };
        let found = find(false).or_else(|| find(true));
        self.candidate = set;
        found.map(|k| enabled[k])
    }

    /// Whether a step leads to a state in which other processes are suspended. There must be a stored state before it, in
    /// which they are not, for the proviso to look at.
    fn is_interrupted(&self, step: Step) -> bool {
        let partner = step.has_partner().then_some((step.partner, step.partner_edge));
        let mut moves = std::iter::once((step.pid, step.edge)).chain(partner);
        self.branching
            && moves.any(|(pid, edge)| {
                let instance = self.instances.get(self.processes[pid as usize].instance);
                instance.branches(edge as usize)
            })
    }

    /// Computes the closure rule of an edge.
    fn work_out(&mut self, state: &[u8], bit: usize) {
        let mut rule = std::mem::take(&mut self.rules[bit]);
        rule.rows.clear();
        rule.stamp = self.stamp;
        let (process, edge) = self.edge_at(bit);
        let own = self.processes[process];
        let here = edge.wrapping_sub(self.current.get(own.first).map_or(0, |c| c.edge));
        rule.absent = here >= own.end - own.first;
        rule.complete = false;
        if rule.absent {
            self.arrival(process, edge, &mut rule.rows);
        } else if self.current[own.first + here].executable {
            self.executable_rule(state, own.first + here, &mut rule.rows);
        } else {
            self.blocked_rule(state, own.first + here, &mut rule.rows);
        }
        self.rules[bit] = rule;
    }

    /// The process and the edge at a position of a set.
    #[inline]
    fn edge_at(&self, bit: usize) -> (usize, usize) {
        let process = self.owner[bit / 64] as usize;
        let own = &self.processes[process];
        (process, bit - own.word * 64 + own.shift)
    }

    /// The position of a current edge in a set.
    #[inline]
    fn bit_of(&self, k: usize) -> usize {
        let Current { process, edge, .. } = self.current[k];
        self.processes[process].bit(edge)
    }

    /// Adds all current edges of a process.
    fn add_current(&self, process: usize, row: &mut [u64]) {
        let own = self.processes[process];
        (own.first..own.end).for_each(|k| bitset::insert(row, own.bit(self.current[k].edge)));
    }

    /// Adds all current edges.
    fn add_all(&self, row: &mut [u64]) {
        (0..self.processes.len()).for_each(|process| self.add_current(process, row));
    }

    /// The edges that enter the location of an edge.
    fn arrival(&self, process: usize, edge: usize, rows: &mut Vec<u64>) {
        rows.resize(self.row, 0);
        let own = &self.processes[process];
        let flow = self.instances.flows[own.proctype].as_ref();
        let flow = flow.expect("other sets have current edges only");
        let reach = flow.reach(own.location);
        for before in flow.entering(edge) {
            if bitset::contains(reach, *before as usize) {
                bitset::insert(rows, own.bit(*before as usize));
            }
        }
    }

    /// Adds to the rule of an edge that is not current the operations that remove a lasting reason why it is not executable.
    fn complete(&mut self, state: &[u8], bit: usize) {
        let (process, edge) = self.edge_at(bit);
        let own = self.processes[process];
        let mut rule = std::mem::take(&mut self.rules[bit]);
        let [mut operations, other] = std::mem::take(&mut self.operations);
        let automaton = &self.program.automata[own.proctype];
        let view = self.view(state, process);
        let mut reasons = Vec::new();
        lasting_obstacles(&view, automaton, &automaton.graph.edges[edge], &mut reasons);
        for reason in &reasons {
            self.add_removers(view, reason, &mut operations, None, &mut rule.rows);
        }
        if let Some(operation) = self.partners(view, automaton, &automaton.graph.edges[edge]) {
            self.add_arrivals(process, operation, &mut rule.rows);
        }
        self.operations = [operations, other];
        rule.complete = true;
        self.rules[bit] = rule;
    }

    /// The operation of the partners that an edge of a rendezvous needs, if the channel is certain.
    fn partners(&self, view: View<'_, '_>, automaton: &Automaton, edge: &Edge) -> Option<usize> {
        let (channel, partner) = match &edge.action {
            Action::Send { channel, .. } => (channel, ChannelOp::Accept),
            Action::Receive { channel, .. } => (channel, ChannelOp::Offer),
            _ => return None,
        };
        let number = view.value(channel).ok().filter(|_| is_lasting(channel, automaton))?;
        let capacity = view.channel(channel).ok()?.layout.capacity;
        (capacity == 0).then(|| self.instances.alphabet.channel(number as usize, partner))
    }

    /// Adds an alternative: the edges by which partners of a process arrive, if none is there. A process that is started
    /// may be one as well.
    fn add_arrivals(&self, process: usize, operation: usize, rows: &mut Vec<u64>) {
        let at = rows.len();
        rows.resize(at + self.row, 0);
        let row = &mut rows[at..];
        for (q, other) in self.processes.iter().enumerate() {
            let instance = self.instances.get(other.instance);
            let Some(flow) = &self.instances.flows[other.proctype] else {
                rows.truncate(at);
                return;
            };
            let graph = &self.program.automata[other.proctype].graph;
            let reach = flow.reach(other.location);
            let here = graph.locations[other.location.index()].edges();
            for edge in instance.leading_to(operation).iter().map(|edge| *edge as usize) {
                let is_partner = q != process && bitset::contains(instance.does(edge), operation);
                if !bitset::contains(reach, edge) {
                    continue;
                }
                if is_partner && here.contains(&edge) {
                    rows.truncate(at);
                    return;
                }
                if is_partner {
                    let before = flow.entering(edge).iter().map(|before| *before as usize);
                    let before = before.filter(|before| bitset::contains(reach, *before));
                    before.for_each(|before| bitset::insert(row, other.bit(before)));
                }
                if instance.starts_others(edge) {
                    bitset::insert(row, other.bit(edge));
                }
            }
        }
    }

    /// Adds an alternative: the edges of all processes, or all but one, that lead to an operation that removes a reason.
    fn add_removers(
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

    fn executable_rule(&mut self, state: &[u8], k: usize, rows: &mut Vec<u64>) {
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
    fn leading_to(&self, operations: &[u64], but: [usize; 2], row: &mut [u64]) {
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

    fn view<'a>(&'a self, state: &'a [u8], process: usize) -> View<'a, 'a> {
        let own = self.processes[process];
        View {
            program: self.program,
            state,
            pid: crate::narrow::pid(process),
            frame: own.at + self.program.automata[own.proctype].frame,
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
        let graph = &self.program.automata[own.proctype].graph;
        let first = graph.locations[own.location.index()].first as usize;
        let view = self.view(state, process);
        let mut reasons = Vec::new();
        let mut operations = vec![0; self.instances.alphabet.words];
        for inhibitor in &graph.edges[edge].inhibitors {
            let other = own.first + (*inhibitor as usize - first);
            // An executable edge of the same process inhibits it. One that only accepts what somebody offers inhibits nothing.
            if self.current[other].executable && self.program.can_start(&view, graph, *inhibitor as usize) {
                rows.resize(self.row, 0);
                bitset::insert(rows, own.bit(*inhibitor as usize));
                // Whoever offers a rendezvous does not ask for inhibitors of the receive.
                offers_wanted(&view, &graph.edges[edge], &mut reasons);
                for reason in &reasons {
                    reason.removers(&mut self.instances.accesses(Knowledge::Now(view), &mut operations));
                }
                self.leading_to(&operations, [process, process], rows);
                return;
            }
        }
        obstacles(&view, &graph.edges[edge], &mut reasons);
        for reason in &reasons {
            let at = rows.len();
            self.add_removers(view, reason, &mut operations, Some(process), rows);
            self.add_returning(process, edge, &mut rows[at..]);
        }
        if rows.is_empty() {
            // Its inhibitor is inhibited itself: nothing is known about how that ends.
            rows.resize(self.row, 0);
            self.add_all(rows);
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

    /// The alternative of a rule that adds the fewest executable edges.
    fn cheapest(&self, rows: &[u64], set: &[u64]) -> (usize, (u32, u32)) {
        let cost = |at: usize| {
            let mut cost = (0, 0);
            for ((new, have), executable) in rows[at..at + self.row].iter().zip(set).zip(&self.executable) {
                cost.0 += (new & !have & executable).count_ones();
                cost.1 += (new & !have).count_ones();
            }
            cost
        };
        if rows.len() == self.row {
            return (0, (0, 0));
        }
        let all = (0..rows.len() / self.row).map(|n| n * self.row);
        all.map(|at| (at, cost(at)))
            .min_by_key(|(_, cost)| *cost)
            .unwrap_or((0, (0, 0)))
    }

    /// The alternative of the rule of an edge that is not current. That the process does not arrive costs the executable edges by
    /// which it could leave for the edge now.
    fn cheapest_absent(&mut self, state: &[u8], bit: usize, set: &[u64]) -> usize {
        let (process, edge) = self.edge_at(bit);
        let own = &self.processes[process];
        let flow = self.instances.flows[own.proctype].as_ref();
        let flow = flow.expect("other sets have current edges only");
        let graph = &self.program.automata[own.proctype].graph;
        let leaving = (own.first..own.end).filter(|k| {
            let Current {
                edge: now, executable, ..
            } = self.current[*k];
            executable
                && !bitset::contains(set, own.bit(now))
                && bitset::contains(flow.reach(graph.edges[now].to), edge)
        });
        let leaving = leaving.count();
        if leaving == 0 {
            return 0;
        }
        if !self.rules[bit].complete {
            self.complete(state, bit);
        }
        let others = &self.rules[bit].rows[self.row..];
        if others.is_empty() {
            return 0;
        }
        let (at, cost) = match others.len() == self.row {
            true => (0, self.cost_of(others, set)),
            false => {
                let (at, cost) = self.cheapest(others, set);
                (at, cost.0)
            }
        };
        if (cost as usize) < leaving { self.row + at } else { 0 }
    }

    /// The number of executable edges that a row adds to a set.
    fn cost_of(&self, row: &[u64], set: &[u64]) -> u32 {
        let new = row.iter().zip(set).zip(&self.executable);
        new.map(|((new, have), executable)| (new & !have & executable).count_ones())
            .sum()
    }

    /// Whether a property observes what an edge does.
    fn is_observed(&self, process: usize, edge: usize) -> bool {
        let Some(observed) = &self.observed else { return false };
        let own = &self.processes[process];
        let instance = self.instances.get(own.instance);
        let taken = &self.program.automata[own.proctype].graph.edges[edge];
        instance.is_global(edge)
            || observed.sees(
                self.program,
                process,
                own.proctype,
                own.location,
                taken,
                instance.does(edge),
            )
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

impl PersistentSets<Step> for StubbornSets<'_> {
    fn prepare(&mut self, state: &[u8], enabled: &[Step]) {
        self.everything = state[EXCLUSIVE] != 0 || (enabled.len() < 2 && self.observed.is_none());
        if self.everything {
            return;
        }
        self.processes.clear();
        self.current.clear();
        self.steps.clear();
        self.owner.clear();
        for process in Processes::new(self.program, state) {
            let instance = self.instances.find(state, process);
            let first = self.current.len();
            let edges = process.location(state).edges();
            let proctype = process.proctype.0 as usize;
            let (shift, count) = match self.instances.flows[proctype] {
                Some(_) => (0, process.automaton.graph.edges.len()),
                None => (edges.start, edges.len()),
            };
            for edge in edges {
                self.current.push(Current {
                    process: process.pid as usize,
                    edge,
                    executable: false,
                });
            }
            let word = self.owner.len();
            let owner = u32::from(process.pid);
            self.owner.resize(word + bitset::words_for(count), owner);
            self.processes.push(Process {
                instance,
                location: process.location_id(state),
                first,
                end: self.current.len(),
                at: process.at,
                proctype,
                word,
                shift,
            });
        }
        self.row = self.owner.len();
        self.executable.clear();
        self.executable.resize(self.row, 0);
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
                let proctype = self.processes[step.pid as usize].proctype;
                only_timeouts = self.mentions_timeout[proctype][step.edge as usize];
            }
        }
        for k in 0..self.current.len() {
            if self.current[k].executable {
                let bit = self.bit_of(k);
                bitset::insert(&mut self.executable, bit);
            }
        }
        self.everything = only_timeouts;
        self.avoided.clear();
        for operations in &mut self.operations {
            operations.resize(self.instances.alphabet.words, 0);
        }
        self.stamp += 1;
        if self.rules.len() < self.row * 64 {
            self.rules.resize_with(self.row * 64, Rule::default);
        }
    }

    /// Messages are received as early as possible, which keeps channels short.
    fn is_last_choice(&self, step: Step) -> bool {
        if step.has_partner() || self.everything {
            return false;
        }
        let graph = &self.program.automata[self.processes[step.pid as usize].proctype].graph;
        matches!(graph.edges[step.edge as usize].action, Action::Send { .. })
    }

    fn avoid(&mut self, step: Step) {
        if self.current.len() > LARGE && !self.everything {
            let edge = self.bit_of(self.place(step.pid, step.edge));
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
        let start = self.bit_of(self.steps[start].0);
        self.todo.clear();
        self.todo.push(start);
        bitset::insert(set, start);
        let mut executable = 0;
        while let Some(bit) = self.todo.pop() {
            if !self.avoided.is_empty() && bitset::contains(&self.avoided, bit) {
                return false;
            }
            if bitset::contains(&self.executable, bit) {
                executable += 1;
                let (process, edge) = self.edge_at(bit);
                if self.is_observed(process, edge) {
                    out.set_all(enabled.len());
                    self.saw_observed = true;
                    return enabled.len() <= most;
                }
            }
            if executable > 2 * most {
                return false;
            }
            if self.rules[bit].stamp != self.stamp {
                if self.current.len() > LARGE && self.limits.stop().is_some() {
                    self.everything = true;
                    out.set_all(enabled.len());
                    return enabled.len() <= most;
                }
                self.work_out(state, bit);
            }
            let at = match self.rules[bit].absent {
                true => self.cheapest_absent(state, bit, set),
                false => self.cheapest(&self.rules[bit].rows, set).0,
            };
            let row = &self.rules[bit].rows[at..at + self.row];
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
            if bitset::contains(set, self.bit_of(*a)) {
                bitset::insert(out, k);
                size += 1;
            }
        }
        size <= most
    }
}
