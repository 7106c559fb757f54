//! Executes a `trace` or `notrace` assertion directly from its tree.
//!
//! The assertion is at a position of its body, like a process. Each send or receive on a
//! channel that it names in an event of that kind must be among the statements that
//! it offers there.

use super::error::Failure;
use super::machine::Machine;
use super::position::{Control, Position};
use crate::RuntimeError;
use crate::model::{Base, Expr, ExprKind, Pattern, Sequence, Statement, StatementKind};
use crate::source::Span;

/// The position of a trace assertion.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Watch {
    /// There is none, or it can no longer be matched.
    Nothing,
    /// At a position of its body.
    At(Position),
}

/// An event on a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event<'a> {
    pub(super) is_send: bool,
    /// The channel.
    pub(super) number: i32,
    pub(super) message: &'a [i32],
    /// The statement.
    pub(super) span: Span,
}

impl Machine<'_, '_> {
    /// Moves the trace assertion with an event.
    pub(super) fn watch(&mut self, event: Event<'_>) -> Result<(), Failure> {
        let interpreter = self.interpreter;
        let (Some(control), Some(assertion)) = (&interpreter.trace, &interpreter.model.trace) else {
            return Ok(());
        };
        let Watch::At(position) = self.state.watch.clone() else {
            return Ok(());
        };
        if interpreter.ignores_assertions || !self.is_about(control.body, event)? {
            return Ok(());
        }
        let mut next = Vec::new();
        self.follow(control, &position, event, &mut Vec::new(), &mut next)?;
        match (next.pop(), assertion.must_match) {
            (Some(_), _) if !next.is_empty() => return Err(RuntimeError::TraceAmbiguous.at(event.span)),
            (Some(to), must_match) => {
                if !must_match && control.is_end(&to) {
                    return Err(RuntimeError::TraceMatched.at(event.span));
                }
                self.state.watch = Watch::At(to);
            }
            (None, true) => return Err(RuntimeError::TraceMismatch.at(event.span)),
            (None, false) => self.state.watch = Watch::Nothing,
        }
        Ok(())
    }

    /// Whether some statement of the assertion is about such an event on the channel.
    fn is_about(&mut self, sequence: &Sequence, event: Event<'_>) -> Result<bool, Failure> {
        for statement in sequence {
            let channel = match &statement.kind {
                StatementKind::Send { channel, .. } if event.is_send => Some(channel),
                StatementKind::Receive { channel, .. } if !event.is_send => Some(channel),
                _ => None,
            };
            if let Some(channel) = channel
                && self.value(None, channel)? == event.number
            {
                return Ok(true);
            }
            for inner in super::position::branches(statement) {
                if self.is_about(inner, event)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The positions that the event leads to. Jumps are followed without an event.
    fn follow(
        &mut self,
        control: &Control<'_>,
        position: &Position,
        event: Event<'_>,
        passed: &mut Vec<Position>,
        next: &mut Vec<Position>,
    ) -> Result<(), Failure> {
        if passed.contains(position) {
            return Ok(());
        }
        passed.push(position.clone());
        for offer in control.offers(position) {
            let Some(statement) = control.statement(&offer.position) else {
                continue;
            };
            let to = control.after(&offer.position);
            if matches!(statement.kind, StatementKind::Goto(_) | StatementKind::Break) {
                self.follow(control, &to, event, passed, next)?;
            } else if self.is_event(statement, event)? {
                next.push(to);
            }
        }
        Ok(())
    }

    fn is_event(&mut self, statement: &Statement, event: Event<'_>) -> Result<bool, Failure> {
        match &statement.kind {
            StatementKind::Send { channel, message, .. } if event.is_send => {
                let mut same = self.value(None, channel)? == event.number;
                for (value, sent) in message.iter().zip(event.message) {
                    same = same && (is_anything(value) || self.value(None, value)? == *sent);
                }
                Ok(same)
            }
            StatementKind::Receive { channel, patterns, .. } if !event.is_send => {
                let mut same = self.value(None, channel)? == event.number;
                for (pattern, received) in patterns.iter().zip(event.message) {
                    if let Pattern::Match(value) = pattern {
                        same = same && self.value(None, value)? == *received;
                    }
                }
                Ok(same)
            }
            _ => Ok(false),
        }
    }
}

/// Whether a field of a send stands for any value.
fn is_anything(value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Read(place) if place.base == Base::Scratch)
}
