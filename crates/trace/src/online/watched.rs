//! A question that is being watched: which algorithm, and what it says so far.

use super::branches::Branches;
use super::frontier::Frontier;
use super::intervals::Intervals;
use super::linear::Linear;
use super::live::Live;
use super::stream::Stream;
use crate::detection::Modality;
use crate::predicate::{Node, Predicate, PredicateErrors};

/// A question that is being watched.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) modality: Modality,
    pub(super) predicate: Predicate,
    /// Whether its processes are known.
    pub(super) closed: bool,
    /// Which edition of the processes it was bound to.
    pub(super) bound_to: usize,
    /// Its disjuncts, for Possibly of a disjunction of local conjunctions; else one.
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
    /// Binds it to the processes heard of, and begins anew.
    pub(super) fn bind(&mut self, stream: &Stream) -> Result<(), PredicateErrors> {
        let order = stream.in_order();
        let names: Vec<String> = order.iter().map(|p| stream.lanes[*p].name.clone()).collect();
        let mut formula = self.predicate.bind(&names, &|_, _| true)?;
        for read in formula.atoms.iter_mut().flat_map(|a| &mut a.reads) {
            read.process = order[read.process];
        }
        self.bound_to = stream.edition();
        let universal = matches!(self.modality, Modality::Definitely | Modality::Inevitably);
        let disjuncts = match universal {
            true => None,
            false => formula.local_disjuncts(DISJUNCTS),
        };
        let local = |node: &Node| formula.support(node).len() <= 1;
        let conjuncts: Vec<Node> = formula.conjuncts().into_iter().cloned().collect();
        let is_local = conjuncts.iter().all(local);
        self.parts = match (universal, disjuncts) {
            (false, Some(disjuncts)) => disjuncts
                .into_iter()
                .map(|literals| {
                    let live = Live::new(&formula, literals, stream);
                    let watcher = Watcher::Linear(Linear::new(&live, stream, false), Linear::new(&live, stream, true));
                    Part { live, watcher }
                })
                .collect(),
            _ => {
                let live = Live::new(&formula, conjuncts, stream);
                let watcher = match (universal, is_local) {
                    (false, _) => Watcher::Branches(Branches::new()),
                    (true, true) => Watcher::Intervals(
                        Intervals::new(&live, stream, false),
                        Intervals::new(&live, stream, true),
                    ),
                    (true, false) => Watcher::Frontier(Frontier::default()),
                };
                vec![Part { live, watcher }]
            }
        };
        Ok(())
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
            Self::Branches(b) => b.held(),
            Self::Frontier(f) => f.held(),
        }
    }

    /// The lowest local state of the k-th process of the support that may be looked at.
    pub(super) fn floor(&self, live: &Live, stream: &Stream, k: usize) -> u32 {
        match self {
            Self::Linear(certain, perhaps) => certain.cut[k].min(perhaps.cut[k]),
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
            Self::Linear(..) | Self::Branches(_) => {
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
