//! Stackful coroutines: a controlled thread has its own stack, but no OS thread.
//!
//! This module and its submodules have all the `unsafe` code. It makes three promises to the rest:
//!
//! * [`suspend`] returns to the [`Fiber::resume`] that is running the current fiber. The
//!   pointer to the coroutine's yielder is stored when the fiber starts and is valid as long as
//!   its stack is: a fiber that is suspended or running has its stack. `RUNNING` names the
//!   innermost fiber that runs, and only that one calls `suspend`.
//! * A fiber that has not ended is *unwound* or *forgotten*. Unwinding runs the destructors on its stack. Forgetting runs
//!   none: what the fiber owns is leaked, and its stack is used again. Executions that are cut are forgotten, because a
//!   destructor might find data half done.
//! * [`region`] hands out bodies that borrow, as if they did not, and does not return or unwind
//!   while one of them exists. Each carries a counted guard, and a region with a count left aborts
//!   the process. (That never happens, because the search drops all fibers of an execution before it
//!   returns, and a scope ends its threads before it returns or unwinds.)
#![allow(unsafe_code)]

pub(crate) mod fault;
mod local_state;
pub(crate) mod statics;
pub(crate) mod word;

pub(crate) use local_state::{local_state, mark, scrub, watched};

use crate::ids::ThreadId;
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, Yielder};
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The virtual size of a stack, unless a thread asks for more. It is that of std's threads. Pages that are never touched cost nothing.
pub(crate) const STACK: usize = 2 << 20;
/// The largest size of a guard page.
const GUARD: usize = 64 << 10;
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
    /// The limit and the base of its stack.
    stack: (usize, usize),
    /// Counts its body, if that borrows.
    life: Option<Arc<Life>>,
}

/// What a fiber runs.
pub(crate) struct Body {
    run: Box<dyn FnOnce() + 'static>,
    /// Counts it, if it borrows.
    life: Option<Arc<Life>>,
}

impl Body {
    /// A body that borrows nothing.
    pub(crate) fn new(run: impl FnOnce() + 'static) -> Body {
        Body {
            run: Box::new(run),
            life: None,
        }
    }

    /// The body wrapped in another function.
    pub(crate) fn within(self, around: impl FnOnce(Box<dyn FnOnce()>) + 'static) -> Body {
        let Body { run, life } = self;
        Body {
            run: Box::new(move || around(run)),
            life,
        }
    }
}

/// A scope for threads that borrow, as `std::thread::Scope`.
pub struct Scope<'scope, 'env: 'scope> {
    /// How many of its bodies exist.
    live: Arc<AtomicUsize>,
    /// Controlled threads of the scope, each with whether it was joined.
    pub(crate) threads: Mutex<Vec<(ThreadId, Arc<AtomicBool>)>>,
    /// Its threads outside a check.
    pub(crate) os_threads: Mutex<Vec<OsThread>>,
    /// Invariant in both, as `std::thread::Scope` is, so that `'scope` cannot shrink.
    _scope: PhantomData<&'scope mut &'scope ()>,
    _env: PhantomData<&'env mut &'env ()>,
}

/// An OS thread of a scope, and whether it was joined.
pub(crate) type OsThread = (std::thread::JoinHandle<()>, Arc<AtomicBool>);

/// Counts a body while it exists, whether it runs, has run, or never will.
struct Life {
    live: Arc<AtomicUsize>,
    counted: AtomicBool,
}

impl Life {
    fn new(live: &Arc<AtomicUsize>) -> Arc<Life> {
        live.fetch_add(1, Ordering::Relaxed);
        Arc::new(Life {
            live: Arc::clone(live),
            counted: AtomicBool::new(true),
        })
    }

    /// The body no longer exists, or will never be executed or dropped.
    fn end(&self) {
        if self.counted.swap(false, Ordering::Relaxed) {
            self.live.fetch_sub(1, Ordering::Release);
        }
    }
}

/// Ends a life with the body that owns it.
struct Counted(Arc<Life>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Aborts the process if a body is left.
struct Gate(Arc<AtomicUsize>);

impl Drop for Gate {
    fn drop(&mut self) {
        if self.0.load(Ordering::Acquire) != 0 {
            eprintln!("mazurka: a thread outlives what it borrows");
            std::process::abort();
        }
    }
}

/// Calls `f` with a scope. Every body that it handed out is gone when this returns or unwinds.
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
        let life = Life::new(&self.live);
        let counted = Counted(Arc::clone(&life));
        let body: Box<dyn FnOnce() + 'scope> = Box::new(move || {
            let _counted = counted;
            body();
        });
        // SAFETY: the types differ in a lifetime only, and `region` does not return before the
        // guard is dropped, so `'scope` lasts until then. When the body is called, the guard is a
        // local that is dropped after it. When it is not, both are dropped with the box, on the
        // thread that owns the region, before it can return. A fiber that is forgotten counts its body
        // off itself: nothing of that body is executed or dropped any more.
        let run = unsafe { std::mem::transmute::<Box<dyn FnOnce() + 'scope>, Box<dyn FnOnce() + 'static>>(body) };
        Body { run, life: Some(life) }
    }

    /// A body for an OS thread.
    pub(crate) fn body_of_os_thread(&self, body: Box<dyn FnOnce() + Send + 'scope>) -> Box<dyn FnOnce() + Send> {
        let counted = Counted(Life::new(&self.live));
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
        let kept = STACKS.with(|s| s.borrow_mut().pop_if(|kept| size <= STACK || size <= usable(kept)));
        let stack = kept.unwrap_or_else(|| DefaultStack::new(size.max(STACK)).expect("memory for a stack"));
        let extent = (stack.limit().get(), stack.base().get());
        let link = Rc::new(Cell::new(ptr::null()));
        let own = Rc::clone(&link);
        let Body { run, life } = body;
        let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
            own.set(yielder);
            RUNNING.set(yielder);
            run();
        });
        Fiber {
            coroutine: Some(coroutine),
            link,
            stack: extent,
            life,
        }
    }

    /// Runs the fiber until it suspends or ends; true if it has ended.
    pub(crate) fn resume(&mut self) -> bool {
        let coroutine = self.coroutine.as_mut().expect("a fiber that has not ended");
        let outer = RUNNING.replace(self.link.get());
        let outer_stack = fault::enter_stack(self.stack);
        let result = coroutine.resume(());
        fault::enter_stack(outer_stack);
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
            let outer_stack = fault::enter_stack(self.stack);
            coroutine.force_unwind();
            fault::enter_stack(outer_stack);
            RUNNING.set(outer);
            self.recycle();
        }
    }

    /// Ends the fiber where it is. Nothing on its stack is dropped: what it owns is leaked.
    pub(crate) fn forget(&mut self) {
        let Some(coroutine) = self.coroutine.as_mut() else {
            return;
        };
        if !coroutine.started() {
            // It has nothing but its body, which is dropped with it.
            self.coroutine = None;
            return;
        }
        // SAFETY: to use the stack again is to deallocate what lies on it without dropping it. Code that relies on a
        // destructor to keep others from its stack would break: a scope. Ours is safe, because all fibers that borrow from this one
        // are of the same execution and are forgotten with it. A scope of std's that has threads which run now is
        // not under control, which the guide rules out.
        unsafe { coroutine.force_reset() };
        if let Some(life) = self.life.take() {
            life.end();
        }
        self.recycle();
    }

    /// Keeps the stack of a fiber that has ended.
    fn recycle(&mut self) {
        let Some(coroutine) = self.coroutine.take() else { return };
        let stack = coroutine.into_stack();
        STACKS.with(|s| {
            let mut pool = s.borrow_mut();
            if pool.len() < POOL && usable(&stack) < 2 * STACK {
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

/// The size of a stack without its guard pages.
fn usable(stack: &DefaultStack) -> usize {
    (stack.base().get() - stack.limit().get()).saturating_sub(GUARD)
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
            Body::new(move || {
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
            let mut inner = Fiber::new(Body::new(suspend), 0);
            assert!(!inner.resume());
            suspend();
            assert!(inner.resume());
        };
        let mut outer = Fiber::new(Body::new(body), 0);
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
            Body::new(move || {
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
