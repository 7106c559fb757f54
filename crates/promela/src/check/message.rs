//! Checks channels and messages.
//!
//! A record in a message stands for its scalars. As in SPIN, a message may have fewer fields
//! than the channel's: missing fields are 0 in a send, and match any value in a
//! receive. Both get a warning. A message with more fields is an error.

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::model::{Base, Expr, ExprKind, Pattern, Place, Type};
use crate::preprocess::expansion::At;
use crate::preprocess::macros::counted;
use crate::syntax::{self, Reference};

impl Checker<'_> {
    /// Checks a reference to a channel. Returns it with the types of its messages' fields, if they are known.
    pub(super) fn channel_of(&mut self, reference: &Reference) -> Option<(Expr, Option<Vec<Type>>)> {
        let span = reference.at.span;
        let known = self.target(reference, None)?.channel.map(|(_, fields)| fields);
        let place = self.place(reference)?;
        if place.kind != Type::Chan {
            let message = format!("`{}` is not a channel", self.shown(reference));
            self.error("promela::type", reference.at, message);
            return None;
        }
        let kind = ExprKind::Read(place);
        Some((Expr { kind, span }, known))
    }

    /// Checks a reference to a channel, or to a variable that holds the number of one, as SPIN allows in `len`.
    pub(super) fn channel_or_number(&mut self, reference: &Reference) -> Option<(Expr, Option<Vec<Type>>)> {
        let place = self.place(reference)?;
        if place.kind == Type::Chan {
            return self.channel_of(reference);
        }
        let message = format!(
            "`{}` is not a channel: its value is used as the number of a channel",
            self.shown(reference)
        );
        self.warning("promela::type", reference.at, message);
        let span = reference.at.span;
        let kind = ExprKind::Read(place);
        Some((Expr { kind, span }, None))
    }

    fn shown(&self, reference: &Reference) -> String {
        let names: Vec<&str> = reference.parts.iter().map(|part| &*part.name.text).collect();
        names.join(".")
    }

    /// The scalars of a reference to a whole record.
    fn spread(&mut self, reference: &Reference) -> Option<Vec<Place>> {
        if reference.parts.len() == 1 && self.symbol(reference).is_some() {
            return None;
        }
        // Only a declared variable can be a record. Errors are reported elsewhere.
        let name = &reference.parts[0].name.text;
        self.scopes.find(name)?;
        let count = self.diagnostics.len();
        let target = self.target(reference, None);
        self.diagnostics.truncate(count);
        let target = target?;
        if !matches!(target.place.kind, Type::Record(_)) || target.length.is_some() {
            return None;
        }
        let scalars = self.written_out(target.place.kind, reference.at);
        let place = |(path, kind): (Vec<_>, Type)| Place {
            path: target.place.path.iter().cloned().chain(path).collect(),
            kind,
            ..target.place.clone()
        };
        Some(scalars.into_iter().map(place).collect())
    }

    /// Checks the values of a message, or the arguments of a process.
    pub(super) fn message(&mut self, values: &[syntax::Expr]) -> Vec<Expr> {
        let mut message = Vec::new();
        for value in values {
            if let syntax::ExprKind::Reference(reference) = &value.kind
                && let Some(places) = self.spread(reference)
            {
                let span = reference.at.span;
                let read = |place| Expr {
                    kind: ExprKind::Read(place),
                    span,
                };
                message.extend(places.into_iter().map(read));
                continue;
            }
            let value = self.value(value);
            message.push(value);
        }
        message
    }

    /// Checks the message of a send.
    pub(super) fn sent(&mut self, values: &[syntax::Expr], fields: Option<&[Type]>, at: At) -> Vec<Expr> {
        let mut message = self.message(values);
        let Some(fields) = fields else { return message };
        if values.len() == message.len() {
            for (value, kind) in values.iter().zip(fields) {
                self.fits(value, *kind);
            }
        }
        self.arity(message.len(), fields.len(), "sent", at, false);
        let span = at.span;
        // In a trace assertion, missing fields match any value.
        let kind = match self.body.is_trace {
            false => ExprKind::Constant(0),
            true => ExprKind::Read(Place {
                base: Base::Scratch,
                path: Vec::new(),
                kind: Type::Int,
                span,
            }),
        };
        message.resize(fields.len(), Expr { kind, span });
        message
    }

    /// Checks the patterns of a receive, or of a poll.
    pub(super) fn patterns(
        &mut self,
        written: &[syntax::Pattern],
        fields: Option<&[Type]>,
        at: At,
        polled: bool,
    ) -> Vec<Pattern> {
        let mut patterns = Vec::new();
        for pattern in written {
            match pattern {
                syntax::Pattern::Constant(value) | syntax::Pattern::Eval(value) => {
                    patterns.push(Pattern::Match(self.value(value)));
                }
                syntax::Pattern::Place(reference) => self.pattern(reference, &mut patterns),
            }
        }
        if !polled {
            self.received_twice(&patterns, at);
        }
        let Some(fields) = fields else { return patterns };
        self.arity(patterns.len(), fields.len(), "received", at, polled);
        patterns.resize(fields.len(), Pattern::Any(at.span));
        patterns
    }

    fn pattern(&mut self, reference: &Reference, patterns: &mut Vec<Pattern>) {
        let span = reference.at.span;
        if let Some((_, value)) = self.symbol(reference) {
            let kind = ExprKind::Constant(value);
            patterns.push(Pattern::Match(Expr { kind, span }));
            return;
        }
        match &*reference.parts[0].name.text {
            "_" => {
                patterns.push(Pattern::Any(span));
                return;
            }
            name @ ("_pid" | "_nr_pr" | "_last" | "_priority") => {
                let message = format!("`{name}` cannot receive a value");
                let diagnostic = Diagnostic::error("promela::read-only", span, message);
                self.report(
                    diagnostic.help(format!("to compare with it, write `eval({name})`")),
                    reference.at,
                );
                return;
            }
            _ => {}
        }
        if let Some(places) = self.spread(reference) {
            patterns.extend(places.into_iter().map(Pattern::Store));
            return;
        }
        if let Some(place) = self.assigned(reference) {
            patterns.push(Pattern::Store(place));
        } else {
            patterns.push(Pattern::Any(span));
        }
    }

    fn received_twice(&mut self, patterns: &[Pattern], at: At) {
        let scalars = patterns.iter().filter_map(|pattern| match pattern {
            Pattern::Store(place) if place.path.is_empty() => Some(place.base),
            _ => None,
        });
        let mut seen = Vec::new();
        for base in scalars {
            if seen.contains(&base) {
                let message = "a variable cannot receive two fields of a message";
                self.error("promela::received-twice", at, message);
                return;
            }
            seen.push(base);
        }
    }

    fn arity(&mut self, given: usize, expected: usize, verb: &str, at: At, polled: bool) {
        if given == expected {
            return;
        }
        let fields = counted(expected, "field");
        if given > expected {
            let message = format!("a message of this channel has {fields}, but {given} are {verb}");
            let diagnostic = match polled {
                true => Diagnostic::warning("promela::arity", at.span, message),
                false => Diagnostic::error("promela::arity", at.span, message),
            };
            self.report(diagnostic, at);
        } else {
            let rest = if verb == "sent" {
                "the rest is 0"
            } else {
                "the rest is ignored"
            };
            let message = format!(
                "a message of this channel has {fields}, but only {given} {} {verb}",
                if given == 1 { "is" } else { "are" }
            );
            self.report(Diagnostic::warning("promela::arity", at.span, message).label(rest), at);
        }
    }
}
