//! Control flow: from a tree of statements to an automaton.
//!
//! First every construct gets *points*, connected by steps and by empty moves. Then the
//! empty moves are removed: a point that only leads to another one is that other one, and
//! a point from which empty moves lead to several (the options of `if` and `do`) has the
//! steps of all of them, and before them those of the escapes of `unless`. The result has SPIN's steps: one for
//! each statement; `goto` and `break` cost one only as the first statement of an option or
//! block, or if a label makes them visible. As in SPIN, an `else` comes after the other
//! options of its selection and looks only at what comes before it, and an end, accept or
//! progress label of the first statement of an option counts where that leads.
//!
//! Who is inside an `atomic` is decided per step: it keeps exclusive control if all the
//! points on the way to where it leads lie inside the same outermost `atomic`. So the
//! last statement of a loop inside `atomic` keeps it, and the last of an `atomic` inside a
//! loop does not, even if both lead to the first statement again.

use super::Compiler;
use crate::diagnostic::Diagnostic;
use crate::ir::{Action, Edge, Graph, Location, LocationId, Node, Run};
use crate::model::{Expr, ExprKind, LabelId, Proctype, Sequence, Statement, StatementKind};
use crate::narrow::index;
use crate::source::Span;
use std::collections::{HashMap, HashSet};

/// An index of a point.
type Point = usize;

/// A place between statements.
#[derive(Debug, Default)]
struct PointDraft {
    steps: Vec<StepDraft>,
    /// Points that it shares the steps of.
    empty: Vec<EmptyMove>,
    labels: Vec<LabelId>,
    /// The outermost `atomic` that it lies in.
    atomic: Option<usize>,
    /// The `unless` constructs whose main sequence it lies in, outermost first.
    mains: Vec<usize>,
    is_final: bool,
}

#[derive(Clone, Copy, Debug)]
struct EmptyMove {
    to: Point,
    kind: MoveKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MoveKind {
    /// Into a construct: a label in front of it is a label of its first point.
    Into,
    /// By `goto` or `break`.
    Jump,
    /// To what a selection or a block may begin with: the process is still in front of it.
    Opens,
}

#[derive(Clone, Debug)]
struct StepDraft {
    to: Point,
    action: Action,
    run: Option<Box<Run>>,
    span: Span,
    statement: u32,
    /// The `unless` whose escape it starts here.
    escape: Option<usize>,
    mains: Vec<usize>,
    atomic: Option<usize>,
    /// Labels that count where it leads.
    labels: Vec<LabelId>,
}

/// What surrounds a statement.
#[derive(Clone, Copy, Debug)]
struct Surroundings {
    /// Where `break` leads.
    after_loop: Option<Point>,
    /// Whether it is the first of an option or block: a process is never there, but at
    /// the selection or block.
    first: bool,
    /// The labels of such first statements, as a number of [`Control::guard_labels`].
    guard: Option<usize>,
}

pub(super) struct Control<'c, 'm> {
    compiler: &'c mut Compiler<'m>,
    proctype: &'m Proctype,
    points: Vec<PointDraft>,
    /// Per label, the point it is at.
    labels: Vec<Option<Point>>,
    atomics: usize,
    /// Per `unless`, where its escape begins.
    escapes: Vec<Point>,
    /// Where new points lie.
    atomic: Option<usize>,
    mains: Vec<usize>,
    guard_labels: Vec<Vec<LabelId>>,
    /// Whether the sequence that is compiled is an option.
    in_option: bool,
    /// The points that `goto` and `break` leave without a step, and where those are.
    jumps: HashMap<Point, Span>,
}

/// How many locations, and how many edges, a graph may have: two bytes name them, and name nothing
/// ([`Monitor`](crate::ir::Monitor), moves of claims).
const MOST: usize = 65_535;

impl<'c, 'm> Control<'c, 'm> {
    pub(super) fn new(compiler: &'c mut Compiler<'m>, proctype: &'m Proctype) -> Self {
        Self {
            compiler,
            proctype,
            points: Vec::new(),
            labels: vec![None; proctype.labels.len()],
            atomics: 0,
            escapes: Vec::new(),
            atomic: None,
            mains: Vec::new(),
            guard_labels: Vec::new(),
            in_option: false,
            jumps: HashMap::new(),
        }
    }

    /// The graph of a sequence, and where its labels are. With `ends`, the process dies
    /// after it.
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
        self.points[last].is_final = true;
        if let Some(span) = ends {
            let statement = self.compiler.next_statement();
            self.step(last, last, Action::End, None, (span, statement, None));
        }
        self.refuse_endless_jumps();
        self.finish(start, last)
    }

    /// The point that a point stands for, if all it does is to lead there.
    fn leads_to(&self, at: Point) -> Option<EmptyMove> {
        let point = &self.points[at];
        match point.empty[..] {
            [only] if point.steps.is_empty() && only.kind != MoveKind::Opens => Some(only),
            _ => None,
        }
    }

    /// Jumps that only lead to one another are no place where a process could be.
    fn refuse_endless_jumps(&mut self) {
        // For each point the walk that was there, counted from 1.
        let mut walks = vec![0; self.points.len()];
        for start in 0..self.points.len() {
            let mut at = start;
            while walks[at] == 0
                && let Some(only) = self.leads_to(at)
            {
                walks[at] = start + 1;
                at = only.to;
            }
            if walks[at] != start + 1 {
                continue;
            }
            let around = std::iter::successors(Some(at), |at| self.leads_to(*at).map(|only| only.to));
            let jumps = around.take(self.points.len()).filter_map(|at| self.jumps.get(&at));
            let span = jumps.copied().next().unwrap_or(self.proctype.span);
            let message = "this jump leads back to itself without a statement in between";
            let diagnostic = Diagnostic::error("promela::endless-jump", span, message);
            self.compiler.refused.push(diagnostic.help("`skip` is a statement"));
        }
    }

    fn point(&mut self) -> Point {
        self.points.push(PointDraft {
            atomic: self.atomic,
            mains: self.mains.clone(),
            ..PointDraft::default()
        });
        self.points.len() - 1
    }

    fn empty(&mut self, from: Point, to: Point, kind: MoveKind) {
        self.points[from].empty.push(EmptyMove { to, kind });
    }

    /// Adds a step; `place` is where the statement is, its number, and the labels of
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
        let mains = self.points[from].mains.clone();
        let atomic = self.points[from].atomic;
        self.points[from].steps.push(StepDraft {
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

    /// Gives every label of `body` a point, which its statement will begin at. Labels
    /// inside `d_step` are known only to its own graph.
    fn reserve_labels(&mut self, body: &'m Sequence) {
        for statement in body {
            for label in &statement.labels {
                self.points.push(PointDraft::default());
                self.labels[label.0 as usize] = Some(self.points.len() - 1);
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
            let at = self.labels[label.0 as usize].expect("reserved");
            self.points[at].atomic = self.points[here].atomic;
            self.points[at].mains = self.points[here].mains.clone();
            self.points[if around.first { at } else { here }].labels.push(*label);
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

    /// Whether a jump with this label is a place of its own.
    fn is_visible(&self, label: LabelId) -> bool {
        let label = &self.proctype.labels[label.0 as usize];
        label.is_end() || label.is_accept() || label.is_progress()
    }

    fn statement(&mut self, statement: &'m Statement, here: Point, next: Point, around: Surroundings) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::If(options) => {
                self.options(options, here, next, around);
            }
            StatementKind::Do(options) => {
                let head = self.point();
                self.empty(here, head, MoveKind::Into);
                let around = Surroundings {
                    after_loop: Some(next),
                    ..around
                };
                self.options(options, head, head, around);
            }
            StatementKind::Break | StatementKind::Goto(_) => {
                let to = match &statement.kind {
                    StatementKind::Goto(label) => self.labels[label.0 as usize],
                    _ => around.after_loop,
                };
                // Out of a `d_step` one can only go to what follows it.
                let to = to.unwrap_or(next);
                if around.first || statement.labels.iter().any(|label| self.is_visible(*label)) {
                    let number = self.compiler.next_statement();
                    self.step(here, to, Action::Skip, None, (span, number, around.guard));
                } else {
                    self.jumps.insert(here, span);
                    self.empty(here, to, MoveKind::Jump);
                }
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
                let escape_start = self.point();
                let id = self.escapes.len();
                self.escapes.push(escape_start);
                let beside = Surroundings {
                    first: false,
                    guard: None,
                    ..around
                };
                let in_option = std::mem::replace(&mut self.in_option, false);
                self.sequence(escape, escape_start, next, beside);
                self.mains.push(id);
                let start = self.point();
                let kind = match statement.labels.is_empty() {
                    true => MoveKind::Into,
                    false => MoveKind::Opens,
                };
                self.empty(here, start, kind);
                self.sequence(main, start, next, around);
                self.in_option = in_option;
                self.mains.pop();
            }
            simple => {
                let number = self.compiler.next_statement();
                let action = self.action(simple);
                let run = self.compiler.started.take();
                self.step(here, next, action, run, (span, number, around.guard));
            }
        }
    }

    /// The inside of a block.
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
        self.compiler.expression(expr, Some(self.proctype))
    }

    fn action(&mut self, kind: &'m StatementKind) -> Action {
        let proctype = self.proctype;
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

    /// The point where a process rests that goes to `from`: the end of a chain of single
    /// empty moves. `visit` is called for the points on the way.
    fn resolve(&self, from: Point, mut visit: impl FnMut(Point, MoveKind)) -> Point {
        let mut at = from;
        for _ in 0..=self.points.len() {
            let Some(only) = self.leads_to(at) else { break };
            visit(at, only.kind);
            at = only.to;
        }
        at
    }

    /// The steps from a point, those reached by empty moves included.
    fn openings(&self, from: Point, seen: &mut HashSet<Point>, out: &mut Vec<StepDraft>) {
        if !seen.insert(from) {
            return;
        }
        out.extend(self.points[from].steps.iter().cloned());
        for m in &self.points[from].empty {
            self.openings(m.to, seen, out);
        }
    }

    /// What a process at a point may do, in SPIN's order: the escapes first, the last of the
    /// outermost before all others. Where the process is in front of an `unless` rather than inside
    /// it, or an escape jumps back, the escape brings along its own escapes as
    /// alternatives to it. `depth` bounds how often.
    fn offers(&self, at: Point, depth: usize) -> Vec<StepDraft> {
        let mut plain = Vec::new();
        self.openings(at, &mut HashSet::new(), &mut plain);
        let mut escapes: Vec<StepDraft> = Vec::new();
        for step in &plain {
            for id in step.mains.iter().rev() {
                let begin = self.resolve(self.escapes[*id], |_, _| {});
                let mut openings = Vec::new();
                self.openings(begin, &mut HashSet::new(), &mut openings);
                let in_front = !self.points[at].mains.contains(id);
                let back = match (openings.first(), plain.first()) {
                    (Some(escape), Some(here)) => escape.span.start < here.span.start,
                    _ => false,
                };
                if (in_front || back) && begin != at && depth > 0 {
                    openings = self.offers(begin, depth - 1);
                }
                for mut opening in openings {
                    let known = |s: &StepDraft| s.statement == opening.statement;
                    if !plain.iter().any(known) && !escapes.iter().any(known) {
                        opening.escape = Some(*id);
                        escapes.push(opening);
                    }
                }
            }
        }
        escapes.reverse();
        for step in &mut plain {
            step.escape = None;
        }
        escapes.append(&mut plain);
        escapes
    }

    fn finish(self, start: Point, last: Point) -> (Graph, Vec<Option<LocationId>>) {
        let mut locations: Vec<Location> = Vec::new();
        let mut edges = Vec::new();
        let mut location_of: Vec<Option<LocationId>> = vec![None; self.points.len()];
        let mut todo = Vec::new();
        let mut labels_at: Vec<Vec<LabelId>> = Vec::new();
        let mut locate = |point: Point, todo: &mut Vec<Point>, labels_at: &mut Vec<Vec<LabelId>>| {
            let mut labels: Vec<LabelId> = Vec::new();
            let rest = self.resolve(point, |at, kind| {
                if kind == MoveKind::Into {
                    labels.extend(&self.points[at].labels);
                }
            });
            let id = *location_of[rest].get_or_insert_with(|| {
                todo.push(rest);
                labels_at.push(self.points[rest].labels.clone());
                // One too many is refused below.
                LocationId(u16::try_from(labels_at.len() - 1).unwrap_or(u16::MAX))
            });
            labels_at[id.index()].extend(labels);
            id
        };
        let start = locate(start, &mut todo, &mut labels_at);
        let mut k = 0;
        while k < todo.len() {
            let point = todo[k];
            k += 1;
            let steps = self.offers(point, 8);
            let escapes = steps.iter().any(|step| step.escape.is_some());
            let first = edges.len();
            if todo.len() > MOST || first + steps.len() > MOST {
                let Proctype { name, span, .. } = self.proctype;
                let message = format!("`{name}` has more than {MOST} steps from one place to another");
                let diagnostic = Diagnostic::error("promela::too-large", *span, message);
                self.compiler.refused.push(diagnostic);
                break;
            }
            for (k, step) in steps.iter().enumerate() {
                let to = locate(step.to, &mut todo, &mut labels_at);
                labels_at[to.index()].extend(&step.labels);
                edges.push(Edge {
                    to,
                    action: step.action.clone(),
                    run: step.run.clone(),
                    inhibitors: match escapes || matches!(step.action, Action::Else) {
                        true => inhibitors(k, &steps, first),
                        false => Box::default(),
                    },
                    only_waits: step.run.is_none() && step.action.only_waits(),
                    keeps: self.keeps(step),
                    midway: false,
                    span: step.span,
                    statement: step.statement,
                });
            }
            locations.push(Location {
                first: index(first),
                end: index(edges.len()),
                is_end: point == last,
                is_accept: false,
                is_progress: false,
            });
        }
        for (location, labels) in locations.iter_mut().zip(&labels_at) {
            for label in labels {
                let label = &self.proctype.labels[label.0 as usize];
                location.is_end |= label.is_end();
                location.is_accept |= label.is_accept();
                location.is_progress |= label.is_progress();
            }
        }
        let labels = self.labels.iter().map(|point| {
            let rest = self.resolve((*point)?, |_, _| {});
            location_of[rest]
        });
        let labels = labels.collect();
        let mut graph = Graph {
            locations,
            edges,
            start,
        };
        graph.mark_midway(false);
        (graph, labels)
    }

    /// Whether a process that takes this step keeps exclusive control.
    fn keeps(&self, step: &StepDraft) -> bool {
        let Some(atomic) = step.atomic else { return false };
        let mut inside = true;
        let rest = self.resolve(step.to, |at, _| inside &= self.points[at].atomic == Some(atomic));
        inside && self.points[rest].atomic == Some(atomic)
    }
}

/// A `skip` that SPIN takes out of an option: not the first of a row of skips and prints
/// without labels, neither first nor last.
fn is_redundant_skip(option: &Sequence, k: usize) -> bool {
    let is_skip =
        |s: &Statement| matches!(&s.kind, StatementKind::Expression(e) if matches!(e.kind, ExprKind::Constant(1)));
    let is_idle = |s: &Statement| s.labels.is_empty() && (is_skip(s) || matches!(s.kind, StatementKind::Print { .. }));
    k > 0 && k + 1 < option.len() && is_idle(&option[k]) && is_skip(&option[k]) && is_idle(&option[k - 1])
}

/// The positions of the steps that keep step number `k` from being executable.
fn inhibitors(k: usize, all: &[StepDraft], first: usize) -> Box<[u32]> {
    let step = &all[k];
    let inhibits = |at: usize, other: &StepDraft| {
        // Once an escape can be taken, nothing but that escape is.
        let escape = at < k && other.escape.is_some() && other.escape != step.escape;
        let alternative = at < k && matches!(step.action, Action::Else) && !matches!(other.action, Action::Else);
        escape || alternative
    };
    let positions = all.iter().enumerate().filter(|(at, other)| inhibits(*at, other));
    positions.map(|(k, _)| index(first + k)).collect()
}
