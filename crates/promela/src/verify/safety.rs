//! Checks assertions, invalid end states and runtime errors.
//!
//! A trace automaton shows all of them (thesis, Thm 6.12 and 7.1), so a search with
//! persistent sets and a proviso finds one if there is any. Invalid end states
//! alone need no proviso.

use super::checked::{
    Kind, PropertyFindings, PropertyResult, ReductionUsed, Unreached, Untrue, Violation, ViolationKind,
};
use super::options::Options;
use super::replay::{Ending, Statements, one_line, replay, statements};
use super::{CheckError, forget, searched, why_unreduced};
use crate::RuntimeError;
use crate::compile::compile;
use crate::ir::{Action, Program};
use crate::model::Model;
use crate::plain::Interpreter;
use crate::reduce::{Independence, StubbornSets};
use crate::run::{Broken, Step};
use crate::system::{ModelSystem, Scratch};
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{
    Edge, End, Fault, Limits, Observer, Order, Path, ProvisoKind, Reduction, StateId, Statistics, Storage, Strategy,
    Verdict,
};
use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::time::Duration;

/// What counts as a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) errors: bool,
    pub(super) deadlocks: bool,
}

/// Checks a safety property.
pub(super) fn check(
    model: &Model,
    name: &str,
    wanted: Wanted,
    options: &Options<'_>,
) -> Result<PropertyResult, CheckError> {
    let mut compiled = compile(model, &[]).map_err(CheckError::Start)?;
    forget(&mut compiled, options);
    let program = &compiled.program;
    let (strategy, used) = strategy(program, wanted, options);
    let sets = || {
        let sets = StubbornSets::new(program, options.persistent, None).within(options.limits);
        match strategy.proviso {
            ProvisoKind::Stack => sets,
            ProvisoKind::None | ProvisoKind::Component => sets.branching(),
        }
    };
    let mut system = ModelSystem::new(program);
    if used.persistent.is_some() && !used.sleep {
        system = system.with_chains(sets());
    }
    let mut observer = Findings::new(program, wanted, options.all);
    let independence = Independence::new(program);
    let mut persistent: Box<dyn PersistentSets<Step> + '_> = match used.persistent {
        Some(_) => Box::new(sets()),
        None => Box::new(AllEnabled),
    };
    let (mut statistics, end) = searched(&strategy, &system, &independence, &mut *persistent, &mut observer)?;
    statistics.transitions += observer.passed;
    let interpreter = Interpreter::new(model);
    let violation = |found: Finding| {
        let mut found = found.executed(&system);
        if !options.all && !options.shortest {
            found = shorter(found, program, wanted, options, &statistics)?;
        }
        found.violation(model, program, &interpreter)
    };
    let violations = observer
        .found
        .into_iter()
        .map(violation)
        .collect::<Result<Vec<_>, _>>()?;
    let verdict = match violations.is_empty() {
        true => Verdict::of_no_findings(end),
        false => Verdict::Violated,
    };
    // Without a proviso, persistent sets may postpone a process for ever, so what was not executed may still be reachable.
    let reaches_all = used.persistent.is_none() || used.proviso.is_some();
    let unreached = match end == End::Complete && reaches_all {
        true => unreached(model, program, &observer.executed),
        false => Vec::new(),
    };
    Ok(PropertyResult {
        verdict,
        end,
        statistics,
        found: PropertyFindings {
            reduction: used,
            violations,
            unreached,
            untrue: untrue(program, &observer.broken),
            ..PropertyFindings::new(name, Kind::Safety)
        },
    })
}

fn strategy<'a>(program: &Program, wanted: Wanted, options: &Options<'a>) -> (Strategy<'a>, ReductionUsed) {
    let mut note = why_unreduced(program);
    let mut reduction = if note.is_some() {
        Reduction::None
    } else {
        options.reduction
    };
    if options.shortest && reduction != Reduction::None {
        reduction = Reduction::None;
        note = Some("a shortest counterexample needs a search without reduction".to_string());
    }
    let persistent = reduction.persistent();
    let needs_proviso = wanted.errors && persistent;
    // Sleep sets need to recognise visited states.
    let identified = options.storage.identifies_states();
    // Components need that too, and a cache could not forget any state of a component that is not complete.
    let proviso_kind = match options.storage.keeps_every_state() {
        true => ProvisoKind::Component,
        false => ProvisoKind::Stack,
    };
    let (sleep, proviso) = match reduction {
        Reduction::None => (false, ProvisoKind::None),
        Reduction::Sleep => (true, ProvisoKind::None),
        Reduction::Persistent | Reduction::Full if needs_proviso => (false, proviso_kind),
        Reduction::Persistent => (false, ProvisoKind::None),
        Reduction::Full => (identified, ProvisoKind::None),
    };
    let strategy = Strategy {
        sleep,
        proviso,
        order: if options.shortest {
            Order::BreadthFirst
        } else {
            Order::DepthFirst
        },
        storage: options.storage,
        limits: options.limits,
    };
    let used = ReductionUsed {
        persistent: persistent.then(|| options.persistent.name()),
        sleep,
        proviso: match proviso {
            ProvisoKind::None => None,
            ProvisoKind::Stack => Some("stack"),
            ProvisoKind::Component => Some("component"),
        },
        note: note.filter(|_| options.reduction != Reduction::None),
    };
    (strategy, used)
}

/// Counterexamples with fewer steps than this are short enough.
pub(super) const SHORT: usize = 12;

/// Looks for a shorter counterexample, since a depth-first search often finds long ones. The search is breadth first,
/// without reduction, takes about as long as the first search, and respects the same limits.
fn shorter(
    found: Counterexample,
    program: &Program,
    wanted: Wanted,
    options: &Options<'_>,
    statistics: &Statistics,
) -> Result<Counterexample, CheckError> {
    if found.statements.len() <= SHORT {
        return Ok(found);
    }
    let system = ModelSystem::new(program);
    let mut observer = Findings::new(program, wanted, false);
    let strategy = Strategy {
        sleep: false,
        proviso: ProvisoKind::None,
        order: Order::BreadthFirst,
        storage: Storage::Exact,
        limits: within(options.limits, statistics),
    };
    searched(
        &strategy,
        &system,
        &Independence::new(program),
        &mut AllEnabled,
        &mut observer,
    )?;
    let other = observer.found.pop().map(|other| other.executed(&system));
    let is_shorter = |other: &Counterexample| other.statements.len() < found.statements.len();
    Ok(other.filter(is_shorter).unwrap_or(found))
}

/// The limits of a second search that may cost about as much as the first. It stores whole
/// states, so its memory is bounded even if the first search stored only bits.
pub(super) fn within<'a>(limits: Limits<'a>, spent: &Statistics) -> Limits<'a> {
    let states = spent.states.clamp(20_000, 500_000);
    let time = spent.time * 2 + Duration::from_millis(100);
    Limits {
        states: Some(limits.states.map_or(states, |most| most.min(states))),
        time: Some(time),
        ..limits
    }
}

/// A violation that the search found, before it is replayed.
#[derive(Debug)]
struct Finding {
    is_deadlock: bool,
    path: Vec<Step>,
}

struct Findings<'p> {
    program: &'p Program,
    wanted: Wanted,
    all: bool,
    found: Vec<Finding>,
    /// The violations found so far: failed statements with their processes, and deadlocks by the locations of processes.
    seen: HashSet<Vec<u8>>,
    /// The number of steps of the explored transitions, not counting the first of each.
    passed: u64,
    /// The statements that were executed.
    executed: BitSet,
    /// The promises that were broken.
    broken: BTreeSet<Broken>,
}

impl<'p> Findings<'p> {
    fn new(program: &'p Program, wanted: Wanted, all: bool) -> Self {
        Self {
            program,
            wanted,
            all,
            found: Vec::new(),
            seen: HashSet::new(),
            passed: 0,
            executed: BitSet::new(program.statements as usize),
            broken: BTreeSet::new(),
        }
    }

    /// Records the statements and broken promises of a transition.
    #[inline]
    fn did(&mut self, scratch: &Scratch<'_>) {
        self.passed += scratch.passed;
        for statement in &scratch.statements {
            bitset::insert(&mut self.executed, *statement as usize);
        }
        self.broken.extend(scratch.broken.iter().copied());
    }

    fn report(&mut self, is_deadlock: bool, key: Vec<u8>, path: &dyn Path<Step>) -> ControlFlow<()> {
        if self.seen.insert(key) {
            self.found.push(Finding {
                is_deadlock,
                path: path.transitions(),
            });
        }
        if self.all {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

impl<'p> Observer<ModelSystem<'p>> for Findings<'p> {
    fn transition(&mut self, edge: &Edge<'_, ModelSystem<'p>>, _: &dyn Path<Step>) -> ControlFlow<()> {
        self.did(edge.scratch);
        ControlFlow::Continue(())
    }

    fn state(&mut self, _: StateId, state: &[u8], enabled: &[Step], path: &dyn Path<Step>) -> ControlFlow<()> {
        let program = self.program;
        if !enabled.is_empty() || !self.wanted.deadlocks || program.is_valid_end(state) {
            return ControlFlow::Continue(());
        }
        let places = crate::run::Processes::new(program, state);
        let key = places
            .flat_map(|p| [state[p.at], state[p.at + 1], state[p.at + 2]])
            .collect();
        self.report(true, key, path)
    }

    fn fault(&mut self, fault: Fault, scratch: &Scratch<'p>, path: &dyn Path<Step>) -> ControlFlow<()> {
        self.did(scratch);
        if !self.wanted.errors {
            return ControlFlow::Continue(());
        }
        let who = path.transitions().pop().map_or([0; 2], |step| [step.pid, step.partner]);
        let mut key = fault.place.to_le_bytes().to_vec();
        key.extend(who);
        self.report(false, key, path)
    }
}

impl Finding {
    /// Executes it again, in the system that it was found in.
    fn executed(self, system: &ModelSystem<'_>) -> Counterexample {
        let statements = statements(system, &self.path);
        Counterexample {
            is_deadlock: self.is_deadlock,
            statements: match self.is_deadlock {
                true => statements.and_stuck(),
                false => statements,
            },
        }
    }
}

/// A violation as statements.
struct Counterexample {
    is_deadlock: bool,
    statements: Statements,
}

impl Counterexample {
    fn violation(
        &self,
        model: &Model,
        program: &Program,
        interpreter: &Interpreter<'_>,
    ) -> Result<Violation, CheckError> {
        let replayed = replay(model, program, interpreter, &self.statements).ok_or(CheckError::Replay)?;
        let (kind, message, location) = match &replayed.ending {
            Ending::State(state) if self.is_deadlock => {
                if !interpreter.steps(state).is_empty() || interpreter.is_valid_end(state) {
                    return Err(CheckError::Replay);
                }
                (
                    ViolationKind::Deadlock,
                    blocked(model, program, &self.statements.last),
                    None,
                )
            }
            Ending::Error(error) if !self.is_deadlock => {
                let kind = match error.kind {
                    RuntimeError::Assertion => ViolationKind::Assertion,
                    RuntimeError::TraceMismatch | RuntimeError::TraceMatched => ViolationKind::TraceMismatch,
                    _ => ViolationKind::RuntimeError,
                };
                let message = match error.kind {
                    RuntimeError::Assertion => {
                        format!("assertion violated: {}", one_line(model.sources.slice(error.span)))
                    }
                    _ => error.to_string(),
                };
                (kind, message, Some(error.span))
            }
            _ => return Err(CheckError::Replay),
        };
        Ok(Violation {
            location,
            steps: replayed.steps,
            ..Violation::new(kind, message)
        })
    }
}

/// The processes that cannot go on, and where they are.
fn blocked(model: &Model, program: &Program, state: &[u8]) -> String {
    let mut waiting = Vec::new();
    for process in crate::run::Processes::new(program, state) {
        let location = process.location(state);
        if location.is_end {
            continue;
        }
        let edges = &process.automaton.graph.edges[location.edges()];
        let mut lines: Vec<u32> = edges.iter().map(|e| model.sources.place(e.span).line).collect();
        lines.dedup();
        let at = lines.first().map_or(String::new(), |line| format!(" at line {line}"));
        waiting.push(format!("{}[{}]{at}", process.automaton.name, process.pid));
    }
    if waiting.is_empty() {
        return "invalid end state: the trace assertion is not at an end".to_string();
    }
    format!("invalid end state: {} cannot go on", waiting.join(", "))
}

/// The promises that were broken.
fn untrue(program: &Program, broken: &BTreeSet<Broken>) -> Vec<Untrue> {
    let mut untrue: Vec<Untrue> = Vec::new();
    let mut last = None;
    for Broken { proctype, promise, by } in broken {
        // Each promise is reported once, whichever process breaks it.
        if last == Some((proctype, promise)) {
            continue;
        }
        last = Some((proctype, promise));
        let automaton = &program.automata[*proctype];
        let promise = &automaton.promises[*promise];
        untrue.push(Untrue {
            process: automaton.name.clone(),
            receives: promise.receives,
            span: promise.span,
            by: program.automata[*by].name.clone(),
        });
    }
    untrue
}

/// The statements that were never executed.
fn unreached(model: &Model, program: &Program, executed: &BitSet) -> Vec<Unreached> {
    let mut out: Vec<Unreached> = Vec::new();
    for automaton in &program.automata {
        let mut edges: Vec<_> = automaton.graph.edges.iter().collect();
        edges.sort_by_key(|e| e.statement);
        edges.dedup_by_key(|e| e.statement);
        for edge in edges {
            if !bitset::contains(executed, edge.statement as usize) {
                let is_end = matches!(edge.action, Action::End);
                let text = if is_end {
                    "-end-"
                } else {
                    model.sources.slice(edge.span)
                };
                out.push(Unreached {
                    process: automaton.name.clone(),
                    span: edge.span,
                    statement: one_line(text),
                });
            }
        }
    }
    out
}
