//! What a transition that begins inside `atomic` does, up to where its process gives up exclusive control.

use super::exclusion::may_choose;
use super::instance::Instances;
use super::knowledge::Knowledge;
use crate::ir::{Action, Automaton, LocationId};
use crate::run::{CHAIN, View};
use mazurka_core::bitset;

/// What follows an edge while its process keeps exclusive control.
struct Region<'a> {
    automaton: &'a Automaton,
    midway: &'a [u64],
    view: View<'a, 'a>,
    /// The locations that were visited, and those of the current path.
    seen: Vec<bool>,
    path: Vec<bool>,
    /// The operations.
    does: Vec<u64>,
    /// Whether there may be a choice.
    chooses: bool,
}

impl Instances<'_> {
    /// The operations of each edge up to the end of its `atomic`.
    pub(super) fn regions(
        &self,
        automaton: &Automaton,
        single: &[u64],
        midway: &[u64],
        view: View<'_, '_>,
    ) -> (Vec<u64>, Vec<bool>, Vec<bool>) {
        let words = self.alphabet.words;
        let graph = &automaton.graph;
        let mut does = single.to_vec();
        let mut global = vec![false; graph.edges.len()];
        let mut branches = vec![false; graph.edges.len()];
        for (k, edge) in graph.edges.iter().enumerate() {
            if !edge.keeps {
                continue;
            }
            // A sender that hands over loses control, and its receiver's edge says
            // what happens then.
            if self.offers(&edge.action, view) == Some(true) {
                continue;
            }
            let mut region = Region {
                automaton,
                midway,
                view,
                seen: vec![false; graph.locations.len()],
                path: vec![false; graph.locations.len()],
                does: vec![0; words],
                chooses: false,
            };
            let ends = self.walk(&mut region, edge.to) && graph.edges.len() <= CHAIN as usize;
            global[k] = !ends || region.chooses;
            branches[k] = ends && region.chooses;
            bitset::union(&mut does[k * words..(k + 1) * words], &region.does);
        }
        (does, global, branches)
    }

    /// Adds the operations from a location on while control is kept. Returns whether the `atomic`
    /// certainly ends, without handing over control. Before a choice, and after [`CHAIN`] steps, there
    /// is a state in which no other process can move, so a proviso does not notice there that a process is postponed for ever.
    fn walk(&self, region: &mut Region<'_>, at: LocationId) -> bool {
        if region.path[at.index()] {
            return false;
        }
        if region.seen[at.index()] {
            return true;
        }
        region.seen[at.index()] = true;
        region.path[at.index()] = true;
        let words = self.alphabet.words;
        let graph = &region.automaton.graph;
        let edges = graph.locations[at.index()].edges();
        region.chooses |= may_choose(&graph.edges[edges.clone()]);
        let mut ends = true;
        for k in edges {
            let edge = &graph.edges[k];
            bitset::union(&mut region.does, &region.midway[k * words..(k + 1) * words]);
            ends &= self.offers(&edge.action, region.view) == Some(false);
            if edge.keeps {
                ends &= self.walk(region, edge.to);
            }
        }
        region.path[at.index()] = false;
        ends
    }

    /// Whether an edge offers a rendezvous, if that is known.
    fn offers(&self, action: &Action, view: View<'_, '_>) -> Option<bool> {
        let Action::Send { channel, .. } = action else {
            return Some(false);
        };
        if !self.program.has_rendezvous() {
            return Some(false);
        }
        let number = self.accesses(Knowledge::Always(view), &mut []).known(channel)?;
        // The number of a channel that ended may belong to another one later.
        if self.may_dangle && number as usize > self.program.channels.len() {
            return None;
        }
        Some(view.channel(channel).ok()?.layout.capacity == 0)
    }
}
