//! What a property observes, and which steps it may notice.
//!
//! A step is *invisible* if it changes no atom of the property (thesis 7.3; Niebert and Peled 2006, sections 2 and 4.3, for
//! atoms about single processes). Atoms read shared objects, which [operations](super::operations) change, and look at the
//! locations and local variables of processes. For the latter the step itself tells: whether it is a step of the
//! process that is looked at, whether it leaves or enters the location, or assigns the variable.

use super::instance::Instances;
use super::knowledge::Knowledge;
use super::operations::WRITE;
use crate::ir::{Action, Edge, LocationId, Node, PatternNode, Program, Scope, Target};
use mazurka_core::bitset;
use std::ops::Range;

/// What the atoms of a property depend on.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    /// The operations on shared objects that may change an atom.
    operations: Vec<u64>,
    glimpses: Vec<Glimpse>,
}

/// What an atom asks about processes.
#[derive(Clone, Debug)]
struct Glimpse {
    /// The proctype, unless it is about all processes.
    proctype: Option<usize>,
    /// The process, if it is about a single one.
    pid: Option<i32>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// Whether it is at a location.
    At(LocationId),
    /// The value of a variable, by its bytes.
    Local(Range<usize>),
    /// Whether it is at a progress label.
    Progress,
    /// Whether it is at an accept label.
    Accept,
    /// Anything.
    Anything,
}

impl Observed {
    /// What these atoms depend on.
    pub(crate) fn new(program: &Program, atoms: &[Node]) -> Self {
        let instances = Instances::new(program);
        let mut operations = vec![0; instances.alphabet.words];
        let mut glimpses = Vec::new();
        for atom in atoms {
            let mut accesses = instances.accesses(Knowledge::Nothing, &mut operations);
            accesses.could_change(atom);
            look(program, atom, &mut glimpses);
        }
        // Instead of every step of a proctype, the glimpses.
        for proctype in 0..program.automata.len() {
            bitset::remove(&mut operations, instances.alphabet.inside(proctype, WRITE));
        }
        Self { operations, glimpses }
    }

    /// Whether an atom may change when a process at location `from` takes an edge that performs the operations `does`.
    pub(super) fn sees(
        &self,
        program: &Program,
        pid: usize,
        proctype: usize,
        from: LocationId,
        edge: &Edge,
        does: &[u64],
    ) -> bool {
        let graph = &program.automata[proctype].graph;
        let (here, there) = (&graph.locations[from.index()], &graph.locations[edge.to.index()]);
        let changes = |glimpse: &Glimpse| match &glimpse.what {
            // What an `atomic` does after its first step is not looked at here.
            _ if edge.keeps => true,
            What::At(location) => (from == *location) != (edge.to == *location),
            What::Local(bytes) => assigns(edge, bytes),
            What::Progress => here.is_progress != there.is_progress,
            What::Accept => here.is_accept != there.is_accept,
            What::Anything => true,
        };
        let is_about = |glimpse: &&Glimpse| {
            glimpse.proctype.is_none_or(|number| number == proctype)
                && glimpse.pid.is_none_or(|number| usize::try_from(number) == Ok(pid))
        };
        bitset::intersects(does, &self.operations) || self.glimpses.iter().filter(is_about).any(changes)
    }
}

/// Adds what an expression asks about processes.
fn look(program: &Program, node: &Node, out: &mut Vec<Glimpse>) {
    let constant = |process: &Option<Box<Node>>| match process.as_deref() {
        Some(Node::Constant(pid)) => Some(*pid),
        _ => None,
    };
    match node {
        Node::AtLabel {
            proctype,
            process,
            label,
        } => {
            let number = proctype.0 as usize;
            let location = program.automata[number].labels[label.0 as usize];
            out.push(Glimpse {
                proctype: Some(number),
                pid: constant(process),
                // A label where no process can be is never reached.
                what: location.map_or(What::Anything, What::At),
            });
        }
        Node::Remote {
            proctype,
            process,
            target,
        } => {
            let number = proctype.0 as usize;
            let mut locals = program.automata[number].locals.iter();
            let local = locals.find(|local| local.bytes().contains(&target.at));
            out.push(Glimpse {
                proctype: Some(number),
                pid: constant(process),
                what: local.map_or(What::Anything, |local| What::Local(local.bytes())),
            });
        }
        Node::NonProgress | Node::Accepting => out.push(Glimpse {
            proctype: None,
            pid: None,
            what: match node {
                Node::NonProgress => What::Progress,
                _ => What::Accept,
            },
        }),
        _ => {}
    }
    node.each_part(&mut |part| look(program, part, out));
}

/// Whether an edge assigns one of these bytes of the local variables.
fn assigns(edge: &Edge, bytes: &Range<usize>) -> bool {
    let is_there = |target: &Target| target.scope == Scope::Local && bytes.contains(&target.at);
    match &edge.action {
        Action::Assign(target, _) => is_there(target),
        Action::Receive { patterns, .. } => patterns
            .iter()
            .any(|pattern| matches!(pattern, PatternNode::Store(target) if is_there(target))),
        Action::DStep(inner) => inner.edges.iter().any(|edge| assigns(edge, bytes)),
        _ => false,
    }
}
