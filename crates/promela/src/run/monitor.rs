//! Trace assertions, which move with the events on channels.
//!
//! As in SPIN, an event counts if the assertion names its channel in an event of the same
//! kind. Under `trace` every such event must match. Under `notrace`, the first event that does not match
//! settles that the assertion holds, and reaching the end is the error. Departures: the assertion
//! is compared with the message that is sent or received, where SPIN
//! compares with the first or last message of the channel (sorted sends, random receives),
//! and a rendezvous counts when it takes place, where SPIN counts attempts.

use super::View;
use crate::RuntimeError;
use crate::ir::{Action, Edge, Event, LocationId, Monitor, Node, PatternNode, Program, Scope};

impl Program {
    /// Moves the trace assertion with an event on a channel.
    pub(super) fn watch(
        &self,
        state: &mut [u8],
        event: Event,
        channel: i32,
        field: impl Fn(&[u8], usize) -> i32,
    ) -> Result<(), RuntimeError> {
        let Some(monitor) = self.monitor.as_ref().filter(|_| self.asserts) else {
            return Ok(());
        };
        let Some(location) = monitor.location(state) else {
            return Ok(());
        };
        let view = View::outside(self, state);
        if !monitor.channels(event).any(|node| view.value(node) == Ok(channel)) {
            return Ok(());
        }
        let matches = |edge: &Edge| matches(&view, edge, event, channel, |k| field(state, k));
        let mut found = Vec::new();
        reachable(monitor, location, &matches, &mut Vec::new(), &mut found)?;
        match (&found[..], monitor.must_match) {
            ([to], _) => {
                monitor.go_to(state, Some(*to));
                if !monitor.must_match && monitor.is_over(*to) {
                    return Err(RuntimeError::TraceMatched);
                }
            }
            ([], false) => monitor.go_to(state, None),
            ([], true) => return Err(RuntimeError::TraceMismatch),
            _ => return Err(RuntimeError::TraceAmbiguous),
        }
        Ok(())
    }
}

/// The locations that the matching edges lead to. Jumps are followed.
fn reachable(
    monitor: &Monitor,
    location: LocationId,
    matches: &impl Fn(&Edge) -> Result<bool, RuntimeError>,
    passed: &mut Vec<LocationId>,
    found: &mut Vec<LocationId>,
) -> Result<(), RuntimeError> {
    if passed.contains(&location) {
        return Ok(());
    }
    passed.push(location);
    for edge in monitor.graph.at(location) {
        if edge.only_waits {
            reachable(monitor, edge.to, matches, passed, found)?;
        } else if matches(edge)? {
            found.push(edge.to);
        }
    }
    Ok(())
}

/// Whether an event matches an edge of the assertion.
fn matches(
    view: &View<'_, '_>,
    edge: &Edge,
    event: Event,
    channel: i32,
    field: impl Fn(usize) -> i32,
) -> Result<bool, RuntimeError> {
    match (&edge.action, event) {
        (
            Action::Send {
                channel: c, message, ..
            },
            Event::Send,
        ) => {
            if view.value(c)? != channel {
                return Ok(false);
            }
            for (k, node) in message.iter().enumerate() {
                if !is_anything(node) && view.value(node)? != field(k) {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (
            Action::Receive {
                channel: c, patterns, ..
            },
            Event::Receive,
        ) => {
            let fits = |(k, pattern): (usize, &PatternNode)| match pattern {
                PatternNode::Match(value) => Ok(view.value(value)? == field(k)),
                PatternNode::Store(_) | PatternNode::Any => Ok(true),
            };
            let here = view.value(c)? == channel;
            let all: Result<Vec<bool>, _> = patterns.iter().enumerate().map(fits).collect();
            Ok(here && all?.into_iter().all(|fits| fits))
        }
        _ => Ok(false),
    }
}

/// Whether a field of a send stands for any value.
fn is_anything(node: &Node) -> bool {
    matches!(node, Node::Load(target) if target.scope == Scope::Scratch)
}
