//! Positions of processes, and the control flow of the tree.
//!
//! A position is the path from the body to a statement: the index of a statement, a branch of
//! it, the index of a statement there, and so on. The position after the last statement of the body is the
//! end. The rules follow SPIN, whose automata have one state for each statement, with
//! these exceptions:
//!
//! * `goto` and `break` take no step after another statement: the
//!   process is at their target at once. They are steps if an option
//!   or a block starts with them, or if an end, accept or progress label
//!   or a remote reference makes the place of the jump itself visible.
//! * `unless` has no state of its own. A process is at the first statement of its main
//!   sequence, unless the `unless` is labelled.
//! * A second `skip` in a row inside an option is dropped unless it ends the option.
//! * `if`, `do`, `atomic` and blocks have a state each, which offers the first statements
//!   of their branches, down through selections that start with selections.

use std::collections::{HashMap, HashSet};

use crate::model::{ExprKind, LabelId, Model, Proctype, Sequence, Statement, StatementKind};
use crate::narrow;

/// A position in the body of a proctype: the index of a statement, then alternately a branch
/// of it and the index of a statement in that branch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position(pub(super) Vec<u32>);

impl Position {
    /// The path, as it identifies the statement in its proctype.
    pub fn path(&self) -> &[u32] {
        &self.0
    }

    fn enclosing(&self) -> Option<(Position, u32)> {
        let n = self.0.len();
        (n >= 3).then(|| (Position(self.0[..n - 2].to_vec()), self.0[n - 2]))
    }

    fn first_of(&self, branch: u32) -> Position {
        let mut path = self.0.clone();
        path.extend([branch, 0]);
        Position(path)
    }

    /// Whether SPIN gives the statement here a smaller number than the other. Numbers follow the order of the text,
    /// except that a compound statement comes after its parts.
    fn is_numbered_before(&self, other: &Position) -> bool {
        self.is_inside(other) || (!other.is_inside(self) && self < other)
    }

    /// The first position inside the `d_step` at this position.
    pub(super) fn first_inside(&self) -> Position {
        Position(self.0.iter().copied().chain([0, 0]).collect())
    }

    pub(super) fn is_inside(&self, other: &Position) -> bool {
        self.0.len() > other.0.len() && self.0.starts_with(&other.0)
    }
}

/// The control flow of one proctype.
#[derive(Clone, Debug)]
pub(super) struct Control<'m> {
    pub(super) body: &'m Sequence,
    labels: Vec<Option<Position>>,
    /// Labels that make a jump a step.
    visible: HashSet<LabelId>,
    /// Labels of the guards of selections, by the position that the guard leads to.
    inherited: HashMap<Position, Vec<LabelId>>,
}

/// A statement that a process may execute next. If it starts an escape of an `unless`, also
/// the position where that escape begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) position: Position,
    pub(super) escape: Option<Position>,
}

/// The branches of a statement.
pub(super) fn branches(statement: &Statement) -> Vec<&Sequence> {
    match &statement.kind {
        StatementKind::If(options) | StatementKind::Do(options) => options.iter().collect(),
        StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body) => vec![body],
        StatementKind::Unless { main, escape } => vec![main, escape],
        _ => Vec::new(),
    }
}

impl<'m> Control<'m> {
    pub(super) fn new(proctype: &'m Proctype, referenced: &HashSet<LabelId>) -> Self {
        let mut control = Control {
            body: &proctype.body,
            labels: vec![None; proctype.labels.len()],
            visible: referenced.clone(),
            inherited: HashMap::new(),
        };
        for (index, label) in proctype.labels.iter().enumerate() {
            if label.is_end() || label.is_accept() || label.is_progress() {
                control.visible.insert(LabelId(narrow::index(index)));
            }
        }
        control.place_labels(&proctype.body, &mut Vec::new());
        control.inherited = control.guard_labels();
        control
    }

    pub(super) fn show(&mut self, label: LabelId) {
        self.visible.insert(label);
    }

    fn place_labels(&mut self, sequence: &'m Sequence, path: &mut Vec<u32>) {
        for (index, statement) in sequence.iter().enumerate() {
            path.push(narrow::index(index));
            for label in &statement.labels {
                if let Some(place) = self.labels.get_mut(label.0 as usize) {
                    *place = Some(Position(path.clone()));
                }
            }
            for (branch, inner) in branches(statement).into_iter().enumerate() {
                path.push(narrow::index(branch));
                self.place_labels(inner, path);
                path.pop();
            }
            path.pop();
        }
    }

    /// Collects the labels of guards. A process is never at the first statement of an option, but at the selection. As in
    /// SPIN, which warns about such labels, an end, accept or progress label of that statement counts at the position
    /// that it leads to.
    fn guard_labels(&self) -> HashMap<Position, Vec<LabelId>> {
        let mut inherited: HashMap<Position, Vec<LabelId>> = HashMap::new();
        for (index, place) in self.labels.iter().enumerate() {
            let (Some(place), label) = (place, LabelId(narrow::index(index))) else {
                continue;
            };
            if self.is_guard(place) && self.visible.contains(&label) {
                let mut openings = Vec::new();
                self.openings(place, &mut openings);
                for opening in openings {
                    inherited.entry(self.after(&opening)).or_default().push(label);
                }
            }
        }
        inherited
    }

    /// Whether a selection or a block starts with this statement. Then a process
    /// is at that selection or block instead.
    fn is_guard(&self, position: &Position) -> bool {
        match position.enclosing() {
            Some((outer, branch)) if position.0.last() == Some(&0) => match self.statement(&outer).map(|s| &s.kind) {
                Some(StatementKind::Unless { .. }) => branch == 0 && self.is_guard(&outer),
                _ => true,
            },
            _ => false,
        }
    }

    /// The statement at a position. None at the end.
    pub(super) fn statement(&self, position: &Position) -> Option<&'m Statement> {
        let (index, sequence) = self.sequence(position)?;
        sequence.get(index)
    }

    /// The sequence that a position is in, and its index there.
    fn sequence(&self, position: &Position) -> Option<(usize, &'m Sequence)> {
        let mut sequence = self.body;
        let mut path = position.0.iter();
        let mut index = *path.next()? as usize;
        while let (Some(branch), Some(next)) = (path.next(), path.next()) {
            sequence = branches(sequence.get(index)?).get(*branch as usize).copied()?;
            index = *next as usize;
        }
        Some((index, sequence))
    }

    /// Whether this is the end of the body.
    pub(super) fn is_end(&self, position: &Position) -> bool {
        position.0.len() == 1 && self.statement(position).is_none()
    }

    /// The first position of a process.
    pub(super) fn start(&self) -> Position {
        self.settle(Position(vec![0]))
    }

    /// Enters the main sequence of unlabelled `unless` statements.
    fn below_unless(&self, mut position: Position) -> Position {
        while let Some(statement) = self.statement(&position) {
            if !matches!(statement.kind, StatementKind::Unless { .. }) || !statement.labels.is_empty() {
                break;
            }
            position = position.first_of(0);
        }
        position
    }

    /// The position of the process after it executed the statement at `position`.
    pub(super) fn after(&self, position: &Position) -> Position {
        match self.statement(position).map(|statement| &statement.kind) {
            Some(StatementKind::Goto(label)) => self.settle(self.label(*label)),
            Some(StatementKind::Break) => self.settle(self.behind_loop(position)),
            _ => self.settle(self.follow(position.clone())),
        }
    }

    fn label(&self, label: LabelId) -> Position {
        // The front end makes sure that every label is defined.
        let end = Position(vec![narrow::index(self.body.len())]);
        self.labels.get(label.0 as usize).cloned().flatten().unwrap_or(end)
    }

    fn behind_loop(&self, position: &Position) -> Position {
        let mut inner = position.clone();
        while let Some((outer, _)) = inner.enclosing() {
            let found = matches!(self.statement(&outer).map(|s| &s.kind), Some(StatementKind::Do(_)));
            inner = outer;
            if found {
                return self.follow(inner);
            }
        }
        Position(vec![narrow::index(self.body.len())])
    }

    /// The statement after this one, in the text or back at the head of the loop.
    fn follow(&self, mut position: Position) -> Position {
        loop {
            *position.0.last_mut().expect("a position has at least one index") += 1;
            match self.sequence(&position) {
                Some((index, sequence)) if index >= sequence.len() => {}
                _ => {
                    if self.is_dropped_skip(&position) {
                        continue;
                    }
                    return position;
                }
            }
            let Some((outer, _)) = position.enclosing() else {
                return position;
            };
            position = outer;
            if matches!(self.statement(&position).map(|s| &s.kind), Some(StatementKind::Do(_))) {
                return position;
            }
        }
    }

    /// Whether SPIN removes this `skip`: it follows another skip or print, none of them has labels, and it is
    /// neither the first nor the last statement of its option.
    fn is_dropped_skip(&self, position: &Position) -> bool {
        let Some((outer, _)) = position.enclosing() else {
            return false;
        };
        let Some((index, sequence)) = self.sequence(position) else {
            return false;
        };
        let in_option = matches!(
            self.statement(&outer).map(|s| &s.kind),
            Some(StatementKind::If(_) | StatementKind::Do(_))
        );
        let idle = |statement: &Statement| {
            let skip =
                matches!(&statement.kind, StatementKind::Expression(e) if matches!(e.kind, ExprKind::Constant(1)));
            let print = matches!(statement.kind, StatementKind::Print { .. });
            (statement.labels.is_empty() && (skip || print), print)
        };
        let (idles, prints) = idle(&sequence[index]);
        in_option && index > 0 && index + 1 < sequence.len() && idles && !prints && idle(&sequence[index - 1]).0
    }

    /// Follows jumps that take no step.
    fn settle(&self, mut position: Position) -> Position {
        // A cycle of jumps has no position to stop at. The front end refuses such models.
        for _ in 0..1 << 16 {
            position = self.below_unless(position);
            let Some(statement) = self.statement(&position) else {
                break;
            };
            if statement.labels.iter().any(|label| self.visible.contains(label)) {
                break;
            }
            let target = match statement.kind {
                StatementKind::Goto(label) => self.label(label),
                StatementKind::Break => self.behind_loop(&position),
                _ => break,
            };
            if target == position {
                break;
            }
            position = target;
        }
        position
    }

    /// The statements that a process at `position` may execute next, in SPIN's order: first the
    /// escapes, then the options, each `else` after the others of its
    /// selection.
    pub(super) fn offers(&self, position: &Position) -> Vec<Offer> {
        let mut plain = Vec::new();
        self.openings(position, &mut plain);
        let mut escapes: Vec<Offer> = Vec::new();
        for opening in &plain {
            for beginning in self.escapes(opening) {
                let mut openings = Vec::new();
                if beginning.is_numbered_before(position) {
                    openings.extend(self.offers(&beginning).into_iter().map(|offer| offer.position));
                } else {
                    self.openings(&beginning, &mut openings);
                }
                for position in openings {
                    if !plain.contains(&position) && !escapes.iter().any(|offer| offer.position == position) {
                        escapes.push(Offer {
                            position,
                            escape: Some(beginning.clone()),
                        });
                    }
                }
            }
        }
        // SPIN puts each escape in front of what it has, so that the last is tried first:
        // that of the outermost `unless`. It goes through the statements by their numbers,
        // so that an escape with a smaller number has got its own escapes by then, and
        // brings them along as if they were alternatives to it: this is so where a
        // selection or a block starts with nested `unless` statements.
        escapes.reverse();
        let plain = plain.into_iter().map(|position| Offer { position, escape: None });
        escapes.into_iter().chain(plain).collect()
    }

    /// The simple statements that the statement at `position` may start with.
    pub(super) fn openings(&self, position: &Position, out: &mut Vec<Position>) {
        let Some(statement) = self.statement(position) else {
            out.push(position.clone());
            return;
        };
        match &statement.kind {
            StatementKind::If(options) | StatementKind::Do(options) => {
                let is_else = |option: &Sequence| matches!(option.first().map(|s| &s.kind), Some(StatementKind::Else));
                let (last, first): (Vec<usize>, Vec<usize>) = (0..options.len()).partition(|k| is_else(&options[*k]));
                for option in first.into_iter().chain(last) {
                    self.openings(&position.first_of(narrow::index(option)), out);
                }
            }
            StatementKind::Atomic(_) | StatementKind::Block(_) | StatementKind::Unless { .. } => {
                self.openings(&position.first_of(0), out);
            }
            _ => out.push(position.clone()),
        }
    }

    /// The positions where the escapes of a statement begin, innermost first.
    fn escapes(&self, position: &Position) -> Vec<Position> {
        let mut beginnings = Vec::new();
        let mut inner = position.clone();
        while let Some((outer, branch)) = inner.enclosing() {
            let unless = matches!(
                self.statement(&outer).map(|s| &s.kind),
                Some(StatementKind::Unless { .. })
            );
            if unless && branch == 0 {
                beginnings.push(self.settle(outer.first_of(1)));
            }
            inner = outer;
        }
        beginnings
    }

    /// Whether a statement is inside `atomic`.
    pub(super) fn in_atomic(&self, position: &Position) -> bool {
        let mut inner = position.clone();
        while let Some((outer, _)) = inner.enclosing() {
            if matches!(self.statement(&outer).map(|s| &s.kind), Some(StatementKind::Atomic(_))) {
                return true;
            }
            inner = outer;
        }
        false
    }

    /// The labels that count at a position: whether it is a valid end, accepting, or
    /// progress.
    pub(super) fn marks_at(&self, position: &Position) -> impl Iterator<Item = LabelId> {
        let inherited = self.inherited.get(position).into_iter().flatten();
        self.labels_at(position).iter().chain(inherited).copied()
    }

    /// The labels of the statement at a position.
    pub(super) fn labels_at(&self, position: &Position) -> &'m [LabelId] {
        self.statement(position).map_or(&[], |statement| &statement.labels)
    }
}

/// The control flow of all proctypes of a model.
pub(super) fn controls<'m>(model: &'m Model, referenced: &HashSet<(u32, LabelId)>) -> Vec<Control<'m>> {
    let of = |index: usize| {
        let here = referenced.iter().filter(|(proctype, _)| *proctype as usize == index);
        here.map(|(_, label)| *label).collect()
    };
    let proctypes = model.proctypes.iter().enumerate();
    proctypes
        .map(|(index, proctype)| Control::new(proctype, &of(index)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::builder::*;
    use super::*;

    fn at(path: &[u32]) -> Position {
        Position(path.to_vec())
    }

    fn positions(offers: Vec<Offer>) -> Vec<Position> {
        offers.into_iter().map(|offer| offer.position).collect()
    }

    #[test]
    fn a_break_after_a_statement_takes_no_step_but_is_one_at_the_start_of_an_option() {
        // do :: skip; break :: break od; skip
        let body = vec![repeat(vec![vec![skip(), leave()], vec![leave()]]), skip()];
        let proctype = active("P", body);
        let control = Control::new(&proctype, &HashSet::new());
        assert_eq!(positions(control.offers(&at(&[0]))), [at(&[0, 0, 0]), at(&[0, 1, 0])]);
        assert_eq!(control.after(&at(&[0, 0, 0])), at(&[1]));
        assert_eq!(control.after(&at(&[0, 1, 0])), at(&[1]));
        assert!(control.is_end(&control.after(&at(&[1]))));
    }

    #[test]
    fn selections_that_start_with_selections_offer_all_first_statements_and_else_last() {
        // if :: else :: if :: skip :: skip fi fi
        let inner = choose(vec![vec![skip()], vec![skip()]]);
        let proctype = active("P", vec![choose(vec![vec![otherwise()], vec![inner]])]);
        let control = Control::new(&proctype, &HashSet::new());
        let offers = positions(control.offers(&control.start()));
        assert_eq!(offers, [at(&[0, 1, 0, 0, 0]), at(&[0, 1, 0, 1, 0]), at(&[0, 0, 0])]);
    }

    #[test]
    fn the_outermost_escape_comes_first() {
        // { { skip } unless { skip } } unless { skip }
        let unless = |main, escape| {
            let escape = vec![escape];
            statement(StatementKind::Unless { main, escape })
        };
        let inner = unless(vec![skip()], skip());
        let proctype = active("P", vec![unless(vec![inner], skip())]);
        let control = Control::new(&proctype, &HashSet::new());
        assert_eq!(control.start(), at(&[0, 0, 0, 0, 0]));
        let offers = positions(control.offers(&control.start()));
        assert_eq!(offers, [at(&[0, 1, 0]), at(&[0, 0, 0, 1, 0]), at(&[0, 0, 0, 0, 0])]);
    }

    #[test]
    fn an_option_loses_its_redundant_skips() {
        let proctype = active("P", vec![choose(vec![vec![skip(), skip(), skip(), skip()]])]);
        let control = Control::new(&proctype, &HashSet::new());
        assert_eq!(control.after(&at(&[0, 0, 0])), at(&[0, 0, 3]));
    }
}
