//! The state of an object as the scheduler knows it, and its history.

use crate::ids::{EventId, ObjectId, ThreadId};
use crate::operation::Effect;
use std::panic::Location;

/// What decides whether operations on an object are possible.
#[derive(Clone, Debug)]
pub(crate) enum State {
    Mutex {
        owner: Option<ThreadId>,
    },
    RwLock {
        writer: Option<ThreadId>,
        readers: u32,
    },
    /// Threads that wait, in the order of their ids.
    Condvar {
        waiters: Vec<ThreadId>,
    },
    Register,
    Queue {
        sent: u32,
        received: u32,
        capacity: u32,
        senders: u32,
        receiver: bool,
        /// A message is handed over: an attempt to send succeeds only if the receiver is ready.
        rendezvous: bool,
        /// It is.
        listening: bool,
    },
    Semaphore {
        permits: u32,
        initial: u32,
    },
    Parker {
        token: bool,
    },
    Barrier {
        size: u32,
        arrived: u32,
        generation: u32,
    },
    Once {
        running: bool,
        done: bool,
    },
    /// The owners of a value.
    Owners,
    /// The end of a thread.
    End {
        thread: ThreadId,
    },
    User,
}

impl State {
    /// The type's name for people.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            State::Mutex { .. } => "Mutex",
            State::RwLock { .. } => "RwLock",
            State::Condvar { .. } => "Condvar",
            State::Register => "Atomic",
            State::Queue { .. } => "channel",
            State::Semaphore { .. } => "Semaphore",
            State::Parker { .. } => "parker",
            State::Barrier { .. } => "Barrier",
            State::Once { .. } => "Once",
            State::Owners => "Arc",
            State::End { .. } => "end of thread",
            State::User => "object",
        }
    }
}

/// An operation that has happened to an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) event: EventId,
    pub(crate) thread: ThreadId,
    pub(crate) effect: Effect,
    /// Of an acquisition: the event that released it, or [`EventId::NONE`].
    /// Of anything else: the event itself.
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

/// A lock that a thread holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) object: ObjectId,
    /// Where the acquisition is in the object's history; none while its transition is running.
    pub(crate) entry: Option<u32>,
    /// True once the critical section has done more than read.
    pub(crate) wrote: bool,
    /// A reader's lock, which others may hold as well.
    pub(crate) reader: bool,
    pub(crate) at: &'static Location<'static>,
}
