//! Whether a comparison of sums can hold in what has arrived.
//!
//! A conjunct that says how a sum over processes compares is false in every cut if the greatest or
//! the least sum is on the wrong side. [`Heaviest`] finds these sums, over the cuts in which no
//! conjunct about one process is false. While they are on the wrong side, no cut has to be looked at.
//!
//! Weights are whole numbers, so that sums are exact. A weight is what a process adds, in units of 2⁻⁴⁰, rounded up. Where
//! the process's own conjuncts are false, it is so small that the others cannot make up for it; where it is not known what the
//! process adds, it is larger than necessary. Weights only rule cuts out: no cut is said to satisfy the predicate before it
//! was evaluated.

use super::heaviest::Heaviest;
use super::live::{Live, Sizes, Sum, Truth};
use super::stream::Stream;
use crate::predicate::{Relation, Weight};
use std::rc::Rc;

/// A process adds at most 2⁵², which is 2⁹² units. The sum for all processes, with the weights for unknown and false
/// states, fits into 127 bits.
const UNIT: f64 = (1_u64 << 40) as f64;
const PROCESSES: usize = 1 << 10;
const UNKNOWN: i128 = 1 << 103;
const FALSE: i128 = -(1 << 115);

/// Bounds of a sum.
#[derive(Debug)]
pub(super) struct Bounds {
    sum: Sum,
    /// The cuts in which everything has a value.
    certain: Ends,
    /// All cuts, those without a value counted as if it held.
    perhaps: Ends,
    /// Per process of the support: the next state to take.
    next: Vec<u32>,
    sizes: Sizes,
}

/// The greatest and the least sum, as far as they matter.
#[derive(Debug, Default)]
struct Ends {
    greatest: Option<Heaviest>,
    least: Option<Heaviest>,
}

impl Ends {
    fn all(&mut self) -> impl Iterator<Item = &mut Heaviest> {
        self.greatest.iter_mut().chain(&mut self.least)
    }

    fn held(&self) -> usize {
        let ends = [&self.greatest, &self.least];
        ends.into_iter().flatten().map(Heaviest::held).sum()
    }
}

impl Bounds {
    /// The bounds of each conjunct that compares a sum.
    pub(super) fn of(live: &Live) -> Vec<Self> {
        if live.support.len() > PROCESSES {
            return Vec::new();
        }
        let together = (0..live.conjuncts.len()).filter(|c| live.conjuncts[*c].support.len() > 1);
        let sums = together.filter_map(|c| live.sum(c));
        let bounds = sums.map(|sum| Self {
            sum,
            certain: Ends::default(),
            perhaps: Ends::default(),
            next: Vec::new(),
            sizes: Sizes::new(live.support.len()),
        });
        bounds.collect()
    }

    /// Takes the states that have arrived, once the initial state of every process has.
    pub(super) fn advance(&mut self, live: &Live, stream: &Stream) {
        let n = live.support.len();
        if self.next.is_empty() {
            self.next = vec![1; n];
            let weights: Vec<[i128; 4]> = (0..n).map(|k| self.weights(live, stream, k, 0)).collect();
            let initial = |end: usize| Heaviest::new(&weights.iter().map(|w| w[end]).collect::<Vec<_>>());
            let (greatest, least) = match self.sum.relation {
                Relation::More | Relation::AtLeast => (true, false),
                Relation::Less | Relation::AtMost => (false, true),
                Relation::Equal | Relation::Unequal => (true, true),
            };
            self.certain.greatest = greatest.then(|| initial(0));
            self.certain.least = least.then(|| initial(1));
            self.perhaps.greatest = greatest.then(|| initial(2));
            self.perhaps.least = least.then(|| initial(3));
        }
        let mut again = true;
        while again {
            again = false;
            for k in 0..n {
                while self.take(live, stream, k) {
                    again = true;
                }
            }
        }
    }

    /// The cuts that are worth evaluating.
    pub(super) fn candidates(&mut self) -> Vec<Vec<u32>> {
        let changed = self.certain.all().filter_map(|end| end.changed().map(<[u32]>::to_vec));
        changed.collect()
    }

    /// Whether there may be a cut in which it holds, or, if that is asked for, in which it has no value.
    pub(super) fn may_hold(&self, or_undefined: bool) -> bool {
        self.allow(&self.certain) || or_undefined && self.allow(&self.perhaps)
    }

    /// It is known that there is a cut without a value; no more are looked for.
    pub(super) fn forget_undefined(&mut self) {
        self.perhaps = Ends::default();
    }

    /// Everything that is still to come knows these states.
    pub(super) fn all_know(&mut self, stable: &[u32]) {
        for end in self.certain.all().chain(self.perhaps.all()) {
            end.all_know(stable);
        }
    }

    /// How much is kept.
    pub(super) fn held(&self) -> usize {
        self.certain.held() + self.perhaps.held()
    }

    fn allow(&self, ends: &Ends) -> bool {
        let slack = self.sum.rounding(&self.sizes);
        let constant = self.sum.constant();
        let greatest = ends.greatest.as_ref().map(|end| end.weight() + units(constant + slack));
        let least = ends.least.as_ref().map(|end| -end.weight() - units(slack - constant));
        let greatest = |test: fn(i128) -> bool| greatest.is_some_and(test);
        let least = |test: fn(i128) -> bool| least.is_some_and(test);
        match self.sum.relation {
            Relation::Less => least(|x| x < 0),
            Relation::AtMost => least(|x| x <= 0),
            Relation::Equal => greatest(|x| x >= 0) && least(|x| x <= 0),
            Relation::Unequal => greatest(|x| x > 0) || least(|x| x < 0),
            Relation::AtLeast => greatest(|x| x >= 0),
            Relation::More => greatest(|x| x > 0),
        }
    }

    /// Takes the next state of a process, if it has arrived and what it knows of the others was taken.
    fn take(&mut self, live: &Live, stream: &Stream, k: usize) -> bool {
        let (p, state) = (live.support[k], self.next[k]);
        if stream.last(p).is_none_or(|last| state > last) {
            return false;
        }
        let clock = &stream.state(p, state).clock;
        let known = |(j, &q): (usize, &usize)| match j == k {
            true => state - 1,
            false => stream.known(clock, q),
        };
        let past: Rc<[u32]> = live.support.iter().enumerate().map(known).collect();
        if past.iter().zip(&self.next).any(|(known, next)| known >= next) {
            return false;
        }
        self.next[k] += 1;
        let weights = self.weights(live, stream, k, state);
        let ends = [
            &mut self.certain.greatest,
            &mut self.certain.least,
            &mut self.perhaps.greatest,
            &mut self.perhaps.least,
        ];
        for (end, weight) in ends.into_iter().zip(weights) {
            if let Some(end) = end {
                end.arrive(k, state, weight, &past);
            }
        }
        true
    }

    /// The weight of a state: for the greatest and the least sum of the certain cuts, and of all.
    fn weights(&mut self, live: &Live, stream: &Stream, k: usize, state: u32) -> [i128; 4] {
        let locals = live.locals(stream, k, state);
        if locals == Truth::False {
            return [FALSE; 4];
        }
        let [greatest, least, undefined] = match live.weight(stream, &self.sum, live.support[k], state) {
            Weight::Number(x, exact) => {
                self.sizes.add(k, x, exact);
                [units(x), units(-x), 0]
            }
            // One that is null makes it false, unless another has no value; its negation is true.
            Weight::Null if self.sum.positive => [FALSE, FALSE, -UNKNOWN / 4],
            Weight::Undefined => [FALSE, FALSE, UNKNOWN],
            Weight::Null | Weight::Other => [UNKNOWN, UNKNOWN, UNKNOWN],
        };
        let perhaps = |certain: i128| if undefined == 0 { certain } else { undefined };
        let certain = |weight: i128| if locals == Truth::True { weight } else { FALSE };
        [certain(greatest), certain(least), perhaps(greatest), perhaps(least)]
    }
}

/// A number in units, or a little more.
#[expect(clippy::cast_possible_truncation, reason = "weights are at most 2^53")]
fn units(x: f64) -> i128 {
    (x * UNIT).ceil() as i128
}
