//! A search for a history that avoids the predicate, in a computation that is still arriving.
//!
//! A cut is *live* while some process may make a move from it that has not arrived. Only cuts that are not
//! live are explored, each by a persistent set ([`crate::detection::Rule`]). The moves that are possible
//! in them have arrived, and no others will be, so the sets stay persistent however the run goes on (see
//! [`super::arriving`]). Take what has arrived, and after it one more event of each process that has not ended,
//! which knows no more than it must and after which the predicate is false. If a history of this avoids the
//! predicate, its first event that has not arrived leaves a live cut; and from a live cut the rest can be avoided.
//! So selective search reaches a live cut iff the full one does (paper, Theorem 2).
//!
//! One live cut is enough. So cuts are explored depth first, and only until one is live; those that were
//! reached and not explored stay to be done. A live cut is listed with one process that may move from it. It
//! is looked at again only when that process has a new state or knows more; often another one takes its place.
//!
//! If many of the states that are kept are known to every process, all cuts that can be are explored, in the order of their
//! size, so that these states can be dropped. Cuts that were reached are remembered as long as they can be
//! reached once more.
//!
//! Cuts are cuts of stretches ([`super::tracks`]): events that the predicate cannot see are not looked at.

use super::arriving::{Arriving, Doubt, FalseRuns};
use super::live::LiveCut;
use super::stream::Clock;
use super::tracks::Sight;
use crate::detection::Rule;
use foldhash::HashSet;
use mazurka_core::bitset::{self, BitSet};
use std::collections::BTreeMap;

/// A conjunct without a value was met, and it is not decided yet how to read it. Nothing was changed.
#[derive(Debug)]
pub(super) struct InDoubt;

/// The search.
#[derive(Clone, Debug)]
pub(super) struct Avoiding {
    doubt: Doubt,
    /// Per place in the support: live cuts from which it may move. Each is listed once.
    live: Vec<Vec<LiveCut>>,
    /// Cuts that were reached and not explored, by their size, and whether the predicate is known to be false there.
    todo: BTreeMap<u64, Vec<(LiveCut, bool)>>,
    /// How many there are of these: it is asked for after every record.
    todo_cuts: usize,
    /// Cuts that were reached, live and explored ones too.
    reached: HashSet<LiveCut>,
    /// Per place in the support: the last state, the last event's clock and whether it had ended, when it was looked at.
    seen: Vec<(u32, Clock, bool)>,
    /// The last cut was reached, once all processes have ended.
    pub(super) last_reached: bool,
    pub(super) states: u64,
    runs: FalseRuns,
    rule: Rule,
    set: BitSet,
}

impl Avoiding {
    /// Begins at the initial cut. Every process of the support has an initial state.
    pub(super) fn new(sight: Sight<'_>) -> Self {
        let n = sight.live.support.len();
        let mut search = Self {
            doubt: Doubt::None,
            live: vec![Vec::new(); n],
            todo: BTreeMap::new(),
            todo_cuts: 0,
            reached: HashSet::default(),
            seen: (0..n).map(|k| look(sight, k)).collect(),
            last_reached: false,
            states: 0,
            runs: FalseRuns::of(sight.live),
            rule: Rule::default(),
            set: BitSet::default(),
        };
        search.reach(vec![0; n]);
        search
    }

    /// Goes on with what has no value as true or false, as was decided.
    pub(super) fn decide(&mut self, doubt: Doubt) {
        self.doubt = doubt;
        self.runs.forget();
    }

    /// Whether no history can avoid the predicate, whatever comes.
    pub(super) fn has_failed(&self) -> bool {
        !self.last_reached && self.todo_cuts == 0 && self.live_cuts() == 0
    }

    fn live_cuts(&self) -> usize {
        self.live.iter().map(Vec::len).sum()
    }

    /// How many cuts are kept.
    pub(super) fn held(&self) -> usize {
        self.reached.len()
    }

    /// The lowest state of a process that may be looked at.
    pub(super) fn floor(&self, k: usize) -> u32 {
        self.kept().map(|cut| cut[k]).min().unwrap_or(u32::MAX)
    }

    /// The cuts from which others may be reached.
    fn kept(&self) -> impl Iterator<Item = &LiveCut> {
        let todo = self.todo.values().flatten().map(|(cut, _)| cut);
        self.live.iter().flatten().chain(todo)
    }

    /// Goes on as far as what has arrived allows, until a cut is live.
    pub(super) fn advance(&mut self, sight: Sight<'_>) -> Result<(), InDoubt> {
        for k in 0..self.live.len() {
            let now = look(sight, k);
            if self.seen[k] != now {
                self.seen[k] = now;
                for cut in std::mem::take(&mut self.live[k]) {
                    self.put_off(cut, true);
                }
            }
        }
        while self.live_cuts() == 0 && !self.last_reached {
            let Some(mut largest) = self.todo.last_entry() else {
                break;
            };
            match largest.get_mut().pop() {
                None => {
                    largest.remove();
                }
                Some((cut, looked_at)) => {
                    self.todo_cuts -= 1;
                    self.explore(sight, cut, looked_at)?;
                }
            }
        }
        Ok(())
    }

    /// Drops what is of no use. If every process knows most of the states that are kept, explores the remaining cuts,
    /// so that these states can be dropped.
    pub(super) fn tidy(&mut self, sight: Sight<'_>) -> Result<(), InDoubt> {
        let (mut kept, mut left) = (0, 0);
        let places = 0..sight.live.support.len();
        for k in places.clone() {
            let last = sight.last(k);
            let moving = places.clone().filter(|j| !sight.has_ended(*j));
            let known = moving.map(|j| match j == k {
                true => last,
                false => sight.known(sight.knows(j), k),
            });
            kept += last.saturating_sub(self.floor(k));
            left += last - known.min().unwrap_or(last).min(last);
        }
        if left < kept / 8 {
            while let Some(mut smallest) = self.todo.first_entry() {
                match smallest.get_mut().pop() {
                    None => {
                        smallest.remove();
                    }
                    Some((cut, looked_at)) => {
                        self.todo_cuts -= 1;
                        self.explore(sight, cut, looked_at)?;
                    }
                }
            }
        }
        let mut floor = vec![u32::MAX; places.len()];
        for cut in self.kept() {
            for (least, state) in floor.iter_mut().zip(cut) {
                *least = (*least).min(*state);
            }
        }
        let above = |cut: &LiveCut| cut.iter().zip(&floor).all(|(state, floor)| state >= floor);
        self.reached.retain(above);
        Ok(())
    }

    /// A cut is reached.
    fn reach(&mut self, cut: LiveCut) {
        if !self.reached.contains(&cut) {
            self.reached.insert(cut.clone());
            self.put_off(cut, false);
        }
    }

    /// A cut is to be explored.
    fn put_off(&mut self, cut: LiveCut, looked_at: bool) {
        let size = cut.iter().map(|k| u64::from(*k)).sum();
        self.todo.entry(size).or_default().push((cut, looked_at));
        self.todo_cuts += 1;
    }

    /// Looks at a cut, and reaches those of a persistent set that follow, unless it is live.
    fn explore(&mut self, sight: Sight<'_>, mut cut: LiveCut, looked_at: bool) -> Result<(), InDoubt> {
        let arriving = Arriving {
            sight,
            doubt: self.doubt,
            met: false.into(),
            runs: &self.runs,
        };
        let holds = !looked_at && arriving.is_true(&cut);
        if arriving.met.get() {
            self.put_off(cut, looked_at);
            return Err(InDoubt);
        }
        self.states += u64::from(!looked_at);
        if holds {
            return Ok(());
        }
        self.set.reset(cut.len());
        for k in 0..cut.len() {
            if arriving.may_move(&cut, k) {
                if !arriving.has_next(&cut, k) {
                    self.live[k].push(cut);
                    return Ok(());
                }
                bitset::insert(&mut self.set, k);
            }
        }
        if bitset::is_empty(&self.set) {
            self.last_reached = true;
            return Ok(());
        }
        self.rule.smallest(&arriving, &mut cut, &mut self.set);
        if arriving.met.get() {
            self.put_off(cut, true);
            return Err(InDoubt);
        }
        for k in bitset::iter(&std::mem::take(&mut self.set)) {
            let mut after = cut.clone();
            after[k] += 1;
            self.reach(after);
        }
        Ok(())
    }
}

/// What decides whether cuts that wait for a process go on.
fn look(sight: Sight<'_>, k: usize) -> (u32, Clock, bool) {
    (sight.last(k), sight.knows(k).clone(), sight.has_ended(k))
}
