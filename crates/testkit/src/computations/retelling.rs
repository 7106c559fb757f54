//! The same computation in other words.
//!
//! [`tell`] writes a computation in the native trace format: with messages or
//! with vector timestamps, in any interleaving that keeps the lines of each
//! process in order, or in one that could have been observed, where causes come
//! before effects. It uses every freedom of the format: a variable may be assigned
//! the value that it has, an initial state without values may have no line, one
//! message may stand for several receives or each receive have its own, messages may
//! get lost, fields come in any order.
//!
//! [`difference`] says whether two computations are the same: names, values,
//! labels and happened-before, but neither the order of the processes nor the
//! direct causes, of which an input may name more than it needs.

use super::chance::chance;
use super::lattice::HappenedBefore;
use fastrand::Rng;
use mazurka_trace::{Computation, Event, ProcessId};
use serde_json::{Map, Value as Json, json};

/// The order of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Only the lines of each process are in order.
    PerProcess,
    /// Causes come before effects.
    Causal,
    /// As `PerProcess`, but the initial states of all processes come before all
    /// events, in the order of the processes.
    InitialFirst,
}

/// How the order of the events is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// By messages.
    Messages,
    /// By vector timestamps.
    Clocks,
}

/// A line of the native format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The process of the line, as the computation numbers it.
    pub process: usize,
    /// How many local states of this process are known with this line: one after
    /// its initial state, k + 1 after its event k.
    pub states: u32,
    /// The line, without its end.
    pub json: String,
}

/// A computation in the native format.
pub fn tell(rng: &mut Rng, computation: &Computation, order: Order, words: Words) -> Vec<Record> {
    let n = computation.processes();
    let mut fields: Vec<Vec<Map<String, Json>>> = computation
        .process_ids()
        .map(|p| {
            let states = 0..=computation.causality().events(p);
            states.map(|k| values(rng, computation, p, k)).collect()
        })
        .collect();
    match words {
        Words::Messages => add_messages(rng, computation, &mut fields),
        Words::Clocks => add_clocks(rng, computation, &mut fields),
    }
    let events = match order {
        Order::Causal => linear_extension(rng, computation),
        Order::PerProcess | Order::InitialFirst => interleaving(rng, computation),
    };

    let mut records = Vec::new();
    let mut silent = vec![true; n];
    let initial = |rng: &mut Rng, p: usize| Record {
        process: p,
        states: 1,
        json: line(rng, &fields[p][0]),
    };
    if order == Order::InitialFirst {
        for (p, silent) in silent.iter_mut().enumerate() {
            records.push(initial(rng, p));
            *silent = false;
        }
    }
    for event in events {
        let (process, p) = (event.process, event.process.index());
        let needed = !computation.assigned_by(process, 0).is_empty() || !computation.label(process, 0).is_empty();
        if silent[p] && (needed || rng.bool()) {
            // Somewhere before, as nothing of this process has been told.
            let at = rng.usize(0..=records.len());
            records.insert(at, initial(rng, p));
        }
        silent[p] = false;
        records.push(Record {
            process: p,
            states: event.index + 1,
            json: line(rng, &fields[p][event.index as usize]),
        });
    }
    // A process without events is told of by its initial state alone.
    for p in (0..n).filter(|&p| silent[p]) {
        let at = rng.usize(0..=records.len());
        records.insert(at, initial(rng, p));
    }
    records
}

/// The lines as one text.
pub fn text(records: &[Record]) -> String {
    records.iter().map(|record| format!("{}\n", record.json)).collect()
}

/// All events in an order in which they could have happened.
pub fn linear_extension(rng: &mut Rng, computation: &Computation) -> Vec<Event> {
    let causality = computation.causality();
    let mut cut = vec![0; computation.processes()];
    let mut events = Vec::new();
    while events.len() as u64 != causality.total() {
        let p = ProcessId::new(rng.usize(0..cut.len()));
        let index = cut[p.index()] + 1;
        let follows = |e: &Event| e.index <= cut[e.process.index()];
        if index <= causality.events(p) && causality.causes(p, index).iter().all(follows) {
            cut[p.index()] = index;
            events.push(Event::new(p, index));
        }
    }
    events
}

/// All events in an order that only respects the order of each process.
fn interleaving(rng: &mut Rng, computation: &Computation) -> Vec<Event> {
    let n = computation.processes();
    let mut turns: Vec<ProcessId> = computation
        .process_ids()
        .flat_map(|p| vec![p; computation.causality().events(p) as usize])
        .collect();
    // Often a process runs far ahead of the others.
    match rng.u8(0..3) {
        0 => {
            let first = ProcessId::new(rng.usize(0..n));
            rng.shuffle(&mut turns);
            turns.sort_by_key(|p| *p != first);
        }
        _ => rng.shuffle(&mut turns),
    }
    let mut cut = vec![0; n];
    let next = |p: ProcessId| {
        cut[p.index()] += 1;
        Event::new(p, cut[p.index()])
    };
    turns.into_iter().map(next).collect()
}

/// A difference between two computations; `None` if they are the same.
pub fn difference(a: &Computation, b: &Computation) -> Option<String> {
    if a.processes() != b.processes() {
        return Some(format!("{} processes or {}", a.processes(), b.processes()));
    }
    let mut other = Vec::new();
    for (p, name) in a.process_ids().zip(a.names()) {
        let Some(q) = b.process(name) else {
            return Some(format!("process {name}"));
        };
        other.push(q);
        let events = a.causality().events(p);
        if events != b.causality().events(q) {
            return Some(format!("{events} events of {name} or {}", b.causality().events(q)));
        }
        for k in 0..=events {
            if a.local_state(p, k) != b.local_state(q, k) || a.label(p, k) != b.label(q, k) {
                return Some(format!("state {k} of {name}"));
            }
        }
    }
    let (before_a, before_b) = (HappenedBefore::of(a), HappenedBefore::of(b));
    for (p, name) in a.process_ids().zip(a.names()) {
        for k in 0..=a.causality().events(p) {
            let timestamp = before_b.timestamp(other[p.index()].index(), k);
            let timestamp: Vec<u32> = other.iter().map(|q| timestamp[q.index()]).collect();
            if before_a.timestamp(p.index(), k) != timestamp {
                return Some(format!("what state {k} of {name} knows"));
            }
        }
    }
    None
}

/// A line without its causes.
fn values(rng: &mut Rng, computation: &Computation, p: ProcessId, k: u32) -> Map<String, Json> {
    let mut fields = Map::new();
    fields.insert("process".into(), json!(computation.name(p)));
    if k == 0 {
        fields.insert("init".into(), json!(true));
    }
    if !computation.label(p, k).is_empty() {
        fields.insert("event".into(), json!(computation.label(p, k)));
    }
    let assigned = computation.assigned_by(p, k);
    let mut vars: Map<_, _> = assigned.iter().map(|(v, x)| ((*v).to_owned(), x.to_json())).collect();
    for (v, x) in computation.local_state(p, k) {
        if k > 0 && chance(rng, 20) {
            vars.insert(v.to_owned(), x.to_json());
        }
    }
    if k == 0 || !vars.is_empty() || rng.bool() {
        fields.insert("vars".into(), Json::Object(vars));
    }
    fields
}

/// Each cause of an event becomes a message from there to here.
fn add_messages(rng: &mut Rng, computation: &Computation, fields: &mut [Vec<Map<String, Json>>]) {
    let mut add = |p: ProcessId, k: u32, field: &str, message: &str| {
        let list = fields[p.index()][k as usize].entry(field).or_insert_with(|| json!([]));
        let list = list.as_array_mut().expect("it was made a list");
        if !list.contains(&json!(message)) {
            list.push(json!(message));
        }
    };
    for p in computation.process_ids() {
        for k in 1..=computation.causality().events(p) {
            for cause in computation.causality().causes(p, k) {
                let (q, l) = (cause.process, cause.index);
                let multicast = format!("{}.{l}", computation.name(q));
                let message = match rng.bool() {
                    true => multicast,
                    false => format!("{multicast} to {}.{k}", computation.name(p)),
                };
                add(q, l, "send", &message);
                add(p, k, "recv", &message);
            }
            if chance(rng, 10) {
                add(p, k, "send", &format!("lost {}.{k}", p.index()));
            }
        }
    }
}

/// Each event carries the number of events of each process that it knows.
fn add_clocks(rng: &mut Rng, computation: &Computation, fields: &mut [Vec<Map<String, Json>>]) {
    let relation = HappenedBefore::of(computation);
    for (p, lines) in fields.iter_mut().enumerate() {
        for (k, line) in (0..).zip(lines).skip(1) {
            let mut clock = Map::new();
            for (q, known) in relation.timestamp(p, k).into_iter().enumerate() {
                if known > 0 || chance(rng, 20) {
                    clock.insert(computation.names()[q].clone(), json!(known));
                }
            }
            line.insert("clock".into(), Json::Object(clock));
        }
    }
}

/// A line with its fields in any order.
fn line(rng: &mut Rng, fields: &Map<String, Json>) -> String {
    let mut fields: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{}:{value}", json!(name)))
        .collect();
    rng.shuffle(&mut fields);
    format!("{{{}}}", fields.join(","))
}
