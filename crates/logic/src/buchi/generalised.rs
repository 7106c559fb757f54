//! Generalised Büchi automata with acceptance on transitions, and the one of a formula.
//!
//! A state is a set of formulas that must all hold from here on. There is one acceptance
//! set, called a *mark*, for each until and each `[]<>` formula `f`: the transitions after
//! which `f` is not pending, or that could as well have fulfilled it. A run is accepting if it carries
//! each mark infinitely often.
//!
//! Gastin and Oddoux (CAV 2001), 4. Whether a transition carries a mark depends on its
//! guard and its target only, so two states with equal transitions are one state.

use std::collections::HashMap;
use std::rc::Rc;

use super::alternating::{Alternating, MAX_STEPS, Obligations, Step, is_subset};
use super::{BuchiError, MAX_TRANSITIONS, cube::Cube, cube::join_cubes};
use crate::normal::{NodeId, Nodes};

/// A transition with its guard and its marks, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Arc {
    pub(super) to: usize,
    pub(super) marks: u64,
    pub(super) guard: Cube,
}

/// A generalised Büchi automaton with marks on transitions.
#[derive(Clone, Debug)]
pub(super) struct Generalised {
    pub(super) arcs: Vec<Vec<Arc>>,
    pub(super) initial: usize,
    /// All marks.
    pub(super) marks: u64,
}

impl Generalised {
    /// The automaton of a formula.
    pub(super) fn new(nodes: &mut Nodes, formula: NodeId) -> Result<Self, BuchiError> {
        Construction::new(nodes).run(formula)
    }

    pub(super) fn len(&self) -> usize {
        self.arcs.len()
    }

    pub(super) fn arc_count(&self) -> usize {
        self.arcs.iter().map(Vec::len).sum()
    }

    /// Joins the guards of arcs with the same target and marks, and drops arcs that another one covers.
    pub(super) fn join_arcs(&mut self) {
        for arcs in &mut self.arcs {
            let mut groups: Vec<(usize, u64, Vec<Cube>)> = vec![];
            arcs.sort_unstable();
            for arc in arcs.iter() {
                match groups.last_mut() {
                    Some((to, marks, guards)) if (*to, *marks) == (arc.to, arc.marks) => guards.push(arc.guard),
                    _ => groups.push((arc.to, arc.marks, vec![arc.guard])),
                }
            }
            arcs.clear();
            for (to, marks, mut guards) in groups {
                join_cubes(&mut guards);
                arcs.extend(guards.into_iter().map(|guard| Arc { to, marks, guard }));
            }
            let all = arcs.clone();
            arcs.retain(|arc| {
                let covers =
                    |o: &Arc| o != arc && o.to == arc.to && arc.guard.is_subset(o.guard) && arc.marks & !o.marks == 0;
                !all.iter().any(covers)
            });
        }
    }
}

/// A transition of a set of formulas.
struct Move {
    step: Step,
    /// The formulas that it leaves unfulfilled, whose marks it lacks.
    pending: Vec<NodeId>,
}

struct Construction<'a> {
    alternating: Alternating<'a>,
    sets: Vec<Obligations>,
    numbers: HashMap<Obligations, usize>,
}

impl<'a> Construction<'a> {
    fn new(nodes: &'a mut Nodes) -> Self {
        Self {
            alternating: Alternating::new(nodes),
            sets: vec![],
            numbers: HashMap::new(),
        }
    }

    fn run(mut self, formula: NodeId) -> Result<Generalised, BuchiError> {
        // A formula that is no conjunction of states is a state of its own at the start.
        let start = self.alternating.disjuncts(formula)?;
        self.number(if start.len() == 1 {
            start[0].clone()
        } else {
            vec![formula]
        });
        let mut all: Vec<Vec<(Move, usize)>> = vec![];
        let mut count = 0;
        while all.len() < self.sets.len() {
            let moves = self.moves(all.len())?;
            count += moves.len();
            if count > MAX_TRANSITIONS {
                return Err(BuchiError::TooLarge);
            }
            let moves = moves.into_iter().map(|m| {
                let to = self.number(m.step.next.clone());
                (m, to)
            });
            all.push(moves.collect());
        }
        // A formula that is never left unfulfilled needs no mark.
        let mut marked: Vec<NodeId> = all.iter().flatten().flat_map(|(m, _)| m.pending.clone()).collect();
        marked.sort_unstable();
        marked.dedup();
        if marked.len() > 64 {
            return Err(BuchiError::TooLarge);
        }
        let marks = u64::MAX
            .checked_shr(64 - u32::try_from(marked.len()).expect("at most 64 marks"))
            .unwrap_or(0);
        let arc = |(m, to): (Move, usize)| {
            let lacking = |f: &NodeId| marked.binary_search(f).map_or(0, |i| 1 << i);
            let lacking = m.pending.iter().map(lacking).fold(0, |a, b| a | b);
            Arc {
                to,
                marks: marks & !lacking,
                guard: m.step.guard,
            }
        };
        let arcs = all
            .into_iter()
            .map(|moves| moves.into_iter().map(arc).collect())
            .collect();
        Ok(Generalised {
            arcs,
            initial: 0,
            marks,
        })
    }

    fn number(&mut self, set: Obligations) -> usize {
        *self.numbers.entry(set).or_insert_with_key(|set| {
            self.sets.push(set.clone());
            self.sets.len() - 1
        })
    }

    /// The transitions of a set, one of each formula together, without those for which
    /// there is an easier one that leaves no more unfulfilled.
    fn moves(&mut self, set: usize) -> Result<Vec<Move>, BuchiError> {
        let mut all = vec![Step {
            guard: Cube::TRUE,
            next: vec![],
        }];
        for f in self.sets[set].clone() {
            let steps: Rc<[Step]> = self.alternating.steps(f)?;
            all = self.alternating.both(&all, &steps)?;
        }
        let mut kept: Vec<Move> = vec![];
        for step in all {
            let pending = self.pending(&step)?;
            let m = Move { step, pending };
            let beats = |a: &Move, b: &Move| a.step.is_easier(&b.step) && is_subset(&a.pending, &b.pending);
            if !kept.iter().any(|other| beats(other, &m)) {
                kept.retain(|other| !beats(&m, other));
                kept.push(m);
            }
            if kept.len() > MAX_STEPS {
                return Err(BuchiError::TooLarge);
            }
        }
        Ok(kept)
    }

    /// The formulas to fulfil that remain after a transition which could not as well have fulfilled them.
    fn pending(&mut self, step: &Step) -> Result<Vec<NodeId>, BuchiError> {
        let mut pending = vec![];
        for &f in &step.next {
            if let Some(fulfilling) = self.alternating.fulfilling(f)?
                && !fulfilling.iter().any(|s| s.is_easier(step))
            {
                pending.push(f);
            }
        }
        Ok(pending)
    }
}
