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
use crate::condition::{Condition, LocalStates};
use mazurka_core::{Dependency, Fault, ProcessId, System};

/// The system of the histories of a computation.
#[derive(Debug)]
pub(crate) struct Histories<'a> {
    order: &'a Causality,
    width: Width,
    /// Where histories end early, if they do.
    until: Option<&'a Condition<'a>>,
}

/// How many bytes of a state hold the place of a process: the same number for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    One = 1,
    Two = 2,
    Four = 4,
}

impl Width {
    /// Enough for every place in this order.
    pub(crate) fn of(order: &Causality) -> Self {
        let most = order.process_ids().map(|p| order.events(p)).max().unwrap_or(0);
        match most {
            0..0x100 => Self::One,
            0x100..0x1_0000 => Self::Two,
            _ => Self::Four,
        }
    }

    #[inline]
    fn bytes(self) -> usize {
        self as usize
    }

    /// The place of a process in a state.
    #[inline]
    fn place(self, state: &[u8], process: usize) -> u32 {
        let at = process * self.bytes();
        let bytes = &state[at..at + self.bytes()];
        match self {
            Self::One => u32::from(bytes[0]),
            Self::Two => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            Self::Four => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
        }
    }

    /// Makes `cut` the cut that a state stands for.
    #[inline]
    pub(crate) fn decode(self, state: &[u8], cut: &mut Cut) {
        cut.clear();
        match self {
            Self::One => cut.extend(state.iter().map(|byte| u32::from(*byte))),
            Self::Two | Self::Four => {
                cut.extend((0..state.len() / self.bytes()).map(|p| self.place(state, p)));
            }
        }
    }

    /// The state that stands for a cut.
    pub(crate) fn encode(self, cut: impl Iterator<Item = u32>) -> Vec<u8> {
        let mut state = Vec::new();
        for place in cut {
            state.extend_from_slice(&place.to_le_bytes()[..self.bytes()]);
        }
        state
    }
}

/// The cut that a state stands for, read where it is.
#[derive(Clone, Copy)]
struct Encoded<'a> {
    width: Width,
    state: &'a [u8],
}

impl LocalStates for Encoded<'_> {
    #[inline]
    fn of(&self, process: ProcessId) -> u32 {
        self.width.place(self.state, process.index())
    }
}

/// The cut after one more event.
struct After<'a> {
    before: Encoded<'a>,
    event: Event,
}

impl LocalStates for After<'_> {
    #[inline]
    fn of(&self, process: ProcessId) -> u32 {
        match process == self.event.process {
            true => self.event.index,
            false => self.before.of(process),
        }
    }
}

impl<'a> Histories<'a> {
    /// All histories.
    pub(crate) fn new(order: &'a Causality) -> Self {
        Self {
            order,
            width: Width::of(order),
            until: None,
        }
    }

    /// Histories up to the first state in which a condition holds.
    pub(crate) fn until(order: &'a Causality, condition: &'a Condition<'a>) -> Self {
        Self {
            until: Some(condition),
            ..Self::new(order)
        }
    }
}

impl System for Histories<'_> {
    type Transition = Event;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        state.resize(self.order.processes() * self.width.bytes(), 0);
    }

    #[inline]
    fn enabled(&self, state: &[u8], out: &mut Vec<Event>) {
        let places = Encoded {
            width: self.width,
            state,
        };
        if self.until.is_some_and(|condition| condition.holds_in(&places)) {
            return;
        }
        for p in self.order.process_ids() {
            let next = places.of(p) + 1;
            if next <= self.order.events(p) {
                let causes = self.order.causes(p, next);
                let happened = |c: &Event| c.index <= places.of(c.process);
                if causes.iter().all(happened) {
                    out.push(Event::new(p, next));
                }
            }
        }
    }

    #[inline]
    fn fire(&self, (): &mut (), state: &[u8], t: Event, next: &mut Vec<u8>) -> Result<(), Fault> {
        next.clear();
        next.extend_from_slice(state);
        let bytes = self.width.bytes();
        let at = t.process.index() * bytes;
        next[at..at + bytes].copy_from_slice(&t.index.to_le_bytes()[..bytes]);
        Ok(())
    }

    fn state_len(&self) -> Option<usize> {
        Some(self.order.processes() * self.width.bytes())
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
pub(crate) struct UnlessTrue<'a> {
    width: Width,
    condition: &'a Condition<'a>,
}

impl<'a> UnlessTrue<'a> {
    pub(crate) fn new(order: &Causality, condition: &'a Condition<'a>) -> Self {
        Self {
            width: Width::of(order),
            condition,
        }
    }
}

impl Dependency<Event> for UnlessTrue<'_> {
    fn independent(&self, state: &[u8], t: Event, u: Event) -> bool {
        let before = Encoded {
            width: self.width,
            state,
        };
        let after = |event: Event| self.condition.holds_in(&After { before, event });
        t.process != u.process && !after(t) && !after(u)
    }
}
