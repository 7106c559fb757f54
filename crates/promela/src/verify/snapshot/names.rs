//! The names of components, and the corresponding components of the plain interpreter.

use crate::compile::scalar_names;
use crate::model::Model;
use crate::narrow;
use crate::plain::{self, Interpreter, Pid};
use crate::reduce::{Component, Participants};

/// The names of all components.
#[derive(Debug)]
pub(super) struct Names {
    objects: Vec<(String, plain::Component)>,
    processes: Vec<String>,
    atoms: Vec<String>,
}

impl Names {
    pub(super) fn new(model: &Model, participants: &Participants<'_>, atoms: &[String]) -> Self {
        let scalars = scalar_names(model);
        let interpreter = Interpreter::new(model);
        let initial = interpreter.initial().ok();
        let object = |k: usize| match participants.component(k) {
            Component::Variable(at) => {
                let scalar = scalars
                    .iter()
                    .find(|scalar| scalar.at == at)
                    .expect("scalars have names");
                let variable = &model.globals[scalar.global.0 as usize];
                match variable.length.is_some_and(|length| length > LARGE) {
                    true => (
                        variable.name.clone(),
                        plain::Component::Variable(scalar.global, Vec::new()),
                    ),
                    false => (
                        scalar.name.clone(),
                        plain::Component::Variable(scalar.global, scalar.path.clone()),
                    ),
                }
            }
            Component::Channel(number) => {
                let known = initial.as_ref().and_then(|state| state.channels.get(number - 1));
                let name = known.map_or_else(|| format!("channel {number}"), |channel| channel.name.clone());
                (name, plain::Component::Channel(narrow::index(number)))
            }
            Component::Table => ("the list of processes".to_string(), plain::Component::Processes),
            Component::Process(pid) => (
                format!("process {pid}"),
                plain::Component::Process(Pid(narrow::pid(pid))),
            ),
        };
        let processes = initial.iter().flat_map(|state| {
            (0..state.processes.len()).filter_map(|pid| interpreter.name_of(state, Pid(narrow::pid(pid))))
        });
        Self {
            objects: (0..participants.objects()).map(object).collect(),
            processes: processes.collect(),
            atoms: atoms.to_vec(),
        }
    }

    /// The name of a component.
    pub(super) fn component(&self, number: usize) -> String {
        match self.objects.get(number) {
            Some((name, _)) => name.clone(),
            None => {
                let pid = number - self.objects.len();
                self.processes
                    .get(pid)
                    .cloned()
                    .unwrap_or_else(|| format!("process {pid}"))
            }
        }
    }

    /// A proposition as it is written.
    pub(super) fn atom(&self, number: usize) -> String {
        self.atoms[number].clone()
    }

    /// The corresponding component of the plain interpreter.
    pub(super) fn plain(&self, number: usize) -> plain::Component {
        match self.objects.get(number) {
            Some((_, component)) => component.clone(),
            None => plain::Component::Process(Pid(narrow::pid(number - self.objects.len()))),
        }
    }
}

/// Arrays with more elements than this are one component.
const LARGE: u32 = 64;
