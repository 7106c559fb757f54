//! From records to a computation.
//!
//! Every importer tells a [`Recorder`] what it reads, record by record; the
//! recorder numbers events, finds what each follows directly, and checks the
//! rules of the formats. It keeps nothing per record but what the computation
//! needs.
//!
//! An event's causes come from messages (the event that sends it), from a vector
//! timestamp (the last events that it knows and that its predecessor did not), or
//! are named directly. [`Recorder::finish`] checks what only the whole input can
//! show: that what is received was sent, that what is known exists and knew
//! nothing more, that nothing happens before itself.

use crate::causality::Event;
use crate::clocks::Clocks;
use crate::computation::{Computation, Places, VariableId};
use crate::problem::{Place, Problem, Rule};
use crate::value::Value;
use foldhash::HashMap;
use hashbrown::HashTable;
use mazurka_core::ProcessId;
use std::collections::BTreeSet;
use std::hash::BuildHasher;

/// Which variables to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// All of them, and labels.
    #[default]
    All,
    /// These alone, and no labels.
    Only(BTreeSet<String>),
}

/// How to take down records.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Which variables to keep.
    pub keep: Keep,
    /// Put in events that clocks speak of and that have no record.
    pub holes: bool,
    /// Initial values of variables that have none.
    pub defaults: Vec<(String, Value)>,
}

/// Stands for the sending of the message with this number, until it is known.
const MESSAGE: usize = u32::MAX as usize;

/// Takes down records.
#[derive(Debug)]
pub struct Recorder {
    options: Recording,
    computation: Computation,
    process_ids: HashMap<Box<str>, usize>,
    variable_ids: HashMap<Box<str>, Option<VariableId>>,
    label_ids: HashMap<Box<str>, u32>,
    messages: Messages,
    problems: Vec<Problem>,
    /// The record that is being taken down.
    current: Event,
    place: Place,
    causes: Vec<Event>,
    clock: Vec<(usize, u32)>,
    has_clock: bool,
    open: bool,
    /// Per process.
    lanes: Vec<LaneState>,
    any_clock: bool,
}

/// What is known of a process while its records come in.
#[derive(Debug, Default)]
struct LaneState {
    /// Its last vector timestamp, sparse.
    clock: Vec<u32>,
    /// The events that have one, and its sum.
    sums: Vec<(u32, u64)>,
}

/// The messages by name.
#[derive(Debug, Default)]
struct Messages {
    table: HashTable<u32>,
    hasher: foldhash::fast::FixedState,
    /// All names, one after the other, and where each ends.
    names: Vec<u8>,
    ends: Vec<usize>,
    /// The event that sends it; index 0 if unknown.
    sent: Vec<Event>,
}

impl Messages {
    fn name(&self, id: u32) -> &[u8] {
        name(&self.names, &self.ends, id)
    }

    fn intern(&mut self, text: &str) -> u32 {
        let hash = self.hasher.hash_one(text.as_bytes());
        let (names, ends) = (&mut self.names, &mut self.ends);
        if let Some(&id) = self.table.find(hash, |&id| name(names, ends, id) == text.as_bytes()) {
            return id;
        }
        let id = u32::try_from(self.sent.len()).expect("fewer than 2^32 messages");
        names.extend_from_slice(text.as_bytes());
        ends.push(names.len());
        self.sent.push(Event::new(0, 0));
        let hasher = &self.hasher;
        self.table
            .insert_unique(hash, id, |&id| hasher.hash_one(name(names, ends, id)));
        id
    }
}

fn name<'a>(names: &'a [u8], ends: &[usize], id: u32) -> &'a [u8] {
    let from = if id == 0 { 0 } else { ends[id as usize - 1] };
    &names[from..ends[id as usize]]
}

impl Recorder {
    /// A recorder that has heard nothing yet.
    pub fn new(options: Recording) -> Self {
        Self {
            options,
            computation: Computation::default(),
            process_ids: HashMap::default(),
            variable_ids: HashMap::default(),
            label_ids: HashMap::default(),
            messages: Messages::default(),
            problems: Vec::new(),
            current: Event::new(0, 0),
            place: Place::NOWHERE,
            causes: Vec::new(),
            clock: Vec::new(),
            has_clock: false,
            open: false,
            lanes: Vec::new(),
            any_clock: false,
        }
    }

    /// The process of this name, a new one if it was not heard of.
    pub fn process(&mut self, name: &str) -> ProcessId {
        if let Some(&p) = self.process_ids.get(name) {
            return ProcessId::new(p);
        }
        let p = self.computation.causality.add_process();
        self.process_ids.insert(name.into(), p.index());
        self.computation.names.push(name.to_owned());
        self.computation.columns.push(Vec::new());
        self.computation.labels.push(Vec::new());
        let mut places = Places::default();
        places.push(Place::NOWHERE);
        self.computation.places.push(places);
        self.lanes.push(LaneState::default());
        p
    }

    /// How many processes were heard of.
    pub fn processes(&self) -> usize {
        self.computation.processes()
    }

    /// How many events of a process were taken down.
    pub fn events(&self, process: ProcessId) -> u32 {
        self.computation.causality.events(process.index())
    }

    /// Begins the record of a process's initial state.
    pub fn init(&mut self, process: ProcessId, place: Place) {
        self.end();
        let p = process.index();
        self.current = Event { process, index: 0 };
        self.place = place;
        if self.events(process) > 0 || self.computation.place(p, 0).is_some() {
            let name = &self.computation.names[p];
            let message = format!("the initial state of `{name}` comes after another record of it");
            let mut problem = Problem::new(Rule::InitFirst, place, message)
                .expected("an `init` record before all events of its process, and only one");
            if let Some(before) = self.computation.place(p, 0).or(self.computation.place(p, 1)) {
                problem = problem.related(before, "the earlier record");
            }
            self.problems.push(problem);
            return;
        }
        self.computation.set_place(p, 0, place);
    }

    /// Begins the record of the next event of a process.
    pub fn event(&mut self, process: ProcessId, place: Place) -> Event {
        self.end();
        self.current = Event {
            process,
            index: self.events(process) + 1,
        };
        self.place = place;
        self.open = true;
        self.current
    }

    /// What the event of this record is called.
    pub fn label(&mut self, text: &str) {
        if self.options.keep != Keep::All {
            return;
        }
        let next = self.computation.label_texts.len() as u32;
        let id = match self.label_ids.get(text) {
            Some(&id) => id,
            None => {
                if next == 0 {
                    self.computation.label_texts.push("".into());
                    self.label_ids.insert("".into(), 0);
                }
                let id = self.computation.label_texts.len() as u32;
                self.computation.label_texts.push(text.into());
                self.label_ids.insert(text.into(), id);
                id
            }
        };
        let labels = &mut self.computation.labels[self.current.process.index()];
        labels.resize(self.current.index as usize, 0);
        labels.push(id);
    }

    /// Whether a variable is kept, so that its value is worth reading.
    pub fn wants(&mut self, variable: &str) -> bool {
        self.variable(variable).is_some()
    }

    /// This record assigns a value to a variable.
    pub fn set(&mut self, variable: &str, value: Value) {
        if let Some(v) = self.variable(variable) {
            let id = self.computation.values.intern(value);
            self.assign(v, id);
        }
    }

    /// This record assigns a text to a variable.
    pub fn set_str(&mut self, variable: &str, text: &str) {
        if let Some(v) = self.variable(variable) {
            let id = self.computation.values.intern_str(text);
            self.assign(v, id);
        }
    }

    /// The event of this record sends a message.
    pub fn send(&mut self, message: &str) {
        let id = self.messages.intern(message) as usize;
        let before = self.messages.sent[id];
        if before.index > 0 {
            let mut problem = Problem::new(
                Rule::SentOnce,
                self.place,
                format!("message `{message}` is sent a second time"),
            )
            .expected("a name of its own for every message");
            if let Some(place) = self.computation.place(before.process.index(), before.index) {
                problem = problem.related(place, "it was sent here");
            }
            self.problems.push(problem);
            return;
        }
        self.messages.sent[id] = self.current;
    }

    /// The event of this record receives a message, which may be sent later in the input.
    pub fn receive(&mut self, message: &str) {
        let id = self.messages.intern(message);
        let sent = self.messages.sent[id as usize];
        self.causes.push(match sent.index {
            0 => Event::new(MESSAGE, id),
            _ => sent,
        });
    }

    /// The event of this record follows another one directly. That one may be
    /// taken down later.
    pub fn after(&mut self, cause: Event) {
        self.causes.push(cause);
    }

    /// An entry of the vector timestamp of this record's event: how many events
    /// of a process it knows, itself included.
    pub fn clock(&mut self, process: &str, events: u32) {
        let p = self.process(process).index();
        self.has_clock = true;
        if events > 0 {
            self.clock.push((p, events));
        }
    }

    /// Notes a problem that the importer found itself.
    pub fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// How many problems there are so far.
    pub fn problems(&self) -> usize {
        self.problems.len()
    }

    /// Ends the input.
    ///
    /// # Errors
    /// Every problem that was found, in the order of the input.
    pub fn finish(mut self) -> Result<Computation, Vec<Problem>> {
        self.end();
        if self.options.holes {
            self.fill_holes();
        }
        self.resolve_messages();
        if self.problems.is_empty() {
            self.check_known_events();
        }
        if self.problems.is_empty() {
            self.check_order();
        }
        if !self.problems.is_empty() {
            self.problems.sort_by_key(|p| p.place);
            return Err(self.problems);
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
        Ok(self.computation)
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
            VariableId(self.computation.variables.len() as u32 - 1)
        });
        self.variable_ids.insert(name.into(), id);
        id
    }

    fn assign(&mut self, variable: VariableId, value: crate::value::ValueId) {
        let columns = &mut self.computation.columns[self.current.process.index()];
        if columns.len() <= variable.index() {
            columns.resize_with(variable.index() + 1, Vec::new);
        }
        let column = &mut columns[variable.index()];
        match column.last_mut() {
            Some((event, last)) if *event == self.current.index => *last = value,
            // An assignment of the same value changes nothing.
            Some((_, last)) if *last == value => {}
            _ => column.push((self.current.index, value)),
        }
    }

    /// Ends the record that is being taken down.
    fn end(&mut self) {
        if !self.open {
            return;
        }
        self.open = false;
        let p = self.current.process.index();
        if self.has_clock {
            self.end_clock(p);
        }
        self.computation.places[p].push(self.place);
        self.computation.causality.push(p, self.causes.drain(..));
    }

    /// Turns the vector timestamp of the current event into its causes.
    fn end_clock(&mut self, p: usize) {
        self.has_clock = false;
        self.any_clock = true;
        let names = &self.computation.names;
        let own = self.clock.iter().find(|(q, _)| *q == p).map_or(0, |(_, k)| *k);
        let index = self.current.index;
        if own != index {
            if self.options.holes && own > index {
                while self.computation.causality.events(p) + 1 < own {
                    let hole = self.computation.causality.push(p, []);
                    self.computation.places[p].push(Place::NOWHERE);
                    self.computation.holes.push(hole);
                }
                self.move_current(own);
            } else {
                let mut problem = Problem::new(
                    Rule::OwnEntry,
                    self.place,
                    format!(
                        "this is event {index} of `{}`, but its clock says `{0}: {own}`",
                        names[p]
                    ),
                )
                .expected(format!("`{}: {index}`", names[p]));
                if index > 1
                    && let Some(before) = self.computation.place(p, index - 1)
                {
                    problem = problem.related(before, format!("event {} of `{}`", index - 1, names[p]));
                }
                self.problems.push(problem);
            }
        }
        let index = self.current.index;
        let names = &self.computation.names;
        let lane = &mut self.lanes[p];
        lane.clock.resize(names.len(), 0);
        let mut sum = 0;
        let mut back = None;
        for (q, known) in lane.clock.iter().enumerate() {
            let now = self.clock.iter().find(|(r, _)| *r == q).map_or(0, |(_, k)| *k);
            if q != p && now < *known && back.is_none() {
                back = Some((q, *known, now));
            }
        }
        if let Some((q, known, now)) = back {
            let problem = Problem::new(
                Rule::Monotone,
                self.place,
                format!(
                    "the clock of `{}` goes back: it knew {known} events of `{}`, now {now}",
                    names[p], names[q]
                ),
            )
            .expected(format!("`{}: {known}` or more", names[q]));
            self.problems.push(problem);
        }
        for (q, known) in self.clock.drain(..) {
            sum += u64::from(known);
            if q != p && known > lane.clock[q] {
                self.causes.push(Event::new(q, known));
            }
            lane.clock[q] = known;
        }
        lane.sums.push((index, sum));
    }

    /// The current event turned out to have a higher number.
    fn move_current(&mut self, index: u32) {
        let (p, old) = (self.current.process.index(), self.current.index);
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
        for sent in &mut self.messages.sent {
            if *sent == self.current {
                sent.index = index;
            }
        }
        self.current.index = index;
    }

    fn fill_holes(&mut self) {
        let mut last = self.computation.causality.last_cut();
        self.computation.causality.map_causes(|_, cause| {
            if cause.process.index() != MESSAGE {
                let known = &mut last[cause.process.index()];
                *known = (*known).max(cause.index);
            }
            Some(cause)
        });
        for (p, last) in last.into_iter().enumerate() {
            while self.computation.causality.events(p) < last {
                let hole = self.computation.causality.push(p, []);
                self.computation.places[p].push(Place::NOWHERE);
                self.computation.holes.push(hole);
            }
        }
    }

    fn resolve_messages(&mut self) {
        let (messages, problems) = (&self.messages, &mut self.problems);
        let holes = self.options.holes;
        let mut lost = Vec::new();
        self.computation.causality.map_causes(|event, cause| {
            let mut cause = cause;
            if cause.process.index() == MESSAGE {
                let message = cause.index;
                cause = messages.sent[message as usize];
                if cause.index == 0 {
                    lost.push((event, message));
                    return None;
                }
            }
            // What a process did before goes without saying.
            (cause.process != event.process || cause.index >= event.index).then_some(cause)
        });
        if holes {
            return;
        }
        for (event, message) in lost {
            let place = self.computation.place(event.process.index(), event.index);
            let name = String::from_utf8_lossy(messages.name(message));
            problems.push(
                Problem::new(
                    Rule::SentBeforeReceived,
                    place.unwrap_or(Place::NOWHERE),
                    format!("message `{name}` is received, but no event sends it"),
                )
                .expected(format!("a record with `\"send\": [\"{name}\"]`")),
            );
        }
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
            let (q, name) = (cause.process.index(), &self.computation.names[cause.process.index()]);
            let place = self.computation.place(event.process.index(), event.index);
            let message = match last[q] {
                0 => format!(
                    "the clock knows {} events of `{name}`, of which there is no record",
                    cause.index
                ),
                n => format!("the clock knows {} events of `{name}`, which has only {n}", cause.index),
            };
            let mut problem = Problem::new(Rule::KnownEvents, place.unwrap_or(Place::NOWHERE), message)
                .expected(format!("at most `{name}: {}`", last[q]));
            if let Some(place) = self.computation.place(q, last[q]).filter(|_| last[q] > 0) {
                problem = problem.related(place, format!("the last event of `{name}`"));
            }
            self.problems.push(problem);
        }
    }

    fn check_order(&mut self) {
        let computation = &mut self.computation;
        let clocks = match self.any_clock {
            true => Clocks::of(&computation.causality),
            false => computation.causality.in_order(|_| {}).map(|()| Clocks::default()),
        };
        match clocks {
            Err(cycle) => {
                let place = |e: &Event| computation.place(e.process.index(), e.index);
                let name = |e: &Event| &computation.names[e.process.index()];
                let first = &cycle[0];
                let who: Vec<_> = cycle
                    .iter()
                    .map(|e| format!("event {} of `{}`", e.index, name(e)))
                    .collect();
                let message = format!("these happen before one another: {}", who.join(", "));
                let mut problem = Problem::new(Rule::Acyclic, place(first).unwrap_or(Place::NOWHERE), message)
                    .expected("an order in which nothing happens before itself");
                for e in &cycle[1..] {
                    if let Some(at) = place(e) {
                        problem = problem.related(at, format!("event {} of `{}`", e.index, name(e)));
                    }
                }
                self.problems.push(problem);
            }
            Ok(clocks) if self.any_clock => {
                for (p, lane) in self.lanes.iter().enumerate() {
                    for &(index, sum) in &lane.sums {
                        let derived: u64 = (0..clocks.processes())
                            .map(|q| u64::from(clocks.known(p, index, q)))
                            .sum();
                        if derived > sum && !self.options.holes {
                            let problem = not_transitive(computation, &clocks, p, index);
                            self.problems.push(problem);
                            break;
                        }
                    }
                }
                // Keep the causes that no other cause implies.
                let order = computation.causality.clone();
                computation.causality.map_causes(|event, cause| {
                    let implied = order.causes(event.process.index(), event.index).iter().any(|other| {
                        *other != cause
                            && clocks.known(other.process.index(), other.index, cause.process.index()) >= cause.index
                    });
                    (!implied).then_some(cause)
                });
            }
            Ok(_) => {}
        }
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

/// What a clock misses that events it knows knew.
fn not_transitive(computation: &Computation, clocks: &Clocks, p: usize, index: u32) -> Problem {
    let order = &computation.causality;
    let names = &computation.names;
    let mut given = vec![0; names.len()];
    for k in 1..=index {
        for cause in order.causes(p, k) {
            given[cause.process.index()] = cause.index;
        }
    }
    let missing = (0..names.len()).find(|&q| q != p && given[q] < clocks.known(p, index, q));
    let q = missing.expect("something is missing");
    let known = clocks.known(p, index, q);
    let place = computation.place(p, index).unwrap_or(Place::NOWHERE);
    let mut problem = Problem::new(
        Rule::Transitive,
        place,
        format!(
            "the clock knows {} events of `{}`, but an event that it knows knew {known}",
            given[q], names[q]
        ),
    )
    .expected(format!("`{}: {known}` or more", names[q]));
    let through = (1..=index).flat_map(|k| order.causes(p, k)).find(|c| {
        let r = c.process.index();
        r != q && clocks.known(r, c.index, q) >= known
    });
    if let Some(at) = through.and_then(|c| computation.place(c.process.index(), c.index)) {
        problem = problem.related(at, "it knows this event, which knew more");
    }
    problem
}
