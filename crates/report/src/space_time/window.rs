//! Which events a page holds.
//!
//! A page holds all events if there are few. For a long run, it holds those near the cuts that it
//! shows: on each process, as many before as after. So the event that led to
//! each local state of a cut and the event that would end it are always there.

use super::AnswerView;
use mazurka_trace::{Computation, ProcessId};

/// The approximate number of events that a page holds.
pub(super) const EVENTS: u64 = 20_000;

/// The events that a page holds.
pub(super) struct Window {
    /// Per process, the numbers of the first and the last event of each stretch.
    pub(super) ranges: Vec<Vec<(u32, u32)>>,
}

impl Window {
    /// The events near the cuts of the answers, about `limit` of them.
    pub(super) fn of(computation: &Computation, answers: &[AnswerView], limit: u64) -> Self {
        let order = computation.causality();
        let processes = computation.processes();
        if order.total() <= limit {
            let all = |p| (order.events(p) > 0).then(|| (1, order.events(p)));
            return Self {
                ranges: computation.process_ids().map(|p| Vec::from_iter(all(p))).collect(),
            };
        }
        let mut centres: Vec<&[u32]> = answers.iter().filter_map(|a| centre(computation, a)).collect();
        centres.sort_unstable();
        centres.dedup();
        let start = vec![0; processes];
        if centres.is_empty() {
            centres.push(&start);
        }
        let share = limit / (2 * centres.len() as u64 * processes.max(1) as u64);
        let share = u32::try_from(share.max(2)).unwrap_or(u32::MAX);
        let lane = |p: ProcessId| {
            let mut near: Vec<(u32, u32)> = centres
                .iter()
                .map(|cut| {
                    let executed = cut[p.index()];
                    let from = executed.saturating_sub(share - 1).max(1);
                    (from, executed.saturating_add(share).min(order.events(p)))
                })
                .filter(|(from, to)| from <= to)
                .collect();
            near.sort_unstable();
            merged(near)
        };
        Self {
            ranges: computation.process_ids().map(lane).collect(),
        }
    }

    /// The number of its events.
    pub(super) fn total(&self) -> u64 {
        let stretches = self.ranges.iter().flatten();
        stretches.map(|(from, to)| u64::from(to - from) + 1).sum()
    }

    /// The numbers of a process's events in it.
    pub(super) fn events(&self, process: ProcessId) -> impl Iterator<Item = u32> + '_ {
        self.ranges[process.index()].iter().flat_map(|&(from, to)| from..=to)
    }

    /// Whether the local states of a cut can be shown: the events around each are here.
    pub(super) fn shows(&self, computation: &Computation, cut: &[u32]) -> bool {
        let has = |p: ProcessId, index: u32| {
            let mut ranges = self.ranges[p.index()].iter();
            ranges.any(|(from, to)| (*from..=*to).contains(&index))
        };
        computation.process_ids().zip(cut).all(|(p, &executed)| {
            let last = computation.causality().events(p);
            (executed == 0 || has(p, executed)) && (executed == last || has(p, executed + 1))
        })
    }

    /// The first part of an execution, as far as its cuts can be shown.
    pub(super) fn part<'a>(&self, computation: &Computation, path: &'a [Vec<u32>]) -> &'a [Vec<u32>] {
        let beyond = path.iter().position(|cut| !self.shows(computation, cut));
        &path[..beyond.unwrap_or(path.len())]
    }
}

/// The cut around which to look at an answer: the witness, or where its execution begins.
fn centre<'a>(computation: &Computation, answer: &'a AnswerView) -> Option<&'a [u32]> {
    let begins = || answer.execution(computation).map(|path| path[0].as_slice());
    answer.witness(computation).or_else(begins)
}

/// Merges sorted ranges that touch.
fn merged(sorted: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for (from, to) in sorted {
        match ranges.last_mut() {
            Some((_, end)) if from <= end.saturating_add(1) => *end = to.max(*end),
            _ => ranges.push((from, to)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_trace::{Place, Recorder, Recording, Sink};

    fn run(processes: usize, events: u32) -> Computation {
        let mut recorder = Recorder::new(Recording::default());
        for p in 0..processes {
            let process = recorder.process(&format!("p{p}"));
            for _ in 0..events {
                recorder.event(process, Place::NOWHERE);
            }
        }
        recorder.finish().unwrap()
    }

    fn asked(cut: &[u32]) -> AnswerView {
        AnswerView {
            cut: Some(cut.to_vec()),
            ..AnswerView::default()
        }
    }

    #[test]
    fn a_short_run_is_there_completely() {
        let computation = run(2, 10);
        let window = Window::of(&computation, &[], 20);
        assert_eq!(window.ranges, [[(1, 10)], [(1, 10)]]);
        assert_eq!(Window::of(&run(1, 0), &[], 20).total(), 0);
    }

    #[test]
    fn of_a_long_run_the_events_near_the_cuts() {
        let computation = run(2, 1000);
        let answers = [asked(&[500, 0]), asked(&[503, 1000])];
        let window = Window::of(&computation, &answers, 80);
        assert_eq!(window.ranges, [vec![(491, 513)], vec![(1, 10), (991, 1000)]]);
        assert_eq!(window.total(), 43);
        assert_eq!(window.events(ProcessId::new(1)).nth(10), Some(991));
        for answer in &answers {
            assert!(window.shows(&computation, answer.cut.as_deref().unwrap()));
        }
        assert!(!window.shows(&computation, &[500, 10]));
    }

    #[test]
    fn without_a_cut_the_beginning() {
        let window = Window::of(&run(2, 1000), &[], 40);
        assert_eq!(window.ranges, [[(1, 10)], [(1, 10)]]);
    }
}
