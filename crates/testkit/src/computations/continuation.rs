//! Continuations: what a computation could become after a part of it has arrived.
//!
//! A continuation has the arrived local states as prefixes of its processes, with
//! the same values and the same direct causes. What follows is free, except that
//! the events exist that an arrived event is known to follow. A verdict that is
//! announced for what has arrived must be right in all continuations.

use super::chance::chance;
use super::online::Arrived;
use super::random::{Shape, Writer, label};
use fastrand::Rng;
use mazurka_trace::{Computation, Event, Place, ProcessId, Recorder, Recording, Sink};

/// A random continuation.
///
/// Events that have not arrived but are known to have happened keep their causes
/// and get other values, so that the arrived events have the same vector timestamps
/// as before; what comes after them is new.
///
/// # Panics
/// If a process has ended before an event that is known to have happened.
pub fn continuation(rng: &mut Rng, computation: &Computation, arrived: &Arrived, shape: &Shape) -> Computation {
    let known = arrived.known(computation);
    let mut copy = Copy::new(computation, arrived);
    let mut writers: Vec<Writer> = known.iter().map(|_| Writer::new(rng, shape)).collect();
    for (p, writer) in writers.iter_mut().enumerate() {
        if !copy.initial(p) {
            writer.initial(rng, &mut copy.recorder);
        }
    }
    let more: Vec<u32> = arrived
        .ended
        .iter()
        .map(|ended| if *ended { 0 } else { rng.u32(0..=2) })
        .collect();
    // Any order that could have been observed, known events first come first served.
    let mut cut = vec![0; known.len()];
    loop {
        let may_happen = |p: usize| match cut[p] < known[p] {
            true => {
                let causes = computation.causality().causes(ProcessId::new(p), cut[p] + 1);
                causes.iter().all(|c| c.index <= cut[c.process.index()])
            }
            false => cut[p] < known[p] + more[p],
        };
        let next: Vec<usize> = (0..cut.len()).filter(|&p| may_happen(p)).collect();
        let Some(&p) = rng.choice(&next) else { break };
        cut[p] += 1;
        let (has_values, has_causes) = copy.event(p, cut[p], cut[p] <= known[p]);
        if !has_values {
            label(rng, &mut copy.recorder);
            writers[p].event(rng, &mut copy.recorder);
        }
        let q = rng.usize(0..cut.len());
        if !has_causes && q != p && cut[q] > 0 && chance(rng, shape.receive) {
            copy.recorder.after(Event::new(ProcessId::new(q), rng.u32(1..=cut[q])));
        }
    }
    copy.recorder.finish().expect("the rules are kept")
}

/// The continuation with the most histories: each process that has not ended goes
/// on, and what has not arrived follows nothing and assigns nothing.
///
/// # Panics
/// If a process has ended before an event that is known to have happened.
pub fn freest_continuation(computation: &Computation, arrived: &Arrived) -> Computation {
    let known = arrived.known(computation);
    let mut copy = Copy::new(computation, arrived);
    for (p, &known) in known.iter().enumerate() {
        copy.initial(p);
        for k in 1..=known + u32::from(!arrived.ended[p]) {
            copy.event(p, k, arrived.contains(p, k));
        }
    }
    copy.recorder.finish().expect("the rules are kept")
}

/// A computation that is recorded once more.
struct Copy<'a> {
    computation: &'a Computation,
    arrived: &'a Arrived,
    recorder: Recorder,
}

impl<'a> Copy<'a> {
    fn new(computation: &'a Computation, arrived: &'a Arrived) -> Self {
        let mut recorder = Recorder::new(Recording::default());
        for name in computation.names() {
            recorder.process(name);
        }
        for (p, known) in arrived.known(computation).into_iter().enumerate() {
            let goes_on = known > arrived.cut()[p];
            assert!(
                !(arrived.ended[p] && goes_on),
                "process {p} is known to go on: {arrived:?}"
            );
        }
        Self {
            computation,
            arrived,
            recorder,
        }
    }

    /// Begins an initial state; whether its values were taken over.
    fn initial(&mut self, p: usize) -> bool {
        let process = self.recorder.process(&self.computation.names()[p]);
        self.recorder.init(process, Place::NOWHERE);
        self.values(p, 0)
    }

    /// Begins an event, with the same causes if `causes` says so; whether values
    /// and causes were taken over.
    fn event(&mut self, p: usize, k: u32, causes: bool) -> (bool, bool) {
        let process = self.recorder.process(&self.computation.names()[p]);
        self.recorder.event(process, Place::NOWHERE);
        if causes {
            for cause in self.computation.causality().causes(ProcessId::new(p), k) {
                self.recorder.after(*cause);
            }
        }
        (self.values(p, k), causes)
    }

    fn values(&mut self, p: usize, k: u32) -> bool {
        if !self.arrived.contains(p, k) {
            return false;
        }
        let process = ProcessId::new(p);
        if !self.computation.label(process, k).is_empty() {
            self.recorder.label(self.computation.label(process, k));
        }
        for (variable, value) in self.computation.assigned_by(process, k) {
            self.recorder.set(variable, value.clone());
        }
        true
    }
}
