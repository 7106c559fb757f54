//! The participants of steps, derived from the tree. They define the partial order of snapshots.
//!
//! The rules are those of `docs/book/src/guide/snapshot.md`. The compiled form implements them separately
//! (`reduce/participants.rs`) and shares nothing with this file.

use std::collections::BTreeSet;

use super::interpreter::{Interpreter, Step};
use super::machine::Machine;
use super::mentions::{asks_beyond_values, first_statements, is_fixed, lengths, receives, statement_asks_timeout};
use super::position::Position;
use super::state::{Pid, State};
use crate::model::{
    Access, Base, Expr, ExprKind, GlobalId, Initial, Model, Pattern, Place, Sequence, StatementKind, VariableId,
};
use crate::narrow;

/// Arrays with more elements than this are one component.
const LARGE: u32 = 64;
/// Channels of processes beyond these are one component.
const OWN_CHANNELS: usize = 24;

/// A process or a shared object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    /// A scalar global variable, with the elements and fields that lead to it. An array with too many
    /// elements is a single component without a path.
    Variable(GlobalId, Vec<u32>),
    /// A channel that holds messages, by its number.
    Channel(u32),
    /// The list of processes.
    Processes,
    /// A process, by its number.
    Process(Pid),
}

/// The participants of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Participants {
    /// Everybody takes part.
    pub all: bool,
    /// These take part.
    pub some: BTreeSet<Component>,
}

impl Participants {
    /// Whether the two have a common participant.
    pub fn meets(&self, other: &Self) -> bool {
        let is_nobody = |p: &Self| !p.all && p.some.is_empty();
        let either = (self.all || other.all) && !is_nobody(self) && !is_nobody(other);
        either || !self.some.is_disjoint(&other.some)
    }

    /// Adds other participants.
    pub fn join(&mut self, other: Self) {
        self.all |= other.all;
        self.some.extend(other.some);
    }

    /// Whether a component takes part.
    pub fn contains(&self, component: &Component) -> bool {
        self.all || self.some.contains(component)
    }
}

impl Interpreter<'_> {
    /// The participants of an executable step.
    pub fn participants(&self, state: &State, step: &Step) -> Participants {
        let mut touched = Touched::new(self, state, step.process);
        touched.step(&step.position);
        let mut participants = touched.participants;
        if let Some(partner) = &step.partner {
            let mut touched = Touched::new(self, state, partner.process);
            touched.step(&partner.position);
            participants.join(touched.participants);
        }
        participants
    }

    /// The components that a process waits for if it cannot go on.
    pub fn waits_for(&self, state: &State, pid: Pid) -> Participants {
        let mut touched = Touched::new(self, state, pid);
        let process = &state.processes[usize::from(pid.0)];
        let control = self.control(process.proctype);
        for offer in control.offers(&process.position) {
            let asked = control.statement(&offer.position).map(|s| &s.kind);
            touched.participants.all |= asked.is_some_and(statement_asks_timeout);
            touched.absence(&offer.position);
        }
        touched.participants
    }

    /// Whether a process lost exclusive control in the middle of an `atomic` by the step that it, or a
    /// sender to it, took from `before`.
    pub fn gave_up(&self, before: &State, step: &Step, after: &State) -> Option<Pid> {
        let (mover, position) = match &step.partner {
            None => (step.process, &step.position),
            Some(partner) => (partner.process, &partner.position),
        };
        let control = self.control(before.process(mover)?.proctype);
        let inside = control.in_atomic(position) && control.in_atomic(&after.process(mover)?.position);
        (inside && after.exclusive.is_none()).then_some(mover)
    }
}

struct Touched<'a, 'm> {
    interpreter: &'a Interpreter<'m>,
    state: &'a State,
    pid: Pid,
    /// The values of indices may change before they are used.
    moving: bool,
    /// Another process evaluates, whose number and variables are not known.
    foreign: bool,
    participants: Participants,
}

impl<'a, 'm> Touched<'a, 'm> {
    fn new(interpreter: &'a Interpreter<'m>, state: &'a State, pid: Pid) -> Self {
        Self {
            interpreter,
            state,
            pid,
            moving: false,
            foreign: false,
            participants: Participants::default(),
        }
    }

    fn model(&self) -> &'m Model {
        self.interpreter.model
    }

    fn add(&mut self, component: Component) {
        self.participants.some.insert(component);
    }

    /// Adds the participants of the statement at a position.
    fn step(&mut self, position: &Position) {
        self.add(Component::Process(self.pid));
        let process = &self.state.processes[usize::from(self.pid.0)];
        let control = self.interpreter.control(process.proctype);
        let offers = control.offers(&process.position);
        let kind = |at: &Position| control.statement(at).map(|s| &s.kind);
        let own = offers.iter().find(|offer| offer.position == *position);
        let is_else = matches!(kind(position), Some(StatementKind::Else));
        for other in offers.iter().take_while(|offer| offer.position != *position) {
            let escape = other.escape.is_some() && own.is_some_and(|own| own.escape != other.escape);
            let alternative = is_else && !matches!(kind(&other.position), Some(StatementKind::Else));
            if escape || alternative {
                self.participants.all |= kind(&other.position).is_some_and(statement_asks_timeout);
                self.absence(&other.position);
            }
        }
        match kind(position) {
            Some(kind) => {
                self.participants.all |= statement_asks_timeout(kind);
                self.statement(kind);
            }
            None if control.is_end(position) => {
                self.add(Component::Processes);
                if self.state.channels.iter().any(|c| c.owner == Some(self.pid)) {
                    self.own_channels();
                }
            }
            None => {}
        }
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Expression(e) | StatementKind::Assert(e) => self.expr(e),
            StatementKind::Assign { place, value } => {
                self.expr(value);
                self.place(place);
            }
            StatementKind::Send { channel, message, .. } => {
                self.channel(channel);
                message.iter().for_each(|field| self.expr(field));
            }
            StatementKind::Receive { channel, patterns, .. } => {
                let indexed = |p: &Pattern| match p {
                    Pattern::Store(place) => place.path.iter().any(|a| matches!(a, Access::Index(i) if !is_fixed(i))),
                    _ => false,
                };
                let outer = self.moving;
                self.moving |= patterns.iter().any(indexed);
                self.channel(channel);
                for pattern in patterns {
                    match pattern {
                        Pattern::Store(place) => self.place(place),
                        Pattern::Match(value) => self.expr(value),
                        Pattern::Any(_) => {}
                    }
                }
                self.moving = outer;
            }
            StatementKind::DStep(body) => {
                self.moving = true;
                self.sequence(body);
                self.moving = false;
            }
            // Printing changes nothing and depends on nothing.
            _ => {}
        }
    }

    /// Adds everything that a `d_step` mentions.
    fn sequence(&mut self, sequence: &Sequence) {
        for statement in sequence {
            match &statement.kind {
                StatementKind::If(options) | StatementKind::Do(options) => {
                    let first: Vec<_> = options.iter().flat_map(first_statements).collect();
                    if first.iter().any(|kind| matches!(kind, StatementKind::Else)) {
                        self.refusals(&first);
                    }
                    options.iter().for_each(|option| self.sequence(option));
                }
                StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body) => {
                    self.sequence(body);
                }
                StatementKind::Unless { main, escape } => {
                    self.refusals(&first_statements(escape));
                    self.sequence(main);
                    self.sequence(escape);
                }
                kind => self.statement(kind),
            }
        }
    }

    /// Adds what decides that none of some statements is executable.
    fn refusals(&mut self, statements: &[&StatementKind]) {
        let sends = |kind: &&StatementKind| matches!(kind, StatementKind::Send { .. });
        if statements.iter().any(sends) && self.has_rendezvous() {
            self.receivers();
        }
    }

    /// Adds what decides that the statement at a position is not executable.
    fn absence(&mut self, position: &Position) {
        let process = &self.state.processes[usize::from(self.pid.0)];
        let control = self.interpreter.control(process.proctype);
        match control.statement(position).map(|s| &s.kind) {
            Some(StatementKind::Expression(e)) => self.expr(e),
            Some(StatementKind::Send { channel, message, .. }) => {
                self.channel(channel);
                message.iter().for_each(|field| self.expr(field));
                if self.has_rendezvous() {
                    self.receivers();
                }
            }
            Some(StatementKind::Receive { channel, patterns, .. }) => {
                self.channel(channel);
                for pattern in patterns {
                    if let Pattern::Match(value) = pattern {
                        self.expr(value);
                    }
                }
            }
            Some(StatementKind::DStep(_)) => {
                let mut openings = Vec::new();
                control.openings(&position.first_inside(), &mut openings);
                openings.iter().for_each(|opening| self.absence(opening));
            }
            None if control.is_end(position) => self.add(Component::Processes),
            _ => {}
        }
    }

    /// Adds the processes that may be partners in a rendezvous, and what they compare messages with.
    fn receivers(&mut self) {
        let model = self.model();
        let receives: Vec<bool> = model.proctypes.iter().map(|p| receives(&p.body)).collect();
        for pid in self.state.pids() {
            if receives[self.state.processes[usize::from(pid.0)].proctype.0 as usize] {
                self.add(Component::Process(pid));
            }
        }
        self.by_another(|another| model.proctypes.iter().for_each(|p| another.accepted(&p.body)));
    }

    /// Adds the channels and values of all receives.
    fn accepted(&mut self, sequence: &Sequence) {
        for statement in sequence {
            match &statement.kind {
                StatementKind::Receive { channel, patterns, .. } => {
                    self.expr(channel);
                    for pattern in patterns {
                        if let Pattern::Match(value) = pattern {
                            self.expr(value);
                        }
                    }
                }
                StatementKind::If(options) | StatementKind::Do(options) => {
                    options.iter().for_each(|option| self.accepted(option));
                }
                StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body) => {
                    self.accepted(body);
                }
                StatementKind::Unless { main, escape } => {
                    self.accepted(main);
                    self.accepted(escape);
                }
                _ => {}
            }
        }
    }

    /// Adds what another process evaluates.
    fn by_another(&mut self, evaluates: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.foreign, true);
        evaluates(self);
        self.foreign = outer;
    }

    fn has_rendezvous(&self) -> bool {
        let locals = self.model().proctypes.iter().flat_map(|p| &p.locals);
        let mut initials = self.model().globals.iter().chain(locals).map(|v| &v.initial);
        initials.any(|i| matches!(i, Initial::Channel { capacity: 0, .. }))
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(_, e) => self.expr(e),
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Len(channel) | ExprKind::Poll(_, channel) => self.channel(channel),
            ExprKind::CanReceive { channel, patterns, .. } => {
                self.channel(channel);
                for pattern in patterns {
                    if let Pattern::Match(value) = pattern {
                        self.expr(value);
                    }
                }
            }
            ExprKind::ProcessCount => self.add(Component::Processes),
            ExprKind::Run {
                proctype, arguments, ..
            } => {
                arguments.iter().for_each(|e| self.expr(e));
                self.add(Component::Processes);
                self.add(Component::Process(Pid(narrow::pid(self.state.processes.len()))));
                let locals = &self.model().proctypes[proctype.0 as usize].locals;
                if locals.iter().any(|v| matches!(v.initial, Initial::Channel { .. })) {
                    self.own_channels();
                }
                for variable in locals {
                    match &variable.initial {
                        Initial::Value(value) => self.initial(value),
                        Initial::List(values) => values.iter().for_each(|value| self.initial(value)),
                        Initial::Zero | Initial::Channel { .. } => {}
                    }
                }
            }
            ExprKind::AtLabel { proctype, process, .. } => self.remote(proctype.0, process.as_deref()),
            ExprKind::Remote {
                proctype,
                process,
                place,
            } => {
                self.remote(proctype.0, process.as_deref());
                for access in &place.path {
                    if let Access::Index(index) = access {
                        self.expr(index);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds what the initial value of a variable of a new process reads.
    fn initial(&mut self, value: &Expr) {
        self.by_another(|another| another.expr(value));
    }

    fn remote(&mut self, proctype: u32, process: Option<&Expr>) {
        if let Some(process) = process {
            self.expr(process);
        }
        self.add(Component::Processes);
        for pid in self.state.pids() {
            if self.state.processes[usize::from(pid.0)].proctype.0 == proctype {
                self.add(Component::Process(pid));
            }
        }
    }

    fn channel(&mut self, channel: &Expr) {
        self.expr(channel);
        let globals = self.global_channels();
        match self.known(channel) {
            Some(number) if number > 0 => self.numbered(number as usize),
            Some(_) => {}
            None => (1..=globals + OWN_CHANNELS).for_each(|number| self.numbered(number)),
        }
    }

    fn numbered(&mut self, number: usize) {
        let last = self.global_channels() + OWN_CHANNELS;
        let open = self.state.channels.get(number - 1);
        if number >= last || open.is_none_or(|c| c.capacity > 0) {
            self.add(Component::Channel(narrow::index(number.min(last))));
        }
    }

    fn own_channels(&mut self) {
        let globals = self.global_channels();
        for number in globals + 1..=globals + OWN_CHANNELS {
            self.add(Component::Channel(narrow::index(number)));
        }
    }

    fn global_channels(&self) -> usize {
        self.state.channels.iter().filter(|c| c.owner.is_none()).count()
    }

    fn place(&mut self, place: &Place) {
        for access in &place.path {
            if let Access::Index(index) = access {
                self.expr(index);
            }
        }
        let Base::Global(global) = place.base else { return };
        let mut paths: Vec<Vec<u32>> = vec![vec![]];
        let lengths = lengths(self.model(), global, &place.path);
        for (access, length) in place.path.iter().zip(lengths) {
            let steps: Vec<u32> = match access {
                Access::Field(field) => vec![*field],
                Access::Index(index) => match self.known(index) {
                    Some(value) if (0..i64::from(length)).contains(&i64::from(value)) => vec![value as u32],
                    // The access fails.
                    Some(_) => return,
                    None => (0..length).collect(),
                },
            };
            let with = |path: &Vec<u32>| steps.iter().map(|s| [&path[..], &[*s]].concat()).collect::<Vec<_>>();
            paths = paths.iter().flat_map(with).collect();
        }
        let large = self.model().globals[global.0 as usize].length.unwrap_or(1) > LARGE;
        for path in paths {
            if self.interpreter.assigned.is_assigned(global, &path) {
                let path = if large { Vec::new() } else { path };
                self.add(Component::Variable(global, path));
            }
        }
    }

    /// The value of an index or channel, if it cannot change before it is used.
    fn known(&self, expr: &Expr) -> Option<i32> {
        if (self.moving || self.foreign) && !self.is_stable(expr) || asks_beyond_values(expr) {
            return None;
        }
        let mut machine = Machine::new(self.interpreter, self.state.clone(), false);
        machine.value(Some(self.pid), expr).ok()
    }

    /// Whether an expression reads only what is never assigned.
    fn is_stable(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(_) => true,
            ExprKind::Pid => !self.foreign,
            ExprKind::Read(place) => {
                let indices = place.path.iter().all(|access| match access {
                    Access::Index(index) => self.is_stable(index),
                    Access::Field(_) => true,
                });
                indices
                    && match place.base {
                        Base::Global(global) => !self.interpreter.assigned.has_global(global),
                        Base::Local(local) => !self.foreign && !self.assigns_local(local),
                        Base::Scratch => false,
                    }
            }
            ExprKind::Unary(_, e) => self.is_stable(e),
            ExprKind::Binary(_, a, b) => self.is_stable(a) && self.is_stable(b),
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().all(|e| self.is_stable(e)),
            _ => false,
        }
    }

    fn assigns_local(&self, local: VariableId) -> bool {
        let proctype = self.state.processes[usize::from(self.pid.0)].proctype;
        self.interpreter.assigned.has_local(proctype, local)
    }
}
