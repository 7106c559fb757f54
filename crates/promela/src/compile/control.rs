//! Control flow: from a tree of statements to an automaton.
//!
//! Every construct gets *points*, connected by steps and by empty moves, which [`empty_moves`](super::empty_moves)
//! removes afterwards. The result has SPIN's steps, one for each statement. A `goto` or `break` is a step only as the first
//! statement of an option or block, or if a label makes it visible. As in SPIN, an `else` comes after the other options
//! of its selection and looks only at those before it. An end, accept or progress label of the first statement of an option
//! counts at the point that the statement leads to.

use super::Compiler;
use super::empty_moves::{Draft, EmptyMove, MoveKind, Point, PointDraft, StepDraft};
use crate::diagnostic::Diagnostic;
use crate::ir::{Action, Graph, LocationId, Node, Run};
use crate::model::{Expr, ExprKind, LabelId, Proctype, Sequence, Statement, StatementKind};
use crate::source::Span;
use std::collections::HashMap;

/// What surrounds a statement.
#[derive(Clone, Copy, Debug)]
struct Surroundings {
    /// Where a `break` leads.
    after_loop: Option<Point>,
    /// Whether it is the first statement of an option or block. A process is never at it, but at
    /// the selection or block.
    first: bool,
    /// The labels of such a first statement, as an index of [`Control::guard_labels`].
    guard: Option<usize>,
}

pub(super) struct Control<'c, 'm> {
    compiler: &'c mut Compiler<'m>,
    draft: Draft<'m>,
    /// The number of outermost `atomic` sequences so far.
    atomics: usize,
    /// The outermost `atomic` that new points lie in.
    atomic: Option<usize>,
    /// The `unless` constructs whose main sequence new points lie in, outermost first.
    mains: Vec<usize>,
    guard_labels: Vec<Vec<LabelId>>,
    /// Whether the current sequence is an option.
    in_option: bool,
    /// The points that a `goto` or `break` leaves without a step, and the place of that statement.
    jumps: HashMap<Point, Span>,
}

impl<'c, 'm> Control<'c, 'm> {
    pub(super) fn new(compiler: &'c mut Compiler<'m>, proctype: &'m Proctype) -> Self {
        Self {
            compiler,
            draft: Draft {
                proctype,
                points: Vec::new(),
                labels: vec![None; proctype.labels.len()],
                escapes: Vec::new(),
            },
            atomics: 0,
            atomic: None,
            mains: Vec::new(),
            guard_labels: Vec::new(),
            in_option: false,
            jumps: HashMap::new(),
        }
    }

    /// The graph of a sequence, and the locations of its labels. With `ends`, the process dies
    /// after the sequence.
    pub(super) fn graph(mut self, body: &'m Sequence, ends: Option<Span>) -> (Graph, Vec<Option<LocationId>>) {
        let start = self.point();
        let last = self.point();
        let around = Surroundings {
            after_loop: None,
            first: false,
            guard: None,
        };
        // Labels may be used before they are defined.
        self.reserve_labels(body);
        self.sequence(body, start, last, around);
        self.draft.points[last].is_final = true;
        if let Some(span) = ends {
            let statement = self.compiler.next_statement();
            self.step(last, last, Action::End, None, (span, statement, None));
        }
        self.refuse_endless_jumps();
        self.draft.graph(start, last, &mut self.compiler.refused)
    }

    /// Refuses jumps that only lead to one another, since a process could rest nowhere on the way.
    fn refuse_endless_jumps(&mut self) {
        // For each point, the walk that visited it, counted from 1.
        let mut walks = vec![0; self.draft.points.len()];
        for start in 0..self.draft.points.len() {
            let mut at = start;
            while walks[at] == 0
                && let Some(only) = self.draft.leads_to(at)
            {
                walks[at] = start + 1;
                at = only.to;
            }
            if walks[at] != start + 1 {
                continue;
            }
            let cycle = std::iter::successors(Some(at), |at| self.draft.leads_to(*at).map(|only| only.to));
            let jumps = cycle.take(self.draft.points.len()).filter_map(|at| self.jumps.get(&at));
            let span = jumps.copied().next().unwrap_or(self.draft.proctype.span);
            let message = "this jump leads back to itself without a statement in between";
            let diagnostic = Diagnostic::error("promela::endless-jump", span, message);
            self.compiler.refused.push(diagnostic.help("put a `skip` in between"));
        }
    }

    fn point(&mut self) -> Point {
        self.draft.points.push(PointDraft {
            atomic: self.atomic,
            mains: self.mains.clone(),
            ..PointDraft::default()
        });
        self.draft.points.len() - 1
    }

    fn empty(&mut self, from: Point, to: Point, kind: MoveKind) {
        self.draft.points[from].empty.push(EmptyMove { to, kind });
    }

    /// Adds a step. `place` is the place of the statement, its number, and its
    /// [`Surroundings::guard`].
    fn step(
        &mut self,
        from: Point,
        to: Point,
        action: Action,
        run: Option<Box<Run>>,
        place: (Span, u32, Option<usize>),
    ) {
        let (span, statement, guard) = place;
        let mains = self.draft.points[from].mains.clone();
        let atomic = self.draft.points[from].atomic;
        self.draft.points[from].steps.push(StepDraft {
            to,
            action,
            run,
            span,
            statement,
            escape: None,
            mains,
            atomic,
            labels: guard.map_or(Vec::new(), |guard| self.guard_labels[guard].clone()),
        });
    }

    /// Gives every label of `body` a point, where its statement will begin. Only the graph of a `d_step` knows the
    /// labels inside it.
    fn reserve_labels(&mut self, body: &'m Sequence) {
        for statement in body {
            for label in &statement.labels {
                self.draft.points.push(PointDraft::default());
                self.draft.labels[label.0 as usize] = Some(self.draft.points.len() - 1);
            }
            match &statement.kind {
                StatementKind::If(options) | StatementKind::Do(options) => {
                    options.iter().for_each(|option| self.reserve_labels(option));
                }
                StatementKind::Atomic(inner) | StatementKind::Block(inner) => self.reserve_labels(inner),
                StatementKind::Unless { main, escape } => {
                    self.reserve_labels(main);
                    self.reserve_labels(escape);
                }
                _ => {}
            }
        }
    }

    fn sequence(&mut self, sequence: &'m Sequence, from: Point, to: Point, around: Surroundings) {
        let mut here = from;
        for (k, statement) in sequence.iter().enumerate() {
            if self.in_option && is_redundant_skip(sequence, k) {
                continue;
            }
            let next = if k + 1 == sequence.len() { to } else { self.point() };
            let around = Surroundings {
                first: around.first && k == 0,
                guard: around.guard.filter(|_| k == 0),
                ..around
            };
            self.labelled(statement, here, next, around);
            here = next;
        }
        if sequence.is_empty() {
            self.empty(from, to, MoveKind::Into);
        }
    }

    fn labelled(&mut self, statement: &'m Statement, here: Point, next: Point, mut around: Surroundings) {
        for label in &statement.labels {
            let at = self.draft.labels[label.0 as usize].expect("reserved");
            self.draft.points[at].atomic = self.draft.points[here].atomic;
            self.draft.points[at].mains = self.draft.points[here].mains.clone();
            self.draft.points[if around.first { at } else { here }]
                .labels
                .push(*label);
            self.empty(at, here, MoveKind::Into);
        }
        if around.first && !statement.labels.is_empty() {
            let mut labels = statement.labels.clone();
            labels.extend(around.guard.iter().flat_map(|guard| &self.guard_labels[*guard]));
            self.guard_labels.push(labels);
            around.guard = Some(self.guard_labels.len() - 1);
        }
        self.statement(statement, here, next, around);
    }

    /// Whether a jump with this label is a step.
    fn is_visible(&self, label: LabelId) -> bool {
        let label = &self.draft.proctype.labels[label.0 as usize];
        label.is_end() || label.is_accept() || label.is_progress()
    }

    fn statement(&mut self, statement: &'m Statement, here: Point, next: Point, around: Surroundings) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::If(options) => self.options(options, here, next, around),
            StatementKind::Do(options) => {
                let head = self.point();
                self.empty(here, head, MoveKind::Into);
                let after_loop = Some(next);
                self.options(options, head, head, Surroundings { after_loop, ..around });
            }
            // A jump out of a `d_step` can only lead to what follows it.
            StatementKind::Break => self.jump(statement, here, around.after_loop.unwrap_or(next), around),
            StatementKind::Goto(label) => {
                let to = self.draft.labels[label.0 as usize].unwrap_or(next);
                self.jump(statement, here, to, around);
            }
            StatementKind::Block(inner) => {
                let start = self.point();
                self.empty(here, start, MoveKind::Opens);
                self.inner(inner, start, next, around);
            }
            StatementKind::Atomic(inner) => {
                let outer = self.atomic;
                if outer.is_none() {
                    self.atomics += 1;
                    self.atomic = Some(self.atomics);
                }
                let start = self.point();
                self.empty(here, start, MoveKind::Into);
                self.inner(inner, start, next, around);
                self.atomic = outer;
            }
            StatementKind::Unless { main, escape } => {
                let kind = match statement.labels.is_empty() {
                    true => MoveKind::Into,
                    false => MoveKind::Opens,
                };
                self.unless(main, escape, (here, kind), next, around);
            }
            simple => {
                let number = self.compiler.next_statement();
                let action = self.action(simple);
                let run = self.compiler.started.take();
                self.step(here, next, action, run, (span, number, around.guard));
            }
        }
    }

    /// Compiles a `goto` or `break`.
    fn jump(&mut self, statement: &'m Statement, here: Point, to: Point, around: Surroundings) {
        if around.first || statement.labels.iter().any(|label| self.is_visible(*label)) {
            let number = self.compiler.next_statement();
            self.step(here, to, Action::Skip, None, (statement.span, number, around.guard));
        } else {
            self.jumps.insert(here, statement.span);
            self.empty(here, to, MoveKind::Jump);
        }
    }

    /// Compiles an `unless`. `from` is the point in front of it, and how the main sequence is entered from there.
    fn unless(
        &mut self,
        main: &'m Sequence,
        escape: &'m Sequence,
        from: (Point, MoveKind),
        next: Point,
        around: Surroundings,
    ) {
        let escape_start = self.point();
        let id = self.draft.escapes.len();
        self.draft.escapes.push(escape_start);
        let beside = Surroundings {
            first: false,
            guard: None,
            ..around
        };
        let in_option = std::mem::replace(&mut self.in_option, false);
        self.sequence(escape, escape_start, next, beside);
        self.mains.push(id);
        let start = self.point();
        let (here, kind) = from;
        self.empty(here, start, kind);
        self.sequence(main, start, next, around);
        self.in_option = in_option;
        self.mains.pop();
    }

    /// Compiles the inside of a block.
    fn inner(&mut self, sequence: &'m Sequence, from: Point, to: Point, around: Surroundings) {
        let in_option = std::mem::replace(&mut self.in_option, false);
        self.sequence(sequence, from, to, Surroundings { first: true, ..around });
        self.in_option = in_option;
    }

    fn options(&mut self, options: &'m [Sequence], here: Point, next: Point, around: Surroundings) {
        let around = Surroundings { first: true, ..around };
        let is_else = |option: &&Sequence| matches!(option.first().map(|s| &s.kind), Some(StatementKind::Else));
        let (last, first): (Vec<_>, Vec<_>) = options.iter().partition(is_else);
        let in_option = std::mem::replace(&mut self.in_option, true);
        for option in first.into_iter().chain(last) {
            let start = self.point();
            self.empty(here, start, MoveKind::Opens);
            self.sequence(option, start, next, around);
        }
        self.in_option = in_option;
    }

    fn expression(&mut self, expr: &Expr) -> Node {
        self.compiler.expression(expr, Some(self.draft.proctype))
    }

    fn action(&mut self, kind: &'m StatementKind) -> Action {
        let proctype = self.draft.proctype;
        match kind {
            StatementKind::Expression(expr) => Action::Condition(self.expression(expr)),
            StatementKind::Else => Action::Else,
            StatementKind::Assign { place, value } => {
                let value = self.expression(value);
                match self.compiler.place(place, Some(proctype)) {
                    Ok(target) => Action::Assign(target, value),
                    Err(failure) => Action::Assert(failure),
                }
            }
            StatementKind::Send {
                channel,
                message,
                sorted,
            } => Action::Send {
                channel: self.expression(channel),
                message: message.iter().map(|m| self.expression(m)).collect(),
                sorted: *sorted,
            },
            StatementKind::Receive {
                channel,
                patterns,
                random,
                copy,
            } => Action::Receive {
                channel: self.expression(channel),
                patterns: self.compiler.patterns(patterns, Some(proctype)),
                random: *random,
                copy: *copy,
            },
            StatementKind::Assert(expr) => Action::Assert(self.expression(expr)),
            StatementKind::Print { .. } => Action::Skip,
            StatementKind::DStep(inner) => {
                let (mut graph, _) = Control::new(self.compiler, proctype).graph(inner, None);
                graph.mark_midway(true);
                Action::DStep(Box::new(graph))
            }
            StatementKind::If(_)
            | StatementKind::Do(_)
            | StatementKind::Break
            | StatementKind::Goto(_)
            | StatementKind::Atomic(_)
            | StatementKind::Block(_)
            | StatementKind::Unless { .. } => unreachable!("not a simple statement"),
        }
    }
}

/// Whether SPIN removes this `skip` from an option: it follows another skip or print, none of them has labels, and it is
/// neither the first nor the last statement.
fn is_redundant_skip(option: &Sequence, k: usize) -> bool {
    let is_skip =
        |s: &Statement| matches!(&s.kind, StatementKind::Expression(e) if matches!(e.kind, ExprKind::Constant(1)));
    let is_idle = |s: &Statement| s.labels.is_empty() && (is_skip(s) || matches!(s.kind, StatementKind::Print { .. }));
    k > 0 && k + 1 < option.len() && is_idle(&option[k]) && is_skip(&option[k]) && is_idle(&option[k - 1])
}
