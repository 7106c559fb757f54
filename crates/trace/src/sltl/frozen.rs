//! Freeze sets of a computation whose processes exchange messages.
//!
//! In Niebert and Peled's systems processes synchronise. A message that is sent and received later is one more component,
//! which takes part in its sending and in its receipts, and has no condition. There may be any number of
//! messages, and it is not known how often each will be received, so they are not kept. A message
//! is in a freeze set iff its sender is, and was frozen before it sent the message: so it is enough to
//! remember for each member of a set *where* it was frozen.
//!
//! Row `i` is the smallest freeze set with member `i`, as the number of events that each member had executed
//! when it was frozen. An event of process `p`, whose direct causes are events of others:
//!
//! * a row with `p` stays: `p` has stopped there, and the event comes after;
//! * a row without `p` stays if no cause comes after it: the event comes before. If a cause is an event of
//!   a member that was frozen before it, the event comes after as well, so that `p` must have been frozen by
//!   then: the row of `p` is added. Without one, the row is lost;
//! * row `p` becomes `p` alone, frozen now, if its conjunct holds after the event.
//!
//! This is the update of `FreezeBasis` with messages as components, whose own rows are never lost.
//! Where two rows are joined, what comes before both is the intersection of what comes before each, so that
//! a member of both was frozen at the earlier place.
//!
//! When no row is empty, their union is a consistent cut in which the conjunction holds.

use crate::causality::{Cut, Event};

/// The basis.
#[derive(Clone, Debug)]
pub(super) struct FrozenRows {
    processes: usize,
    /// Row after row: where each process was frozen, if it is a member.
    rows: Vec<Option<u32>>,
}

impl FrozenRows {
    /// Before the first event; the conjuncts of some processes hold.
    pub(super) fn new(satisfied: &[bool]) -> Self {
        let processes = satisfied.len();
        let mut rows = vec![None; processes * processes];
        for (p, holds) in satisfied.iter().enumerate() {
            rows[p * processes + p] = holds.then_some(0);
        }
        Self { processes, rows }
    }

    fn row(&self, i: usize) -> &[Option<u32>] {
        &self.rows[i * self.processes..(i + 1) * self.processes]
    }

    /// Adds a process that has done nothing so far and has no condition.
    pub(super) fn add_process(&mut self) {
        let (old, new) = (self.processes, self.processes + 1);
        let mut rows = vec![None; new * new];
        for i in 0..old {
            rows[i * new..i * new + old].copy_from_slice(self.row(i));
        }
        rows[old * new + old] = Some(0);
        *self = Self { processes: new, rows };
    }

    /// An event, and whether the conjunct of its process holds after it.
    pub(super) fn event(&mut self, event: Event, causes: &[Event], satisfied: bool) {
        let p = event.process.index();
        let own = self.row(p).to_vec();
        let is_frozen = own[p].is_some();
        for i in (0..self.processes).filter(|i| *i != p) {
            let row = &mut self.rows[i * self.processes..(i + 1) * self.processes];
            let is_after = |cause: &Event| row[cause.process.index()].is_some_and(|place| place < cause.index);
            if row[p].is_some() || !causes.iter().any(is_after) {
                continue;
            }
            for (place, other) in row.iter_mut().zip(&own) {
                *place = match (*place, *other) {
                    _ if !is_frozen => None,
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        if satisfied {
            let row = &mut self.rows[p * self.processes..(p + 1) * self.processes];
            row.fill(None);
            row[p] = Some(event.index);
        }
    }

    /// A consistent cut of what has happened in which all conjuncts hold, if there is one.
    pub(super) fn cut(&self) -> Option<Cut> {
        let place = |p: usize| (0..self.processes).filter_map(|i| self.row(i)[p]).min();
        let is_complete = (0..self.processes).all(|i| self.row(i)[i].is_some());
        is_complete.then(|| (0..self.processes).filter_map(place).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causality::Causality;
    use fastrand::Rng;
    use mazurka_core::ProcessId;

    /// All cuts of what has happened so far.
    fn cuts(last: &[u32]) -> Vec<Cut> {
        let mut all: Vec<Cut> = vec![vec![]];
        for most in last {
            let with = |cut: &Cut| (0..=*most).map(|k| [&cut[..], &[k]].concat()).collect::<Vec<_>>();
            all = all.iter().flat_map(with).collect();
        }
        all
    }

    #[test]
    fn rows_are_complete_just_when_a_consistent_cut_satisfies_all_conjuncts() {
        let (mut passed, mut walks) = (0, 0);
        for seed in 0..8_000 {
            let mut random = Rng::with_seed(seed);
            let n = random.usize(1..=4);
            let mut causality = Causality::new(n);
            let truth: Vec<[bool; 8]> = (0..n)
                .map(|_| match random.u32(..4) {
                    0 => [true; 8],
                    _ => std::array::from_fn(|_| random.u32(..4) == 0),
                })
                .collect();
            let first: Vec<bool> = truth.iter().map(|t| t[0]).collect();
            let mut rows = FrozenRows::new(&first);
            let mut found = rows.cut();
            for step in 0..random.usize(1..12) {
                let p = ProcessId::new(random.usize(..n));
                if step > 0 && causality.events(p) < 7 {
                    let mut causes = vec![];
                    for q in causality.process_ids().filter(|q| *q != p && causality.events(*q) > 0) {
                        if random.u32(..3) == 0 {
                            causes.push(Event::new(q, random.u32(1..=causality.events(q))));
                        }
                    }
                    let event = causality.push(p, causes.iter().copied());
                    if found.is_none() {
                        rows.event(event, &causes, truth[p.index()][event.index as usize]);
                        found = rows.cut();
                    }
                }
                let last = causality.last_cut();
                let holds = |cut: &Cut| cut.iter().zip(&truth).all(|(k, t)| t[*k as usize]);
                let expected = cuts(&last).iter().any(|cut| causality.is_consistent(cut) && holds(cut));
                assert_eq!(found.is_some(), expected, "seed {seed}, step {step}");
                if let Some(cut) = &found {
                    assert!(causality.is_consistent(cut) && holds(cut), "seed {seed}: {cut:?}");
                }
            }
            walks += 1;
            passed += u32::from(found.is_some());
        }
        assert!(passed * 5 > walks && passed * 5 < 4 * walks, "{passed} of {walks}");
    }
}
