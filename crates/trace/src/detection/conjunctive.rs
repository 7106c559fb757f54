//! Conjunctions of 1-local predicates, in linear time (Garg and Waldecker).
//!
//! Possibly (IEEE TPDS 5(3), 1994): the cuts in which such a conjunction holds are
//! closed under intersection, so there is a least one, and it is found by advancing
//! the processes that must: a process whose conjunct is false in its state, or whose state
//! is behind what another process's past requires. Each event is looked at once; an
//! event's direct causes are all that is needed, so there are no vector clocks and
//! the cost is that of reading the events once, where the published bound is O(N²S).
//!
//! Definitely (IEEE TPDS 7(12), 1996): it holds iff every process has an interval of
//! local states in which its conjunct is true, such that each interval begins before
//! each other one ends. If one of two intervals can end before the other begins, it
//! can be in no such set, since the later intervals of the other begin even later.

use super::Explored;
use crate::causality::{Causality, Cut, Event};
use crate::clocks::Clocks;
use crate::condition::Condition;
use mazurka_core::{End, Limits, ProcessId, Watch};

/// Where the conjunct of one process is true.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    /// The local states in which it becomes true or false, alternately; true at
    /// first if the first is 0.
    flips: Vec<u32>,
}

impl Truth {
    /// From the truth in each stretch of local states, and where the stretches begin.
    pub(crate) fn new(starts: &[u32], truth: &[bool]) -> Self {
        let mut flips = Vec::new();
        for (start, now) in starts.iter().zip(truth) {
            if *now == (flips.len() % 2 == 0) {
                flips.push(*start);
            }
        }
        Self { flips }
    }

    /// The intervals in which it is true: from, to (exclusive; `None` for the end).
    fn intervals(&self) -> impl Iterator<Item = (u32, Option<u32>)> + '_ {
        self.flips.chunks(2).map(|c| (c[0], c.get(1).copied()))
    }
}

/// Per process: where its conjuncts are true, in local states that begin at `starts`.
pub(super) fn local_truths(condition: &Condition<'_>, starts: impl Fn(ProcessId) -> Vec<u32>) -> Vec<Truth> {
    ProcessId::first(condition.processes())
        .map(|p| Truth::new(&starts(p), &condition.local_truth(p)))
        .collect()
}

/// The least cut in which every process's conjunct is true.
pub(crate) fn possibly(order: &Causality, truth: &[Truth], limits: Limits<'_>) -> Explored<Option<Cut>> {
    let n = order.processes();
    let mut watch = Watch::new(limits);
    // `cut` is how far each process must go, `seen` how far its causes were looked at.
    let (mut cut, mut seen) = (vec![0; n], vec![0; n]);
    let mut at = vec![0; n];
    let mut todo: Vec<ProcessId> = order.process_ids().collect();
    let mut transitions = 0u64;
    let end = 'search: loop {
        let Some(process) = todo.pop() else { break End::Stopped };
        let p = process.index();
        // Go on to a state in which the conjunct is true.
        let flips = &truth[p].flips;
        while at[p] < flips.len() && flips[at[p]] <= cut[p] {
            at[p] += 1;
        }
        if at[p].is_multiple_of(2) {
            match flips.get(at[p]) {
                Some(next) => cut[p] = *next,
                None => break End::Complete,
            }
        }
        while seen[p] < cut[p] {
            seen[p] += 1;
            transitions += 1;
            for cause in order.causes(process, seen[p]) {
                let q = cause.process.index();
                if cut[q] < cause.index {
                    cut[q] = cause.index;
                    todo.push(cause.process);
                }
            }
            if transitions.is_multiple_of(1024)
                && let Some(limit) = watch.exceeded(transitions, || 0)
            {
                break 'search End::Limit(limit);
            }
        }
    };
    Explored {
        result: (end == End::Stopped).then_some(cut),
        states: transitions + 1,
        transitions,
        end,
    }
}

/// Whether every history passes through a cut in which every process's conjunct is
/// true.
pub(crate) fn definitely(order: &Causality, clocks: &Clocks, truth: &[Truth], limits: Limits<'_>) -> Explored<bool> {
    let n = order.processes();
    let mut watch = Watch::new(limits);
    let mut queues: Vec<_> = truth.iter().map(|t| t.intervals().peekable()).collect();
    let mut heads = Vec::with_capacity(n);
    let mut states = 0;
    let explored = |result, states, end| Explored {
        result,
        states,
        transitions: states,
        end,
    };
    for queue in &mut queues {
        match queue.next() {
            Some(interval) => heads.push(interval),
            None => return explored(false, states, End::Complete),
        }
    }
    // Whether the interval of `i` begins before that of `j` ends.
    type Interval = (u32, Option<u32>);
    let begins_before = |heads: &[Interval], i: ProcessId, j: ProcessId| match (heads[i.index()].0, heads[j.index()].1)
    {
        (0, _) | (_, None) => true,
        (begin, Some(end)) => clocks.happens_before(Event::new(i, begin), Event::new(j, end)),
    };
    // Processes whose head was not compared with the others yet.
    let mut todo: Vec<ProcessId> = order.process_ids().collect();
    while let Some(p) = todo.pop() {
        states += 1;
        if let Some(limit) = watch.exceeded(states, || 0) {
            return explored(false, states, End::Limit(limit));
        }
        for q in order.process_ids() {
            if p == q {
                continue;
            }
            let too_early = if !begins_before(&heads, p, q) {
                q
            } else if !begins_before(&heads, q, p) {
                p
            } else {
                continue;
            };
            match queues[too_early.index()].next() {
                Some(interval) => heads[too_early.index()] = interval,
                None => return explored(false, states, End::Complete),
            }
            if !todo.contains(&too_early) {
                todo.push(too_early);
            }
            if too_early == p {
                break;
            }
        }
    }
    explored(true, states, End::Stopped)
}
