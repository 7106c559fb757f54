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
//!
//! Working out a set takes much longer than a step. But it looks at data through [questions](super::inquiry) only, so what was worked
//! out is kept with the answers: [rules](super::rules) of edges, and [sets](super::remembered) for where the processes are and what is
//! executable. Looking it up is all that most states cost.

use super::PersistentAlgorithm;
use super::arrangement::Arrangement;
use super::arrivals::{Walk, is_present};
use super::closure::Closure;
use super::experience::Experience;
use super::inquiry::{Answer, Notes, Question, fill, has_spare, truth};
use super::instance::{InstanceId, Instances};
use super::observed::Observed;
use super::pairs::Pairs;
use super::private::Private;
use super::remembered::Remembered;
use super::rules::{Found, Kind, Rules};
use super::timeout::timeouts;
use crate::ir::{EXCLUSIVE, LocationId, Program};
use crate::run::{Processes, Step, View};
use mazurka_core::Limits;
use mazurka_core::bitset::{self, BitSet};
use std::sync::Arc;

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
    pub(super) observed: Option<Observed>,
    pub(super) processes: Vec<Process>,
    kinds: Vec<InstanceId>,
    pub(super) current: Vec<Current>,
    /// For each executable step, its current edges.
    pub(super) steps: Vec<(usize, Option<usize>)>,
    /// Whether one of them is a rendezvous.
    has_partners: bool,
    /// Whether everything must be taken.
    pub(super) everything: bool,
    /// For each word of a set of edges, the process that its edges belong to.
    owner: Vec<u32>,
    pub(super) closure: Closure,
    pub(super) rules: Rules,
    pub(super) walk: Walk,
    /// Scratch sets of operations.
    pub(super) operations: [Vec<u64>; 2],
    /// A scratch set of edges.
    partners: Vec<u64>,
    pub(super) candidate: BitSet,
    pub(super) best: BitSet,
    /// Whether the last set was abandoned because a property observes a step of it.
    pub(super) saw_observed: bool,
    /// With fairness, the operations that can change whether a process that does not exist yet may go on.
    pub(super) later: Vec<u64>,
    /// Among very many current edges, those that a set was started from; empty otherwise. A set that comes to contain
    /// one is hardly smaller than the one that was started there.
    pub(super) avoided: Vec<u64>,
    pub(super) limits: Limits<'p>,
    /// Whether the search knows about states in which processes are suspended.
    pub(super) branching: bool,
    /// Whether the search passes through states where a single step is a persistent set.
    pub(super) chaining: bool,
    /// The state that everything is prepared for, if it is not empty.
    prepared: Vec<u8>,
    prepared_steps: Vec<Step>,
    pub(super) arrangement: Arrangement,
    /// Whether processes are looked at in the order of their numbers.
    pub(super) by_number: bool,
    pub(super) remembered: Remembered,
    /// Whether nothing is remembered.
    pub(super) forgets: bool,
    /// What is being learnt about starts, in a trial.
    pub(super) trial: Option<Experience>,
    /// What was learnt in one.
    pub(super) experience: Option<Arc<Experience>>,
}

/// From this many current edges on, computing a set may take so long that limits are checked meanwhile, and
/// that not every start is followed to the end.
pub(super) const LARGE: usize = 500;

#[derive(Clone, Copy, Debug)]
pub(super) struct Process {
    pub(super) pid: u8,
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
        // Properties may be about single processes.
        let by_number = observed.is_some() || !instances.is_anonymous.contains(&true);
        Self {
            program,
            algorithm,
            instances: if uses_futures { instances.coarse() } else { instances },
            pairs: Pairs::default(),
            private: Private::new(program),
            mentions_timeout: timeouts(program),
            observed,
            processes: Vec::new(),
            kinds: Vec::new(),
            current: Vec::new(),
            steps: Vec::new(),
            has_partners: false,
            everything: false,
            owner: Vec::new(),
            closure: Closure::default(),
            rules: Rules::default(),
            walk: Walk::default(),
            operations: Default::default(),
            partners: Vec::new(),
            candidate: BitSet::default(),
            best: BitSet::default(),
            saw_observed: false,
            later: Vec::new(),
            avoided: Vec::new(),
            limits: Limits::default(),
            branching: false,
            chaining: false,
            prepared: Vec::new(),
            prepared_steps: Vec::new(),
            arrangement: Arrangement::default(),
            by_number,
            remembered: Remembered::default(),
            forgets: false,
            trial: None,
            experience: None,
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

    /// Remembers nothing, so that everything is worked out in each state.
    pub(crate) fn forgetting(mut self) -> Self {
        self.forgets = true;
        self
    }

    /// How often a set was remembered.
    pub(crate) fn remembered(&self) -> u64 {
        self.remembered.hits()
    }

    /// Counts what comes of starting sets from edges.
    pub(crate) fn on_trial(mut self) -> Self {
        self.trial = Some(Experience::new(self.program));
        self
    }

    /// What was counted.
    pub(crate) fn take_experience(&mut self) -> Option<Experience> {
        self.trial.take()
    }

    /// Starts no sets where that was in vain.
    pub(crate) fn with_experience(mut self, experience: Option<Arc<Experience>>) -> Self {
        self.experience = experience;
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

    /// The same, and they preserve weak fairness: see [`waits`](super::waits).
    pub(crate) fn touching_fair(program: &'p Program, algorithm: PersistentAlgorithm, observed: Observed) -> Self {
        let mut sets = Self::touching(program, algorithm, observed);
        sets.instances.fair = true;
        sets.later = sets.instances.waits_of_later();
        sets
    }

    /// A step of a process that has no other, at a location where it does nothing that concerns others.
    pub(super) fn private_step(&self, state: &[u8], enabled: &[Step]) -> Option<Step> {
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
    pub(super) fn is_interrupted(&self, step: Step) -> bool {
        let partner = step.has_partner().then_some((step.partner, step.partner_edge));
        let mut moves = std::iter::once((step.pid, step.edge)).chain(partner);
        self.branching
            && moves.any(|(pid, edge)| {
                let instance = self.instances.get(self.processes[self.arrangement.rank(pid)].instance);
                instance.branches(edge as usize)
            })
    }

    /// The rule of an edge, if it is known.
    #[inline]
    pub(super) fn known_rule(&mut self, state: &[u8], bit: usize, kind: Kind) -> Option<Found> {
        if let Some(found) = self.rules.known(bit) {
            return Some(found);
        }
        let Self {
            program,
            processes,
            instances,
            closure,
            rules,
            ..
        } = self;
        rules.find(bit, kind, |process, question| {
            let own = processes[process];
            match question {
                Question::Executable(edge) => Answer::from(bitset::contains(&closure.executable, own.bit(*edge))),
                Question::Present(operation) => {
                    Answer::from(is_present(program, instances, processes, process, *operation))
                }
                _ => answer_in(
                    &look(program, state, own.pid, own.at, own.proctype),
                    own.proctype,
                    question,
                ),
            }
        })
    }

    /// The rule of a current edge.
    fn rule(&mut self, state: &[u8], bit: usize) -> Found {
        let kind = match bitset::contains(&self.closure.executable, bit) {
            true => Kind::Executable,
            false => Kind::Blocked,
        };
        if let Some(found) = self.known_rule(state, bit, kind) {
            return found;
        }
        let (process, edge) = self.edge_at(bit);
        let own = self.processes[process];
        let k = own.first + (edge - self.current[own.first].edge);
        let notes = Notes::default();
        let mut rows = self.rules.room(bit);
        let has_rows = match kind {
            Kind::Executable => self.executable_rule(state, k, &notes, &mut rows),
            _ => self.blocked_rule(state, k, &notes, &mut rows),
        };
        self.learn((process, bit), kind, has_rows.then_some(rows), &notes)
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

    /// Whether a property observes what a current edge does.
    fn is_observed(&self, bit: usize) -> bool {
        let Some(observed) = &self.observed else { return false };
        if let Some(edges) = self.rules.observed() {
            return bitset::contains(edges, bit);
        }
        let (process, edge) = self.edge_at(bit);
        let own = &self.processes[process];
        is_observed(self.program, &self.instances, observed, own, own.location, edge)
    }
}

/// A state as a process sees it.
#[inline]
pub(super) fn look<'a>(program: &'a Program, state: &'a [u8], pid: u8, at: usize, proctype: usize) -> View<'a, 'a> {
    View {
        program,
        state,
        pid,
        frame: at + program.automata[proctype].frame,
        timeout: false,
    }
}

/// The answer to a question that is not about control.
pub(super) fn answer_in(view: &View<'_, '_>, proctype: usize, question: &Question) -> Answer {
    match question {
        Question::Value(node) => view.value(node).map_or(super::inquiry::FAILS, Answer::from),
        Question::Holds(node) => truth(view.holds(node)),
        Question::Channel(node) => fill(view, node) as Answer,
        Question::Spare(edge) => {
            let edge = &view.program.automata[proctype].graph.edges[*edge];
            Answer::from(has_spare(view, edge))
        }
        Question::Starts(edge) => {
            let graph = &view.program.automata[proctype].graph;
            Answer::from(view.program.can_start(view, graph, *edge))
        }
        Question::Executable(_) | Question::Present(_) => unreachable!("it is about control"),
    }
}

/// Whether a property observes what an edge of a process does, from a location.
fn is_observed(
    program: &Program,
    instances: &Instances<'_>,
    observed: &Observed,
    own: &Process,
    from: LocationId,
    edge: usize,
) -> bool {
    let instance = instances.get(own.instance);
    let taken = &program.automata[own.proctype].graph.edges[edge];
    instance.is_global(edge)
        || observed.sees(
            program,
            own.pid as usize,
            own.proctype,
            from,
            taken,
            instance.does(edge),
        )
}

impl StubbornSets<'_> {
    /// Prepares for a state whose processes are arranged, and its steps in any order.
    pub(super) fn prepare_arranged(&mut self, state: &[u8], enabled: &[Step]) {
        self.avoided.clear();
        if self.prepared == state && self.prepared_steps == enabled {
            return;
        }
        self.prepared.clear();
        self.prepared.extend_from_slice(state);
        self.prepared_steps.clear();
        self.prepared_steps.extend_from_slice(enabled);
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
            self.has_partners |= b.is_some();
            self.steps.push((a, b));
            if only_timeouts {
                let proctype = self.processes[self.arrangement.rank(step.pid)].proctype;
                only_timeouts = self.mentions_timeout[proctype][step.edge as usize];
            }
        }
        for k in 0..self.current.len() {
            let bit = self.bit_of(k);
            bitset::insert(&mut self.closure.here, bit);
            if self.current[k].executable {
                bitset::insert(&mut self.closure.executable, bit);
            }
        }
        self.everything = only_timeouts;
        for operations in &mut self.operations {
            operations.resize(self.instances.alphabet.words, 0);
        }
        self.turn_rules();
    }

    /// Lists the processes and their current edges, and lays out sets of edges.
    fn list_processes(&mut self, state: &[u8]) {
        self.processes.clear();
        self.kinds.clear();
        self.current.clear();
        self.steps.clear();
        self.has_partners = false;
        self.owner.clear();
        for (rank, place) in self.arrangement.places.iter().enumerate() {
            let process = place.process(self.program);
            let instance = self.instances.find(state, process);
            self.kinds.push(instance);
            let first = self.current.len();
            let edges = process.location(state).edges();
            let proctype = process.proctype.0 as usize;
            let (shift, count) = match self.instances.flows[proctype] {
                Some(_) => (0, process.automaton.graph.edges.len()),
                None => (edges.start, edges.len()),
            };
            for edge in edges {
                self.current.push(Current {
                    process: rank,
                    edge,
                    executable: false,
                });
            }
            let word = self.owner.len();
            let owner = crate::narrow::index(rank);
            let words = bitset::words_for(count);
            self.owner.resize(word + words, owner);
            self.processes.push(Process {
                pid: process.pid,
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
        self.closure.lay_out(self.owner.len());
        for own in &self.processes {
            let reach = &mut self.closure.reach[own.word..own.word + own.words];
            match &self.instances.flows[own.proctype] {
                Some(flow) => reach.copy_from_slice(flow.reach(own.location)),
                None => reach.fill(u64::MAX),
            }
        }
    }

    /// Makes the rules those of the current state.
    fn turn_rules(&mut self) {
        let is_fine = |own: &Process| self.instances.flows[own.proctype].is_some();
        let keeps = !self.forgets && self.processes.iter().all(is_fine);
        let (program, instances, processes) = (self.program, &self.instances, &self.processes);
        let row = self.closure.row;
        let seen = self.observed.as_ref();
        self.rules.turn_to(&self.kinds, row, keeps, || {
            let mut edges = vec![0; row];
            let Some(seen) = seen else { return edges };
            for own in processes {
                let Some(flow) = &instances.flows[own.proctype] else {
                    continue;
                };
                for edge in 0..program.automata[own.proctype].graph.edges.len() {
                    if is_observed(program, instances, seen, own, flow.from(edge), edge) {
                        bitset::insert(&mut edges, own.bit(edge));
                    }
                }
            }
            edges
        });
    }

    /// The current edge of a process with this number in its automaton.
    pub(super) fn place(&self, pid: u8, edge: u16) -> usize {
        let process = self.processes[self.arrangement.rank(pid)];
        process.first + (edge as usize - self.current[process.first].edge)
    }

    /// Computes the closure of the current edge of a step, and from it the set of steps.
    pub(super) fn close(
        &mut self,
        state: &[u8],
        enabled: &[Step],
        start: usize,
        most: usize,
        out: &mut BitSet,
    ) -> bool {
        // A rendezvous is a step of two executable edges.
        let most_edges = match self.has_partners {
            true => 2 * most,
            false => most,
        };
        let Some(room) = most_edges.checked_sub(1) else {
            return false;
        };
        self.closure.start(self.bit_of(self.steps[start].0), room);
        loop {
            while let Some(bit) = self.closure.todo.pop() {
                match self.apply(state, bit) {
                    Applied::Fits => {}
                    Applied::IsTooLarge => return false,
                    Applied::NeedsEverything => {
                        out.set_all(enabled.len());
                        return enabled.len() <= most;
                    }
                }
            }
            if !self.closure.is_pending {
                break;
            }
            self.closure.is_pending = false;
            for process in 0..self.processes.len() {
                if self.has_pending(process) && !self.arrive(state, process) {
                    return false;
                }
            }
        }
        out.reset(enabled.len());
        let mut size = 0;
        for (k, (a, _)) in self.steps.iter().enumerate() {
            if bitset::contains(&self.closure.set, self.bit_of(*a)) {
                bitset::insert(out, k);
                size += 1;
            }
        }
        size <= most
    }

    /// Applies the rule of a current edge.
    fn apply(&mut self, state: &[u8], bit: usize) -> Applied {
        if !self.avoided.is_empty() && bitset::contains(&self.avoided, bit) {
            return Applied::IsTooLarge;
        }
        let is_executable = bitset::contains(&self.closure.executable, bit);
        if is_executable && self.is_observed(bit) {
            self.saw_observed = true;
            return Applied::NeedsEverything;
        }
        if self.current.len() > LARGE && self.limits.stop().is_some() {
            self.everything = true;
            return Applied::NeedsEverything;
        }
        let fits = match self.rule(state, bit) {
            Found::Here => self.closure.add_here(),
            found => {
                let rows = self.rules.rows(bit, found);
                let at = match rows.len() == self.closure.row {
                    true => 0,
                    false => self.closure.cheapest(rows).0,
                };
                let piece = at..at + self.closure.row;
                let forced = self.rules.forced(found);
                if !forced.is_empty() && !self.closure.has_room(&forced[piece.clone()]) {
                    return Applied::IsTooLarge;
                }
                self.closure.add(&self.rules.rows(bit, found)[piece])
            }
        };
        match fits && !(is_executable && self.has_partners && !self.add_partners(bit)) {
            true => Applied::Fits,
            false => Applied::IsTooLarge,
        }
    }

    /// Adds the edges that an executable edge moves together with in a rendezvous. Returns whether there was room for them.
    fn add_partners(&mut self, bit: usize) -> bool {
        let mut row = std::mem::take(&mut self.partners);
        row.clear();
        row.resize(self.closure.row, 0);
        for (a, b) in &self.steps {
            if let Some(b) = *b {
                let (a, b) = (self.bit_of(*a), self.bit_of(b));
                if a == bit || b == bit {
                    bitset::insert(&mut row, a);
                    bitset::insert(&mut row, b);
                }
            }
        }
        let fits = self.closure.add(&row);
        self.partners = row;
        fits
    }
}
