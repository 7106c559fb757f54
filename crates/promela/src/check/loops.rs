//! Turns `for` and `select` into loops over `do`.
//!
//! The statements are those that SPIN generates. The assignment that initialises the
//! index comes first and does not belong to the loop: a label in front of a `for`
//! labels the loop, so a jump to it does not reset the index.

use super::Checker;
use super::statement::number;
use crate::model::{
    self, Binary, Expr, ExprKind, LabelId, Pattern, Place, Sequence, Statement, StatementKind, Type, VariableId,
};
use crate::preprocess::expansion::At;
use crate::source::Span;
use crate::syntax::{self, Reference};

/// The longest range (`to - from`) for which `select` becomes a choice between assignments.
const CHOICE: i32 = 32;

impl Checker<'_> {
    /// `for (index : from .. to) { body }`
    pub(super) fn for_range(
        &mut self,
        index: &Reference,
        from: &syntax::Expr,
        to: &syntax::Expr,
        body: &[syntax::Statement],
        output: LoopOutput<'_>,
    ) {
        let from = self.value(from);
        let to = self.value(to);
        let place = self.index(index);
        self.up_to(place, from, to, body, output);
    }

    fn up_to(
        &mut self,
        place: Option<Place>,
        from: Expr,
        to: Expr,
        body: &[syntax::Statement],
        output: LoopOutput<'_>,
    ) {
        if let (ExprKind::Constant(from), ExprKind::Constant(to)) = (&from.kind, &to.kind)
            && from > to
        {
            let message = format!("the loop from {from} to {to} never runs");
            self.warning("promela::empty-range", output.at, message);
        }
        let body = self.loop_body(body);
        let Some(place) = place else { return };
        let span = output.at.span;
        output.out.push(plain(assign(place.clone(), from, span)));
        let guard = binary(Binary::LessEqual, read(&place), to, span);
        let mut main = vec![plain_at(StatementKind::Expression(guard), span)];
        main.extend(body);
        main.push(plain(next(place, span)));
        output.push(StatementKind::Do(vec![main, leave(span)]));
    }

    /// `for (index in array) { body }`, `for (message in channel) { body }`
    pub(super) fn for_in(
        &mut self,
        index: &Reference,
        collection: &Reference,
        body: &[syntax::Statement],
        output: LoopOutput<'_>,
    ) {
        let target = self.target(collection, None);
        let item = self.target(index, None);
        let (Some(target), Some(item)) = (target, item) else {
            self.loop_body(body);
            return;
        };
        let Type::Record(record) = item.place.kind else {
            let Some(length) = target.length else {
                self.error("promela::type", collection.at, "this is not an array to loop over");
                self.loop_body(body);
                return;
            };
            let place = self.index(index);
            let constant = |value| number(value, collection.at.span);
            self.up_to(place, constant(0), constant(length as i32 - 1), body, output);
            return;
        };
        let scalars = self.written_out(item.place.kind, collection.at);
        let types: Vec<Type> = scalars.iter().map(|(_, kind)| *kind).collect();
        let matches = |(capacity, fields): &(u32, Vec<Type>)| *capacity > 0 && *fields == types;
        if target.place.kind != Type::Chan || !target.channel.as_ref().is_some_and(matches) {
            let name = &self.model.records[record.0 as usize].name;
            let message = format!("this is not a buffered channel of messages `{{ {name} }}`");
            self.error("promela::type", collection.at, message);
            self.loop_body(body);
            return;
        }
        self.rotate(&item.place, target, scalars, body, output);
    }

    /// Builds the loop over a channel, which receives each message and sends it back.
    fn rotate(
        &mut self,
        item: &Place,
        target: super::place::Target,
        scalars: Vec<(Vec<model::Access>, Type)>,
        body: &[syntax::Statement],
        output: LoopOutput<'_>,
    ) {
        let span = output.at.span;
        let capacity = target.channel.as_ref().map_or(0, |(capacity, _)| *capacity);
        let counter = self.counter(capacity, span);
        let body = self.loop_body(body);
        let part = |(path, kind): &(Vec<model::Access>, Type)| Place {
            path: item.path.iter().chain(path).cloned().collect(),
            kind: *kind,
            ..item.clone()
        };
        let places: Vec<Place> = scalars.iter().map(part).collect();
        let channel = Expr {
            span: target.place.span,
            kind: ExprKind::Read(target.place),
        };
        let length = Expr {
            kind: ExprKind::Len(Box::new(channel.clone())),
            span,
        };
        output.out.push(plain(assign(counter.clone(), number(0, span), span)));
        let guard = binary(Binary::Less, read(&counter), length, span);
        let receive = StatementKind::Receive {
            channel: channel.clone(),
            patterns: places.iter().cloned().map(Pattern::Store).collect(),
            random: false,
            copy: false,
        };
        let send = StatementKind::Send {
            channel,
            message: places.iter().map(read).collect(),
            sorted: false,
        };
        let mut main: Sequence = [StatementKind::Expression(guard), receive, send]
            .map(|kind| plain_at(kind, span))
            .into();
        main.extend(body);
        main.push(plain(next(counter, span)));
        output.push(StatementKind::Do(vec![main, leave(span)]));
    }

    /// Declares a local variable that counts the messages of a channel.
    fn counter(&mut self, capacity: u32, span: Span) -> Place {
        let id = VariableId(crate::narrow::index(self.body.locals.len()));
        let kind = if capacity > 255 { Type::Short } else { Type::Byte };
        self.body.locals.push(model::Variable {
            name: format!("for_{}", id.0),
            kind,
            length: None,
            initial: model::Initial::Zero,
            hidden: false,
            span,
        });
        Place {
            base: model::Base::Local(id),
            path: Vec::new(),
            kind,
            span,
        }
    }

    /// `select (index : from .. to)`
    pub(super) fn select(
        &mut self,
        index: &Reference,
        from: &syntax::Expr,
        to: &syntax::Expr,
        textual: bool,
        output: LoopOutput<'_>,
    ) {
        let (from, to) = (self.value(from), self.value(to));
        let Some(place) = self.index(index) else { return };
        let span = output.at.span;
        let bounds = match (&from.kind, &to.kind) {
            (ExprKind::Constant(from), ExprKind::Constant(to)) => Some((*from, *to)),
            _ => None,
        };
        if bounds.is_some_and(|(from, to)| from > to) {
            self.error("promela::empty-range", output.at, "there is no value in this range");
            return;
        }
        if let Some((from, to)) = bounds.filter(|(from, to)| textual && to - from <= CHOICE) {
            let option = |value| vec![plain(assign(place.clone(), number(value, span), span))];
            output.push(StatementKind::If((from..=to).map(option).collect()));
            return;
        }
        let start = assign(place.clone(), from, span);
        let guard = binary(Binary::Less, read(&place), to, span);
        let more = vec![
            plain_at(StatementKind::Expression(guard), span),
            plain(next(place, span)),
        ];
        let stop = vec![plain_at(StatementKind::Break, span)];
        if textual {
            // The label belongs to the assignment, which comes first in the text.
            let (out, labels) = (output.out, output.labels);
            let (kind, span) = start;
            out.push(Statement { labels, kind, span });
            out.push(plain_at(StatementKind::Do(vec![more, stop]), span));
        } else {
            output.out.push(plain(start));
            output.push(StatementKind::Do(vec![stop, more]));
        }
    }

    fn loop_body(&mut self, body: &[syntax::Statement]) -> Sequence {
        self.body.loops += 1;
        let body = self.block(body, false);
        self.body.loops -= 1;
        body
    }

    fn index(&mut self, index: &Reference) -> Option<Place> {
        let place = self.place(index)?;
        if place.kind == Type::Chan || place.base == model::Base::Scratch {
            self.error("promela::type", index.at, "a loop needs a number to count with");
            return None;
        }
        if index.parts.len() > 1 || index.parts[0].index.is_some() {
            self.error(
                "promela::type",
                index.at,
                "a loop counts with a variable, not a field or an element",
            );
            return None;
        }
        Some(place)
    }
}

/// The sequence that the statements of a loop are added to, and the labels and place of the loop.
pub(super) struct LoopOutput<'a> {
    pub(super) out: &'a mut Sequence,
    pub(super) labels: Vec<LabelId>,
    pub(super) at: At,
}

impl LoopOutput<'_> {
    fn push(self, kind: StatementKind) {
        self.out.push(Statement {
            labels: self.labels,
            kind,
            span: self.at.span,
        });
    }
}

fn plain_at(kind: StatementKind, span: Span) -> Statement {
    let labels = Vec::new();
    Statement { labels, kind, span }
}

fn plain((kind, span): (StatementKind, Span)) -> Statement {
    plain_at(kind, span)
}

fn assign(place: Place, value: Expr, span: Span) -> (StatementKind, Span) {
    (StatementKind::Assign { place, value }, span)
}

fn read(place: &Place) -> Expr {
    Expr {
        kind: ExprKind::Read(place.clone()),
        span: place.span,
    }
}

fn binary(operator: Binary, left: Expr, right: Expr, span: Span) -> Expr {
    let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
    Expr { kind, span }
}

fn next(place: Place, span: Span) -> (StatementKind, Span) {
    let value = binary(Binary::Add, read(&place), number(1, span), span);
    assign(place, value, span)
}

/// `else -> break`
fn leave(span: Span) -> Sequence {
    vec![
        plain_at(StatementKind::Else, span),
        plain_at(StatementKind::Break, span),
    ]
}
