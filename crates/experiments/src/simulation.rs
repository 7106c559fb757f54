//! Discrete-event simulation of processes that exchange messages.
//!
//! Each process is a state machine ([`Machine`]) that acts only when a message arrives or
//! its timer expires. Message latencies and waiting times
//! are drawn from `1 + exp(1)`, the exponential distribution with mean 1 moved up by
//! one, and the run ends with the event that gives some process its S-th local state,
//! the initial one included (Stoller, Unnikrishnan and Liu, CAV 2000, section 6; long
//! version, section 7). A run depends on the protocol, the numbers of processes and
//! states, and the seed.
//!
//! What the paper leaves open, and what is done here:
//!
//! - **An event** is what a process does on one arrival or timeout, as a whole: it
//!   receives at most one message, assigns variables and sends any number of messages,
//!   a broadcast included. An arrival that changes nothing (a late reply) is an event
//!   too, since it is a reception. The paper calls sending and receiving events, and does
//!   not say whether an answer is part of the reception or a broadcast one event. This is
//!   the simplest reading, and it was chosen with the paper's counts in view: an event of
//!   its own for each answer makes many more consistent cuts than were published. So the
//!   unreduced counts agree with the published ones partly by choice.
//! - **Acting takes no time.** Two things due at the same time happen in the order in
//!   which they were arranged.
//! - **Channels are first-in first-out**, as a stream between two hosts is: a message
//!   arrives no earlier than those that its sender sent to the same process before, even
//!   if its latency is shorter. Channels are independent of each other. Nothing is lost.

use crate::run::{Assignments, MessageNumber, Record, Run};
use mazurka_core::ProcessId;
use mazurka_trace::Value;
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

/// Why a protocol cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The protocol needs more processes.
    #[error("{protocol} needs at least {least} processes, not {given}")]
    TooFewProcesses {
        /// The protocol.
        protocol: &'static str,
        /// How many it needs.
        least: usize,
        /// How many were asked for.
        given: usize,
    },
    /// A process has an initial state, so the number of states is at least 1.
    #[error("every process has an initial state, so the number of states is at least 1")]
    NoStates,
}

/// A process of a protocol.
pub(crate) trait Machine {
    /// What it sends and receives.
    type Message;

    /// Its initial state, which is no event: it assigns variables and may set the timer.
    fn start(&mut self, initial: &mut Act<Self::Message>);

    /// A message arrives.
    fn receive(&mut self, from: ProcessId, message: Self::Message, event: &mut Act<Self::Message>);

    /// The timer expires.
    fn timeout(&mut self, event: &mut Act<Self::Message>);
}

/// What a process does in one event.
pub(crate) struct Act<M> {
    label: &'static str,
    assigns: Assignments,
    sends: Vec<(ProcessId, M)>,
    timer: Timer,
}

/// How an event changes the timer of its process.
enum Timer {
    Keep,
    Cancel,
    Set,
}

impl<M> Act<M> {
    /// An event that does nothing yet.
    pub(crate) fn nothing() -> Self {
        Self {
            label: "",
            assigns: Assignments::new(),
            sends: Vec::new(),
            timer: Timer::Keep,
        }
    }

    /// Names the event.
    pub(crate) fn label(&mut self, label: &'static str) {
        self.label = label;
    }

    /// Assigns a variable.
    pub(crate) fn set(&mut self, variable: &'static str, value: Value) {
        self.assigns.insert(variable, value);
    }

    /// Sends a message to another process.
    pub(crate) fn send(&mut self, to: ProcessId, message: M) {
        self.sends.push((to, message));
    }

    /// Sets the timer, or sets it again if it runs.
    pub(crate) fn set_timer(&mut self) {
        self.timer = Timer::Set;
    }

    /// Stops the timer.
    pub(crate) fn cancel_timer(&mut self) {
        self.timer = Timer::Cancel;
    }

    /// The value that the event assigns to a variable.
    #[cfg(test)]
    pub(crate) fn assigned(&self, variable: &str) -> Option<Value> {
        self.assigns.get(variable).cloned()
    }

    /// The number of messages that the event sends.
    #[cfg(test)]
    pub(crate) fn sent(&self) -> usize {
        self.sends.len()
    }
}

/// Runs `machines` until one of them has `states` local states.
pub(crate) fn simulate<P: Machine>(mut machines: Vec<P>, states: u32, seed: u64) -> Result<Run, SimulationError> {
    let most = states.checked_sub(1).ok_or(SimulationError::NoStates)?;
    let mut world = World::new(machines.len(), seed);
    let mut initial = Vec::with_capacity(machines.len());
    for (p, machine) in machines.iter_mut().enumerate() {
        let mut act = Act::nothing();
        machine.start(&mut act);
        debug_assert!(act.sends.is_empty(), "an initial state sends nothing");
        world.change_timer(ProcessId::new(p), &act.timer);
        initial.push(act.assigns);
    }
    let mut executed = vec![0; machines.len()];
    let mut records = Vec::new();
    let mut longest = 0;
    while longest < most
        && let Some(due) = world.next()
    {
        let mut act = Act::nothing();
        let (process, receives) = match due {
            Due::Arrival {
                number,
                from,
                to,
                message,
            } => {
                machines[to.index()].receive(from, message, &mut act);
                (to, Some(number))
            }
            Due::Timeout { process, .. } => {
                machines[process.index()].timeout(&mut act);
                (process, None)
            }
        };
        world.change_timer(process, &act.timer);
        let sends = act.sends.into_iter().map(|(to, m)| world.send(process, to, m));
        records.push(Record {
            process,
            label: act.label,
            assigns: act.assigns,
            receives,
            sends: sends.collect(),
        });
        executed[process.index()] += 1;
        longest = longest.max(executed[process.index()]);
    }
    Ok(Run { initial, records })
}

/// Something that is due.
enum Due<M> {
    Arrival {
        number: MessageNumber,
        from: ProcessId,
        to: ProcessId,
        message: M,
    },
    Timeout {
        process: ProcessId,
        /// Which of its timers; it counts only if no later one was set and it was not stopped.
        timer: u64,
    },
}

/// Something that is due, and when. At equal times, what was scheduled first comes first.
struct Appointment<M> {
    time: f64,
    number: u64,
    due: Due<M>,
}

impl<M> Ord for Appointment<M> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.time.total_cmp(&other.time).then(self.number.cmp(&other.number))
    }
}

impl<M> PartialOrd for Appointment<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<M> PartialEq for Appointment<M> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<M> Eq for Appointment<M> {}

/// Time, the network and the timers.
struct World<M> {
    rng: fastrand::Rng,
    now: f64,
    agenda: BinaryHeap<Reverse<Appointment<M>>>,
    arranged: u64,
    messages: MessageNumber,
    /// By sender and receiver: when the last message arrives.
    last_arrival: HashMap<(ProcessId, ProcessId), f64>,
    /// By process: how often its timer was set or stopped.
    timers: Vec<u64>,
}

impl<M> World<M> {
    fn new(processes: usize, seed: u64) -> Self {
        Self {
            rng: fastrand::Rng::with_seed(seed),
            now: 0.0,
            agenda: BinaryHeap::new(),
            arranged: 0,
            messages: 0,
            last_arrival: HashMap::new(),
            timers: vec![0; processes],
        }
    }

    /// Advances to the next thing that is due.
    fn next(&mut self) -> Option<Due<M>> {
        while let Some(Reverse(next)) = self.agenda.pop() {
            let stopped = matches!(next.due, Due::Timeout { process, timer } if self.timers[process.index()] != timer);
            if !stopped {
                self.now = next.time;
                return Some(next.due);
            }
        }
        None
    }

    fn arrange(&mut self, time: f64, due: Due<M>) {
        self.arranged += 1;
        let number = self.arranged;
        self.agenda.push(Reverse(Appointment { time, number, due }));
    }

    fn send(&mut self, from: ProcessId, to: ProcessId, message: M) -> MessageNumber {
        let earliest = self.now + delay(&mut self.rng);
        let last = self.last_arrival.entry((from, to)).or_insert(0.0);
        *last = last.max(earliest);
        let time = *last;
        self.messages += 1;
        let number = self.messages;
        self.arrange(
            time,
            Due::Arrival {
                number,
                from,
                to,
                message,
            },
        );
        number
    }

    fn change_timer(&mut self, process: ProcessId, change: &Timer) {
        if matches!(change, Timer::Keep) {
            return;
        }
        self.timers[process.index()] += 1;
        if matches!(change, Timer::Set) {
            let timer = self.timers[process.index()];
            let time = self.now + delay(&mut self.rng);
            self.arrange(time, Due::Timeout { process, timer });
        }
    }
}

/// A sample of `1 + exp(1)`, by inversion of the distribution function.
fn delay(rng: &mut fastrand::Rng) -> f64 {
    1.0 - (1.0 - rng.f64()).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first process sends numbers to the second, three at a time, on each timeout.
    #[derive(Default)]
    struct Counter {
        sends: bool,
        sent: u32,
        received: Vec<u32>,
    }

    impl Machine for Counter {
        type Message = u32;

        fn start(&mut self, initial: &mut Act<u32>) {
            initial.set("n", Value::Int(0));
            if self.sends {
                initial.set_timer();
            }
        }

        fn receive(&mut self, _: ProcessId, message: u32, event: &mut Act<u32>) {
            assert_eq!(message as usize, self.received.len(), "messages overtake each other");
            self.received.push(message);
            event.label("receive");
        }

        fn timeout(&mut self, event: &mut Act<u32>) {
            event.label("send");
            for _ in 0..3 {
                event.send(ProcessId::new(1), self.sent);
                self.sent += 1;
            }
            event.set("n", Value::Int(i64::from(self.sent)));
            event.set_timer();
        }
    }

    fn counters(states: u32, seed: u64) -> Run {
        let sender = Counter {
            sends: true,
            ..Counter::default()
        };
        simulate(vec![sender, Counter::default()], states, seed).unwrap()
    }

    #[test]
    fn channels_keep_the_order_and_the_first_to_have_enough_states_ends_the_run() {
        for seed in 0..100 {
            let order = counters(50, seed).computation().causality().last_cut();
            assert_eq!(order[1], 49);
            assert!(order[0] < 49);
        }
    }

    #[test]
    fn delays_are_at_least_1_and_2_on_average() {
        let mut rng = fastrand::Rng::with_seed(1);
        let samples: Vec<f64> = (0..100_000).map(|_| delay(&mut rng)).collect();
        assert!(samples.iter().all(|&d| (1.0..100.0).contains(&d)));
        let mean = samples.iter().sum::<f64>() / samples.len() as f64;
        assert!((mean - 2.0).abs() < 0.02, "{mean}");
        // The exponential distribution has the median ln 2.
        let below = samples.iter().filter(|&&d| d < 1.0 + std::f64::consts::LN_2).count();
        assert!((49_000..51_000).contains(&below), "{below}");
    }

    #[test]
    fn one_state_is_the_initial_one() {
        assert_eq!(counters(1, 0).observed().count(), 0);
        let none = simulate(Vec::<Counter>::new(), 0, 0);
        assert_eq!(none, Err(SimulationError::NoStates));
    }
}
