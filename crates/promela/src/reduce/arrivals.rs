//! How a process arrives at an edge that is not where it is: the third rule of [stubborn sets](super::stubborn).
//!
//! The process has to take edges that [enter](super::flow) the location of the edge, and before these, others, back to where it
//! is now. Some of the edges on the way may be impossible in this state for a [lasting](super::obstacles) reason, whatever
//! the process does meanwhile. They are *cuts*: the process does not get past one before somebody has performed an
//! operation that removes the reason. So if every way back from the edge ends at a cut or at a current edge, the
//! current edges that were found, and for each cut the edges that lead to such operations, are a necessary enabling set (thesis,
//! Def. 4.14, step 2.a of Algorithms 3 and 4). All current edges from which the edge can be reached are another one.
//!
//! Behind a cut there may be a cheaper one. So the first walk back goes past the cuts whose reasons cannot be removed by what the
//! set contains; only if it leads to an executable edge, the next walks stop at others.
//!
//! Where no edge on a way back can be a cut, whatever the state, the walk fails at once if the current edge at the end of the way is executable
//! and not in the set. So such an edge is *forced* into every set with the edge that the way leads to ([`Flow::forced`](super::flow::Flow::forced)), and
//! a set that has no room for it is given up without a walk.
//!
//! An edge of a rendezvous is a cut if no process is at an edge that could be its partner. What removes the reason then are the
//! edges by which partners arrive, or are started.

use super::inquiry::{Answer, Fill, Inquiry, Notes, Question};
use super::instance::Instances;
use super::knowledge::Knowledge;
use super::obstacles::{is_lasting, lasting_obstacles};
use super::operations::ChannelOp;
use super::rules::{Found, Kind};
use super::stubborn::{Process, StubbornSets};
use super::total::Settled;
use crate::ir::{Action, Automaton, Edge, Node, Program};
use mazurka_core::bitset;

/// What a set has to contain besides if a cut is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    Nothing,
    NothingExecutable,
    Any,
}

/// Scratch space for walking back from edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    /// The edges to arrive at.
    goals: Vec<u64>,
    /// The edges that were visited, and those that are to be.
    seen: Vec<u64>,
    todo: Vec<usize>,
    cuts: Vec<(usize, Found)>,
    /// The edges to add to the set, in two ways.
    found: Vec<u64>,
    over_cuts: Vec<u64>,
}

impl StubbornSets<'_> {
    /// Whether there are edges of a process that were not looked at.
    #[inline]
    pub(super) fn has_pending(&self, process: usize) -> bool {
        let own = &self.processes[process];
        !bitset::is_empty(&self.closure.pending[own.word..own.word + own.words])
    }

    /// Adds to the set what a process needs to arrive at the edges that were not looked at. Returns whether there is room
    /// for what is executable.
    pub(super) fn arrive(&mut self, state: &[u8], process: usize) -> bool {
        let mut walk = std::mem::take(&mut self.walk);
        let own = self.processes[process];
        let block = own.word..own.word + own.words;
        walk.goals.clear();
        walk.goals.extend_from_slice(&self.closure.pending[block.clone()]);
        self.closure.pending[block].fill(0);
        walk.found.clear();
        walk.found.resize(self.closure.row, 0);
        let leaving = self.add_leading(process, &walk.goals, &mut walk.found);
        let flow = self.instances.flows[own.proctype].as_ref();
        let may_cut = flow.is_some_and(|flow| bitset::intersects(flow.cuttable(), &walk.goals));
        if leaving > 0 && may_cut {
            // What stops at fewer cuts leads at least as far.
            let may_help = self.walk_back(state, process, Cost::Any, &mut walk);
            let costs = [Cost::Nothing, Cost::NothingExecutable, Cost::Any];
            let mut walks = costs.into_iter().filter(|_| may_help);
            if walks.any(|most| self.walk_back(state, process, most, &mut walk)) {
                self.add_cuts(process, leaving, &mut walk);
            }
        }
        let fits = self.closure.add(&walk.found);
        self.walk = walk;
        fits
    }

    /// Adds the current edges of a process that are not in a set and lead to one of the goals. Returns how many of them are executable.
    fn add_leading(&self, process: usize, goals: &[u64], out: &mut [u64]) -> u32 {
        let own = &self.processes[process];
        let flow = self.instances.flows[own.proctype].as_ref();
        let flow = flow.expect("other sets have current edges only");
        let graph = &self.program.automata[own.proctype].graph;
        let mut executable = 0;
        for k in own.first..own.end {
            let edge = self.current[k].edge;
            let is_new = !bitset::contains(&self.closure.set, own.bit(edge));
            if is_new && bitset::intersects(flow.reach(graph.edges[edge].to), goals) {
                bitset::insert(out, own.bit(edge));
                executable += u32::from(self.current[k].executable);
            }
        }
        executable
    }

    /// Walks back from the goals to cuts that cost at most so much. Returns `false` if that leads to a current edge that is
    /// executable and not in the set.
    fn walk_back(&mut self, state: &[u8], process: usize, most: Cost, walk: &mut Walk) -> bool {
        let own = self.processes[process];
        walk.seen.clear();
        walk.seen.extend_from_slice(&walk.goals);
        walk.todo.clear();
        walk.todo.extend(bitset::iter(&walk.goals));
        walk.cuts.clear();
        while let Some(edge) = walk.todo.pop() {
            let cut = self.cut(state, process, edge);
            let rows = self.rules.rows(own.bit(edge), cut);
            if !rows.is_empty() && (most == Cost::Any || self.cost(rows) <= most) {
                walk.cuts.push((edge, cut));
                continue;
            }
            let flow = self.instances.flows[own.proctype].as_ref();
            let flow = flow.expect("it has goals");
            let reach = flow.reach(own.location);
            for before in flow.entering(edge).iter().map(|before| *before as usize) {
                if !bitset::contains(reach, before) || bitset::contains(&walk.seen, before) {
                    continue;
                }
                let bit = own.bit(before);
                if bitset::contains(&self.closure.executable, bit) && !bitset::contains(&self.closure.set, bit) {
                    return false;
                }
                bitset::insert(&mut walk.seen, before);
                if !self.is_here(process, before) {
                    walk.todo.push(before);
                }
            }
        }
        true
    }

    /// What the set has to contain besides if a cut with these alternatives is used.
    fn cost(&self, rows: &[u64]) -> Cost {
        let (at, executable) = self.closure.cheapest(rows);
        match executable {
            0 if self.closure.has_all(&rows[at..at + self.closure.row]) => Cost::Nothing,
            0 => Cost::NothingExecutable,
            _ => Cost::Any,
        }
    }

    /// Whether an edge is a current one of its process.
    fn is_here(&self, process: usize, edge: usize) -> bool {
        let own = &self.processes[process];
        let edges = own.end - own.first;
        edges > 0 && edge.wrapping_sub(self.current[own.first].edge) < edges
    }

    /// Replaces what was found by the way over the cuts, if that adds fewer than `leaving` executable edges.
    fn add_cuts(&self, process: usize, leaving: u32, walk: &mut Walk) {
        let own = self.processes[process];
        let row = &mut walk.over_cuts;
        row.clear();
        row.resize(self.closure.row, 0);
        let mut cost = 0;
        for edge in bitset::iter(&walk.seen).filter(|edge| self.is_here(process, *edge)) {
            bitset::insert(row, own.bit(edge));
        }
        for (edge, cut) in &walk.cuts {
            let rows = self.rules.rows(own.bit(*edge), *cut);
            let (at, new) = self.closure.cheapest(rows);
            cost += new;
            bitset::union(row, &rows[at..at + self.closure.row]);
        }
        if cost < leaving {
            std::mem::swap(row, &mut walk.found);
        }
    }

    /// What removes a lasting reason why an edge that is not current is impossible. There are no alternatives if there is no reason.
    fn cut(&mut self, state: &[u8], process: usize, edge: usize) -> Found {
        let own = self.processes[process];
        let bit = own.bit(edge);
        let flow = self.instances.flows[own.proctype].as_ref();
        if !flow.is_some_and(|flow| flow.may_cut(edge)) {
            return Found::Here;
        }
        if let Some(found) = self.known_rule(state, bit, Kind::Cut) {
            return found;
        }
        let notes = Notes::default();
        let mut rows = self.rules.room(bit);
        let [mut operations, other] = std::mem::take(&mut self.operations);
        let automaton = &self.program.automata[own.proctype];
        let inquiry = self.inquiry(state, process, &notes);
        let mut reasons = Vec::new();
        lasting_obstacles(&inquiry, automaton, &automaton.graph.edges[edge], &mut reasons);
        for reason in &reasons {
            self.add_removers(inquiry, reason, &mut operations, None, &mut rows);
        }
        if let Some((channel, operation)) = self.partners(inquiry, automaton, &automaton.graph.edges[edge]) {
            let at = rows.len();
            self.add_arrivals(process, operation, &notes, &mut rows);
            if at < rows.len() {
                // It may come to be another channel.
                operations.fill(0);
                let now = Knowledge::Now(inquiry);
                self.instances.accesses(now, &mut operations).could_change(channel);
                self.leading_to(&operations, [usize::MAX; 2], &mut rows[at..]);
            }
        }
        self.operations = [operations, other];
        self.learn((process, bit), Kind::Cut, Some(rows), &notes)
    }

    /// Keeps a rule.
    pub(super) fn learn(&mut self, at: (usize, usize), kind: Kind, rows: Option<Vec<u64>>, notes: &Notes) -> Found {
        let (processes, flows, row) = (&self.processes, &self.instances.flows, self.closure.row);
        let forced = |rows: &[u64]| {
            let mut forced = rows.to_vec();
            for (rows, forced) in rows.chunks(row).zip(forced.chunks_mut(row)) {
                for own in processes {
                    let block = own.word..own.word + own.words;
                    if let Some(flow) = &flows[own.proctype] {
                        for edge in bitset::iter(&rows[block.clone()]) {
                            bitset::union(&mut forced[block.clone()], flow.forced(edge));
                        }
                    }
                }
            }
            forced
        };
        self.rules.learn(at, kind, rows, forced, notes)
    }

    /// The channel of an edge of a rendezvous, and the operation of the partners that it needs.
    fn partners<'e>(&self, inquiry: Inquiry<'_>, automaton: &Automaton, edge: &'e Edge) -> Option<(&'e Node, usize)> {
        let (channel, partner) = match &edge.action {
            Action::Send { channel, .. } => (channel, ChannelOp::Accept),
            Action::Receive {
                channel, copy: false, ..
            } => (channel, ChannelOp::Offer),
            _ => return None,
        };
        if !is_lasting(channel, automaton) || inquiry.channel(channel) != Fill::Rendezvous {
            return None;
        }
        let number = inquiry.value(channel)?;
        let layout = inquiry.view.channel(channel).ok()?.layout;
        if let Action::Send { message, .. } = &edge.action {
            // A message that cannot be evaluated or has another number of fields fails without a partner.
            let settled = Settled::Elsewhere(automaton);
            let is_total = message.iter().all(|value| settled.makes_total(&inquiry, value));
            if !is_total || message.len() != layout.fields.len() {
                return None;
            }
        }
        Some((channel, self.instances.alphabet.channel(number as usize, partner)))
    }

    /// Adds an alternative: the edges by which partners of a process arrive, if none is there. A process that is started
    /// may be one as well.
    fn add_arrivals(&self, process: usize, operation: usize, notes: &Notes, rows: &mut Vec<u64>) {
        if self.instances.flows.iter().any(Option::is_none) {
            return;
        }
        let is_present = is_present(self.program, &self.instances, &self.processes, process, operation);
        notes.add(|| Question::Present(operation), Answer::from(is_present));
        if is_present {
            return;
        }
        let at = rows.len();
        rows.resize(at + self.closure.row, 0);
        let row = &mut rows[at..];
        for (q, other) in self.processes.iter().enumerate() {
            let instance = self.instances.get(other.instance);
            let Some(flow) = &self.instances.flows[other.proctype] else {
                continue;
            };
            for edge in instance.leading_to(operation).iter().map(|edge| *edge as usize) {
                if q != process && bitset::contains(instance.does(edge), operation) {
                    let before = flow.entering(edge).iter().map(|before| *before as usize);
                    before.for_each(|before| bitset::insert(row, other.bit(before)));
                }
                if instance.starts_others(edge) {
                    bitset::insert(row, other.bit(edge));
                }
            }
        }
    }
}

/// Whether another process is at an edge that performs an operation.
pub(super) fn is_present(
    program: &Program,
    instances: &Instances<'_>,
    processes: &[Process],
    process: usize,
    operation: usize,
) -> bool {
    let mut others = processes.iter().enumerate().filter(|(q, _)| *q != process);
    others.any(|(_, other)| {
        let instance = instances.get(other.instance);
        let graph = &program.automata[other.proctype].graph;
        let mut here = graph.locations[other.location.index()].edges();
        here.any(|edge| bitset::contains(instance.does(edge), operation))
    })
}
