//! The value of an expression in a state.
//!
//! Arithmetic is on 32-bit integers with wrap-around, as in the C program that
//! SPIN generates. `run` and `set_priority` have effects, so evaluating an expression may change
//! the state. A caller that only wants the value passes a copy.

use super::error::Failure;
use super::machine::Machine;
use super::state::{Channel, Pid, Process};
use super::value::{Value, truncate};
use crate::RuntimeError;
use crate::model::{
    Access, Base, Binary, ChannelTest, Expr, ExprKind, LabelId, Pattern, Place, ProctypeId, Type, Unary,
};
use crate::narrow;
use crate::source::Span;

impl Machine<'_, '_> {
    /// The value of an expression for process `me`.
    pub(super) fn value(&mut self, me: Option<Pid>, expr: &Expr) -> Result<i32, Failure> {
        let span = expr.span;
        Ok(match &expr.kind {
            ExprKind::Constant(value) => *value,
            ExprKind::Read(place) => self.read(me, me, place)?,
            ExprKind::Unary(Unary::Not, operand) => i32::from(self.value(me, operand)? == 0),
            ExprKind::Unary(Unary::Negate, operand) => self.value(me, operand)?.wrapping_neg(),
            ExprKind::Unary(Unary::Complement, operand) => !self.value(me, operand)?,
            ExprKind::Binary(operator, left, right) => self.binary(me, *operator, left, right, span)?,
            ExprKind::Conditional(condition, then, otherwise) => match self.value(me, condition)? {
                0 => self.value(me, otherwise)?,
                _ => self.value(me, then)?,
            },
            ExprKind::Run {
                proctype,
                arguments,
                priority,
            } => {
                let values = self.values(me, arguments)?;
                let priority = priority.or(self.proctype(*proctype).priority).unwrap_or(1);
                self.start(*proctype, &values, priority, span)?
            }
            ExprKind::Len(channel) => narrow::value(self.open_channel(me, channel)?.messages.len()),
            ExprKind::Poll(test, channel) => i32::from(poll(*test, self.open_channel(me, channel)?)),
            ExprKind::CanReceive {
                channel,
                patterns,
                random,
            } => i32::from(self.can_receive(me, channel, patterns, *random, span)?),
            ExprKind::Timeout => i32::from(self.timeout),
            ExprKind::NonProgress => i32::from(!self.at_progress()),
            ExprKind::Last => i32::from(self.state.last.0),
            ExprKind::Pid => me.map_or(0, |pid| i32::from(pid.0)),
            ExprKind::ProcessCount => narrow::value(self.state.processes.len()),
            ExprKind::Enabled(process) => i32::from(self.is_enabled(me, process, span)?),
            ExprKind::GetPriority(process) => self.priority(me, process)?,
            ExprKind::SetPriority(process, priority) => {
                self.set_priority(me, process, priority, span)?;
                1
            }
            ExprKind::AtLabel {
                proctype,
                process,
                label,
            } => {
                let pid = self.remote(me, *proctype, process.as_deref())?;
                pid.map_or(0, |pid| i32::from(self.is_at(pid, *label)))
            }
            ExprKind::Remote {
                proctype,
                process,
                place,
            } => match self.remote(me, *proctype, process.as_deref())? {
                Some(pid) => self.read(me, Some(pid), place)?,
                None => 0,
            },
        })
    }

    /// Whether `channel?[patterns]` holds.
    fn can_receive(
        &mut self,
        me: Option<Pid>,
        channel: &Expr,
        patterns: &[Pattern],
        random: bool,
        span: Span,
    ) -> Result<bool, Failure> {
        let open = self.open_channel(me, channel)?;
        if open.capacity == 0 {
            return Err(RuntimeError::Inspected.at(span));
        }
        let messages = open.messages.clone();
        let found = self.find_message(me, patterns, random, messages.iter(), span)?;
        Ok(found.is_some())
    }

    fn is_enabled(&mut self, me: Option<Pid>, process: &Expr, span: Span) -> Result<bool, Failure> {
        let number = self.value(me, process)?;
        let Some(pid) = self.existing(number) else {
            return Ok(false);
        };
        let enabled = self.interpreter.is_enabled(&self.state, pid, self.timeout);
        enabled.map_err(|kind| kind.at(span))
    }

    fn priority(&mut self, me: Option<Pid>, process: &Expr) -> Result<i32, Failure> {
        let number = self.value(me, process)?;
        let pid = self.existing(number);
        Ok(pid.map_or(0, |pid| i32::from(self.state.processes[usize::from(pid.0)].priority)))
    }

    fn set_priority(&mut self, me: Option<Pid>, process: &Expr, priority: &Expr, span: Span) -> Result<(), Failure> {
        let number = self.value(me, process)?;
        let priority = self.value(me, priority)?;
        if let Some(pid) = self.existing(number) {
            let valid = u8::try_from(priority).ok().filter(|p| *p > 0);
            let valid = valid.ok_or_else(|| RuntimeError::Priority(priority).at(span))?;
            self.state.processes[usize::from(pid.0)].priority = valid;
        }
        Ok(())
    }

    pub(super) fn values(&mut self, me: Option<Pid>, exprs: &[Expr]) -> Result<Vec<i32>, Failure> {
        exprs.iter().map(|expr| self.value(me, expr)).collect()
    }

    fn binary(
        &mut self,
        me: Option<Pid>,
        operator: Binary,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Result<i32, Failure> {
        let a = self.value(me, left)?;
        match operator {
            Binary::And if a == 0 => return Ok(0),
            Binary::Or if a != 0 => return Ok(1),
            _ => {}
        }
        let b = self.value(me, right)?;
        Ok(match operator {
            Binary::Add => a.wrapping_add(b),
            Binary::Subtract => a.wrapping_sub(b),
            Binary::Multiply => a.wrapping_mul(b),
            Binary::Divide | Binary::Remainder if b == 0 => return Err(RuntimeError::DivisionByZero.at(span)),
            Binary::Divide => a.wrapping_div(b),
            Binary::Remainder => a.wrapping_rem(b),
            Binary::BitAnd => a & b,
            Binary::BitOr => a | b,
            Binary::BitXor => a ^ b,
            Binary::ShiftLeft => a.wrapping_shl(b as u32),
            Binary::ShiftRight => a.wrapping_shr(b as u32),
            Binary::Less => i32::from(a < b),
            Binary::LessEqual => i32::from(a <= b),
            Binary::Greater => i32::from(a > b),
            Binary::GreaterEqual => i32::from(a >= b),
            Binary::Equal => i32::from(a == b),
            Binary::NotEqual => i32::from(a != b),
            Binary::And | Binary::Or => i32::from(b != 0),
        })
    }

    /// The value of a place. Indices are evaluated for `me`, locals are those of `whose`.
    fn read(&mut self, me: Option<Pid>, whose: Option<Pid>, place: &Place) -> Result<i32, Failure> {
        let path = self.path(me, place)?;
        match place.base {
            Base::Scratch => Ok(0),
            _ => match self.find(whose, place, &path)? {
                Value::Scalar(value) => Ok(*value),
                _ => Err(RuntimeError::Malformed("a whole array or record is read").at(place.span)),
            },
        }
    }

    /// Stores a number, truncated to the type of the place.
    pub(super) fn store(&mut self, me: Option<Pid>, place: &Place, number: i32) -> Result<(), Failure> {
        let path = self.path(me, place)?;
        if place.base == Base::Scratch {
            return Ok(());
        }
        // The elements of a bit array are bytes, because SPIN generates C, which has no
        // arrays of bit fields.
        let kind = match (place.kind, place.path.last()) {
            (Type::Bit | Type::Bool, Some(Access::Index(_))) => Type::Byte,
            (kind, _) => kind,
        };
        match self.find(me, place, &path)? {
            Value::Scalar(value) => {
                *value = truncate(kind, number);
                Ok(())
            }
            _ => Err(RuntimeError::Malformed("a whole array or record is assigned").at(place.span)),
        }
    }

    /// The indices and fields from the variable to the scalar.
    fn path(&mut self, me: Option<Pid>, place: &Place) -> Result<Vec<(i32, Span)>, Failure> {
        let step = |access: &Access| match access {
            Access::Index(index) => Ok((self.value(me, index)?, index.span)),
            Access::Field(field) => Ok((*field as i32, place.span)),
        };
        place.path.iter().map(step).collect()
    }

    fn find(&mut self, whose: Option<Pid>, place: &Place, path: &[(i32, Span)]) -> Result<&mut Value, Failure> {
        let malformed = || RuntimeError::Malformed("a place that does not exist").at(place.span);
        let mut value = match place.base {
            Base::Global(global) => {
                let index = global.0 as usize;
                let hidden = self.interpreter.model.globals.get(index).is_some_and(|v| v.hidden);
                let values = if hidden {
                    &mut self.state.hidden.0
                } else {
                    &mut self.state.globals
                };
                values.get_mut(index).ok_or_else(malformed)?
            }
            Base::Local(local) => {
                let process = whose.and_then(|pid| self.state.processes.get_mut(usize::from(pid.0)));
                let process = process.ok_or_else(malformed)?;
                process.locals.get_mut(local.0 as usize).ok_or_else(malformed)?
            }
            Base::Scratch => return Err(malformed()),
        };
        for (index, span) in path {
            value = match value {
                Value::Array(elements) => {
                    let length = elements.len();
                    let out_of_range = || RuntimeError::Index { index: *index, length }.at(*span);
                    let position = usize::try_from(*index).map_err(|_| out_of_range())?;
                    elements.get_mut(position).ok_or_else(out_of_range)?
                }
                Value::Record(fields) => fields.get_mut(*index as usize).ok_or_else(malformed)?,
                Value::Scalar(_) => return Err(malformed()),
            };
        }
        Ok(value)
    }

    /// The channel that an expression names.
    pub(super) fn open_channel(&mut self, me: Option<Pid>, expr: &Expr) -> Result<&mut Channel, Failure> {
        let number = self.value(me, expr)?;
        self.channel(number, expr.span)
    }

    /// The channel with this number.
    pub(super) fn channel(&mut self, number: i32, span: Span) -> Result<&mut Channel, Failure> {
        let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        let channel = index.and_then(|index| self.state.channels.get_mut(index));
        channel.ok_or_else(|| RuntimeError::NoChannel(number).at(span))
    }

    /// The index of the message that a receive takes: the first message if it matches, or with `??` the first that
    /// matches.
    pub(super) fn find_message<'v>(
        &mut self,
        me: Option<Pid>,
        patterns: &[Pattern],
        random: bool,
        messages: impl Iterator<Item = &'v Vec<i32>>,
        span: Span,
    ) -> Result<Option<usize>, Failure> {
        let candidates = if random { usize::MAX } else { 1 };
        for (index, message) in messages.enumerate().take(candidates) {
            if self.matches(me, patterns, message, span)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Whether a message matches the patterns.
    pub(super) fn matches(
        &mut self,
        me: Option<Pid>,
        patterns: &[Pattern],
        message: &[i32],
        span: Span,
    ) -> Result<bool, Failure> {
        if patterns.len() != message.len() {
            let (given, expected) = (patterns.len(), message.len());
            return Err(RuntimeError::Arity { given, expected }.at(span));
        }
        for (pattern, field) in patterns.iter().zip(message) {
            if let Pattern::Match(expected) = pattern
                && self.value(me, expected)? != *field
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn existing(&self, number: i32) -> Option<Pid> {
        let pid = Pid(u8::try_from(number).ok()?);
        self.state.process(pid).map(|_| pid)
    }

    /// The process that a remote reference means. None if it does not exist or is not of
    /// that proctype, in which case the reference is 0.
    fn remote(
        &mut self,
        me: Option<Pid>,
        proctype: ProctypeId,
        process: Option<&Expr>,
    ) -> Result<Option<Pid>, Failure> {
        let is_one = |machine: &Self, pid: Pid| machine.state.process(pid).is_some_and(|p| p.proctype == proctype);
        if let Some(process) = process {
            let number = self.value(me, process)?;
            return Ok(self.existing(number).filter(|pid| is_one(self, *pid)));
        }
        // As in SPIN, the first of several is meant.
        Ok(self.state.pids().find(|pid| is_one(self, *pid)))
    }

    fn is_at(&self, pid: Pid, label: LabelId) -> bool {
        let process = &self.state.processes[usize::from(pid.0)];
        let control = self.interpreter.control(process.proctype);
        control.labels_at(&process.position).contains(&label)
    }

    fn at_progress(&self) -> bool {
        let at = |process: &Process| {
            let control = self.interpreter.control(process.proctype);
            let proctype = self.proctype(process.proctype);
            let progress = |label: LabelId| proctype.labels[label.0 as usize].is_progress();
            control.marks_at(&process.position).any(progress)
        };
        self.state.processes.iter().any(at)
    }
}

fn poll(test: ChannelTest, channel: &Channel) -> bool {
    let full = channel.capacity > 0 && channel.messages.len() >= channel.capacity as usize;
    match test {
        ChannelTest::Empty => channel.messages.is_empty(),
        ChannelTest::NotEmpty => !channel.messages.is_empty(),
        ChannelTest::Full => full,
        ChannelTest::NotFull => !full,
    }
}
