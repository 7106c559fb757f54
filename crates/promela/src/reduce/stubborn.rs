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
//! * with an edge that is not current, what its process needs to [arrive](super::arrivals) there.
//!
//! The second and third rule add necessary enabling sets (Def. 4.14): the edge is not executed before one of them was. For
//! the second: either its process stays, and others remove the reason, or it leaves by another edge and
//! comes back. A rendezvous is a transition of two edges. For a current edge that waits for a partner, the partners' edges
//! are in the set themselves, and with them what they need to arrive.
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
use super::arrivals::Walk;
use super::instance::{InstanceId, Instances};
use super::observed::Observed;
use super::pairs::Pairs;
use super::private::Private;
use super::timeout::timeouts;
use crate::ir::{Action, COUNT, EXCLUSIVE, LocationId, Program};
use crate::run::{Processes, Step};
use mazurka_core::Limits;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;

/// Persistent sets for a compiled model.
#[derive(Clone, Debug)]
pub(crate) struct StubbornSets<'p> {
    pub(super) program: &'p Program,
    pub(super) algorithm: PersistentAlgorithm,
    pub(super) instances: Instances<'p>,
    pub(super) pairs: Pairs,
    pub(super) private: Private,
    /// For each proctype and edge, whether its condition mentions `timeout`.
    mentions_timeout: Vec<Vec<bool>>,
    /// What a property observes. A set with an executable edge that it may notice is not used unless it is everything.
    observed: Option<Observed>,
    pub(super) processes: Vec<Process>,
    pub(super) current: Vec<Current>,
    /// For each executable step, its current edges.
    pub(super) steps: Vec<(usize, Option<usize>)>,
    /// Whether everything must be taken.
    everything: bool,
    /// The number of words of a set of edges.
    pub(super) row: usize,
    /// For each word of such a set, the process that its edges belong to.
    owner: Vec<u32>,
    /// The current edges, and those of them that are executable.
    here: Vec<u64>,
    pub(super) executable: Vec<u64>,
    /// For each edge, the alternatives that its closure rule may add.
    pub(super) rules: Vec<Rule>,
    /// The number of states so far. Rules with another number are of another state.
    pub(super) stamp: u64,
    /// Current edges of the set whose rules were not applied yet.
    todo: Vec<usize>,
    /// Edges of the set that are not current and were not looked at yet.
    pub(super) pending: Vec<u64>,
    /// Whether there are any.
    is_pending: bool,
    pub(super) walk: Walk,
    /// The set of edges that is being closed.
    closure: Vec<u64>,
    /// Scratch sets of operations.
    pub(super) operations: [Vec<u64>; 2],
    candidate: BitSet,
    /// Whether the last set was abandoned because a property observes a step of it.
    saw_observed: bool,
    /// With fairness, the operations that can change whether a process that does not exist yet may go on.
    pub(super) later: Vec<u64>,
    /// Among very many current edges, those that a set was started from; empty otherwise. A set that comes to contain
    /// one is hardly smaller than the one that was started there.
    avoided: Vec<u64>,
    limits: Limits<'p>,
    /// Whether the search knows about states in which processes are suspended.
    pub(super) branching: bool,
    /// Whether the search passes through states where a single step is a persistent set.
    chaining: bool,
    /// The state that everything is prepared for, if it is not empty.
    prepared: Vec<u8>,
}

/// From this many current edges on, computing a set may take so long that limits are checked meanwhile, and
/// that not every start is followed to the end.
const LARGE: usize = 500;

#[derive(Clone, Copy, Debug)]
pub(super) struct Process {
    pub(super) instance: InstanceId,
    pub(super) location: LocationId,
    /// Its current edges.
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) at: usize,
    /// The number of its proctype.
    pub(super) proctype: usize,
    /// The first word of its edges in a set.
    pub(super) word: usize,
    /// The number of words.
    pub(super) words: usize,
    /// The edge that the first bit there stands for.
    shift: usize,
}

impl Process {
    /// The position of an edge in a set.
    #[inline]
    pub(super) fn bit(&self, edge: usize) -> usize {
        self.word * 64 + edge - self.shift
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Current {
    pub(super) process: usize,
    pub(super) edge: usize,
    pub(super) executable: bool,
}

/// What an edge brings into a set: one of several alternatives.
#[derive(Clone, Debug, Default)]
pub(super) struct Rule {
    /// Sets of edges, one after the other.
    pub(super) rows: Vec<u64>,
    /// The state it was worked out for.
    pub(super) stamp: u64,
}

/// What came of applying a rule.
enum Applied {
    Fits,
    /// The set is not wanted any more.
    IsTooLarge,
    /// Nothing less than everything will do.
    NeedsEverything,
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
            private: Private::new(program),
            mentions_timeout: timeouts(program),
            observed,
            processes: Vec::new(),
            current: Vec::new(),
            steps: Vec::new(),
            everything: false,
            row: 0,
            owner: Vec::new(),
            here: Vec::new(),
            executable: Vec::new(),
            rules: Vec::new(),
            stamp: 0,
            todo: Vec::new(),
            pending: Vec::new(),
            is_pending: false,
            walk: Walk::default(),
            closure: Vec::new(),
            operations: Default::default(),
            candidate: BitSet::default(),
            saw_observed: false,
            later: Vec::new(),
            avoided: Vec::new(),
            limits: Limits::default(),
            branching: false,
            chaining: false,
            prepared: Vec::new(),
        }
    }

    /// For searches without a proviso, or with one that knows about states in which processes are suspended: choices inside
    /// an `atomic` do not make it depend on everything.
    pub(crate) fn branching(mut self) -> Self {
        self.branching = true;
        self
    }

    /// For searches that pass through states where a single step is a persistent set.
    pub(crate) fn chaining(mut self) -> Self {
        self.chaining = true;
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

    /// A step of a process that has no other, at a location where it does nothing that concerns others.
    fn private_step(&self, state: &[u8], enabled: &[Step]) -> Option<Step> {
        if self.observed.is_some() {
            return None;
        }
        let mut steps = enabled;
        for process in Processes::new(self.program, state) {
            let own = steps.iter().take_while(|step| step.pid == process.pid).count();
            let (first, rest) = steps.split_at(own);
            steps = rest;
            if own == 1
                && self
                    .private
                    .is_location(process.proctype.0 as usize, process.location_id(state))
            {
                return Some(first[0]);
            }
        }
        None
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

    /// Computes the closure rule of a current edge.
    fn work_out(&mut self, state: &[u8], bit: usize) {
        let mut rule = std::mem::take(&mut self.rules[bit]);
        rule.rows.clear();
        rule.stamp = self.stamp;
        let (process, edge) = self.edge_at(bit);
        let own = self.processes[process];
        let k = own.first + (edge - self.current[own.first].edge);
        match self.current[k].executable {
            true => self.executable_rule(state, k, &mut rule.rows),
            false => self.blocked_rule(state, k, &mut rule.rows),
        }
        self.rules[bit] = rule;
    }

    /// The process and the edge at a position of a set.
    #[inline]
    pub(super) fn edge_at(&self, bit: usize) -> (usize, usize) {
        let process = self.owner[bit / 64] as usize;
        let own = &self.processes[process];
        (process, bit - own.word * 64 + own.shift)
    }

    /// The position of a current edge in a set.
    #[inline]
    pub(super) fn bit_of(&self, k: usize) -> usize {
        let Current { process, edge, .. } = self.current[k];
        self.processes[process].bit(edge)
    }

    /// Adds all current edges of a process.
    pub(super) fn add_current(&self, process: usize, row: &mut [u64]) {
        let own = self.processes[process];
        (own.first..own.end).for_each(|k| bitset::insert(row, own.bit(self.current[k].edge)));
    }

    /// Adds all current edges.
    pub(super) fn add_all(&self, row: &mut [u64]) {
        (0..self.processes.len()).for_each(|process| self.add_current(process, row));
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

impl PersistentSets<Step> for StubbornSets<'_> {
    fn makes_chains(&self) -> bool {
        self.chaining
    }

    /// The step of a process that has no other, if it is at a location where it does nothing that concerns others.
    #[inline]
    fn at_once(&self, state: &[u8], last: Step) -> Option<Step> {
        let pid = last.pid;
        if self.observed.is_some() || pid >= state[COUNT] || state[EXCLUSIVE] != 0 {
            return None;
        }
        let process = Processes::new(self.program, state).nth(pid as usize)?;
        let proctype = process.proctype.0 as usize;
        if !self.private.is_plain_location(proctype, process.location_id(state)) {
            return None;
        }
        self.program.only_step_of(state, process)
    }

    /// A step that is a persistent set by itself and that no property observes. Those of the process that moved last are tried
    /// first: what kept others from being one is still there.
    fn single(&mut self, state: &[u8], enabled: &[Step], last: Step) -> Option<Step> {
        if let ([only], None) = (enabled, &self.observed) {
            return Some(*only);
        }
        if state[EXCLUSIVE] != 0 || enabled.is_empty() {
            return None;
        }
        if let Some(step) = self.private_step(state, enabled) {
            return Some(step);
        }
        self.prepare(state, enabled);
        if self.everything {
            return None;
        }
        let mut set = std::mem::take(&mut self.candidate);
        let mut find = |last_choices: bool, of_mover: bool| {
            (0..enabled.len()).find(|start| {
                self.saw_observed = false;
                (enabled[*start].pid == last.pid) == of_mover
                    && self.is_last_choice(enabled[*start]) == last_choices
                    && self.containing(state, enabled, *start, 1, &mut set)
                    && bitset::len(&set) == 1
                    && !self.saw_observed
                    && !self.is_interrupted(enabled[*start])
            })
        };
        let orders = [(false, true), (false, false), (true, true), (true, false)];
        let found = orders
            .into_iter()
            .find_map(|(last_choices, of_mover)| find(last_choices, of_mover));
        self.candidate = set;
        found.map(|k| enabled[k])
    }

    fn prepare(&mut self, state: &[u8], enabled: &[Step]) {
        self.avoided.clear();
        if self.prepared == state {
            return;
        }
        self.prepared.clear();
        self.prepared.extend_from_slice(state);
        self.everything = state[EXCLUSIVE] != 0 || (enabled.len() < 2 && self.observed.is_none());
        if self.everything {
            return;
        }
        self.list_processes(state);
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
            let bit = self.bit_of(k);
            bitset::insert(&mut self.here, bit);
            if self.current[k].executable {
                bitset::insert(&mut self.executable, bit);
            }
        }
        self.everything = only_timeouts;
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
    /// Lists the processes and their current edges, and lays out sets of edges.
    fn list_processes(&mut self, state: &[u8]) {
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
            let words = bitset::words_for(count);
            self.owner.resize(word + words, owner);
            self.processes.push(Process {
                instance,
                location: process.location_id(state),
                first,
                end: self.current.len(),
                at: process.at,
                proctype,
                word,
                words,
                shift,
            });
        }
        self.row = self.owner.len();
        for set in [&mut self.here, &mut self.executable, &mut self.pending] {
            set.clear();
            set.resize(self.row, 0);
        }
    }

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
        if self.is_pending {
            self.pending.fill(0);
            self.is_pending = false;
        }
        bitset::insert(set, start);
        // A rendezvous is a step of two executable edges.
        let most_edges = match self.steps.iter().any(|(_, partner)| partner.is_some()) {
            true => 2 * most,
            false => most,
        };
        let Some(mut room) = most_edges.checked_sub(1) else {
            return false;
        };
        loop {
            while let Some(bit) = self.todo.pop() {
                match self.apply(state, bit, set, &mut room) {
                    Applied::Fits => {}
                    Applied::IsTooLarge => return false,
                    Applied::NeedsEverything => {
                        out.set_all(enabled.len());
                        return enabled.len() <= most;
                    }
                }
            }
            if !self.is_pending {
                break;
            }
            self.is_pending = false;
            for process in 0..self.processes.len() {
                if self.has_pending(process) && !self.arrive(state, process, set, &mut room) {
                    return false;
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

    /// Applies the rule of a current edge.
    fn apply(&mut self, state: &[u8], bit: usize, set: &mut [u64], room: &mut usize) -> Applied {
        if !self.avoided.is_empty() && bitset::contains(&self.avoided, bit) {
            return Applied::IsTooLarge;
        }
        if bitset::contains(&self.executable, bit) {
            let (process, edge) = self.edge_at(bit);
            if self.is_observed(process, edge) {
                self.saw_observed = true;
                return Applied::NeedsEverything;
            }
        }
        if self.rules[bit].stamp != self.stamp {
            if self.current.len() > LARGE && self.limits.stop().is_some() {
                self.everything = true;
                return Applied::NeedsEverything;
            }
            self.work_out(state, bit);
        }
        let rows = std::mem::take(&mut self.rules[bit].rows);
        let at = match rows.len() == self.row {
            true => 0,
            false => self.cheapest(&rows, set).0,
        };
        let fits = self.add(&rows[at..at + self.row], set, room);
        self.rules[bit].rows = rows;
        match fits {
            true => Applied::Fits,
            false => Applied::IsTooLarge,
        }
    }

    /// Adds edges to a set. Returns whether there was room for those of them that are executable.
    pub(super) fn add(&mut self, row: &[u64], set: &mut [u64], room: &mut usize) -> bool {
        let mut executable = 0;
        for word in 0..self.row {
            let new = row[word] & !set[word];
            if new == 0 {
                continue;
            }
            set[word] |= new;
            executable += (new & self.executable[word]).count_ones() as usize;
            let mut here = new & self.here[word];
            if here != new {
                self.pending[word] |= new & !here;
                self.is_pending = true;
            }
            while here != 0 {
                self.todo.push(word * 64 + here.trailing_zeros() as usize);
                here &= here - 1;
            }
        }
        let fits = executable <= *room;
        *room = room.saturating_sub(executable);
        fits
    }

    /// The alternative of a rule that adds the fewest executable edges, and how many it adds.
    pub(super) fn cheapest(&self, rows: &[u64], set: &[u64]) -> (usize, u32) {
        let cost = |at: usize| {
            let mut cost = (0, 0);
            for ((new, have), executable) in rows[at..at + self.row].iter().zip(set).zip(&self.executable) {
                cost.0 += (new & !have & executable).count_ones();
                cost.1 += (new & !have).count_ones();
            }
            cost
        };
        let all = (0..rows.len() / self.row).map(|n| n * self.row);
        let best = all.map(|at| (cost(at), at)).min();
        best.map_or((0, 0), |((cost, _), at)| (at, cost))
    }
}
