//! Executes the compiled form: which steps are executable, and where they lead.
//!
//! The semantics is SPIN's. A process that takes a step inside `atomic` keeps exclusive
//! control as long as it can go on. In a rendezvous, control goes to the receiver. As long as the process has
//! only one step, [`Program::fire`] takes it at once, so the states inside
//! an `atomic` are seen only where it branches.

mod evaluate;
mod exclusive;
mod fire;
mod monitor;
mod process;

pub(crate) use evaluate::View;
pub(crate) use exclusive::Broken;
pub(crate) use fire::{CHAIN, Watched};
pub(crate) use process::{ProcessRef, Processes};

use crate::RuntimeError;
use crate::ir::{Action, COUNT, ChannelLayout, EXCLUSIVE, Edge, Graph, Location, Node, Program};

/// A transition: a process takes an edge, perhaps together with a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    /// The process.
    pub(crate) pid: u8,
    /// The receiver of a rendezvous, or [`Step::ALONE`].
    pub(crate) partner: u8,
    /// An edge of the automaton of the process.
    pub(crate) edge: u16,
    /// An edge of the automaton of the partner.
    pub(crate) partner_edge: u16,
}

impl Step {
    /// There is no partner.
    pub(crate) const ALONE: u8 = u8::MAX;

    #[inline]
    pub(crate) fn alone(pid: u8, edge: usize) -> Self {
        Self {
            pid,
            partner: Self::ALONE,
            edge: Self::edge(edge),
            partner_edge: 0,
        }
    }

    /// The number of an edge, as far as a step keeps it.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the compiler refuses graphs with more edges"
    )]
    fn edge(number: usize) -> u16 {
        debug_assert!(u16::try_from(number).is_ok());
        number as u16
    }

    #[inline]
    pub(crate) fn has_partner(self) -> bool {
        self.partner != Self::ALONE
    }
}

/// A step that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub(crate) struct Failure {
    pub(crate) error: RuntimeError,
    /// The part of a `d_step` that failed, if it was one.
    pub(crate) part: Option<u32>,
}

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Self {
        Self { error, part: None }
    }
}

impl RuntimeError {
    fn wrong_arity(layout: &ChannelLayout, used: usize) -> Self {
        Self::Arity {
            given: used,
            expected: layout.fields.len(),
        }
    }
}

impl Program {
    /// Appends all executable steps.
    pub(crate) fn steps(&self, state: &[u8], out: &mut Vec<Step>) {
        let exclusive = state[EXCLUSIVE];
        if exclusive != 0 {
            let pid = exclusive - 1;
            let process = Processes::new(self, state).nth(pid as usize);
            self.steps_of(state, process.expect("it is alive"), false, out);
            return;
        }
        for timeout in [false, true] {
            for process in Processes::new(self, state) {
                self.steps_of(state, process, timeout, out);
            }
            if !out.is_empty() || !self.features.timeout {
                return;
            }
        }
    }

    /// Appends the executable steps of a process.
    #[inline]
    pub(crate) fn steps_of(&self, state: &[u8], process: ProcessRef<'_>, timeout: bool, out: &mut Vec<Step>) {
        let view = self.view(state, process, timeout);
        let edges = process.location(state).edges();
        match self.may_move(&view, process) {
            Ok(true) => {}
            Ok(false) => return,
            // The step counts as executable, and its execution reports the failure.
            Err(_) => return out.extend(edges.take(1).map(|edge| Step::alone(process.pid, edge))),
        }
        let before = out.len();
        for k in edges {
            self.steps_of_edge(&view, process, k, before, out);
        }
    }

    /// Appends the executable steps of an edge of the location that a process is at. Those of the edges before it begin at
    /// `before`.
    #[inline]
    pub(crate) fn steps_of_edge(
        &self,
        view: &View<'_, '_>,
        process: ProcessRef<'_>,
        k: usize,
        before: usize,
        out: &mut Vec<Step>,
    ) {
        let graph = &process.automaton.graph;
        let edge = &graph.edges[k];
        if !edge.inhibitors.is_empty() {
            // The edges before an `else` were checked already.
            let is_else = matches!(edge.action, Action::Else);
            if is_else && out.len() > before {
                return;
            }
            let inhibits = |i: &u32| !(is_else && (*i as usize) < k) && self.can_start(view, graph, *i as usize);
            if edge.inhibitors.iter().any(inhibits) {
                return;
            }
        }
        match &edge.action {
            Action::Send { channel, message, .. } if self.is_rendezvous(view, channel) => {
                self.rendezvous(view, k, channel, message, out);
            }
            _ => {
                if self.can_start_alone(view, edge) {
                    out.push(Step::alone(process.pid, k));
                }
            }
        }
    }

    /// The executable step of a process whose edges are conditions, assignments and `else`, if there is exactly one.
    #[inline]
    pub(crate) fn only_step_of(&self, state: &[u8], process: ProcessRef<'_>) -> Option<Step> {
        let view = self.view(state, process, false);
        let graph = &process.automaton.graph;
        let mut only = None;
        for k in process.location(state).edges() {
            let edge = &graph.edges[k];
            let is_executable = match &edge.action {
                // It comes last, and the edges before it were checked.
                Action::Else => only.is_none(),
                Action::Condition(node) => view.holds(node) == Ok(true),
                _ => true,
            };
            if is_executable && only.replace(k).is_some() {
                return None;
            }
        }
        only.map(|k| Step::alone(process.pid, k))
    }

    pub(crate) fn view<'p, 's>(&'p self, state: &'s [u8], process: ProcessRef<'_>, timeout: bool) -> View<'p, 's> {
        View {
            program: self,
            state,
            pid: process.pid,
            frame: process.frame(),
            timeout,
        }
    }

    /// Whether a process may move if it can: its `provided` clause holds, and no process that
    /// can move has a higher priority.
    #[inline]
    fn may_move(&self, view: &View<'_, '_>, process: ProcessRef<'_>) -> Result<bool, RuntimeError> {
        if let Some(provided) = &process.automaton.provided
            && !view.holds(provided)?
        {
            return Ok(false);
        }
        if !self.features.priority {
            return Ok(true);
        }
        let priority = process.priority(view.state);
        let outranks = |other: ProcessRef<'_>| {
            let sees = self.view(view.state, other, view.timeout);
            let provided = other.automaton.provided.as_ref();
            other.priority(view.state) > priority
                && provided.is_none_or(|e| sees.holds(e) == Ok(true))
                && self.is_enabled(view.state, other, view.timeout).unwrap_or(true)
        };
        Ok(!Processes::new(self, view.state).any(outranks))
    }

    /// The value of `enabled(p)`: whether some statement of a process is executable. As in
    /// SPIN, a rendezvous send counts even without a receiver, and a rendezvous receive never counts.
    /// It is an error if the process evaluates `enabled` itself.
    pub(crate) fn is_enabled(
        &self,
        state: &[u8],
        process: ProcessRef<'_>,
        timeout: bool,
    ) -> Result<bool, RuntimeError> {
        let view = self.view(state, process, timeout);
        let edges = &process.automaton.graph.edges[process.location(state).edges()];
        let asks = |edge: &Edge| edge.mentions(&|node| matches!(node, Node::Enabled(_)));
        if self.features.introspection && edges.iter().any(asks) {
            return Err(RuntimeError::EnabledAsks(process.pid));
        }
        Ok(edges.iter().any(|edge| match &edge.action {
            Action::Send { channel, .. } if self.is_rendezvous(&view, channel) => true,
            _ => self.can_start_alone(&view, edge),
        }))
    }

    /// Whether an edge is executable, alone or with a partner. Its inhibitors are not checked.
    pub(crate) fn can_start(&self, view: &View<'_, '_>, graph: &Graph, edge: usize) -> bool {
        match &graph.edges[edge].action {
            Action::Send { channel, message, .. } if self.is_rendezvous(view, channel) => {
                let mut steps = Vec::new();
                self.rendezvous(view, edge, channel, message, &mut steps);
                !steps.is_empty()
            }
            _ => self.can_start_alone(view, &graph.edges[edge]),
        }
    }

    #[inline]
    pub(crate) fn is_rendezvous(&self, view: &View<'_, '_>, channel: &Node) -> bool {
        matches!(view.channel(channel), Ok(channel) if channel.layout.capacity == 0)
    }

    /// Whether an edge is executable without a partner. A condition that fails counts as executable, and the
    /// execution reports the failure.
    #[inline]
    pub(crate) fn can_start_alone(&self, view: &View<'_, '_>, edge: &Edge) -> bool {
        match &edge.action {
            // A process too many is an error, which the execution reports.
            _ if edge.run.is_some() && view.state[COUNT] == u8::MAX => true,
            Action::Condition(node) => view.holds(node).unwrap_or(true),
            Action::Else | Action::Skip | Action::Assert(_) | Action::Assign(..) => true,
            Action::Send { channel, .. } => match view.channel(channel) {
                Ok(channel) => {
                    let capacity = channel.layout.capacity;
                    (self.lossy && capacity > 0) || channel.len(view.state) < capacity
                }
                Err(_) => true,
            },
            Action::Receive {
                channel,
                patterns,
                random,
                copy,
            } => match view.channel(channel) {
                Ok(channel) if channel.layout.capacity == 0 => *copy,
                Ok(channel) => match view.matching(channel, patterns, *random) {
                    Ok(found) => found.is_some(),
                    Err(_) => true,
                },
                Err(_) => true,
            },
            Action::End => view.pid + 1 == view.state[COUNT],
            Action::DStep(inner) => {
                let start = &inner.locations[inner.start.index()];
                !matches!(self.first_executable(view, inner, start), Ok(None))
            }
        }
    }

    /// The first executable edge of a location of a `d_step`. A condition before it that fails is the end.
    #[inline]
    pub(crate) fn first_executable(
        &self,
        view: &View<'_, '_>,
        graph: &Graph,
        location: &Location,
    ) -> Result<Option<usize>, RuntimeError> {
        for k in location.edges() {
            let edge = &graph.edges[k];
            // The edges before an `else` were checked already.
            let is_else = matches!(edge.action, Action::Else);
            let inhibits = |i: &u32| {
                let other = &graph.edges[*i as usize];
                let was_seen = is_else && (*i as usize) < k && other.inhibitors.is_empty();
                !was_seen && self.can_start_alone(view, other)
            };
            if edge.inhibitors.iter().any(inhibits) {
                continue;
            }
            let executable = match &edge.action {
                Action::Condition(node) if edge.run.is_none() => view.holds(node)?,
                Action::Else | Action::Assign(..) => true,
                // It fails.
                Action::Send { channel, .. } if self.is_rendezvous(view, channel) => true,
                _ => self.can_start_alone(view, edge),
            };
            if executable {
                return Ok(Some(k));
            }
        }
        Ok(None)
    }

    /// Appends the steps that hand a message over from `view`'s process.
    fn rendezvous(&self, view: &View<'_, '_>, edge: usize, channel: &Node, message: &[Node], out: &mut Vec<Step>) {
        let Ok(number) = view.value(channel) else { return };
        let layout = view.numbered(number).expect("it is open").layout;
        // A message that cannot be evaluated is executable even without a receiver.
        if layout.fields.len() != message.len() || message.iter().any(|node| view.value(node).is_err()) {
            out.push(Step::alone(view.pid, edge));
            return;
        }
        for process in Processes::new(self, view.state) {
            if process.pid == view.pid {
                continue;
            }
            let partner = self.view(view.state, process, view.timeout);
            if self.may_move(&partner, process) != Ok(true) {
                continue;
            }
            let graph = &process.automaton.graph;
            let before = out.len();
            for k in process.location(view.state).edges() {
                let field = |k: usize| layout.fields[k].1.truncate(view.value(&message[k]).unwrap_or(0));
                // An escape that accepts comes before what it escapes from.
                let accepts = |i: &u32| out[before..].iter().any(|step| u32::from(step.partner_edge) == *i);
                let inhibited = graph.edges[k].inhibitors.iter().any(accepts);
                if !inhibited && !matches!(partner.reception(&graph.edges[k], number, layout, field), Ok(None)) {
                    out.push(Step {
                        pid: view.pid,
                        partner: process.pid,
                        edge: Step::edge(edge),
                        partner_edge: Step::edge(k),
                    });
                }
            }
        }
    }

    /// Whether every process, and the trace assertion, is at a valid end.
    pub(crate) fn is_valid_end(&self, state: &[u8]) -> bool {
        let traced = self.monitor.as_ref().filter(|_| self.asserts);
        Processes::new(self, state).all(|p| p.location(state).is_end) && traced.is_none_or(|m| m.may_stop(state))
    }
}

impl View<'_, '_> {
    /// The edge that takes a message from the rendezvous channel with this number: this one, or in a `d_step` the first
    /// that can.
    fn reception<'e>(
        &self,
        edge: &'e Edge,
        number: i32,
        layout: &ChannelLayout,
        field: impl Fn(usize) -> i32,
    ) -> Result<Option<&'e Edge>, RuntimeError> {
        let candidates = match &edge.action {
            Action::DStep(inner) => inner.at(inner.start),
            _ => std::slice::from_ref(edge),
        };
        for candidate in candidates {
            let Action::Receive {
                channel,
                patterns,
                copy,
                ..
            } = &candidate.action
            else {
                continue;
            };
            if self.value(channel) != Ok(number) {
                continue;
            }
            if *copy {
                return Err(RuntimeError::Inspected);
            }
            if self.matches(layout, patterns, &field)? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }
}
