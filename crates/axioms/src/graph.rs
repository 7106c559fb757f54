//! Execution graphs: events, and the relations that make an execution of them.
//!
//! Lahav, Vafeiadis, Kang, Hur, Dreyer, *Repairing Sequential Consistency in C/C++11*, PLDI 2017; with mutexes.

use crate::program::{Location, Mutex, Program, Value};
use crate::relation::{Relation, Set};
use crate::traces::{Label, Mode, Trace};

/// An event of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// Whose it is. The initial writes are nobody's.
    pub thread: Option<usize>,
    /// What it does.
    pub label: Label,
}

/// An execution graph. The events are the initial writes, by location, then those of each thread in program order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Graph {
    /// The events.
    pub events: Vec<Event>,
    /// `sb`: program order, and initial writes before all others. Transitive.
    pub sb: Relation,
    /// `rmw`: from the read of an operation that reads and writes to its write.
    pub rmw: Relation,
    /// `rf`: from each read's write to the read.
    pub rf: Relation,
    /// `mo`: a total order of the writes of each location. Transitive.
    pub mo: Relation,
    /// From each unlocking of a mutex to the locking that comes next.
    pub lo: Relation,
    /// What the registers of each thread hold at the end.
    pub registers: Vec<Vec<Value>>,
}

/// What one can see of an execution when it is over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Outcome {
    /// The registers of each thread.
    pub registers: Vec<Vec<Value>>,
    /// The last value of each location.
    pub locations: Vec<Value>,
}

impl Event {
    /// The location that it accesses.
    pub fn location(&self) -> Option<Location> {
        match self.label {
            Label::Read(location, ..) | Label::Write(location, ..) => Some(location),
            Label::Fence(_) | Label::Lock(_) | Label::Unlock(_) => None,
        }
    }

    /// What it reads or writes.
    pub fn value(&self) -> Option<Value> {
        match self.label {
            Label::Read(_, value, _) | Label::Write(_, value, _) => Some(value),
            Label::Fence(_) | Label::Lock(_) | Label::Unlock(_) => None,
        }
    }

    /// Whether it is a read.
    pub fn reads(&self) -> bool {
        matches!(self.label, Label::Read(..))
    }

    /// Whether it is a write.
    pub fn writes(&self) -> bool {
        matches!(self.label, Label::Write(..))
    }

    /// Whether it is a fence.
    pub fn is_fence(&self) -> bool {
        matches!(self.label, Label::Fence(_))
    }

    /// Whether it is an atomic access: `E^{⊒rlx}`.
    pub fn is_atomic(&self) -> bool {
        matches!(
            self.label,
            Label::Read(_, _, Mode::Atomic(_)) | Label::Write(_, _, Mode::Atomic(_))
        )
    }

    /// Whether its mode is at least `acq`.
    pub fn acquires(&self) -> bool {
        match self.label {
            Label::Read(_, _, Mode::Atomic(order)) | Label::Fence(order) => order.acquires(),
            _ => false,
        }
    }

    /// Whether its mode is at least `rel`.
    pub fn releases(&self) -> bool {
        match self.label {
            Label::Write(_, _, Mode::Atomic(order)) | Label::Fence(order) => order.releases(),
            _ => false,
        }
    }

    /// Whether its mode is `sc`.
    pub fn is_sc(&self) -> bool {
        match self.label {
            Label::Read(_, _, Mode::Atomic(order)) | Label::Write(_, _, Mode::Atomic(order)) | Label::Fence(order) => {
                order == crate::program::Order::SeqCst
            }
            _ => false,
        }
    }
}

impl Graph {
    /// The events of these traces, one for each thread, with `sb` and `rmw`. The other relations are empty.
    pub(crate) fn of_traces(program: &Program, traces: &[&Trace]) -> Graph {
        let mut events = Vec::new();
        for (location, value) in (0..=u8::MAX).map(Location).zip(&program.initial) {
            events.push(Event {
                thread: None,
                label: Label::Write(location, *value, Mode::NonAtomic),
            });
        }
        let mut updates = Vec::new();
        for (thread, trace) in traces.iter().enumerate() {
            updates.extend(trace.updates.iter().map(|index| events.len() + index));
            events.extend(trace.labels.iter().map(|label| Event {
                thread: Some(thread),
                label: *label,
            }));
        }
        let empty = Relation::empty(events.len());
        let mut graph = Graph {
            events,
            sb: empty.clone(),
            rmw: empty.clone(),
            rf: empty.clone(),
            mo: empty.clone(),
            lo: empty,
            registers: traces.iter().map(|trace| trace.registers.clone()).collect(),
        };
        for b in 0..graph.events.len() {
            for a in 0..b {
                let (first, second) = (graph.events[a].thread, graph.events[b].thread);
                if second.is_some() && (first.is_none() || first == second) {
                    graph.sb.insert(a, b);
                }
            }
        }
        for write in updates {
            graph.rmw.insert(write - 1, write);
        }
        graph
    }

    /// The events that `keep` holds of.
    pub fn set(&self, keep: impl Fn(&Event) -> bool) -> Set {
        (0..self.events.len())
            .filter(|e| keep(&self.events[*e]))
            .fold(0, |set, e| set | 1 << e)
    }

    /// `[keep]`: the identity on the events that `keep` holds of.
    pub fn identity(&self, keep: impl Fn(&Event) -> bool) -> Relation {
        Relation::identity_on(self.events.len(), self.set(keep))
    }

    /// Whether two events access the same location.
    pub fn same_location(&self, a: usize, b: usize) -> bool {
        let location = self.events[a].location();
        location.is_some() && location == self.events[b].location()
    }

    /// The reads.
    pub(crate) fn reads(&self) -> Vec<usize> {
        (0..self.events.len()).filter(|e| self.events[*e].reads()).collect()
    }

    /// The writes of a location, except for the initial one.
    pub(crate) fn writes_to(&self, location: usize) -> Vec<usize> {
        let here = |e: &usize| self.events[*e].writes() && self.same_location(location, *e);
        (0..self.events.len()).filter(here).filter(|e| *e != location).collect()
    }

    /// For each mutex, where it is locked and unlocked. Mutexes are not nested, so the next unlocking is the right one.
    pub(crate) fn critical_sections(&self) -> Vec<Vec<(usize, usize)>> {
        let mut sections: std::collections::BTreeMap<Mutex, Vec<(usize, usize)>> = std::collections::BTreeMap::new();
        for (lock, event) in self.events.iter().enumerate() {
            if let Label::Lock(mutex) = event.label {
                let ends = |e: &usize| self.events[*e].label == Label::Unlock(mutex);
                let unlock = (lock..self.events.len())
                    .find(ends)
                    .expect("it is unlocked in the same thread");
                sections.entry(mutex).or_default().push((lock, unlock));
            }
        }
        sections.into_values().collect()
    }

    /// Registers, and the `mo`-maximal value of each location.
    pub fn outcome(&self) -> Outcome {
        let initial = self.events.iter().take_while(|event| event.thread.is_none()).count();
        let last = |location: usize| {
            let is_last =
                |e: &usize| self.events[*e].writes() && self.same_location(location, *e) && self.mo.successors(*e) == 0;
            let last = (0..self.events.len())
                .find(is_last)
                .expect("`mo` is a total order of finitely many writes");
            self.events[last].value().expect("a write has a value")
        };
        Outcome {
            registers: self.registers.clone(),
            locations: (0..initial).map(last).collect(),
        }
    }
}
