//! Participants that a step does not change.

use std::collections::BTreeSet;

use super::state::{Process, State};
use super::touches::{Component, Participants};

impl Participants {
    /// The participants that differ before and after, or for which this is hard to tell. (If one element of an array or
    /// record changes, all count as changed.) Everybody, if everybody takes part.
    pub fn changed(&self, before: &State, after: &State) -> BTreeSet<Component> {
        let changed = |component: &&Component| self.all || !is_unchanged(component, before, after);
        self.some.iter().filter(changed).cloned().collect()
    }
}

/// Whether the local state of a component is the same in two states.
fn is_unchanged(component: &Component, before: &State, after: &State) -> bool {
    match component {
        Component::Variable(global, _) => {
            let at = global.0 as usize;
            before.globals[at] == after.globals[at] && before.hidden.0.get(at) == after.hidden.0.get(at)
        }
        // The last number stands for that channel and all later ones.
        Component::Channel(number) => {
            let first = (*number as usize).saturating_sub(1);
            before.channels.get(first..) == after.channels.get(first..)
        }
        Component::Processes => proctypes(before).eq(proctypes(after)),
        Component::Process(pid) => before.process(*pid) == after.process(*pid),
    }
}

fn proctypes(state: &State) -> impl Iterator<Item = u32> {
    state.processes.iter().map(|process: &Process| process.proctype.0)
}
