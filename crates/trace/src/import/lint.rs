//! Lint: what is wrong with an input, and what is odd about it.
//!
//! Errors are the broken rules for which [`crate::import`] refuses an input; more of
//! them are listed here. If there are none, warnings point out what is allowed but
//! seldom meant: processes that only clocks mention, events that were put in, messages
//! without a sender, processes that are ordered with no other, variables that change
//! their type.

use super::{Execution, Finding, Format, ImportError, ImportOptions, Input, Severity, Spot, open, read};
use crate::causality::Event;
use crate::computation::{Computation, VariableId};
use crate::narrow::short;
use crate::problem::{Place, Problem, ProblemCount};
use crate::recorder::Lost;
use crate::sources::Sources;
use crate::value::Value;
use mazurka_core::ProcessId;
use std::fmt;

/// How many problems are reported.
const MOST: usize = 200;

/// What is wrong with an input, and what is odd.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lint {
    /// What the input is written in.
    pub format: Format,
    /// What was found: errors, or else warnings.
    pub findings: Vec<Finding>,
    /// How many errors there are. If there are many, not all of them are listed.
    pub errors: ProblemCount,
    /// How much was read, if there are no errors.
    pub extent: Option<Extent>,
}

/// How much an input contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extent {
    /// How many executions.
    pub executions: usize,
    /// How many processes, of all executions.
    pub processes: usize,
    /// How many events, of all processes.
    pub events: u64,
}

impl Lint {
    /// Whether a rule is broken.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|f| f.severity == Severity::Error)
    }

    /// The errors, given the problems that an import ended with.
    pub fn of_problems(format: Format, sources: &Sources, problems: &[Problem], errors: ProblemCount) -> Self {
        let mut wanted = Vec::new();
        for problem in problems {
            wanted.push((problem.place, problem.at.unwrap_or(0)));
            wanted.extend(problem.related.iter().map(|(place, _)| (*place, 0)));
        }
        let mut spots = Spot::of_all(sources, &wanted).into_iter();
        let mut finding = |problem: &Problem| Finding {
            severity: Severity::Error,
            rule: problem.rule.id(),
            message: problem.message.clone(),
            expected: problem.expected.clone(),
            spot: spots.next().flatten(),
            related: (problem.related.iter())
                .filter_map(|(_, what)| Some((spots.next().flatten()?, what.clone())))
                .collect(),
        };
        Self {
            format,
            findings: problems.iter().map(&mut finding).collect(),
            errors,
            extent: None,
        }
    }
}

/// Looks for errors and oddities in an input.
///
/// ```
/// use mazurka_trace::{ImportOptions, Input, lint};
/// let bytes = br#"{"process":"p1","recv":["m"]}"#.to_vec();
/// let input = Input::Text { name: "example".into(), bytes };
/// let lint = lint(input, &ImportOptions::default()).unwrap();
/// assert_eq!(lint.findings[0].rule, "receive-without-send");
/// assert!(lint.to_string().starts_with("error[receive-without-send]"));
/// ```
///
/// # Errors
/// If it cannot be read or is in no known format.
pub fn lint(input: Input, options: &ImportOptions) -> Result<Lint, ImportError> {
    let sources = open(input)?;
    let reading = read(&sources, options, MOST)?;
    let format = reading.format;
    match reading.finish(&sources, options, MOST) {
        Err((problems, count)) => Ok(Lint::of_problems(format, &sources, &problems, count)),
        Ok((executions, mut findings)) => {
            let mut extent = Extent::default();
            for (execution, lost) in &executions {
                let mut warnings = Warnings {
                    computation: &execution.computation,
                    execution,
                    findings: Vec::new(),
                };
                warnings.look(lost);
                findings.extend(warnings.with_spots(&sources));
                extent.executions += 1;
                extent.processes += execution.computation.processes();
                extent.events += execution.computation.causality().total();
            }
            let extent = Some(extent);
            Ok(Lint {
                format,
                findings,
                errors: ProblemCount::default(),
                extent,
            })
        }
    }
}

struct Warnings<'a> {
    computation: &'a Computation,
    execution: &'a Execution,
    /// What was found, the record it is about, and another record with its role.
    findings: Vec<Unplaced>,
}

/// A finding whose records were not looked up yet.
type Unplaced = (Finding, Option<Event>, Option<(Event, String)>);

/// If more processes than this are ordered with no other, one warning is for all of them.
const NAMED: usize = 5;

impl Warnings<'_> {
    fn look(&mut self, lost: &Lost) {
        self.holes();
        for (event, message) in lost {
            let text = format!("message `{message}` is received, but no event sends it; it was read without a send");
            self.warn("receive-without-send", text, Some(*event));
        }
        self.isolated();
        self.types();
    }

    fn warn(&mut self, rule: &'static str, message: String, event: Option<Event>) {
        self.warn_of_two(rule, message, event, None);
    }

    fn warn_of_two(
        &mut self,
        rule: &'static str,
        message: String,
        event: Option<Event>,
        other: Option<(Event, String)>,
    ) {
        let message = match &self.execution.name {
            Some(name) => format!("{message} (execution `{name}`)"),
            None => message,
        };
        self.findings.push((Finding::warning(rule, message), event, other));
    }

    /// The findings with the places of their records. Every file is read once.
    fn with_spots(self, sources: &Sources) -> Vec<Finding> {
        let place = |event: Option<Event>| {
            let place = event.and_then(|e| self.computation.place(e.process, e.index));
            (place.unwrap_or(Place::NOWHERE), 0)
        };
        let both = |(_, event, other): &Unplaced| [place(*event), place(other.as_ref().map(|(event, _)| *event))];
        let places: Vec<(Place, u32)> = self.findings.iter().flat_map(both).collect();
        let mut spots = Spot::of_all(sources, &places).into_iter();
        let mut next = || spots.next().flatten();
        let placed = self.findings.into_iter().map(|(finding, _, other)| {
            let (spot, related) = (next(), next());
            Finding {
                spot,
                related: related.zip(other.map(|(_, what)| what)).into_iter().collect(),
                ..finding
            }
        });
        placed.collect()
    }

    /// Events that were put in, as ranges of each process.
    fn holes(&mut self) {
        let mut holes = self.computation.holes().to_vec();
        holes.sort();
        for range in holes.chunk_by(|a, b| a.process == b.process && a.index + 1 == b.index) {
            let (first, last) = (range[0], range[range.len() - 1]);
            let p = first.process;
            let name = self.computation.name(p);
            let events = self.computation.causality().events(p);
            if short(range.len()) == events {
                let message = format!("there is no record of `{name}`, but clocks know {events} events of it");
                self.warn("silent-process", message, None);
                continue;
            }
            let message = match range.len() {
                1 => format!("event {} of `{name}` has no record and was put in", first.index),
                _ => format!(
                    "events {} to {} of `{name}` have no records and were put in",
                    first.index, last.index
                ),
            };
            // The record before or after them shows where they are missing.
            let near = [last.index + 1, first.index - 1].map(|index| Event::new(p, index));
            let near = near.into_iter().find(|e| self.computation.place(p, e.index).is_some());
            self.warn("missing-events", message, near);
        }
    }

    /// Processes whose events are ordered with those of no other.
    fn isolated(&mut self) {
        let order = self.computation.causality();
        let mut joined = vec![false; order.processes()];
        for p in order.process_ids() {
            for index in 1..=order.events(p) {
                for cause in order.causes(p, index) {
                    joined[p.index()] = true;
                    joined[cause.process.index()] = true;
                }
            }
        }
        let alone = |p: &ProcessId| !joined[p.index()] && order.processes() > 1 && order.events(*p) > 0;
        let alone: Vec<ProcessId> = order.process_ids().filter(alone).collect();
        let name = |p: ProcessId| self.computation.name(p);
        if let [first, second, rest @ ..] = &alone[..]
            && alone.len() > NAMED
        {
            let message = format!(
                "no event of `{}`, `{}` and {} other processes is ordered with an event of another process",
                name(*first),
                name(*second),
                rest.len()
            );
            return self.warn("never-ordered", message, Some(Event::new(*first, 1)));
        }
        for p in alone {
            let message = format!("no event of `{}` is ordered with an event of another process", name(p));
            self.warn("never-ordered", message, Some(Event::new(p, 1)));
        }
    }

    /// Variables whose values change their type.
    fn types(&mut self) {
        let computation = self.computation;
        for p in computation.process_ids() {
            for (v, variable) in computation.variables().iter().enumerate() {
                let mut before: Option<(u32, &str)> = None;
                for &(event, value) in computation.assignments(p, VariableId(short(v))) {
                    let Some(now) = type_name(computation.value_of(value)) else {
                        continue;
                    };
                    match before {
                        Some((earlier, was)) if was != now => {
                            let message =
                                format!("`{variable}` of `{}` was {was} and becomes {now}", computation.name(p));
                            let other = (Event::new(p, earlier), format!("here it is {was}"));
                            self.warn_of_two("type-change", message, Some(Event::new(p, event)), Some(other));
                            break;
                        }
                        _ => before = Some((event, now)),
                    }
                }
            }
        }
    }
}

/// The type of a value for this purpose, where ints and doubles are both numbers.
fn type_name(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) => "a truth value",
        Value::Int(_) | Value::Double(_) => "a number",
        Value::String(_) => "a text",
        Value::List(_) => "a list",
        Value::Map(_) => "an object",
    })
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, finding) in self.findings.iter().enumerate() {
            if k > 0 {
                writeln!(f)?;
            }
            finding.fmt(f)?;
        }
        Ok(())
    }
}
