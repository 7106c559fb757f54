//! The reachable states of a model, as a graph for other tools.
//!
//! Nothing is left out, and no steps are merged, except that steps inside
//! `atomic` without a choice are one edge. A step that fails (an assertion, a division
//! by zero) leads to a separate state without successors.

use super::replay::one_line;
use crate::RuntimeError;
use crate::compile::compile;
use crate::ir::{Action, Edge as Statement, Program};
use crate::model::Model;
use crate::narrow;
use crate::run::Step;
use crate::system::ModelSystem;
use mazurka_core::{StateId, System};
use std::collections::HashMap;
use std::fmt::Write;

/// The graph of the reachable states. State 0 is the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateGraph {
    /// The kind of each state.
    pub states: Vec<StateKind>,
    /// The edges of each state in turn, in the order of processes.
    pub edges: Vec<GraphEdge>,
    /// The labels of edges, each once.
    pub labels: Vec<String>,
}

/// The kind of a state. The enum is exhaustive: a state has one of these kinds by definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// Some step is executable.
    Live,
    /// No step is executable, and every process is at a valid end.
    ValidEnd,
    /// No step is executable, and some process is not at a valid end.
    InvalidEnd,
    /// The state that failing steps lead to. There is at most one, and it is the last.
    Failed,
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphEdge {
    /// The state that it leaves.
    pub from: StateId,
    /// The state that it leads to.
    pub to: StateId,
    /// Its label, which says which process executes which statements.
    pub label: EdgeLabelId,
}

/// A label of edges, as its index in [`StateGraph::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeLabelId(u32);

impl EdgeLabelId {
    /// Its index in [`StateGraph::labels`].
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why there is no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The initial state cannot be computed.
    #[error("the initial state cannot be computed: {0}")]
    Start(RuntimeError),
    /// There are more states than the limit.
    #[error("the model has more than {0} states")]
    TooLarge(usize),
}

/// The graph of the reachable states, if there are at most `limit` of them.
///
/// ```
/// use mazurka_promela::{Options, load, verify};
///
/// let model = load("m.pml", "byte x; active proctype P() { x = 1; x = 2 }", &Options::default())?.model;
/// let graph = verify::graph(&model, 100)?;
/// assert_eq!(graph.labels, ["P[0]: x = 1", "P[0]: x = 2", "P[0]: -end-"]);
/// assert_eq!(graph.to_aut().lines().next(), Some("des (0, 3, 4)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the model cannot start, or has more states.
pub fn graph(model: &Model, limit: usize) -> Result<StateGraph, GraphError> {
    let compiled = compile(model, &[]).map_err(GraphError::Start)?;
    let program = &compiled.program;
    let system = ModelSystem::new(program);
    let mut scratch = system.scratch();
    let names = names(program);
    let mut numbers = HashMap::from([(program.initial.clone(), 0)]);
    let mut states = vec![program.initial.clone()];
    let mut found = StateGraph {
        states: Vec::new(),
        edges: Vec::new(),
        labels: Vec::new(),
    };
    let mut labels: HashMap<String, EdgeLabelId> = HashMap::new();
    // The edges of failing steps. Their target is known only at the end.
    let mut failing = Vec::new();
    while found.states.len() < states.len() {
        if states.len() > limit {
            return Err(GraphError::TooLarge(limit));
        }
        let from = found.states.len();
        let state = states[from].clone();
        let mut steps = Vec::new();
        program.steps(&state, &mut steps);
        found.states.push(match steps.is_empty() {
            false => StateKind::Live,
            true if program.is_valid_end(&state) => StateKind::ValidEnd,
            true => StateKind::InvalidEnd,
        });
        for step in steps {
            let mut next = state.clone();
            let mut text = LabelText::new(model, &names);
            let fired = system.advance(&mut scratch, &mut next, step, |step, edge| text.add(step, edge));
            let text = text.label;
            let label = *labels.entry(text).or_insert_with_key(|text| {
                found.labels.push(text.clone());
                EdgeLabelId(narrow::index(found.labels.len() - 1))
            });
            let to = match fired {
                Ok(()) => *numbers.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    states.len() - 1
                }),
                Err(_) => {
                    failing.push(found.edges.len());
                    from
                }
            };
            let (from, to) = (StateId::new(from), StateId::new(to));
            found.edges.push(GraphEdge { from, to, label });
        }
    }
    if !failing.is_empty() {
        for edge in failing {
            found.edges[edge].to = StateId::new(found.states.len());
        }
        found.states.push(StateKind::Failed);
    }
    Ok(found)
}

/// For each statement, the proctype it belongs to.
fn names(program: &Program) -> Vec<&str> {
    let mut names = vec![""; program.statements as usize];
    for automaton in &program.automata {
        for edge in &automaton.graph.edges {
            names[edge.statement as usize] = &automaton.name;
        }
    }
    names
}

/// The statements of a transition, as text.
struct LabelText<'a> {
    model: &'a Model,
    names: &'a [&'a str],
    label: String,
    last: Option<Step>,
}

impl<'a> LabelText<'a> {
    fn new(model: &'a Model, names: &'a [&'a str]) -> Self {
        Self {
            model,
            names,
            label: String::new(),
            last: None,
        }
    }

    fn add(&mut self, step: Step, edge: &Statement) {
        let text = match edge.action {
            Action::End => "-end-".to_string(),
            _ => one_line(self.model.sources.slice(edge.span)),
        };
        let name = self.names[edge.statement as usize];
        // The second half of a rendezvous is told with the same step.
        let is_second = step.has_partner() && self.last == Some(step);
        let _ = match self.last {
            _ if is_second => write!(self.label, " -> {name}[{}]: {text}", step.partner),
            Some(last) if last.pid == step.pid && !last.has_partner() => write!(self.label, "; {text}"),
            Some(_) => write!(self.label, "; {name}[{}]: {text}", step.pid),
            None => write!(self.label, "{name}[{}]: {text}", step.pid),
        };
        // The same rendezvous may follow again, from its first half on.
        self.last = Some(match is_second {
            true => Step::alone(Step::ALONE, 0),
            false => step,
        });
    }
}

impl StateGraph {
    /// In the Aldebaran format, which CADP, mCRL2 and others read: a line for each edge.
    pub fn to_aut(&self) -> String {
        let mut out = format!("des (0, {}, {})\n", self.edges.len(), self.states.len());
        for GraphEdge { from, to, label } in &self.edges {
            // The format has no way to write a quotation mark inside a label.
            let label = self.labels[label.index()].replace('"', "'");
            let _ = writeln!(out, "({}, \"{label}\", {})", from.index(), to.index());
        }
        out
    }

    /// In the language of Graphviz. The initial state is bold, invalid end states are red
    /// and doubly framed, and the failure is a red octagon.
    pub fn to_dot(&self, name: &str) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let mut out = format!("digraph {} {{\n  node [shape=circle];\n", quoted(name));
        for (number, kind) in self.states.iter().enumerate() {
            let mut attributes = match kind {
                StateKind::Live => Vec::new(),
                StateKind::ValidEnd => vec!["shape=doublecircle"],
                StateKind::InvalidEnd => vec!["shape=doublecircle", "color=red"],
                StateKind::Failed => vec!["shape=octagon", "color=red", "label=\"error\""],
            };
            if number == 0 {
                attributes.push("style=bold");
            }
            let _ = match attributes.is_empty() {
                true => writeln!(out, "  {number};"),
                false => writeln!(out, "  {number} [{}];", attributes.join(", ")),
            };
        }
        for GraphEdge { from, to, label } in &self.edges {
            let (from, to, label) = (from.index(), to.index(), quoted(&self.labels[label.index()]));
            let _ = writeln!(out, "  {from} -> {to} [label={label}];");
        }
        out.push_str("}\n");
        out
    }
}
