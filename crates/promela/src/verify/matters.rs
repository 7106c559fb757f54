//! Which steps of a counterexample matter.
//!
//! A step that fails depends on its causes alone. In an invalid end state, somebody is stuck who should not be. It matters how
//! these processes came to where they are, and what became of the objects that they wait for. So the last steps of these processes
//! matter, the last steps that changed those objects, and all that these depend on (`causes.rs`). The others were
//! only necessary to show that nobody else can move either.
//!
//! If a model depends on more than its objects (priorities, a trace assertion, …), all steps matter.
//!
//! Every step of an infinite execution counts as one that matters: see `shorten_cycle.rs`.

use super::causes::past;
use super::checked::ShownStep;
use super::concerns_all;
use super::replay::{Ending, Replayed};
use super::step_id::StepId;
use crate::ir::Program;
use crate::plain::{Component, Interpreter, Pid};
use crate::run::Processes;
use std::collections::BTreeSet;

/// Marks the steps that a failure at the end depends on.
pub(super) fn mark_failure(steps: &mut [ShownStep]) {
    let last = steps.len().checked_sub(1).map(StepId::new);
    let is_past = past(steps, last);
    mark(steps, &is_past);
}

/// Marks the steps that matter for an invalid end state. `last` is that state in the compiled form.
pub(super) fn mark_end(program: &Program, interpreter: &Interpreter<'_>, last: &[u8], replayed: &mut Replayed) {
    let Ending::State(state) = &replayed.ending else {
        return;
    };
    if concerns_all(program).is_some() || program.monitor.is_some() {
        return;
    }
    let mut stuck: BTreeSet<Component> = BTreeSet::new();
    let at_end = |pid: &Pid| {
        let process = Processes::new(program, last).nth(usize::from(pid.0));
        process.is_none_or(|process| process.location(last).is_end)
    };
    for pid in state.pids().filter(|pid| !at_end(pid)) {
        let waits = interpreter.waits_for(state, pid);
        if waits.all {
            return;
        }
        stuck.insert(Component::Process(pid));
        stuck.extend(waits.some);
    }
    let mut roots = Vec::new();
    for (k, step) in replayed.way.iter().enumerate().rev() {
        let (before, after) = (&replayed.states[k], &replayed.states[k + 1]);
        let participants = interpreter.participants(before, step);
        if participants.all {
            return;
        }
        let changed = participants.changed(before, after);
        let count = stuck.len();
        stuck.retain(|component| !changed.contains(component));
        if stuck.len() < count {
            roots.push(StepId::new(k));
        }
    }
    let is_past = past(&replayed.steps, roots);
    mark(&mut replayed.steps, &is_past);
}

fn mark(steps: &mut [ShownStep], matters: &[bool]) {
    for (step, matters) in steps.iter_mut().zip(matters) {
        step.matters = *matters;
    }
}
