//! Checks formulas of the form `[] p`, where `p` is about single states, as safety properties.
//!
//! Such a formula is violated iff a state without `p` can be reached, with or without fairness, since every finite execution
//! can go on fairly. So no cycle is needed, the search ends at the first such state, and the
//! proviso of safety properties is enough, which leaves out more than that of cycles:
//!
//! Let w lead from s to a state without `p`. If it has a member of the persistent set of s, the first one can come
//! first, and the rest leads to the same state. Otherwise w is independent of all members t. If the set is not
//! everything, t is invisible, so w leads to a state without `p` after t as well. The first step of w stays enabled meanwhile, and the
//! proviso sees to it that it is executed somewhere (thesis, 6.2 and 7.4). Chains consist of invisible steps, so what is skipped has the
//! same atoms as what is stored.

use super::checked::{Kind, PropertyFindings, PropertyResult, ReductionUsed, Violation, ViolationKind};
use super::liveness::Forbidden;
use super::options::Options;
use super::replay::{Ending, Statements, replay, statements};
use super::{CheckError, executed, searched, why_unreduced};
use crate::compile::Compiled;
use crate::ir::{EXCLUSIVE, Node, Program};
use crate::model::Model;
use crate::plain::Interpreter;
use crate::reduce::{Independence, Observed, StubbornSets};
use crate::run::{Step, View};
use crate::system::{ModelSystem, Scratch};
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{
    Doubt, Edge, End, Fault, Limits, Observer, Order, Path, ProvisoKind, Reduction, StateId, Statistics, Storage,
    Strategy, Verdict,
};
use mazurka_logic::Formula;
use std::ops::ControlFlow;
use std::time::Duration;

/// The states that a forbidden execution passes through, if passing through one is all that makes it forbidden.
pub(super) fn forbidden_states(forbidden: &Formula) -> Option<Formula> {
    let states = match forbidden {
        Formula::Eventually(bad) => (**bad).clone(),
        Formula::Not(inner) => match &**inner {
            Formula::Always(good) => (**good).clone().negated(),
            _ => return None,
        },
        _ => return None,
    };
    is_about_states(&states).then_some(states)
}

fn is_about_states(formula: &Formula) -> bool {
    match formula {
        Formula::True | Formula::False | Formula::Atom(_) => true,
        Formula::Not(f) => is_about_states(f),
        Formula::And(f, g) | Formula::Or(f, g) | Formula::Implies(f, g) | Formula::Equivalent(f, g) => {
            is_about_states(f) && is_about_states(g)
        }
        _ => false,
    }
}

/// Whether a formula about states holds in one.
fn holds(formula: &Formula, atom: &dyn Fn(usize) -> bool) -> bool {
    match formula {
        Formula::True => true,
        Formula::Atom(number) => atom(number.0 as usize),
        Formula::Not(f) => !holds(f, atom),
        Formula::And(f, g) => holds(f, atom) && holds(g, atom),
        Formula::Or(f, g) => holds(f, atom) || holds(g, atom),
        Formula::Implies(f, g) => !holds(f, atom) || holds(g, atom),
        Formula::Equivalent(f, g) => holds(f, atom) == holds(g, atom),
        _ => false,
    }
}

/// Checks that no forbidden state can be reached.
pub(super) fn check(
    model: &Model,
    compiled: &Compiled,
    forbidden: &Forbidden<'_>,
    states: &Formula,
    options: &Options<'_>,
) -> Result<PropertyResult, CheckError> {
    let program = &compiled.program;
    let note = why_unreduced(program);
    let is_reduced = note.is_none() && options.reduction.persistent() && !options.shortest;
    let proviso = match (is_reduced, options.storage.keeps_every_state()) {
        (false, _) => ProvisoKind::None,
        (true, true) => ProvisoKind::Component,
        (true, false) => ProvisoKind::Stack,
    };
    let mut result = PropertyResult {
        verdict: Verdict::Holds,
        end: End::Complete,
        statistics: Statistics::default(),
        found: PropertyFindings {
            reduction: ReductionUsed {
                persistent: is_reduced.then(|| options.persistent.name()),
                sleep: false,
                proviso: match proviso {
                    ProvisoKind::None => None,
                    ProvisoKind::Stack => Some("stack"),
                    ProvisoKind::Component => Some("component"),
                },
                note: note.filter(|_| options.reduction != Reduction::None),
                trial: None,
            },
            ..PropertyFindings::new(&forbidden.name, Kind::Ltl)
        },
    };
    let observer = Reached {
        program,
        atoms: &compiled.atoms,
        states,
        path: None,
        failed: false,
        passed: 0,
    };
    let mut counterexample = None;
    if is_reduced {
        (result.statistics, counterexample) = nearest(&observer, at_most(EARLY, options.limits))?;
    }
    if counterexample.is_none() {
        counterexample = search(observer, is_reduced, proviso, options, &mut result)?;
    }
    if let Some(found) = counterexample {
        result.end = End::Stopped;
        result.verdict = Verdict::Violated;
        result
            .violations
            .push(violation(model, program, &found, forbidden, states)?);
    }
    Ok(result)
}

/// Searches for a forbidden state, and writes down how that ended.
fn search(
    mut observer: Reached<'_>,
    is_reduced: bool,
    proviso: ProvisoKind,
    options: &Options<'_>,
    result: &mut PropertyResult,
) -> Result<Option<Statements>, CheckError> {
    let program = observer.program;
    let sets = || {
        let seen = Observed::new(program, observer.atoms);
        StubbornSets::new(program, options.persistent, Some(seen)).within(options.limits)
    };
    let mut system = executed(ModelSystem::new(program), options);
    let mut persistent: Box<dyn PersistentSets<Step> + '_> = Box::new(AllEnabled);
    if is_reduced {
        system = system.with_chains(sets());
        persistent = Box::new(sets().chaining());
    }
    if !options.shortest {
        system = system.merging();
    }
    let strategy = Strategy {
        sleep: false,
        proviso,
        order: match options.shortest {
            true => Order::BreadthFirst,
            false => Order::DepthFirst,
        },
        storage: options.storage,
        limits: options.limits,
    };
    let independence = Independence::new(program);
    let (statistics, end) = searched(&strategy, &system, &independence, &mut *persistent, &mut observer)?;
    result.end = end;
    result.verdict = match end {
        End::Complete if observer.failed => Verdict::Inconclusive(Doubt::Unexplored),
        end => Verdict::of_no_findings(end),
    };
    result.statistics = statistics;
    result.statistics.transitions += observer.passed;
    if observer.failed {
        let note = "some executions end in a runtime error (see safety), and their continuations are not known";
        result.reduction.note.get_or_insert_with(|| note.to_string());
    }
    let Some(found) = observer.path.take().map(|path| statements(&system, &path)) else {
        return Ok(None);
    };
    if found.len() <= SHORT || options.shortest {
        return Ok(Some(found));
    }
    let (_, other) = nearest(&observer, within(options.limits, &result.statistics))?;
    Ok(other.filter(|other| other.len() < found.len()).or(Some(found)))
}

/// Counterexamples with fewer steps than this are short enough.
const SHORT: usize = 12;
/// How many states are searched breadth first before all others, for violations that show early.
const EARLY: u64 = 10_000;

fn at_most(states: u64, limits: Limits<'_>) -> Limits<'_> {
    Limits {
        states: Some(limits.states.map_or(states, |most| most.min(states))),
        ..limits
    }
}

/// The limits of a second search that may cost about as much as the first.
fn within<'a>(limits: Limits<'a>, spent: &Statistics) -> Limits<'a> {
    Limits {
        time: Some(spent.time * 2 + Duration::from_millis(100)),
        ..at_most(spent.states.clamp(20_000, 500_000), limits)
    }
}

/// Looks for the nearest forbidden state, breadth first and without reduction.
fn nearest(observer: &Reached<'_>, limits: Limits<'_>) -> Result<(Statistics, Option<Statements>), CheckError> {
    let system = ModelSystem::new(observer.program);
    let strategy = Strategy {
        sleep: false,
        proviso: ProvisoKind::None,
        order: Order::BreadthFirst,
        storage: Storage::Exact,
        limits,
    };
    let mut observer = Reached {
        path: None,
        ..*observer
    };
    let independence = Independence::new(observer.program);
    let (statistics, _) = searched(&strategy, &system, &independence, &mut AllEnabled, &mut observer)?;
    Ok((statistics, observer.path.map(|path| statements(&system, &path))))
}

/// The counterexample, after the plain interpreter has confirmed it.
fn violation(
    model: &Model,
    program: &Program,
    statements: &Statements,
    forbidden: &Forbidden<'_>,
    states: &Formula,
) -> Result<Violation, CheckError> {
    let mut interpreter = Interpreter::new(model).ignoring_assertions();
    forbidden.atoms.iter().for_each(|atom| interpreter.observe(atom));
    let replayed = replay(model, program, &interpreter, statements).ok_or(CheckError::Replay)?;
    let Ending::State(last) = &replayed.ending else {
        return Err(CheckError::Replay);
    };
    // For an atom that fails, such as a division by zero, the search is trusted.
    let fails = |k: usize| interpreter.evaluate(last, &forbidden.atoms[k]).is_err();
    let is_true = |k: usize| {
        interpreter
            .evaluate(last, &forbidden.atoms[k])
            .is_ok_and(|value| value != 0)
    };
    if !holds(states, &is_true) && !(0..forbidden.atoms.len()).any(fails) {
        return Err(CheckError::Replay);
    }
    Ok(Violation {
        steps: replayed.steps,
        ..Violation::new(ViolationKind::ClaimCompleted, forbidden.message.clone())
    })
}

/// Stops at a forbidden state.
struct Reached<'a> {
    program: &'a Program,
    atoms: &'a [Node],
    states: &'a Formula,
    path: Option<Vec<Step>>,
    /// Whether some execution ended in a runtime error.
    failed: bool,
    /// The number of steps of the explored transitions, not counting the first of each.
    passed: u64,
}

impl<'p> Observer<ModelSystem<'p>> for Reached<'_> {
    fn state(&mut self, _: StateId, state: &[u8], _: &[Step], path: &dyn Path<Step>) -> ControlFlow<()> {
        let view = View::outside(self.program, state);
        let atom = |k: usize| view.value(&self.atoms[k]).is_ok_and(|value| value != 0);
        // Formulas do not observe the inside of an `atomic`.
        if state[EXCLUSIVE] == 0 && holds(self.states, &atom) {
            self.path = Some(path.transitions());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn transition(&mut self, edge: &Edge<'_, ModelSystem<'p>>, _: &dyn Path<Step>) -> ControlFlow<()> {
        self.passed += edge.scratch.passed;
        ControlFlow::Continue(())
    }

    fn fault(&mut self, _: Fault, _: &Scratch<'p>, _: &dyn Path<Step>) -> ControlFlow<()> {
        self.failed = true;
        ControlFlow::Continue(())
    }
}
