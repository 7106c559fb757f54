//! A counterexample as a trace, for `mazurka detect`.
//!
//! A process of the model is a process of the trace. A step is an event with the values that it assigned, and a shared
//! variable belongs to the process that assigned it. A trace is a partial order: events that it does not order could
//! have happened in another order. The order is the verifier's
//! ([`ShownStep::causes`](mazurka_promela::verify::ShownStep::causes)), written as messages. Therefore every state that
//! `detect` finds possible is a state that the model can be in:
//!
//! * A rendezvous is an event of the sender, followed by one of the receiver, which has the assignments. Whatever depends
//!   on the step comes after the second event, including the sender's next step.
//! * The last event of an `atomic` has all its assignments, because other processes see no state in between. If a
//!   rendezvous passes control to another process inside an `atomic`, and several processes assign variables of their own
//!   there, the last event of each process has them. Only in this case may a cut split what is one step for others.
//! * A process that is started has its variables from its first event on.

use super::value::Assignments;
use super::{CheckedModel, lanes, owned, partner_name, process_name};
use mazurka_promela::verify::{ExchangeKind, StepId, Violation};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The steps of a violation in mazurka's own format, one event per line. For an
/// infinite execution, the cycle is written once.
pub fn counterexample_trace(view: &CheckedModel<'_>, violation: &Violation) -> String {
    let mut events = events(violation);
    assign(violation, &mut events);
    connect(violation, &mut events);
    let mut text = initial_states(view, &events);
    for event in &events {
        push(&mut text, event);
    }
    text
}

/// The events of all steps: one for each, and another for the receiver of a rendezvous.
fn events(violation: &Violation) -> Vec<Event> {
    let mut events = Vec::new();
    for (id, step) in violation.numbered_steps() {
        events.push(Event {
            event: Some(step.statement.clone()),
            ..Event::of(process_name(step), id)
        });
        if let Some(exchange) = &step.exchange
            && let Some(partner) = exchange.partner
        {
            events.push(Event {
                event: Some(format!("{}?{}", exchange.channel, exchange.message)),
                ..Event::of(partner_name(violation, partner, id), id)
            });
        }
    }
    events
}

/// Adds the assignments of the steps to their events.
fn assign(violation: &Violation, events: &mut [Event]) {
    // For each process: its next event, and its last event in the current `atomic`, which has its assignments.
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    let mut holder: BTreeMap<String, usize> = BTreeMap::new();
    let mut home = vec![0; events.len()];
    let mut end = 0;
    for at in (0..events.len()).rev() {
        let (step, process) = (events[at].step, events[at].process.clone());
        let is_sender = events.get(at + 1).is_some_and(|other| other.step == step);
        let is_receiver = at > 0 && events[at - 1].step == step;
        if at + 1 == events.len() || !violation.step(step).inside && !is_sender {
            holder.clear();
            end = at;
        }
        home[at] = *holder.entry(process.clone()).or_insert(at);
        for (name, value) in &violation.step(step).changes {
            let to = match owned(name).0 {
                Some(owner) if owner == process => Some(home[at]),
                // It was assigned with the event of the receiver.
                None if is_sender => None,
                None => Some(end),
                Some(_) if is_sender || is_receiver => None,
                // A process is started.
                Some(owner) => next.get(owner).map(|at| home[*at]),
            };
            let Some(to) = to else { continue };
            // The last assignment counts.
            let vars = &mut events[to].vars;
            if !vars.iter().any(|(known, _)| known == name) {
                vars.push((name.clone(), value.clone()));
            }
        }
        next.insert(process, at);
    }
    for event in events {
        event.vars = named_by_owner(std::mem::take(&mut event.vars), &event.process);
        event.vars.sort();
    }
}

/// Orders the events: within a rendezvous, and by the dependencies of their steps.
fn connect(violation: &Violation, events: &mut [Event]) {
    let lanes = lanes(events.iter().map(|event| event.process.clone()));
    // For each step: its first and its last event.
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match ends.get_mut(event.step.index()) {
            Some((_, done)) => *done = at,
            None => ends.push((at, at)),
        }
    }
    for (id, step) in violation.numbered_steps() {
        let (first, done) = ends[id.index()];
        if first != done {
            let handed = message(violation, id);
            events[first].send.push(handed.clone());
            events[done].recv.push(handed);
        }
        for &cause in &step.causes {
            let (begun, earlier) = ends[cause.index()];
            if lanes[earlier] == lanes[first] {
                continue;
            }
            // The message of a rendezvous already has the usual name.
            let name = match begun == earlier {
                true => message(violation, cause),
                false => format!("#{}", cause.number()),
            };
            if !events[earlier].send.contains(&name) {
                events[earlier].send.push(name.clone());
            }
            events[first].recv.push(name);
        }
    }
}

/// The initial states of the processes: their own variables, and the shared ones that
/// they ever assign.
fn initial_states(view: &CheckedModel<'_>, events: &[Event]) -> String {
    let mut assigned: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut order = Vec::new();
    for event in events {
        if !assigned.contains_key(&*event.process) {
            order.push(&*event.process);
        }
        let names = event.vars.iter().map(|(name, _)| name.as_str());
        assigned.entry(&event.process).or_default().extend(names);
    }
    let mut text = String::new();
    for process in order {
        let is_known = |name: &str| match owned(name) {
            (Some(owner), _) => owner == process,
            (None, name) => assigned[process].contains(name),
        };
        let known = view
            .initial
            .iter()
            .filter(|(name, _)| is_known(name))
            .cloned()
            .collect();
        let known = named_by_owner(known, process);
        if !known.is_empty() {
            let state = Event {
                init: true,
                vars: known,
                ..Event::of(process.to_owned(), StepId::FIRST)
            };
            push(&mut text, &state);
        }
    }
    text
}

/// The values of variables by the names that their process has for them.
fn named_by_owner(mut values: Vec<(String, String)>, process: &str) -> Vec<(String, String)> {
    for (name, _) in &mut values {
        if let (Some(owner), own) = owned(name)
            && owner == process
        {
            *name = own.to_owned();
        }
    }
    values
}

/// The name of the message from a step to those that depend on it.
fn message(violation: &Violation, id: StepId) -> String {
    let number = id.number();
    match &violation.step(id).exchange {
        Some(exchange) if matches!(exchange.kind, ExchangeKind::Send | ExchangeKind::Rendezvous) => {
            format!("{}!{} #{number}", exchange.channel, exchange.message)
        }
        _ => format!("#{number}"),
    }
}

/// An event of a process, and the step that it belongs to.
struct Event {
    step: StepId,
    process: String,
    init: bool,
    event: Option<String>,
    vars: Vec<(String, String)>,
    send: Vec<String>,
    recv: Vec<String>,
}

impl Event {
    /// An event of a process, about which nothing else is known.
    fn of(process: String, step: StepId) -> Self {
        Self {
            step,
            process,
            init: false,
            event: None,
            vars: Vec::new(),
            send: Vec::new(),
            recv: Vec::new(),
        }
    }
}

/// A line of the trace.
#[derive(Serialize)]
struct Record<'a> {
    process: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    init: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    vars: Assignments<'a>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    send: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    recv: &'a [String],
}

fn push(text: &mut String, event: &Event) {
    let record = Record {
        process: &event.process,
        init: event.init,
        event: event.event.as_deref(),
        vars: Assignments(&event.vars),
        send: &event.send,
        recv: &event.recv,
    };
    *text += &serde_json::to_string(&record).expect("texts and numbers");
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use mazurka_core::Limits;
    use mazurka_trace::{Computation, ImportOptions, Input, count_cuts, import};

    fn read(text: &str) -> Computation {
        let input = Input::Text {
            name: "counterexample".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let imported = import(input, &ImportOptions::default()).unwrap();
        imported.executions.into_iter().next().unwrap().computation
    }

    fn trace(sample: &Sample) -> String {
        counterexample_trace(&sample.view(), sample.violation())
    }

    #[test]
    fn events_with_their_assignments_and_messages() {
        let expected = r##"
{"process":"Sender[0]","init":true,"vars":{"c":"[]","n":1}}
{"process":"Receiver[1]","init":true,"vars":{"c":"[]","got":0}}
{"process":"Sender[0]","event":"c!1","vars":{"c":"[1]"},"send":["c!1 #1"]}
{"process":"Sender[0]","event":"n++","vars":{"n":2}}
{"process":"Receiver[1]","event":"c?got","vars":{"c":"[]","got":1},"recv":["c!1 #1"]}
{"process":"Sender[0]","event":"printf(\"sent\\n\")","vars":{}}
{"process":"Receiver[1]","event":"assert(got == 2)","vars":{}}
"##;
        assert_eq!(trace(&Sample::handshake()), expected[1..]);
    }

    #[test]
    fn detect_reads_it() {
        let computation = read(&trace(&Sample::handshake()));
        assert_eq!(computation.names(), ["Sender[0]", "Receiver[1]"]);
        assert_eq!(computation.causality().total(), 5);
        // Before the first step of the sender, nothing is received. After it, none, one or both steps of the receiver.
        assert_eq!(count_cuts(&computation, 1, Limits::default()).counted, 1 + 3 * 3);
        let receiver = computation.process("Receiver[1]").unwrap();
        let got = |state| {
            let state = computation.local_state(receiver, state).into_iter();
            state
                .filter(|(name, _)| *name == "got")
                .map(|(_, value)| value.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!((got(0), got(2)), (vec!["0".to_owned()], vec!["1".to_owned()]));
    }

    #[test]
    fn a_rendezvous_is_an_event_of_both() {
        let text = trace(&Sample::cycle());
        let receiver = r#"{"process":"Receiver[1]","event":"c?1","vars":{"got":1},"recv":["c!1 #2"]}"#;
        assert!(text.contains(receiver), "{text}");
        assert_eq!(read(&text).causality().total(), 4);
    }

    #[test]
    fn a_long_one() {
        let computation = read(&trace(&Sample::long(2000)));
        assert_eq!(computation.causality().total(), 2000);
        // Never more than one message in the channel: sending and receiving take turns.
        assert_eq!(count_cuts(&computation, 1, Limits::default()).counted, 2001);
    }
}
