//! The operations of a process, computed once for each kind of process.
//!
//! Two processes of one proctype with the same number, if [that matters](super::steering), the same channel numbers and the same values of
//! [locals that decide on objects](super::steering) perform the same operations at each edge: they share an [`Instance`]. For each edge it
//! has three sets of operations:
//!
//! * `does`: the operations of the step. For an edge that keeps exclusive control, these are all operations
//!   up to the end of the `atomic`. Nothing else happens in between, so the whole
//!   is one transition for the others. Whether it reaches the end without
//!   waiting matters too, so everything that an edge on the way waits for is included.
//! * `hits`: the operations that conflict with those. There is a second set without the tests that a
//!   send or a receive cannot make false while the channel has room, or messages, to spare.
//! * `leads`: the operations of the step and of all processes that come to exist by it.
//!
//! Proctypes that are too large for [`Flow`] have the operations of whole futures instead of the last.
//!
//! An `atomic` that may loop for ever, or that hands over control in a rendezvous in its
//! middle, is not one transition in this sense. Its edges are `global`: they conflict with
//! everything. Those of an `atomic` that is only interrupted by choices, in states where all other
//! processes are suspended, are global too, unless the proviso knows about such states.

use super::accesses::Accesses;
use super::dangling::may_dangle;
use super::flow::Flow;
use super::inquiry::Inquiry;
use super::knowledge::Knowledge;
use super::operations::{Alphabet, WRITE};
use super::participants::changes_indices;
use super::steering::{is_anonymous, steering};
use super::timeout::{edge_mentions_timeout, needs_timeout};
use crate::ir::{Action, Automaton, Edge, LocationId, Program, Scope, Target};
use crate::narrow::index;
use crate::run::ProcessRef;
use mazurka_core::bitset;

/// The sets of one kind of process.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// The key among the instances of the proctype: the number of the process, the numbers of its channels, and its
    /// locals that decide on objects.
    key: Vec<u8>,
    words: usize,
    /// A number that no other instance has.
    pub(super) serial: usize,
    does: Vec<u64>,
    hits: Vec<u64>,
    /// What is left of `hits` if the channel has room or messages to spare.
    spared: Vec<u64>,
    leaders: Leaders,
    /// For each edge, whether its transition may start a process.
    starts_others: Vec<bool>,
    /// For each edge, the operations that the process may perform from it on. Only if there is no [`Flow`].
    future: Vec<u64>,
    /// For each location, the union of the futures of its edges. Only if there is no [`Flow`].
    future_at: Vec<u64>,
    /// For each edge, whether it conflicts with everything.
    global: Vec<bool>,
    /// For each global edge, whether that is because of choices only.
    branches: Vec<bool>,
    /// For each edge, whether its operations depend on changing locals, so that they can be determined more precisely
    /// in a state.
    pub(super) sharper_now: Vec<bool>,
    /// With fairness, the operations that can change whether the process may go on where it waits.
    waits: Vec<u64>,
}

/// For each operation, the edges that lead to it.
#[derive(Clone, Debug, Default)]
struct Leaders {
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Leaders {
    fn of(leads: &[u64], words: usize, operations: usize) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (edge, operations) in leads.chunks(words.max(1)).enumerate() {
            pairs.extend(bitset::iter(operations).map(|operation| (index(operation), index(edge))));
        }
        pairs.sort_unstable();
        let mut starts = vec![0; operations + 1];
        for (operation, _) in &pairs {
            starts[*operation as usize + 1] += 1;
        }
        for k in 0..operations {
            starts[k + 1] += starts[k];
        }
        Self {
            starts,
            edges: pairs.into_iter().map(|(_, edge)| edge).collect(),
        }
    }
}

impl Instance {
    /// The edges that perform an operation, or start a process that may.
    #[inline]
    pub(super) fn leading_to(&self, operation: usize) -> &[u32] {
        let range = self.leaders.starts[operation] as usize..self.leaders.starts[operation + 1] as usize;
        &self.leaders.edges[range]
    }

    /// The operations that conflict with those of an edge. With `spare`, the channel that it uses has two messages
    /// that it could take, or room for two that it could add.
    #[inline]
    pub(super) fn hits_with(&self, edge: usize, spare: bool) -> &[u64] {
        let all = if spare { &self.spared } else { &self.hits };
        &all[edge * self.words..][..self.words]
    }

    /// Whether the transition of an edge may start a process.
    pub(super) fn starts_others(&self, edge: usize) -> bool {
        self.starts_others[edge]
    }

    /// The number of its edges.
    pub(super) fn edges(&self) -> usize {
        self.global.len()
    }

    #[inline]
    pub(super) fn does(&self, edge: usize) -> &[u64] {
        &self.does[edge * self.words..][..self.words]
    }

    #[inline]
    pub(super) fn hits(&self, edge: usize) -> &[u64] {
        &self.hits[edge * self.words..][..self.words]
    }

    #[inline]
    pub(super) fn future(&self, edge: usize) -> &[u64] {
        &self.future[edge * self.words..][..self.words]
    }

    #[inline]
    pub(super) fn future_at(&self, location: LocationId) -> &[u64] {
        &self.future_at[location.index() * self.words..][..self.words]
    }

    /// For each location where a process may wait, the operations that can change whether it may go on.
    pub(super) fn waits(&self) -> std::slice::ChunksExact<'_, u64> {
        self.waits.chunks_exact(self.words)
    }

    #[inline]
    pub(super) fn is_global(&self, edge: usize) -> bool {
        self.global[edge]
    }

    /// Whether an edge is global only because of choices inside its `atomic`.
    #[inline]
    pub(super) fn branches(&self, edge: usize) -> bool {
        self.branches[edge]
    }
}

/// All kinds of processes seen so far.
#[derive(Clone, Debug)]
pub(super) struct Instances<'p> {
    pub(super) program: &'p Program,
    pub(super) alphabet: Alphabet,
    /// For each byte of the global variables, whether it is never assigned.
    pub(super) constant: Vec<bool>,
    /// Whether channels that are not open may be referred to.
    pub(super) may_dangle: bool,
    /// For each proctype, its control flow, unless it is too large.
    pub(super) flows: Vec<Option<Flow>>,
    /// For each proctype, the bytes of those locals, relative to the frame, that nothing assigns and that name elements or channels.
    pub(super) steering: Vec<Vec<(usize, usize)>>,
    /// For each proctype, whether nothing that a process of it does to objects depends on its number. It has no steering locals either.
    pub(super) is_anonymous: Vec<bool>,
    /// For each proctype, its instances.
    seen: Vec<Vec<Instance>>,
    /// The number of instances.
    pub(super) count: usize,
    /// For each proctype, all operations that any process of it, or any process it starts, may perform.
    wild: Vec<Vec<u64>>,
    key: Vec<u8>,
    /// For each process number, the instance it had the last time.
    recent: Vec<Option<InstanceId>>,
    /// Whether it matters which processes are enabled when, for weak fairness.
    pub(super) fair: bool,
}

/// The id of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct InstanceId {
    proctype: u32,
    number: u32,
}

impl<'p> Instances<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Self::with(program, Alphabet::new(program))
    }

    /// Uses the dependency relation of snapshots.
    pub(super) fn touching(program: &'p Program) -> Self {
        let alphabet = Alphabet::new(program);
        let mut assigned = vec![false; alphabet.variables()];
        for_each_assigned(program, &mut |target| {
            for at in super::participants::elements(target) {
                assigned[alphabet.variable_number(at)] = true;
            }
        });
        Self::with(program, alphabet.touching(assigned))
    }

    fn with(program: &'p Program, alphabet: Alphabet) -> Self {
        let constant = constant_bytes(program);
        let mut new = Self {
            program,
            alphabet,
            may_dangle: may_dangle(program, &constant),
            constant,
            flows: program.automata.iter().map(Flow::of).collect(),
            steering: program.automata.iter().map(steering).collect(),
            is_anonymous: program.automata.iter().map(is_anonymous).collect(),
            seen: program.automata.iter().map(|_| Vec::new()).collect(),
            count: 0,
            wild: Vec::new(),
            key: Vec::new(),
            recent: vec![None; 256],
            fair: false,
        };
        new.wild = new.wild_futures();
        new
    }

    /// Uses the operations of whole futures for all proctypes.
    pub(super) fn coarse(mut self) -> Self {
        self.flows.fill(None);
        self
    }

    #[inline]
    pub(super) fn get(&self, id: InstanceId) -> &Instance {
        &self.seen[id.proctype as usize][id.number as usize]
    }

    /// The instance of a process.
    pub(super) fn find(&mut self, state: &[u8], process: ProcessRef<'_>) -> InstanceId {
        self.key.clear();
        if !self.is_anonymous[process.proctype.0 as usize] {
            self.key.push(process.pid);
        }
        if !process.automaton.channels.is_empty() {
            let first = self.program.first_channel(state, process.pid);
            self.key.extend(index(first).to_le_bytes());
        }
        let frame = process.frame();
        for (from, to) in &self.steering[process.proctype.0 as usize] {
            self.key.extend(&state[frame + from..frame + to]);
        }
        let proctype = process.proctype.0;
        let seen = &self.seen[proctype as usize];
        // Mostly, the process with this number has the same instance as the last time.
        let pid = process.pid as usize;
        if let Some(id) = self.recent[pid]
            && id.proctype == proctype
            && seen[id.number as usize].key == self.key
        {
            return id;
        }
        let number = match seen.iter().position(|i| i.key == self.key) {
            Some(number) => number,
            None => {
                let instance = self.instance(state, process);
                self.count += 1;
                let seen = &mut self.seen[proctype as usize];
                seen.push(instance);
                seen.len() - 1
            }
        };
        let id = InstanceId {
            proctype,
            number: index(number),
        };
        self.recent[pid] = Some(id);
        id
    }

    fn instance(&self, state: &[u8], process: ProcessRef<'_>) -> Instance {
        let automaton = &self.program.automata[process.proctype.0 as usize];
        let view = self.program.view(state, process, false);
        let knowledge = Knowledge::Always(view);
        let words = self.alphabet.words;
        let (single, vague) = self.single(automaton, process.proctype.0 as usize, knowledge);
        let midway = self.midway(automaton, single.clone(), knowledge);
        let (does, global, branches) = self.regions(automaton, &single, &midway, view);
        let mut hits = vec![0; does.len()];
        for edge in 0..automaton.graph.edges.len() {
            let piece = edge * words..(edge + 1) * words;
            self.alphabet.add_conflicts(&does[piece.clone()], &mut hits[piece]);
        }
        let mut spared = hits.clone();
        for (k, edge) in automaton.graph.edges.iter().enumerate() {
            let spared = &mut spared[k * words..(k + 1) * words];
            self.accesses(knowledge, spared).spare(edge);
        }
        let (mut future, mut future_at, mut leaders, mut starts_others) = Default::default();
        match self.flows[process.proctype.0 as usize] {
            Some(_) => {
                let leads;
                (leads, starts_others) = self.leads(automaton, &does);
                leaders = Leaders::of(&leads, words, self.alphabet.operations());
            }
            None => (future, future_at) = self.futures(automaton, &does),
        }
        Instance {
            key: self.key.clone(),
            words,
            serial: self.count,
            does,
            hits,
            spared,
            leaders,
            starts_others,
            future,
            future_at,
            global,
            branches,
            sharper_now: vague,
            waits: match self.fair {
                true => self.waits(automaton, knowledge),
                false => Vec::new(),
            },
        }
    }

    /// For each location where a process that may be started later may wait, the operations that can change whether
    /// it may go on.
    pub(super) fn waits_of_later(&self) -> Vec<u64> {
        let edges = self.program.automata.iter().flat_map(|a| &a.graph.edges);
        let mut started: Vec<usize> = edges
            .filter_map(|edge| edge.run.as_ref())
            .map(|run| run.proctype.0 as usize)
            .collect();
        started.sort_unstable();
        started.dedup();
        let waits = |k: usize| self.waits(&self.program.automata[k], Knowledge::Nothing);
        started.into_iter().flat_map(waits).collect()
    }

    /// The operations of each edge by itself, and whether they can be determined more precisely in a state.
    fn single(&self, automaton: &Automaton, proctype: usize, knowledge: Knowledge<'_>) -> (Vec<u64>, Vec<bool>) {
        let words = self.alphabet.words;
        let mut single = vec![0; automaton.graph.edges.len() * words];
        let mut vague = Vec::new();
        let is_touching = self.alphabet.is_touching();
        for (k, edge) in automaton.graph.edges.iter().enumerate() {
            let does = &mut single[k * words..(k + 1) * words];
            let mut accesses = self.accesses(knowledge, does);
            accesses.edge(edge, &automaton.graph);
            // Inside `atomic` the set includes later edges too, and a receive may store into an index that it
            // receives itself, whose current value is not the one that is used.
            let mut sharper = accesses.vague && !edge.keeps && !changes_indices(edge);
            bitset::insert(does, self.alphabet.inside(proctype, WRITE));
            self.lifetime(edge, automaton, knowledge, does);
            if is_touching {
                // The step that leads here finds out whether this edge is executable.
                if edge.midway {
                    self.accesses(knowledge, does).absence(edge);
                }
                // Everybody takes part when `timeout` is evaluated. A step that needs a timeout is executable only if no
                // other is, but an `atomic` that reaches it evaluates `timeout` while others could go on.
                if edge_mentions_timeout(edge, &automaton.graph) && (edge.midway || !needs_timeout(edge)) {
                    (0..self.alphabet.operations()).for_each(|operation| bitset::insert(does, operation));
                    sharper = false;
                }
            }
            vague.push(sharper);
        }
        (single, vague)
    }

    /// The operations of each edge when its process reaches it in the middle of an `atomic`.
    fn midway(&self, automaton: &Automaton, mut single: Vec<u64>, knowledge: Knowledge<'_>) -> Vec<u64> {
        let words = self.alphabet.words;
        for (k, edge) in automaton.graph.edges.iter().enumerate().filter(|(_, e)| e.midway) {
            let does = &mut single[k * words..(k + 1) * words];
            self.accesses(knowledge, does).absence(edge);
        }
        single
    }

    pub(super) fn accesses<'a>(&'a self, knowledge: Knowledge<'a>, does: &'a mut [u64]) -> Accesses<'a> {
        Accesses {
            alphabet: &self.alphabet,
            program: self.program,
            constant: &self.constant,
            steering: &self.steering,
            is_anonymous: &self.is_anonymous,
            knowledge,
            does,
            vague: false,
        }
    }

    /// Adds the operations of an edge that its process takes now, and those that conflict with them.
    pub(super) fn now(
        &self,
        inquiry: Inquiry<'_>,
        proctype: usize,
        edge: usize,
        spare: bool,
        does: &mut [u64],
        hits: &mut [u64],
    ) {
        let automaton = &self.program.automata[proctype];
        let edge = &automaton.graph.edges[edge];
        let knowledge = Knowledge::Now(inquiry);
        self.accesses(knowledge, does).edge(edge, &automaton.graph);
        bitset::insert(does, self.alphabet.inside(proctype, WRITE));
        self.lifetime(edge, automaton, knowledge, does);
        self.alphabet.add_conflicts(does, hits);
        if spare {
            self.accesses(knowledge, hits).spare(edge);
        }
    }

    /// Adds the channels of a process that an edge starts or ends.
    pub(super) fn lifetime(&self, edge: &Edge, automaton: &Automaton, knowledge: Knowledge<'_>, does: &mut [u64]) {
        if matches!(edge.action, Action::End) {
            // Processes end in the reverse order, so those before it, and their channels, exist as long as it does.
            let first = knowledge
                .view()
                .map(|view| self.program.first_channel(view.state, view.pid));
            self.closing(automaton, first, does);
        }
        // The numbers of a new process's channels depend on the order of steps, and matter to any process that still has such a
        // number.
        if let Some(run) = &edge.run
            && (self.alphabet.is_touching() || self.may_dangle)
        {
            self.closing(&self.program.automata[run.proctype.0 as usize], None, does);
        }
    }

    /// Adds all operations on the channels of a process that starts or ends, from number `first` on if that is known.
    fn closing(&self, automaton: &Automaton, first: Option<usize>, does: &mut [u64]) {
        use super::operations::ChannelOp;
        if automaton.channels.is_empty() {
            return;
        }
        let closed = match first {
            Some(first) => first..first + automaton.channels.len(),
            None => self.program.channels.len() + 1..self.alphabet.channels().end() + 1,
        };
        for number in closed {
            for op in [
                ChannelOp::SendSorted,
                ChannelOp::Receive,
                ChannelOp::Offer,
                ChannelOp::Accept,
            ] {
                bitset::insert(does, self.alphabet.channel(number, op));
            }
        }
    }

    /// For each edge its operations, with those of all processes that its transition may start, and whether there are any.
    fn leads(&self, automaton: &Automaton, does: &[u64]) -> (Vec<u64>, Vec<bool>) {
        let words = self.alphabet.words;
        let graph = &automaton.graph;
        let mut leads = does.to_vec();
        let mut starts = vec![false; graph.edges.len()];
        for k in 0..graph.edges.len() {
            let mut seen = vec![false; graph.edges.len()];
            seen[k] = true;
            let mut todo = vec![k];
            while let Some(at) = todo.pop() {
                let edge = &graph.edges[at];
                if let Some(run) = &edge.run
                    && let Some(wild) = self.wild.get(run.proctype.0 as usize)
                {
                    bitset::union(&mut leads[k * words..(k + 1) * words], wild);
                    starts[k] = true;
                }
                if edge.keeps {
                    let next = graph.locations[edge.to.index()].edges();
                    todo.extend(next.filter(|next| !std::mem::replace(&mut seen[*next], true)));
                }
            }
        }
        (leads, starts)
    }

    /// The operations that may be performed from each edge and each location on.
    fn futures(&self, automaton: &Automaton, does: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let words = self.alphabet.words;
        let graph = &automaton.graph;
        let mut future_at = vec![0; graph.locations.len() * words];
        let mut future = vec![0; graph.edges.len() * words];
        let mut changed = true;
        while changed {
            changed = false;
            for (l, location) in graph.locations.iter().enumerate().rev() {
                for k in location.edges() {
                    let edge = &graph.edges[k];
                    let to = edge.to.index();
                    let mut all = does[k * words..(k + 1) * words].to_vec();
                    bitset::union(&mut all, &future_at[to * words..(to + 1) * words]);
                    if let Some(run) = &edge.run
                        && let Some(wild) = self.wild.get(run.proctype.0 as usize)
                    {
                        bitset::union(&mut all, wild);
                    }
                    let old = &mut future[k * words..(k + 1) * words];
                    if old != &all[..] {
                        old.copy_from_slice(&all);
                        changed = true;
                    }
                    bitset::union(&mut future_at[l * words..(l + 1) * words], &all);
                }
            }
        }
        (future, future_at)
    }

    /// For each proctype, all operations that a process of it, or any process it starts, may perform, when nothing is known
    /// about it.
    fn wild_futures(&self) -> Vec<Vec<u64>> {
        let words = self.alphabet.words;
        let mut wild: Vec<Vec<u64>> = Vec::new();
        for (k, automaton) in self.program.automata.iter().enumerate() {
            let nothing = Knowledge::Nothing;
            let (single, _) = self.single(automaton, k, nothing);
            let single = self.midway(automaton, single, nothing);
            let mut all = vec![0; words];
            for piece in single.chunks(words.max(1)) {
                bitset::union(&mut all, piece);
            }
            wild.push(all);
        }
        let starts = |k: usize| {
            self.program.automata[k]
                .graph
                .edges
                .iter()
                .filter_map(|e| e.run.as_ref())
        };
        let mut changed = true;
        while changed {
            changed = false;
            for k in 0..wild.len() {
                for run in starts(k) {
                    let other = wild[run.proctype.0 as usize].clone();
                    let before = wild[k].clone();
                    bitset::union(&mut wild[k], &other);
                    changed |= wild[k] != before;
                }
            }
        }
        wild
    }
}

/// For each byte of the global variables, whether it is never assigned.
fn constant_bytes(program: &Program) -> Vec<bool> {
    let mut constant = vec![true; program.processes];
    for_each_assigned(program, &mut |target| {
        if let Some(cell) = program.cell_at(target.at) {
            constant[cell.bytes()].fill(false);
        }
    });
    constant
}

/// Calls `f` with each global place that some statement assigns.
pub(super) fn for_each_assigned(program: &Program, assigned: &mut dyn FnMut(&Target)) {
    let mut global = |target: &Target| {
        if target.scope == Scope::Global {
            assigned(target);
        }
    };
    for automaton in &program.automata {
        automaton.graph.each_assigned(&mut global);
    }
}
