//! Checks assertions, invalid end states and runtime errors.
//!
//! A trace automaton shows all of them (thesis, Thm 6.12 and 7.1), so a search with
//! persistent sets and a proviso finds one if there is any. Invalid end states
//! alone need no proviso.

use super::checked::{
    Kind, PropertyFindings, PropertyResult, ReductionUsed, Trial, Unreached, Untrue, Violation, ViolationKind,
};
use super::findings::{Finding, Findings, Until};
use super::options::Options;
use super::replay::{Ending, one_line, replay, statements};
use super::shorten::Shortener;
use super::trial::saves_states;
use super::{CheckError, executed, forget, matters, merge, searched, shortest, why_unreduced};
use crate::RuntimeError;
use crate::compile::compile;
use crate::ir::{Action, Program};
use crate::model::Model;
use crate::plain::Interpreter;
use crate::reduce::{Experience, Independence, PersistentAlgorithm, StubbornSets};
use crate::run::{Broken, Step};
use crate::system::ModelSystem;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{End, Limit, Order, ProvisoKind, Reduction, Statistics, Strategy, Verdict};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// What counts as a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) errors: bool,
    pub(super) deadlocks: bool,
}

/// What a search found.
pub(super) struct Found<'p> {
    /// Its violations have a step for each statement.
    pub(super) observer: Findings<'p>,
    pub(super) used: ReductionUsed,
    pub(super) statistics: Statistics,
    pub(super) end: End,
    /// Whether the first violation is known to be a shortest one.
    pub(super) is_shortest: bool,
}

impl Found<'_> {
    /// Adds the time of the searches before to its own, and makes `spent` the sum.
    pub(super) fn add_time(&mut self, spent: &mut Duration) {
        self.statistics.time += *spent;
        *spent = self.statistics.time;
    }
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
    merge(&mut compiled, options);
    let program = &compiled.program;
    let found = match (options.shortest, options.all) {
        (true, _) => shortest::search(program, wanted, options)?,
        (false, true) => first(program, wanted, options, Until::Nothing)?,
        (false, false) => first(program, wanted, options, Until::First)?,
    };
    let Found {
        observer,
        used,
        statistics,
        mut end,
        is_shortest,
    } = found;
    let interpreter = Interpreter::new(model);
    let mut shortener = Shortener::new(model, program, &interpreter, wanted, options);
    let mut violation = |found: Finding| {
        if is_shortest {
            return violation(&found, model, program, &interpreter);
        }
        let short = shortener.shortened(found.clone(), &statistics)?;
        let shown = violation(&short, model, program, &interpreter);
        debug_assert!(short.path.len() <= found.path.len(), "a counterexample became longer");
        debug_assert!(shown.is_ok(), "a short counterexample cannot be replayed");
        shown.or_else(|_| violation(&found, model, program, &interpreter))
    };
    let mut violations = Vec::new();
    for found in observer.found {
        // Counterexamples take time, too. One is shown in any case.
        if let Some(limit) = options.limits.stop().filter(|_| !violations.is_empty()) {
            end = End::Limit(limit);
            break;
        }
        violations.push(violation(found)?);
    }
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

/// Searches depth first, with the reduction that the options ask for.
///
/// # Errors
/// If the options do not fit together.
pub(super) fn first<'p>(
    program: &'p Program,
    wanted: Wanted,
    options: &Options<'p>,
    until: Until,
) -> Result<Found<'p>, CheckError> {
    let (strategy, used) = strategy(program, wanted, options)?;
    let search = Search {
        program,
        options,
        strategy,
        used,
        wanted,
        until,
    };
    if !search.makes_chains() || strategy.limits.states.is_some_and(|states| states <= TRIAL) {
        return Ok(search.run(None, false)?.0);
    }
    let mut trial = search.clone();
    trial.strategy.limits.states = Some(TRIAL);
    let (found, experience) = trial.run(None, true)?;
    if found.end != End::Limit(Limit::States) {
        return Ok(found);
    }
    let mut spent = found.statistics.time;
    let experience = experience.map(Arc::new);
    let mut search = search;
    if let Some(experience) = &experience {
        if search.is_reduced_in_vain(experience)? {
            let mut found = search.unreduced(experience).run(None, false)?.0;
            found.add_time(&mut spent);
            if !matches!(found.end, End::Limit(Limit::States | Limit::Memory)) {
                return Ok(found);
            }
        }
        search.learn(experience);
    }
    let (mut found, _) = search.run(experience, false)?;
    found.add_time(&mut spent);
    Ok(found)
}

/// The number of states of a search that only finds out [where sets are worth starting](Experience).
const TRIAL: u64 = 20_000;

/// The number of states that a search has in which reduction is switched off, before all begins anew with reduction.
const UNREDUCED: u64 = 4_000_000;

/// A depth-first search.
#[derive(Clone)]
struct Search<'a, 'p> {
    program: &'p Program,
    options: &'a Options<'p>,
    strategy: Strategy<'p>,
    used: ReductionUsed,
    wanted: Wanted,
    until: Until,
}

impl<'p> Search<'_, 'p> {
    /// Says where sets are not started, because that did not pay for itself in a trial.
    fn learn(&mut self, experience: &Experience) {
        let (left_out, of) = experience.left_out();
        self.used.trial = (left_out > 0).then_some(Trial { left_out, of });
    }

    /// Whether reduction did not pay for itself in a trial, as far as can be told, and nobody has asked for a certain one.
    ///
    /// # Errors
    /// If states cannot be counted.
    fn is_reduced_in_vain(&self, experience: &Arc<Experience>) -> Result<bool, CheckError> {
        let is_default = self.options.reduction == Reduction::Full && self.options.proviso.is_none();
        if !is_default || !experience.has_saved_little() {
            return Ok(false);
        }
        let saves = || saves_states(self.program, self.options, || self.sets(Some(experience)));
        Ok(experience.has_found_nothing() || !saves()?)
    }

    /// The same search without reduction, as long as its states are not too many.
    fn unreduced(&self, experience: &Experience) -> Self {
        let mut search = self.clone();
        let (_, of) = experience.left_out();
        search.used.trial = Some(Trial { left_out: of, of });
        (search.used.persistent, search.used.proviso) = (None, None);
        search.strategy.proviso = ProvisoKind::None;
        let states = &mut search.strategy.limits.states;
        *states = Some(states.map_or(UNREDUCED, |most| most.min(UNREDUCED)));
        search
    }

    /// Whether it passes through states where a single step is a persistent set.
    fn makes_chains(&self) -> bool {
        self.used.persistent.is_some() && !self.used.sleep
    }

    fn sets(&self, experience: Option<&Arc<Experience>>) -> StubbornSets<'p> {
        let algorithm = algorithm(&self.strategy, self.options);
        let sets = StubbornSets::new(self.program, algorithm, None)
            .within(self.options.limits)
            .with_experience(experience.cloned());
        // A failure inside an `atomic` is remembered with its state.
        match self.strategy.proviso {
            ProvisoKind::None | ProvisoKind::Component if self.options.storage.identifies_states() => sets.branching(),
            _ => sets,
        }
    }

    /// Searches, with what was learnt in a trial or as one.
    fn run(
        &self,
        experience: Option<Arc<Experience>>,
        is_trial: bool,
    ) -> Result<(Found<'p>, Option<Experience>), CheckError> {
        let mut system = executed(ModelSystem::new(self.program), self.options).merging();
        if self.makes_chains() {
            system = system.with_chains(self.sets(experience.as_ref()));
        }
        let mut observer = Findings::new(self.program, self.wanted, self.until);
        let independence = match is_uniform(&self.strategy) {
            true => Independence::uniform(self.program),
            false => Independence::new(self.program),
        };
        let mut all = AllEnabled;
        let mut sets = self.used.persistent.map(|_| self.sets(experience.as_ref()));
        if self.makes_chains() {
            sets = sets.map(StubbornSets::chaining);
        }
        if is_trial {
            sets = sets.map(StubbornSets::on_trial);
        }
        let persistent: &mut dyn PersistentSets<Step> = match &mut sets {
            Some(sets) => sets,
            None => &mut all,
        };
        let (mut statistics, end) = searched(&self.strategy, &system, &independence, persistent, &mut observer)?;
        statistics.transitions += observer.passed;
        let found = std::mem::take(&mut observer.found).into_iter();
        observer.found = found.map(|found| found.in_statements(&system)).collect();
        let found = Found {
            observer,
            used: self.used.clone(),
            statistics,
            end,
            is_shortest: false,
        };
        Ok((found, sets.and_then(|mut sets| sets.take_experience())))
    }
}

/// How to search. Sleep sets go with the stack proviso, with which a small cache may be enough (thesis 8.4), but not with the
/// component proviso (6.5), which otherwise leaves out more, nor with chains.
///
/// # Errors
/// If the requested proviso does not fit.
fn strategy<'a>(
    program: &Program,
    wanted: Wanted,
    options: &Options<'a>,
) -> Result<(Strategy<'a>, ReductionUsed), CheckError> {
    let note = why_unreduced(program);
    let reduction = if note.is_some() {
        Reduction::None
    } else {
        options.reduction
    };
    let persistent = reduction.persistent();
    let proviso = proviso(wanted.errors && persistent, persistent, options)?;
    let sleep = match reduction {
        Reduction::None | Reduction::Persistent => false,
        Reduction::Sleep => true,
        // Sleep sets need to recognise visited states. With a proviso, chains usually leave out more, unless it was asked for.
        Reduction::Full => match proviso {
            ProvisoKind::None => options.storage.identifies_states(),
            ProvisoKind::Stack => options.storage.identifies_states() && options.proviso.is_some(),
            ProvisoKind::Component => false,
        },
    };
    let strategy = Strategy {
        sleep,
        proviso,
        order: Order::DepthFirst,
        storage: options.storage,
        limits: options.limits,
    };
    let used = ReductionUsed {
        persistent: persistent.then(|| algorithm(&strategy, options).name()),
        sleep,
        proviso: match proviso {
            ProvisoKind::None => None,
            ProvisoKind::Stack => Some("stack"),
            ProvisoKind::Component => Some("component"),
        },
        note: note.filter(|_| options.reduction != Reduction::None),
        trial: None,
    };
    Ok((strategy, used))
}

/// The proviso that was requested, or else the one that suits the store.
fn proviso(needed: bool, persistent: bool, options: &Options<'_>) -> Result<ProvisoKind, CheckError> {
    let refused = |why: &str| Err(CheckError::NotReducible(why.to_string()));
    let keeps_all = options.storage.keeps_every_state();
    match options.proviso {
        _ if !persistent => Ok(ProvisoKind::None),
        None if !needed => Ok(ProvisoKind::None),
        // A cache could not forget any state of a component that is not complete.
        None if keeps_all => Ok(ProvisoKind::Component),
        None => Ok(ProvisoKind::Stack),
        Some(ProvisoKind::None) if needed => refused(
            "without a proviso, persistent sets may postpone a process for ever, and errors with it: \
             `--proviso none` is for deadlocks only",
        ),
        Some(ProvisoKind::Component) if !keeps_all => {
            refused("the component proviso needs a store that keeps every state: use `--proviso stack`")
        }
        Some(kind) => Ok(kind),
    }
}

/// The algorithm for persistent sets. With sleep sets and a proviso, the dependency relation must be weakly
/// uniform (thesis, Thm 6.12), so it must not depend on the state.
fn algorithm(strategy: &Strategy<'_>, options: &Options<'_>) -> PersistentAlgorithm {
    match options.persistent {
        PersistentAlgorithm::Conditional if is_uniform(strategy) => PersistentAlgorithm::Stubborn,
        algorithm => algorithm,
    }
}

fn is_uniform(strategy: &Strategy<'_>) -> bool {
    strategy.sleep && strategy.proviso != ProvisoKind::None
}

/// Replays a violation.
fn violation(
    found: &Finding,
    model: &Model,
    program: &Program,
    interpreter: &Interpreter<'_>,
) -> Result<Violation, CheckError> {
    let statements = statements(&ModelSystem::of_statements(program), &found.path);
    let statements = match found.is_deadlock {
        true => statements.and_stuck(),
        false => statements,
    };
    let mut replayed = replay(model, program, interpreter, &statements).ok_or(CheckError::Replay)?;
    match found.is_deadlock {
        true => matters::mark_end(program, interpreter, &statements.last, &mut replayed),
        false => matters::mark_failure(&mut replayed.steps),
    }
    let (kind, message, location) = match &replayed.ending {
        Ending::State(state) if found.is_deadlock => {
            if !interpreter.steps(state).is_empty() || interpreter.is_valid_end(state) {
                return Err(CheckError::Replay);
            }
            (ViolationKind::Deadlock, blocked(model, program, &statements.last), None)
        }
        Ending::Error(error) if !found.is_deadlock => {
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
