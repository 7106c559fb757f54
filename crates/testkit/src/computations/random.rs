//! Random small computations.
//!
//! Events are recorded in one global order, so nothing can happen before itself, and
//! every computation can occur, because each has a linear extension. Everything that
//! an importer or a search could get wrong occurs: processes without events, events
//! that receive several messages, messages that many events receive (also their
//! sender, also twice) or none, variables that some processes never assign or assign
//! late, values that stay for a while, assignments of null, names that are no
//! identifiers.

use super::chance::chance;
use fastrand::Rng;
use mazurka_trace::{Computation, Place, Recorder, Recording, Sink, Value};
use std::ops::RangeInclusive;

/// How large computations are, and how much their processes communicate.
#[derive(Clone, Debug)]
pub struct Shape {
    /// How many processes.
    pub processes: RangeInclusive<usize>,
    /// How many events each.
    pub events: RangeInclusive<u32>,
    /// At most this many events altogether, which bounds the number of cuts.
    pub total: u32,
    /// How many events out of a hundred send a message.
    pub send: u32,
    /// How many events out of a hundred receive one or more.
    pub receive: u32,
    /// Whether the latest message of another process is received rather than any one.
    pub latest: bool,
    /// Whether only the first process sends, and only the others receive.
    pub star: bool,
    /// How many variables out of a hundred have no initial value.
    pub unset: u32,
}

impl Shape {
    /// No messages: all cuts are consistent.
    pub fn none() -> Self {
        Self {
            processes: 2..=5,
            events: 0..=7,
            total: 15,
            send: 0,
            receive: 0,
            latest: false,
            star: false,
            unset: 25,
        }
    }

    /// A message every few events.
    pub fn sparse() -> Self {
        Self {
            send: 40,
            receive: 25,
            total: 17,
            ..Self::none()
        }
    }

    /// Every other event or more receives something.
    pub fn dense() -> Self {
        Self {
            send: 80,
            receive: 65,
            total: 20,
            ..Self::none()
        }
    }

    /// Nearly a total order: most events receive the latest message.
    pub fn chain() -> Self {
        Self {
            send: 100,
            receive: 85,
            latest: true,
            total: 22,
            ..Self::none()
        }
    }

    /// Two or three processes, of which the first tells the others what it has done.
    pub fn star() -> Self {
        Self {
            processes: 2..=3,
            events: 2..=4,
            total: 9,
            send: 70,
            receive: 50,
            latest: true,
            star: true,
            unset: 0,
        }
    }

    /// One of these, at random, with initial values missing or not.
    pub fn any(rng: &mut Rng) -> Self {
        let all = [
            Self::none(),
            Self::sparse(),
            Self::sparse(),
            Self::dense(),
            Self::chain(),
        ];
        let mut shape = all[rng.usize(0..all.len())].clone();
        shape.unset = [0, 25, 60][rng.usize(0..3)];
        shape
    }
}

/// A random computation.
pub fn computation(rng: &mut Rng, shape: &Shape) -> Computation {
    let n = rng.usize(shape.processes.clone());
    let mut lengths: Vec<u32> = (0..n).map(|_| rng.u32(shape.events.clone())).collect();
    while lengths.iter().sum::<u32>() > shape.total {
        let p = rng.usize(0..n);
        lengths[p] = lengths[p].saturating_sub(1);
    }
    let mut turns: Vec<usize> = (0..n).flat_map(|p| vec![p; lengths[p] as usize]).collect();
    rng.shuffle(&mut turns);

    let mut recorder = Recorder::new(Recording::default());
    let ids: Vec<_> = (0..n).map(|p| recorder.process(&name(rng, p))).collect();
    let mut writers: Vec<Writer> = (0..n).map(|_| Writer::new(rng, shape)).collect();
    for p in 0..n {
        recorder.init(ids[p], Place::NOWHERE);
        writers[p].initial(rng, &mut recorder);
    }
    // The messages so far, with who sent them.
    let mut messages: Vec<(usize, String)> = Vec::new();
    for (turn, p) in turns.into_iter().enumerate() {
        recorder.event(ids[p], Place::NOWHERE);
        label(rng, &mut recorder);
        writers[p].event(rng, &mut recorder);
        if !(shape.star && p == 0) && chance(rng, shape.receive) {
            receive(rng, shape, p, &mut messages, &mut recorder);
        }
        if !(shape.star && p > 0) && chance(rng, shape.send) {
            let message = format!("m{turn}");
            recorder.send(&message);
            messages.push((p, message));
        }
    }
    recorder.finish().expect("the rules are kept")
}

/// Sometimes a name that a predicate cannot use as it is.
fn name(rng: &mut Rng, p: usize) -> String {
    match chance(rng, 10) {
        true => format!("node-{}", p + 1),
        false => format!("p{}", p + 1),
    }
}

/// Sometimes a label, often one that was used before.
pub(crate) fn label(rng: &mut Rng, recorder: &mut Recorder) {
    if chance(rng, 60) {
        recorder.label(["a", "b", "two words"][rng.usize(0..3)]);
    }
}

fn receive(rng: &mut Rng, shape: &Shape, p: usize, messages: &mut Vec<(usize, String)>, recorder: &mut Recorder) {
    if shape.latest {
        if let Some((_, message)) = messages.iter().rev().find(|(q, _)| *q != p) {
            recorder.receive(message);
        }
        return;
    }
    for _ in 0..rng.usize(1..=2) {
        if messages.is_empty() {
            return;
        }
        // Old messages mostly say what is known already.
        let at = rng.usize(messages.len().saturating_sub(6)..messages.len());
        let own = messages[at].0 == p;
        if !own || chance(rng, 20) {
            recorder.receive(&messages[at].1);
        }
        // The others can be received again: multicast.
        if chance(rng, 50) {
            messages.remove(at);
        }
    }
}

/// What a process assigns.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    /// Its variables, each with whether it starts without a value.
    variables: Vec<(&'static str, bool)>,
}

impl Writer {
    /// A process that assigns most of the variables `x`, `y` and `b`.
    pub(crate) fn new(rng: &mut Rng, shape: &Shape) -> Self {
        let mut variables = Vec::new();
        for name in ["x", "y", "b"] {
            if chance(rng, 80) {
                variables.push((name, chance(rng, shape.unset)));
            }
        }
        Self { variables }
    }

    /// The values of the initial state.
    pub(crate) fn initial(&mut self, rng: &mut Rng, recorder: &mut Recorder) {
        for (name, unset) in &self.variables {
            if !unset {
                recorder.set(name, value(rng, name));
            }
        }
    }

    /// The values that an event assigns; the others stay.
    pub(crate) fn event(&mut self, rng: &mut Rng, recorder: &mut Recorder) {
        for (name, _) in &self.variables {
            if chance(rng, 45) {
                let null = chance(rng, 3);
                recorder.set(name, if null { Value::Null } else { value(rng, name) });
            }
        }
    }
}

/// `b` is a truth value, the others are small numbers, 0 and 1 above all.
fn value(rng: &mut Rng, name: &str) -> Value {
    match name {
        "b" => Value::Bool(rng.bool()),
        _ => Value::Int([-1, 0, 0, 1, 1, 2][rng.usize(0..6)]),
    }
}
