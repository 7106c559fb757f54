//! Which edges are worth starting a set from.
//!
//! Any edge may be left out as a start: that costs reduction, not correctness. Most edges of a model either lead to small sets often, or
//! hardly ever. So a short [trial](crate::verify) search counts, and the search after it leaves out those edges that were tried often and
//! in vain, or nearly so. Only sets that are worked out count, since that is what takes long.
//! What is left out is settled before that search begins: which set is chosen has to depend on the state alone, since chains are executed again when a
//! counterexample is put together.

use crate::ir::Program;

/// An edge is left out after it was tried this often, if fewer than one of [`RARE`] tries had success.
const ENOUGH: u32 = 300;
const RARE: u64 = 32;

/// A trial has saved little if fewer than one of so many steps was left out.
const LITTLE: u64 = 5;

/// What came of starting sets from edges.
#[derive(Clone, Debug)]
pub(crate) struct Experience {
    /// For each proctype and edge.
    edges: Vec<Vec<Tried>>,
    /// How many steps were executable, and how many of them taken, in all states where there was a choice.
    executable: u64,
    taken: u64,
}

/// How often an edge was tried, and how often with success: for single steps, and for sets that are smaller than others.
#[derive(Clone, Copy, Debug, Default)]
struct Tried {
    single: (u32, u32),
    set: (u32, u32),
}

impl Experience {
    pub(super) fn new(program: &Program) -> Self {
        let edges = program
            .automata
            .iter()
            .map(|a| vec![Tried::default(); a.graph.edges.len()]);
        Self {
            edges: edges.collect(),
            executable: 0,
            taken: 0,
        }
    }

    /// Counts the steps that are taken in a state, of so many.
    pub(super) fn weigh(&mut self, taken: usize, executable: usize) {
        self.taken += taken as u64;
        self.executable += executable as u64;
    }

    /// Whether hardly any step was left out.
    pub(crate) fn has_saved_little(&self) -> bool {
        (self.executable - self.taken) * LITTLE < self.executable
    }

    /// Whether no start had success.
    pub(crate) fn has_found_nothing(&self) -> bool {
        let succeeded = |tried: &Tried| tried.single.1 > 0 || tried.set.1 > 0;
        !self.edges.iter().flatten().any(succeeded)
    }

    /// Counts a start from an edge of a proctype.
    pub(super) fn count(&mut self, is_single: bool, proctype: usize, edge: usize, succeeds: bool) {
        let tried = &mut self.edges[proctype][edge];
        let count = if is_single { &mut tried.single } else { &mut tried.set };
        count.0 = count.0.saturating_add(1);
        count.1 = count.1.saturating_add(u32::from(succeeds));
    }

    /// Whether starting from an edge of a proctype is in vain.
    #[inline]
    pub(super) fn is_vain(&self, is_single: bool, proctype: usize, edge: usize) -> bool {
        let tried = &self.edges[proctype][edge];
        let (tries, successes) = if is_single { tried.single } else { tried.set };
        tries >= ENOUGH && u64::from(successes) * RARE < u64::from(tries)
    }

    /// How many edges are left out as starts of single steps, and how many there are.
    pub(crate) fn left_out(&self) -> (usize, usize) {
        let all = self
            .edges
            .iter()
            .enumerate()
            .flat_map(|(p, edges)| (0..edges.len()).map(move |k| (p, k)));
        let vain = all.clone().filter(|(p, k)| self.is_vain(true, *p, *k)).count();
        (vain, all.count())
    }
}
