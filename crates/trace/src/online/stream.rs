//! What has arrived of a run and can still matter.
//!
//! Records arrive in any interleaving; only those of one process keep their order. An
//! event is *delivered* once everything that happened before it has been: until then no
//! consistent cut of arrived states can contain it. A delivered event gets its vector
//! timestamp, and is kept only if it changes a variable that some question reads, as
//! the beginning of a new local state (weak vector clocks; paper, section 8). The
//! questions say which local states they may still look at; the rest is dropped.
//!
//! For each message that was sent, the knowledge of its sender is kept until every process knows as
//! much; after that only the hash of its name is kept, so that a late receive is not taken for one
//! without a send.

use crate::narrow::short;
use crate::problem::Place;
use crate::value::{ValueId, Values};
use foldhash::{HashMap, HashSet};
use std::collections::{BTreeSet, VecDeque};
use std::hash::BuildHasher;
use std::rc::Rc;

/// How many events of each process are known; missing entries at the end are 0.
pub(super) type Clock = Rc<[u32]>;

/// A local state that the questions can tell from the one before.
#[derive(Clone, Debug)]
pub(super) struct LocalState {
    /// The event that leads to it; 0 for the initial state.
    pub(super) event: u32,
    /// What that event knows of the others.
    pub(super) clock: Clock,
    /// The values of the variables that the questions read.
    pub(super) values: Rc<[ValueId]>,
}

/// What has arrived of one process.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) name: String,
    /// Whether the input has mentioned it.
    mentioned: bool,
    /// Whether a record of it has arrived, so that its initial state is known.
    pub(super) heard: bool,
    /// Nothing more will come.
    pub(super) ended: bool,
    /// How many local states were dropped, and those that follow them.
    dropped: u32,
    states: VecDeque<LocalState>,
    /// The last event that was delivered, and what it knows.
    delivered: u32,
    clock: Clock,
    /// Events that wait for others, in order.
    pub(super) waiting: VecDeque<Arrived>,
    /// What a clock of its last arrived event said.
    told: Vec<u32>,
    arrived: u32,
    /// The kept variables that a record of it has assigned.
    assigned: Vec<usize>,
}

/// An event that has arrived.
#[derive(Clone, Debug)]
pub(super) struct Arrived {
    pub(super) sets: Vec<(usize, ValueId)>,
    pub(super) sends: Vec<String>,
    pub(super) receives: Vec<String>,
    /// How many of the messages it receives are known to be sent.
    met: usize,
    /// Its vector timestamp, if it came with one: process, events.
    pub(super) clock: Option<Vec<(usize, u32)>>,
    /// Where its record is.
    pub(super) place: Place,
}

impl Arrived {
    /// An event that does nothing yet.
    pub(super) fn at(place: Place) -> Self {
        Self {
            sets: Vec::new(),
            sends: Vec::new(),
            receives: Vec::new(),
            met: 0,
            clock: None,
            place,
        }
    }
}

#[derive(Debug)]
struct Message {
    sender: usize,
    event: u32,
    clock: Clock,
}

/// An event that was delivered, for formulas, which look at each; number 0 is the initial state.
#[derive(Clone, Debug)]
pub(super) struct Delivered {
    pub(super) process: usize,
    pub(super) event: u32,
    pub(super) clock: Clock,
    pub(super) sets: Vec<(usize, ValueId)>,
    /// The same as names and values, once they were looked up.
    pub(super) values: Vec<(String, crate::value::Value)>,
}

/// The run so far.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// What was delivered since the last look; `None` if nobody looks.
    pub(super) log: Option<Vec<Delivered>>,
    pub(super) lanes: Vec<Lane>,
    by_name: HashMap<String, usize>,
    /// The processes in the order in which the input mentions them.
    mentioned: Vec<usize>,
    pub(super) values: Values,
    /// The variables that are kept, by name, and their initial values.
    variables: Vec<String>,
    defaults: Vec<ValueId>,
    messages: HashMap<String, Message>,
    /// The messages that waiting events send.
    to_be_sent: HashSet<String>,
    forgotten: std::collections::HashSet<u64, foldhash::fast::FixedState>,
    hasher: foldhash::fast::FixedState,
    /// The processes that wait for a message, or for an event of a process.
    for_message: HashMap<String, Vec<usize>>,
    for_event: Vec<BTreeSet<(u32, usize)>>,
}

impl Lane {
    /// How many events were delivered.
    pub(super) fn delivered(&self) -> u32 {
        self.delivered
    }

    /// What the last delivered event knows.
    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }
}

impl Stream {
    pub(super) fn new(variables: Vec<String>, defaults: &[(String, crate::value::Value)]) -> Self {
        let mut values = Values::default();
        let defaults = variables.iter().map(|name| {
            let default = defaults.iter().find(|(n, _)| n == name);
            default.map_or(ValueId::NULL, |(_, v)| values.intern(v.clone()))
        });
        let defaults = defaults.collect();
        Self {
            defaults,
            variables,
            values,
            ..Self::default()
        }
    }

    /// The variables that are kept.
    pub(super) fn variables(&self) -> &[String] {
        &self.variables
    }

    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|v| v == name)
    }

    /// A record of a process assigns a variable.
    pub(super) fn note_assigned(&mut self, p: usize, variable: usize) {
        let assigned = &mut self.lanes[p].assigned;
        if !assigned.contains(&variable) {
            assigned.push(variable);
        }
    }

    /// Whether a process has assigned a variable, or has a value of it from the beginning.
    pub(super) fn has_assigned(&self, process: &str, variable: &str) -> bool {
        let (Some(&p), Some(v)) = (self.by_name.get(process), self.variable(variable)) else {
            return true;
        };
        let lane = &self.lanes[p];
        !lane.heard || lane.assigned.contains(&v) || self.defaults[v] != ValueId::NULL
    }

    /// The process of this name, perhaps a new one.
    pub(super) fn process(&mut self, name: &str) -> usize {
        if let Some(&p) = self.by_name.get(name) {
            return p;
        }
        let p = self.lanes.len();
        self.by_name.insert(name.to_owned(), p);
        self.for_event.push(BTreeSet::new());
        self.lanes.push(Lane {
            name: name.to_owned(),
            mentioned: false,
            heard: false,
            ended: false,
            dropped: 0,
            states: VecDeque::new(),
            delivered: 0,
            clock: Rc::from([]),
            waiting: VecDeque::new(),
            told: Vec::new(),
            arrived: 0,
            assigned: Vec::new(),
        });
        p
    }

    /// The input mentions a process.
    pub(super) fn mention(&mut self, p: usize) {
        if !std::mem::replace(&mut self.lanes[p].mentioned, true) {
            self.mentioned.push(p);
        }
    }

    /// All processes: first those that the input mentions, in its order, then the others.
    pub(super) fn in_order(&self) -> Vec<usize> {
        let others = (0..self.lanes.len()).filter(|p| !self.lanes[*p].mentioned);
        self.mentioned.iter().copied().chain(others).collect()
    }

    /// A number that changes whenever a process is added or mentioned for the first time.
    pub(super) fn edition(&self) -> usize {
        self.lanes.len() + self.mentioned.len()
    }

    /// A record of a process arrived: its initial state is known now.
    pub(super) fn hear(&mut self, p: usize, sets: &[(usize, ValueId)]) {
        let mut values = self.defaults.clone();
        for (v, value) in sets {
            values[*v] = *value;
        }
        let lane = &mut self.lanes[p];
        debug_assert!(!lane.heard, "an initial state comes first");
        lane.heard = true;
        if let Some(log) = &mut self.log {
            log.push(Delivered {
                process: p,
                event: 0,
                clock: Rc::from([]),
                sets: values.iter().copied().enumerate().collect(),
                values: Vec::new(),
            });
        }
        lane.states.push_back(LocalState {
            event: 0,
            clock: Rc::from([]),
            values: values.into(),
        });
    }

    /// How many events of a process have arrived.
    pub(super) fn arrived(&self, p: usize) -> u32 {
        self.lanes[p].arrived
    }

    /// What the last clock of a process said.
    pub(super) fn told(&mut self, p: usize) -> &mut Vec<u32> {
        &mut self.lanes[p].told
    }

    /// An event arrived. Delivers what can be; calls `changed` for every process that has
    /// a new local state.
    pub(super) fn arrive(&mut self, p: usize, event: Arrived, changed: &mut Vec<usize>) {
        self.lanes[p].arrived += 1;
        self.to_be_sent.extend(event.sends.iter().cloned());
        self.lanes[p].waiting.push_back(event);
        if self.lanes[p].waiting.len() > 1 {
            return;
        }
        let mut todo = vec![p];
        while let Some(p) = todo.pop() {
            while let Some(mut event) = self.lanes[p].waiting.pop_front() {
                if self.must_wait(p, &mut event) {
                    self.lanes[p].waiting.push_front(event);
                    break;
                }
                self.deliver(p, event, changed, &mut todo);
            }
        }
    }

    /// Whether the next event of `p` follows something that is not delivered; if so, notes
    /// what it waits for.
    fn must_wait(&mut self, p: usize, event: &mut Arrived) -> bool {
        for message in &event.receives[event.met..] {
            if !self.messages.contains_key(message) && !self.forgotten.contains(&self.hash(message)) {
                let waiting = self.for_message.entry(message.clone()).or_default();
                if !waiting.contains(&p) {
                    waiting.push(p);
                }
                return true;
            }
            // A message that was sent stays sent, so this is not asked again.
            event.met += 1;
        }
        for &(q, events) in event.clock.iter().flatten() {
            if q != p && self.lanes[q].delivered < events {
                self.for_event[q].insert((events, p));
                return true;
            }
        }
        false
    }

    fn deliver(&mut self, p: usize, event: Arrived, changed: &mut Vec<usize>, todo: &mut Vec<usize>) {
        let clock = self.clock_after(p, &event);
        let lane = &mut self.lanes[p];
        lane.delivered += 1;
        lane.clock = clock.clone();
        if let Some(log) = &mut self.log {
            log.push(Delivered {
                process: p,
                event: lane.delivered,
                clock: clock.clone(),
                sets: event.sets.clone(),
                values: Vec::new(),
            });
        }
        let last = lane.states.back().expect("the initial state is heard of first");
        if event.sets.iter().any(|(v, value)| last.values[*v] != *value) {
            let mut values = last.values.to_vec();
            for (v, value) in event.sets {
                values[v] = value;
            }
            lane.states.push_back(LocalState {
                event: lane.delivered,
                clock: clock.clone(),
                values: values.into(),
            });
            changed.push(p);
        }
        let delivered = lane.delivered;
        for message in event.sends {
            todo.extend(self.for_message.remove(&message).into_iter().flatten());
            let sent = Message {
                sender: p,
                event: delivered,
                clock: clock.clone(),
            };
            self.to_be_sent.remove(&message);
            self.messages.insert(message, sent);
        }
        while let Some(&(event, q)) = self.for_event[p].first() {
            if event > delivered {
                break;
            }
            self.for_event[p].pop_first();
            todo.push(q);
        }
    }

    /// What a process knows after its next event.
    fn clock_after(&self, p: usize, event: &Arrived) -> Clock {
        let mut clock = self.lanes[p].clock.clone();
        for message in &event.receives {
            if let Some(sent) = self.messages.get(message)
                && sent.sender != p
            {
                clock = joined(&clock, &sent.clock, sent.sender, sent.event);
            }
        }
        if let Some(entries) = &event.clock {
            let mut all = clock.to_vec();
            for &(q, events) in entries.iter().filter(|(q, _)| *q != p) {
                if all.len() <= q {
                    all.resize(q + 1, 0);
                }
                all[q] = all[q].max(events);
            }
            if *all != *clock {
                clock = all.into();
            }
        }
        clock
    }

    /// Whether the sending of a message was delivered.
    pub(super) fn is_sent(&self, message: &str) -> bool {
        self.messages.contains_key(message) || self.forgotten.contains(&self.hash(message))
    }

    /// Whether the sending of a message has arrived.
    pub(super) fn is_told(&self, message: &str) -> bool {
        self.is_sent(message) || self.to_be_sent.contains(message)
    }

    fn hash(&self, message: &str) -> u64 {
        self.hasher.hash_one(message)
    }

    /// The last local state of a process that has arrived, if any has.
    pub(super) fn last(&self, p: usize) -> Option<u32> {
        let lane = &self.lanes[p];
        (lane.dropped + short(lane.states.len())).checked_sub(1)
    }

    /// The first local state of a process that was not dropped.
    pub(super) fn first(&self, p: usize) -> u32 {
        self.lanes[p].dropped
    }

    /// A local state that was not dropped.
    pub(super) fn state(&self, p: usize, state: u32) -> &LocalState {
        let lane = &self.lanes[p];
        &lane.states[(state - lane.dropped) as usize]
    }

    /// The local state of process `q` that a clock knows: the last one that is not after
    /// its entry. If that was dropped, the first that was not.
    pub(super) fn known(&self, clock: &Clock, q: usize) -> u32 {
        let lane = &self.lanes[q];
        let events = clock.get(q).copied().unwrap_or(0);
        let later = short(lane.states.partition_point(|s| s.event <= events));
        lane.dropped + later.saturating_sub(1)
    }

    /// Drops the local states of a process before `floor`, and what messages knew of them.
    pub(super) fn drop_before(&mut self, p: usize, floor: u32) {
        let lane = &mut self.lanes[p];
        while lane.dropped < floor && lane.states.len() > 1 {
            lane.states.pop_front();
            lane.dropped += 1;
        }
    }

    /// Forgets what messages knew if it is in `base`, but not that they were sent.
    pub(super) fn forget_messages(&mut self, base: &[u32]) {
        let (forgotten, hasher) = (&mut self.forgotten, self.hasher.clone());
        self.messages.retain(|name, message| {
            let known = |q: usize, events: u32| events <= base[q];
            let useless = known(message.sender, message.event)
                && message.clock.iter().enumerate().all(|(q, events)| known(q, *events));
            if useless {
                forgotten.insert(hasher.hash_one(name.as_str()));
            }
            !useless
        });
    }

    /// How many messages are kept.
    pub(super) fn messages(&self) -> usize {
        self.messages.len()
    }

    /// How many local states, messages and waiting events are held.
    pub(super) fn held(&self) -> usize {
        let lane = |l: &Lane| l.states.len() + l.waiting.len();
        self.lanes.iter().map(lane).sum::<usize>() + self.messages.len()
    }
}

/// A clock that knows what both clocks know, and an event of `sender`.
fn joined(a: &Clock, b: &Clock, sender: usize, event: u32) -> Clock {
    let len = a.len().max(b.len()).max(sender + 1);
    let entry = |c: &Clock, q: usize| c.get(q).copied().unwrap_or(0);
    let mut all: Vec<u32> = (0..len).map(|q| entry(a, q).max(entry(b, q))).collect();
    all[sender] = all[sender].max(event);
    match *all == **a {
        true => a.clone(),
        false => all.into(),
    }
}
