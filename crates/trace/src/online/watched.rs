//! A question that is being watched: which algorithm, and what it says so far.

use super::Watching;
use super::branches::Branches;
use super::frontier::Frontier;
use super::intervals::Intervals;
use super::linear::Linear;
use super::live::Live;
use super::pairs::Pairs;
use super::stream::Stream;
use crate::detection::{Modality, Question};
use crate::predicate::{Formula, Node, Predicate, PredicateErrors};
use mazurka_core::ProcessId;
use std::collections::{BTreeMap, BTreeSet};

/// A question that is being watched.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) modality: Modality,
    pub(super) predicate: Predicate,
    /// Whether its processes are known.
    pub(super) closed: bool,
    /// Which edition of the processes it was bound to.
    pub(super) bound_to: usize,
    /// Its disjuncts, for Possibly; else one.
    pub(super) parts: Vec<Part>,
    pub(super) answered: bool,
}

#[derive(Debug)]
pub(super) struct Part {
    pub(super) live: Live,
    pub(super) watcher: Watcher,
}

#[derive(Debug)]
pub(super) enum Watcher {
    /// Possibly, linear: certain and perhaps.
    Linear(Linear, Linear),
    /// Possibly, of two processes.
    Pairs(Pairs),
    /// Possibly, any.
    Branches(Branches),
    /// Definitely, by intervals: certain and perhaps.
    Intervals(Intervals, Intervals),
    /// Definitely, any.
    Frontier(Frontier),
}

/// Disjuncts that are watched separately, at most.
const DISJUNCTS: usize = 256;

impl Watched {
    /// A question of which nothing is known yet.
    pub(super) fn new(question: &Question, options: &Watching) -> Self {
        let predicate = match question.modality {
            Modality::Always => question.predicate.negated(),
            _ => question.predicate.clone(),
        };
        Self {
            modality: question.modality,
            closed: options.processes.is_some() || !predicate.quantifies(),
            predicate,
            bound_to: 0,
            parts: Vec::new(),
            answered: false,
        }
    }

    /// Binds it to the processes known so far, and begins anew.
    pub(super) fn bind(&mut self, stream: &Stream) -> Result<(), PredicateErrors> {
        let order = stream.in_order();
        let names: Vec<String> = order.iter().map(|p| stream.lanes[*p].name.clone()).collect();
        let mut formula = self.predicate.bind(&names, &|_, _| true)?;
        for read in formula.atoms.iter_mut().flat_map(|a| &mut a.reads) {
            read.process = ProcessId::new(order[read.process.index()]);
        }
        self.bound_to = stream.edition();
        let universal = matches!(self.modality, Modality::Definitely | Modality::Inevitably);
        let conjuncts = |node: &Node| match node {
            Node::And(members) => members.clone(),
            node => vec![node.clone()],
        };
        if universal {
            let live = Live::new(&formula, conjuncts(&formula.root), stream);
            let watcher = match live.conjuncts.iter().all(|c| c.support.len() <= 1) {
                true => Watcher::Intervals(
                    Intervals::new(&live, stream, false),
                    Intervals::new(&live, stream, true),
                ),
                false => Watcher::Frontier(Frontier::default()),
            };
            self.parts = vec![Part { live, watcher }];
            return Ok(());
        }
        let parts = match formula.local_disjuncts(DISJUNCTS) {
            Some(parts) => parts,
            None => disjuncts(&formula).iter().map(conjuncts).collect(),
        };
        let part = |conjuncts: Vec<Node>| {
            let live = Live::new(&formula, conjuncts, stream);
            let is_local = live.conjuncts.iter().all(|c| c.support.len() <= 1);
            let watcher = match (is_local, live.support.len()) {
                (true, _) => Watcher::Linear(Linear::new(&live, stream, false), Linear::new(&live, stream, true)),
                (_, 2) => Watcher::Pairs(Pairs::new(&live)),
                _ => Watcher::Branches(Branches::new(&live)),
            };
            Part { live, watcher }
        };
        self.parts = parts.into_iter().map(part).collect();
        Ok(())
    }
}

/// The disjuncts of a formula. Those that read the same processes are joined, except comparisons of sums, which
/// are faster alone. If there are many, the formula itself.
fn disjuncts(formula: &Formula) -> Vec<Node> {
    let Node::Or(members) = &formula.root else {
        return vec![formula.root.clone()];
    };
    let is_sum = |node: &Node| matches!(node, Node::Literal { atom, .. } if formula.atoms[*atom].balance().is_some());
    let has_sum = |node: &Node| match node {
        Node::And(conjuncts) => conjuncts.iter().any(is_sum),
        node => is_sum(node),
    };
    let (mut all, others): (Vec<Node>, Vec<Node>) = members.iter().cloned().partition(has_sum);
    let mut by_support: BTreeMap<BTreeSet<ProcessId>, Vec<Node>> = BTreeMap::new();
    for member in others {
        by_support.entry(formula.support(&member)).or_default().push(member);
    }
    all.extend(by_support.into_values().map(|mut alike| match alike.len() {
        1 => alike.swap_remove(0),
        _ => Node::Or(alike),
    }));
    match all.len() <= DISJUNCTS {
        true => all,
        false => vec![formula.root.clone()],
    }
}

impl Watcher {
    /// Goes on as far as what has arrived allows.
    pub(super) fn advance(&mut self, live: &Live, stream: &Stream) {
        match self {
            Self::Linear(certain, perhaps) => {
                certain.advance(live, stream);
                perhaps.advance(live, stream);
            }
            Self::Pairs(pairs) => pairs.advance(live, stream),
            Self::Branches(b) => b.advance(live, stream),
            Self::Intervals(certain, perhaps) => {
                certain.advance(live, stream);
                perhaps.advance(live, stream);
            }
            Self::Frontier(f) => f.advance(live, stream),
        }
    }

    /// How many branches or cuts are kept, besides local states.
    pub(super) fn held(&self) -> usize {
        match self {
            Self::Linear(..) | Self::Intervals(..) => 0,
            Self::Pairs(pairs) => pairs.held(),
            Self::Branches(b) => b.held(),
            Self::Frontier(f) => f.held(),
        }
    }

    /// Drops what is of no use.
    pub(super) fn tidy(&mut self, live: &Live, stream: &Stream) {
        match self {
            Self::Linear(..) | Self::Intervals(..) | Self::Pairs(_) => {}
            Self::Branches(b) => b.tidy(live, stream),
            Self::Frontier(f) => f.tidy(live, stream),
        }
    }

    /// The lowest local state of the k-th process of the support that may be looked at.
    pub(super) fn floor(&self, live: &Live, stream: &Stream, k: usize) -> u32 {
        match self {
            Self::Linear(certain, perhaps) => certain.cut[k].min(perhaps.cut[k]),
            Self::Pairs(pairs) => pairs.floor(live, stream, k),
            Self::Branches(b) => b.floor(live, stream, k),
            Self::Intervals(certain, perhaps) => certain.next[k].min(perhaps.next[k]),
            Self::Frontier(f) => f.floor(k),
        }
    }

    /// How many events of each process a message may know without telling anything new:
    /// those that every cut contains that may still be looked at. For Possibly such a cut
    /// is completed by all that happened before its states; for Definitely the processes
    /// outside the support do not matter.
    pub(super) fn base(&self, live: &Live, stream: &Stream) -> Vec<u32> {
        match self {
            Self::Linear(..) | Self::Pairs(_) | Self::Branches(_) => {
                let mut base = vec![0; stream.lanes.len()];
                for (k, &p) in live.support.iter().enumerate() {
                    let Some(last) = stream.last(p) else { continue };
                    let state = stream.state(p, self.floor(live, stream, k).min(last));
                    base[p] = base[p].max(state.event);
                    for (q, known) in state.clock.iter().enumerate() {
                        base[q] = base[q].max(*known);
                    }
                }
                base
            }
            Self::Intervals(certain, perhaps) => {
                let mut base = vec![u32::MAX; stream.lanes.len()];
                for (k, &p) in live.support.iter().enumerate() {
                    base[p] = certain.first_begin(k, stream, p).min(perhaps.first_begin(k, stream, p));
                }
                base
            }
            Self::Frontier(f) => {
                let mut base = vec![u32::MAX; stream.lanes.len()];
                for (k, &p) in live.support.iter().enumerate() {
                    let last = stream.last(p);
                    base[p] = last.map_or(0, |last| stream.state(p, f.floor(k).min(last)).event);
                }
                base
            }
        }
    }
}
