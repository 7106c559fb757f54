//! loom's names: that they mean what they mean there. Loom's own tests are run from elsewhere.
#![allow(unsafe_code)]

use mazurka_loom as loom;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use loom::sync::{Arc, Notify};
use loom::thread;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// What a model panics with.
fn failure(model: impl Fn()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| loom::model(model))).expect_err("it should fail");
    panic.downcast_ref::<String>().expect("a report").clone()
}

loom::lazy_static! {
    /// Made anew in each execution.
    static ref COUNT: AtomicUsize = AtomicUsize::new(7);
    pub(crate) static ref OTHER: usize = 1;
}

loom::thread_local! {
    static MINE: Cell<usize> = Cell::new(*OTHER);
}

#[test]
fn statics_and_locals_begin_anew() {
    loom::model(|| {
        let thread = thread::spawn(|| {
            MINE.with(|mine| mine.set(mine.get() + 1));
            COUNT.fetch_add(MINE.get(), SeqCst);
        });
        thread.join().unwrap();
        assert_eq!((COUNT.load(SeqCst), MINE.replace(5)), (9, 1));
    });
}

#[test]
fn threads_own_what_is_not_send() {
    loom::model(|| {
        let cell = Rc::new(Cell::new(1));
        let other = Rc::clone(&cell);
        let twice = thread::spawn(move || Rc::new(other.get() * 2)).join().unwrap();
        assert_eq!((*twice, cell.get()), (2, 1));
    });
    assert!(catch_unwind(|| thread::spawn(|| ())).is_err(), "outside a model");
}

#[test]
fn a_notification_is_not_lost() {
    loom::model(|| {
        let notify = Arc::new(Notify::new());
        let other = Arc::clone(&notify);
        let thread = thread::spawn(move || other.notify());
        notify.wait();
        thread.join().unwrap();
    });
    assert!(failure(|| Notify::new().wait()).contains("deadlock"));
}

/// A cell that threads share.
struct Shared(UnsafeCell<usize>);
// SAFETY: that is what is tested; the pointers are not used.
unsafe impl Sync for Shared {}

#[test]
fn accesses_last_as_long_as_their_guards() {
    let race = failure(|| {
        let shared = Arc::new(Shared(UnsafeCell::new(0)));
        let other = Arc::clone(&shared);
        let guard = shared.0.get();
        // The thread begins after the access has begun, and does not come after its end.
        let thread = thread::spawn(move || other.0.with_mut(|_| ()));
        drop(guard);
        thread.join().unwrap();
    });
    assert!(race.contains("data race") || race.contains("overlap"), "{race}");
    let overlap = failure(|| {
        let cell = UnsafeCell::new(0);
        cell.with(|_| cell.with_mut(|_| ()));
    });
    assert!(overlap.contains("overlap"), "{overlap}");
    loom::model(|| {
        let cell = UnsafeCell::new(1);
        cell.with(|_| cell.with(|_| ()));
        // SAFETY: there is no other access.
        unsafe { *cell.get_mut().deref() += 1 };
        // SAFETY: as above.
        assert_eq!(unsafe { *cell.get().deref() }, 2);
        assert_eq!(cell.into_inner(), 2);
    });
}

#[test]
fn what_leaks_is_reported() {
    let layout = loom::alloc::Layout::new::<u32>();
    // SAFETY: the layout has a size.
    assert!(failure(move || _ = unsafe { loom::alloc::alloc(layout) }).contains("memory made at"));
    assert!(failure(|| std::mem::forget(loom::alloc::Track::new(1))).contains("never dropped"));
    assert!(failure(|| std::mem::forget(Arc::new(1))).contains("an Arc made at"));
}

#[test]
fn a_builder_bounds_the_search() {
    let model = || {
        let threads = [(); 3].map(|()| thread::spawn(|| COUNT.fetch_add(1, SeqCst)));
        threads.into_iter().for_each(|t| _ = t.join().unwrap());
    };
    let mut builder = loom::model::Builder::new();
    builder.max_permutations = Some(2);
    builder.check(model);
    builder.preemption_bound = Some(1);
    builder.max_permutations = None;
    builder.check(model);
    loom::model(|| {
        loom::stop_exploring();
        loom::explore();
        loom::skip_branch();
        unreachable!("it was skipped");
    });
}
