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
use std::collections::{HashMap, HashSet};

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
    /// Labels without edges that belong to the alphabet all the same.
    letters: Vec<String>,
}

impl SafetyAutomaton {
    /// With these states, the first of them initial.
    pub fn new(name: impl Into<String>, states: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            name: name.into(),
            states: states.into_iter().map(Into::into).collect(),
            edges: Vec::new(),
            letters: Vec::new(),
        }
    }

    /// An edge. Its label joins the alphabet: in a state without an edge for a
    /// label of the alphabet, that label is a violation.
    pub fn edge(mut self, from: impl Into<String>, label: impl Into<String>, to: impl Into<String>) -> Self {
        self.edges.push((from.into(), label.into(), to.into()));
        self
    }

    /// A label of the alphabet. Without an edge anywhere, it must never occur.
    pub fn letter(mut self, label: impl Into<String>) -> Self {
        self.letters.push(label.into());
        self
    }

    fn alphabet(&self) -> impl Iterator<Item = &str> {
        let edges = self.edges.iter().map(|(_, label, _)| label);
        edges.chain(&self.letters).map(String::as_str)
    }

    fn defect(&self, labels: &HashSet<&str>) -> Option<String> {
        if self.states.is_empty() {
            return Some("it has no state".into());
        }
        if let Some(k) = (1..self.states.len()).find(|k| self.states[..*k].contains(&self.states[*k])) {
            return Some(format!("two of its states are named `{}`", self.states[k]));
        }
        if let Some(label) = self.alphabet().find(|label| !labels.contains(label)) {
            return Some(format!("no transition has its label `{label}`"));
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

    /// For each label of the alphabet, the successor of each state;
    /// `states.len()` is X, which absorbs.
    fn table(&self) -> HashMap<&str, Vec<usize>> {
        let violated = self.states.len();
        let number: HashMap<&String, usize> = self.states.iter().zip(0..).collect();
        let mut table = HashMap::new();
        for label in self.alphabet() {
            table.insert(label, vec![violated; violated + 1]);
        }
        for (from, label, to) in &self.edges {
            table.get_mut(label.as_str()).expect("in the alphabet")[number[from]] = number[to];
        }
        table
    }

    /// Adds the automaton to the model: one copy of each transition it watches
    /// for each of its states.
    pub(crate) fn compose(&self, property: PropertyId, m: &mut Builder, errors: &mut Vec<BuildError>) {
        let labels = m.transitions.iter().map(label_of).collect();
        if let Some(reason) = self.defect(&labels) {
            errors.push(BuildError::BadAutomaton {
                automaton: self.name.clone(),
                reason,
            });
            return;
        }
        let table = self.table();
        let violated = self.states.len();
        let points = self.states.iter().map(String::as_str).chain(["violated"]);
        let process = m.add_process(self.name.clone(), points, true);
        for t in std::mem::take(&mut m.transitions) {
            let Some(successors) = table.get(label_of(&t)) else {
                m.transitions.push(t);
                continue;
            };
            for (q, next) in successors.iter().enumerate() {
                let mut copy = t.clone();
                copy.pre.push(process[q]);
                copy.post.push(process[*next]);
                if *next == violated && q != violated {
                    copy.violates.push(property);
                }
                m.transitions.push(copy);
            }
        }
    }
}

/// ν(t)
fn label_of(t: &TransitionDraft) -> &str {
    t.label.as_ref().unwrap_or(&t.name)
}
