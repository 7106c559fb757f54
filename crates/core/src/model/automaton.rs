//! Safety properties as automata over labels (thesis 6.4, [GW91b]).
//!
//! A safety property is a prefix-closed set of label sequences, given by a
//! deterministic automaton: a letter without an edge is a violation. Its
//! complement has one accepting state X, which absorbs. The composition makes
//! the automaton one more process that takes part in every transition labeled
//! with one of its letters; the property is violated iff X is reached, which a
//! trace automaton decides (Thm 6.14).

use super::builder::{Builder, TransitionDraft};
use super::error::BuildError;
use crate::ids::PropertyId;

/// A deterministic, prefix-closed automaton over the labels of transitions.
///
/// ```
/// use mazurka_core::{Builder, SafetyAutomaton, Search};
/// let mut m = Builder::new("no second ping before a pong");
/// let [p] = m.process("pinger", ["p"]);
/// let [q] = m.process("ponger", ["q"]);
/// m.transition("ping", p, p);
/// m.transition("pong", q, q);
/// m.safety_automaton(
///     SafetyAutomaton::new("alternation", ["calm", "pinged"])
///         .edge("calm", "ping", "pinged")
///         .edge("pinged", "pong", "calm")
///         .edge("calm", "pong", "calm"),
/// );
/// let outcome = Search::new(&m.build()?).run()?;
/// assert_eq!(outcome.violations.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SafetyAutomaton {
    pub(crate) name: String,
    states: Vec<String>,
    edges: Vec<(String, String, String)>,
}

impl SafetyAutomaton {
    /// With these states, the first of them initial.
    pub fn new(name: impl Into<String>, states: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            name: name.into(),
            states: states.into_iter().map(Into::into).collect(),
            edges: Vec::new(),
        }
    }

    /// An edge. Its label joins the alphabet: in a state without an edge for a
    /// label of the alphabet, that label is a violation.
    pub fn edge(mut self, from: impl Into<String>, label: impl Into<String>, to: impl Into<String>) -> Self {
        self.edges.push((from.into(), label.into(), to.into()));
        self
    }

    fn defect(&self) -> Option<String> {
        if self.states.is_empty() {
            return Some("it has no state".into());
        }
        for (k, (from, label, to)) in self.edges.iter().enumerate() {
            for state in [from, to] {
                if !self.states.contains(state) {
                    return Some(format!("it has an edge at `{state}`, which is not one of its states"));
                }
            }
            let twin = |(f, l, _): &(String, String, String)| f == from && l == label;
            if self.edges[..k].iter().any(twin) {
                return Some(format!("two edges leave `{from}` with label `{label}`"));
            }
        }
        None
    }

    /// The successor of state `q` by `label`; `states.len()` is X.
    fn step(&self, q: usize, label: &str) -> usize {
        let index = |name: &String| self.states.iter().position(|s| s == name);
        self.edges
            .iter()
            .find(|(from, l, _)| index(from) == Some(q) && l == label)
            .and_then(|(_, _, to)| index(to))
            .unwrap_or(self.states.len())
    }

    /// Adds the automaton to the model: one copy of each transition it watches
    /// for each of its states.
    pub(crate) fn compose(&self, property: PropertyId, m: &mut Builder, errors: &mut Vec<BuildError>) {
        if let Some(reason) = self.defect() {
            errors.push(BuildError::BadAutomaton {
                automaton: self.name.clone(),
                reason,
            });
            return;
        }
        let violated = self.states.len();
        let points = self.states.iter().map(String::as_str).chain(["violated"]);
        let process = m.add_process(self.name.clone(), points, true);
        for t in std::mem::take(&mut m.transitions) {
            let label = t.label.clone().unwrap_or_else(|| t.name.clone());
            if !self.edges.iter().any(|(_, l, _)| *l == label) {
                m.transitions.push(t);
                continue;
            }
            for q in 0..=violated {
                let next = if q == violated { q } else { self.step(q, &label) };
                let mut copy = TransitionDraft {
                    label: Some(label.clone()),
                    ..t.clone()
                };
                copy.pre.push(process[q]);
                copy.post.push(process[next]);
                if next == violated && q != violated {
                    copy.violates = Some(property);
                }
                m.transitions.push(copy);
            }
        }
    }
}
