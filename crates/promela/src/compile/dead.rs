//! Variables whose values are not needed any more.
//!
//! A local variable is *dead* at a location if no execution from there reads it before it is assigned. States that differ only
//! in dead variables have the same future, so a process that arrives at a location resets those that are dead there. SPIN does
//! the same (`-o2` switches that off): a counter that a loop leaves behind would otherwise be remembered for nothing.
//!
//! This is the textbook analysis, backwards over the edges: what an edge reads is alive before it, and so is what is alive after it
//! and not assigned by it. An assignment to a variable that is dead afterwards reads nothing, unless the evaluation may fail. Arrays
//! and records are one variable, which assignments to their parts do not end. A variable that others read (formulas, claims,
//! `P[i]:x`), a `provided` clause or a promise is never dead, nor is one that nothing assigns, by which processes are told apart.
//!
//! A variable that is dead where a process begins is 0 from the start.
//!
//! Nobody else notices a reset: whoever asks whether another process can move evaluates what that process would evaluate where it is.

use super::Compiled;
use crate::ir::{Action, Automaton, Edge, Graph, LocalCell, Location, Node, PatternNode, Scope, Target};
use crate::narrow::index;
use crate::run::Processes;

/// A set of the locals of a proctype.
pub(super) type Set = Vec<bool>;

impl Compiled {
    /// Makes edges reset the local variables that are dead where they lead.
    pub(crate) fn forget_dead(&mut self) {
        let watched: Vec<_> = (0..self.program.automata.len()).map(|k| self.watched(k)).collect();
        for (automaton, watched) in self.program.automata.iter_mut().zip(watched) {
            automaton.forget_dead(&watched);
        }
        let program = &mut self.program;
        let started = Processes::new(program, &program.initial);
        let dead = started.flat_map(|process| {
            let of_process = move |(from, to): (usize, usize)| process.frame() + from..process.frame() + to;
            process.automaton.dead_from_the_start().map(of_process)
        });
        for bytes in dead.collect::<Vec<_>>() {
            program.initial[bytes].fill(0);
        }
    }

    /// The locals of a proctype that are read elsewhere than by its statements.
    pub(super) fn watched(&self, proctype: usize) -> Set {
        let program = &self.program;
        let Automaton {
            locals,
            provided,
            promises,
            ..
        } = &program.automata[proctype];
        let mut watched = vec![false; locals.len()];
        let own = provided.iter().chain(promises.iter().map(|promise| &promise.channel));
        own.for_each(|node| read_by(node, locals, &mut watched));
        let mut look = |node: &Node| watched_by(node, proctype, locals, &mut watched);
        let monitor = program.monitor.iter().map(|monitor| &monitor.graph);
        let graphs = program.automata.iter().chain(&self.never).map(|a| &a.graph);
        for edge in graphs.chain(monitor).flat_map(|graph| &graph.edges) {
            edge.each_expression(&mut look);
        }
        let provided = program.automata.iter().filter_map(|a| a.provided.as_ref());
        let initial = program.automata.iter().flat_map(|a| &a.initial).map(|(_, node)| node);
        provided.chain(&self.atoms).chain(initial).for_each(look);
        watched
    }
}

impl Automaton {
    fn forget_dead(&mut self, watched: &Set) {
        let Self { graph, locals, .. } = self;
        let alive = alive(graph, locals, watched, watched);
        let is_dead = |at: usize, n: usize| !locals[n].stable && !alive[at][n];
        for (at, location) in graph.locations.iter_mut().enumerate() {
            let dead = (0..locals.len()).filter(|n| is_dead(at, *n));
            location.dead = dead.map(index).collect();
        }
        for (from, location) in graph.locations.iter().enumerate() {
            for edge in &mut graph.edges[location.edges()] {
                let mut assigned = vec![false; locals.len()];
                each_target(edge, &mut |target| mark(target, locals, &mut assigned));
                // What other variables got their first values from may be there until the process moves.
                let may_be_set = |n: usize| from == graph.start.index() || alive[from][n] || assigned[n];
                let to = edge.to.index();
                let reset = (0..locals.len()).filter(|n| is_dead(to, *n) && may_be_set(*n));
                let bytes = |n: usize| (index(locals[n].bytes().start), index(locals[n].bytes().end));
                edge.resets = reset.map(bytes).collect();
            }
        }
        let dead: Vec<(usize, usize)> = self.dead_from_the_start().collect();
        let parameters = self.parameters.iter_mut();
        let initial = self.initial.iter_mut().map(|(target, _)| target);
        for target in parameters.chain(initial).chain(&mut self.opens) {
            if target.scope == Scope::Local && dead.iter().any(|(from, to)| (*from..*to).contains(&target.at)) {
                target.scope = Scope::Scratch;
            }
        }
    }

    /// The ranges of the locals that are dead where a process begins, and that no other gets its first value from.
    fn dead_from_the_start(&self) -> impl Iterator<Item = (usize, usize)> {
        let Self { graph, locals, .. } = self;
        let mut read = vec![false; locals.len()];
        self.initial
            .iter()
            .for_each(|(_, node)| read_by(node, locals, &mut read));
        let dead = graph.locations[graph.start.index()].dead.iter().map(|n| *n as usize);
        let bytes = |n: usize| (locals[n].bytes().start, locals[n].bytes().end);
        dead.filter(move |n| !read[*n]).map(bytes)
    }
}

/// For each location of a graph, the locals that are alive there, given those that are alive wherever the process is, and those
/// where the graph ends.
fn alive(graph: &Graph, locals: &[LocalCell], everywhere: &Set, at_end: &Set) -> Vec<Set> {
    let is_end = |location: &Location| location.is_end && location.edges().is_empty();
    let first = |location| if is_end(location) { at_end } else { everywhere };
    let mut alive: Vec<Set> = graph.locations.iter().map(|location| first(location).clone()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (at, location) in graph.locations.iter().enumerate().rev() {
            let mut here = alive[at].clone();
            for edge in &graph.edges[location.edges()] {
                before(edge, locals, &alive[edge.to.index()], &mut here);
            }
            changed |= here != alive[at];
            alive[at] = here;
        }
    }
    alive
}

/// Adds the locals that are alive before an edge, given those that are alive after it.
fn before(edge: &Edge, locals: &[LocalCell], after: &Set, out: &mut Set) {
    let add = |set: &[bool], out: &mut Set| out.iter_mut().zip(set).for_each(|(out, is_alive)| *out |= is_alive);
    if let Action::DStep(inner) = &edge.action {
        let alive = alive(inner, locals, &vec![false; locals.len()], after);
        add(&alive[inner.start.index()], out);
        return;
    }
    let mut rest = after.clone();
    let mut needs_value = true;
    each_target(edge, &mut |target| {
        let is_it = |local: &LocalCell| local.at == target.at && local.size == target.scalar.size();
        if target.scope == Scope::Local
            && target.indices.is_empty()
            && let Some(n) = locals.iter().position(is_it)
        {
            needs_value = after[n];
            rest[n] = false;
        }
    });
    add(&rest, out);
    match &edge.action {
        Action::Assign(_, value) if !needs_value && edge.run.is_none() && value.is_certain() => {}
        _ => edge.each_expression(&mut |node| read_by(node, locals, out)),
    }
}

/// Adds the local that a place is part of.
pub(super) fn mark(target: &Target, locals: &[LocalCell], out: &mut Set) {
    if target.scope == Scope::Local
        && let Some(n) = locals.iter().position(|local| local.bytes().contains(&target.at))
    {
        out[n] = true;
    }
}

/// Adds the locals that an expression reads.
fn read_by(node: &Node, locals: &[LocalCell], out: &mut Set) {
    match node {
        Node::Load(target) => mark(target, locals, out),
        Node::Linear(linear) => linear.terms.iter().for_each(|term| mark(&term.target, locals, out)),
        _ => {}
    }
    node.each_part(&mut |part| read_by(part, locals, out));
}

/// Adds the locals of a proctype that an expression reads in a process that it names.
fn watched_by(node: &Node, proctype: usize, locals: &[LocalCell], out: &mut Set) {
    if let Node::Remote {
        proctype: other,
        target,
        ..
    } = node
        && other.0 as usize == proctype
    {
        let local = Target {
            scope: Scope::Local,
            ..target.clone()
        };
        mark(&local, locals, out);
    }
    node.each_part(&mut |part| watched_by(part, proctype, locals, out));
}

/// Calls `visit` with each place that an edge assigns.
fn each_target<'a>(edge: &'a Edge, visit: &mut dyn FnMut(&'a Target)) {
    match &edge.action {
        Action::Assign(target, _) => visit(target),
        Action::Receive { patterns, .. } => {
            for pattern in patterns {
                if let PatternNode::Store(target) = pattern {
                    visit(target);
                }
            }
        }
        Action::DStep(inner) => inner.edges.iter().for_each(|edge| each_target(edge, visit)),
        _ => {}
    }
}
