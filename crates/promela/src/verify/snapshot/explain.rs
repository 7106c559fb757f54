//! Checks counterexamples a second time, and explains them.
//!
//! The plain interpreter replays the execution that the search found. From the events and their
//! participants, which the interpreter derives from the tree, least [cuts](super::cuts) tell where each snapshot is passed
//! first. If the execution is not too large, the naive tracker must agree at each
//! position. With these truth values the forbidden formula must hold for the execution by definition. A snapshot that is
//! passed is shown by an equivalent execution that passes through the state, executed to its end.

use super::cuts::{Events, PlainConjunction, TooMany};
use super::names::Names;
use crate::model::Ltl;
use crate::plain::{Interpreter, State, Tracker};
use crate::verify::CheckError;
use crate::verify::checked::{MissingSnapshot, SnapshotFinding, SnapshotOutcome};
use crate::verify::replay::Replayed;
use crate::verify::step_id::StepId;
use mazurka_core::bitset;
use mazurka_logic::snapshot::{ComponentId, Conjunction, FreezeBasis};
use mazurka_logic::{AtomId, Formula, Lasso};
use std::sync::atomic::{AtomicBool, Ordering};

/// The greatest number of pairs of the naive tracker. Beyond it, the comparison is abandoned.
const MOST_PAIRS: usize = 3_000;

/// A counterexample to explain.
pub(super) struct Explanation<'a> {
    pub(super) ltl: &'a Ltl,
    pub(super) names: &'a Names,
    /// For each snapshot, its conjunctions; none if it was followed in another way.
    pub(super) conjunctions: Vec<Option<&'a [Conjunction]>>,
    /// What is frozen at the end: snapshot, conjunction, basis.
    pub(super) bases: Vec<(usize, usize, FreezeBasis)>,
    /// The number of steps before the cycle.
    pub(super) cycle_start: usize,
    /// When set, the comparison with the tracker is abandoned, which is the only part that may take long.
    pub(super) interrupt: Option<&'a AtomicBool>,
}

impl Explanation<'_> {
    /// Checks a replayed execution, and explains which snapshots it passes.
    pub(super) fn findings(
        &self,
        interpreter: &Interpreter<'_>,
        replayed: &Replayed,
    ) -> Result<Vec<SnapshotFinding>, CheckError> {
        let (mut steps, mut states) = (replayed.way.clone(), replayed.states.clone());
        // Where an `atomic` is repeated, the cycle may begin inside of it.
        let total = steps.len();
        let inside = states[self.cycle_start..]
            .iter()
            .take_while(|s| s.exclusive.is_some())
            .count();
        let start = self.cycle_start + inside;
        // Once more round, from the state where the cycle begins.
        for k in self.cycle_start..total {
            steps.push(replayed.way[k].clone());
            states.push(replayed.states[k + 1].clone());
        }
        let events = Events::new(interpreter, self.ltl, &steps, &states);
        let is_start = |state: &&State| state.exclusive.is_none();
        let prefix = states[1..=start].iter().filter(is_start).count();
        let period = states[start + 1..=start + (total - self.cycle_start)]
            .iter()
            .filter(is_start)
            .count();
        let mut findings = Vec::new();
        let mut passed: Vec<Option<usize>> = Vec::new();
        for k in 0..self.ltl.snapshots.len() {
            let (at, finding) = self.finding(&events, k, &steps)?;
            // What is passed on the second round only was not passed when the search thought that nothing changes.
            if at.is_some_and(|at| at > prefix + period) {
                return Err(CheckError::Replay);
            }
            passed.push(at);
            findings.push(finding);
        }
        let surely = findings.iter().all(|f| f.outcome != SnapshotOutcome::PassedSomehow);
        if surely {
            self.compare(&events, &passed)?;
            if !self.is_forbidden(&events, &passed, prefix, period) {
                return Err(CheckError::Replay);
            }
        }
        Ok(findings)
    }

    /// The number of events after which a snapshot is passed, and the explanation.
    fn finding(
        &self,
        events: &Events<'_, '_>,
        number: usize,
        steps: &[crate::plain::Step],
    ) -> Result<(Option<usize>, SnapshotFinding), CheckError> {
        let snapshot = &self.ltl.snapshots[number];
        let finding = |outcome| SnapshotFinding::new(&snapshot.text, outcome);
        let cut = match self.conjunctions[number] {
            Some(conjunctions) => {
                let cuts = conjunctions.iter().filter_map(|c| events.least(&self.plain(c)));
                cuts.min_by_key(|cut| Events::size(cut))
            }
            None => match events.first(&snapshot.q) {
                Ok(cut) => cut,
                Err(TooMany) => return Ok((None, finding(SnapshotOutcome::PassedSomehow))),
            },
        };
        let Some(cut) = cut else {
            return Ok((None, finding(SnapshotOutcome::Missing(self.missing(number)))));
        };
        let size = Events::size(&cut);
        let marked = events.executed(&cut).ok().flatten().ok_or(CheckError::Replay)?;
        if !events.hold(&snapshot.q, &marked) {
            return Err(CheckError::Replay);
        }
        // From events to steps.
        let mut at = 0;
        let ranges: Vec<_> = events.actions[..size]
            .iter()
            .map(|action| {
                at += action.steps.len();
                at - action.steps.len()..at
            })
            .collect();
        let cut = &cut;
        let of = |member: bool| (0..size).filter(move |k| cut[*k] == member);
        let first: Vec<usize> = of(true).flat_map(|k| ranges[k].clone()).collect();
        let then = of(false).flat_map(|k| ranges[k].clone());
        let order: Vec<StepId> = first.iter().copied().chain(then).map(StepId::new).collect();
        debug_assert!(order.len() <= steps.len());
        let before = events.interpreter.describe(&events.states[0]);
        let state = events
            .interpreter
            .describe(&marked)
            .into_iter()
            .filter(|pair| !before.contains(pair));
        let outcome = SnapshotOutcome::Passed {
            at,
            marked: first.len(),
            order,
            state: state.collect(),
        };
        Ok((Some(size), finding(outcome)))
    }

    fn plain(&self, conjunction: &Conjunction) -> PlainConjunction {
        let conjuncts = conjunction.iter();
        conjuncts
            .map(|(component, f)| (self.names.plain(component.index()), f.clone()))
            .collect()
    }

    /// The naive tracker must say the same at each position, as long as it can be had.
    fn compare(&self, events: &Events<'_, '_>, passed: &[Option<usize>]) -> Result<(), CheckError> {
        let mut tracker = Tracker::new(events.states[0].clone());
        let mut looked_at = 0;
        let mut by_tracker = vec![false; passed.len()];
        for k in 0..=events.actions.len() {
            if k > 0 {
                let advanced = tracker.advance(events.interpreter, &events.actions[k - 1]);
                advanced.map_err(|_| CheckError::Replay)?;
            }
            if tracker.size() > MOST_PAIRS || self.is_interrupted() {
                return Ok(());
            }
            // What was passed stays so: only new states matter.
            let new = &tracker.states()[looked_at..];
            looked_at = tracker.states().len();
            for ((snapshot, at), by_tracker) in self.ltl.snapshots.iter().zip(passed).zip(&mut by_tracker) {
                *by_tracker |= new.iter().any(|state| events.hold(&snapshot.q, state));
                if *by_tracker != at.is_some_and(|at| at <= k) {
                    return Err(CheckError::Replay);
                }
            }
        }
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Whether the negation of the formula holds of the execution.
    fn is_forbidden(&self, events: &Events<'_, '_>, passed: &[Option<usize>], prefix: usize, period: usize) -> bool {
        let (len, cycle) = match period {
            0 => (prefix + 1, prefix),
            period => (prefix + period, prefix),
        };
        let Some(lasso) = Lasso::new(len, cycle) else {
            return false;
        };
        let atoms = self.ltl.atoms.len();
        let truth = |atom: AtomId, at: usize| match (atom.0 as usize).checked_sub(atoms) {
            Some(snapshot) => passed[snapshot].is_some_and(|first| first <= at),
            None => events.hold(&Formula::Atom(atom), &events.states[at]),
        };
        // On the first round of the cycle a snapshot may still be missing that is there from then on.
        let late = passed.iter().flatten().any(|first| *first > cycle);
        let lasso = match late && period > 0 {
            true => Lasso::new(prefix + 2 * period, prefix + period).unwrap_or(lasso),
            false => lasso,
        };
        !self.ltl.formula.holds_on(lasso, truth)
    }

    /// What is frozen at the end of an execution that does not pass a snapshot.
    fn missing(&self, number: usize) -> Vec<MissingSnapshot> {
        let Some(conjunctions) = self.conjunctions[number] else {
            return Vec::new();
        };
        let bases = self.bases.iter().filter(|(snapshot, _, _)| *snapshot == number);
        let missing = bases.map(|(_, k, basis)| {
            let conjunction = &conjunctions[*k];
            let name = |component: ComponentId| self.names.component(component.index());
            let text = |f: &Formula| f.clone().map(&mut |atom| self.text(atom)).to_string();
            let mut frozen: Vec<Vec<ComponentId>> = Vec::new();
            for set in basis.sets() {
                let members = bitset::iter(&set).map(ComponentId::new);
                frozen.push(members.filter(|i| conjunction.contains_key(i)).collect());
            }
            let all = frozen.clone();
            let is_part = |set: &Vec<ComponentId>| {
                all.iter()
                    .any(|other| other.len() > set.len() && set.iter().all(|i| other.contains(i)))
            };
            frozen.retain(|set| !set.is_empty() && !is_part(set));
            frozen.dedup();
            let is_open = |i: &&ComponentId| !all.iter().any(|set| set.contains(i));
            MissingSnapshot {
                conjuncts: conjunction.iter().map(|(i, f)| (name(*i), text(f))).collect(),
                open: conjunction.keys().filter(is_open).map(|i| name(*i)).collect(),
                frozen: frozen
                    .into_iter()
                    .map(|set| set.into_iter().map(name).collect())
                    .collect(),
            }
        });
        missing.collect()
    }

    /// A proposition as it is written in the formula.
    fn text(&self, atom: AtomId) -> String {
        self.names.atom(atom.0 as usize)
    }
}
