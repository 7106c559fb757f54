//! The rules that only the whole input can break.
//!
//! Each message that is received was sent; a clock knows only events that exist, and knows what they
//! knew; and nothing happens before itself. A clock is
//! compared with the one derived from the direct causes: every entry of it became
//! a cause or was one already, so the derived clock is nowhere smaller, and the
//! two are the same iff their sums are.

use super::{EventNames, LaneState, MESSAGE, MOST_HOLES, Recorder};
use crate::causality::Event;
use crate::clocks::Clocks;
use crate::computation::Computation;
use crate::problem::{Part, Place, Problem, Rule};
use mazurka_core::ProcessId;

/// Receives of messages without a send.
pub(crate) type Lost = Vec<(Event, String)>;

impl Recorder {
    /// Ends the input.
    ///
    /// # Errors
    /// Every problem that was found, in the order of the input.
    pub fn finish(self) -> Result<Computation, Vec<Problem>> {
        self.finish_with_lost().map(|(computation, _)| computation)
    }

    /// Ends an input that was not read to its end: the problems so far.
    pub fn abandon(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|p| p.place);
        self.problems
    }

    /// As [`finish`](Self::finish), with the receives whose sends are missing.
    pub(crate) fn finish_with_lost(mut self) -> Result<(Computation, Lost), Vec<Problem>> {
        self.end();
        // A record that could not be read may be what the others lack.
        let unread = |p: &Problem| matches!(p.rule, Rule::Syntax | Rule::Field);
        if self.problems.iter().any(unread) {
            return Err(self.abandon());
        }
        if self.options.holes {
            self.fill_holes();
        }
        let lost = self.resolve_messages();
        if self.problems.is_empty() {
            self.check_known_events();
        }
        if self.problems.is_empty() {
            self.check_order();
        }
        if self.problems.is_empty() {
            self.order_by_time();
        }
        if !self.problems.is_empty() {
            return Err(self.abandon());
        }
        self.apply_defaults();
        self.computation.causality.shrink();
        for places in &mut self.computation.places {
            places.starts.shrink_to_fit();
            places.lengths.shrink_to_fit();
        }
        for column in self.computation.columns.iter_mut().flatten() {
            column.shrink_to_fit();
        }
        Ok((self.computation, lost))
    }

    fn fill_holes(&mut self) {
        let mut last: Vec<(u32, Event)> = (self
            .computation
            .process_ids()
            .zip(self.computation.causality.last_cut()))
        .map(|(p, events)| (events, Event::new(p, events)))
        .collect();
        self.computation.causality.map_causes(|event, cause| {
            if cause.process.index() != MESSAGE {
                let known = &mut last[cause.process.index()];
                if known.0 < cause.index {
                    *known = (cause.index, event);
                }
            }
            Some(cause)
        });
        for (p, (last, who)) in self.computation.process_ids().zip(last) {
            if !self.put_in(p, last) {
                let name = self.computation.name(p);
                let message = format!("the clock knows {last} events of `{name}`, most of which have no record");
                let place = self.computation.place(who.process, who.index);
                let problem = Problem::new(Rule::KnownEvents, place.unwrap_or(Place::NOWHERE), message)
                    .expected(format!("no more than {MOST_HOLES} missing events"))
                    .part(Part::Clock(name.to_owned()));
                self.problems.push(problem);
            }
        }
    }

    /// Replaces messages by the events that send them. Returns the receives of
    /// messages without a send.
    fn resolve_messages(&mut self) -> Lost {
        let messages = &self.messages;
        let mut lost = Vec::new();
        self.computation.causality.map_causes(|event, cause| {
            let mut cause = cause;
            if cause.process.index() == MESSAGE {
                let message = cause.index;
                match messages.sent(message) {
                    Some(sent) => cause = sent,
                    None => {
                        lost.push((event, message));
                        return None;
                    }
                }
            }
            // A process's own order is known anyway.
            (cause.process != event.process || cause.index >= event.index).then_some(cause)
        });
        self.agreements.retain(|&(event, message)| {
            let sent = messages.sent(message).is_some();
            if !sent {
                lost.push((event, message));
            }
            sent
        });
        let lost: Vec<_> = lost.into_iter().map(|(event, m)| (event, messages.name(m))).collect();
        if !self.options.holes {
            for (event, name) in &lost {
                let place = self.computation.place(event.process, event.index);
                let message = format!("message `{name}` is received, but no event sends it");
                self.problems.push(
                    Problem::new(Rule::SentBeforeReceived, place.unwrap_or(Place::NOWHERE), message)
                        .expected(format!("a record with `\"send\": [\"{name}\"]`"))
                        .part(Part::Receive(name.clone())),
                );
            }
        }
        lost
    }

    fn check_known_events(&mut self) {
        let last = self.computation.causality.last_cut();
        let mut unknown = Vec::new();
        self.computation.causality.map_causes(|event, cause| {
            if cause.index > last[cause.process.index()] {
                unknown.push((event, cause));
            }
            Some(cause)
        });
        for (event, cause) in unknown {
            let (q, name) = (cause.process, self.computation.name(cause.process));
            let events = last[q.index()];
            let place = self.computation.place(event.process, event.index);
            let message = match events {
                0 => format!(
                    "the clock knows {} events of `{name}`, of which there is no record",
                    cause.index
                ),
                n => format!("the clock knows {} events of `{name}`, which has only {n}", cause.index),
            };
            let mut problem = Problem::new(Rule::KnownEvents, place.unwrap_or(Place::NOWHERE), message)
                .expected(format!(
                    "at most `{name}: {events}`, or records of the others; `--holes` does without them"
                ))
                .part(Part::Clock(name.to_owned()));
            if let Some(place) = self.computation.place(q, events).filter(|_| events > 0) {
                problem = problem.related(place, format!("the last event of `{name}`"));
            }
            self.problems.push(problem);
        }
    }

    fn check_order(&mut self) {
        if self.lanes.iter().all(|lane| lane.sums.is_empty()) {
            if let Err(cycle) = self.computation.causality.in_order(|_| {}) {
                self.problems.push(cyclic(&self.computation, &self.event_names, &cycle));
            }
            return;
        }
        let clocks = match Clocks::of(&self.computation.causality) {
            Ok(clocks) => clocks,
            Err(cycle) => {
                self.problems.push(cyclic(&self.computation, &self.event_names, &cycle));
                return;
            }
        };
        for (p, lane) in self.computation.process_ids().zip(&self.lanes) {
            let known = |index| self.computation.process_ids().map(move |q| (index, q));
            let sum = |index| -> u64 { known(index).map(|(i, q)| u64::from(clocks.known(p, i, q))).sum() };
            // If one event lacks something, so do its successors: one report is enough.
            if let Some((index, _)) = lane.sums.iter().find(|(index, given)| sum(*index) > *given) {
                self.problems
                    .push(not_transitive(&self.computation, &clocks, lane, p, *index));
            }
        }
        let disagree = |&&(event, message): &&(Event, u32)| {
            let sent = self.messages.sent(message);
            sent.is_some_and(|sent| !clocks.happens_before(sent, event))
        };
        for &(event, message) in self.agreements.iter().filter(disagree) {
            let sent = self.messages.sent(message).expect("only these are left");
            let problem = unknown_send(&self.computation, &clocks, event, &self.messages.name(message), sent);
            self.problems.push(problem);
        }
        // Keep the causes that no other cause implies.
        let order = self.computation.causality.clone();
        self.computation.causality.map_causes(|event, cause| {
            let implied = order
                .causes(event.process, event.index)
                .iter()
                .any(|other| *other != cause && clocks.known(other.process, other.index, cause.process) >= cause.index);
            (!implied).then_some(cause)
        });
    }

    fn apply_defaults(&mut self) {
        for (name, value) in std::mem::take(&mut self.options.defaults) {
            let Some(v) = self.variable(&name) else { continue };
            let id = self.computation.values.intern(value);
            for columns in &mut self.computation.columns {
                if columns.len() <= v.index() {
                    columns.resize_with(v.index() + 1, Vec::new);
                }
                let column = &mut columns[v.index()];
                if column.first().is_none_or(|(event, _)| *event > 0) {
                    column.insert(0, (0, id));
                }
            }
        }
    }
}

/// An event in words: as the importer calls it, or by its number, process and label.
pub(super) fn describe(computation: &Computation, names: &Option<EventNames>, event: Event) -> String {
    if let Some(names) = names {
        return (names.0)(event);
    }
    let name = computation.name(event.process);
    match computation.label(event.process, event.index) {
        "" => format!("event {} of `{name}`", event.index),
        label => format!("event {} of `{name}` (`{label}`)", event.index),
    }
}

/// Describes a cycle. Of two neighbours the first follows the second
/// directly or follows a later event of the second's process.
fn cyclic(computation: &Computation, names: &Option<EventNames>, cycle: &[Event]) -> Problem {
    let describe = |event| describe(computation, names, event);
    let place = |e: Event| computation.place(e.process, e.index);
    let mut story = Vec::new();
    for (at, &event) in cycle.iter().enumerate() {
        let next = cycle[(at + 1) % cycle.len()];
        let causes = computation.causality.causes(event.process, event.index);
        let cause = causes
            .iter()
            .find(|c| c.process == next.process && c.index >= next.index);
        let cause = cause.copied().unwrap_or(next);
        story.push(format!("{} follows {}", describe(event), describe(cause)));
        if cause != next {
            story.push(format!("which comes after {}", describe(next)));
        }
    }
    let message = format!("these happen before one another: {}", story.join(", "));
    let mut problem = Problem::new(Rule::Acyclic, place(cycle[0]).unwrap_or(Place::NOWHERE), message)
        .expected("an order in which nothing happens before itself");
    for &event in &cycle[1..] {
        if let Some(at) = place(event) {
            problem = problem.related(at, describe(event));
        }
    }
    problem
}

/// A clock lacks something that was known to the events it knows.
fn not_transitive(computation: &Computation, clocks: &Clocks, lane: &LaneState, p: ProcessId, index: u32) -> Problem {
    let order = &computation.causality;
    let mut given = vec![0; computation.processes()];
    for &(_, q, known) in lane.changes.iter().take_while(|(event, ..)| *event <= index) {
        given[q.index()] = known;
    }
    let missing = computation
        .process_ids()
        .find(|&q| q != p && given[q.index()] < clocks.known(p, index, q));
    let q = missing.expect("the sums differ, so some entry does");
    let (known, name) = (clocks.known(p, index, q), computation.name(q));
    let place = computation.place(p, index).unwrap_or(Place::NOWHERE);
    let message = format!(
        "the clock knows {} events of `{name}`, but an event that it knows knew {known}",
        given[q.index()]
    );
    let mut problem = Problem::new(Rule::Transitive, place, message)
        .expected(format!("`{name}: {known}` or more"))
        .part(Part::Clock(name.to_owned()));
    let through = (1..=index).flat_map(|k| order.causes(p, k)).find(|c| {
        let r = c.process;
        r == q && c.index >= known || r != q && clocks.known(r, c.index, q) >= known
    });
    if let Some(at) = through.and_then(|c| computation.place(c.process, c.index)) {
        problem = problem.related(at, "it knows this event, which knew more");
    }
    problem
}

/// An event receives a message whose sending its clock does not know.
fn unknown_send(computation: &Computation, clocks: &Clocks, event: Event, message: &str, sent: Event) -> Problem {
    let (p, q) = (event.process, sent.process);
    let name = computation.name(q);
    let place = computation.place(p, event.index).unwrap_or(Place::NOWHERE);
    let (rule, text) = match p == q {
        true => (
            Rule::Acyclic,
            format!("message `{message}` is received by the process that sends it, before it does"),
        ),
        false => (
            Rule::Transitive,
            format!(
                "message `{message}` is received, which event {} of `{name}` sends, but the clock knows {} of them",
                sent.index,
                clocks.known(p, event.index, q)
            ),
        ),
    };
    let mut problem = Problem::new(rule, place, text)
        .expected(format!("`{name}: {}` or more", sent.index))
        .part(Part::Receive(message.to_owned()));
    if let Some(at) = computation.place(q, sent.index) {
        problem = problem.related(at, "it is sent here");
    }
    problem
}
