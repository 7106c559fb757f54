//! The heaviest cut of what has arrived, while it arrives.
//!
//! Every state of a process has a weight, and a cut has that of its states. An event changes the
//! weight: it is a *gain* or a *loss*. A gain comes with all losses that happened before it, so it
//! pays only if it is more than these. To find a heaviest cut, gains are charged to losses in
//! their past: if a gain cannot be charged in full, even by charging other gains elsewhere, then
//! it is worth more than all that has to be taken with it, and is taken. This is the heaviest
//! closure of a partial order as a greatest flow (Picard, 1976; for sums over processes Chase and
//! Garg, 1998), one event at a time:
//!
//! * gains beyond the best cut are charged in full, so nothing beyond it makes it heavier;
//! * what was taken stays taken, since no later event happened before it. A search that fails takes
//!   what it has seen, so that failures cost as much as there are events altogether.
//!
//! What every process knows, every later gain can be charged to: it is one loss, the *pool*.

use foldhash::HashMap;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// A heaviest cut, and what may make another one heavier.
#[derive(Debug)]
pub(super) struct Heaviest {
    /// The best cut: a state of each process.
    best: Vec<u32>,
    /// Its weight.
    weight: i128,
    /// Whether it has changed since [`changed`](Self::changed) was called.
    changed: bool,
    /// The weight of the last state of each process.
    last: Vec<i128>,
    /// The losses of each process beyond the best cut, in order.
    losses: Vec<VecDeque<Loss>>,
    /// Those to which something can be charged directly.
    spare: Vec<BTreeSet<u32>>,
    /// The losses that all processes know.
    pool: Loss,
    /// The gains beyond the best cut.
    gains: HashMap<Gain, Charged>,
}

/// A gain, by process and state.
type Gain = (usize, u32);
/// A loss, by process and state; `POOL` is the pool.
type LossId = (usize, u32);

const POOL: LossId = (usize::MAX, 0);

#[derive(Debug, Default)]
struct Loss {
    state: u32,
    /// What is not charged yet.
    spare: i128,
    /// Which gains are charged to it, and how much.
    charged: BTreeMap<Gain, i128>,
}

#[derive(Debug)]
struct Charged {
    /// The last state of each process that happened before it.
    past: Rc<[u32]>,
    to: BTreeMap<LossId, i128>,
}

/// How a search came to what it has seen.
#[derive(Default)]
struct Seen {
    /// The gain whose past a loss is in.
    losses: HashMap<LossId, Gain>,
    /// The loss to which a gain is charged; meaningless for the gain that the search is for.
    gains: HashMap<Gain, LossId>,
}

impl Heaviest {
    /// The cut of the initial states, with these weights.
    pub(super) fn new(initial: &[i128]) -> Self {
        let n = initial.len();
        Self {
            best: vec![0; n],
            weight: initial.iter().sum(),
            changed: true,
            last: initial.to_vec(),
            losses: (0..n).map(|_| VecDeque::new()).collect(),
            spare: vec![BTreeSet::new(); n],
            pool: Loss::default(),
            gains: HashMap::default(),
        }
    }

    pub(super) fn weight(&self) -> i128 {
        self.weight
    }

    /// The best cut, if it has changed since this was asked.
    pub(super) fn changed(&mut self) -> Option<&[u32]> {
        std::mem::replace(&mut self.changed, false).then_some(&self.best[..])
    }

    /// How much is kept.
    pub(super) fn held(&self) -> usize {
        self.gains.len() + self.losses.iter().map(VecDeque::len).sum::<usize>()
    }

    /// A process has a new state with this weight. `past` is the last state of each process that happened before.
    pub(super) fn arrive(&mut self, process: usize, state: u32, weight: i128, past: &Rc<[u32]>) {
        let change = weight - std::mem::replace(&mut self.last[process], weight);
        if change < 0 {
            self.losses[process].push_back(Loss {
                state,
                spare: -change,
                ..Loss::default()
            });
            self.spare[process].insert(state);
        } else if change > 0 {
            let (past, to) = (past.clone(), BTreeMap::new());
            self.gains.insert((process, state), Charged { past, to });
            self.charge((process, state), change);
        }
    }

    /// Everything that is still to come knows these states.
    pub(super) fn all_know(&mut self, stable: &[u32]) {
        for p in 0..stable.len() {
            while let Some(loss) = self.losses[p].front().filter(|loss| loss.state <= stable[p]) {
                let id = (p, loss.state);
                let loss = self.losses[p].pop_front().expect("it was just seen");
                self.spare[p].remove(&loss.state);
                self.pool.spare += loss.spare;
                for ((q, state), amount) in loss.charged {
                    // A gain that all processes know is of no interest any more.
                    if state > stable[q] {
                        *self.pool.charged.entry((q, state)).or_default() += amount;
                        let gain = self.gains.get_mut(&(q, state)).expect("it is charged");
                        gain.to.remove(&id);
                        *gain.to.entry(POOL).or_default() += amount;
                    }
                }
            }
        }
        self.gains.retain(|(p, state), _| *state > stable[*p]);
        self.pool.charged.retain(|(p, state), _| *state > stable[*p]);
    }

    /// Charges a gain to losses in its past, or takes it.
    fn charge(&mut self, gain: Gain, mut amount: i128) {
        while amount > 0 {
            let mut seen = Seen::default();
            match self.search(gain, &mut seen) {
                Some(loss) => amount -= self.charge_along(gain, loss, amount, &seen),
                None => {
                    self.weight += amount;
                    self.take(&seen);
                    return;
                }
            }
        }
    }

    /// A loss to which something can be charged, if other gains are charged elsewhere.
    fn search(&self, gain: Gain, seen: &mut Seen) -> Option<LossId> {
        // Everything up to here was seen, or taken before.
        let mut reached = self.best.clone();
        let mut todo = VecDeque::from([gain]);
        seen.gains.insert(gain, POOL);
        let mut pool = false;
        while let Some(gain) = todo.pop_front() {
            let past = &self.gains[&gain].past;
            // Its own process first: others know less of that.
            let n = past.len();
            let order = (0..n).map(|k| (gain.0 + k) % n);
            for p in order.clone() {
                if let Some(state) = self.spare[p].range(..=past[p]).next_back() {
                    seen.losses.insert((p, *state), gain);
                    return Some((p, *state));
                }
            }
            // The one that is searched for knows the whole pool.
            if !std::mem::replace(&mut pool, true) {
                seen.losses.insert(POOL, gain);
                if self.pool.spare > 0 {
                    return Some(POOL);
                }
                visit(POOL, &self.pool, &mut todo, seen);
            }
            for p in order {
                let from = self.losses[p].partition_point(|loss| loss.state <= reached[p]);
                for loss in self.losses[p].range(from..).take_while(|loss| loss.state <= past[p]) {
                    seen.losses.insert((p, loss.state), gain);
                    visit((p, loss.state), loss, &mut todo, seen);
                }
                reached[p] = reached[p].max(past[p]);
            }
        }
        None
    }

    /// Charges a gain, by way of those that a search has seen. Returns how much.
    fn charge_along(&mut self, gain: Gain, loss: LossId, amount: i128, seen: &Seen) -> i128 {
        let mut path = Vec::new();
        let mut most = amount.min(self.loss(loss).spare);
        let (mut from, mut to) = (seen.losses[&loss], loss);
        while from != gain {
            let instead = seen.gains[&from];
            most = most.min(self.gains[&from].to[&instead]);
            path.push((from, to, Some(instead)));
            (from, to) = (seen.losses[&instead], instead);
        }
        path.push((from, to, None));
        for (gain, to, instead) in path {
            self.add(gain, to, most);
            if let Some(instead) = instead {
                self.add(gain, instead, -most);
            }
        }
        let loss_now = self.loss(loss);
        loss_now.spare -= most;
        if loss_now.spare == 0 && loss != POOL {
            self.spare[loss.0].remove(&loss.1);
        }
        most
    }

    /// Charges more or less to a loss.
    fn add(&mut self, gain: Gain, loss: LossId, amount: i128) {
        fn add<T: Ord>(all: &mut BTreeMap<T, i128>, to: T, amount: i128) {
            let mut entry = match all.entry(to) {
                Entry::Vacant(entry) => {
                    entry.insert(amount);
                    return;
                }
                Entry::Occupied(entry) => entry,
            };
            *entry.get_mut() += amount;
            if *entry.get() == 0 {
                entry.remove();
            }
        }
        add(&mut self.loss(loss).charged, gain, amount);
        add(&mut self.gains.get_mut(&gain).expect("it is charged").to, loss, amount);
    }

    /// Takes all that a search has seen.
    fn take(&mut self, seen: &Seen) {
        self.changed = true;
        for gain in seen.gains.keys() {
            let charged = self.gains.remove(gain).expect("it was seen");
            for (best, past) in self.best.iter_mut().zip(&*charged.past) {
                *best = (*best).max(*past);
            }
            self.best[gain.0] = self.best[gain.0].max(gain.1);
        }
        for (p, best) in self.best.iter().enumerate() {
            let taken = self.losses[p].partition_point(|loss| loss.state <= *best);
            self.losses[p].drain(..taken);
            debug_assert!(
                self.spare[p].first().is_none_or(|state| state > best),
                "all of it is charged"
            );
        }
        debug_assert!(self.pool.spare == 0, "it was seen first");
        self.pool = Loss::default();
        debug_assert!(self.is_beyond(), "those up to the best cut were seen, too");
    }

    /// Whether all gains that are kept are beyond the best cut.
    fn is_beyond(&self) -> bool {
        self.gains.keys().all(|(p, state)| *state > self.best[*p])
    }

    fn loss(&mut self, (p, state): LossId) -> &mut Loss {
        if (p, state) == POOL {
            return &mut self.pool;
        }
        let at = self.losses[p].binary_search_by_key(&state, |loss| loss.state);
        &mut self.losses[p][at.expect("it was seen")]
    }
}

/// Those that are charged to a loss may be charged elsewhere.
fn visit(id: LossId, loss: &Loss, todo: &mut VecDeque<Gain>, seen: &mut Seen) {
    for gain in loss.charged.keys() {
        if !seen.gains.contains_key(gain) {
            seen.gains.insert(*gain, id);
            todo.push_back(*gain);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// What was told: per process the weights of its states, and what each knows.
    #[derive(Default)]
    struct Told {
        weights: Vec<Vec<i128>>,
        pasts: Vec<Vec<Rc<[u32]>>>,
    }

    impl Told {
        /// The weight of a heaviest consistent cut, by looking at all.
        fn heaviest(&self) -> i128 {
            let n = self.weights.len();
            let mut cut = vec![0; n];
            let mut most = i128::MIN;
            loop {
                let consistent = (0..n).all(|p| (0..n).all(|q| p == q || self.pasts[p][cut[p]][q] as usize <= cut[q]));
                if consistent {
                    most = most.max((0..n).map(|p| self.weights[p][cut[p]]).sum());
                }
                let Some(p) = (0..n).find(|p| cut[*p] + 1 < self.weights[*p].len()) else {
                    return most;
                };
                cut[p] += 1;
                cut[..p].fill(0);
            }
        }

        fn weight(&self, cut: &[u32]) -> i128 {
            cut.iter()
                .zip(&self.weights)
                .map(|(state, weights)| weights[*state as usize])
                .sum()
        }

        /// What the last state of every process knows.
        fn stable(&self) -> Vec<u32> {
            let last = |p: usize| self.pasts[p].last().expect("initial states");
            let known = |p: usize, q: usize| {
                if p == q {
                    self.weights[p].len() as u32 - 1
                } else {
                    last(p)[q]
                }
            };
            let n = self.weights.len();
            (0..n)
                .map(|q| (0..n).map(|p| known(p, q)).min().expect("somebody"))
                .collect()
        }
    }

    fn check(seed: u64) -> bool {
        let mut rng = Rng::with_seed(seed);
        let n = rng.usize(1..=4);
        let mut told = Told::default();
        let most = [2, 2, 5, 1000][rng.usize(0..4)];
        for _ in 0..n {
            told.weights.push(vec![rng.i128(-most..=most)]);
            told.pasts.push(vec![vec![0; n].into()]);
        }
        let initial: Vec<i128> = told.weights.iter().map(|w| w[0]).collect();
        let mut heaviest = Heaviest::new(&initial);
        let talkative = rng.u32(0..=100);
        let mut rerouted = false;
        for _ in 0..rng.usize(0..16) {
            let p = rng.usize(0..n);
            let mut past = told.pasts[p].last().expect("initial states").to_vec();
            past[p] = told.weights[p].len() as u32 - 1;
            if n > 1 && rng.u32(0..100) < talkative {
                // It hears of any state of another process, and of all that this one knows.
                let q = (p + rng.usize(1..n)) % n;
                let state = rng.usize(0..told.weights[q].len());
                let mut theirs = told.pasts[q][state].to_vec();
                theirs[q] = state as u32;
                past.iter_mut().zip(theirs).for_each(|(a, b)| *a = (*a).max(b));
            }
            let past: Rc<[u32]> = past.into();
            let weight = rng.i128(-most..=most);
            let state = told.weights[p].len() as u32;
            told.weights[p].push(weight);
            told.pasts[p].push(past.clone());
            heaviest.arrive(p, state, weight, &past);
            assert_eq!(heaviest.weight(), told.heaviest(), "seed {seed}");
            if let Some(best) = heaviest.changed() {
                assert_eq!(told.weight(best), told.heaviest(), "seed {seed}");
            }
            if rng.u8(0..4) == 0 {
                heaviest.all_know(&told.stable());
            }
            rerouted |= heaviest.gains.values().any(|gain| gain.to.len() > 1);
        }
        rerouted
    }

    #[test]
    fn no_cut_is_heavier() {
        let charged_to_several = (0..20_000).filter(|seed| check(*seed)).count();
        assert!(charged_to_several > 1000);
    }
}
