//! Computations of any size: processes in a ring that pass a token.

use mazurka_trace::{Computation, Keep, Place, Recorder, Recording, Sink, Value};
use std::io::{self, Write};

/// A ring of processes. In each round a process receives the token (x becomes 1), passes
/// it on (x becomes 0) and works for the rest of the round, so that x is never 1 in two
/// processes at once.
#[derive(Clone, Copy)]
pub struct Ring {
    /// How many processes.
    pub processes: usize,
    /// How many events each.
    pub events: u32,
    /// How many events a round has.
    pub round: u32,
}

/// What an event of a ring does.
struct Event {
    value: Option<i64>,
    /// The messages that it sends and receives: whose, in which round.
    send: Option<(usize, u32)>,
    receive: Option<(usize, u32)>,
}

impl Ring {
    /// The `k`-th event of process `p`.
    fn event(&self, p: usize, k: u32) -> Event {
        let (round, phase) = (k / self.round, k % self.round);
        let before = match p {
            0 => round.checked_sub(1).map(|r| (self.processes - 1, r)),
            _ => Some((p - 1, round)),
        };
        Event {
            value: [1, 0].get(phase as usize).copied(),
            send: (phase == 1).then_some((p, round)),
            receive: before.filter(|_| phase == 0),
        }
    }

    /// The ring as a computation that keeps x alone.
    pub fn computation(&self) -> Computation {
        let keep = Keep::Only(["x".to_owned()].into());
        let mut recorder = Recorder::new(Recording {
            keep,
            ..Recording::default()
        });
        let ids: Vec<_> = (1..=self.processes)
            .map(|p| recorder.process(&format!("p{p}")))
            .collect();
        let mut message = String::new();
        for k in 0..self.events {
            for (p, id) in ids.iter().enumerate() {
                let event = self.event(p, k);
                recorder.event(*id, Place::NOWHERE);
                if let Some(value) = event.value {
                    recorder.set("x", Value::Int(value));
                }
                if let Some(sent) = event.send {
                    name(&mut message, sent);
                    recorder.send(&message);
                }
                if let Some(received) = event.receive {
                    name(&mut message, received);
                    recorder.receive(&message);
                }
            }
        }
        recorder.finish().expect("a ring follows the rules")
    }

    /// The ring in the native format.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut message = String::new();
        for k in 0..self.events {
            for p in 0..self.processes {
                let event = self.event(p, k);
                write!(out, r#"{{"process":"p{}","event":"work""#, p + 1)?;
                if let Some(value) = event.value {
                    write!(out, r#","vars":{{"x":{value}}}"#)?;
                }
                if let Some(sent) = event.send {
                    name(&mut message, sent);
                    write!(out, r#","send":["{message}"]"#)?;
                }
                if let Some(received) = event.receive {
                    name(&mut message, received);
                    write!(out, r#","recv":["{message}"]"#)?;
                }
                writeln!(out, "}}")?;
            }
        }
        Ok(())
    }
}

fn name(message: &mut String, (sender, round): (usize, u32)) {
    use std::fmt::Write as _;
    message.clear();
    write!(message, "m{sender}-{round}").expect("strings take everything");
}
