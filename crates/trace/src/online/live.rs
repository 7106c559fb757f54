//! A predicate over the states that have arrived.
//!
//! There are no tables here, because it is not known which values will come. A conjunct is
//! evaluated on the values of the local states of a cut, three-valued.

use super::stream::Stream;
use crate::predicate::{Balance, EvaluationError, Formula, Node, Relation, Weight};
use crate::value::{Value, ValueId};
use mazurka_core::ProcessId;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The truth of a predicate in a state.
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
    /// Per process: the places of the variables that the conjuncts read.
    read_of: BTreeMap<usize, BTreeSet<usize>>,
    /// Per process: the atoms that read it alone, and the places of the variables that others read.
    tell: BTreeMap<usize, (BTreeSet<usize>, BTreeSet<usize>)>,
    /// The first evaluation without a value, and where: process and event of the read.
    pub(super) undefined: RefCell<Option<Undefined>>,
}

/// An evaluation without a value, and the process and event of the read to blame.
pub(super) type Undefined = (EvaluationError, Option<(usize, u32)>);

/// What the conjuncts can tell of a process in one of its states, whatever the others do: the truth of the atoms that
/// read it alone, and the values that others read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Class {
    truths: Box<[Truth]>,
    values: Box<[ValueId]>,
}

/// A conjunct and the processes that it reads.
#[derive(Debug)]
pub(super) struct LiveConjunct {
    node: Node,
    pub(super) support: Vec<usize>,
}

/// A conjunct that compares a sum over processes with zero.
#[derive(Debug)]
pub(super) struct Sum {
    atom: usize,
    balance: Balance,
    /// How the sum has to compare, with the negation applied.
    pub(super) relation: Relation,
    /// Whether it is the comparison itself that has to hold, and not its negation.
    pub(super) positive: bool,
}

impl Sum {
    /// What is added whatever the processes do.
    pub(super) fn constant(&self) -> f64 {
        self.balance.constant
    }

    /// How far the computed sum of such numbers can be from the exact one, where that matters.
    pub(super) fn rounding(&self, sizes: &Sizes) -> f64 {
        // Each of the operations loses half of the last of 53 digits, here and where it is evaluated. If all
        // numbers have one sign, sums that are much larger than what they are compared with do not matter.
        let operations = (self.balance.len() + 8) as f64;
        let largest = match (sizes.rounded, sizes.least < 0.0 && sizes.greatest > 0.0) {
            (false, _) => 0.0,
            (true, false) => 2.0 * self.balance.constants,
            (true, true) => sizes.total() + self.balance.constants,
        };
        operations * largest * f64::EPSILON * 4.0
    }
}

/// Which numbers were added to a sum.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Whether there was one with which arithmetic is not exact.
    rounded: bool,
    /// The least and the greatest of all, and the size of the largest of each process.
    least: f64,
    greatest: f64,
    largest: Vec<f64>,
}

impl Sizes {
    pub(super) fn new(processes: usize) -> Self {
        Self {
            rounded: false,
            least: 0.0,
            greatest: 0.0,
            largest: vec![0.0; processes],
        }
    }

    /// The k-th process adds a number.
    pub(super) fn add(&mut self, k: usize, x: f64, exact: bool) {
        self.rounded |= !exact;
        self.least = self.least.min(x);
        self.greatest = self.greatest.max(x);
        self.largest[k] = self.largest[k].max(x.abs());
    }

    fn total(&self) -> f64 {
        self.largest.iter().sum()
    }
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
                support: formula.support(&node).into_iter().map(ProcessId::index).collect(),
                node,
            })
            .collect();
        let mut support: Vec<usize> = conjuncts.iter().flat_map(|c| c.support.iter().copied()).collect();
        support.sort_unstable();
        support.dedup();
        let mut read_of: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut tell: BTreeMap<usize, (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
        for conjunct in &conjuncts {
            conjunct.node.for_each_atom(&mut |atom| {
                let reads = &formula.atoms[atom].reads;
                let is_local = reads.iter().all(|read| read.process == reads[0].process);
                for read in reads {
                    let places = read_of.entry(read.process.index()).or_default();
                    places.extend(stream.variable(&read.variable));
                    let (alone, among) = tell.entry(read.process.index()).or_default();
                    match is_local {
                        true => drop(alone.insert(atom)),
                        false => among.extend(stream.variable(&read.variable)),
                    }
                }
            });
        }
        Self {
            slots: formula.atoms.iter().map(slots).collect(),
            read_of,
            tell,
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

    /// A conjunct, where each process is in the state that is said.
    pub(super) fn conjunct_in(&self, stream: &Stream, conjunct: usize, state: &dyn Fn(usize) -> u32) -> Truth {
        self.node(stream, &self.conjuncts[conjunct].node, state)
    }

    /// A conjunct that reads one process, in one of its states.
    pub(super) fn local(&self, stream: &Stream, conjunct: usize, local: u32) -> Truth {
        self.node(stream, &self.conjuncts[conjunct].node, &|_| local)
    }

    /// All conjuncts in a cut.
    pub(super) fn truth(&self, stream: &Stream, cut: &[u32]) -> Truth {
        let mut truth = Truth::True;
        for c in 0..self.conjuncts.len() {
            match self.conjunct(stream, c, cut) {
                Truth::False => return Truth::False,
                Truth::Undefined => truth = Truth::Undefined,
                Truth::True => {}
            }
        }
        truth
    }

    /// The conjuncts that read the k-th process of the support alone, and those that read no process, in one of its states.
    pub(super) fn locals(&self, stream: &Stream, k: usize, state: u32) -> Truth {
        let mut truth = Truth::True;
        for (c, conjunct) in self.conjuncts.iter().enumerate() {
            if conjunct.support.iter().any(|p| *p != self.support[k]) {
                continue;
            }
            match self.local(stream, c, state) {
                Truth::False => return Truth::False,
                Truth::Undefined => truth = Truth::Undefined,
                Truth::True => {}
            }
        }
        truth
    }

    /// A conjunct as a sum, if it is one.
    pub(super) fn sum(&self, conjunct: usize) -> Option<Sum> {
        let Node::Literal { atom, positive } = self.conjuncts[conjunct].node else {
            return None;
        };
        let balance = self.formula.atoms[atom].balance()?;
        let relation = match positive {
            true => balance.relation,
            false => balance.relation.negated(),
        };
        Some(Sum {
            atom,
            balance,
            relation,
            positive,
        })
    }

    /// What a process adds to a sum in one of its states.
    pub(super) fn weight(&self, stream: &Stream, sum: &Sum, process: usize, state: u32) -> Weight {
        let atom = &self.formula.atoms[sum.atom];
        let reads = atom.reads.iter().zip(&self.slots[sum.atom]);
        let values: Vec<&Value> = reads
            .map(|(read, slot)| match slot {
                Some(v) if read.process.index() == process => {
                    stream.values.get(stream.state(process, state).values[*v])
                }
                _ => &Value::Null,
            })
            .collect();
        atom.weight(&sum.balance, ProcessId::new(process), &values)
    }

    /// What the conjuncts read of a process, in one of its states.
    pub(super) fn seen(&self, stream: &Stream, process: usize, state: u32) -> Box<[ValueId]> {
        let values = &stream.state(process, state).values;
        let read = self.read_of.get(&process).into_iter().flatten();
        read.map(|v| values[*v]).collect()
    }

    /// What the conjuncts can tell of a process in one of its states.
    pub(super) fn class(&self, stream: &Stream, process: usize, state: u32) -> Class {
        let (alone, among) = &self.tell[&process];
        let values = &stream.state(process, state).values;
        let truth = |atom: &usize| self.atom(stream, *atom, &|_| state).unwrap_or(Truth::Undefined);
        Class {
            truths: alone.iter().map(truth).collect(),
            values: among.iter().map(|v| values[*v]).collect(),
        }
    }

    /// An atom, where each process is in the state that is said.
    fn atom(&self, stream: &Stream, atom: usize, state: &dyn Fn(usize) -> u32) -> Result<Truth, EvaluationError> {
        let reads = self.formula.atoms[atom].reads.iter().zip(&self.slots[atom]);
        let values: Vec<&Value> = reads
            .map(|(read, slot)| match slot {
                Some(v) => {
                    let p = read.process.index();
                    stream.values.get(stream.state(p, state(p)).values[*v])
                }
                None => &Value::Null,
            })
            .collect();
        self.formula.atoms[atom].evaluate(&values).map(|truth| match truth {
            true => Truth::True,
            false => Truth::False,
        })
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
            Node::Literal { atom, positive } => match (self.atom(stream, *atom, state), positive) {
                (Ok(truth), true) => truth,
                (Ok(Truth::True), false) => Truth::False,
                (Ok(_), false) => Truth::True,
                (Err(error), _) => {
                    let read = error.read.and_then(|at| self.formula.atoms[*atom].reads.get(at));
                    let place = read.map(|read| {
                        let p = read.process.index();
                        (p, stream.state(p, state(p)).event)
                    });
                    self.undefined.borrow_mut().get_or_insert((error, place));
                    Truth::Undefined
                }
            },
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
    /// A conjunct that reads no process is false.
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
