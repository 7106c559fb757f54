//! Statement merging: locations that a process passes through at once.
//!
//! A step is *private* if it is the only one of its location, never waits, and reads and assigns nothing but local variables that
//! nobody else looks at. Others cannot prevent it or notice it, and it can neither prevent nor cause anything that others do. So in a
//! state where a process is in front of one, that step alone is a persistent set (thesis, Def. 4.1): whatever others do first, they
//! can do afterwards, with the same result. A process that arrives there takes it at once, and the state in between is not
//! stored. SPIN does the same, with reduction and without (`-o3` switches that off), except that it keeps the state in front of the
//! first of several private steps.
//!
//! A cycle of private steps keeps a location where the process stops, so every transition is a finite sequence of steps and
//! nothing is postponed for ever. While a private step is pending there is no `timeout`. A step that may fail is taken at once if it does not:
//! whether it does depends on local variables alone. If it does, the process stops in front of it, since whatever else is enabled
//! there must be explored too.
//!
//! What a private step must not change:
//!
//! - *Labels that are asked for* (`P@l`, and `np_` or accept labels if the property is about them): neither where it begins nor where it
//!   leads may have one. So it is invisible to formulas and claims. One that counts steps notices all the same: who checks such a
//!   property does not merge.
//! - *Exclusive control*: the step does not keep it, so it is not in front of other statements of an `atomic`.
//! - *Who could take a message by rendezvous*, if somebody asks: `else` and `unless` after a send that finds no partner, and an `atomic`
//!   that goes on with a send if there is one.
//!
//! With `enabled`, `_last`, `np_` in a process, or priorities, every step may concern every process, and nothing is merged.

use super::Compiled;
use super::dead::{Set, mark};
use crate::ir::{Action, Automaton, Edge, Graph, LocationId, Node, Program, Scope};

impl Compiled {
    /// Marks the locations that processes pass through, and the edges that lead there.
    pub(crate) fn merge(&mut self) {
        let features = self.program.features;
        if features.priority || features.introspection || features.last || features.non_progress {
            return;
        }
        let asked = self.program.asked_for_partners();
        let passed = |(k, automaton): (usize, &Automaton)| {
            let private = Private {
                program: &self.program,
                automaton,
                watched: &self.watched(k),
                labelled: &self.labelled(k),
                asked: &asked,
            };
            let of_locations = 0..automaton.graph.locations.len();
            let mut passed: Vec<bool> = of_locations.map(|at| private.is_left_at_once(at)).collect();
            stop_in_cycles(&automaton.graph, &mut passed);
            passed
        };
        let passed: Vec<Vec<bool>> = self.program.automata.iter().enumerate().map(passed).collect();
        for (automaton, passed) in self.program.automata.iter_mut().zip(passed) {
            for edge in &mut automaton.graph.edges {
                edge.goes_on = passed[edge.to.index()];
            }
            for (location, passed) in automaton.graph.locations.iter_mut().zip(passed) {
                location.passed = passed;
            }
        }
    }

    /// The locations of a proctype that somebody can tell from others.
    fn labelled(&self, proctype: usize) -> Vec<bool> {
        let automaton = &self.program.automata[proctype];
        let locations = &automaton.graph.locations;
        let mut labelled = vec![false; locations.len()];
        let mut add = |is: &dyn Fn(usize) -> bool| {
            labelled.iter_mut().enumerate().for_each(|(at, out)| *out |= is(at));
        };
        self.each_question(&mut |node| match node {
            Node::AtLabel {
                proctype: other, label, ..
            } if other.0 as usize == proctype => {
                let label = automaton.labels[label.0 as usize];
                add(&|at| label.is_some_and(|label| label.index() == at));
            }
            Node::NonProgress => add(&|at| locations[at].is_progress),
            Node::Accepting => add(&|at| locations[at].is_accept),
            _ => {}
        });
        labelled
    }

    /// Calls `visit` with every expression that processes, claims and formulas evaluate, and with every part of it.
    fn each_question(&self, visit: &mut dyn FnMut(&Node)) {
        fn each(node: &Node, visit: &mut dyn FnMut(&Node)) {
            visit(node);
            node.each_part(&mut |part| each(part, visit));
        }
        let automata = || self.program.automata.iter().chain(&self.never);
        let monitor = self.program.monitor.iter().map(|monitor| &monitor.graph);
        for edge in automata()
            .map(|a| &a.graph)
            .chain(monitor)
            .flat_map(|graph| &graph.edges)
        {
            edge.each_expression(&mut |node| each(node, visit));
        }
        for automaton in automata() {
            automaton.provided.iter().for_each(|node| each(node, visit));
            automaton.initial.iter().for_each(|(_, node)| each(node, visit));
        }
        self.atoms.iter().for_each(|atom| each(atom, visit));
    }
}

/// What decides whether the steps of a proctype are private.
struct Private<'a> {
    program: &'a Program,
    automaton: &'a Automaton,
    /// The locals that others read.
    watched: &'a Set,
    /// The locations that others ask for.
    labelled: &'a [bool],
    /// The rendezvous channels for which somebody asks whether there is a partner.
    asked: &'a [Channel],
}

impl Private<'_> {
    /// Whether the only step of a location is private.
    fn is_left_at_once(&self, at: usize) -> bool {
        let graph = &self.automaton.graph;
        let location = &graph.locations[at];
        let [edge] = &graph.edges[location.edges()] else {
            return false;
        };
        let is_seen = self.labelled[at] || self.labelled[edge.to.index()];
        self.automaton.provided.is_none()
            && !is_seen
            && !edge.keeps
            && edge.run.is_none()
            && edge.inhibitors.is_empty()
            && self.acts_on_locals(&edge.action)
            && !self.meets(edge.to)
    }

    fn acts_on_locals(&self, action: &Action) -> bool {
        match action {
            Action::Skip => true,
            Action::Condition(Node::Constant(value)) => *value != 0,
            Action::Assert(node) => node.reads_locals(),
            Action::Assign(target, value) => {
                let locals = &self.automaton.locals;
                let mut assigned = vec![false; locals.len()];
                mark(target, locals, &mut assigned);
                let is_watched = assigned.iter().zip(self.watched).any(|(is, watched)| *is && *watched);
                target.scope != Scope::Global
                    && !is_watched
                    && value.reads_locals()
                    && target.indices.iter().all(|index| index.value.reads_locals())
            }
            _ => false,
        }
    }

    /// Whether a process that arrives somewhere may be the partner that somebody asks for.
    fn meets(&self, at: LocationId) -> bool {
        let receives = self.automaton.graph.at(at).iter().flat_map(|edge| match &edge.action {
            Action::DStep(inner) => inner.at(inner.start),
            _ => std::slice::from_ref(edge),
        });
        let channels = receives.filter_map(|edge| match &edge.action {
            Action::Receive { channel, .. } => Channel::of(self.program, channel),
            _ => None,
        });
        channels
            .into_iter()
            .any(|channel| self.asked.iter().any(|asked| asked.may_be(channel)))
    }
}

/// A rendezvous channel that an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channel {
    /// The one with this number.
    Number(i32),
    Any,
}

impl Channel {
    /// `None` if it is not a rendezvous channel.
    fn of(program: &Program, node: &Node) -> Option<Self> {
        match node {
            Node::Constant(number) => {
                let index = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
                let layout = index.and_then(|index| program.channels.get(index));
                layout
                    .is_none_or(|layout| layout.capacity == 0)
                    .then_some(Self::Number(*number))
            }
            _ => program.has_rendezvous().then_some(Self::Any),
        }
    }

    fn may_be(self, other: Self) -> bool {
        self == other || self == Self::Any || other == Self::Any
    }
}

impl Program {
    /// The rendezvous channels for which some process asks whether a send finds a partner.
    fn asked_for_partners(&self) -> Vec<Channel> {
        let channel = |edge: &Edge| match &edge.action {
            Action::Send { channel, .. } => Channel::of(self, channel),
            _ => None,
        };
        let mut asked = Vec::new();
        for graph in self.automata.iter().map(|automaton| &automaton.graph) {
            for edge in &graph.edges {
                asked.extend(channel(edge).filter(|_| edge.midway));
                asked.extend(
                    edge.inhibitors
                        .iter()
                        .filter_map(|i| channel(&graph.edges[*i as usize])),
                );
            }
        }
        asked
    }
}

/// Makes the process stop in one location of each cycle of locations that are passed.
fn stop_in_cycles(graph: &Graph, passed: &mut [bool]) {
    // The round in which a location was seen first.
    let mut seen = vec![usize::MAX; passed.len()];
    for round in 0..passed.len() {
        let mut at = round;
        while passed[at] && seen[at] == usize::MAX {
            seen[at] = round;
            at = graph.edges[graph.locations[at].edges()][0].to.index();
        }
        if passed[at] && seen[at] == round {
            passed[at] = false;
        }
    }
}
