//! The operations that steps perform on shared objects.
//!
//! This is the only place that knows which operations an expression or an edge performs. Unknown values ([`Knowledge`])
//! are over-approximated: an unknown index stands for every element, an unknown channel for every channel.

use super::knowledge::Knowledge;
use super::operations::{ADD, AND, Alphabet, ChannelOp, OR, READ, TableOp, WRITE, XOR};
use crate::ir::{Action, Edge, Event, Graph, Location, Node, PatternNode, Program, Scope, Target};
use crate::model::{Binary, Unary};
use mazurka_core::bitset;

/// Collects operations.
pub(super) struct Accesses<'a> {
    pub(super) alphabet: &'a Alphabet,
    pub(super) program: &'a Program,
    /// Global variables that nothing assigns, by byte.
    pub(super) constant: &'a [bool],
    /// For each proctype, the locals that belong to the kind of a process.
    pub(super) steering: &'a [Vec<(usize, usize)>],
    /// For each proctype, whether the number of a process does not belong to its kind.
    pub(super) is_anonymous: &'a [bool],
    pub(super) knowledge: Knowledge<'a>,
    /// The operations collected so far.
    pub(super) does: &'a mut [u64],
    /// Whether some index or channel was not known.
    pub(super) vague: bool,
}

impl Accesses<'_> {
    fn add(&mut self, operation: usize) {
        bitset::insert(self.does, operation);
    }

    /// Adds an operation on the list of processes.
    pub(super) fn table(&mut self, op: TableOp) {
        self.add(self.alphabet.table(op));
    }

    /// Adds `op`, a read or write, on a place, and the reads of its indices.
    fn target(&mut self, target: &Target, op: usize) {
        for index in &target.indices {
            self.value(&index.value);
        }
        if target.scope != Scope::Global {
            return;
        }
        let mut at = target.at;
        let mut exact = true;
        for index in &target.indices {
            match self.known(&index.value) {
                Some(value) if (0..index.length).contains(&value) => at += value as usize * index.stride,
                // The step fails without touching an element.
                Some(_) => return,
                None => exact = false,
            }
        }
        if exact {
            self.add(self.alphabet.variable(at, op));
            return;
        }
        self.vague = true;
        let cell = self.program.cell_at(target.at).expect("a global variable");
        for byte in cell.bytes() {
            self.add(self.alphabet.variable(byte, op));
        }
    }

    /// Adds the operations of evaluating an expression.
    pub(super) fn value(&mut self, node: &Node) {
        match node {
            Node::Constant(_) | Node::Pid | Node::Started | Node::OutOfRange { .. } => {}
            Node::Load(target) => self.target(target, READ),
            Node::Unary(_, operand) => self.value(operand),
            Node::Binary(_, operands) => {
                self.value(&operands.0);
                self.value(&operands.1);
            }
            Node::Linear(linear) => {
                for term in &linear.terms {
                    self.target(&term.target, READ);
                }
            }
            Node::Conditional(parts) => {
                self.value(&parts.0);
                self.value(&parts.1);
                self.value(&parts.2);
            }
            Node::Len(channel) | Node::Poll(_, channel) => self.channel(channel, ChannelOp::Look, None),
            Node::CanReceive { channel, patterns, .. } => {
                self.channel(channel, ChannelOp::Look, None);
                self.patterns(patterns, false);
            }
            Node::ProcessCount => self.add(self.alphabet.table(TableOp::Count)),
            Node::AtLabel { proctype, process, .. } => {
                self.remote(proctype.0 as usize, process.as_deref());
            }
            Node::Remote {
                proctype,
                process,
                target,
            } => {
                self.remote(proctype.0 as usize, process.as_deref());
                for index in &target.indices {
                    self.value(&index.value);
                }
            }
            Node::NonProgress => self.whereabouts(|location| location.is_progress),
            Node::Accepting => self.whereabouts(|location| location.is_accept),
            // Models that use `_last` in processes are not reduced. `timeout` is different:
            // see `stubborn.rs`.
            Node::Timeout | Node::Last => {}
            Node::Enabled(process) | Node::GetPriority(process) => {
                self.value(process);
            }
            Node::SetPriority(parts) => {
                self.value(&parts.0);
                self.value(&parts.1);
            }
        }
    }

    /// Adds the operations of finding out whether some process is at a marked location.
    fn whereabouts(&mut self, is_marked: impl Fn(&Location) -> bool) {
        self.add(self.alphabet.table(TableOp::Count));
        for (k, automaton) in self.program.automata.iter().enumerate() {
            if automaton.graph.locations.iter().any(&is_marked) {
                self.add(self.alphabet.inside(k, READ));
            }
        }
    }

    fn remote(&mut self, proctype: usize, process: Option<&Node>) {
        if let Some(process) = process {
            self.value(process);
        }
        // Which process has this number, and whether there is one, may change.
        self.add(self.alphabet.table(TableOp::Count));
        self.add(self.alphabet.inside(proctype, READ));
    }

    /// Adds the operations of a condition that must hold for a step, or must not. Operations that cannot change that do not
    /// conflict with it.
    pub(super) fn condition(&mut self, node: &Node, holds: bool) {
        match node {
            Node::Binary(Binary::And, operands) if holds => {
                self.condition(&operands.0, true);
                self.condition(&operands.1, true);
            }
            Node::Binary(Binary::Or, operands) if !holds => {
                self.condition(&operands.0, false);
                self.condition(&operands.1, false);
            }
            Node::Unary(Unary::Not, inner) => self.condition(inner, !holds),
            _ => match self.length_test(node, holds) {
                Some(test) => self.channel(test.channel, test.op, None),
                None => self.value(node),
            },
        }
    }

    /// Adds `op` on the channel that an expression names. On a rendezvous channel the operation is
    /// `rendezvous` instead, or none.
    fn channel(&mut self, node: &Node, op: ChannelOp, rendezvous: Option<ChannelOp>) {
        self.value(node);
        let is_rendezvous = |number: usize| self.program.channels.get(number - 1).map(|c| c.capacity == 0);
        let mut found = Vec::new();
        match self.known(node) {
            Some(number) if number > 0 => found.push(number as usize),
            Some(_) => {}
            None => {
                self.vague = true;
                found.extend(self.alphabet.channels());
            }
        }
        for number in found {
            // Whether a process's own channel is a rendezvous channel is not known.
            let rendezvous_here = is_rendezvous(number);
            if rendezvous_here != Some(true) {
                self.add(self.alphabet.channel(number, op));
            }
            if rendezvous_here != Some(false)
                && let Some(op) = rendezvous
            {
                self.add(self.alphabet.channel(number, op));
            }
        }
    }

    /// Adds the step of the trace assertion, if it may be about this event.
    fn watched(&mut self, channel: &Node, event: Event) {
        let Some(monitor) = self.program.monitor.as_ref().filter(|_| self.program.asserts) else {
            return;
        };
        let number = self.known(channel);
        let is_another = |node: &Node| matches!((number, self.known(node)), (Some(here), Some(there)) if here != there);
        if monitor.channels(event).all(is_another) {
            return;
        }
        self.add(self.alphabet.variable(monitor.at, WRITE));
        // The trace assertion compares messages with these values.
        for edge in &monitor.graph.edges {
            match &edge.action {
                Action::Send { channel, message, .. } => {
                    self.value(channel);
                    message.iter().for_each(|value| self.value(value));
                }
                Action::Receive { channel, patterns, .. } => {
                    self.value(channel);
                    self.patterns(patterns, false);
                }
                _ => {}
            }
        }
    }

    fn patterns(&mut self, patterns: &[PatternNode], stores: bool) {
        for pattern in patterns {
            match pattern {
                PatternNode::Match(value) => self.value(value),
                PatternNode::Store(target) if stores => self.target(target, WRITE),
                PatternNode::Store(_) | PatternNode::Any => {}
            }
        }
    }

    /// Adds the operations of an edge.
    pub(super) fn edge(&mut self, edge: &Edge, graph: &Graph) {
        for inhibitor in &edge.inhibitors {
            self.refusal(&graph.edges[*inhibitor as usize]);
        }
        if let Some(run) = &edge.run {
            self.add(self.alphabet.table(TableOp::Run));
            for argument in &run.arguments {
                self.value(argument);
            }
            self.add(self.alphabet.inside(run.proctype.0 as usize, WRITE));
            self.start(run.proctype.0 as usize);
        }
        match &edge.action {
            Action::Condition(node) => self.condition(node, true),
            Action::Else | Action::Skip => {}
            Action::Assign(target, value) => self.assignment(target, value),
            Action::Send {
                channel,
                message,
                sorted,
            } => self.send(channel, message, *sorted),
            Action::Receive {
                channel,
                patterns,
                random,
                copy,
            } => self.receive(channel, patterns, receive_op(*random, *copy)),
            Action::Assert(node) => self.value(node),
            Action::End => self.add(self.alphabet.table(TableOp::End)),
            Action::DStep(inner) => {
                for edge in &inner.edges {
                    self.edge(edge, inner);
                    // If the edge is not executable, that is an error, which touches the same objects.
                    if edge.midway && !self.alphabet.is_touching() {
                        self.absence(edge);
                    }
                }
            }
        }
    }

    /// Adds the operations of an assignment. Additions to one variable commute, and so do bitwise operations of one kind.
    fn assignment(&mut self, target: &Target, value: &Node) {
        if let Node::Binary(operator, operands) = value {
            let is_old = |node: &Node| matches!(node, Node::Load(place) if place == target);
            let (op, commutes) = match operator {
                Binary::Add => (ADD, true),
                Binary::Subtract => (ADD, false),
                Binary::BitOr => (OR, true),
                Binary::BitAnd => (AND, true),
                Binary::BitXor => (XOR, true),
                _ => (WRITE, false),
            };
            let by = match (is_old(&operands.0), is_old(&operands.1)) {
                (true, false) => Some(&operands.1),
                (false, true) if commutes => Some(&operands.0),
                _ => None,
            };
            if let Some(by) = by
                && op != WRITE
            {
                self.value(by);
                self.target(target, op);
                return;
            }
        }
        self.value(value);
        self.target(target, WRITE);
    }

    fn send(&mut self, channel: &Node, message: &[Node], sorted: bool) {
        self.channel(channel, send_op(sorted), Some(ChannelOp::Offer));
        self.watched(channel, Event::Send);
        for value in message {
            self.value(value);
        }
    }

    /// Removes the test that a send or a receive cannot make false while the channel has room, or messages, to spare.
    pub(super) fn spare(&mut self, edge: &Edge) {
        let Some((channel, op)) = used_channel(edge) else {
            return;
        };
        if self.alphabet.is_touching() {
            return;
        }
        if let (Some(number), Some(test)) = (self.known(channel), op.harmless_to())
            && number > 0
        {
            bitset::remove(self.does, self.alphabet.channel(number as usize, test));
        }
    }

    fn receive(&mut self, channel: &Node, patterns: &[PatternNode], op: ChannelOp) {
        self.channel(channel, op, Some(ChannelOp::Accept));
        if op != ChannelOp::Copy {
            self.watched(channel, Event::Receive);
        }
        self.patterns(patterns, true);
    }

    /// Adds the operations of computing the initial values of a new process, of which nothing is known.
    fn start(&mut self, proctype: usize) {
        let mut starting = self.of_anybody();
        for (_, value) in &starting.program.automata[proctype].initial {
            starting.value(value);
        }
    }

    /// Adds the reads that decide, besides its location, whether a process accepts a message in a rendezvous.
    fn readiness(&mut self, graph: &Graph) {
        let mut ready = self.of_anybody();
        for edge in &graph.edges {
            match &edge.action {
                Action::Receive { channel, patterns, .. } => {
                    ready.value(channel);
                    ready.patterns(patterns, false);
                }
                Action::DStep(inner) => ready.readiness(inner),
                _ => {}
            }
        }
    }

    /// Collects into the same set, for a process of which nothing is known.
    pub(super) fn of_anybody(&mut self) -> Accesses<'_> {
        Accesses {
            alphabet: self.alphabet,
            program: self.program,
            constant: self.constant,
            steering: self.steering,
            is_anonymous: self.is_anonymous,
            knowledge: Knowledge::Nothing,
            does: self.does,
            vague: false,
        }
    }

    /// Adds the operations of an edge that must not be executable for a step. Operations that cannot make it
    /// executable do not conflict with that.
    fn refusal(&mut self, edge: &Edge) {
        match &edge.action {
            Action::Condition(node) if edge.run.is_none() => self.condition(node, false),
            _ => self.absence(edge),
        }
    }

    /// Adds the operations of finding out whether an edge is executable.
    pub(super) fn absence(&mut self, edge: &Edge) {
        match &edge.action {
            Action::Condition(node) => self.value(node),
            Action::Send { channel, message, .. } => {
                self.channel(channel, ChannelOp::Look, Some(ChannelOp::Offer));
                message.iter().for_each(|value| self.value(value));
                // Whether a partner is ready depends on its location and on what it compares the message with.
                let number = self.known(channel).and_then(|number| usize::try_from(number - 1).ok());
                let layout = number.and_then(|number| self.program.channels.get(number));
                let is_buffered = layout.is_some_and(|layout| layout.capacity > 0);
                // For snapshots, all channels count as the same here.
                if self.program.has_rendezvous() && (!is_buffered || self.alphabet.is_touching()) {
                    for (k, automaton) in self.program.automata.iter().enumerate() {
                        if automaton.graph.edges.iter().any(may_receive) {
                            self.add(self.alphabet.inside(k, READ));
                            self.readiness(&automaton.graph);
                        }
                    }
                }
            }
            Action::Receive { channel, patterns, .. } => {
                self.channel(channel, ChannelOp::Look, None);
                self.patterns(patterns, false);
            }
            Action::DStep(inner) => {
                for edge in inner.at(inner.start) {
                    self.absence(edge);
                }
            }
            Action::End => self.add(self.alphabet.table(TableOp::Count)),
            Action::Else | Action::Skip | Action::Assign(..) | Action::Assert(_) => {}
        }
    }

    /// Adds the operations of others that could make a condition true, or false.
    pub(super) fn could_become(&mut self, node: &Node, holds: bool) {
        match node {
            // One of the two has to change.
            Node::Binary(Binary::And | Binary::Or, operands) => {
                self.could_become(&operands.0, holds);
                self.could_become(&operands.1, holds);
            }
            Node::Unary(Unary::Not, inner) => self.could_become(inner, !holds),
            _ => match self.length_test(node, holds) {
                Some(test) => {
                    self.could_change(test.channel);
                    let ops = match test.op {
                        ChannelOp::TestNotEmpty | ChannelOp::TestAtLeast => [ChannelOp::Send, ChannelOp::SendSorted],
                        _ => [ChannelOp::Receive, ChannelOp::ReceiveAny],
                    };
                    ops.into_iter().for_each(|op| self.operation_on(test.channel, op));
                }
                None => self.could_change(node),
            },
        }
    }

    /// Adds the operations of others that could change the value of an expression: those that conflict
    /// with evaluating it.
    pub(super) fn could_change(&mut self, node: &Node) {
        let mut reads = vec![0; self.does.len()];
        let mut reading = Accesses {
            alphabet: self.alphabet,
            program: self.program,
            constant: self.constant,
            steering: self.steering,
            is_anonymous: self.is_anonymous,
            knowledge: self.knowledge,
            does: &mut reads,
            vague: false,
        };
        reading.value(node);
        self.alphabet.add_conflicts(&reads, self.does);
    }

    /// Adds one operation on the channel that an expression names.
    pub(super) fn operation_on(&mut self, channel: &Node, op: ChannelOp) {
        match self.known(channel) {
            Some(number) if number > 0 => self.add(self.alphabet.channel(number as usize, op)),
            Some(_) => {}
            None => {
                for number in self.alphabet.channels() {
                    self.add(self.alphabet.channel(number, op));
                }
            }
        }
    }
}

fn may_receive(edge: &Edge) -> bool {
    match &edge.action {
        Action::Receive { .. } => true,
        Action::DStep(inner) => inner.edges.iter().any(may_receive),
        _ => false,
    }
}

fn send_op(sorted: bool) -> ChannelOp {
    match sorted {
        true => ChannelOp::SendSorted,
        false => ChannelOp::Send,
    }
}

fn receive_op(random: bool, copy: bool) -> ChannelOp {
    match (copy, random) {
        (true, _) => ChannelOp::Copy,
        (false, true) => ChannelOp::ReceiveAny,
        (false, false) => ChannelOp::Receive,
    }
}

/// The channel that an edge sends to or receives from, if its transition does nothing else to channels.
pub(super) fn used_channel(edge: &Edge) -> Option<(&Node, ChannelOp)> {
    match &edge.action {
        _ if edge.keeps || edge.run.is_some() => None,
        Action::Send { channel, sorted, .. } => Some((channel, send_op(*sorted))),
        Action::Receive {
            channel, random, copy, ..
        } => Some((channel, receive_op(*random, *copy))),
        _ => None,
    }
}
