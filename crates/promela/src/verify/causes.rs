//! The partial order of a counterexample: which steps depend on which earlier ones.
//!
//! The order is between *actions*: a step, or all steps of an `atomic`, between which no other process moves. An action is
//! a function of the local states of its [participants](crate::plain::Participants): these decide whether it can
//! be executed and what it does, and it changes nothing else. Two actions are dependent if they have a common participant
//! whose local state one of them changes here, or if a process moves in both.
//!
//! Every order that keeps the order of dependent actions is an execution too. It results from swapping
//! independent neighbours. After a swap, each action still finds its participants in the same states,
//! since the other action changes none of them. So it can be executed and makes the same changes.
//!
//! If a model depends on more than its participants (priorities, `_last`, a trace assertion, …), every action depends on
//! the one before. Mazurkiewicz 1977; Niebert and Peled 2006 for the participants.

use super::checked::ShownStep;
use super::concerns_all;
use super::step_id::StepId;
use crate::ir::Program;
use crate::plain::{Action, Component, Interpreter, Pid, State, Step};
use std::collections::{BTreeMap, BTreeSet};

/// Sets the dependencies of each step. `states` has the state before each step, and the state after the last step if it
/// does not fail.
pub(super) fn add_causes(
    program: &Program,
    interpreter: &Interpreter<'_>,
    way: &[Step],
    states: &[State],
    steps: &mut [ShownStep],
) {
    let is_total = concerns_all(program).is_some() || program.monitor.is_some();
    let mut order = Order::default();
    let mut first = 0;
    let mut action = Action::default();
    for (k, step) in way.iter().enumerate() {
        match states.get(k + 1) {
            Some(after) => action.push(interpreter, &states[k], step, after),
            None => {
                action.participants.join(interpreter.participants(&states[k], step));
                action.steps.push(step.clone());
            }
        }
        let after = states.get(k + 1);
        steps[k].inside = after.is_some_and(|state| state.exclusive.is_some());
        if k > first {
            steps[k].causes = vec![StepId::new(k - 1)];
        }
        if steps[k].inside && k + 1 < way.len() {
            continue;
        }
        let mut done = std::mem::take(&mut action);
        done.participants.all |= is_total;
        // A step that fails changes nothing.
        steps[first].causes = order.add(&done, &states[first], after.unwrap_or(&states[k]), StepId::new(k));
        first = k + 1;
    }
}

/// The steps that some of `roots` depend on, and the roots, each with the rest of its action. Executed in this order and
/// without the others, they are an execution too: some order of all steps that keeps the dependencies begins with them.
pub(super) fn past(steps: &[ShownStep], roots: impl IntoIterator<Item = StepId>) -> Vec<bool> {
    let mut is_past = vec![false; steps.len()];
    for root in roots {
        let last = (root.index()..).find(|k| *k + 1 >= steps.len() || !steps[*k].inside);
        is_past[last.unwrap_or(root.index())] = true;
    }
    for k in (0..steps.len()).rev() {
        if is_past[k] {
            steps[k].causes.iter().for_each(|cause| is_past[cause.index()] = true);
        }
    }
    is_past
}

/// The last actions that read and changed each component. An action is named by its last step.
#[derive(Default)]
struct Order {
    components: BTreeMap<Component, Last>,
    /// For each process, the last action in which it moves.
    moved: BTreeMap<Pid, StepId>,
    /// The last action in which everybody takes part, and those since.
    everybody: Option<StepId>,
    since: Vec<StepId>,
}

#[derive(Default)]
struct Last {
    changed: Option<StepId>,
    /// The actions that read it since then. For a process, only the last.
    read: BTreeMap<Pid, StepId>,
}

impl Order {
    /// The direct predecessors of an action, and perhaps others that come before it.
    fn add(&mut self, action: &Action, before: &State, after: &State, at: StepId) -> Vec<StepId> {
        let movers: BTreeSet<Pid> = action.steps.iter().flat_map(movers).collect();
        let mut causes: BTreeSet<StepId> = self.everybody.into_iter().collect();
        causes.extend(movers.iter().filter_map(|pid| self.moved.get(pid)));
        let participants = &action.participants;
        if participants.all {
            causes.extend(self.since.drain(..));
            self.everybody = Some(at);
            self.components.clear();
        } else {
            let changed = participants.changed(before, after);
            let who = action.steps.last().map_or(Pid(0), |step| step.process);
            for component in &participants.some {
                let last = self.components.entry(component.clone()).or_default();
                causes.extend(last.changed);
                if changed.contains(component) {
                    causes.extend(last.read.values());
                    *last = Last {
                        changed: Some(at),
                        read: BTreeMap::new(),
                    };
                } else {
                    last.read.insert(who, at);
                }
            }
            self.since.push(at);
        }
        self.moved.extend(movers.into_iter().map(|pid| (pid, at)));
        causes.into_iter().collect()
    }
}

/// The processes that move in a step.
fn movers(step: &Step) -> impl Iterator<Item = Pid> {
    let partner = step.partner.as_ref().map(|partner| partner.process);
    std::iter::once(step.process).chain(partner)
}
