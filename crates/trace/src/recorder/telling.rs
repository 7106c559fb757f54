//! What importers tell a recorder, record by record.

use super::{Keep, LaneState, Recorder};
use crate::causality::Event;
use crate::computation::Places;
use crate::import::Sink;
use crate::narrow::short;
use crate::problem::{Part, Place, Problem, Rule};
use crate::stamp::Stamp;
use crate::value::Value;
use mazurka_core::ProcessId;

impl Sink for Recorder {
    fn process(&mut self, name: &str) -> ProcessId {
        if let Some(&p) = self.process_ids.get(name) {
            return p;
        }
        let p = self.computation.causality.add_process();
        self.process_ids.insert(name.into(), p);
        self.computation.names.push(name.to_owned());
        self.computation.columns.push(Vec::new());
        self.computation.labels.push(Vec::new());
        let mut places = Places::default();
        places.push(Place::NOWHERE);
        self.computation.places.push(places);
        self.lanes.push(LaneState::default());
        p
    }

    fn init(&mut self, process: ProcessId, place: Place) {
        self.end();
        self.record.event = Event { process, index: 0 };
        self.record.place = place;
        if self.events(process) > 0 || self.computation.place(process, 0).is_some() {
            let name = self.computation.name(process);
            let message = format!("the initial state of `{name}` comes after another record of it");
            let mut problem = Problem::new(Rule::InitFirst, place, message)
                .expected("an `init` record before all events of its process, and only one");
            if let Some(before) = self
                .computation
                .place(process, 0)
                .or(self.computation.place(process, 1))
            {
                problem = problem.related(before, "the earlier record");
            }
            self.problems.push(problem);
            return;
        }
        self.computation.set_place(process, 0, place);
    }

    fn event(&mut self, process: ProcessId, place: Place) -> Event {
        self.end();
        let index = self.events(process) + 1;
        self.record.event = Event { process, index };
        self.record.place = place;
        self.record.open = true;
        self.record.faulty = false;
        self.record.event
    }

    fn label(&mut self, text: &str) {
        if self.options.keep != Keep::All {
            return;
        }
        let id = match self.label_ids.get(text) {
            Some(&id) => id,
            None => {
                let texts = &mut self.computation.label_texts;
                if texts.is_empty() {
                    // Events without a label have the first one.
                    texts.push("".into());
                    self.label_ids.insert("".into(), 0);
                }
                if text.is_empty() {
                    0
                } else {
                    texts.push(text.into());
                    let id = short(texts.len()) - 1;
                    self.label_ids.insert(text.into(), id);
                    id
                }
            }
        };
        let event = self.record.event;
        let labels = &mut self.computation.labels[event.process.index()];
        labels.resize(event.index as usize, 0);
        labels.push(id);
    }

    fn wants(&mut self, variable: &str) -> bool {
        self.variable(variable).is_some()
    }

    fn set(&mut self, variable: &str, value: Value) {
        if let Some(v) = self.variable(variable) {
            let id = self.computation.values.intern(value);
            self.assign(v, id);
        }
    }

    fn set_str(&mut self, variable: &str, text: &str) {
        if let Some(v) = self.variable(variable) {
            let id = self.computation.values.intern_str(text);
            self.assign(v, id);
        }
    }

    fn send(&mut self, message: &str) {
        if !self.record.open {
            return self.refuse("sends a message", Part::Send(message.to_owned()));
        }
        let id = self.messages.intern(message);
        if let Some(before) = self.messages.sent(id) {
            let text = format!("message `{message}` is sent a second time");
            let mut problem = Problem::new(Rule::SentOnce, self.record.place, text)
                .expected("a name of its own for every message")
                .part(Part::Send(message.to_owned()));
            if let Some(place) = self.computation.place(before.process, before.index) {
                problem = problem.related(place, "it was sent here");
            }
            self.problems.push(problem);
            return;
        }
        self.messages.send(id, self.record.event);
        self.record.sends.push(id);
    }

    fn receive(&mut self, message: &str) {
        if !self.record.open {
            return self.refuse("receives a message", Part::Receive(message.to_owned()));
        }
        let id = self.messages.intern(message);
        self.record.receives.push(id);
    }

    fn after(&mut self, cause: Event) {
        self.record.causes.push(cause);
    }

    fn clock(&mut self, process: &str, events: u32) {
        if !self.record.open {
            return self.refuse("has a clock", Part::Clock(process.to_owned()));
        }
        if events == 0 {
            // A clock entry of 0 does not make a process.
            self.record
                .clock
                .get_or_insert_with(|| std::mem::take(&mut self.record.spare));
            return;
        }
        let id = self.process(process);
        let clock = self
            .record
            .clock
            .get_or_insert_with(|| std::mem::take(&mut self.record.spare));
        if clock.get(id) != 0 {
            let message = format!("the clock has two entries for `{process}`");
            let problem = Problem::new(Rule::Field, self.record.place, message)
                .expected("one entry for each process")
                .part(Part::Clock(process.to_owned()));
            self.problems.push(problem);
            return;
        }
        clock.push(id, events);
    }

    fn wants_time(&self) -> bool {
        self.options.skew.is_some()
    }

    fn time(&mut self, time: Stamp) {
        if !self.record.open {
            return self.refuse("has a time", Part::Time);
        }
        self.record.time = self.options.skew.map(|_| time);
    }

    fn problem(&mut self, problem: Problem) {
        self.record.faulty |= problem.place == self.record.place;
        self.problems.push(problem);
    }
}
