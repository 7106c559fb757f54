//! Search by sequences of events in a single step (long version, section 5).
//!
//! As in [`super::ps_poss`], a false conjunct φ says which process has to move. Where
//! such a process cannot move at once, the paper takes the shortest sequence that
//! ends with its move in one step, provided that no other process that φ reads moves in
//! it; the intermediate states can be skipped, since φ is false there. So a step goes
//! from a cut to the least consistent cut with one more event of a process of φ.
//! Beyond the paper, if φ reads one process only, the step goes on to its next local
//! state in which φ holds.
//!
//! The branches of a cut are made disjoint, which is what sleep sets do here: the
//! first covers all cuts that contain its event, so the others need not look at
//! those. What is left to a branch is an interval of the lattice, from a cut to a
//! *ceiling*, and a branch that would leave it is not taken. No cut is visited twice,
//! so none is remembered.

use super::Explored;
use crate::causality::{Causality, Cut, Event};
use crate::condition::Condition;
use mazurka_core::{End, Limits, ProcessId, Watch};

/// Looks for a cut in which the condition holds, below `ceiling` (a consistent cut).
pub(crate) fn possibly(
    order: &Causality,
    condition: &Condition<'_>,
    ceiling: &[u32],
    limits: Limits<'_>,
) -> Explored<Option<Cut>> {
    Sequences::new(order, condition).run(ceiling, limits, None)
}

/// Weighs cuts, to find a lightest one. Weights grow with the cut.
pub(crate) struct Scales<'a> {
    /// Only cuts that are lighter than this.
    pub(crate) bound: u64,
    /// The weight of a cut.
    pub(crate) weight: &'a dyn Fn(&[u32]) -> u64,
    /// A lower bound on the weight that is quickly computed.
    pub(crate) at_least: &'a dyn Fn(&[u32]) -> u64,
}

/// Looks for a lightest cut in which the condition holds.
///
/// Every cut in which it holds lies above one at which a branch of the search ends, so the
/// lightest of those is a lightest of all.
pub(crate) fn lightest(
    order: &Causality,
    condition: &Condition<'_>,
    scales: Scales<'_>,
    limits: Limits<'_>,
) -> Explored<Option<Cut>> {
    Sequences::new(order, condition).run(&order.last_cut(), limits, Some(scales))
}

struct Sequences<'a> {
    order: &'a Causality,
    condition: &'a Condition<'a>,
    next_true: Vec<Vec<u32>>,
    /// The conjunct that was false last.
    likely: usize,
    /// The steps from the current cut: whose event, and the cut after it, flat.
    steps: Vec<ProcessId>,
    chosen: Vec<u32>,
    /// Room to work in.
    todo: Vec<ProcessId>,
    seen: Cut,
    states: u64,
    transitions: u64,
}

impl<'a> Sequences<'a> {
    fn new(order: &'a Causality, condition: &'a Condition<'a>) -> Self {
        Sequences {
            order,
            condition,
            next_true: condition.next_true(),
            likely: 0,
            steps: Vec::new(),
            chosen: Vec::new(),
            todo: Vec::new(),
            seen: Cut::new(),
            states: 0,
            transitions: 0,
        }
    }
}

impl Sequences<'_> {
    /// Without `scales`, ends at the first cut in which the condition holds; with it, at
    /// none, and leaves out what is not lighter than the best so far.
    fn run(&mut self, ceiling: &[u32], limits: Limits<'_>, mut scales: Option<Scales<'_>>) -> Explored<Option<Cut>> {
        let mut best = None;
        let n = self.order.processes();
        let mut watch = Watch::new(limits);
        // A branch is a cut and its ceiling, one after the other.
        let mut stack: Vec<u32> = vec![0; n];
        stack.extend_from_slice(ceiling);
        let mut cut = Cut::new();
        let mut top = Cut::new();
        let mut branches = 1usize;
        let end = loop {
            let Some(left) = branches.checked_sub(1) else {
                break End::Complete;
            };
            branches = left;
            let at = branches * 2 * n;
            cut.clear();
            cut.extend_from_slice(&stack[at..at + n]);
            top.clear();
            top.extend_from_slice(&stack[at + n..]);
            stack.truncate(at);
            if let Some(scales) = &scales
                && (scales.at_least)(&cut) >= scales.bound
            {
                continue;
            }
            self.states += 1;
            if !self.choose(&cut, &top) {
                match &mut scales {
                    None => return self.explored(Some(cut), End::Stopped),
                    Some(scales) => {
                        let weight = (scales.weight)(&cut);
                        if weight < scales.bound {
                            scales.bound = weight;
                            best = Some(cut.clone());
                        }
                        continue;
                    }
                }
            }
            // The first branch is pushed last; each later one has a lower ceiling.
            let from = stack.len();
            for (k, &process) in self.steps.iter().enumerate() {
                stack.extend_from_slice(&self.chosen[k * n..(k + 1) * n]);
                stack.extend_from_slice(&top);
                top[process.index()] = cut[process.index()];
            }
            reverse_branches(&mut stack[from..], 2 * n);
            branches += self.steps.len();
            self.transitions += self.steps.len() as u64;
            if let Some(limit) = watch.exceeded(self.states, || stack.capacity() * 4) {
                break End::Limit(limit);
            }
        };
        self.explored(best, end)
    }

    fn explored(&self, result: Option<Cut>, end: End) -> Explored<Option<Cut>> {
        Explored {
            result,
            states: self.states,
            transitions: self.transitions,
            end,
        }
    }

    /// Makes `steps` those of the best false conjunct; `false` if none is false.
    fn choose(&mut self, cut: &[u32], ceiling: &[u32]) -> bool {
        let count = self.condition.conjuncts().len();
        let (mut best, mut fewest) = (None, usize::MAX);
        for k in 0..count {
            // The one that was false last comes first.
            let c = (self.likely + k) % count;
            if self.condition.conjunct_holds(c, cut) {
                continue;
            }
            // An upper bound on its steps: who can move at all.
            let movable = |p: &&ProcessId| cut[p.index()] < ceiling[p.index()];
            let size = self.condition.conjuncts()[c].support.iter().filter(movable).count();
            if size < fewest {
                (best, fewest) = (Some(c), size);
                if size == 0 {
                    break;
                }
            }
        }
        let Some(c) = best else { return false };
        self.likely = c;
        self.steps.clear();
        self.chosen.clear();
        let condition = self.condition;
        let support = &condition.conjuncts()[c].support;
        let n = cut.len();
        for &process in support {
            let (executed, most) = (cut[process.index()], ceiling[process.index()]);
            if executed >= most {
                continue;
            }
            let target = match support.len() {
                1 => self.next_true[c][executed as usize],
                _ => executed + 1,
            };
            if target > most {
                continue;
            }
            let at = self.chosen.len();
            self.chosen.extend_from_slice(cut);
            if !self.close(process, target, cut, ceiling, at) {
                self.chosen.truncate(at);
                continue;
            }
            // If another process of the conjunct moves first, its own step comes first.
            let after = &self.chosen[at..at + n];
            if support
                .iter()
                .any(|&q| q != process && after[q.index()] > cut[q.index()])
            {
                self.chosen.truncate(at);
                continue;
            }
            self.steps.push(process);
        }
        true
    }

    /// Makes `chosen[at..]`, a copy of `cut`, the least consistent cut above it with
    /// event `target` of `process`; `false` if that is not below the ceiling.
    fn close(&mut self, process: ProcessId, target: u32, cut: &[u32], ceiling: &[u32], at: usize) -> bool {
        let after = &mut self.chosen[at..];
        after[process.index()] = target;
        let missing = |c: &Event| c.index > cut[c.process.index()];
        if target == cut[process.index()] + 1 && !self.order.causes(process, target).iter().any(missing) {
            // Most steps are a single event.
            return true;
        }
        self.todo.push(process);
        let seen = &mut self.seen;
        seen.clear();
        seen.extend_from_slice(cut);
        while let Some(process) = self.todo.pop() {
            let p = process.index();
            while seen[p] < after[p] {
                seen[p] += 1;
                for cause in self.order.causes(process, seen[p]) {
                    let q = cause.process.index();
                    if after[q] < cause.index {
                        if cause.index > ceiling[q] {
                            self.todo.clear();
                            return false;
                        }
                        after[q] = cause.index;
                        self.todo.push(cause.process);
                    }
                }
            }
        }
        true
    }
}

/// Reverses the order of pieces of `size`.
fn reverse_branches(pieces: &mut [u32], size: usize) {
    let count = pieces.len().checked_div(size).unwrap_or(0);
    for k in 0..count / 2 {
        let (head, tail) = pieces.split_at_mut((count - 1 - k) * size);
        head[k * size..(k + 1) * size].swap_with_slice(&mut tail[..size]);
    }
}
