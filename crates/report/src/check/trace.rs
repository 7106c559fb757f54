//! A counterexample as a trace, for `mazurka detect`.
//!
//! A process of the model is a process of the trace, and a step is an event with what
//! it assigned; shared variables belong to the process that assigned them. A trace is
//! a partial order: what is not ordered in it could have happened in another order. So
//! besides messages it has the order of steps that depend on each other (`order.rs`),
//! as messages too. Then whatever `detect` finds possible is an execution of the
//! model, except that it may stop where the model does not: inside an atomic sequence,
//! and between the two events of a rendezvous.

use super::order::causes;
use super::value::Assignments;
use super::{CheckedModel, owned, partner_name, process_name};
use mazurka_promela::verify::{ExchangeKind, Violation};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The steps of a violation in mazurka's own format, one event on a line. Of an
/// infinite execution, the steps up to the end of the first round.
pub fn counterexample_trace(view: &CheckedModel<'_>, violation: &Violation) -> String {
    let steps = &violation.steps;
    let causes = causes(view.sources, violation);
    let handed = |k: usize| {
        let exchange = steps[k].exchange.as_ref()?;
        Some((exchange, partner_name(violation, exchange.partner?, k)))
    };
    let mut awaited: BTreeSet<usize> = causes.iter().flatten().copied().collect();
    awaited.extend((0..steps.len()).filter(|k| handed(*k).is_some()));
    let mut text = initial_states(view, violation);
    for (k, step) in steps.iter().enumerate() {
        let message = |from: &usize| message(violation, *from);
        let partner = handed(k);
        let receiver = partner.as_ref().map(|(_, name)| name.as_str());
        let is_theirs = |name: &str| owned(name).0.is_some_and(|owner| Some(owner) == receiver);
        let (theirs, own): (Vec<_>, Vec<_>) = step.changes.iter().cloned().partition(|(name, _)| is_theirs(name));
        let process = process_name(step);
        push(
            &mut text,
            &Event {
                event: Some(&step.statement),
                vars: Assignments(&named_by_owner(own, &process)),
                send: awaited.contains(&k).then(|| message(&k)).into_iter().collect(),
                recv: causes[k].iter().map(message).collect(),
                ..Event::of(&process)
            },
        );
        if let Some((exchange, name)) = &partner {
            let event = format!("{}?{}", exchange.channel, exchange.message);
            push(
                &mut text,
                &Event {
                    event: Some(&event),
                    vars: Assignments(&named_by_owner(theirs, name)),
                    recv: vec![message(&k)],
                    ..Event::of(name)
                },
            );
        }
    }
    text
}

/// The initial states of the processes: their own variables, and the shared ones that
/// they assign at some time.
fn initial_states(view: &CheckedModel<'_>, violation: &Violation) -> String {
    let mut assigned: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut order = Vec::new();
    for step in &violation.steps {
        let process = process_name(step);
        let names = step.changes.iter().map(|(name, _)| name.as_str());
        if !assigned.contains_key(&process) {
            order.push(process.clone());
        }
        assigned.entry(process).or_default().extend(names);
    }
    let mut text = String::new();
    for process in order {
        let is_known = |name: &str| match owned(name) {
            (Some(owner), _) => owner == process,
            (None, name) => assigned[&process].contains(name),
        };
        let known = view
            .initial
            .iter()
            .filter(|(name, _)| is_known(name))
            .cloned()
            .collect();
        let known = named_by_owner(known, &process);
        if !known.is_empty() {
            let state = Event {
                init: true,
                vars: Assignments(&known),
                ..Event::of(&process)
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
fn message(violation: &Violation, k: usize) -> String {
    let number = k + 1;
    match &violation.steps[k].exchange {
        Some(exchange) if matches!(exchange.kind, ExchangeKind::Send | ExchangeKind::Rendezvous) => {
            format!("{}!{} #{number}", exchange.channel, exchange.message)
        }
        _ => format!("#{number}"),
    }
}

#[derive(Serialize)]
struct Event<'a> {
    process: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    init: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    vars: Assignments<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    send: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recv: Vec<String>,
}

impl<'a> Event<'a> {
    /// An event of a process, of which nothing else is known.
    fn of(process: &'a str) -> Self {
        Self {
            process,
            init: false,
            event: None,
            vars: Assignments(&[]),
            send: Vec::new(),
            recv: Vec::new(),
        }
    }
}

fn push(text: &mut String, event: &Event<'_>) {
    *text += &serde_json::to_string(event).expect("texts and numbers");
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
        // Sender 0: nothing received; Sender 1 to 3: none, one or both steps of the receiver.
        assert_eq!(count_cuts(&computation, 1, Limits::default()).counted, 1 + 3 * 3);
        let got = |state| {
            let state = computation.local_state(1, state).into_iter();
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
