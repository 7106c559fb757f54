//! One run of a protocol, as it was executed.
//!
//! A simulated run is a list of events in the order of simulated time. A detector sees
//! only a part of this: the partial order of events ([`Run::computation`]), or the trace
//! that the processes would have written ([`Run::write_jsonl`]). Processes are called
//! `p1`, `p2` and so on, messages `m1`, `m2`, each with one receiver; messages in transit
//! at the end are sent and not received.

use mazurka_core::ProcessId;
use mazurka_trace::{Computation, Event, Place, Recorder, Recording, Sink, Value};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

/// One run of a protocol, in the order in which the simulation executed it; see [`Protocol::run`](crate::Protocol::run).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The values in the initial states, by process.
    pub(crate) initial: Vec<Assignments>,
    pub(crate) records: Vec<Record>,
}

/// The values that variables get.
pub(crate) type Assignments = BTreeMap<&'static str, Value>;

/// The number of a message, from 1 in the order of sending.
pub(crate) type MessageNumber = u64;

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) process: ProcessId,
    pub(crate) label: &'static str,
    pub(crate) assigns: Assignments,
    pub(crate) receives: Option<MessageNumber>,
    pub(crate) sends: Vec<MessageNumber>,
}

impl Run {
    /// The events in the order in which they were executed: one of the orders that the
    /// [computation](Self::computation) allows.
    pub fn observed(&self) -> impl Iterator<Item = Event> {
        let mut executed = vec![0; self.initial.len()];
        self.records.iter().map(move |record| {
            let count = &mut executed[record.process.index()];
            *count += 1;
            Event {
                process: record.process,
                index: *count,
            }
        })
    }

    /// The run as a partial order of events.
    pub fn computation(&self) -> Computation {
        let mut recorder = Recorder::new(Recording::default());
        for (p, values) in self.initial.iter().enumerate() {
            let process = recorder.process(&name(ProcessId::new(p)));
            recorder.init(process, Place::NOWHERE);
            for (variable, value) in values {
                recorder.set(variable, value.clone());
            }
        }
        for record in &self.records {
            recorder.event(record.process, Place::NOWHERE);
            recorder.label(record.label);
            for (variable, value) in &record.assigns {
                recorder.set(variable, value.clone());
            }
            if let Some(message) = record.receives {
                recorder.receive(&message_name(message));
            }
            for &message in &record.sends {
                recorder.send(&message_name(message));
            }
        }
        // The simulation sends before it receives and numbers messages itself.
        recorder.finish().expect("a simulated run follows the rules of traces")
    }

    /// Writes the run in the trace format of `mazurka detect`: one JSON object a line,
    /// the initial states first, then the events as they were executed.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write_jsonl(&self, out: &mut impl io::Write) -> io::Result<()> {
        for (p, values) in self.initial.iter().enumerate() {
            let line = InitialLine {
                process: name(ProcessId::new(p)),
                init: true,
                vars: json(values),
            };
            write_line(out, &line)?;
        }
        for record in &self.records {
            let line = EventLine {
                process: name(record.process),
                event: record.label,
                vars: json(&record.assigns),
                send: record.sends.iter().copied().map(message_name).collect(),
                recv: record.receives.into_iter().map(message_name).collect(),
            };
            write_line(out, &line)?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct InitialLine {
    process: String,
    init: bool,
    vars: BTreeMap<&'static str, serde_json::Value>,
}

#[derive(Serialize)]
struct EventLine {
    process: String,
    event: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    vars: BTreeMap<&'static str, serde_json::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    send: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recv: Vec<String>,
}

fn write_line(out: &mut impl io::Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

fn json(values: &Assignments) -> BTreeMap<&'static str, serde_json::Value> {
    values.iter().map(|(k, v)| (*k, v.to_json())).collect()
}

/// The name of a process: `p1` is the first.
pub(crate) fn name(process: ProcessId) -> String {
    format!("p{}", process.index() + 1)
}

fn message_name(message: MessageNumber) -> String {
    format!("m{message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p1 sends two messages, of which p2 receives one.
    fn run() -> Run {
        let record = |process, label, assigns: &[(&'static str, Value)], receives, sends: &[MessageNumber]| Record {
            process: ProcessId::new(process),
            label,
            assigns: assigns.iter().cloned().collect(),
            receives,
            sends: sends.to_vec(),
        };
        Run {
            initial: vec![[("x", Value::Int(0))].into(), Assignments::new()],
            records: vec![
                record(
                    0,
                    "ask",
                    &[("x", Value::Int(1)), ("y", Value::Bool(true))],
                    None,
                    &[1, 2],
                ),
                record(1, "answer", &[], Some(2), &[]),
            ],
        }
    }

    #[test]
    fn a_trace_has_a_line_for_each_local_state() {
        let mut out = Vec::new();
        run().write_jsonl(&mut out).unwrap();
        let expected = r#"{"process":"p1","init":true,"vars":{"x":0}}
{"process":"p2","init":true,"vars":{}}
{"process":"p1","event":"ask","vars":{"x":1,"y":true},"send":["m1","m2"]}
{"process":"p2","event":"answer","recv":["m2"]}
"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_computation_knows_the_order_the_values_and_the_labels() {
        let computation = run().computation();
        assert_eq!(computation.names(), ["p1", "p2"]);
        let [p1, p2] = [0, 1].map(ProcessId::new);
        assert_eq!(computation.causality().causes(p2, 1), [Event::new(p1, 1)]);
        let x = computation.variable("x").unwrap();
        assert_eq!(
            [0, 1].map(|state| computation.value(p1, x, state).clone()),
            [0, 1].map(Value::Int)
        );
        assert_eq!(computation.label(p2, 1), "answer");
        assert_eq!(
            run().observed().collect::<Vec<_>>(),
            [Event::new(p1, 1), Event::new(p2, 1)]
        );
    }
}
