//! The changes between two states, as text.

use std::collections::BTreeMap;

use super::interpreter::Interpreter;
use super::print::shown;
use super::state::{Channel, Pid, State};
use super::value::Value;
use crate::model::{Type, Variable};

/// A difference between two states.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The variable, channel or process: `x`, `a[2]`, `r.f`, `P[1]:y`, `c`, `P[1]`.
    pub name: String,
    /// The old value. None if it did not exist.
    pub before: Option<String>,
    /// The new value. None if it no longer exists.
    pub after: Option<String>,
}

/// Names with values, in order.
type Listing = Vec<(String, String)>;

impl Interpreter<'_> {
    /// The differences between two states: variables, channels, and which processes
    /// exist. For a process that starts or ends, only the process itself is listed.
    pub fn changes(&self, before: &State, after: &State) -> Vec<Change> {
        let (old, new) = (self.listing(before), self.listing(after));
        let known: BTreeMap<&str, &str> = old.iter().map(|(name, value)| (&**name, &**value)).collect();
        let now: BTreeMap<&str, &str> = new.iter().map(|(name, value)| (&**name, &**value)).collect();
        let mut changes = Vec::new();
        for (name, value) in &new {
            let earlier = known.get(&**name).copied();
            if earlier != Some(value) {
                changes.push((name, earlier.map(str::to_owned), Some(value.clone())));
            }
        }
        for (name, value) in &old {
            if !now.contains_key(&**name) {
                changes.push((name, Some(value.clone()), None));
            }
        }
        // Variables and channels of a process that starts or ends are not listed.
        let count = before.processes.len().min(after.processes.len());
        let is_own = |name: &str| {
            (count..before.processes.len().max(after.processes.len())).any(|pid| {
                let owner = |state: &State| state.processes.get(pid).map(|p| self.process_name(p.proctype.0, pid));
                let owners = [owner(before), owner(after)];
                owners
                    .iter()
                    .flatten()
                    .any(|owner| name.strip_prefix(&**owner).is_some_and(|rest| rest.starts_with(':')))
            })
        };
        let kept = changes.into_iter().filter(|(name, ..)| !is_own(name));
        kept.map(|(name, before, after)| Change {
            name: name.clone(),
            before,
            after,
        })
        .collect()
    }

    /// Every variable, channel and process of a state, with its value.
    fn listing(&self, state: &State) -> Listing {
        let mut listing = Vec::new();
        for (index, variable) in self.model.globals.iter().enumerate() {
            let value = if variable.hidden {
                &state.hidden.0[index]
            } else {
                &state.globals[index]
            };
            self.list(&variable.name, variable, value, &mut listing);
        }
        for (pid, process) in state.processes.iter().enumerate() {
            let name = self.process_name(process.proctype.0, pid);
            listing.push((name.clone(), "running".to_owned()));
            let proctype = &self.model.proctypes[process.proctype.0 as usize];
            for (variable, value) in proctype.locals.iter().zip(&process.locals) {
                self.list(&format!("{name}:{}", variable.name), variable, value, &mut listing);
            }
        }
        for channel in &state.channels {
            let messages = self.contents(channel);
            match listing.iter_mut().find(|(name, _)| *name == channel.name) {
                // The variable holds its own channel, whose contents are listed instead.
                Some((_, value)) => *value = messages,
                None => listing.push((channel.name.clone(), messages)),
            }
        }
        listing
    }

    fn process_name(&self, proctype: u32, pid: usize) -> String {
        format!("{}[{pid}]", self.model.proctypes[proctype as usize].name)
    }

    fn list(&self, name: &str, variable: &Variable, value: &Value, listing: &mut Listing) {
        match value {
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.list(&format!("{name}[{index}]"), variable, element, listing);
                }
            }
            Value::Record(values) => {
                let Type::Record(record) = variable.kind else { return };
                let fields = &self.model.records[record.0 as usize].fields;
                for (field, value) in fields.iter().zip(values) {
                    self.list(&format!("{name}.{}", field.name), field, value, listing);
                }
            }
            Value::Scalar(number) => listing.push((name.to_owned(), shown(self.model, variable.kind, *number))),
        }
    }

    /// The messages in a channel: `[1, 2]`, with several fields `[(1, red), (2, blue)]`.
    fn contents(&self, channel: &Channel) -> String {
        let message = |fields: &Vec<i32>| {
            let texts = channel
                .fields
                .iter()
                .zip(fields)
                .map(|(kind, value)| shown(self.model, *kind, *value));
            let texts: Vec<String> = texts.collect();
            if texts.len() == 1 {
                texts[0].clone()
            } else {
                format!("({})", texts.join(", "))
            }
        };
        let messages: Vec<String> = channel.messages.iter().map(message).collect();
        format!("[{}]", messages.join(", "))
    }

    /// Every variable, channel and process of a state with its value, as
    /// [`Interpreter::changes`] names them.
    pub fn describe(&self, state: &State) -> Vec<(String, String)> {
        self.listing(state)
    }

    /// The name of a process, such as `P[1]`.
    pub fn name_of(&self, state: &State, pid: Pid) -> Option<String> {
        let process = state.process(pid)?;
        Some(self.process_name(process.proctype.0, usize::from(pid.0)))
    }
}
