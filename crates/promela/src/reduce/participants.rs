//! The participants of steps. They define the partial order of snapshots.
//!
//! Components are the processes, by their numbers, and the shared objects: each scalar global variable that
//! some statement assigns (an array of more than 64 elements is one), each channel that holds messages, the
//! list of processes. A step reads and changes its participants' local states and nothing else:
//!
//! * the processes that move, and the one that is started;
//! * each object that its statement mentions, whether or not evaluation gets to it, and also what
//!   decides that an `else` or an escape of `unless` comes to its turn: [`Accesses`](super::accesses) knows. (Where that
//!   is a rendezvous that finds no partner, all that may receive, and what they compare messages with.) Array
//!   elements are told apart by the values that indices have before the step, except inside
//!   `d_step` and where a receive stores into an index, where they may change on the way;
//! * the processes of a proctype whose places or variables are asked for from outside;
//! * the list of processes, when one starts, ends, or they are counted;
//! * everybody, when `timeout` is evaluated.
//!
//! An `atomic` is one step. Its participants are those of its statements, and if it has to wait in the
//! middle, whatever it waits for. This is sound, because a step and its effect are a function of its participants'
//! local states, so steps without a common participant commute. Reading counts like writing: see
//! `docs/book/src/guide/snapshot.md`.

use super::inquiry::Inquiry;
use super::instance::{Instances, for_each_assigned};
use super::knowledge::Knowledge;
use super::operations::{Alphabet, Object};
use super::timeout::timeouts;
use crate::ir::{Action, COUNT, Edge, Index, PatternNode, Program, Target};
use crate::run::{Processes, Step, View};
use mazurka_core::bitset;
use std::collections::HashMap;
use std::ops::Range;

/// The number of process numbers, and one more that stands for everybody.
const PROCESSES: usize = 256;

/// A component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Component {
    /// A scalar, by its first byte, or an array of many elements, by that of some element.
    Variable(usize),
    /// A channel, by its number.
    Channel(usize),
    /// The list of processes.
    Table,
    /// A process, by its number, whether it exists or not.
    Process(usize),
}

/// Finds participants. Components are numbered: objects first, then processes.
#[derive(Clone, Debug)]
pub(crate) struct Participants<'p> {
    program: &'p Program,
    instances: Instances<'p>,
    mentions_timeout: Vec<Vec<bool>>,
    objects: Vec<Component>,
    /// By the number that the alphabet gives to a variable.
    variables: HashMap<usize, usize>,
    /// Per variable, its bytes.
    bytes: Vec<Vec<Range<usize>>>,
    /// By number, from 1.
    channels: Vec<Option<usize>>,
    table: usize,
    does: Vec<u64>,
}

impl<'p> Participants<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let instances = Instances::touching(program);
        let alphabet = &instances.alphabet;
        let mut objects = Vec::new();
        let mut variables = HashMap::new();
        let mut bytes: Vec<Vec<Range<usize>>> = Vec::new();
        for_each_assigned(program, &mut |target| {
            for at in elements(target) {
                let component = *variables.entry(number(alphabet, at)).or_insert_with(|| {
                    objects.push(Component::Variable(at));
                    bytes.push(Vec::new());
                    objects.len() - 1
                });
                let range = at..at + target.scalar.size();
                if !bytes[component].contains(&range) {
                    bytes[component].push(range);
                }
            }
        });
        let own = program.automata.iter().any(|a| !a.channels.is_empty());
        let mut channels = vec![None];
        for channel in alphabet.channels() {
            let holds = match program.channels.get(channel - 1) {
                Some(layout) => layout.capacity > 0,
                None => own,
            };
            channels.push(holds.then(|| {
                objects.push(Component::Channel(channel));
                objects.len() - 1
            }));
        }
        let table = objects.len();
        objects.push(Component::Table);
        let does = vec![0; alphabet.words];
        Self {
            program,
            mentions_timeout: timeouts(program),
            instances,
            objects,
            variables,
            bytes,
            channels,
            table,
            does,
        }
    }

    /// The number of objects, which is also the component number of the first process.
    pub(crate) fn objects(&self) -> usize {
        self.objects.len()
    }

    /// The greatest number of components, including the one that stands for everybody.
    pub(crate) fn most(&self) -> usize {
        self.objects.len() + PROCESSES
    }

    /// Whether everybody takes part.
    pub(crate) fn is_everybody(objects: usize, participants: &[u64]) -> bool {
        bitset::contains(participants, objects + PROCESSES - 1)
    }

    /// The component with this number.
    pub(crate) fn component(&self, number: usize) -> Component {
        match self.objects.get(number) {
            Some(object) => *object,
            None => Component::Process(number - self.objects.len()),
        }
    }

    /// The number of a process.
    pub(crate) fn process(&self, pid: usize) -> usize {
        self.objects.len() + pid
    }

    /// The number of the list of processes.
    pub(crate) fn table(&self) -> usize {
        self.table
    }

    /// The number of the variable that begins at a byte; `None` if nothing assigns it.
    pub(crate) fn variable(&self, at: usize) -> Option<usize> {
        self.variables.get(&number(&self.instances.alphabet, at)).copied()
    }

    /// The bytes of a component that is a variable.
    pub(crate) fn bytes(&self, component: usize) -> &[Range<usize>] {
        &self.bytes[component]
    }

    /// The number of a channel; `None` for rendezvous.
    pub(crate) fn channel(&self, number: usize) -> Option<usize> {
        self.channels[number.min(self.channels.len() - 1)]
    }

    /// The value of an expression that is the same in all states.
    pub(crate) fn constant(&self, node: &crate::ir::Node) -> Option<i32> {
        let mut does = vec![0; self.does.len()];
        let accesses = self.instances.accesses(Knowledge::Nothing, &mut does);
        accesses.known(node)
    }

    /// The elements that an index may name.
    pub(crate) fn elements(target: &Target) -> Vec<usize> {
        elements(target)
    }

    /// Adds the participants of a single step that is about to be taken.
    pub(crate) fn add_step(&mut self, state: &[u8], step: Step, out: &mut [u64]) {
        self.add_edge(state, step.pid, step.edge as usize, out);
        if step.has_partner() {
            self.add_edge(state, step.partner, step.partner_edge as usize, out);
        }
    }

    fn add_edge(&mut self, state: &[u8], pid: u8, edge: usize, out: &mut [u64]) {
        bitset::insert(out, self.process(pid as usize));
        let process = Processes::new(self.program, state)
            .nth(pid as usize)
            .expect("it is alive");
        if self.mentions_timeout[process.proctype.0 as usize][edge] {
            (0..self.most()).for_each(|component| bitset::insert(out, component));
            return;
        }
        let (graph, edge) = (&process.automaton.graph, &process.automaton.graph.edges[edge]);
        let view = self.program.view(state, process, false);
        let knowledge = match changes_indices(edge) {
            true => Knowledge::Always(view),
            false => Knowledge::Now(Inquiry::unnoted(view)),
        };
        let mut does = std::mem::take(&mut self.does);
        does.fill(0);
        self.instances.accesses(knowledge, &mut does).edge(edge, graph);
        if let Some(run) = &edge.run {
            bitset::insert(out, self.process(state[COUNT] as usize));
            self.add_channels(&self.program.automata[run.proctype.0 as usize].channels, out);
        }
        if let Action::End = edge.action {
            self.add_channels(&process.automaton.channels, out);
        }
        self.add_objects(state, &does, out);
        self.does = does;
    }

    /// Adds what a process waits for if it cannot go on.
    pub(crate) fn add_wait(&mut self, state: &[u8], pid: u8, out: &mut [u64]) {
        let process = Processes::new(self.program, state)
            .nth(pid as usize)
            .expect("it is alive");
        let view = self.program.view(state, process, false);
        let edges = process.location(state).edges();
        if edges
            .clone()
            .any(|edge| self.mentions_timeout[process.proctype.0 as usize][edge])
        {
            (0..self.most()).for_each(|component| bitset::insert(out, component));
            return;
        }
        let mut does = std::mem::take(&mut self.does);
        does.fill(0);
        let now = Knowledge::Now(Inquiry::unnoted(view));
        for edge in &process.automaton.graph.edges[edges] {
            self.instances.accesses(now, &mut does).absence(edge);
        }
        self.add_objects(state, &does, out);
        self.does = does;
    }

    /// Adds all channels that may belong to a process that starts or ends.
    fn add_channels(&self, own: &[crate::ir::ChannelLayout], out: &mut [u64]) {
        if !own.is_empty() {
            let theirs = self.channels.iter().skip(self.program.channels.len() + 1).flatten();
            theirs.for_each(|component| bitset::insert(out, *component));
        }
    }

    /// Adds the objects of operations.
    fn add_objects(&self, state: &[u8], operations: &[u64], out: &mut [u64]) {
        for operation in bitset::iter(operations) {
            match self.instances.alphabet.object(operation) {
                Object::Variable(number) => {
                    if let Some(component) = self.variables.get(&number) {
                        bitset::insert(out, *component);
                    }
                }
                Object::Channel(number) => {
                    let layout = View::outside(self.program, state).numbered(crate::narrow::value(number));
                    let is_last = number + 1 == self.channels.len();
                    let holds = is_last || layout.is_none_or(|channel| channel.layout.capacity > 0);
                    if let Some(component) = self.channels[number].filter(|_| holds) {
                        bitset::insert(out, component);
                    }
                }
                Object::Table => bitset::insert(out, self.table),
                Object::Inside(proctype) => {
                    let all = Processes::new(self.program, state);
                    for process in all.filter(|p| p.proctype.0 as usize == proctype) {
                        bitset::insert(out, self.process(process.pid as usize));
                    }
                }
                Object::Nothing => {}
            }
        }
    }
}

/// Whether the indices that an edge uses may change while it is executed.
pub(super) fn changes_indices(edge: &Edge) -> bool {
    match &edge.action {
        Action::DStep(_) => true,
        Action::Receive { patterns, .. } => {
            let indexed = |p: &PatternNode| matches!(p, PatternNode::Store(target) if !target.indices.is_empty());
            patterns.iter().any(indexed)
        }
        _ => false,
    }
}

/// The number that the alphabet gives to the variable that begins at a byte.
fn number(alphabet: &Alphabet, at: usize) -> usize {
    alphabet.variable_number(at)
}

/// The first bytes of all places that a target with indices may be.
pub(super) fn elements(target: &Target) -> Vec<usize> {
    let add = |starts: Vec<usize>, index: &Index| {
        let each = |at: &usize| {
            (0..index.length as usize)
                .map(|k| at + k * index.stride)
                .collect::<Vec<_>>()
        };
        starts.iter().flat_map(each).collect()
    };
    target.indices.iter().fold(vec![target.at], add)
}
