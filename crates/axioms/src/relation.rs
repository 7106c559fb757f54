//! Binary relations over the events of one graph, as boolean matrices.
//!
//! A row is a word of 64 bits, so a graph has at most 64 events. Every operation is the textbook's.

/// How many events a graph may have.
pub const MAX_EVENTS: usize = 64;

/// A set of events.
pub type Set = u64;

/// A binary relation over the events `0..n`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Relation {
    rows: Vec<u64>,
}

impl Relation {
    /// The empty relation over `n` events.
    ///
    /// # Panics
    /// If there are more than [`MAX_EVENTS`].
    pub fn empty(n: usize) -> Self {
        assert!(
            n <= MAX_EVENTS,
            "a graph of {n} events: at most {MAX_EVENTS} are supported"
        );
        Relation { rows: vec![0; n] }
    }

    /// `[set]`: the identity on a set.
    pub fn identity_on(n: usize, set: Set) -> Self {
        let mut relation = Self::empty(n);
        for a in 0..n {
            relation.rows[a] = set & (1 << a);
        }
        relation
    }

    /// How many events there are.
    pub fn events(&self) -> usize {
        self.rows.len()
    }

    /// Adds the pair `(a, b)`.
    pub fn insert(&mut self, a: usize, b: usize) {
        debug_assert!(b < self.rows.len());
        self.rows[a] |= 1 << b;
    }

    /// Whether `(a, b)` is in it.
    pub fn contains(&self, a: usize, b: usize) -> bool {
        self.rows[a] & (1 << b) != 0
    }

    /// The events that `a` is related to.
    pub fn successors(&self, a: usize) -> Set {
        self.rows[a]
    }

    /// All pairs.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.events())
            .flat_map(move |a| (0..self.events()).map(move |b| (a, b)))
            .filter(|&(a, b)| self.contains(a, b))
    }

    /// `self ∪ other`
    pub fn union(&self, other: &Self) -> Self {
        let rows = self.rows.iter().zip(&other.rows).map(|(a, b)| a | b).collect();
        Relation { rows }
    }

    /// `self ∩ other`
    pub fn intersection(&self, other: &Self) -> Self {
        let rows = self.rows.iter().zip(&other.rows).map(|(a, b)| a & b).collect();
        Relation { rows }
    }

    /// `self ; other`
    pub fn then(&self, other: &Self) -> Self {
        let row = |mut middle: u64| {
            let mut row = 0;
            while middle != 0 {
                row |= other.rows[middle.trailing_zeros() as usize];
                middle &= middle - 1;
            }
            row
        };
        Relation {
            rows: self.rows.iter().map(|middle| row(*middle)).collect(),
        }
    }

    /// `self⁻¹`
    pub fn inverse(&self) -> Self {
        let mut inverse = Self::empty(self.events());
        for (a, b) in self.pairs() {
            inverse.insert(b, a);
        }
        inverse
    }

    /// `self?`: the reflexive closure.
    pub fn or_nothing(&self) -> Self {
        self.union(&Self::identity_on(self.events(), Set::MAX))
    }

    /// `self⁺`: the transitive closure (Warshall).
    pub fn transitive(&self) -> Self {
        let mut closure = self.clone();
        for middle in 0..self.events() {
            let reached = closure.rows[middle];
            for row in &mut closure.rows {
                if *row & (1 << middle) != 0 {
                    *row |= reached;
                }
            }
        }
        closure
    }

    /// `self*`: the reflexive and transitive closure.
    pub fn closure(&self) -> Self {
        self.transitive().or_nothing()
    }

    /// The pairs that `keep` holds of.
    pub fn filter(&self, keep: impl Fn(usize, usize) -> bool) -> Self {
        let mut kept = Self::empty(self.events());
        for (a, b) in self.pairs().filter(|&(a, b)| keep(a, b)) {
            kept.insert(a, b);
        }
        kept
    }

    /// Whether it has no pairs.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| *row == 0)
    }

    /// Whether no event is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        self.rows.iter().enumerate().all(|(a, row)| row & (1 << a) == 0)
    }

    /// Whether no path leads from an event to itself.
    pub fn is_acyclic(&self) -> bool {
        self.transitive().is_irreflexive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(n: usize, pairs: &[(usize, usize)]) -> Relation {
        let mut relation = Relation::empty(n);
        for &(a, b) in pairs {
            relation.insert(a, b);
        }
        relation
    }

    #[test]
    fn operations_are_those_of_the_textbook() {
        let r = relation(4, &[(0, 1), (1, 2)]);
        let s = relation(4, &[(2, 3), (1, 2)]);
        assert_eq!(r.union(&s), relation(4, &[(0, 1), (1, 2), (2, 3)]));
        assert_eq!(r.intersection(&s), relation(4, &[(1, 2)]));
        assert_eq!(r.then(&s), relation(4, &[(0, 2), (1, 3)]));
        assert_eq!(r.inverse(), relation(4, &[(1, 0), (2, 1)]));
        assert_eq!(r.transitive(), relation(4, &[(0, 1), (1, 2), (0, 2)]));
        assert_eq!(r.closure(), r.transitive().or_nothing());
        assert_eq!(r.filter(|a, _| a == 0), relation(4, &[(0, 1)]));
        assert_eq!(Relation::identity_on(4, 0b101), relation(4, &[(0, 0), (2, 2)]));
        assert!(r.is_acyclic() && r.union(&s).is_acyclic());
        assert!(!r.union(&relation(4, &[(2, 0)])).is_acyclic());
        assert!(relation(4, &[(1, 0), (0, 1)]).is_irreflexive());
    }

    #[test]
    fn the_last_event_fits() {
        let r = relation(MAX_EVENTS, &[(MAX_EVENTS - 1, 0), (0, MAX_EVENTS - 1)]);
        assert!(!r.is_acyclic());
        assert_eq!(r.pairs().count(), 2);
    }

    #[test]
    #[should_panic(expected = "a graph of 65 events")]
    fn more_events_are_refused() {
        Relation::empty(MAX_EVENTS + 1);
    }
}
