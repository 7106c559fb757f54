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
use super::{CheckedModel, partner_name, process_name};
use mazurka_promela::verify::{ExchangeKind, Violation};
use serde::Serialize;
use std::collections::BTreeSet;

/// The steps of a violation in mazurka's own format, one event on a line. Of an
/// infinite execution, the steps up to the end of the first round.
pub fn counterexample_trace(view: &CheckedModel<'_>, violation: &Violation) -> String {
    let causes = causes(view.sources, violation);
    let mut awaited: BTreeSet<usize> = causes.iter().flatten().copied().collect();
    let handed = |k: usize| {
        let exchange = violation.steps[k].exchange.as_ref()?;
        Some((exchange, exchange.partner?))
    };
    awaited.extend((0..violation.steps.len()).filter(|k| handed(*k).is_some()));
    let mut text = String::new();
    for (k, step) in violation.steps.iter().enumerate() {
        let message = |from: &usize| message(violation, *from);
        push(
            &mut text,
            &Event {
                process: process_name(step),
                event: &step.statement,
                vars: Assignments(&step.changes),
                send: awaited.contains(&k).then(|| message(&k)).into_iter().collect(),
                recv: causes[k].iter().map(message).collect(),
            },
        );
        if let Some((exchange, pid)) = handed(k) {
            let event = format!("{}?{}", exchange.channel, exchange.message);
            push(
                &mut text,
                &Event {
                    process: partner_name(violation, pid, k),
                    event: &event,
                    vars: Assignments(&[]),
                    send: Vec::new(),
                    recv: vec![message(&k)],
                },
            );
        }
    }
    text
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
    process: String,
    event: &'a str,
    vars: Assignments<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    send: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recv: Vec<String>,
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
        assert_eq!(count_cuts(&computation, 1, Limits::default()), Ok(1 + 3 * 3));
        let last = computation.local_state(1, 2);
        let got = last.into_iter().find(|(name, _)| *name == "got").unwrap();
        assert_eq!(got.1.to_string(), "1");
    }

    #[test]
    fn a_rendezvous_is_an_event_of_both() {
        let text = trace(&Sample::cycle());
        let receiver = r#"{"process":"Receiver[1]","event":"c?1","vars":{},"recv":["c!1 #2"]}"#;
        assert!(text.contains(receiver), "{text}");
        assert_eq!(read(&text).causality().total(), 4);
    }

    #[test]
    fn a_long_one() {
        let computation = read(&trace(&Sample::long(2000)));
        assert_eq!(computation.causality().total(), 2000);
        // Never more than one message in the channel: sending and receiving take turns.
        assert_eq!(count_cuts(&computation, 1, Limits::default()), Ok(2001));
    }
}
