//! From records to a computation.
//!
//! Every importer tells a [`Recorder`] what it reads, record by record; the
//! recorder numbers events, finds what each follows directly, and checks the
//! rules of the formats. It keeps nothing per record but what the computation
//! needs.
//!
//! An event's causes come from messages (the event that sends it), from a vector
//! timestamp (the last events that it knows and that its predecessor did not), or
//! are named directly. Where an event has a timestamp and receives messages as
//! well, the timestamp decides and must agree with the messages.
//! [`Recorder::finish`] (`finish.rs`) checks what only the whole input can
//! show: that messages that are received were sent, that events that are known exist, and that
//! nothing happens before itself.

mod finish;
mod messages;
pub(crate) mod skew;
mod telling;

use crate::causality::Event;
use crate::computation::{Computation, VariableId};
use crate::narrow::short;
use crate::problem::{Part, Place, Problem, Rule};
use crate::stamp::Stamp;
use crate::value::{Value, ValueId};
pub(crate) use finish::Lost;
use foldhash::HashMap;
use mazurka_core::ProcessId;
use messages::Messages;
use std::collections::BTreeSet;
use std::fmt;

/// Which variables to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// All of them, and labels.
    #[default]
    All,
    /// These alone, and no labels.
    Only(BTreeSet<String>),
}

/// How to record.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Which variables to keep.
    pub keep: Keep,
    /// Put in events that clocks know and that have no record, and accept
    /// messages without a send.
    pub holes: bool,
    /// Initial values of variables that have none.
    pub defaults: Vec<(String, Value)>,
    /// By how many nanoseconds clocks differ at most, if times are to order events.
    pub skew: Option<u128>,
}

/// Stands for the sending of the message with this number, until it is known.
const MESSAGE: usize = u32::MAX as usize;

/// At most this many events are put in, since a clock may claim any number of them.
const MOST_HOLES: usize = 1 << 20;

/// Makes a computation of records.
#[derive(Debug)]
pub struct Recorder {
    options: Recording,
    computation: Computation,
    process_ids: HashMap<Box<str>, ProcessId>,
    variable_ids: HashMap<Box<str>, Option<VariableId>>,
    label_ids: HashMap<Box<str>, u32>,
    messages: Messages,
    problems: Vec<Problem>,
    record: Record,
    /// Per process.
    lanes: Vec<LaneState>,
    /// Receives of events with a clock, which must know the send.
    agreements: Vec<(Event, u32)>,
    event_names: Option<EventNames>,
    /// If times order events.
    times: skew::Times,
}

/// What an importer calls events, where numbers would mean nothing to the user.
struct EventNames(Box<dyn Fn(Event) -> String + Send>);

impl fmt::Debug for EventNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventNames")
    }
}

/// The record that is being told.
#[derive(Debug)]
struct Record {
    event: Event,
    place: Place,
    /// Whether it is an event's, not an initial state's or none.
    open: bool,
    /// Whether the importer found a mistake in it, so that its clock is ignored.
    faulty: bool,
    causes: Vec<Event>,
    sends: Vec<u32>,
    receives: Vec<u32>,
    clock: Option<Clock>,
    time: Option<Stamp>,
    /// The buffer of the last clock, to be used again.
    spare: Clock,
}

/// A vector timestamp: its entries that are not 0, and the same by process.
#[derive(Debug, Default)]
struct Clock {
    entries: Vec<(ProcessId, u32)>,
    by_process: Vec<u32>,
}

impl Clock {
    fn get(&self, process: ProcessId) -> u32 {
        self.by_process.get(process.index()).copied().unwrap_or(0)
    }

    fn push(&mut self, process: ProcessId, events: u32) {
        if self.by_process.len() <= process.index() {
            self.by_process.resize(process.index() + 1, 0);
        }
        self.by_process[process.index()] = events;
        self.entries.push((process, events));
    }

    fn clear(&mut self) {
        for (p, _) in self.entries.drain(..) {
            self.by_process[p.index()] = 0;
        }
    }
}

/// What is known of a process while its records come in.
#[derive(Debug, Default)]
struct LaneState {
    /// Its last vector timestamp, without its own entry.
    clock: Vec<u32>,
    /// How many entries of it are not 0.
    known: usize,
    /// The events that have a timestamp, and its sum.
    sums: Vec<(u32, u64)>,
    /// What changed in it: at which event, which entry, to what.
    changes: Vec<(u32, ProcessId, u32)>,
    /// How many events are known to be missing, after a problem was reported.
    missing: i64,
}

impl Recorder {
    /// A recorder without records.
    pub fn new(options: Recording) -> Self {
        Self {
            options,
            computation: Computation::default(),
            process_ids: HashMap::default(),
            variable_ids: HashMap::default(),
            label_ids: HashMap::default(),
            messages: Messages::default(),
            problems: Vec::new(),
            record: Record {
                event: Event::new(ProcessId::new(0), 0),
                place: Place::NOWHERE,
                open: false,
                faulty: false,
                causes: Vec::new(),
                sends: Vec::new(),
                receives: Vec::new(),
                clock: None,
                time: None,
                spare: Clock::default(),
            },
            lanes: Vec::new(),
            agreements: Vec::new(),
            event_names: None,
            times: Vec::new(),
        }
    }

    /// How many processes there are so far.
    pub fn processes(&self) -> usize {
        self.computation.processes()
    }

    /// How many events of a process there are so far.
    pub fn events(&self, process: ProcessId) -> u32 {
        self.computation.causality.events(process)
    }

    /// How many problems there are so far.
    pub fn problems(&self) -> usize {
        self.problems.len()
    }

    /// Says what events are called in problems, in place of their numbers.
    pub(crate) fn call_events(&mut self, names: impl Fn(Event) -> String + Send + 'static) {
        self.event_names = Some(EventNames(Box::new(names)));
    }

    fn variable(&mut self, name: &str) -> Option<VariableId> {
        if let Some(known) = self.variable_ids.get(name) {
            return *known;
        }
        let wanted = match &self.options.keep {
            Keep::All => true,
            Keep::Only(names) => names.contains(name),
        };
        let id = wanted.then(|| {
            self.computation.variables.push(name.to_owned());
            VariableId(short(self.computation.variables.len()) - 1)
        });
        self.variable_ids.insert(name.into(), id);
        id
    }

    fn assign(&mut self, variable: VariableId, value: ValueId) {
        let event = self.record.event;
        let columns = &mut self.computation.columns[event.process.index()];
        if columns.len() <= variable.index() {
            columns.resize_with(variable.index() + 1, Vec::new);
        }
        let column = &mut columns[variable.index()];
        match column.last_mut() {
            Some((at, last)) if *at == event.index => *last = value,
            // An assignment of the same value changes nothing.
            Some((_, last)) if *last == value => {}
            _ => column.push((event.index, value)),
        }
    }

    /// An initial state is not an event: it neither sends nor receives nor has a clock.
    fn refuse(&mut self, what: &str, part: Part) {
        let problem = Problem::new(Rule::Field, self.record.place, format!("an initial state {what}"))
            .expected("`vars` alone; only events send, receive and have clocks")
            .part(part);
        self.problems.push(problem);
    }

    /// Ends the record that is being told.
    fn end(&mut self) {
        if !std::mem::take(&mut self.record.open) {
            return;
        }
        let p = self.record.event.process;
        if let Some(mut clock) = self.record.clock.take() {
            if !self.record.faulty {
                self.end_clock(p, &clock);
            }
            clock.clear();
            self.record.spare = clock;
            let event = self.record.event;
            self.agreements
                .extend(self.record.receives.drain(..).map(|message| (event, message)));
        }
        for message in self.record.receives.drain(..) {
            let sent = self.messages.sent(message).filter(|sent| *sent != self.record.event);
            self.record
                .causes
                .push(sent.unwrap_or_else(|| Event::new(ProcessId::new(MESSAGE), message)));
        }
        self.record.sends.clear();
        if let Some(time) = self.record.time.take() {
            if self.times.len() <= p.index() {
                self.times.resize_with(p.index() + 1, Vec::new);
            }
            self.times[p.index()].push((self.record.event.index, time));
        }
        self.computation.places[p.index()].push(self.record.place);
        self.computation.causality.push(p, self.record.causes.drain(..));
    }

    /// Turns the vector timestamp of the current event into its causes.
    fn end_clock(&mut self, p: ProcessId, clock: &Clock) {
        self.check_own_entry(p, clock.get(p));
        let index = self.record.event.index;
        let lane = &mut self.lanes[p.index()];
        if lane.clock.len() < clock.by_process.len() {
            lane.clock.resize(clock.by_process.len(), 0);
        }
        let (mut sum, mut met, mut back) = (0, 0, None);
        for &(q, known) in &clock.entries {
            sum += u64::from(known);
            if q == p {
                continue;
            }
            let before = lane.clock[q.index()];
            met += usize::from(before > 0);
            if known < before {
                back = back.or(Some((q, before, known)));
            }
            if known > before {
                self.record.causes.push(Event::new(q, known));
                lane.changes.push((index, q, known));
            }
            if before == 0 {
                lane.known += 1;
                met += 1;
            }
            lane.clock[q.index()] = known;
        }
        if met < lane.known {
            for (q, before) in ProcessId::first(lane.clock.len()).zip(&mut lane.clock) {
                if *before > 0 && clock.get(q) == 0 {
                    back = back.or(Some((q, *before, 0)));
                    *before = 0;
                    lane.known -= 1;
                }
            }
        }
        lane.sums.push((index, sum));
        if let Some((q, known, now)) = back {
            let name = |process| self.computation.name(process);
            let message = format!(
                "the clock of `{}` goes back: it knew {known} events of `{}`, now {now}",
                name(p),
                name(q)
            );
            let mut problem = Problem::new(Rule::Monotone, self.record.place, message)
                .expected(format!("`{}: {known}` or more", name(q)))
                .part(Part::Clock(name(q).to_owned()));
            if let Some(before) = self.computation.place(p, index - 1) {
                problem = problem.related(before, format!("the event of `{}` before it", name(p)));
            }
            self.problems.push(problem);
        }
    }

    /// A process's own entry is the number of the event; if it is higher, events are missing.
    fn check_own_entry(&mut self, p: ProcessId, own: u32) {
        let index = self.record.event.index;
        let number = i64::from(index) + self.lanes[p.index()].missing;
        if i64::from(own) == number {
            return;
        }
        if self.options.holes && i64::from(own) > number && self.put_in(p, own - 1) {
            return self.move_current(own);
        }
        let name = self.computation.name(p);
        let message = if i64::from(own) > number {
            self.lanes[p.index()].missing += i64::from(own) - number;
            let missing = match i64::from(own) - number {
                1 => format!("event {number} is missing"),
                _ => format!("events {number} to {} are missing", own - 1),
            };
            format!("the clock says `{name}: {own}`, but {missing}")
        } else if own == 0 {
            format!("the clock has no entry for its own process `{name}`")
        } else {
            format!("the clock says `{name}: {own}`, but this is event {number} of `{name}`")
        };
        let expected = match i64::from(own) > number {
            true => format!("`{name}: {number}`, or records of what is missing; `--holes` does without them"),
            false => format!("`{name}: {number}`"),
        };
        let mut problem = Problem::new(Rule::OwnEntry, self.record.place, message)
            .expected(expected)
            .part(Part::Clock(name.to_owned()));
        if index > 1
            && let Some(before) = self.computation.place(p, index - 1)
        {
            problem = problem.related(before, format!("the event of `{name}` before it"));
        }
        self.problems.push(problem);
    }

    /// Puts in events until the process has this many. Returns whether that is acceptable.
    fn put_in(&mut self, p: ProcessId, events: u32) -> bool {
        let missing = events.saturating_sub(self.computation.causality.events(p)) as usize;
        if self.computation.holes.len() + missing > MOST_HOLES {
            return false;
        }
        for _ in 0..missing {
            let hole = self.computation.causality.push(p, []);
            self.computation.places[p.index()].push(Place::NOWHERE);
            self.computation.holes.push(hole);
        }
        true
    }

    /// The current event turned out to have a higher number.
    fn move_current(&mut self, index: u32) {
        let (p, old) = (self.record.event.process.index(), self.record.event.index);
        self.record.event.index = index;
        for column in &mut self.computation.columns[p] {
            if let Some(last) = column.last_mut().filter(|(event, _)| *event == old) {
                last.0 = index;
            }
        }
        let labels = &mut self.computation.labels[p];
        if labels.len() > old as usize {
            let label = labels.pop().expect("it is there");
            labels.resize(index as usize, 0);
            labels.push(label);
        }
        for &message in &self.record.sends {
            self.messages.send(message, self.record.event);
        }
    }
}

#[cfg(test)]
mod tests;
