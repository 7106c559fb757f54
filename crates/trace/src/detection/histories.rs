//! The histories of a computation as a concurrent system.
//!
//! A global state is a cut, stored as one number per process; a transition is an
//! event, enabled when its causes are in the cut (paper, section 4, formula (1)).
//! The executions of the system are the histories consistent with the computation.
//!
//! For Definitely the system stops where the predicate holds: the paper (long
//! version, section 6) remembers in a variable h whether it has held, and notes
//! that nothing needs to be explored once it has. Then h is false in every state
//! that is left, and need not be stored.

use crate::causality::{Causality, Cut, Event};
use crate::condition::Condition;
use mazurka_core::{Dependency, Fault, System};

/// The system of the histories of a computation. `W` is the number of bytes that
/// hold a process's place.
#[derive(Debug)]
pub(crate) struct Histories<'a, const W: usize> {
    order: &'a Causality,
    /// Where histories end early, if they do.
    until: Option<&'a Condition<'a>>,
}

/// The number of bytes for a place among this many events.
pub(crate) fn width(order: &Causality) -> usize {
    let most = (0..order.processes()).map(|p| order.events(p)).max().unwrap_or(0);
    match most {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        _ => 4,
    }
}

impl<'a, const W: usize> Histories<'a, W> {
    /// All histories.
    pub(crate) fn new(order: &'a Causality) -> Self {
        Self { order, until: None }
    }

    /// Histories up to the first state in which a condition holds.
    pub(crate) fn until(order: &'a Causality, condition: &'a Condition<'a>) -> Self {
        Self {
            order,
            until: Some(condition),
        }
    }
}

/// The place of a process in a state.
#[inline]
pub(crate) fn place<const W: usize>(state: &[u8], process: usize) -> u32 {
    let bytes = &state[process * W..(process + 1) * W];
    match W {
        1 => u32::from(bytes[0]),
        2 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
        _ => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
    }
}

/// Makes `cut` the cut that a state stands for.
#[inline]
pub(crate) fn decode<const W: usize>(state: &[u8], cut: &mut Cut) {
    cut.clear();
    cut.extend((0..state.len() / W).map(|p| place::<W>(state, p)));
}

impl<const W: usize> System for Histories<'_, W> {
    type Transition = Event;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        state.resize(self.order.processes() * W, 0);
    }

    #[inline]
    fn enabled(&self, state: &[u8], out: &mut Vec<Event>) {
        if let Some(condition) = self.until {
            let mut cut = Vec::new();
            decode::<W>(state, &mut cut);
            if condition.holds(&cut) {
                return;
            }
        }
        for p in 0..self.order.processes() {
            let next = place::<W>(state, p) + 1;
            if next <= self.order.events(p) {
                let causes = self.order.causes(p, next);
                if causes.iter().all(|c| c.index <= place::<W>(state, c.process.index())) {
                    out.push(Event::new(p, next));
                }
            }
        }
    }

    #[inline]
    fn fire(&self, (): &mut (), state: &[u8], t: Event, next: &mut Vec<u8>) -> Result<(), Fault> {
        next.clear();
        next.extend_from_slice(state);
        let at = t.process.index() * W;
        next[at..at + W].copy_from_slice(&t.index.to_le_bytes()[..W]);
        Ok(())
    }

    fn state_len(&self) -> Option<usize> {
        Some(self.order.processes() * W)
    }
}

/// Events of different processes that are both enabled commute: neither is a cause
/// of the other (paper, proof of Theorem 1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventsCommute;

impl Dependency<Event> for EventsCommute {
    #[inline]
    fn independent(&self, _: &[u8], t: Event, u: Event) -> bool {
        t.process != u.process
    }
}

/// Where histories stop at a condition, an event that makes it true disables the
/// others. Long version, proof of Theorem 2: two enabled transitions are dependent
/// only if exactly one of them makes the predicate true; here also if both do.
#[derive(Debug)]
pub(crate) struct UnlessTrue<'a, const W: usize>(pub(crate) &'a Condition<'a>);

impl<const W: usize> Dependency<Event> for UnlessTrue<'_, W> {
    fn independent(&self, state: &[u8], t: Event, u: Event) -> bool {
        let after = |event: Event| {
            let mut cut = Vec::new();
            decode::<W>(state, &mut cut);
            cut[event.process.index()] = event.index;
            self.0.holds(&cut)
        };
        t.process != u.process && !after(t) && !after(u)
    }
}
