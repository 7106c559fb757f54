//! Locations where a process does nothing that concerns others.
//!
//! An edge is *private* if it reads and assigns only local variables of its process, and cannot fail. If all edges of a location
//! are private, and no process and no property looks into processes of the proctype, then what the process does there conflicts with
//! nothing and nobody can change it: its steps are a persistent set, in every state.
//!
//! Where a rendezvous may happen, others notice who is there: `else` and `unless` ask whether there is a partner, and an `atomic` goes
//! on if there is one. So an edge to a location with a send or receive of that kind is not private.

use crate::ir::{Action, Automaton, Edge, Graph, LocationId, Node, Program, Scope};

/// The private locations and edges of all proctypes.
#[derive(Clone, Debug)]
pub(super) struct Private {
    /// For each proctype and location.
    locations: Vec<Vec<bool>>,
    /// Those of them without `unless`.
    plain: Vec<Vec<bool>>,
    /// For each proctype and edge, whether it is a condition on local variables alone.
    conditions: Vec<Vec<bool>>,
}

impl Private {
    pub(super) fn new(program: &Program) -> Self {
        let is_watched = |proctype: usize| {
            let looks = |node: &Node| match node {
                Node::AtLabel { proctype: other, .. } | Node::Remote { proctype: other, .. } => {
                    other.0 as usize == proctype
                }
                Node::NonProgress | Node::Accepting | Node::Enabled(_) => true,
                _ => false,
            };
            let mut edges = program.automata.iter().flat_map(|a| &a.graph.edges);
            edges.any(|edge| edge.mentions(&looks))
        };
        let is_total = program.features.timeout || program.features.last || program.monitor.is_some();
        let locations = |(k, automaton): (usize, &Automaton)| {
            let graph = &automaton.graph;
            let is_private = |at: usize| {
                let edges = graph.at(LocationId(u16::try_from(at).expect("locations have such numbers")));
                let is_private = |edge: &Edge| {
                    is_private(edge) && !graph.at(edge.to).iter().any(|next| may_meet(program, &next.action))
                };
                !edges.is_empty() && edges.iter().all(is_private)
            };
            match is_total || is_watched(k) {
                true => vec![false; graph.locations.len()],
                false => (0..graph.locations.len()).map(is_private).collect(),
            }
        };
        let conditions = |automaton: &Automaton| {
            let is_condition = |edge: &Edge| {
                matches!(&edge.action, Action::Condition(node) if node.reads_locals())
                    && edge.run.is_none()
                    && edge.inhibitors.is_empty()
            };
            automaton.graph.edges.iter().map(is_condition).collect()
        };
        let locations: Vec<Vec<bool>> = program.automata.iter().enumerate().map(locations).collect();
        let is_plain = |graph: &Graph, at: usize| {
            let edges = graph.locations[at].edges();
            edges.clone().all(|k| match graph.edges[k].action {
                Action::Else => k + 1 == edges.end && graph.edges[k].inhibitors.iter().all(|i| (*i as usize) < k),
                _ => graph.edges[k].inhibitors.is_empty(),
            })
        };
        let plain = program.automata.iter().zip(&locations).map(|(automaton, locations)| {
            let all = locations.iter().enumerate();
            all.map(|(at, is_private)| *is_private && is_plain(&automaton.graph, at))
                .collect()
        });
        Self {
            plain: plain.collect(),
            locations,
            conditions: program.automata.iter().map(conditions).collect(),
        }
    }

    /// Whether all that a process can do at a location is private.
    #[inline]
    pub(super) fn is_location(&self, proctype: usize, location: LocationId) -> bool {
        self.locations[proctype][location.index()]
    }

    /// The same for locations without `unless`.
    #[inline]
    pub(super) fn is_plain_location(&self, proctype: usize, location: LocationId) -> bool {
        self.plain[proctype][location.index()]
    }

    /// Whether an edge waits for local variables alone.
    #[inline]
    pub(super) fn is_condition(&self, proctype: usize, edge: usize) -> bool {
        self.conditions[proctype][edge]
    }
}

/// Whether an edge may be part of a rendezvous.
fn may_meet(program: &Program, action: &Action) -> bool {
    match action {
        Action::Send { channel, .. } | Action::Receive { channel, .. } => match channel {
            Node::Constant(number) => {
                let number = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
                let layout = number.and_then(|number| program.channels.get(number));
                layout.is_none_or(|layout| layout.capacity == 0)
            }
            _ => program.has_rendezvous(),
        },
        Action::DStep(inner) => inner.at(inner.start).iter().any(|edge| may_meet(program, &edge.action)),
        _ => false,
    }
}

/// Whether an edge reads and assigns only local variables, and cannot fail.
fn is_private(edge: &Edge) -> bool {
    let acts = match &edge.action {
        Action::Condition(node) => node.reads_locals() && node.is_certain(),
        Action::Assign(target, value) => {
            target.scope != Scope::Global && target.indices.is_empty() && value.reads_locals() && value.is_certain()
        }
        Action::Else | Action::Skip => true,
        _ => false,
    };
    acts && edge.run.is_none() && !edge.keeps
}
