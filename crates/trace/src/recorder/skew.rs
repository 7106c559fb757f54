//! Clocks that differ by a bounded skew: events that are further apart are ordered by their times.
//!
//! The assumption is that at no moment two clocks differ by more than ε. So if the time of one event is more than ε before that of
//! another, it happened before it; events with closer times may have happened in any order. The same holds of the
//! physical part of hybrid logical clocks whose drift from physical time is at most ε: it is the clock of some machine at an
//! event that happened before or is the event itself, and never behind the machine's own.
//!
//! **Contradictions.** What the records say happened before an event must not have a time more than ε after it, and a hybrid
//! logical clock must have grown. If no pair of events contradicts, the orders together have no cycle: along it, each step by time
//! adds more than ε, and the steps between two of those take away ε at most.
//!
//! **Causes.** Of each process, the last event whose time is more than ε earlier becomes a cause; those before it follow from the
//! order of the process. Where there are many processes and few events within the skew, only the events are looked at that
//! no others imply: an event more than ε before the latest of the causes is before that one.

use super::Recorder;
use crate::causality::{Causality, Event};
use crate::computation::SkewUse;
use crate::problem::{Part, Place, Problem, Rule};
use crate::stamp::Stamp;
use mazurka_core::ProcessId;

/// The times of the events of each process, as far as they have one.
pub(super) type Times = Vec<Vec<(u32, Stamp)>>;

impl Recorder {
    /// Orders events by their times, if a skew was given. The order of the records is known to be acyclic.
    pub(super) fn order_by_time(&mut self) {
        let Some(skew) = self.options.skew else { return };
        let times = std::mem::take(&mut self.times);
        let contradictions = contradictions(&self.computation.causality, &times, skew);
        for (event, cause) in contradictions {
            let problem = self.contradiction(&times, skew, event, cause);
            self.problems.push(problem);
        }
        if !self.problems.is_empty() {
            return;
        }
        let (causality, ordered) = with_times(&self.computation.causality, &times, skew);
        self.computation.causality = causality;
        self.computation.skew = Some(SkewUse {
            nanoseconds: skew,
            timed: times.iter().map(|lane| lane.len() as u64).sum(),
            ordered,
        });
    }

    fn contradiction(&self, times: &Times, skew: u128, event: Event, cause: Event) -> Problem {
        let computation = &self.computation;
        let time = |e: Event| time_of(times, e).map_or(String::new(), |stamp| stamp.to_string());
        let name = |e: Event| super::finish::describe(computation, &self.event_names, e);
        let place = |e: Event| computation.place(e.process, e.index);
        let after_its_effect =
            time_of(times, cause).map(|s| s.nanoseconds) > time_of(times, event).map(|s| s.nanoseconds);
        let (message, expected) = match after_its_effect {
            true => (
                format!(
                    "{} is at {}, but {} happened before it and is at {}, more than {} later",
                    name(event),
                    time(event),
                    name(cause),
                    time(cause),
                    duration(skew)
                ),
                format!(
                    "times that differ from the order by at most {}, or a larger `--skew`",
                    duration(skew)
                ),
            ),
            false => (
                format!(
                    "the hybrid logical clock of {} is {}, but {} happened before it and has {}",
                    name(event),
                    time(event),
                    name(cause),
                    time(cause)
                ),
                "a hybrid logical clock that grows from cause to effect".to_owned(),
            ),
        };
        let problem = Problem::new(Rule::Skew, place(event).unwrap_or(Place::NOWHERE), message)
            .expected(expected)
            .part(Part::Time);
        match place(cause) {
            Some(at) => problem.related(at, "this happened before it"),
            None => problem,
        }
    }
}

/// A number of nanoseconds in a unit that suits it.
pub(crate) fn duration(nanoseconds: u128) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")];
    let unit = units
        .iter()
        .find(|(size, _)| nanoseconds >= *size && nanoseconds.is_multiple_of(*size));
    let (size, name) = unit.unwrap_or(&(1, "ns"));
    format!("{} {name}", nanoseconds / size)
}

fn time_of(times: &Times, event: Event) -> Option<Stamp> {
    let lane = times.get(event.process.index())?;
    let at = lane.binary_search_by_key(&event.index, |(index, _)| *index).ok()?;
    Some(lane[at].1)
}

/// Events that contradict one before them: of each process the first one.
fn contradictions(order: &Causality, times: &Times, skew: u128) -> Vec<(Event, Event)> {
    // Per process and event: the latest of those before and up to it, by time and by hybrid clock.
    let mut latest: Vec<Vec<Latest>> = order.process_ids().map(|_| vec![Latest::default()]).collect();
    let mut found: Vec<(Event, Event)> = Vec::new();
    let done = order.in_order(|event| {
        let p = event.process.index();
        let mut now = latest[p][event.index as usize - 1];
        for cause in order.causes(event.process, event.index) {
            now.join(latest[cause.process.index()][cause.index as usize]);
        }
        if let Some(stamp) = time_of(times, event) {
            if let Some(cause) = now.contradicts(stamp, skew)
                && found.iter().all(|(other, _)| other.process != event.process)
            {
                found.push((event, cause));
            }
            now.add(stamp, event);
        }
        latest[p].push(now);
    });
    done.expect("the order was checked before");
    found
}

/// The latest events among some.
#[derive(Clone, Copy, Debug, Default)]
struct Latest {
    physical: Option<(u128, Event)>,
    hybrid: Option<((u128, u32), Event)>,
}

impl Latest {
    fn join(&mut self, other: Self) {
        if other
            .physical
            .is_some_and(|(time, _)| self.physical.is_none_or(|(mine, _)| time > mine))
        {
            self.physical = other.physical;
        }
        if other
            .hybrid
            .is_some_and(|(time, _)| self.hybrid.is_none_or(|(mine, _)| time > mine))
        {
            self.hybrid = other.hybrid;
        }
    }

    fn add(&mut self, stamp: Stamp, event: Event) {
        self.join(Self {
            physical: Some((stamp.nanoseconds, event)),
            hybrid: stamp.counter.map(|counter| ((stamp.nanoseconds, counter), event)),
        });
    }

    /// An event among these that cannot have happened before one with this time.
    fn contradicts(&self, stamp: Stamp, skew: u128) -> Option<Event> {
        let physical = self
            .physical
            .filter(|(time, _)| *time > stamp.nanoseconds.saturating_add(skew));
        let hybrid = stamp.counter.and_then(|counter| {
            let hybrid = self.hybrid?;
            (hybrid.0 >= (stamp.nanoseconds, counter)).then_some(hybrid.1)
        });
        physical.map(|(_, event)| event).or(hybrid)
    }
}

/// The order with the causes that times add, and how many these are.
fn with_times(order: &Causality, times: &Times, skew: u128) -> (Causality, u64) {
    // Per process: the events with the least time among themselves and those after them.
    let least: Vec<Vec<(u32, u128)>> = (times.iter())
        .map(|lane| {
            let mut least = u128::MAX;
            let from_the_end = lane.iter().rev().map(|(index, stamp)| {
                least = least.min(stamp.nanoseconds);
                (*index, least)
            });
            let mut lane: Vec<_> = from_the_end.collect();
            lane.reverse();
            lane
        })
        .collect();
    let mut sorted: Vec<(u128, Event)> = ProcessId::first(times.len())
        .zip(times)
        .flat_map(|(p, lane)| {
            lane.iter()
                .map(move |(index, stamp)| (stamp.nanoseconds, Event::new(p, *index)))
        })
        .collect();
    sorted.sort_unstable();
    let mut joined = Causality::new(order.processes());
    let (mut added, mut known) = (0, vec![0; order.processes()]);
    for p in order.process_ids() {
        known.fill(0);
        for index in 1..=order.events(p) {
            let mut causes = order.causes(p, index).to_vec();
            let bound = time_of(times, Event::new(p, index)).and_then(|stamp| stamp.nanoseconds.checked_sub(skew));
            let before = bound.map_or(Vec::new(), |bound| earlier(&least, &sorted, bound, skew));
            for cause in before.into_iter().filter(|cause| cause.process != p) {
                let q = cause.process.index();
                if cause.index > known[q] {
                    known[q] = cause.index;
                    if !causes
                        .iter()
                        .any(|other| other.process == cause.process && other.index >= cause.index)
                    {
                        causes.push(cause);
                        added += 1;
                    }
                }
            }
            joined.push(p, causes);
        }
    }
    (joined, added)
}

/// The last events with a time before `bound`, one for each process, but for some that others imply.
fn earlier(least: &[Vec<(u32, u128)>], sorted: &[(u128, Event)], bound: u128, skew: u128) -> Vec<Event> {
    let upto = sorted.partition_point(|(time, _)| *time < bound);
    let Some((latest, _)) = upto.checked_sub(1).map(|last| sorted[last]) else {
        return Vec::new();
    };
    let from = sorted[..upto].partition_point(|(time, _)| time.saturating_add(skew) < latest);
    if upto - from < least.len() {
        return sorted[from..upto].iter().map(|(_, event)| *event).collect();
    }
    let lanes = ProcessId::first(least.len()).zip(least);
    let last = lanes.filter_map(|(p, lane)| {
        let count = lane.partition_point(|(_, time)| *time < bound);
        Some(Event::new(p, lane.get(count.checked_sub(1)?)?.0))
    });
    last.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clocks::Clocks;
    use fastrand::Rng;
    use mazurka_seeds::seeds;

    /// Random records with their order, and times that may contradict it.
    fn input(rng: &mut Rng) -> (Causality, Times) {
        let mut order = Causality::new(rng.usize(2..=5));
        let mut times: Times = vec![Vec::new(); order.processes()];
        let mut all: Vec<Event> = Vec::new();
        let spread = rng.u64(1..=4);
        let hybrid = rng.u8(..3) == 0;
        for step in 0..rng.u64(1..=14) {
            let p = ProcessId::new(rng.usize(..order.processes()));
            let cause = (!all.is_empty() && rng.u8(..3) == 0).then(|| all[rng.usize(..all.len())]);
            let event = order.push(p, cause.filter(|cause| cause.process != p));
            if rng.u8(..6) > 0 {
                let nanoseconds = u128::from(step * 2 + rng.u64(..spread * 3));
                // Counters that often grow, since times alone would be the same too rarely.
                let counter = hybrid.then(|| rng.u32(..3));
                times[p.index()].push((event.index, Stamp { nanoseconds, counter }));
            }
            all.push(event);
        }
        (order, times)
    }

    /// Happened-before by definition: of the records, or by time; closed.
    fn pairwise(order: &Causality, times: &Times, skew: u128) -> (Vec<Event>, Vec<Vec<bool>>) {
        let all: Vec<Event> = (order.process_ids())
            .flat_map(|p| (1..=order.events(p)).map(move |k| Event::new(p, k)))
            .collect();
        let direct = |e: Event, f: Event| {
            let recorded = e.process == f.process && e.index < f.index || order.causes(f.process, f.index).contains(&e);
            let by_time = match (time_of(times, e), time_of(times, f)) {
                (Some(e), Some(f)) => e.nanoseconds + skew < f.nanoseconds,
                _ => false,
            };
            recorded || by_time
        };
        let mut before: Vec<Vec<bool>> = all
            .iter()
            .map(|e| all.iter().map(|f| direct(*e, *f)).collect())
            .collect();
        for k in 0..all.len() {
            for i in 0..all.len() {
                for j in 0..all.len() {
                    before[i][j] |= before[i][k] && before[k][j];
                }
            }
        }
        (all, before)
    }

    #[test]
    fn the_order_is_that_of_all_pairs() {
        let (mut right, mut wrong) = (0, 0);
        let counts = std::sync::Mutex::new((&mut right, &mut wrong));
        seeds(4000, |seed| {
            let mut rng = Rng::with_seed(seed);
            let (order, times) = input(&mut rng);
            let skew = u128::from(rng.u64(..8));
            let (all, before) = pairwise(&order, &times, skew);
            let cyclic = (0..all.len()).any(|k| before[k][k]);
            let recorded = Clocks::of(&order).unwrap();
            let goes_back = |e: Event, f: Event| match (time_of(&times, e), time_of(&times, f)) {
                (Some(a), Some(b)) => a.counter.is_some() && recorded.happens_before(e, f) && a >= b,
                _ => false,
            };
            let wrong = cyclic || all.iter().any(|e| all.iter().any(|f| goes_back(*e, *f)));
            let found = contradictions(&order, &times, skew);
            assert_eq!(!found.is_empty(), wrong, "{found:?}");
            let mut counts = counts.lock().unwrap();
            if wrong {
                *counts.1 += 1;
                return;
            }
            *counts.0 += 1;
            drop(counts);
            let (joined, _) = with_times(&order, &times, skew);
            let clocks = Clocks::of(&joined).unwrap();
            for (i, e) in all.iter().enumerate() {
                for (j, f) in all.iter().enumerate() {
                    assert_eq!(clocks.happens_before(*e, *f), before[i][j], "{e:?} {f:?}");
                }
            }
        });
        assert!(
            mazurka_seeds::are_chosen() || right > 500 && wrong > 200,
            "{right} {wrong}"
        );
    }

    #[test]
    fn durations_have_a_unit() {
        let shown = [5_000_000, 1_500_000, 2_000_000_000, 7, 0].map(duration);
        assert_eq!(shown, ["5 ms", "1500 µs", "2 s", "7 ns", "0 ns"]);
    }
}
