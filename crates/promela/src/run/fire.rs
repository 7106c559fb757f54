//! Executes steps: from a state to its successor.

use super::evaluate::ChannelRef;
use super::{Failure, Processes, Step, View};
use crate::RuntimeError;
use crate::compile::CHANNELS;
use crate::ir::{
    Action, COUNT, EXCLUSIVE, Edge, Event, Graph, LAST, LocationId, Node, PatternNode, Program, Run, Scope, Target,
};
use crate::narrow::{index, value};
use crate::runtime_error::LONGEST_D_STEP;

/// The greatest number of steps inside an `atomic` that make one transition.
pub(crate) const CHAIN: u32 = 1000;

/// A part of a transition that is about to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    /// A single step.
    Takes(Step),
    /// A process inside `atomic` cannot go on, and gives up exclusive control.
    Waits(u8),
}

impl Program {
    /// Replaces `state` by its successor after `step`. Inside `atomic`, the process goes on as long as it has
    /// only one step, up to `most` steps. Calls `taken` for every single step, also for one that fails.
    pub(crate) fn fire<'p>(
        &'p self,
        state: &mut Vec<u8>,
        step: Step,
        most: u32,
        mut taken: impl FnMut(Step, &'p Edge),
    ) -> Result<(), Failure> {
        self.fire_watched(state, step, most, &mut taken, &mut |_, _| {})
    }

    /// Does the same as [`Program::fire`], and calls `watch` with the state before each part.
    pub(crate) fn fire_watched<'p>(
        &'p self,
        state: &mut Vec<u8>,
        step: Step,
        most: u32,
        taken: &mut impl FnMut(Step, &'p Edge),
        watch: &mut impl FnMut(&[u8], Watched),
    ) -> Result<(), Failure> {
        let mut step = step;
        let mut ways = Vec::new();
        for _ in 0..most {
            watch(state, Watched::Takes(step));
            let exclusive = self.take(state, step, taken)?;
            let Some(pid) = exclusive else {
                state[EXCLUSIVE] = 0;
                return Ok(());
            };
            state[EXCLUSIVE] = pid + 1;
            let process = Processes::new(self, state).nth(pid as usize).expect("it is alive");
            ways.clear();
            self.steps_of(state, process, false, &mut ways);
            match ways[..] {
                [] => {
                    watch(state, Watched::Waits(pid));
                    state[EXCLUSIVE] = 0;
                    return Ok(());
                }
                [only] => step = only,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Takes one step. Returns the process that keeps exclusive control, if any.
    pub(crate) fn take<'p>(
        &'p self,
        state: &mut Vec<u8>,
        step: Step,
        taken: &mut impl FnMut(Step, &'p Edge),
    ) -> Result<Option<u8>, Failure> {
        let mut processes = Processes::new(self, state);
        let process = processes.nth(step.pid as usize).expect("it is alive");
        let (pid, at, automaton) = (process.pid, process.at, process.automaton);
        let edge = &automaton.graph.edges[step.edge as usize];
        taken(step, edge);
        if let Some(provided) = &automaton.provided {
            self.view(state, process, true).holds(provided)?;
        }
        if step.has_partner() {
            let partner = Processes::new(self, state)
                .nth(step.partner as usize)
                .expect("it is alive");
            let partner_edge = &partner.automaton.graph.edges[step.partner_edge as usize];
            taken(step, partner_edge);
            return self.hand_over(state, step, edge, at);
        }
        if let Action::End = edge.action {
            state.truncate(at);
            state[COUNT] -= 1;
            self.mark_last(state, pid);
            return Ok(None);
        }
        if let Some(run) = &edge.run {
            self.execute_run(state, pid, at, edge, run)?;
        } else if let Action::DStep(inner) = &edge.action {
            self.d_step(state, pid, at + automaton.frame, inner, inner.start)?;
        } else if !edge.only_waits {
            self.execute(state, pid, at + automaton.frame, false, &edge.action)?;
        }
        arrive(state, at, automaton.frame, edge);
        self.mark_last(state, pid);
        Ok(edge.keeps.then_some(pid))
    }

    /// Sets `_last`, after the statement: while it is executed, `_last` is the process before.
    fn mark_last(&self, state: &mut [u8], pid: u8) {
        if self.features.last {
            state[LAST] = pid;
        }
    }

    /// Executes a rendezvous.
    fn hand_over(&self, state: &mut [u8], step: Step, edge: &Edge, at: usize) -> Result<Option<u8>, Failure> {
        let sender = Processes::new(self, state).nth(step.pid as usize).expect("it is alive");
        let receiver = Processes::new(self, state)
            .nth(step.partner as usize)
            .expect("it is alive");
        let Action::Send { channel, message, .. } = &edge.action else {
            unreachable!("a rendezvous begins with a send");
        };
        let frame = receiver.frame();
        let (receiver_at, partner_edge) = (receiver.at, &receiver.automaton.graph.edges[step.partner_edge as usize]);
        let view = self.view(state, sender, false);
        let layout = view.channel(channel)?.layout;
        let (mut few, mut many) = ([0; FEW], Vec::new());
        let values = room_for(message.len(), &mut few, &mut many);
        for (k, node) in message.iter().enumerate() {
            let value = view.value(node)?;
            values[k] = layout.fields.get(k).map_or(value, |(_, scalar)| scalar.truncate(value));
        }
        let values = &*values;
        let number = view.value(channel)?;
        let partner = self.view(state, receiver, false);
        let receive = partner.reception(partner_edge, number, layout, |k| values[k])?;
        let receive = receive.expect("a rendezvous ends with a receive");
        if self.monitor.is_some() {
            for event in [Event::Send, Event::Receive] {
                self.watch(state, event, number, |_, k| values[k])?;
            }
        }
        arrive(state, at, sender.automaton.frame, edge);
        if let Action::Receive { patterns, .. } = &receive.action {
            self.store_fields(state, step.partner, frame, patterns, values)?;
        }
        // The rest of a `d_step` that begins with the receive.
        if let Action::DStep(inner) = &partner_edge.action {
            self.d_step(state, step.partner, frame, inner, receive.to)?;
        }
        arrive(state, receiver_at, frame - receiver_at, partner_edge);
        self.mark_last(state, step.partner);
        Ok(partner_edge.keeps.then_some(step.partner))
    }

    /// Stores a message that was received.
    fn store_fields(
        &self,
        state: &mut [u8],
        pid: u8,
        frame: usize,
        patterns: &[PatternNode],
        values: &[i32],
    ) -> Result<(), RuntimeError> {
        for (pattern, value) in patterns.iter().zip(values) {
            if let PatternNode::Store(target) = pattern {
                self.assign(state, pid, frame, target, *value)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn assign(&self, state: &mut [u8], pid: u8, frame: usize, target: &Target, value: i32) -> Result<(), RuntimeError> {
        let at = self.look(state, pid, frame).address(target)?;
        if target.scope != Scope::Scratch {
            target.scalar.store(state, at, value);
        }
        Ok(())
    }

    #[inline]
    fn look<'p, 's>(&'p self, state: &'s [u8], pid: u8, frame: usize) -> View<'p, 's> {
        View {
            program: self,
            state,
            pid,
            frame,
            timeout: false,
        }
    }

    /// Executes the action of an edge, without moving the process. `timeout` says whether there is one, if that is known.
    pub(crate) fn execute(
        &self,
        state: &mut [u8],
        pid: u8,
        frame: usize,
        timeout: bool,
        action: &Action,
    ) -> Result<(), RuntimeError> {
        let mut view = self.look(state, pid, frame);
        view.timeout = timeout;
        match action {
            // Evaluated again, since a condition that fails is executable. If it does not hold, there is a timeout.
            Action::Condition(node) => {
                let value = match view.value(node)? {
                    0 => View { timeout: true, ..view }.value(node)?,
                    value => value,
                };
                debug_assert!(value != 0 || !matches!(node, Node::Constant(_)));
                if let Node::SetPriority(parts) = node {
                    let (process, priority) = (view.value(&parts.0)?, view.value(&parts.1)?);
                    self.set_priority(state, process, priority)?;
                }
            }
            Action::Else | Action::Skip => {}
            Action::Assign(target, node) => {
                let value = view.value(node)?;
                self.assign(state, pid, frame, target, value)?;
            }
            Action::Send {
                channel,
                message,
                sorted,
            } => self.send(state, (pid, frame), channel, message, *sorted)?,
            Action::Receive {
                channel,
                patterns,
                random,
                copy,
            } => self.receive(state, (pid, frame), channel, patterns, (*random, *copy))?,
            Action::Assert(node) => {
                let holds = view.holds(node)?;
                if !holds && self.asserts {
                    return Err(RuntimeError::Assertion);
                }
            }
            Action::DStep(inner) => self
                .d_step(state, pid, frame, inner, inner.start)
                .map_err(|failure| failure.error)?,
            Action::End => unreachable!("handled before"),
        }
        Ok(())
    }

    #[cold]
    fn set_priority(&self, state: &mut [u8], process: i32, priority: i32) -> Result<(), RuntimeError> {
        let number = usize::try_from(process).unwrap_or(usize::MAX);
        if let Some(process) = Processes::new(self, state).nth(number) {
            let at = process.at + 3;
            state[at] = u8::try_from(priority).map_err(|_| RuntimeError::Priority(priority))?;
        }
        Ok(())
    }

    /// Puts a message into a channel with a buffer.
    #[inline]
    fn send(
        &self,
        state: &mut [u8],
        (pid, frame): (u8, usize),
        node: &Node,
        message: &[Node],
        sorted: bool,
    ) -> Result<(), RuntimeError> {
        let channel = self.look(state, pid, frame).channel(node)?;
        if channel.layout.fields.len() != message.len() {
            return Err(RuntimeError::wrong_arity(channel.layout, message.len()));
        }
        let len = channel.len(state);
        if len == channel.layout.capacity {
            return self.lose(&self.look(state, pid, frame), channel, message);
        }
        // The new message is built in the first free slot, whose bytes are 0.
        let slot = channel.slot(len);
        for (node, (offset, scalar)) in message.iter().zip(&channel.layout.fields) {
            let value = self.look(state, pid, frame).value(node)?;
            scalar.store(state, slot + offset, value);
        }
        if self.monitor.is_some() {
            let number = self.look(state, pid, frame).value(node)?;
            self.watch(state, Event::Send, number, |state, k| channel.field(state, len, k))?;
        }
        if sorted {
            // As in SPIN, values are compared before they are truncated to the types of the fields.
            let view = self.look(state, pid, frame);
            let (mut few, mut many) = ([0; FEW], Vec::new());
            let values = room_for(message.len(), &mut few, &mut many);
            for (value, node) in values.iter_mut().zip(message) {
                *value = view.value(node)?;
            }
            sift(state, channel, len, values);
        }
        state[channel.at] += 1;
        Ok(())
    }

    /// Sends a message to a full channel, which loses it. Its values are evaluated all the same, since that may fail.
    fn lose(&self, view: &View<'_, '_>, channel: ChannelRef<'_>, message: &[Node]) -> Result<(), RuntimeError> {
        for node in message {
            view.value(node)?;
        }
        if channel.layout.capacity == 0 {
            return Err(RuntimeError::OfferInDStep);
        }
        debug_assert!(self.lossy, "a full channel blocks");
        Ok(())
    }

    /// Takes a message out of a channel with a buffer, or with `copy` leaves it there.
    #[inline]
    fn receive(
        &self,
        state: &mut [u8],
        (pid, frame): (u8, usize),
        node: &Node,
        patterns: &[PatternNode],
        (random, copy): (bool, bool),
    ) -> Result<(), RuntimeError> {
        let view = self.look(state, pid, frame);
        let channel = view.channel(node)?;
        if channel.layout.capacity == 0 {
            return Err(RuntimeError::Inspected);
        }
        let found = view.matching(channel, patterns, random)?;
        let k = found.expect("a message matches");
        if self.monitor.is_some() && !copy {
            let number = view.value(node)?;
            self.watch(state, Event::Receive, number, |state, field| {
                channel.field(state, k, field)
            })?;
        }
        // Addresses are computed one after the other, since a field may be an index of a later one.
        for (field, pattern) in patterns.iter().enumerate() {
            if let PatternNode::Store(target) = pattern {
                let value = channel.field(state, k, field);
                self.assign(state, pid, frame, target, value)?;
            }
        }
        if !copy {
            remove(state, channel, k);
        }
        Ok(())
    }

    /// Executes a `d_step` from one of its locations on.
    fn d_step(&self, state: &mut [u8], pid: u8, frame: usize, graph: &Graph, from: LocationId) -> Result<(), Failure> {
        let in_part = |part: usize| {
            move |error| Failure {
                error,
                part: Some(index(part)),
            }
        };
        let mut at = from;
        let mut timeout = false;
        for n in 0..LONGEST_D_STEP {
            let location = &graph.locations[at.index()];
            if location.is_end && location.edges().is_empty() {
                return Ok(());
            }
            let mut view = self.look(state, pid, frame);
            view.timeout = timeout;
            let stuck = in_part(graph.edges.len() + at.index());
            let mut edge = self.first_executable(&view, graph, location).map_err(stuck)?;
            if n == 0 && edge.is_none() && at == graph.start && self.features.timeout {
                // It can only have begun because of a timeout, which lasts until it ends.
                timeout = true;
                view.timeout = true;
                edge = self.first_executable(&view, graph, location).map_err(stuck)?;
            }
            let k = edge.ok_or(RuntimeError::BlockedInDStep).map_err(stuck)?;
            let edge = &graph.edges[k];
            if edge.run.is_some() {
                // Inside a `d_step` no process can be added to the state.
                return Err(stuck(RuntimeError::BlockedInDStep));
            }
            match &edge.action {
                // It holds: `first_executable` has just evaluated it.
                Action::Condition(node) if !matches!(node, Node::SetPriority(_)) => {}
                Action::Else | Action::Skip => {}
                Action::Assign(target, node) => {
                    let value = view.value(node).map_err(in_part(k))?;
                    self.assign(state, pid, frame, target, value).map_err(in_part(k))?;
                }
                action => self.execute(state, pid, frame, timeout, action).map_err(in_part(k))?,
            }
            at = edge.to;
        }
        Err(RuntimeError::EndlessDStep.into())
    }

    /// Executes an edge with `run`, and then adds the process.
    fn execute_run(&self, state: &mut Vec<u8>, pid: u8, at: usize, edge: &Edge, run: &Run) -> Result<(), RuntimeError> {
        let frame = at + self.automata[state[at] as usize].frame;
        let view = self.look(state, pid, frame);
        let started = view.value(&Node::Started)?;
        if started == 0 {
            return Err(RuntimeError::TooManyProcesses);
        }
        let mut arguments = Vec::with_capacity(run.arguments.len());
        for argument in &run.arguments {
            arguments.push(view.value(argument)?);
        }
        // The expression yields the number of the process before the process exists.
        match &edge.action {
            Action::Assign(target, node) => {
                let value = view.value(node)?;
                self.assign(state, pid, frame, target, value)?;
            }
            action => self.execute(state, pid, frame, false, action)?,
        }
        self.spawn(state, run.proctype.0 as usize, &arguments, run.priority)
    }

    /// Adds a process to the state.
    fn spawn(
        &self,
        state: &mut Vec<u8>,
        proctype: usize,
        arguments: &[i32],
        priority: Option<u8>,
    ) -> Result<(), RuntimeError> {
        let automaton = &self.automata[proctype];
        let at = state.len();
        let pid = state[COUNT];
        let first_channel = self.first_channel(state, pid);
        if first_channel + automaton.opens.len() > CHANNELS + 1 {
            return Err(RuntimeError::TooManyChannels);
        }
        state.resize(at + automaton.size, 0);
        state[COUNT] += 1;
        state[at] = u8::try_from(proctype).expect("there are at most 256 proctypes");
        state[at + 1..at + 3].copy_from_slice(&automaton.graph.start.0.to_le_bytes());
        if self.features.priority {
            state[at + 3] = priority.unwrap_or(automaton.priority);
        }
        let frame = at + automaton.frame;
        for (target, value) in automaton.parameters.iter().zip(arguments) {
            self.assign(state, pid, frame, target, *value)?;
        }
        for (k, target) in automaton.opens.iter().enumerate() {
            self.assign(state, pid, frame, target, value(first_channel + k))?;
        }
        for (target, node) in &automaton.initial {
            let value = self.look(state, pid, frame).value(node)?;
            self.assign(state, pid, frame, target, value)?;
        }
        Ok(())
    }

    /// Computes the initial state: global variables, channels, active processes.
    pub(crate) fn start(
        &mut self,
        opens: &[Target],
        values: &[(Target, Node)],
        active: &[u32],
    ) -> Result<(), RuntimeError> {
        let mut state = std::mem::take(&mut self.initial);
        for (k, target) in opens.iter().enumerate() {
            target.scalar.store(&mut state, target.at, value(k + 1));
        }
        for (target, node) in values {
            let value = self.look(&state, 0, 0).value(node)?;
            self.assign(&mut state, 0, 0, target, value)?;
        }
        for (proctype, count) in active.iter().enumerate() {
            for _ in 0..*count {
                if state[COUNT] == u8::MAX {
                    return Err(RuntimeError::TooManyProcesses);
                }
                self.spawn(&mut state, proctype, &[], None)?;
            }
        }
        self.initial = state;
        Ok(())
    }
}

/// Messages with more fields than this need memory of their own while they are on the way.
const FEW: usize = 8;

/// Room for the values of a message.
#[inline]
fn room_for<'a>(fields: usize, few: &'a mut [i32; FEW], many: &'a mut Vec<i32>) -> &'a mut [i32] {
    if let Some(room) = few.get_mut(..fields) {
        return room;
    }
    many.resize(fields, 0);
    many
}

/// Moves the process whose record begins at `at` to where an edge leads.
#[inline]
fn arrive(state: &mut [u8], at: usize, frame: usize, edge: &Edge) {
    state[at + 1..at + 3].copy_from_slice(&edge.to.0.to_le_bytes());
    for (from, to) in &edge.resets {
        state[at + frame + *from as usize..at + frame + *to as usize].fill(0);
    }
}

/// Moves the message in slot `last` behind the first messages that are not larger than
/// `values`, comparing fields in order.
fn sift(state: &mut [u8], channel: ChannelRef<'_>, last: usize, values: &[i32]) {
    let queued = |k: usize| (0..values.len()).map(move |field| (k, field));
    let not_larger = |k: &usize| {
        let fields = queued(*k).map(|(k, field)| channel.field(state, k, field));
        values.iter().copied().cmp(fields).is_ge()
    };
    let k = (0..last).take_while(not_larger).count();
    let (from, to) = (channel.slot(k), channel.slot(last + 1));
    state[from..to].rotate_right(channel.layout.slot);
}

/// Takes the message out of slot `k`.
fn remove(state: &mut [u8], channel: ChannelRef<'_>, k: usize) {
    let len = channel.len(state);
    let (from, to) = (channel.slot(k), channel.slot(len));
    state[from..to].rotate_left(channel.layout.slot);
    state[to - channel.layout.slot..to].fill(0);
    state[channel.at] -= 1;
}
