//! A monitor is told records in the same words as a recorder.

use super::stream::Arrived;
use super::{Current, Monitor};
use crate::causality::Event;
use crate::import::Sink;
use crate::problem::{Place, Problem};
use crate::stamp::Stamp;
use crate::value::{Value, ValueId};
use mazurka_core::ProcessId;

/// How many names of variables are remembered. A log may make up new ones for ever.
pub(super) const NAMES: usize = 10_000;

impl Sink for Monitor {
    fn process(&mut self, name: &str) -> ProcessId {
        let p = self.stream.process(name);
        self.stream.mention(p);
        ProcessId::new(p)
    }

    fn init(&mut self, process: ProcessId, place: Place) {
        self.begin(process, place, true);
    }

    fn event(&mut self, process: ProcessId, place: Place) -> Event {
        self.begin(process, place, false);
        Event {
            process,
            index: self.stream.arrived(process.index()) + 1,
        }
    }

    fn label(&mut self, _: &str) {}

    /// Times order events only once all have arrived.
    fn time(&mut self, _: Stamp) {}

    fn wants(&mut self, variable: &str) -> bool {
        if !self.assigned.contains(variable) && self.assigned.len() < NAMES {
            self.assigned.insert(variable.to_owned());
        }
        self.stream.variable(variable).is_some()
    }

    fn set(&mut self, variable: &str, value: Value) {
        if let Some(v) = self.stream.variable(variable) {
            let value = self.stream.values.intern(value);
            self.assign(v, value);
        }
    }

    fn set_str(&mut self, variable: &str, text: &str) {
        if let Some(v) = self.stream.variable(variable) {
            let value = self.stream.values.intern_str(text);
            self.assign(v, value);
        }
    }

    fn send(&mut self, message: &str) {
        if let Some(current) = &mut self.current {
            current.event.sends.push(message.to_owned());
        }
    }

    fn receive(&mut self, message: &str) {
        if let Some(current) = &mut self.current {
            current.event.receives.push(message.to_owned());
        }
    }

    fn after(&mut self, cause: Event) {
        if let Some(current) = &mut self.current {
            let clock = current.event.clock.get_or_insert_default();
            clock.push((cause.process.index(), cause.index));
        }
    }

    fn clock(&mut self, process: &str, events: u32) {
        // An entry of 0 does not make a process.
        let q = (events > 0).then(|| self.process(process).index());
        if let Some(current) = &mut self.current {
            let clock = current.event.clock.get_or_insert_default();
            clock.extend(q.map(|q| (q, events)));
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}

impl Monitor {
    fn begin(&mut self, process: ProcessId, place: Place, init: bool) {
        self.end_record();
        self.current = Some(Current {
            process: process.index(),
            init,
            event: Arrived::at(place),
        });
    }

    fn assign(&mut self, variable: usize, value: ValueId) {
        if let Some(current) = &mut self.current {
            self.stream.note_assigned(current.process, variable);
            let sets = &mut current.event.sets;
            match sets.iter_mut().find(|(v, _)| *v == variable) {
                Some(set) => set.1 = value,
                None => sets.push((variable, value)),
            }
        }
    }
}
