//! Happened-before: which events a run ordered (Lamport 1978).
//!
//! The order is kept as direct causes: the events of other processes that an event
//! follows immediately, such as the sending of the message that it receives. The rest
//! of the order follows from these and from each process's own order. Code that moves
//! through cuts one event at a time needs nothing else: an event whose direct
//! causes and predecessor are in a consistent cut has its whole past in it.
//! Vector timestamps ([`crate::Clocks`]) are derived where two far-apart events
//! must be compared.

use crate::narrow::short;
use mazurka_core::ProcessId;

/// An event: the `index`-th of its process, counted from 1, so that it leads
/// from local state `index - 1` to local state `index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Event {
    /// Whose event it is.
    pub process: ProcessId,
    /// Its number among that process's events, from 1.
    pub index: u32,
}

impl Event {
    /// The `index`-th event of a process.
    #[inline]
    pub fn new(process: ProcessId, index: u32) -> Self {
        Self { process, index }
    }
}

/// A cut: how many events each process has executed.
pub type Cut = Vec<u32>;

/// The events of a computation with their direct causes.
#[derive(Clone, Debug, Default)]
pub struct Causality {
    lanes: Vec<Lane>,
}

/// The events of one process.
#[derive(Clone, Debug)]
struct Lane {
    /// Where the causes of each event end. The first entry is for event 0,
    /// which does not exist and has no causes.
    ends: Vec<u32>,
    causes: Vec<Event>,
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            ends: vec![0],
            causes: Vec::new(),
        }
    }
}

impl Causality {
    /// An order of this many processes without events.
    pub fn new(processes: usize) -> Self {
        Self {
            lanes: vec![Lane::default(); processes],
        }
    }

    /// How many processes there are.
    #[inline]
    pub fn processes(&self) -> usize {
        self.lanes.len()
    }

    /// The processes, in order.
    #[inline]
    pub fn process_ids(&self) -> impl DoubleEndedIterator<Item = ProcessId> + ExactSizeIterator + Clone + use<> {
        ProcessId::first(self.processes())
    }

    /// How many events a process has.
    #[inline]
    pub fn events(&self, process: ProcessId) -> u32 {
        short(self.lanes[process.index()].ends.len() - 1)
    }

    /// How many events there are.
    pub fn total(&self) -> u64 {
        self.lanes.iter().map(|l| l.ends.len() as u64 - 1).sum()
    }

    /// The cut that contains every event.
    pub fn last_cut(&self) -> Cut {
        self.process_ids().map(|p| self.events(p)).collect()
    }

    /// The direct causes of the `index`-th event of a process, `index >= 1`.
    #[inline]
    pub fn causes(&self, process: ProcessId, index: u32) -> &[Event] {
        let lane = &self.lanes[process.index()];
        &lane.causes[lane.ends[index as usize - 1] as usize..lane.ends[index as usize] as usize]
    }

    /// Whether the next event of `process` may happen in the consistent cut `cut`.
    #[inline]
    pub fn is_enabled(&self, process: ProcessId, cut: &[u32]) -> bool {
        let next = cut[process.index()] + 1;
        next <= self.events(process)
            && self
                .causes(process, next)
                .iter()
                .all(|c| c.index <= cut[c.process.index()])
    }

    /// Adds a process without events.
    pub fn add_process(&mut self) -> ProcessId {
        self.lanes.push(Lane::default());
        ProcessId::new(self.lanes.len() - 1)
    }

    /// Adds an event at the end of a process.
    pub fn push(&mut self, process: ProcessId, causes: impl IntoIterator<Item = Event>) -> Event {
        let lane = &mut self.lanes[process.index()];
        lane.causes.extend(causes);
        let end = u32::try_from(lane.causes.len()).expect("fewer than 2^32 causes in a process");
        lane.ends.push(end);
        Event::new(process, self.events(process))
    }

    /// Replaces every cause by what `f` returns for it; `None` removes it.
    pub(crate) fn map_causes(&mut self, mut f: impl FnMut(Event, Event) -> Option<Event>) {
        for (p, lane) in self.process_ids().zip(&mut self.lanes) {
            let (mut kept, mut from) = (0, 0);
            for index in 1..lane.ends.len() {
                let to = lane.ends[index] as usize;
                for at in from..to {
                    if let Some(cause) = f(Event::new(p, short(index)), lane.causes[at]) {
                        lane.causes[kept] = cause;
                        kept += 1;
                    }
                }
                from = to;
                lane.ends[index] = short(kept);
            }
            lane.causes.truncate(kept);
        }
    }

    /// Whether a cut is consistent: it contains the causes of each of its events.
    pub fn is_consistent(&self, cut: &[u32]) -> bool {
        self.process_ids().zip(cut).all(|(p, &executed)| {
            (1..=executed).all(|index| self.causes(p, index).iter().all(|c| c.index <= cut[c.process.index()]))
        })
    }

    /// Makes `cut` the least consistent cut that contains it, given that it
    /// contains the consistent cut `from`.
    pub fn close(&self, from: &[u32], cut: &mut [u32]) {
        let mut seen = from.to_vec();
        let behind = |p: &ProcessId| from[p.index()] < cut[p.index()];
        let mut todo: Vec<ProcessId> = self.process_ids().filter(behind).collect();
        while let Some(process) = todo.pop() {
            let p = process.index();
            while seen[p] < cut[p] {
                seen[p] += 1;
                for cause in self.causes(process, seen[p]) {
                    let q = cause.process.index();
                    if cut[q] < cause.index {
                        cut[q] = cause.index;
                        todo.push(cause.process);
                    }
                }
            }
        }
    }

    /// Calls `each` with every event, causes before effects.
    ///
    /// # Errors
    /// A cycle of events that wait for one another, if there is one: each
    /// follows the next, directly or in its process's order.
    pub fn in_order(&self, mut each: impl FnMut(Event)) -> Result<(), Vec<Event>> {
        let n = self.processes();
        let mut cut = vec![0; n];
        let mut waiting: Vec<Vec<(u32, ProcessId)>> = vec![Vec::new(); n];
        let mut todo: Vec<ProcessId> = self.process_ids().rev().collect();
        while let Some(process) = todo.pop() {
            let p = process.index();
            while cut[p] < self.events(process) {
                let missing = self
                    .causes(process, cut[p] + 1)
                    .iter()
                    .find(|c| c.index > cut[c.process.index()]);
                if let Some(cause) = missing {
                    waiting[cause.process.index()].push((cause.index, process));
                    break;
                }
                cut[p] += 1;
                each(Event::new(process, cut[p]));
                let now = cut[p];
                waiting[p].retain(|&(index, q)| {
                    if index <= now {
                        todo.push(q);
                    }
                    index > now
                });
            }
        }
        match self.process_ids().find(|&p| cut[p.index()] < self.events(p)) {
            None => Ok(()),
            Some(start) => Err(self.waiting_cycle(&cut, start)),
        }
    }

    /// Follows events that wait for one another, in a cut where nothing can happen.
    fn waiting_cycle(&self, cut: &[u32], start: ProcessId) -> Vec<Event> {
        let mut path = vec![];
        let mut p = start;
        loop {
            let next = Event::new(p, cut[p.index()] + 1);
            if let Some(at) = path.iter().position(|e: &Event| e.process == next.process) {
                path.drain(..at);
                return path;
            }
            path.push(next);
            let causes = self.causes(p, next.index);
            let missing = causes.iter().find(|c| c.index > cut[c.process.index()]);
            p = missing.expect("what cannot happen waits").process;
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let lane = |l: &Lane| l.ends.capacity() * 4 + l.causes.capacity() * size_of::<Event>();
        self.lanes.iter().map(lane).sum()
    }

    pub(crate) fn shrink(&mut self) {
        for lane in &mut self.lanes {
            lane.ends.shrink_to_fit();
            lane.causes.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(index: usize) -> ProcessId {
        ProcessId::new(index)
    }

    /// p0 sends with its first event what p1 receives with its second.
    fn message() -> Causality {
        let mut order = Causality::new(2);
        let sent = order.push(p(0), []);
        order.push(p(1), []);
        order.push(p(1), [sent]);
        order
    }

    #[test]
    fn a_receive_waits_for_its_send() {
        let order = message();
        assert!(order.is_enabled(p(1), &[0, 0]));
        assert!(!order.is_enabled(p(1), &[0, 1]));
        assert!(order.is_enabled(p(1), &[1, 1]));
        assert!(order.is_consistent(&[0, 1]));
        assert!(!order.is_consistent(&[0, 2]));
        let mut cut = vec![0, 2];
        order.close(&[0, 0], &mut cut);
        assert_eq!(cut, [1, 2]);
    }

    #[test]
    fn in_order_puts_causes_first_and_finds_cycles() {
        let mut events = vec![];
        message().in_order(|e| events.push(e)).unwrap();
        assert_eq!(events.len(), 3);
        let at = |e: Event| events.iter().position(|x| *x == e).unwrap();
        assert!(at(Event::new(p(0), 1)) < at(Event::new(p(1), 2)));

        let mut order = Causality::new(2);
        order.push(p(0), [Event::new(p(1), 1)]);
        order.push(p(1), [Event::new(p(0), 1)]);
        assert_eq!(order.in_order(|_| {}).unwrap_err().len(), 2);
    }
}
