//! Stackful coroutines: a controlled thread is a stack of its own, not an OS thread.
//!
//! This is the only module with `unsafe` code. It promises three things to the rest:
//!
//! * [`suspend`] returns to the [`Fiber::resume`] that is running the current fiber. The
//!   pointer to the coroutine's yielder is stored when the fiber starts and is valid as long as
//!   its stack is: a fiber that is suspended or running has its stack. `RUNNING` names the
//!   innermost fiber that runs, and only that one calls `suspend`.
//! * A fiber that is dropped before its end is unwound: the destructors on its stack run.
//! * [`region`] gives out bodies that borrow, as if they did not, and does not return or unwind
//!   while one of them exists: each carries a counted guard, and a region with a count left aborts
//!   the process. (The search drops all fibers of an execution before it returns, and a scope
//!   ends its threads before it returns or unwinds, so that never happens.)
#![allow(unsafe_code)]

use crate::ids::ThreadId;
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, Yielder};
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Virtual size of a stack, unless more is asked for: that of std's threads. Pages that are never touched cost nothing.
const STACK: usize = 2 << 20;
/// How many stacks are kept for the next fibers.
const POOL: usize = 64;

type Link = *const Yielder<(), ()>;

thread_local! {
    static RUNNING: Cell<Link> = const { Cell::new(ptr::null()) };
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// A body on a stack of its own.
pub(crate) struct Fiber {
    coroutine: Option<Coroutine<(), (), (), DefaultStack>>,
    link: Rc<Cell<Link>>,
}

/// What a fiber runs.
pub(crate) type Body = Box<dyn FnOnce() + 'static>;

/// A scope for threads that borrow, as `std::thread::Scope`.
pub struct Scope<'scope, 'env: 'scope> {
    /// Bodies that were given out and still exist.
    live: Arc<AtomicUsize>,
    /// Controlled threads of the scope, each with whether somebody has joined it.
    pub(crate) threads: Mutex<Vec<(ThreadId, Arc<AtomicBool>)>>,
    /// The same outside a check.
    pub(crate) os_threads: Mutex<Vec<OsThread>>,
    /// Invariant in both, as `std::thread::Scope` is, so that `'scope` cannot shrink.
    _scope: PhantomData<&'scope mut &'scope ()>,
    _env: PhantomData<&'env mut &'env ()>,
}

/// An OS thread of a scope, and whether its panic was seen to.
pub(crate) type OsThread = (std::thread::JoinHandle<()>, Arc<AtomicBool>);

/// Counts a body while it exists, whether it runs, has run, or never will.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// Ends the process if a body is left.
struct Gate(Arc<AtomicUsize>);

impl Drop for Gate {
    fn drop(&mut self) {
        if self.0.load(Ordering::Acquire) != 0 {
            eprintln!("mazurka: a thread outlives what it borrows");
            std::process::abort();
        }
    }
}

/// Calls `f` with a scope; every body that it gave out is gone when this returns or unwinds.
pub(crate) fn region<'env, R>(f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R) -> R {
    let live = Arc::new(AtomicUsize::new(0));
    let _gate = Gate(Arc::clone(&live));
    let scope = Scope {
        live,
        threads: Mutex::new(Vec::new()),
        os_threads: Mutex::new(Vec::new()),
        _scope: PhantomData,
        _env: PhantomData,
    };
    f(&scope)
}

impl<'scope> Scope<'scope, '_> {
    /// A body for a fiber.
    pub(crate) fn body(&self, body: Box<dyn FnOnce() + 'scope>) -> Body {
        self.live.fetch_add(1, Ordering::Relaxed);
        let counted = Counted(Arc::clone(&self.live));
        let body: Box<dyn FnOnce() + 'scope> = Box::new(move || {
            let _counted = counted;
            body();
        });
        // SAFETY: the types differ in a lifetime only, and `region` does not return before the
        // guard is dropped, so `'scope` lasts until then. When the body is called, the guard is a
        // local that is dropped after it. When it is not, both are dropped with the box, on the
        // thread that owns the region, before it can return.
        unsafe { std::mem::transmute::<Box<dyn FnOnce() + 'scope>, Body>(body) }
    }

    /// A body for an OS thread.
    pub(crate) fn body_of_os_thread(&self, body: Box<dyn FnOnce() + Send + 'scope>) -> Box<dyn FnOnce() + Send> {
        self.live.fetch_add(1, Ordering::Relaxed);
        let counted = Counted(Arc::clone(&self.live));
        let body: Box<dyn FnOnce() + Send + 'scope> = Box::new(move || {
            let _counted = counted;
            body();
        });
        // SAFETY: as above.
        unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + 'scope>, Box<dyn FnOnce() + Send>>(body) }
    }
}

impl Fiber {
    /// A fiber that will run `body` when it is resumed for the first time, on a stack of at least `size` bytes.
    pub(crate) fn new(body: Body, size: usize) -> Fiber {
        let kept = STACKS.with(|s| s.borrow_mut().pop_if(|_| size <= STACK));
        let stack = kept.unwrap_or_else(|| {
            DefaultStack::new(size.max(STACK)).expect("memory for the stack of a controlled thread")
        });
        let link = Rc::new(Cell::new(ptr::null()));
        let own = Rc::clone(&link);
        let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
            own.set(yielder);
            RUNNING.set(yielder);
            body();
        });
        Fiber {
            coroutine: Some(coroutine),
            link,
        }
    }

    /// Runs the fiber until it suspends or ends; true if it has ended.
    pub(crate) fn resume(&mut self) -> bool {
        let coroutine = self.coroutine.as_mut().expect("a fiber that has not ended");
        let outer = RUNNING.replace(self.link.get());
        let result = coroutine.resume(());
        RUNNING.set(outer);
        let ended = result.as_return().is_some();
        if ended {
            self.recycle();
        }
        ended
    }

    /// Unwinds the fiber's stack, running its destructors, if it has not ended.
    pub(crate) fn unwind(&mut self) {
        if let Some(coroutine) = self.coroutine.as_mut() {
            let outer = RUNNING.replace(self.link.get());
            coroutine.force_unwind();
            RUNNING.set(outer);
            self.recycle();
        }
    }

    /// Keeps the stack of a fiber that has ended.
    fn recycle(&mut self) {
        let Some(coroutine) = self.coroutine.take() else { return };
        let stack = coroutine.into_stack();
        STACKS.with(|s| {
            let mut pool = s.borrow_mut();
            if pool.len() < POOL && stack.base().get() - stack.limit().get() < 2 * STACK {
                pool.push(stack);
            }
        });
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        self.unwind();
    }
}

/// Returns from the `resume` that is running the current fiber.
pub(crate) fn suspend() {
    let link = RUNNING.get();
    assert!(!link.is_null(), "only a fiber can be suspended");
    // SAFETY: `RUNNING` is the yielder of the fiber that executes this line (see above), so its
    // stack, on which the yielder lives, exists.
    unsafe { (*link).suspend(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fiber_goes_on_where_it_was_suspended() {
        let log = Rc::new(RefCell::new(Vec::new()));
        let inner = Rc::clone(&log);
        let mut fiber = Fiber::new(
            Box::new(move || {
                inner.borrow_mut().push(1);
                suspend();
                inner.borrow_mut().push(2);
            }),
            0,
        );
        assert!(!fiber.resume());
        log.borrow_mut().push(10);
        assert!(fiber.resume());
        assert_eq!(*log.borrow(), [1, 10, 2]);
    }

    #[test]
    fn fibers_nest() {
        let body = || {
            let mut inner = Fiber::new(Box::new(suspend), 0);
            assert!(!inner.resume());
            suspend();
            assert!(inner.resume());
        };
        let mut outer = Fiber::new(Box::new(body), 0);
        assert!(!outer.resume());
        assert!(outer.resume());
    }

    #[test]
    fn dropping_a_suspended_fiber_runs_its_destructors() {
        struct Bomb(Rc<Cell<bool>>);
        impl Drop for Bomb {
            fn drop(&mut self) {
                self.0.set(true);
            }
        }
        let dropped = Rc::new(Cell::new(false));
        let bomb = Bomb(Rc::clone(&dropped));
        let mut fiber = Fiber::new(
            Box::new(move || {
                let _bomb = bomb;
                suspend();
                unreachable!("it is never resumed");
            }),
            0,
        );
        assert!(!fiber.resume());
        assert!(!dropped.get());
        drop(fiber);
        assert!(dropped.get());
    }
}
