//! Executes one statement on a copy of a state.
//!
//! Whether a statement is executable is decided by executing it on a copy. This is
//! slow, but it cannot be inconsistent.

use super::error::Failure;
use super::interpreter::Interpreter;
use super::monitor::Event;
use super::position::{Control, Position};
use super::print;
use super::state::{Channel, Pid, Process, State};
use super::value::{Value, element, truncate, zero};
use crate::RuntimeError;
use crate::model::{Expr, Initial, Pattern, Proctype, ProctypeId, Statement, StatementKind, Type, Variable};
use crate::narrow;
use crate::source::Span;

/// The greatest number of processes, and of channels, that can exist at a time.
const MOST: usize = 255;

/// A copy of a state that is being changed.
pub(super) struct Machine<'i, 'm> {
    pub(super) interpreter: &'i Interpreter<'m>,
    pub(super) state: State,
    /// The value of `timeout`.
    pub(super) timeout: bool,
    /// The printed text.
    pub(super) printed: String,
}

impl<'i, 'm> Machine<'i, 'm> {
    pub(super) fn new(interpreter: &'i Interpreter<'m>, state: State, timeout: bool) -> Self {
        Machine {
            interpreter,
            state,
            timeout,
            printed: String::new(),
        }
    }

    pub(super) fn proctype(&self, id: ProctypeId) -> &'m Proctype {
        &self.interpreter.model.proctypes[id.0 as usize]
    }

    fn control(&self, pid: Pid) -> &'i Control<'m> {
        let interpreter = self.interpreter;
        interpreter.control(self.state.processes[usize::from(pid.0)].proctype)
    }

    fn go_to(&mut self, pid: Pid, position: Position) {
        self.state.processes[usize::from(pid.0)].position = position;
    }

    /// Starts a process and returns its number.
    pub(super) fn start(
        &mut self,
        id: ProctypeId,
        arguments: &[i32],
        priority: u8,
        span: Span,
    ) -> Result<i32, Failure> {
        let number = self.state.processes.len();
        if number >= MOST {
            return Err(RuntimeError::TooManyProcesses.at(span));
        }
        let pid = Pid(narrow::pid(number));
        let proctype = self.proctype(id);
        let model = self.interpreter.model;
        self.state.processes.push(Process {
            proctype: id,
            position: self.interpreter.control(id).start(),
            locals: proctype.locals.iter().map(|local| zero(model, local)).collect(),
            priority,
        });
        for (index, local) in proctype.locals.iter().enumerate() {
            let name = format!("{}[{pid}]:{}", proctype.name, local.name);
            let value = match arguments.get(index) {
                Some(argument) if index < proctype.parameters as usize => {
                    Value::Scalar(truncate(local.kind, *argument))
                }
                _ => self.initial_value(Some(pid), local, &name)?,
            };
            self.state.processes[number].locals[index] = value;
        }
        Ok(i32::from(pid.0))
    }

    /// The initial value of a variable. Creates its channels.
    pub(super) fn initial_value(&mut self, me: Option<Pid>, variable: &Variable, name: &str) -> Result<Value, Failure> {
        match variable.length {
            None => self.initial_element(me, variable, 0, name),
            Some(length) => {
                let elements =
                    (0..length).map(|index| self.initial_element(me, variable, index, &format!("{name}[{index}]")));
                Ok(Value::Array(elements.collect::<Result<_, _>>()?))
            }
        }
    }

    fn initial_element(
        &mut self,
        me: Option<Pid>,
        variable: &Variable,
        index: u32,
        name: &str,
    ) -> Result<Value, Failure> {
        if let Type::Record(record) = variable.kind {
            let fields = self.interpreter.model.records[record.0 as usize].fields.iter();
            let values = fields.map(|field| self.initial_value(me, field, &format!("{name}.{}", field.name)));
            return Ok(Value::Record(values.collect::<Result<_, _>>()?));
        }
        let number = match &variable.initial {
            Initial::Zero => 0,
            Initial::Value(expr) => self.value(me, expr)?,
            // The last value is repeated for all further elements.
            Initial::List(exprs) => match exprs.get(index as usize).or(exprs.last()) {
                Some(expr) => self.value(me, expr)?,
                None => 0,
            },
            Initial::Channel { capacity, fields } => {
                if self.state.channels.len() >= MOST {
                    return Err(RuntimeError::TooManyChannels.at(variable.span));
                }
                self.state.channels.push(Channel {
                    name: name.to_owned(),
                    capacity: *capacity,
                    fields: fields.clone(),
                    messages: Default::default(),
                    owner: me,
                });
                narrow::value(self.state.channels.len())
            }
        };
        Ok(Value::Scalar(truncate(element(variable), number)))
    }

    /// Executes a statement other than a rendezvous and moves the process on. Returns false if it
    /// is not executable; the state is then meaningless.
    pub(super) fn execute(&mut self, pid: Pid, position: &Position) -> Result<bool, Failure> {
        let control = self.control(pid);
        if control.is_end(position) {
            return Ok(self.die(pid));
        }
        let Some(statement) = control.statement(position) else {
            // A branch without statements does nothing.
            self.go_to(pid, control.after(position));
            return Ok(true);
        };
        let next = match &statement.kind {
            StatementKind::DStep(_) => match self.d_step(pid, position, position.first_inside())? {
                Some(next) => next,
                None => return Ok(false),
            },
            _ => {
                if !self.effect(pid, statement)? {
                    return Ok(false);
                }
                control.after(position)
            }
        };
        self.go_to(pid, next);
        Ok(true)
    }

    /// Removes the process and its channels, if it is the youngest.
    fn die(&mut self, pid: Pid) -> bool {
        if usize::from(pid.0) + 1 != self.state.processes.len() {
            return false;
        }
        self.state.processes.pop();
        self.state.channels.retain(|channel| channel.owner != Some(pid));
        true
    }

    /// Executes a simple statement.
    fn effect(&mut self, pid: Pid, statement: &Statement) -> Result<bool, Failure> {
        let me = Some(pid);
        match &statement.kind {
            StatementKind::Expression(expr) => Ok(self.value(me, expr)? != 0),
            StatementKind::Else | StatementKind::Goto(_) | StatementKind::Break => Ok(true),
            StatementKind::Assign { place, value } => {
                let value = self.value(me, value)?;
                self.store(me, place, value)?;
                Ok(true)
            }
            StatementKind::Send {
                channel,
                message,
                sorted,
            } => self.send(pid, channel, message, *sorted, statement.span),
            StatementKind::Receive {
                channel,
                patterns,
                random,
                copy,
            } => self.receive(pid, channel, patterns, (*random, *copy), statement.span),
            StatementKind::Assert(expr) => match self.value(me, expr)? {
                0 if !self.interpreter.ignores_assertions => Err(RuntimeError::Assertion.at(statement.span)),
                _ => Ok(true),
            },
            StatementKind::Print { format, arguments } => {
                let values = self.values(me, arguments)?;
                let text = print::formatted(self.interpreter.model, format, arguments, &values);
                self.printed.push_str(&text);
                Ok(true)
            }
            _ => Err(RuntimeError::Malformed("a compound statement is executed as one").at(statement.span)),
        }
    }

    /// Receives from a channel with a buffer. `random` is set for `??`, `copy` if the
    /// message stays in the channel.
    fn receive(
        &mut self,
        pid: Pid,
        channel: &Expr,
        patterns: &[Pattern],
        (random, copy): (bool, bool),
        span: Span,
    ) -> Result<bool, Failure> {
        let number = self.value(Some(pid), channel)?;
        let open = self.channel(number, channel.span)?;
        if open.capacity == 0 {
            // A rendezvous is the sender's step, but no message can be copied.
            return match copy {
                true => Err(RuntimeError::Inspected.at(span)),
                false => Ok(false),
            };
        }
        let messages = open.messages.clone();
        let Some(index) = self.find_message(Some(pid), patterns, random, messages.iter(), span)? else {
            return Ok(false);
        };
        let message = &messages[index];
        if !copy {
            self.watch(Event {
                is_send: false,
                number,
                message,
                span,
            })?;
        }
        self.take(pid, patterns, message)?;
        if !copy {
            self.channel(number, channel.span)?.messages.remove(index);
        }
        Ok(true)
    }

    fn send(&mut self, pid: Pid, channel: &Expr, message: &[Expr], sorted: bool, span: Span) -> Result<bool, Failure> {
        let number = self.value(Some(pid), channel)?;
        let open = self.channel(number, channel.span)?;
        let is_full = open.messages.len() >= open.capacity as usize;
        if open.capacity == 0 || (is_full && !self.interpreter.model.lossy) {
            return Ok(false);
        }
        let values = self.values(Some(pid), message)?;
        let open = self.channel(number, channel.span)?;
        let stored = message_of(open, &values, span)?;
        if is_full {
            // The message is lost.
            return Ok(true);
        }
        let index = if sorted {
            // As in SPIN, values are compared before they are truncated.
            let smaller = |queued: &&Vec<i32>| values.as_slice() >= queued.as_slice();
            open.messages.iter().take_while(smaller).count()
        } else {
            open.messages.len()
        };
        open.messages.insert(index, stored.clone());
        self.watch(Event {
            is_send: true,
            number,
            message: &stored,
            span,
        })?;
        Ok(true)
    }

    /// Stores the fields of a received message, from left to right.
    fn take(&mut self, pid: Pid, patterns: &[Pattern], message: &[i32]) -> Result<(), Failure> {
        for (pattern, field) in patterns.iter().zip(message) {
            if let Pattern::Store(place) = pattern {
                self.store(Some(pid), place, *field)?;
            }
        }
        Ok(())
    }

    /// The message that a rendezvous send offers, with the number of its channel. None if
    /// the channel has a buffer.
    pub(super) fn offered(
        &mut self,
        pid: Pid,
        channel: &Expr,
        message: &[Expr],
        span: Span,
    ) -> Result<Option<(i32, Vec<i32>)>, Failure> {
        let number = self.value(Some(pid), channel)?;
        if self.channel(number, channel.span)?.capacity > 0 {
            return Ok(None);
        }
        let values = self.values(Some(pid), message)?;
        let stored = message_of(self.channel(number, channel.span)?, &values, span)?;
        Ok(Some((number, stored)))
    }

    /// The receive that takes this message from this rendezvous channel: the statement at `position` of
    /// process `pid`, or in a `d_step` the first that can. As in SPIN, a failing comparison is a failure of the
    /// sender's step.
    pub(super) fn accepts(
        &mut self,
        pid: Pid,
        position: &Position,
        number: i32,
        message: &[i32],
    ) -> Result<Option<Position>, Failure> {
        let control = self.control(pid);
        let mut candidates = vec![position.clone()];
        if let Some(StatementKind::DStep(_)) = control.statement(position).map(|s| &s.kind) {
            candidates.clear();
            control.openings(&position.first_inside(), &mut candidates);
        }
        for candidate in candidates {
            let Some(statement) = control.statement(&candidate) else {
                continue;
            };
            // An error in the receiver's channel expression is reported for the receiver's own step.
            if let StatementKind::Receive {
                channel,
                patterns,
                copy,
                ..
            } = &statement.kind
                && matches!(self.value(Some(pid), channel), Ok(value) if value == number)
            {
                if *copy {
                    return Err(RuntimeError::Inspected.at(statement.span));
                }
                if self.matches(Some(pid), patterns, message, statement.span)? {
                    return Ok(Some(candidate));
                }
            }
        }
        Ok(None)
    }

    /// Executes a rendezvous.
    pub(super) fn rendezvous(&mut self, sender: (Pid, &Position), receiver: (Pid, &Position)) -> Result<bool, Failure> {
        let (sending, receiving) = (self.control(sender.0), self.control(receiver.0));
        let Some(send) = sending.statement(sender.1) else {
            return Ok(false);
        };
        let StatementKind::Send { channel, message, .. } = &send.kind else {
            return Ok(false);
        };
        let Some((number, message)) = self.offered(sender.0, channel, message, send.span)? else {
            return Ok(false);
        };
        let Some(at) = self.accepts(receiver.0, receiver.1, number, &message)? else {
            return Ok(false);
        };
        let Some(receive) = receiving.statement(&at) else {
            return Ok(false);
        };
        let StatementKind::Receive { patterns, copy, .. } = &receive.kind else {
            return Ok(false);
        };
        if *copy {
            return Err(RuntimeError::Inspected.at(receive.span));
        }
        for (is_send, span) in [(true, send.span), (false, receive.span)] {
            self.watch(Event {
                is_send,
                number,
                message: &message,
                span,
            })?;
        }
        self.go_to(sender.0, sending.after(sender.1));
        self.take(receiver.0, patterns, &message)?;
        let next = receiving.after(&at);
        self.go_to(receiver.0, next.clone());
        // The rest of a `d_step` that begins with the receive.
        if next.is_inside(receiver.1) {
            let blocked = RuntimeError::BlockedInDStep.at(receive.span);
            let end = self.d_step(receiver.0, receiver.1, next)?.ok_or(blocked)?;
            self.go_to(receiver.0, end);
        }
        Ok(true)
    }

    /// Executes a `d_step` from a position inside it. At each point, the first executable statement is taken.
    /// Returns the position after it. None if nothing is executable at the first position.
    fn d_step(&mut self, pid: Pid, outer: &Position, from: Position) -> Result<Option<Position>, Failure> {
        let control = self.control(pid);
        let mut here = from;
        for count in 0..self.interpreter.longest_d_step {
            let mut openings = Vec::new();
            control.openings(&here, &mut openings);
            let mut next = None;
            for opening in &openings {
                if let Some(statement) = control.statement(opening)
                    && let StatementKind::Send { channel, message, .. } = &statement.kind
                    && self.offered(pid, channel, message, statement.span)?.is_some()
                {
                    return Err(RuntimeError::OfferInDStep.at(statement.span));
                }
                let before = self.state.clone();
                if self.execute(pid, opening)? {
                    next = Some(self.state.processes[usize::from(pid.0)].position.clone());
                    break;
                }
                self.state = before;
            }
            match next {
                Some(next) if next.is_inside(outer) => here = next,
                Some(next) => return Ok(Some(next)),
                None if count == 0 => return Ok(None),
                None => {
                    let span = control.statement(&here).map_or_else(Span::default, |s| s.span);
                    return Err(RuntimeError::BlockedInDStep.at(span));
                }
            }
        }
        let span = control.statement(outer).map_or_else(Span::default, |s| s.span);
        Err(RuntimeError::EndlessDStep.at(span))
    }
}

/// The values of a message, truncated to the types of the channel's fields.
fn message_of(channel: &Channel, values: &[i32], span: Span) -> Result<Vec<i32>, Failure> {
    let (given, expected) = (values.len(), channel.fields.len());
    if given != expected {
        return Err(RuntimeError::Arity { given, expected }.at(span));
    }
    let fields = channel.fields.iter().zip(values);
    Ok(fields.map(|(kind, value)| truncate(*kind, *value)).collect())
}
