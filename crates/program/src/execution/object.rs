//! An object as the scheduler knows it: its state, which its type defines, and its history.

use crate::ids::{EventId, ObjectId, ThreadId};
use crate::operation::Effect;
use crate::registry::State;
use std::panic::Location;

/// An operation that has happened to an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) event: EventId,
    pub(crate) thread: ThreadId,
    pub(crate) effect: Effect,
    /// For an acquisition, the event that released it, or [`EventId::NONE`].
    /// For anything else, the event itself.
    pub(crate) release: EventId,
}

/// An object of an execution.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) state: State,
    pub(crate) history: Vec<Entry>,
    /// The number of the object among those of its type.
    pub(crate) ordinal: u32,
    pub(crate) made: &'static Location<'static>,
}

/// What a lock protects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protects {
    /// Its own value.
    Value,
    /// Something beside it, and nobody knows what.
    Unknown,
    /// Tracked cells, as its critical section has shown.
    Cells,
}

/// A lock that a thread holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) object: ObjectId,
    /// Where the acquisition is in the object's history; none while its transition is running.
    pub(crate) entry: Option<u32>,
    /// True once the critical section has done more than read.
    pub(crate) wrote: bool,
    pub(crate) protects: Protects,
    /// A reader's lock, which others may hold as well.
    pub(crate) reader: bool,
    pub(crate) at: &'static Location<'static>,
}
