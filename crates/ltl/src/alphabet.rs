//! Atoms of formulas, and the letters that a model writes.
//!
//! A letter is the set of atoms that hold at a position, as bits. Some atoms are about the state, the others are
//! *events*, about the transition that led to it. The first are synchronised on states and the second on actions
//! (thesis 7.2), and a formula may have both.

use crate::outcome::LtlError;
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::{Configuration, Expr, Local, Model, Predicate, Prop, TransitionId};
use mazurka_logic::AtomId;

/// What a name in a formula stands for.
///
/// ```
/// # use mazurka_core::Builder;
/// use mazurka_ltl::{Atom, label};
/// # let mut m = Builder::new("m");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// let x = m.boolean("x");
/// let atoms: [Atom; 4] = [a1.into(), x.is(1).into(), (a0 & x.is(0)).into(), label("send")];
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Atom {
    /// This is true of the state.
    State(Prop),
    /// The transition just taken has this [label](Model::label).
    Label(String),
}

/// The atom that the transition just taken has this label. A transition's label is its name, unless
/// [another](mazurka_core::TransitionDraft::label) was set.
pub fn label(label: impl Into<String>) -> Atom {
    Atom::Label(label.into())
}

impl From<Prop> for Atom {
    fn from(prop: Prop) -> Self {
        Self::State(prop)
    }
}

impl From<Local> for Atom {
    fn from(local: Local) -> Self {
        Self::State(local.into())
    }
}

impl From<Expr> for Atom {
    fn from(expr: Expr) -> Self {
        Self::State(expr.into())
    }
}

/// The greatest number of atoms: the bits of a letter.
const MOST_ATOMS: usize = 64;

/// The atoms of a formula, for a model. Atom `k` is bit `k` of a letter.
#[derive(Debug)]
pub(crate) struct Alphabet<'m> {
    model: &'m Model,
    /// The atoms about states.
    predicates: Vec<(usize, Predicate<'m>)>,
    /// The bits of atoms about transitions.
    events: Vec<usize>,
    /// Per transition: the events that it is, bit `k` for `events[k]`.
    happens: Vec<u64>,
}

impl<'m> Alphabet<'m> {
    /// The atoms, in the order of their numbers.
    pub(crate) fn new(model: &'m Model, atoms: &[(&str, &Atom)]) -> Result<Self, LtlError> {
        if atoms.len() > MOST_ATOMS {
            return Err(LtlError::Automaton(mazurka_logic::BuchiError::TooManyAtoms));
        }
        let mut alphabet = Self {
            model,
            predicates: Vec::new(),
            events: Vec::new(),
            happens: vec![0; model.transitions()],
        };
        for (bit, (name, atom)) in atoms.iter().enumerate() {
            match atom {
                Atom::State(prop) => {
                    let predicate = model.predicate(prop.clone()).map_err(|error| LtlError::Atom {
                        name: (*name).to_string(),
                        error,
                    })?;
                    alphabet.predicates.push((bit, predicate));
                }
                Atom::Label(label) => alphabet.event(bit, label)?,
            }
        }
        Ok(alphabet)
    }

    fn event(&mut self, bit: usize, label: &str) -> Result<(), LtlError> {
        let mut known = false;
        for (t, happens) in self.happens.iter_mut().enumerate() {
            let t = TransitionId::new(t);
            if !self.model.is_monitors(t) && self.model.label(t) == label {
                *happens |= 1 << self.events.len();
                known = true;
            }
        }
        self.events.push(bit);
        match known {
            true => Ok(()),
            false => Err(LtlError::UnknownLabel(label.to_string())),
        }
    }

    /// Whether an atom is about the transition.
    pub(crate) fn is_event(&self, atom: AtomId) -> bool {
        self.events.contains(&(atom.0 as usize))
    }

    /// How many atoms are about transitions.
    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }

    /// The events that a transition is, numbered from 0.
    #[inline]
    pub(crate) fn happens(&self, t: TransitionId) -> u64 {
        self.happens[t.index()]
    }

    /// The letter of a state, after these events.
    #[inline]
    pub(crate) fn letter(&self, state: &[u8], happened: u64) -> u64 {
        self.letter_with(happened, |predicate| predicate.holds(state))
    }

    /// The letter of a state of the plain interpreter, after this transition.
    pub(crate) fn plain_letter(&self, state: &Configuration, taken: Option<TransitionId>) -> u64 {
        let happened = taken.map_or(0, |t| self.happens(t));
        self.letter_with(happened, |predicate| predicate.holds_in(state))
    }

    fn letter_with(&self, happened: u64, holds: impl Fn(&Predicate<'_>) -> bool) -> u64 {
        let events = self.events.iter().enumerate();
        let letter = events.fold(0, |letter, (k, bit)| letter | (happened >> k & 1) << bit);
        let true_ones = self.predicates.iter().filter(|(_, predicate)| holds(predicate));
        true_ones.fold(letter, |letter, (bit, _)| letter | 1 << bit)
    }

    /// The transitions that are events or can change an atom (thesis 7.2).
    pub(crate) fn visible(&self) -> BitSet {
        let mut visible = BitSet::new(self.model.transitions());
        for (_, predicate) in &self.predicates {
            bitset::union(&mut visible, &predicate.visible());
        }
        for (t, happens) in self.happens.iter().enumerate() {
            if *happens != 0 {
                bitset::insert(&mut visible, t);
            }
        }
        visible
    }
}
