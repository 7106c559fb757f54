//! The very weak alternating automaton of a formula.
//!
//! Its states are formulas. A transition of `f` is a guard and a set of formulas: `f`
//! holds at a position if some transition's guard does and all formulas of its set hold
//! at the next position. The automaton is very weak: a set has `f` itself or proper
//! subformulas only. A run must not stay with an until for ever, which is the condition
//! that [`super::generalised`] translates.
//!
//! Gastin and Oddoux, *Fast LTL to Büchi automata translation* (CAV 2001), 3. A transition
//! of a formula is dropped when another has a weaker guard and a smaller set (ibid., 4).
//! Departure: `[]<> g` is a state with transitions of its own, which leads to itself only
//! and must *fulfil* `g` again and again; otherwise a conjunction of `n` of them would have
//! `2^n` sets.

use std::collections::HashMap;
use std::rc::Rc;

use super::{BuchiError, MAX_TRANSITIONS, cube::Cube};
use crate::normal::{FALSE, Node, NodeId, Nodes, TRUE};

/// The most transitions of a formula or a set of them; each is compared with each.
pub(super) const MAX_STEPS: usize = 4096;

/// A set of formulas that must all hold: ascending.
pub(super) type Obligations = Vec<NodeId>;

/// A transition of the alternating automaton, or of a set of its states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) guard: Cube,
    pub(super) next: Obligations,
}

impl Step {
    /// A transition that is always possible.
    fn always(next: Obligations) -> Self {
        let guard = Cube::TRUE;
        Self { guard, next }
    }

    /// Whether it can be taken whenever `other` can, with no more obligations.
    pub(super) fn is_easier(&self, other: &Step) -> bool {
        other.guard.is_subset(self.guard) && is_subset(&self.next, &other.next)
    }
}

/// Whether every member of `a` is one of `b`, both ascending.
pub(super) fn is_subset(a: &[NodeId], b: &[NodeId]) -> bool {
    a.iter().all(|f| b.binary_search(f).is_ok())
}

/// The automaton, built on demand.
pub(super) struct Alternating<'a> {
    pub(super) nodes: &'a mut Nodes,
    steps: HashMap<NodeId, Rc<[Step]>>,
}

impl<'a> Alternating<'a> {
    pub(super) fn new(nodes: &'a mut Nodes) -> Self {
        Self {
            nodes,
            steps: HashMap::new(),
        }
    }

    /// The transitions of `f`.
    pub(super) fn steps(&mut self, f: NodeId) -> Result<Rc<[Step]>, BuchiError> {
        if let Some(known) = self.steps.get(&f) {
            return Ok(known.clone());
        }
        let steps = match self.infinitely_often(f) {
            Some(g) => {
                let mut steps = self.steps(g)?.to_vec();
                // This one is easier than the others, which are kept since they fulfil `g`.
                steps.push(Step::always(vec![]));
                self.both(&steps, &[Step::always(vec![f])])?
            }
            None => self.expand(f)?,
        };
        let steps: Rc<[Step]> = steps.into();
        self.steps.insert(f, steps.clone());
        Ok(steps)
    }

    /// The transitions of `f` from those of its operands.
    fn expand(&mut self, f: NodeId) -> Result<Vec<Step>, BuchiError> {
        let again = Step::always(vec![f]);
        match self.nodes.node(f).clone() {
            Node::True => Ok(vec![Step::always(vec![])]),
            Node::False => Ok(vec![]),
            Node::Literal { atom, positive } => {
                let guard = Cube::literal(atom, positive).ok_or(BuchiError::TooManyAtoms)?;
                Ok(vec![Step { guard, next: vec![] }])
            }
            Node::And(fs) => {
                let mut all = vec![Step::always(vec![])];
                for &f in fs.iter() {
                    let steps = self.steps(f)?;
                    all = easiest(self.both(&all, &steps)?)?;
                }
                Ok(all)
            }
            Node::Or(fs) => {
                let mut any = vec![];
                for &f in fs.iter() {
                    any.extend_from_slice(&self.steps(f)?);
                }
                easiest(any)
            }
            Node::Next(g) => Ok(self.disjuncts(g)?.into_iter().map(Step::always).collect()),
            // f = g U h: h now, or g now and f again.
            Node::Until(g, h) => {
                let (g, h) = (self.steps(g)?, self.steps(h)?);
                let mut any = self.both(&g, &[again])?;
                any.extend_from_slice(&h);
                easiest(any)
            }
            // f = g V h: h now, and g now or f again.
            Node::Release(g, h) => {
                let (g, h) = (self.steps(g)?, self.steps(h)?);
                let mut any = g.to_vec();
                any.push(again);
                easiest(self.both(&h, &any)?)
            }
        }
    }

    /// The `g` of a formula `[]<> g`.
    fn infinitely_often(&self, f: NodeId) -> Option<NodeId> {
        match *self.nodes.node(f) {
            Node::Release(FALSE, g) => match *self.nodes.node(g) {
                Node::Until(TRUE, g) => Some(g),
                _ => None,
            },
            _ => None,
        }
    }

    /// The transitions that fulfil `f`, if it must be fulfilled again and again.
    pub(super) fn fulfilling(&mut self, f: NodeId) -> Result<Option<Vec<Step>>, BuchiError> {
        if let Some(g) = self.infinitely_often(f) {
            let steps = self.steps(g)?;
            return Ok(Some(self.both(&steps, &[Step::always(vec![f])])?));
        }
        if !matches!(self.nodes.node(f), Node::Until(..)) {
            return Ok(None);
        }
        let steps = self.steps(f)?;
        let done = steps.iter().filter(|step| step.next.binary_search(&f).is_err());
        Ok(Some(done.cloned().collect()))
    }

    /// The transitions that combine one of `a` and one of `b`.
    pub(super) fn both(&mut self, a: &[Step], b: &[Step]) -> Result<Vec<Step>, BuchiError> {
        let mut all = vec![];
        for s in a {
            for t in b {
                let Some(guard) = s.guard.meet(t.guard) else { continue };
                let next = self.union(&s.next, &t.next);
                if let Some(next) = next {
                    all.push(Step { guard, next });
                }
            }
            if all.len() > MAX_TRANSITIONS {
                return Err(BuchiError::TooLarge);
            }
        }
        Ok(all)
    }

    /// Both sets of obligations, unless they certainly cannot be met together.
    fn union(&mut self, a: &[NodeId], b: &[NodeId]) -> Option<Obligations> {
        let mut union = a.to_vec();
        for &g in b {
            if let Err(place) = union.binary_search(&g) {
                if a.iter().any(|&f| self.nodes.exclude(f, g)) {
                    return None;
                }
                union.insert(place, g);
            }
        }
        Some(union)
    }

    /// The formula as a disjunction of sets of states.
    pub(super) fn disjuncts(&mut self, f: NodeId) -> Result<Vec<Obligations>, BuchiError> {
        let sets = match self.nodes.node(f).clone() {
            Node::True => vec![vec![]],
            Node::False => vec![],
            Node::And(fs) => {
                let mut all = vec![Step::always(vec![])];
                for &f in fs.iter() {
                    let steps: Vec<Step> = self.disjuncts(f)?.into_iter().map(Step::always).collect();
                    all = easiest(self.both(&all, &steps)?)?;
                }
                all.into_iter().map(|step| step.next).collect()
            }
            Node::Or(fs) => {
                let mut any = vec![];
                for &f in fs.iter() {
                    any.extend(self.disjuncts(f)?);
                }
                any
            }
            _ => vec![vec![f]],
        };
        Ok(sets)
    }
}

/// Drops the transitions for which there is an easier one.
fn easiest(steps: Vec<Step>) -> Result<Vec<Step>, BuchiError> {
    let mut kept: Vec<Step> = vec![];
    for step in steps {
        if !kept.iter().any(|other| other.is_easier(&step)) {
            kept.retain(|other| !step.is_easier(other));
            kept.push(step);
        }
        if kept.len() > MAX_STEPS {
            return Err(BuchiError::TooLarge);
        }
    }
    Ok(kept)
}
