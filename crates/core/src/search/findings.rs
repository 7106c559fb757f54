//! What a search of a model finds: deadlocks, violations, unreached parts.

use super::observer::{Edge, Observer, Path};
use crate::bitset::{self, BitSet};
use crate::ids::{LocalId, ProcessId, PropertyId, StateId, TransitionId};
use crate::model::{Configuration, Model, PropertyKind, ReplayError};
use crate::system::Fault;
use mazurka_outcome::{Doubt, End, Outcome, Statistics, Verdict};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// What a search of a model found.
///
/// ```
/// # use mazurka_core::{Builder, Search};
/// # let mut m = Builder::new("m");
/// let [a0, a1, a2] = m.process("A", ["a0", "a1", "a2"]);
/// m.transition("a", a0, a1);
/// m.transition("b", a2, a0);
/// let model = m.build()?;
/// let outcome = Search::new(&model).run()?;
/// let path = outcome.deadlocks[0].path.as_ref().expect("the first deadlocks have paths");
/// assert_eq!(path.iter().map(|t| model.transition_name(*t)).collect::<Vec<_>>(), ["a"]);
/// let coverage = outcome.coverage.as_ref().expect("the search is complete");
/// assert_eq!(coverage.dead_transitions, ["b"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Findings {
    /// Every deadlock that was found, in the order of the search; all there are,
    /// if the search is complete.
    pub deadlocks: Vec<Deadlock>,
    /// How many states were found in which nothing is enabled and every process
    /// may end ([`Builder::may_end_at`](crate::Builder::may_end_at)).
    pub terminations: u64,
    /// For each violated property, its first violation; and a fault, if any.
    pub violations: Vec<Violation>,
    /// The parts of the model that no execution uses; `None` if the search cannot tell.
    pub coverage: Option<Coverage>,
}

/// A state in which nothing is enabled and some process may not end.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Deadlock {
    /// The state, with the monitors of properties put back to where they start.
    pub state: Configuration,
    /// A path to it; kept for the first [`Search::witnesses`](super::Search::witnesses).
    pub path: Option<Vec<TransitionId>>,
}

/// A property that does not hold.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Violation {
    /// Which property; `None` if a transition failed.
    pub property: Option<PropertyId>,
    /// The kind of violation.
    pub kind: ViolationKind,
    /// The message for the user.
    pub message: String,
    /// The execution; its last transition violates the property.
    pub path: Vec<TransitionId>,
}

/// Kinds of violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViolationKind {
    /// An assertion is false.
    Assertion,
    /// An invariant is false in some reachable state.
    Invariant,
    /// A safety automaton does not accept a sequence of labels.
    SafetyAutomaton,
    /// A transition has no meaning in some state: the model is wrong.
    Fault,
}

/// Parts of the model that no execution uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// Names of the transitions that are never executed.
    pub dead_transitions: Vec<String>,
    /// Control points that are never reached.
    pub unreached: Vec<LocalId>,
}

/// Collects the answers of a search of a [`Model`].
#[derive(Debug)]
pub(super) struct Answers<'m> {
    model: &'m Model,
    witnesses: usize,
    first_only: bool,
    deadlocks: Vec<Deadlock>,
    terminations: u64,
    /// States without successors, with monitors put back to where they start.
    final_states: HashSet<Configuration>,
    violations: Vec<Violation>,
    violated: BitSet,
    executed: BitSet,
    reached: BitSet,
    /// Transitions whose execution can violate a property.
    suspicious: BitSet,
    replay_error: Option<ReplayError>,
}

impl<'m> Answers<'m> {
    pub(super) fn new(model: &'m Model, witnesses: usize, first_only: bool) -> Self {
        let mut suspicious = BitSet::new(model.transitions());
        for t in (0..model.transitions()).map(TransitionId::new) {
            if model.can_violate(t) {
                bitset::insert(&mut suspicious, t.index());
            }
        }
        let mut reached = BitSet::new(model.locals());
        for p in (0..model.processes()).map(ProcessId::new) {
            bitset::insert(&mut reached, model.initial_local(p).index());
        }
        Self {
            model,
            witnesses,
            first_only,
            deadlocks: Vec::new(),
            terminations: 0,
            final_states: HashSet::new(),
            violations: Vec::new(),
            violated: BitSet::new(model.properties().len()),
            executed: BitSet::new(model.transitions()),
            reached,
            suspicious,
            replay_error: None,
        }
    }

    /// The outcome, if every witness could be replayed.
    pub(super) fn outcome(
        self,
        statistics: Statistics,
        end: End,
        trace_automaton: bool,
    ) -> Result<Outcome<Findings>, ReplayError> {
        if let Some(error) = self.replay_error {
            return Err(error);
        }
        let complete = end == End::Complete;
        let coverage = (complete && trace_automaton).then(|| self.coverage());
        let verdict = if !self.deadlocks.is_empty() || !self.violations.is_empty() {
            Verdict::Violated
        } else if let End::Limit(limit) = end {
            Verdict::Inconclusive(limit.into())
        } else if !trace_automaton && (!self.model.properties().is_empty() || self.model.can_fault()) {
            Verdict::Inconclusive(Doubt::NoProviso)
        } else {
            Verdict::Holds
        };
        Ok(Outcome {
            verdict,
            end,
            statistics,
            found: Findings {
                deadlocks: self.deadlocks,
                terminations: self.terminations,
                violations: self.violations,
                coverage,
            },
        })
    }

    fn coverage(&self) -> Coverage {
        let declared = self.model.declared_transitions();
        let mut live = vec![false; declared.len()];
        for t in bitset::iter(&self.executed) {
            if let Some(origin) = self.model.origin(TransitionId::new(t)) {
                live[origin] = true;
            }
        }
        let dead = declared.iter().zip(live).filter(|(_, live)| !live);
        let locals = (0..self.model.locals()).map(LocalId::new);
        let unreached = locals.filter(|l| {
            !bitset::contains(&self.reached, l.index()) && !self.model.is_monitor(self.model.process_of(*l))
        });
        Coverage {
            dead_transitions: dead.map(|(name, _)| name.clone()).collect(),
            unreached: unreached.collect(),
        }
    }

    /// The plain interpreter confirms a path, or the search is not to be trusted.
    fn replay(&mut self, path: &[TransitionId]) -> Option<(Configuration, Vec<PropertyId>)> {
        match Configuration::replay(self.model, path) {
            Ok((mut states, violated)) => Some((states.pop().expect("never empty"), violated)),
            Err(error) => {
                self.replay_error = Some(error);
                None
            }
        }
    }

    fn enough(&self) -> ControlFlow<()> {
        let found = !self.deadlocks.is_empty() || !self.violations.is_empty();
        if self.replay_error.is_some() || (self.first_only && found) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    #[cold]
    fn final_state(&mut self, state: &[u8], path: &dyn Path<TransitionId>) -> ControlFlow<()> {
        let reached = Configuration::decode(self.model, state);
        // A monitor moves along with others and blocks nobody: final states that
        // differ only in monitors are one final state of the model.
        let mut state = reached.clone();
        let mut ends = true;
        for (p, local) in state.control.iter_mut().enumerate() {
            let process = ProcessId::new(p);
            if self.model.is_monitor(process) {
                *local = self.model.initial_local(process);
            } else {
                ends &= self.model.is_end(*local);
            }
        }
        if !self.final_states.insert(state.clone()) {
            return ControlFlow::Continue(());
        }
        if ends {
            self.terminations += 1;
            return ControlFlow::Continue(());
        }
        let path = (self.deadlocks.len() < self.witnesses).then(|| path.transitions());
        if let Some(path) = &path {
            let Some((replayed, _)) = self.replay(path) else {
                return ControlFlow::Break(());
            };
            if replayed != reached || !replayed.enabled(self.model).is_empty() {
                self.replay_error = Some(ReplayError::OtherState);
                return ControlFlow::Break(());
            }
        }
        self.deadlocks.push(Deadlock { state, path });
        self.enough()
    }

    #[cold]
    fn violation(&mut self, property: PropertyId, path: &dyn Path<TransitionId>) {
        bitset::insert(&mut self.violated, property.index());
        let path = path.transitions();
        let Some((_, confirmed)) = self.replay(&path) else {
            return;
        };
        if !confirmed.contains(&property) {
            self.replay_error = Some(ReplayError::OtherState);
            return;
        }
        let stated = &self.model.properties()[property.index()];
        self.violations.push(Violation {
            property: Some(property),
            kind: match stated.kind {
                PropertyKind::Assertion => ViolationKind::Assertion,
                PropertyKind::Invariant => ViolationKind::Invariant,
                PropertyKind::SafetyAutomaton => ViolationKind::SafetyAutomaton,
            },
            message: stated.message.clone(),
            path,
        });
    }
}

impl Observer<Model> for Answers<'_> {
    #[inline]
    fn state(
        &mut self,
        _: StateId,
        state: &[u8],
        enabled: &[TransitionId],
        path: &dyn Path<TransitionId>,
    ) -> ControlFlow<()> {
        if enabled.is_empty() {
            return self.final_state(state, path);
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn transition(&mut self, edge: &Edge<'_, Model>, path: &dyn Path<TransitionId>) -> ControlFlow<()> {
        let t = edge.transition;
        if !bitset::contains(&self.executed, t.index()) {
            bitset::insert(&mut self.executed, t.index());
            for local in self.model.postset(t) {
                bitset::insert(&mut self.reached, local.index());
            }
        }
        if bitset::contains(&self.suspicious, t.index()) {
            let mut new = Vec::new();
            self.model.violated(edge.before, t, |p| {
                if !bitset::contains(&self.violated, p.index()) {
                    new.push(p);
                }
            });
            for property in new {
                self.violation(property, path);
            }
            return self.enough();
        }
        ControlFlow::Continue(())
    }

    fn fault(&mut self, fault: Fault, (): &(), path: &dyn Path<TransitionId>) -> ControlFlow<()> {
        let path = path.transitions();
        match Configuration::replay(self.model, &path) {
            // Every state but the one that the last transition would lead to.
            Ok((states, _)) if states.len() == path.len() => self.violations.push(Violation {
                property: None,
                kind: ViolationKind::Fault,
                message: fault.to_string(),
                path,
            }),
            Ok(_) => self.replay_error = Some(ReplayError::OtherState),
            Err(error) => self.replay_error = Some(error),
        }
        ControlFlow::Break(())
    }
}
