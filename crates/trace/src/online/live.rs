//! A predicate on what has arrived.
//!
//! There are no tables here: which values will come is not known. A conjunct is
//! evaluated on the values of the local states of a cut, three-valued.

use super::stream::Stream;
use crate::predicate::{EvaluationError, Formula, Node};
use crate::value::Value;
use std::cell::RefCell;

/// What a predicate is in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    False,
    True,
    /// It has no value.
    Undefined,
}

/// A conjunction of parts of a bound predicate, over lanes of a stream.
#[derive(Debug)]
pub(super) struct Live {
    formula: Formula,
    pub(super) conjuncts: Vec<LiveConjunct>,
    /// The processes that some conjunct reads.
    pub(super) support: Vec<usize>,
    /// Per atom and read: the place of the variable in a local state, if it is kept.
    slots: Vec<Vec<Option<usize>>>,
    /// The first evaluation without a value, and where: process and event of the read.
    pub(super) undefined: RefCell<Option<Undefined>>,
}

/// An evaluation without a value, and the process and event of the read to blame.
pub(super) type Undefined = (EvaluationError, Option<(usize, u32)>);

/// A conjunct and whom it reads.
#[derive(Debug)]
pub(super) struct LiveConjunct {
    node: Node,
    pub(super) support: Vec<usize>,
}

/// Local states of the processes that a predicate reads, in the order of its support.
pub(super) type LiveCut = Vec<u32>;

impl Live {
    pub(super) fn new(formula: &Formula, conjuncts: Vec<Node>, stream: &Stream) -> Self {
        let slots = |atom: &crate::predicate::Atom| {
            let reads = atom.reads.iter();
            reads.map(|r| stream.variable(&r.variable)).collect()
        };
        let conjuncts: Vec<_> = conjuncts
            .into_iter()
            .map(|node| LiveConjunct {
                support: formula.support(&node).into_iter().collect(),
                node,
            })
            .collect();
        let mut support: Vec<usize> = conjuncts.iter().flat_map(|c| c.support.iter().copied()).collect();
        support.sort_unstable();
        support.dedup();
        Self {
            slots: formula.atoms.iter().map(slots).collect(),
            formula: formula.clone(),
            conjuncts,
            support,
            undefined: RefCell::new(None),
        }
    }

    /// The place of a process in the support.
    pub(super) fn position(&self, process: usize) -> usize {
        self.support.binary_search(&process).expect("it is in the support")
    }

    /// A conjunct in a cut.
    pub(super) fn conjunct(&self, stream: &Stream, conjunct: usize, cut: &[u32]) -> Truth {
        let state = |process: usize| cut[self.position(process)];
        self.node(stream, &self.conjuncts[conjunct].node, &state)
    }

    /// A conjunct that reads one process, in one of its states.
    pub(super) fn local(&self, stream: &Stream, conjunct: usize, local: u32) -> Truth {
        self.node(stream, &self.conjuncts[conjunct].node, &|_| local)
    }

    fn node(&self, stream: &Stream, node: &Node, state: &dyn Fn(usize) -> u32) -> Truth {
        let all = |nodes: &[Node], decided: Truth, otherwise: Truth| {
            let mut result = otherwise;
            for n in nodes {
                match self.node(stream, n, state) {
                    truth if truth == decided => return decided,
                    Truth::Undefined => result = Truth::Undefined,
                    _ => {}
                }
            }
            result
        };
        match node {
            Node::Constant(true) => Truth::True,
            Node::Constant(false) => Truth::False,
            Node::And(nodes) => all(nodes, Truth::False, Truth::True),
            Node::Or(nodes) => all(nodes, Truth::True, Truth::False),
            Node::Literal { atom, positive } => {
                let reads = self.formula.atoms[*atom].reads.iter().zip(&self.slots[*atom]);
                let values: Vec<&Value> = reads
                    .map(|(read, slot)| match slot {
                        Some(v) => stream
                            .values
                            .get(stream.state(read.process, state(read.process)).values[*v]),
                        None => &Value::Null,
                    })
                    .collect();
                match self.formula.atoms[*atom].evaluate(&values) {
                    Ok(truth) if truth == *positive => Truth::True,
                    Ok(_) => Truth::False,
                    Err(error) => {
                        let read = error.read.and_then(|at| self.formula.atoms[*atom].reads.get(at));
                        let place = read.map(|r| {
                            let local = stream.state(r.process, state(r.process));
                            (r.process, local.event)
                        });
                        self.undefined.borrow_mut().get_or_insert((error, place));
                        Truth::Undefined
                    }
                }
            }
        }
    }
}

/// A conjunction whose conjuncts read one process each, under one reading of what has no
/// value: what the linear algorithms ask of a predicate.
#[derive(Debug)]
pub(super) struct Locals {
    /// Whether what has no value counts as true.
    perhaps: bool,
    /// The conjuncts of each process of the support.
    conjuncts: Vec<Vec<usize>>,
    /// A conjunct that reads nobody is false.
    pub(super) never: bool,
}

impl Locals {
    pub(super) fn new(live: &Live, stream: &Stream, perhaps: bool) -> Self {
        let mut conjuncts = vec![Vec::new(); live.support.len()];
        let mut never = false;
        for (c, conjunct) in live.conjuncts.iter().enumerate() {
            match conjunct.support[..] {
                [p] => conjuncts[live.position(p)].push(c),
                _ => never |= live.local(stream, c, 0) == Truth::False,
            }
        }
        Self {
            perhaps,
            conjuncts,
            never,
        }
    }

    /// Whether the conjuncts of the k-th process of the support hold in a state of it.
    pub(super) fn hold(&self, live: &Live, stream: &Stream, k: usize, state: u32) -> bool {
        self.conjuncts[k].iter().all(|c| match live.local(stream, *c, state) {
            Truth::True => true,
            Truth::False => false,
            Truth::Undefined => self.perhaps,
        })
    }
}
