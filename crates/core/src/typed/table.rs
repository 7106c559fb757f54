//! Footprints as tables: which classes of actions depend on each other.
//!
//! A class is a member of the alphabet and stands for all actions that it represents. Two classes are dependent if they are
//! the same, or one changes a part that the other touches, unless both only add to it. Everything is computed once, as bit sets
//! over classes.
//!
//! The algorithms for persistent sets see classes as transitions ([`Structure`]). Here is why that is right although a class may
//! have several actions. Let `T` be the enabled actions whose classes are in a set `C` that an algorithm returns.
//! `C` has, with a class that has enabled actions, all that depend on it, and with any other class a necessary
//! enabling set of it. Suppose a sequence outside `T` leads to an action that depends on a member of `T`. Its class is in
//! `C`. Take the first action of the sequence whose class is in `C`. It is disabled at the beginning, since it is not in `T`.
//! If its class had enabled actions, what enabled it on the way changes what it touches, so it is in `C`; if not, a member of
//! its necessary enabling set was on the way, and is in `C`. Both contradict that it is the first. So `T` is persistent
//! (Def. 4.1). For Algorithm 2, each class is a process of its own that stays where it is.

use super::Model;
use super::footprint::{Footprint, Obstacles, Parts, Touch};
use crate::bitset::{self, BitMatrix, BitSet};
use crate::ids::TransitionId;
use crate::system::Dependency;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

/// What a model's [`Footprint`] says, as tables.
pub struct Footprints<'m, M: Footprint> {
    model: &'m M,
    alphabet: Vec<M::Action>,
    classes: HashMap<M::Action, u32, FixedState>,
    parts: HashMap<M::Part, usize, FixedState>,
    /// Per class: the classes that depend on it, itself among them.
    dependent: BitMatrix,
    /// Per class: itself.
    itself: BitMatrix,
    /// Per part: the classes that change it.
    changing: BitMatrix,
    /// Per class: the classes that change something it reads or writes.
    enabling: BitMatrix,
}

impl<M: Footprint> fmt::Debug for Footprints<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Footprints")
            .field("alphabet", &self.alphabet)
            .field("parts", &self.parts.len())
            .finish_non_exhaustive()
    }
}

/// The number of a name; a new one if it has none yet.
fn number<T: Eq + Hash>(numbers: &mut HashMap<T, usize, FixedState>, name: T) -> usize {
    let next = numbers.len();
    *numbers.entry(name).or_insert(next)
}

impl<'m, M: Footprint> Footprints<'m, M> {
    /// The tables of this model.
    pub fn new(model: &'m M) -> Self {
        let alphabet = model.alphabet();
        let count = alphabet.len();
        let hasher = || FixedState::with_seed(0x0074_7970_6564);
        let mut classes = HashMap::with_hasher(hasher());
        let mut parts = HashMap::with_hasher(hasher());
        let mut touched = Vec::new();
        for (class, action) in (0..).zip(&alphabet) {
            classes.entry(*action).or_insert(class);
            let mut taken = Parts(Vec::new());
            model.touches(*action, &mut taken);
            let numbered = taken
                .0
                .into_iter()
                .map(|(part, touch)| (number(&mut parts, part), touch));
            touched.push(numbered.collect::<Vec<_>>());
        }
        let mut by_touch = [Touch::Reads, Touch::Adds, Touch::Writes].map(|_| BitMatrix::new(parts.len(), count));
        for (class, touched) in touched.iter().enumerate() {
            for (part, touch) in touched {
                bitset::insert(by_touch[*touch as usize].row_mut(*part), class);
            }
        }
        let [reading, adding, writing] = by_touch;
        let mut changing = BitMatrix::new(parts.len(), count);
        for part in 0..parts.len() {
            bitset::union(changing.row_mut(part), adding.row(part));
            bitset::union(changing.row_mut(part), writing.row(part));
        }
        let mut itself = BitMatrix::new(count, count);
        let mut enabling = BitMatrix::new(count, count);
        let mut dependent = BitMatrix::new(count, count);
        for (class, touched) in touched.iter().enumerate() {
            bitset::insert(itself.row_mut(class), class);
            let (enabling, dependent) = (enabling.row_mut(class), dependent.row_mut(class));
            bitset::insert(dependent, class);
            for (part, touch) in touched {
                bitset::union(dependent, writing.row(*part));
                if *touch != Touch::Adds {
                    bitset::union(enabling, changing.row(*part));
                    bitset::union(dependent, adding.row(*part));
                }
                if *touch != Touch::Reads {
                    bitset::union(dependent, reading.row(*part));
                }
            }
        }
        Self {
            model,
            alphabet,
            classes,
            parts,
            dependent,
            itself,
            changing,
            enabling,
        }
    }

    /// How many classes there are.
    pub(super) fn len(&self) -> usize {
        self.alphabet.len()
    }

    /// The class of an action, if it is in the alphabet.
    #[inline]
    pub(super) fn class(&self, action: M::Action) -> Option<TransitionId> {
        let class = self.classes.get(&self.model.representative(action))?;
        Some(TransitionId::new(*class as usize))
    }

    /// The member of the alphabet that stands for a class.
    pub(super) fn representative(&self, class: TransitionId) -> M::Action {
        self.alphabet[class.index()]
    }

    /// The classes that depend on this one.
    #[inline]
    pub(super) fn dependent(&self, class: TransitionId) -> &[u64] {
        self.dependent.row(class.index())
    }

    /// The set of this class alone.
    #[inline]
    pub(super) fn itself(&self, class: TransitionId) -> &[u64] {
        self.itself.row(class.index())
    }

    /// The classes of actions that change one of these parts, as a bit set: what is visible to a property that reads them.
    pub fn changing(&self, parts: impl IntoIterator<Item = M::Part>) -> BitSet {
        let mut all = BitSet::new(self.len());
        for part in parts {
            // What nothing touches, nothing changes.
            if let Some(part) = self.parts.get(&part) {
                bitset::union(&mut all, self.changing.row(*part));
            }
        }
        all
    }

    /// Calls `each` with necessary enabling sets of a class of which nothing is enabled in `state`.
    pub(super) fn enabling_sets(&self, state: &M::State, class: TransitionId, mut each: impl FnMut(&[u64])) {
        let mut obstacles = Obstacles(Vec::new());
        self.model.obstacles(state, self.representative(class), &mut obstacles);
        if obstacles.0.is_empty() {
            return each(self.enabling.row(class.index()));
        }
        for parts in obstacles.0 {
            each(&self.changing(parts));
        }
    }
}

impl<M: Footprint> Dependency<<M as Model>::Action> for Footprints<'_, M> {
    #[inline]
    fn independent(&self, _: &[u8], t: M::Action, u: M::Action) -> bool {
        match (self.class(t), self.class(u)) {
            (Some(t), Some(u)) => !bitset::contains(self.dependent(t), u.index()),
            _ => false,
        }
    }
}
