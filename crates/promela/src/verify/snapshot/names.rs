//! What components are called.

use crate::compile::scalar_names;
use crate::model::Model;
use crate::plain::{Interpreter, Pid};
use crate::reduce::{Component, Participants};

/// The names of all components.
#[derive(Debug)]
pub(super) struct Names {
    objects: Vec<String>,
    processes: Vec<String>,
}

impl Names {
    pub(super) fn new(model: &Model, participants: &Participants<'_>) -> Self {
        let scalars = scalar_names(model);
        let interpreter = Interpreter::new(model);
        let initial = interpreter.initial().ok();
        let name = |component| match component {
            Component::Variable(at) => scalars
                .iter()
                .find(|(place, _)| *place == at)
                .map(|(_, name)| name.clone()),
            Component::Channel(number) => initial.as_ref().and_then(|state| {
                let channel = state.channels.get(number - 1)?;
                Some(channel.name.clone())
            }),
            Component::Table => Some("the list of processes".to_string()),
            Component::Process(_) => None,
        };
        let unnamed = |k: usize| match participants.component(k) {
            Component::Channel(number) => format!("channel {number}"),
            _ => format!("object {k}"),
        };
        let objects =
            (0..participants.objects()).map(|k| name(participants.component(k)).unwrap_or_else(|| unnamed(k)));
        let processes = initial
            .iter()
            .flat_map(|state| (0..state.processes.len()).filter_map(|pid| interpreter.name_of(state, Pid(pid as u8))));
        Self {
            objects: objects.collect(),
            processes: processes.collect(),
        }
    }

    /// The name of a component.
    pub(super) fn component(&self, number: usize) -> String {
        match self.objects.get(number) {
            Some(name) => name.clone(),
            None => {
                let pid = number - self.objects.len();
                self.processes
                    .get(pid)
                    .cloned()
                    .unwrap_or_else(|| format!("process {pid}"))
            }
        }
    }
}
