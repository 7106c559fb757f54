//! The axioms of RC11, relation by relation.
//!
//! Lahav, Vafeiadis, Kang, Hur, Dreyer, *Repairing Sequential Consistency in C/C++11*, PLDI 2017. Departures:
//! - Release sequences are those of C++20 and of GenMC: `rs = [W^{⊒rlx}]; (rf; rmw)*`. The paper's `rs` goes on with
//!   relaxed stores of the same thread, which C++20 removed (P0982).
//! - `lo`, from the unlocking of a mutex to the next locking, is part of `hb`, and of what NO-THIN-AIR looks at.
//! - The joins at the end add nothing: nothing follows them.

use crate::graph::Graph;
use crate::relation::Relation;

/// Whether all four axioms hold.
pub fn is_consistent(graph: &Graph) -> bool {
    let hb = happens_before(graph);
    no_thin_air(graph) && coherence(graph, &hb) && atomicity(graph) && sc(graph, &hb)
}

/// `rs = [W^{⊒rlx}]; (rf; rmw)*`
pub fn release_sequence(graph: &Graph) -> Relation {
    let begin = graph.identity(|e| e.writes() && e.is_atomic());
    begin.then(&graph.rf.then(&graph.rmw).closure())
}

/// `sw = [E^{⊒rel}]; ([F]; sb)?; rs; rf; [R^{⊒rlx}]; (sb; [F])?; [E^{⊒acq}]`
pub fn synchronizes_with(graph: &Graph) -> Relation {
    let fence = graph.identity(|e| e.is_fence());
    let from_fence = fence.then(&graph.sb).or_nothing();
    let to_fence = graph.sb.then(&fence).or_nothing();
    graph
        .identity(|e| e.releases())
        .then(&from_fence)
        .then(&release_sequence(graph))
        .then(&graph.rf)
        .then(&graph.identity(|e| e.reads() && e.is_atomic()))
        .then(&to_fence)
        .then(&graph.identity(|e| e.acquires()))
}

/// `hb = (sb ∪ sw ∪ lo)⁺`
pub fn happens_before(graph: &Graph) -> Relation {
    graph.sb.union(&synchronizes_with(graph)).union(&graph.lo).transitive()
}

/// `fr = rf⁻¹; mo` (`rb` in the paper)
pub fn from_read(graph: &Graph) -> Relation {
    graph.rf.inverse().then(&graph.mo)
}

/// `eco = (rf ∪ mo ∪ fr)⁺`
pub fn extended_coherence(graph: &Graph) -> Relation {
    graph.rf.union(&graph.mo).union(&from_read(graph)).transitive()
}

/// NO-THIN-AIR: `acyclic(sb ∪ rf ∪ lo)`
pub fn no_thin_air(graph: &Graph) -> bool {
    graph.sb.union(&graph.rf).union(&graph.lo).is_acyclic()
}

/// COHERENCE: `irreflexive(hb; eco?)`
pub fn coherence(graph: &Graph, hb: &Relation) -> bool {
    hb.then(&extended_coherence(graph).or_nothing()).is_irreflexive()
}

/// ATOMICITY: `rmw ∩ (fr; mo) = ∅`
pub fn atomicity(graph: &Graph) -> bool {
    graph.rmw.intersection(&from_read(graph).then(&graph.mo)).is_empty()
}

/// SC: `acyclic(psc_base ∪ psc_F)`
pub fn sc(graph: &Graph, hb: &Relation) -> bool {
    psc_base(graph, hb).union(&psc_fences(graph, hb)).is_acyclic()
}

/// `scb = sb ∪ sb|≠loc; hb; sb|≠loc ∪ hb|loc ∪ mo ∪ fr`
pub fn sc_before(graph: &Graph, hb: &Relation) -> Relation {
    let elsewhere = graph.sb.filter(|a, b| !graph.same_location(a, b));
    let here = hb.filter(|a, b| graph.same_location(a, b));
    graph
        .sb
        .union(&elsewhere.then(hb).then(&elsewhere))
        .union(&here)
        .union(&graph.mo)
        .union(&from_read(graph))
}

/// `psc_base = ([E^sc] ∪ [F^sc]; hb?); scb; ([E^sc] ∪ hb?; [F^sc])`
pub fn psc_base(graph: &Graph, hb: &Relation) -> Relation {
    let events = graph.identity(|e| e.is_sc());
    let fences = graph.identity(|e| e.is_fence() && e.is_sc());
    let from = events.union(&fences.then(&hb.or_nothing()));
    let to = events.union(&hb.or_nothing().then(&fences));
    from.then(&sc_before(graph, hb)).then(&to)
}

/// `psc_F = [F^sc]; (hb ∪ hb; eco; hb); [F^sc]`
pub fn psc_fences(graph: &Graph, hb: &Relation) -> Relation {
    let fences = graph.identity(|e| e.is_fence() && e.is_sc());
    let between = hb.union(&hb.then(&extended_coherence(graph)).then(hb));
    fences.then(&between).then(&fences)
}

/// Whether two accesses of one location, one of them a write, one of them not atomic, are unordered by `hb`.
pub fn is_racy(graph: &Graph, hb: &Relation) -> bool {
    let conflict = |a: usize, b: usize| {
        let (one, other) = (&graph.events[a], &graph.events[b]);
        graph.same_location(a, b) && (one.writes() || other.writes()) && !(one.is_atomic() && other.is_atomic())
    };
    let n = graph.events.len();
    (0..n).any(|a| (0..a).any(|b| conflict(a, b) && !hb.contains(a, b) && !hb.contains(b, a)))
}
