//! A `trace` or `notrace` assertion, compiled.
//!
//! It is an automaton over the sends and receives of the model. No process
//! executes it: it moves with the events on the channels that it names. Its location is part
//! of the state, and an object of the dependency relation, which each of those events writes.

use super::{Action, Graph, LocationId, Node};

/// An event on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A message is sent.
    Send,
    /// A message is received, and not only copied.
    Receive,
}

/// The automaton of a trace assertion.
#[derive(Debug)]
pub(crate) struct Monitor {
    pub(crate) graph: Graph,
    /// True for `trace`: every event must be matched. False for `notrace`: the automaton must not reach its end.
    pub(crate) must_match: bool,
    /// The offset of its location in a state, which has two bytes.
    pub(crate) at: usize,
}

/// The location of a `notrace` assertion that can no longer be matched.
const SETTLED: LocationId = LocationId(u16::MAX);

impl Monitor {
    /// Its location. None if a `notrace` assertion can no longer be matched.
    #[inline]
    pub(crate) fn location(&self, state: &[u8]) -> Option<LocationId> {
        let location = LocationId(u16::from_le_bytes([state[self.at], state[self.at + 1]]));
        (location != SETTLED).then_some(location)
    }

    /// Sets its location. `None` means that it can no longer be matched.
    pub(crate) fn go_to(&self, state: &mut [u8], location: Option<LocationId>) {
        let LocationId(number) = location.unwrap_or(SETTLED);
        state[self.at..self.at + 2].copy_from_slice(&number.to_le_bytes());
    }

    /// The channels that it names in events of this kind.
    pub(crate) fn channels(&self, event: Event) -> impl Iterator<Item = &Node> {
        self.graph
            .edges
            .iter()
            .filter_map(move |edge| match (&edge.action, event) {
                (Action::Send { channel, .. }, Event::Send) | (Action::Receive { channel, .. }, Event::Receive) => {
                    Some(channel)
                }
                _ => None,
            })
    }

    /// Whether it has reached its end.
    pub(crate) fn is_over(&self, location: LocationId) -> bool {
        self.graph.at(location).is_empty()
    }

    /// Whether the system may stop here: at the end or at an `end` label, as for a process.
    pub(crate) fn may_stop(&self, state: &[u8]) -> bool {
        !self.must_match
            || self
                .location(state)
                .is_none_or(|l| self.graph.locations[l.index()].is_end)
    }
}
