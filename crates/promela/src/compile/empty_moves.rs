//! Removes empty moves: from points to the automaton of a body.
//!
//! A point that only leads to another one is that other one. A point from which empty moves lead to several points (the
//! options of `if` and `do`) has the steps of all of them, preceded by those of the escapes of `unless`. The result
//! has SPIN's steps.
//!
//! Whether a process is inside an `atomic` is decided for each step: it keeps exclusive control if all points on the way to
//! where the step leads lie inside the same outermost `atomic`. So the last statement of a loop inside `atomic` keeps
//! control, and the last statement of an `atomic` inside a loop does not, even if both lead to the first statement again.

use crate::diagnostic::Diagnostic;
use crate::ir::{Action, Edge, Graph, Location, LocationId, Run};
use crate::model::{LabelId, Proctype};
use crate::narrow::index;
use crate::source::Span;
use std::collections::HashSet;

/// The index of a point in [`Draft::points`].
pub(super) type Point = usize;

/// A place between statements.
#[derive(Debug, Default)]
pub(super) struct PointDraft {
    pub(super) steps: Vec<StepDraft>,
    /// The points whose steps it shares.
    pub(super) empty: Vec<EmptyMove>,
    pub(super) labels: Vec<LabelId>,
    /// The outermost `atomic` that it lies in.
    pub(super) atomic: Option<usize>,
    /// The `unless` constructs whose main sequence it lies in, outermost first.
    pub(super) mains: Vec<usize>,
    pub(super) is_final: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EmptyMove {
    pub(super) to: Point,
    pub(super) kind: MoveKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveKind {
    /// Into a construct: a label in front of it is a label of its first point.
    Into,
    /// A `goto` or `break`.
    Jump,
    /// To a point that a selection or block may begin with. The process is still in front of that point.
    Opens,
}

#[derive(Clone, Debug)]
pub(super) struct StepDraft {
    pub(super) to: Point,
    pub(super) action: Action,
    pub(super) run: Option<Box<Run>>,
    pub(super) span: Span,
    pub(super) statement: u32,
    /// The `unless` whose escape begins with this step.
    pub(super) escape: Option<usize>,
    pub(super) mains: Vec<usize>,
    pub(super) atomic: Option<usize>,
    /// Labels that also count at the point it leads to.
    pub(super) labels: Vec<LabelId>,
}

/// The points of a body, with the steps and empty moves between them.
pub(super) struct Draft<'m> {
    pub(super) proctype: &'m Proctype,
    pub(super) points: Vec<PointDraft>,
    /// For each label, the point it is at.
    pub(super) labels: Vec<Option<Point>>,
    /// For each `unless`, the point where its escape begins.
    pub(super) escapes: Vec<Point>,
}

/// The greatest number of locations, and of edges, in a graph. Two bytes hold such a number, or one more value that
/// means "none" ([`Monitor`](crate::ir::Monitor), moves of claims).
const MOST: usize = 65_535;

/// How often the escapes of an escape are followed.
const DEPTH: usize = 8;

impl Draft<'_> {
    /// The only empty move from a point that does nothing else.
    pub(super) fn leads_to(&self, at: Point) -> Option<EmptyMove> {
        let point = &self.points[at];
        match point.empty[..] {
            [only] if point.steps.is_empty() && only.kind != MoveKind::Opens => Some(only),
            _ => None,
        }
    }

    /// The automaton, and the locations of the labels. A graph with too many steps is refused.
    pub(super) fn graph(
        &self,
        start: Point,
        last: Point,
        refused: &mut Vec<Diagnostic>,
    ) -> (Graph, Vec<Option<LocationId>>) {
        let mut drawing = Drawing::new(self);
        let start = drawing.locate(start);
        let mut k = 0;
        while let Some(point) = drawing.points.get(k).copied() {
            k += 1;
            let steps = self.offers(point, DEPTH);
            if drawing.points.len() > MOST || drawing.edges.len() + steps.len() > MOST {
                let Proctype { name, span, .. } = self.proctype;
                let message = format!("`{name}` has more than {MOST} locations or steps");
                refused.push(Diagnostic::error("promela::too-large", *span, message));
                break;
            }
            drawing.location(&steps, point == last);
        }
        drawing.finish(start)
    }

    /// The point where a process rests that goes to `from`: the end of a chain of single
    /// empty moves. Calls `visit` for the points on the way.
    fn resolve(&self, from: Point, mut visit: impl FnMut(Point, MoveKind)) -> Point {
        let mut at = from;
        for _ in 0..=self.points.len() {
            let Some(only) = self.leads_to(at) else { break };
            visit(at, only.kind);
            at = only.to;
        }
        at
    }

    /// The steps from a point, including those that empty moves lead to.
    fn openings(&self, from: Point, seen: &mut HashSet<Point>, out: &mut Vec<StepDraft>) {
        if !seen.insert(from) {
            return;
        }
        out.extend(self.points[from].steps.iter().cloned());
        for m in &self.points[from].empty {
            self.openings(m.to, seen, out);
        }
    }

    /// The steps of a process at a point, in SPIN's order: escapes first, and the last of the
    /// outermost escape before all others. If the process is in front of an `unless` rather than inside
    /// it, or if an escape jumps back, then the escapes of that escape are offered too. `depth` bounds how often.
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

    /// Whether a process that takes this step keeps exclusive control.
    fn keeps(&self, step: &StepDraft) -> bool {
        let Some(atomic) = step.atomic else { return false };
        let mut inside = true;
        let rest = self.resolve(step.to, |at, _| inside &= self.points[at].atomic == Some(atomic));
        inside && self.points[rest].atomic == Some(atomic)
    }
}

/// An automaton under construction.
struct Drawing<'d, 'm> {
    draft: &'d Draft<'m>,
    locations: Vec<Location>,
    edges: Vec<Edge>,
    /// For each point, its location if it has one.
    location_of: Vec<Option<LocationId>>,
    /// For each location, its point.
    points: Vec<Point>,
    /// For each location, the labels that count there.
    labels: Vec<Vec<LabelId>>,
}

impl<'d, 'm> Drawing<'d, 'm> {
    fn new(draft: &'d Draft<'m>) -> Self {
        Self {
            draft,
            locations: Vec::new(),
            edges: Vec::new(),
            location_of: vec![None; draft.points.len()],
            points: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// The location where a process rests that goes to `point`.
    fn locate(&mut self, point: Point) -> LocationId {
        let draft = self.draft;
        let mut labels: Vec<LabelId> = Vec::new();
        let rest = draft.resolve(point, |at, kind| {
            if kind == MoveKind::Into {
                labels.extend(&draft.points[at].labels);
            }
        });
        let id = *self.location_of[rest].get_or_insert_with(|| {
            self.points.push(rest);
            self.labels.push(draft.points[rest].labels.clone());
            // One too many is refused by `Draft::graph`.
            LocationId(u16::try_from(self.points.len() - 1).unwrap_or(u16::MAX))
        });
        self.labels[id.index()].extend(labels);
        id
    }

    /// Adds the next location, with its edges.
    fn location(&mut self, steps: &[StepDraft], is_end: bool) {
        let escapes = steps.iter().any(|step| step.escape.is_some());
        let first = self.edges.len();
        for (k, step) in steps.iter().enumerate() {
            let to = self.locate(step.to);
            self.labels[to.index()].extend(&step.labels);
            self.edges.push(Edge {
                to,
                action: step.action.clone(),
                run: step.run.clone(),
                inhibitors: match escapes || matches!(step.action, Action::Else) {
                    true => inhibitors(k, steps, first),
                    false => Box::default(),
                },
                only_waits: step.run.is_none() && step.action.only_waits(),
                keeps: self.draft.keeps(step),
                resets: Box::default(),
                goes_on: false,
                midway: false,
                span: step.span,
                statement: step.statement,
            });
        }
        self.locations.push(Location {
            first: index(first),
            end: index(self.edges.len()),
            is_end,
            is_accept: false,
            is_progress: false,
            dead: Box::default(),
            passed: false,
        });
    }

    fn finish(mut self, start: LocationId) -> (Graph, Vec<Option<LocationId>>) {
        for (location, labels) in self.locations.iter_mut().zip(&self.labels) {
            for label in labels {
                let label = &self.draft.proctype.labels[label.0 as usize];
                location.is_end |= label.is_end();
                location.is_accept |= label.is_accept();
                location.is_progress |= label.is_progress();
            }
        }
        let labels = self.draft.labels.iter().map(|point| {
            let rest = self.draft.resolve((*point)?, |_, _| {});
            self.location_of[rest]
        });
        let labels = labels.collect();
        let mut graph = Graph {
            locations: self.locations,
            edges: self.edges,
            start,
        };
        graph.mark_midway(false);
        (graph, labels)
    }
}

/// The positions of the steps that keep step number `k` from being executed while they can be.
fn inhibitors(k: usize, all: &[StepDraft], first: usize) -> Box<[u32]> {
    let step = &all[k];
    let inhibits = |at: usize, other: &StepDraft| {
        // If an escape can be taken, nothing else is.
        let escape = at < k && other.escape.is_some() && other.escape != step.escape;
        let alternative = at < k && matches!(step.action, Action::Else) && !matches!(other.action, Action::Else);
        escape || alternative
    };
    let positions = all.iter().enumerate().filter(|(at, other)| inhibits(*at, other));
    positions.map(|(k, _)| index(first + k)).collect()
}
