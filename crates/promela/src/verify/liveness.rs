//! Checks formulas, `never` claims, acceptance and non-progress cycles.
//!
//! Each property is violated by an infinite execution that an automaton accepts. The search looks for an accepting
//! component of the product of the model and the automaton. For stutter-invariant formulas
//! the model is [reduced](super::reduced) first.
//!
//! That takes as long as the reduced model is large, even if the formula is violated by the first steps. So before, the
//! product is searched for a while with a [reduction on the fly](super::joint_sets) that only finds violations. If neither
//! ends, both are tried again with more patience ([`ROUNDS`]).

use super::checked::{Kind, PropertyFindings, PropertyResult, ReductionUsed, Violation, ViolationKind};
use super::claim::{BuchiClaim, Claim, NeverClaim, automaton_of};
use super::joint_sets::JointSets;
use super::options::Options;
use super::product::{Joint, Product};
use super::reduced::ReducedGraph;
use super::replay::{Ending, replay, statements};
use super::shorten_cycle::Cycle;
use super::step_id::StepId;
use super::stutter::atoms_of_invariant;
use super::{CheckError, executed, forget, invariant, merge};
use crate::compile::{Compiled, compile};
use crate::ir::{Node, Program};
use crate::model::{Expr, Model};
use crate::plain::{Interpreter, State};
use crate::reduce::{Observed, StubbornSets};
use crate::run::Step;
use crate::system::{ModelSystem, Scratch};
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{
    CycleSearch, Doubt, Edge, End, Fault, Limit, Limits, Observer, Path, Reduction, Statistics, Verdict,
};
use mazurka_logic::{AtomId, Formula, Lasso, StutterInvariance};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Instant;

/// Forbidden executions: those that satisfy a formula over atoms.
pub(super) struct Forbidden<'a> {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) violation: ViolationKind,
    pub(super) message: String,
    pub(super) formula: Formula,
    pub(super) atoms: &'a [Expr],
    /// Atoms that the language has no expression for.
    pub(super) nodes: Vec<Node>,
}

/// Checks that no execution is forbidden.
pub(super) fn check(
    model: &Model,
    forbidden: Forbidden<'_>,
    options: &Options<'_>,
) -> Result<PropertyResult, CheckError> {
    let mut compiled = compile(model, forbidden.atoms).map_err(CheckError::Start)?;
    compiled.atoms.extend(forbidden.nodes.iter().cloned());
    compiled.program.asserts = false;
    forget(&mut compiled, options);
    if let Some(states) = invariant::forbidden_states(&forbidden.formula)
        && forbidden.kind == Kind::Ltl
    {
        merge(&mut compiled, options);
        return invariant::check(model, &compiled, &forbidden, &states, options);
    }
    let automaton = automaton_of(&forbidden.formula, compiled.atoms.len())?;
    let mut note = why_unreduced(&compiled.program, options);
    if note.is_none() && forbidden.formula.stutter_invariance() != StutterInvariance::Invariant {
        note = Some("no reduction: the formula may count steps (it is not known to be stutter-invariant)".to_string());
    }
    if note.is_none() {
        merge(&mut compiled, options);
    }
    let program = &compiled.program;
    let claim = BuchiClaim {
        program,
        automaton,
        atoms: &compiled.atoms,
    };
    let searched = Searched {
        model,
        program,
        claim: &claim,
        atoms: &compiled.atoms,
        labels: false,
        // As in SPIN, where `np_` is false in a state that is repeated because nothing can move.
        stutters: forbidden.kind != Kind::Progress,
        violation: forbidden.violation,
        message: forbidden.message,
        // Atoms without an expression cannot be evaluated by the interpreter.
        meaning: forbidden
            .nodes
            .is_empty()
            .then_some((&forbidden.formula, forbidden.atoms)),
        options,
    };
    searched.run(&forbidden.name, forbidden.kind, note)
}

/// How many states of the product are searched on the fly in each round, and how many states the reduced model
/// may then have. After the last round it may have any number.
const ROUNDS: [(u64, u64); 3] = [(10_000, 100_000), (100_000, 1_000_000), (1_000_000, 10_000_000)];

/// Why a model cannot be reduced, if it cannot.
fn why_unreduced(program: &Program, options: &Options<'_>) -> Option<String> {
    let with_timeout = || "no reduction: with `timeout`, every step may affect which processes are enabled".to_string();
    let unfair = (options.fair && program.features.timeout).then(with_timeout);
    super::why_unreduced(program).or(unfair)
}

/// Checks the `never` claim of a model.
pub(super) fn check_never(model: &Model, options: &Options<'_>) -> Result<PropertyResult, CheckError> {
    let mut compiled: Compiled = compile(model, &[]).map_err(CheckError::Start)?;
    compiled.program.asserts = false;
    forget(&mut compiled, options);
    let automaton = compiled.never.as_ref().ok_or(CheckError::NoNever)?;
    let atoms = atoms_of_invariant(automaton, &options.limits).map_err(CheckError::Limit)?;
    let program = &compiled.program;
    let mut note = why_unreduced(program, options);
    if note.is_none() && program.features.timeout {
        note = Some("no reduction: the `never` claim or the model uses `timeout`".to_string());
    } else if note.is_none() && atoms.is_none() {
        note = Some("no reduction: the claim may count steps (it is not known to be stutter-invariant)".to_string());
    }
    let mut atoms = atoms.unwrap_or_default();
    // Labels of processes count as well.
    let mut locations = program.automata.iter().flat_map(|a| &a.graph.locations);
    atoms.extend(locations.any(|l| l.is_accept).then_some(Node::Accepting));
    if note.is_none() {
        compiled.atoms.clone_from(&atoms);
        merge(&mut compiled, options);
    }
    let (program, automaton) = (&compiled.program, compiled.never.as_ref().ok_or(CheckError::NoNever)?);
    let claim = NeverClaim { program, automaton };
    let searched = Searched {
        model,
        program,
        claim: &claim,
        atoms: &atoms,
        labels: true,
        stutters: true,
        violation: ViolationKind::AcceptanceCycle,
        message: "the claim accepts this execution".to_string(),
        meaning: None,
        options,
    };
    searched.run("never", Kind::Never, note)
}

/// How often the cycle of a counterexample is repeated at most, to make it close.
const REPETITIONS: usize = 4;
/// The number of statements up to which that is tried.
const UNROLLED: usize = 10_000;

/// What is searched for violations.
struct Searched<'a, C> {
    model: &'a Model,
    program: &'a Program,
    claim: &'a C,
    /// What the claim observes.
    atoms: &'a [Node],
    labels: bool,
    /// Whether a finite execution counts as one that repeats its last state.
    stutters: bool,
    violation: ViolationKind,
    message: String,
    /// The formula that a violation must satisfy, with its atoms.
    meaning: Option<(&'a Formula, &'a [Expr])>,
    options: &'a Options<'a>,
}

impl<'a, C: Claim> Searched<'a, C> {
    /// Searches for a violation. A note says why the model cannot be reduced.
    fn run(&self, name: &str, kind: Kind, note: Option<String>) -> Result<PropertyResult, CheckError> {
        let options = self.options;
        let is_reduced = note.is_none() && options.reduction.persistent();
        let mut system = executed(ModelSystem::new(self.program), options);
        // Fairness needs to see which processes are enabled in the states of a chain.
        if !options.fair {
            system = system.merging();
            if is_reduced {
                system = system.with_chains(self.sets());
            }
        }
        let mut result = PropertyResult {
            verdict: Verdict::Holds,
            end: End::Complete,
            statistics: Statistics::default(),
            found: PropertyFindings {
                reduction: ReductionUsed {
                    persistent: is_reduced.then(|| options.persistent.name()),
                    sleep: false,
                    proviso: is_reduced.then_some("cycle"),
                    note: note.filter(|_| options.reduction != Reduction::None),
                    trial: None,
                },
                ..PropertyFindings::new(name, kind)
            },
        };
        let search = |reduced| Search {
            searched: self,
            system: &system,
            reduced,
        };
        if !is_reduced {
            search(None).run_into(&mut AllEnabled, options.limits, &mut result)?;
            return Ok(result);
        }
        let start = Instant::now();
        let reduced = match self.rounds(&system, &search(None), &mut result)? {
            Some(reduced) => reduced,
            None => return Ok(result),
        };
        // If the reduced graph is complete, the search in it decides.
        result.end = reduced.end;
        result.verdict = Verdict::of_no_findings(reduced.end);
        result.statistics = reduced.statistics;
        result.statistics.time = start.elapsed();
        if result.end == End::Complete {
            search(Some(&reduced)).run_into(&mut AllEnabled, options.limits, &mut result)?;
        }
        Ok(result)
    }

    /// Searches on the fly and builds the reduced graph in turns. `None` if a violation was found meanwhile, which is in the result then.
    fn rounds(
        &self,
        system: &ModelSystem<'a>,
        search: &Search<'_, 'a, C>,
        result: &mut PropertyResult,
    ) -> Result<Option<ReducedGraph>, CheckError> {
        let limits = self.options.limits;
        let graph = |limits| ReducedGraph::new(system, &mut self.sets(), self.options.storage, limits);
        for (few, many) in ROUNDS {
            if limits.states.is_some_and(|most| most <= few) {
                break;
            }
            let until = |most| Limits {
                states: Some(limits.states.map_or(most, |least| least.min(most))),
                ..limits
            };
            let mut sets = JointSets::new(self.sets(), self.claim.len());
            result.statistics = Statistics {
                time: result.statistics.time,
                ..Statistics::default()
            };
            search.run_into(&mut sets, until(few), result)?;
            if result.verdict == Verdict::Violated {
                return Ok(None);
            }
            let reduced = graph(until(many))?;
            let is_ours = reduced.end == End::Limit(Limit::States) && limits.states.is_none_or(|most| most > many);
            if !is_ours {
                return Ok(Some(reduced));
            }
        }
        Ok(Some(graph(limits)?))
    }

    fn sets(&self) -> StubbornSets<'a> {
        let (program, options) = (self.program, self.options);
        let seen = Observed::new(program, self.atoms);
        let sets = match options.fair {
            true => StubbornSets::fair(program, options.persistent, seen),
            false => StubbornSets::new(program, options.persistent, Some(seen)),
        };
        sets.within(options.limits)
    }
}

/// One search of a product.
struct Search<'a, 'p, C> {
    searched: &'a Searched<'p, C>,
    system: &'a ModelSystem<'p>,
    /// The steps to take in each state, if the model was reduced before.
    reduced: Option<&'a ReducedGraph>,
}

impl<'p, C> std::ops::Deref for Search<'_, 'p, C> {
    type Target = Searched<'p, C>;

    fn deref(&self) -> &Self::Target {
        self.searched
    }
}

impl<'p, C: Claim> Search<'_, 'p, C> {
    fn run_into(
        &self,
        sets: &mut dyn PersistentSets<Joint>,
        limits: Limits<'_>,
        result: &mut PropertyResult,
    ) -> Result<(), CheckError> {
        let product = Product {
            system: self.system,
            claim: self.claim,
            reduced: self.reduced,
            labels: self.labels,
            stutters: self.stutters,
            fair: if self.options.fair { FAIR_PROCESSES } else { 0 },
        };
        let search = CycleSearch {
            storage: self.options.storage,
            limits,
        };
        let mut observer = Completion {
            product: &product,
            path: None,
            crowded: false,
            failed: self.reduced.is_some_and(|reduced| reduced.failed),
            passed: 0,
        };
        let emptiness = search.run(&product, sets, &product, &mut observer)?;
        if observer.crowded && self.options.fair {
            return Err(CheckError::TooManyForFairness(FAIR_PROCESSES));
        }
        let before = result.statistics;
        result.statistics = emptiness.statistics;
        result.statistics.transitions += observer.passed;
        result.statistics.bytes += before.bytes;
        result.statistics.time += before.time;
        result.end = emptiness.end;
        result.verdict = match emptiness.end {
            End::Complete if observer.failed => Verdict::Inconclusive(Doubt::Unexplored),
            end => Verdict::of_no_findings(end),
        };
        if observer.failed {
            let note = "some executions end in a runtime error (see safety), and their continuations are not known";
            result.reduction.note.get_or_insert_with(|| note.to_string());
        }
        let found = match (observer.path, emptiness.lasso) {
            (Some(path), _) => Some((path, None)),
            (None, Some(lasso)) => Some((lasso.prefix, Some(lasso.cycle))),
            (None, None) => None,
        };
        if let Some((mut prefix, mut cycle)) = found {
            if let Some(cycle) = &mut cycle {
                self.close(&mut prefix, cycle);
            }
            let violation = self.violation(&prefix, cycle.as_deref())?;
            result.verdict = Verdict::Violated;
            result.violations.push(violation);
        }
        Ok(())
    }

    /// Repeats the cycle until it closes in the eyes of a reader as well. In the compiled form, variables that nothing
    /// reads keep their value, so a cycle of the search may change one. A cycle that does not close soon stays as it is.
    fn close(&self, prefix: &mut Vec<Joint>, cycle: &mut Vec<Joint>) {
        let interpreter = Interpreter::new(self.model).ignoring_assertions();
        for times in 1..=REPETITIONS {
            let unrolled: Vec<Joint> = prefix.iter().chain(cycle.repeat(times).iter()).copied().collect();
            let steps: Vec<Step> = unrolled.iter().filter_map(|j| j.step).collect();
            let statements = statements(self.system, &steps);
            // A replay keeps a state for each.
            if statements.len() > UNROLLED {
                return;
            }
            let Some(replayed) = replay(self.model, self.system.program, &interpreter, &statements) else {
                return;
            };
            // The states before the cycle and after each repetition.
            let state = |joints: usize| match unrolled[..joints].iter().filter(|j| j.step.is_some()).count() {
                0 => replayed.states.first(),
                n => replayed.states.get(statements.marks[n - 1]),
            };
            let round = |k: usize| state(prefix.len() + k * cycle.len());
            if let Some(first) = (0..times).find(|k| round(*k) == round(times)) {
                prefix.extend(cycle.repeat(first));
                *cycle = cycle.repeat(times - first);
                return;
            }
        }
    }

    fn violation(&self, prefix: &[Joint], cycle: Option<&[Joint]>) -> Result<Violation, CheckError> {
        let steps: Vec<Step> = prefix
            .iter()
            .chain(cycle.unwrap_or(&[]))
            .filter_map(|j| j.step)
            .collect();
        let before = prefix.iter().filter(|j| j.step.is_some()).count();
        let statements = statements(self.system, &steps);
        if self.meaning.is_some() && cycle.is_some_and(|cycle| !cycle.iter().any(|joint| joint.claim_moves())) {
            let line = statements
                .last_span()
                .map_or(0, |span| self.model.sources.place(span).line);
            return Err(CheckError::EndlessAtomic(line));
        }
        let mut interpreter = Interpreter::new(self.model).ignoring_assertions();
        for atom in self.meaning.iter().flat_map(|(_, atoms)| *atoms) {
            interpreter.observe(atom);
        }
        let mut replayed =
            replay(self.model, self.system.program, &interpreter, &statements).ok_or(CheckError::Replay)?;
        if let Ending::Error(_) = replayed.ending {
            return Err(CheckError::Replay);
        }
        if let (Some(cycle), Some(meaning)) = (cycle, self.meaning)
            && !means(
                meaning,
                &interpreter,
                &replayed.states,
                &statements.marks,
                prefix,
                cycle,
            )
        {
            return Err(CheckError::Replay);
        }
        let mut start = before.checked_sub(1).map_or(0, |last| statements.marks[last]);
        if let (Some((formula, atoms)), false) = (self.meaning.filter(|_| cycle.is_some()), self.options.fair) {
            let cycle = Cycle {
                model: self.model,
                program: self.system.program,
                interpreter: &interpreter,
                formula,
                atoms,
                replayed: &replayed,
                start,
            };
            (replayed, start) = cycle.shortened().unwrap_or((replayed, start));
        }
        let cycle_start = cycle.map(|_| StepId::new(start));
        let (kind, message) = match cycle {
            Some(_) => (self.violation, self.message.clone()),
            None => (ViolationKind::ClaimCompleted, "the claim reaches its end".to_string()),
        };
        Ok(Violation {
            steps: replayed.steps,
            cycle_start,
            ..Violation::new(kind, message)
        })
    }
}

/// Whether a formula holds for a lasso by definition. The plain interpreter evaluates the atoms
/// in the states that the claim observed.
fn means(
    (formula, atoms): (&Formula, &[Expr]),
    interpreter: &Interpreter<'_>,
    states: &[State],
    marks: &[usize],
    prefix: &[Joint],
    cycle: &[Joint],
) -> bool {
    let mut seen = Vec::new();
    let mut first = None;
    let mut taken = 0;
    for (k, joint) in prefix.iter().chain(cycle).enumerate() {
        if k == prefix.len() {
            first = Some(seen.len());
        }
        if joint.claim_moves() {
            seen.push(match taken {
                0 => &states[0],
                n => &states[marks[n - 1]],
            });
        }
        taken += usize::from(joint.step.is_some());
    }
    let Some(lasso) = first.and_then(|first| Lasso::new(seen.len(), first)) else {
        return false;
    };
    let failed = Cell::new(false);
    let holds = |atom: AtomId, at: usize| match interpreter.evaluate(seen[at], &atoms[atom.0 as usize]) {
        Ok(value) => value != 0,
        Err(_) => {
            failed.set(true);
            false
        }
    };
    // For an atom that fails, such as a division by zero, the search is trusted.
    formula.holds_on(lasso, holds) || failed.get()
}

/// The greatest number of processes for fairness: the acceptance sets of the engine, except the claim's.
pub(super) const FAIR_PROCESSES: usize = 62;

/// Stops when the claim reaches its end.
struct Completion<'a, 'b, 'p, C> {
    product: &'a Product<'b, 'p, C>,
    path: Option<Vec<Joint>>,
    /// Whether there are more processes than fairness supports.
    crowded: bool,
    /// Whether some execution ended in a runtime error.
    failed: bool,
    /// The number of steps of the explored transitions, not counting the first of each.
    passed: u64,
}

impl<'b, 'p, C: Claim> Observer<Product<'b, 'p, C>> for Completion<'_, 'b, 'p, C> {
    fn transition(&mut self, edge: &Edge<'_, Product<'b, 'p, C>>, path: &dyn Path<Joint>) -> ControlFlow<()> {
        if edge.transition.step.is_some() {
            self.passed += edge.scratch.passed;
        }
        let (model, claim) = self.product.split(edge.after);
        self.crowded |= usize::from(model[crate::ir::COUNT]) > FAIR_PROCESSES;
        if self.product.claim.is_complete(claim) {
            self.path = Some(path.transitions());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn fault(&mut self, _: Fault, _: &Scratch<'p>, _: &dyn Path<Joint>) -> ControlFlow<()> {
        self.failed = true;
        ControlFlow::Continue(())
    }
}
