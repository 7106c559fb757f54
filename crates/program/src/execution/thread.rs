//! The state of a thread as the scheduler knows it.

use super::object::Held;
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::memory::Asked;
use crate::operation::Operation;
use std::any::Any;
use std::panic::Location;
use std::rc::Rc;

/// Where a thread is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// It does not exist in this execution, or not yet.
    Absent,
    /// It was spawned and has not run.
    New,
    /// It runs, or is about to.
    Running,
    /// It has announced its next operation.
    Pending,
    /// It has announced its next operation, and repeats a turn of a loop in which it changes nothing.
    Waits,
    /// It has ended.
    Finished,
    /// It goes no further, because its node crashes; see `node/crash.rs`.
    Frozen,
    /// An assumption of the program failed in it. How it would go on does not matter.
    Discarded,
}

/// A thread-local value.
pub(crate) struct Local {
    /// The address of its key.
    pub(crate) key: usize,
    /// None once it was dropped.
    pub(crate) value: Option<Rc<dyn Any>>,
    /// Whether its destructor does something. If not, it is not dropped before its thread has ended.
    pub(crate) needs_drop: bool,
}

/// A condition of a user's object: whether the announced operation is possible.
pub(crate) type Guard = Rc<dyn Fn() -> bool>;

pub(crate) struct Thread {
    pub(crate) status: Status,
    pub(crate) pending: Operation,
    /// How many events of each thread happened before this thread's next one.
    pub(crate) clock: Vec<u32>,
    /// The thread's events, in order.
    pub(crate) events: Vec<EventId>,
    pub(crate) held: Vec<Held>,
    pub(crate) parent: Option<ThreadId>,
    pub(crate) children: usize,
    pub(crate) name: Option<Rc<str>>,
    pub(crate) spawned_at: &'static Location<'static>,
    /// True while the thread waits on a condition variable and was not notified.
    pub(crate) waiting: bool,
    /// The result of the last operation.
    pub(crate) outcome: u32,
    pub(crate) guard: Option<Guard>,
    pub(crate) panicked: bool,
    /// It has learned of another thread's panic, so that its own panic is not reported.
    pub(crate) tainted: bool,
    pub(crate) joined: bool,
    /// The objects that the thread uses, if they were declared (`thread::Builder::uses`).
    pub(crate) uses: Option<Vec<ObjectId>>,
    /// How many operations it has performed, accesses to cells aside.
    pub(crate) steps: u32,
    pub(crate) spurious_left: u32,
    /// How many times its `compare_exchange_weak` may still fail for no reason.
    pub(crate) failures_left: u32,
    /// What it asks of an atomic.
    pub(crate) access: Asked,
    /// What its last read of an atomic has found.
    pub(crate) found: u64,
    /// Its wait on a condition variable has a timeout.
    pub(crate) timeout: bool,
    /// The value of an atomic that its last operation has found; none if that was another operation.
    pub(crate) saw: Option<u64>,
    /// Whether its last operation on an atomic has left the value as it was.
    pub(crate) kept: bool,
    /// What it has done since it did something that others may notice.
    pub(crate) turns: super::turns::Turns,
    /// Its loop is on trial: it is checked whether it does the same again and again.
    pub(crate) trial: Option<super::spinning::Trial>,
    /// It has waited in a loop, and gone on after so many events.
    pub(crate) resumed: Option<usize>,
    pub(crate) locals: Vec<Local>,
    pub(crate) parker: ObjectId,
    pub(crate) end: ObjectId,
    /// The node it belongs to; 0 outside all nodes.
    pub(crate) node: u32,
    /// How many faults its operations have met.
    pub(crate) faults: crate::faults::Faults,
    /// It ended because its node has crashed.
    pub(crate) crashed: bool,
    /// The thread before and the one after it that are alike, and the number of their class; see `symmetry.rs`.
    pub(crate) leader: Option<ThreadId>,
    pub(crate) follower: Option<ThreadId>,
    pub(crate) class: Option<usize>,
    /// It was blocked in its announced operation when its node crashed.
    pub(crate) cut_off: bool,
    /// Its node may crash, and it has chosen to go on with the operation that it is about to announce, and not to crash before.
    pub(crate) goes_on: bool,
    /// The same about the operation that it has announced.
    pub(crate) lives: bool,
    /// Nobody misses it if it waits for ever: it belongs to the search.
    pub(crate) background: bool,
}

impl Thread {
    pub(crate) fn absent() -> Thread {
        Thread {
            status: Status::Absent,
            pending: crate::choice::nothing(),
            clock: Vec::new(),
            events: Vec::new(),
            held: Vec::new(),
            parent: None,
            children: 0,
            name: None,
            spawned_at: Location::caller(),
            waiting: false,
            outcome: 0,
            guard: None,
            panicked: false,
            tainted: false,
            joined: false,
            uses: None,
            steps: 0,
            spurious_left: 0,
            failures_left: 0,
            access: Asked::default(),
            found: 0,
            timeout: false,
            saw: None,
            kept: false,
            turns: super::turns::Turns::default(),
            trial: None,
            resumed: None,
            locals: Vec::new(),
            parker: ObjectId::NONE,
            end: ObjectId::NONE,
            node: 0,
            faults: crate::faults::Faults::default(),
            crashed: false,
            leader: None,
            follower: None,
            class: None,
            cut_off: false,
            goes_on: false,
            lives: false,
            background: false,
        }
    }

    /// Clears everything except allocations.
    pub(crate) fn reset(&mut self) {
        let (mut clock, mut events, mut held, mut turns) = (
            std::mem::take(&mut self.clock),
            std::mem::take(&mut self.events),
            std::mem::take(&mut self.held),
            std::mem::take(&mut self.turns),
        );
        clock.clear();
        events.clear();
        held.clear();
        turns.clear();
        *self = Thread {
            clock,
            events,
            held,
            turns,
            ..Thread::absent()
        };
    }

    /// Leaks its thread-local values, because the thread was forgotten and they may be half done.
    pub(crate) fn forget_locals(&mut self) {
        std::mem::forget(std::mem::take(&mut self.locals));
    }

    /// True if it may still do something.
    pub(crate) fn is_alive(&self) -> bool {
        matches!(
            self.status,
            Status::New | Status::Running | Status::Pending | Status::Waits
        )
    }

    /// True if it has announced an operation, and may have to wait for it.
    pub(crate) fn is_pending(&self) -> bool {
        self.status == Status::Pending || self.cut_off
    }

    /// True if what the thread waits for has a timeout.
    pub(crate) fn timed(&self) -> bool {
        self.timeout
    }

    /// The thread's name, or its number.
    pub(crate) fn label(&self, id: ThreadId) -> String {
        match &self.name {
            Some(name) => name.to_string(),
            None => id.to_string(),
        }
    }
}
