//! On-line Possibly of a predicate of two processes.
//!
//! States are taken in an order in which causes come before effects. A state then forms a cut with
//! those states of the other process that were taken and that it does not know to be over: the
//! last ones. So each process keeps its states that the other does not know to be over, and a new
//! state of the other is compared with these. Every cut is one new state and one kept state.
//!
//! Equal states are kept once, the last of them, since the last ones are what counts. If the
//! predicate compares a sum, states are kept by what they add to it, and only those are looked at
//! that may add what is missing. Then a record costs the logarithm of the states that are kept,
//! whatever is sent to whom; otherwise as many looks as there are different states.

use super::live::{Live, LiveCut, Sizes, Sum, Truth};
use super::stream::Stream;
use crate::predicate::{Relation, Weight};
use crate::value::ValueId;
use foldhash::HashMap;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::rc::Rc;

/// A search for a cut of two processes.
#[derive(Debug)]
pub(super) struct Pairs {
    /// A conjunct by which states are kept, if there is one.
    sum: Option<Sum>,
    /// Whether it is the only one that reads both.
    only: bool,
    sides: [Side; 2],
    sizes: Sizes,
    started: bool,
    pub(super) found: Option<LiveCut>,
    /// A cut in which the predicate has no value was met.
    pub(super) undefined: bool,
    pub(super) states: u64,
}

/// What a process adds to the sum, and the other values that tell its states apart.
type Kept = (Number, Rc<[ValueId]>);

/// The states of a process that may form a cut with later states of the other.
#[derive(Debug, Default)]
struct Side {
    /// The next state to take.
    next: u32,
    /// The last state of each kind, by what it adds.
    numbers: BTreeMap<Kept, u32>,
    /// The last state of each kind that adds no number, and whether it makes the predicate have no value.
    others: HashMap<Rc<[ValueId]>, (u32, bool)>,
    /// All of them in order, so that those that are over are found.
    order: VecDeque<(u32, Kind)>,
}

/// How a state is kept.
#[derive(Clone, Debug)]
enum Kind {
    Number(Kept),
    Other(Rc<[ValueId]>),
}

/// A number that has an order: never NaN.
#[derive(Clone, Copy, Debug)]
struct Number(f64);

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Pairs {
    pub(super) fn new(live: &Live) -> Self {
        let both = |c: &usize| live.conjuncts[*c].support.len() == 2;
        let mut together = (0..live.conjuncts.len()).filter(both);
        let only = together.clone().count() == 1;
        Self {
            sum: together.find_map(|c| live.sum(c)),
            only,
            sides: [Side::default(), Side::default()],
            sizes: Sizes::new(2),
            started: false,
            found: None,
            undefined: false,
            states: 0,
        }
    }

    /// Goes on as far as what has arrived allows.
    pub(super) fn advance(&mut self, live: &Live, stream: &Stream) {
        if !self.started {
            if live.support.iter().any(|p| stream.last(*p).is_none()) {
                return;
            }
            self.started = true;
        }
        let mut again = true;
        while again && self.found.is_none() {
            again = false;
            for k in 0..2 {
                while self.found.is_none() && self.take(live, stream, k) {
                    again = true;
                }
            }
        }
    }

    /// How many states are kept.
    pub(super) fn held(&self) -> usize {
        self.sides.iter().map(|side| side.order.len()).sum()
    }

    /// The lowest state of a process that may be looked at: the one that the other knows.
    pub(super) fn floor(&self, live: &Live, stream: &Stream, k: usize) -> u32 {
        if !self.started {
            return 0;
        }
        let known = stream.known(stream.lanes[live.support[1 - k]].clock(), live.support[k]);
        known.min(self.sides[k].next)
    }

    /// Takes the next state of a process, if it has arrived and what it knows of the other was taken.
    fn take(&mut self, live: &Live, stream: &Stream, k: usize) -> bool {
        let (p, q) = (live.support[k], live.support[1 - k]);
        let state = self.sides[k].next;
        if stream.last(p).is_none_or(|last| state > last) {
            return false;
        }
        let known = stream.known(&stream.state(p, state).clock, q);
        // An initial state follows nothing.
        if known > 0 && known >= self.sides[1 - k].next {
            return false;
        }
        self.sides[k].next += 1;
        self.sides[1 - k].drop_before(known);
        self.states += 1;
        let locals = live.locals(stream, k, state);
        let weight = match &self.sum {
            Some(sum) if locals != Truth::False => live.weight(stream, sum, p, state),
            _ => Weight::Other,
        };
        let void = locals == Truth::Undefined || weight == Weight::Undefined;
        if locals == Truth::False || void && self.undefined {
            return true;
        }
        let seen: Rc<[ValueId]> = live.seen(stream, p, state).into();
        let kind = match weight {
            Weight::Number(x, exact) if !void => {
                self.sizes.add(k, x, exact);
                let told_apart = if self.only { Rc::from([]) } else { seen };
                // Zero has one sign.
                Kind::Number((Number(x + 0.0), told_apart))
            }
            _ => Kind::Other(seen),
        };
        self.look(live, stream, k, state, &kind);
        self.sides[k].keep(state, kind, void);
        true
    }

    /// Looks at the cuts that a state forms with those kept of the other process.
    fn look(&mut self, live: &Live, stream: &Stream, k: usize, state: u32, kind: &Kind) {
        let (mut states, mut undefined) = (0, false);
        let mut holds = |partner: &u32| {
            let mut cut = vec![state; 2];
            cut[1 - k] = *partner;
            states += 1;
            let truth = live.truth(stream, &cut);
            undefined |= truth == Truth::Undefined;
            (truth == Truth::True).then_some(cut)
        };
        let other = &self.sides[1 - k];
        let mut others = other.others.values().map(|(state, _)| state);
        let found = others.find_map(&mut holds).or_else(|| match (kind, &self.sum) {
            (Kind::Number((Number(x), _)), Some(sum)) => {
                let mut range = other.numbers.range(self.missing(sum, *x)).map(|(_, state)| state);
                // If the smallest or the largest number does not do, few others are in question.
                match sum.relation {
                    Relation::More | Relation::AtLeast => range.rev().find_map(&mut holds),
                    _ => range.find_map(&mut holds),
                }
            }
            _ => other.numbers.values().find_map(&mut holds),
        });
        self.found = found;
        self.states += states;
        if undefined && !std::mem::replace(&mut self.undefined, true) {
            // It is enough to know that there is such a cut.
            for side in &mut self.sides {
                side.others.retain(|_, (_, void)| !*void);
            }
        }
    }

    /// Which numbers the other process may add so that the comparison holds.
    fn missing(&self, sum: &Sum, x: f64) -> (Bound<Kept>, Bound<Kept>) {
        let missing = -(x + sum.constant());
        let slack = sum.rounding(&self.sizes);
        let from = |x: f64| Bound::Included((Number(x + 0.0), Rc::from([])));
        let to = |x: f64| Bound::Excluded((Number(x.next_up() + 0.0), Rc::from([])));
        match sum.relation {
            Relation::Less | Relation::AtMost => (Bound::Unbounded, to(missing + slack)),
            Relation::Equal => (from(missing - slack), to(missing + slack)),
            Relation::Unequal => (Bound::Unbounded, Bound::Unbounded),
            Relation::AtLeast | Relation::More => (from(missing - slack), Bound::Unbounded),
        }
    }
}

impl Side {
    fn keep(&mut self, state: u32, kind: Kind, void: bool) {
        match &kind {
            Kind::Number(kept) => drop(self.numbers.insert(kept.clone(), state)),
            Kind::Other(seen) => drop(self.others.insert(seen.clone(), (state, void))),
        }
        self.order.push_back((state, kind));
    }

    /// The states before this one are over.
    fn drop_before(&mut self, state: u32) {
        while let Some((over, kind)) = self.order.front().filter(|(kept, _)| *kept < state) {
            match kind {
                Kind::Number(kept) if self.numbers.get(kept) == Some(over) => drop(self.numbers.remove(kept)),
                Kind::Other(seen) if self.others.get(seen).is_some_and(|(last, _)| last == over) => {
                    self.others.remove(seen);
                }
                _ => {}
            }
            self.order.pop_front();
        }
    }
}
