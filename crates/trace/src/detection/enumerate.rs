//! All consistent cuts, in lexical order, in constant memory.
//!
//! Cooper and Marzullo (1991) look at every consistent cut. Visited process by
//! process, they are nested loops without a dead end: when the states of the first
//! k processes are chosen, the states of the next that fit are an interval, from
//! what the chosen ones know of it to the last one that knows of no event after
//! the chosen states; both ends move only up as the state of a process does, and every choice
//! can be completed by what the chosen states know. So cuts are visited in lexical
//! order, as by the algorithm of Garg (*Enumerating global states of a distributed
//! computation*, 2003), each once, and only a few numbers per process are kept. The
//! innermost loop is an interval and is counted at once when there is nothing to
//! evaluate.

use super::Explored;
use crate::causality::{Causality, Cut};
use crate::clocks::Clocks;
use crate::condition::Condition;
use mazurka_core::{End, Limit, Limits, ProcessId, Watch};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The loops: where each process is, and in which interval.
struct Loops<'a> {
    clocks: &'a Clocks,
    cut: Cut,
    /// Per level k and process q >= k: what the processes before k know of q.
    least: Vec<u32>,
    /// Per level: the last state that fits.
    most: Vec<u32>,
    n: usize,
}

impl<'a> Loops<'a> {
    fn new(order: &Causality, clocks: &'a Clocks) -> Self {
        let n = order.processes();
        Self {
            clocks,
            cut: vec![0; n],
            least: vec![0; n * (n + 1)],
            most: order.last_cut(),
            n,
        }
    }

    /// Enters level k: sets `cut[k]` to its first state, and finds the last.
    #[inline]
    fn enter(&mut self, order: &Causality, k: usize) {
        let n = self.n;
        if k > 0 {
            let (before, here) = self.least.split_at_mut(k * n);
            let row = self.clocks.row(ProcessId::new(k - 1), self.cut[k - 1]);
            let before = &before[(k - 1) * n..];
            for q in k..n {
                here[q] = before[q].max(row[q]);
            }
        }
        let first = self.least[k * n + k];
        self.cut[k] = first;
        self.most[k] = self.last_fitting(k, first, order.events(ProcessId::new(k)));
    }

    /// The last state of process k, from `first` (which fits) up to `end`, that knows
    /// of no event of the processes before it after their chosen states.
    #[inline]
    fn last_fitting(&self, k: usize, first: u32, end: u32) -> u32 {
        let (process, chosen) = (ProcessId::new(k), &self.cut[..k]);
        let fits = |state: u32| {
            self.clocks.row(process, state)[..k]
                .iter()
                .zip(chosen)
                .all(|(known, c)| known <= c)
        };
        // It is rarely far: step, then halve.
        let (mut low, mut step) = (first, 1);
        loop {
            let probe = low.saturating_add(step).min(end);
            if probe == low {
                return low;
            }
            if !fits(probe) {
                let mut high = probe;
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    match fits(middle) {
                        true => low = middle,
                        false => high = middle,
                    }
                }
                return low;
            }
            (low, step) = (probe, step * 2);
        }
    }
}

/// Counts the consistent cuts, on `threads` threads.
pub(crate) fn count(order: &Causality, clocks: &Clocks, threads: usize, limits: Limits<'_>) -> Explored<()> {
    let all = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let firsts = order
        .process_ids()
        .next()
        .map_or(0, |p| order.events(p).saturating_add(1));
    let next = AtomicU64::new(0);
    let work = || {
        let mut watch = Watch::new(limits);
        loop {
            let first = next.fetch_add(1, Ordering::Relaxed);
            if first >= u64::from(firsts) || stop.load(Ordering::Relaxed) {
                return None;
            }
            let first = u32::try_from(first).expect("the number of an event");
            if let Err(limit) = count_from(order, clocks, first, &all, &mut watch) {
                stop.store(true, Ordering::Relaxed);
                return Some(limit);
            }
        }
    };
    let limit = match threads {
        _ if order.processes() == 0 => counted(1, &all, &mut Watch::new(limits)).err(),
        0 | 1 => work(),
        _ => std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let ends = running
                .into_iter()
                .filter_map(|t| t.join().expect("counting does not panic"));
            ends.last()
        }),
    };
    Explored {
        result: (),
        states: all.into_inner(),
        transitions: 0,
        end: limit.map_or(End::Complete, End::Limit),
    }
}

/// At most this many cuts are counted before they are added to the others, and the limits are looked at.
const BATCH: u64 = 1 << 16;

/// Adds cuts to those that were counted. Fails if that exceeds a limit.
fn counted(more: u64, all: &AtomicU64, watch: &mut Watch<'_>) -> Result<(), Limit> {
    let now = all.fetch_add(more, Ordering::Relaxed) + more;
    watch.exceeded(now, || 0).map_or(Ok(()), Err)
}

/// Counts the cuts in which the first process is in this state.
fn count_from(
    order: &Causality,
    clocks: &Clocks,
    first: u32,
    all: &AtomicU64,
    watch: &mut Watch<'_>,
) -> Result<(), Limit> {
    let n = order.processes();
    let mut loops = Loops::new(order, clocks);
    loops.cut[0] = first;
    loops.most[0] = first;
    if n == 1 {
        return counted(1, all, watch);
    }
    let batch = watch.limits().states.map_or(BATCH, |most| most.min(BATCH));
    let mut here = 0;
    let mut level = 1;
    loops.enter(order, level);
    loop {
        // Down to the last level but one, then count the last at once.
        while level + 1 < n {
            level += 1;
            loops.enter(order, level);
        }
        here += u64::from(loops.most[level] - loops.cut[level]) + 1;
        level -= 1;
        while level > 0 && loops.cut[level] == loops.most[level] {
            level -= 1;
        }
        if level == 0 {
            return counted(here, all, watch);
        }
        if here >= batch {
            counted(std::mem::take(&mut here), all, watch)?;
        }
        loops.cut[level] += 1;
    }
}

/// Visits every consistent cut in lexical order until `visit` says to stop.
pub(crate) fn visit(
    order: &Causality,
    clocks: &Clocks,
    limits: Limits<'_>,
    mut visit: impl FnMut(&[u32]) -> bool,
) -> Explored<Option<Cut>> {
    let n = order.processes();
    let mut watch = Watch::new(limits);
    let mut loops = Loops::new(order, clocks);
    let mut states = 0;
    let explored = |result, states, end| Explored {
        result,
        states,
        transitions: 0,
        end,
    };
    if n == 0 {
        let found = visit(&[]).then(Cut::new);
        let end = if found.is_some() { End::Stopped } else { End::Complete };
        return explored(found, 1, end);
    }
    let mut level = 0;
    loops.enter(order, 0);
    loop {
        while level + 1 < n {
            level += 1;
            loops.enter(order, level);
        }
        loop {
            states += 1;
            if visit(&loops.cut) {
                return explored(Some(loops.cut), states, End::Stopped);
            }
            if loops.cut[level] == loops.most[level] {
                break;
            }
            loops.cut[level] += 1;
        }
        if let Some(limit) = watch.exceeded(states, || 0) {
            return explored(None, states, End::Limit(limit));
        }
        loop {
            if level == 0 {
                return explored(None, states, End::Complete);
            }
            level -= 1;
            if loops.cut[level] < loops.most[level] {
                break;
            }
        }
        loops.cut[level] += 1;
    }
}

/// Looks for a cut in which the condition holds.
pub(crate) fn possibly(
    order: &Causality,
    clocks: &Clocks,
    condition: &Condition<'_>,
    limits: Limits<'_>,
) -> Explored<Option<Cut>> {
    let mut likely = 0;
    visit(order, clocks, limits, |cut| condition.holds_after(&mut likely, cut))
}

/// Whether every history passes through a cut in which the condition holds. Computes, level by
/// level of the lattice, the cuts that are reached without passing through one (Cooper and
/// Marzullo). If some history avoids them, returns the levels, which contain it.
pub(crate) fn definitely(
    order: &Causality,
    condition: &Condition<'_>,
    limits: Limits<'_>,
) -> Explored<Option<Vec<HashSet<Cut>>>> {
    let n = order.processes();
    let mut watch = Watch::new(limits);
    let (mut states, mut transitions) = (0u64, 0u64);
    let first = vec![0; n];
    let mut levels = vec![HashSet::new()];
    if !condition.holds(&first) {
        levels[0].insert(first);
    }
    for _ in 0..order.total() {
        let mut next: HashSet<Cut> = HashSet::new();
        let level = levels.last().expect("there is one");
        for cut in level {
            states += 1;
            for p in order.process_ids() {
                if order.is_enabled(p, cut) {
                    transitions += 1;
                    let mut after = cut.clone();
                    after[p.index()] += 1;
                    if !condition.holds(&after) {
                        next.insert(after);
                    }
                }
            }
            if let Some(limit) = watch.exceeded(states, || {
                usize::try_from(transitions).map_or(usize::MAX, |t| t.saturating_mul(4 * n))
            }) {
                return Explored {
                    result: None,
                    states,
                    transitions,
                    end: End::Limit(limit),
                };
            }
        }
        levels.push(next);
    }
    let avoided = !levels.last().expect("there is one").is_empty();
    Explored {
        result: avoided.then_some(levels),
        states,
        transitions,
        end: if avoided { End::Stopped } else { End::Complete },
    }
}
