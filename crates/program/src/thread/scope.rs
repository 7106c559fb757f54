//! Scoped threads, which can borrow.

use super::builder::{Builder, body};
use super::handle::{self, Packet, Thread};
use crate::fiber::{Scope, region};
use crate::ids::ThreadId;
use crate::runtime;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Calls `f` with a scope in which threads can borrow. All of them have ended when it returns.
///
/// ```
/// mazurka::check(|| {
///     let numbers = [1, 2, 3];
///     let sum = mazurka::thread::scope(|s| {
///         let threads: Vec<_> = numbers.iter().map(|n| s.spawn(move || n * 2)).collect();
///         threads.into_iter().map(|t| t.join().unwrap()).sum::<i32>()
///     });
///     assert_eq!(sum, 12);
/// });
/// ```
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let at = Location::caller();
    region(|scope| {
        let result = catch_unwind(AssertUnwindSafe(|| f(scope)));
        let panicked = end(scope, at);
        match result {
            Err(panic) => resume_unwind(panic),
            Ok(_) if panicked => panic!("a scoped thread panicked"),
            Ok(value) => value,
        }
    })
}

/// Waits for all threads of the scope; true if one of them panicked and was not joined.
#[track_caller]
fn end(scope: &Scope<'_, '_>, _at: &'static Location<'static>) -> bool {
    let mut panicked = false;
    if let Some(rt) = runtime::current() {
        // Threads may start others in the scope while it waits.
        loop {
            let next = lock(&scope.threads).pop();
            let Some((id, joined)) = next else { break };
            if rt.abandoning() || !handle::wait_for(&rt, id) {
                rt.end_thread(id);
                continue;
            }
            panicked |= !joined.load(Ordering::Relaxed) && rt.execution.borrow().threads[id.index()].panicked;
        }
    } else {
        loop {
            let next = lock(&scope.os_threads).pop();
            let Some((thread, seen)) = next else { break };
            panicked |= thread.join().is_err() && !seen.load(Ordering::Relaxed);
        }
    }
    panicked
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A handle to join a scoped thread, as `std::thread::ScopedJoinHandle`.
pub struct ScopedJoinHandle<'scope, T> {
    packet: Packet<T>,
    seen: Arc<AtomicBool>,
    inner: Inner,
    _scope: std::marker::PhantomData<&'scope ()>,
}

enum Inner {
    Os(Thread, Arc<Finished>),
    Controlled(ThreadId, Thread),
}

/// Whether an OS thread has ended, and a way to wait for it.
#[derive(Default)]
struct Finished {
    done: Mutex<bool>,
    changed: std::sync::Condvar,
}

/// Signals that the thread has ended, even if it panics.
struct Say(Arc<Finished>);

impl Drop for Say {
    fn drop(&mut self) {
        *lock(&self.0.done) = true;
        self.0.changed.notify_all();
    }
}

pub(super) fn spawn<'scope, 'env, F, T>(
    builder: Builder,
    scope: &'scope Scope<'scope, 'env>,
    f: F,
    at: &'static Location<'static>,
) -> io::Result<ScopedJoinHandle<'scope, T>>
where
    F: FnOnce() -> T + Send + 'scope,
    T: Send + 'scope,
{
    let packet: Packet<T> = Arc::new(Mutex::new(None));
    let seen = Arc::new(AtomicBool::new(false));
    let inner = match runtime::current() {
        Some(rt) => {
            let body = scope.body(Box::new(body(&rt, &packet, f)));
            let id = builder.start(&rt, body, at);
            lock(&scope.threads).push((id, Arc::clone(&seen)));
            Inner::Controlled(id, Thread::controlled(&rt, id))
        }
        None => {
            let finished = Arc::new(Finished::default());
            let (say, out) = (Say(Arc::clone(&finished)), Arc::clone(&packet));
            let body = scope.body_of_os_thread(Box::new(move || {
                let _say = say;
                let result = catch_unwind(AssertUnwindSafe(f));
                let panicked = result.is_err();
                *lock(&out) = Some(result);
                drop(out);
                if panicked {
                    resume_unwind(Box::new("a scoped thread panicked"));
                }
            }));
            let thread = builder.os().spawn(body)?;
            let inner = Inner::Os(Thread::os(thread.thread().clone()), finished);
            lock(&scope.os_threads).push((thread, Arc::clone(&seen)));
            inner
        }
    };
    Ok(ScopedJoinHandle {
        packet,
        seen,
        inner,
        _scope: std::marker::PhantomData,
    })
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Starts a thread in the scope.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        spawn(Builder::new(), self, f, Location::caller()).expect("a thread can be started")
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the end of the thread, and returns its result or its panic.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        self.seen.store(true, Ordering::Relaxed);
        match &self.inner {
            Inner::Controlled(id, _) => handle::join(*id, &self.packet),
            Inner::Os(_, finished) => {
                let mut done = lock(&finished.done);
                while !*done {
                    done = finished.changed.wait(done).unwrap_or_else(PoisonError::into_inner);
                }
                lock(&self.packet).take().expect("a thread leaves its result")
            }
        }
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        match &self.inner {
            Inner::Os(thread, _) | Inner::Controlled(_, thread) => thread,
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
            Inner::Os(_, finished) => *lock(&finished.done),
            Inner::Controlled(id, _) => handle::is_finished(*id),
        }
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}
