//! Handles of threads.

use super::{end, parker};
use crate::ids;
use crate::runtime::{self, ABANDONED, Runtime};
use std::any::Any;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// The id of a thread, as `std::thread::ThreadId`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId(Id);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Id {
    Os(std::thread::ThreadId),
    Controlled(ids::ThreadId),
}

/// A handle of a thread, as `std::thread::Thread`.
#[derive(Clone)]
pub struct Thread {
    inner: Inner,
}

#[derive(Clone)]
enum Inner {
    Os(std::thread::Thread),
    Controlled { id: ids::ThreadId, name: Option<Arc<str>> },
}

impl Thread {
    pub(crate) fn os(thread: std::thread::Thread) -> Thread {
        Thread {
            inner: Inner::Os(thread),
        }
    }

    pub(crate) fn controlled(rt: &Runtime, id: ids::ThreadId) -> Thread {
        let execution = rt.execution.borrow();
        let name = execution.threads[id.index()].name.as_deref().map(Arc::from);
        Thread {
            inner: Inner::Controlled { id, name },
        }
    }

    /// Its id.
    pub fn id(&self) -> ThreadId {
        ThreadId(match &self.inner {
            Inner::Os(thread) => Id::Os(thread.id()),
            Inner::Controlled { id, .. } => Id::Controlled(*id),
        })
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        match &self.inner {
            Inner::Os(thread) => thread.name(),
            Inner::Controlled { name, id } => match name {
                Some(name) => Some(name),
                None => (*id == ids::ThreadId::MAIN).then_some("main"),
            },
        }
    }

    /// Ends the thread's current `park`, or its next one.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.inner {
            Inner::Os(thread) => thread.unpark(),
            Inner::Controlled { id, .. } => {
                if let Some(rt) = runtime::current() {
                    parker::unpark(&rt, *id);
                }
            }
        }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread")
            .field("id", &self.id())
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

/// Where a thread leaves its result.
pub(crate) type Packet<T> = Arc<Mutex<Option<std::thread::Result<T>>>>;

/// A handle to join a thread, as `std::thread::JoinHandle`.
pub struct JoinHandle<T> {
    pub(super) inner: JoinInner<T>,
}

pub(super) enum JoinInner<T> {
    Os {
        handle: std::thread::JoinHandle<T>,
        thread: Thread,
    },
    Controlled {
        id: ids::ThreadId,
        packet: Packet<T>,
        thread: Thread,
    },
}

impl<T> JoinHandle<T> {
    /// Waits for the end of the thread, and returns its result or its panic.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        match self.inner {
            JoinInner::Os { handle, .. } => handle.join(),
            JoinInner::Controlled { id, packet, .. } => join(id, &packet),
        }
    }

    pub(crate) fn controlled_id(&self) -> Option<ids::ThreadId> {
        match &self.inner {
            JoinInner::Os { .. } => None,
            JoinInner::Controlled { id, .. } => Some(*id),
        }
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        match &self.inner {
            JoinInner::Os { thread, .. } | JoinInner::Controlled { thread, .. } => thread,
        }
    }

    /// True if it has ended.
    #[track_caller]
    #[inline(always)]
    pub fn is_finished(&self) -> bool {
        if runtime::possible() {
            crate::fiber::watched!(self.is_finished_here())
        } else {
            self.is_finished_here()
        }
    }

    #[inline(never)]
    #[track_caller]
    fn is_finished_here(&self) -> bool {
        match &self.inner {
            JoinInner::Os { handle, .. } => handle.is_finished(),
            JoinInner::Controlled { id, .. } => is_finished(*id),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

#[track_caller]
pub(super) fn is_finished(id: ids::ThreadId) -> bool {
    match runtime::current().filter(|rt| !rt.abandoning()) {
        Some(rt) => end::is_finished(&rt, id),
        None => true,
    }
}

/// Waits for the end of a controlled thread; false if the execution was abandoned meanwhile.
#[track_caller]
pub(crate) fn wait_for(rt: &Runtime, id: ids::ThreadId) -> bool {
    wait_for_at(rt, id, Location::caller())
}

/// The same for a place in the program.
pub(crate) fn wait_for_at(rt: &Runtime, id: ids::ThreadId, at: &'static Location<'static>) -> bool {
    if end::wait_for_at(rt, id, at) == ABANDONED {
        return false;
    }
    let mut execution = rt.execution.borrow_mut();
    execution.threads[id.index()].joined = true;
    let panicked = execution.threads[id.index()].panicked;
    let me = execution.current;
    if panicked {
        // A panic that follows from this one is not reported again.
        execution.threads[me.index()].tainted = true;
    }
    true
}

#[track_caller]
pub(super) fn join<T>(id: ids::ThreadId, packet: &Packet<T>) -> std::thread::Result<T> {
    let result = |packet: &Packet<T>| packet.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(rt) = runtime::current() {
        wait_for(&rt, id);
    }
    result(packet).unwrap_or_else(|| {
        let reason: Box<dyn Any + Send> = Box::new("the execution was abandoned");
        Err(reason)
    })
}

/// The body of a controlled thread: runs `f` and leaves the result.
pub(super) fn run<T>(rt: &Rc<Runtime>, packet: &Packet<T>, f: impl FnOnce() -> T) {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
    if rt.abandoning() {
        return;
    }
    let id = rt.thread();
    if result.is_err() && !rt.execution.borrow().threads[id.index()].crashed {
        rt.note_panic();
    }
    *packet.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
}
