//! A `trace` or `notrace` assertion, compiled.
//!
//! It is an automaton over the sends and receives of the model, which a process never
//! executes: it moves with the events on the channels that it names. Where it is, is part
//! of the state, and an object of the dependency relation that each of those events writes.

use super::{Action, Graph, LocationId, Node};

/// What happens to a channel.
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
    /// `trace`: every event must be matched. Otherwise `notrace`: it must not come to its end.
    pub(crate) must_match: bool,
    /// Where its location is in a state: two bytes.
    pub(crate) at: usize,
}

/// The location of a `notrace` assertion that can no longer be matched.
const SETTLED: LocationId = LocationId(u16::MAX);

impl Monitor {
    /// Where it is; none if nothing matters any more.
    #[inline]
    pub(crate) fn location(&self, state: &[u8]) -> Option<LocationId> {
        let location = LocationId(u16::from_le_bytes([state[self.at], state[self.at + 1]]));
        (location != SETTLED).then_some(location)
    }

    /// Moves it; `None`: nothing matters any more.
    pub(crate) fn go_to(&self, state: &mut [u8], location: Option<LocationId>) {
        let LocationId(number) = location.unwrap_or(SETTLED);
        state[self.at..self.at + 2].copy_from_slice(&number.to_le_bytes());
    }

    /// The channels of the events of one kind that it is about.
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

    /// Whether it has come to its end.
    pub(crate) fn is_over(&self, location: LocationId) -> bool {
        self.graph.at(location).is_empty()
    }

    /// Whether the system may stop here: as a process may, at the end or at an `end` label.
    pub(crate) fn may_stop(&self, state: &[u8]) -> bool {
        !self.must_match
            || self
                .location(state)
                .is_none_or(|l| self.graph.locations[l.index()].is_end)
    }
}
