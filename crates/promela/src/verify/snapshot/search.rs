//! One search of the product, and the counterexample that it finds.

use super::explain::Explanation;
use super::frozen::Frozen;
use super::memory::Memory;
use super::names::Names;
use super::product::{Product, Scratch};
use super::propositions::Propositions;
use crate::model::{Ltl, Model};
use crate::plain::Interpreter;
use crate::reduce::Participants;
use crate::run::Step;
use crate::system::ModelSystem;
use crate::verify::CheckError;
use crate::verify::checked::{PropertyResult, Violation, ViolationKind};
use crate::verify::liveness::FAIR_PROCESSES;
use crate::verify::options::Options;
use crate::verify::product::Joint;
use crate::verify::reduced::ReducedGraph;
use crate::verify::replay::{Ending, replay, statements};
use crate::verify::step_id::StepId;
use mazurka_core::persistent::AllEnabled;
use mazurka_core::{CycleSearch, Doubt, Edge, End, Fault, Lasso, Limit, Limits, Observer, Path, System, Verdict};
use mazurka_logic::snapshot::{Conjunction, FreezeBasis};
use mazurka_logic::{AtomId, Buchi};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// What all searches for a formula share.
pub(super) struct Search<'a, 'p> {
    pub(super) model: &'a Model,
    pub(super) ltl: &'a Ltl,
    pub(super) system: &'a ModelSystem<'p>,
    pub(super) participants: &'a Participants<'p>,
    pub(super) propositions: Propositions<'a>,
    pub(super) automaton: &'a Buchi,
    pub(super) letters: &'a [AtomId],
    pub(super) reduced: Option<&'a ReducedGraph>,
    pub(super) options: &'a Options<'a>,
    pub(super) names: &'a Names,
    /// None for the tracker.
    pub(super) everything: Option<Everything<'a>>,
}

/// The snapshots with all their conjunctions, without guesses.
pub(super) struct Everything<'a> {
    pub(super) conjunctions: &'a [Vec<Conjunction>],
    /// Which snapshots have a property instead.
    pub(super) has_property: Vec<bool>,
    /// A memory of all conjunctions.
    pub(super) memory: Frozen<'a>,
}

impl<'p> Search<'_, 'p> {
    fn product<'b, M>(&'b self, memory: &'b M) -> Product<'b, 'p, M> {
        Product {
            system: self.system,
            participants: self.participants,
            propositions: self.propositions,
            memory,
            automaton: self.automaton,
            letters: self.letters,
            reduced: self.reduced,
            fair: if self.options.fair { FAIR_PROCESSES } else { 0 },
        }
    }

    /// Searches with a memory, and adds the outcome to the result.
    pub(super) fn run<M: Memory>(&self, memory: &M, result: &mut PropertyResult) -> Result<(), CheckError> {
        let product = self.product(memory);
        let limits = self.options.limits;
        let search = CycleSearch {
            storage: self.options.storage,
            limits: Limits {
                states: limits.states.map(|most| most.saturating_sub(result.statistics.states)),
                ..limits
            },
        };
        let mut observer = Failures {
            product: &product,
            crowded: false,
            failed: self.reduced.is_some_and(|reduced| reduced.failed),
        };
        let emptiness = search.run(&product, &mut AllEnabled, &product, &mut observer)?;
        if observer.crowded && self.options.fair {
            return Err(CheckError::TooManyForFairness(FAIR_PROCESSES));
        }
        let (sum, this) = (&mut result.statistics, emptiness.statistics);
        sum.states += this.states;
        sum.transitions += this.transitions;
        sum.matched += this.matched;
        sum.depth = sum.depth.max(this.depth);
        sum.bytes = sum.bytes.max(this.bytes);
        result.end = emptiness.end;
        result.verdict = match emptiness.end {
            End::Complete if observer.failed => Verdict::Inconclusive(Doubt::Unexplored),
            end => Verdict::of_no_findings(end),
        };
        if observer.failed {
            let note = "some executions end in a runtime error (see safety), and their continuations are not known";
            result.reduction.note.get_or_insert_with(|| note.to_string());
        }
        if let Some(lasso) = emptiness.lasso {
            let violation = self.violation(&lasso)?;
            result.verdict = Verdict::Violated;
            result.violations.push(violation);
            // The violation stands, but after an interruption no other property is checked.
            let interrupt = limits.interrupt;
            if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                result.end = End::Limit(Limit::Interrupt);
            }
        }
        Ok(())
    }

    fn violation(&self, lasso: &Lasso<Joint>) -> Result<Violation, CheckError> {
        let steps: Vec<Step> = lasso.prefix.iter().chain(&lasso.cycle).filter_map(|j| j.step).collect();
        let before = lasso.prefix.iter().filter(|j| j.step.is_some()).count();
        let statements = statements(self.system, &steps);
        let mut interpreter = Interpreter::new(self.model).ignoring_assertions();
        for atom in &self.ltl.atoms {
            interpreter.observe(atom);
        }
        let replayed = replay(self.model, self.system.program, &interpreter, &statements).ok_or(CheckError::Replay)?;
        if let Ending::Error(_) = replayed.ending {
            return Err(CheckError::Replay);
        }
        let cycle_start = match before {
            0 => 0,
            n => statements.marks[n - 1],
        };
        let explanation = Explanation {
            ltl: self.ltl,
            names: self.names,
            conjunctions: (0..self.ltl.snapshots.len()).map(|k| self.conjunctions_of(k)).collect(),
            bases: self.bases(lasso)?,
            cycle_start,
            interrupt: self.options.limits.interrupt,
        };
        let snapshots = explanation.findings(&interpreter, &replayed)?;
        let message = format!("an execution violates {}", self.ltl.text);
        Ok(Violation {
            steps: replayed.steps,
            cycle_start: Some(StepId::new(cycle_start)),
            snapshots,
            ..Violation::new(ViolationKind::AcceptanceCycle, message)
        })
    }

    /// The conjunctions of a snapshot, if it was followed by them.
    fn conjunctions_of(&self, snapshot: usize) -> Option<&[Conjunction]> {
        let everything = self.everything.as_ref()?;
        (!everything.has_property[snapshot]).then_some(&everything.conjunctions[snapshot])
    }

    /// What is frozen at the end of an execution.
    fn bases(&self, lasso: &Lasso<Joint>) -> Result<Vec<(usize, usize, FreezeBasis)>, CheckError> {
        let Some(Everything { memory, .. }) = &self.everything else {
            return Ok(Vec::new());
        };
        let product = self.product(memory);
        let (mut state, mut next, mut scratch) = (Vec::new(), Vec::new(), product.scratch());
        product.initial(&mut state);
        for joint in lasso.prefix.iter().chain(&lasso.cycle) {
            // Only the memory is of interest, not where the automaton goes.
            let joint = Joint {
                claim: Joint::WAITS,
                ..*joint
            };
            let fired = product.fire(&mut scratch, &state, joint, &mut next);
            fired.map_err(|_| CheckError::Replay)?;
            std::mem::swap(&mut state, &mut next);
        }
        Ok(memory.bases(product.split(&state).memory))
    }
}

/// Observes what makes an answer less certain.
struct Failures<'a, 'b, 'p, M> {
    product: &'a Product<'b, 'p, M>,
    /// Whether there are more processes than fairness supports.
    crowded: bool,
    /// Whether some execution ended in a runtime error.
    failed: bool,
}

impl<'b, 'p, M: Memory> Observer<Product<'b, 'p, M>> for Failures<'_, 'b, 'p, M> {
    fn transition(&mut self, edge: &Edge<'_, Product<'b, 'p, M>>, _: &dyn Path<Joint>) -> ControlFlow<()> {
        let model = self.product.split(edge.after).model;
        self.crowded |= usize::from(model[crate::ir::COUNT]) > FAIR_PROCESSES;
        ControlFlow::Continue(())
    }

    fn fault(&mut self, _: Fault, _: &Scratch<'p, M::Scratch>, _: &dyn Path<Joint>) -> ControlFlow<()> {
        self.failed = true;
        ControlFlow::Continue(())
    }
}
