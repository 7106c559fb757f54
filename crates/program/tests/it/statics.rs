//! What outlives an execution: every execution must begin as the first one did.

use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use mazurka::sync::{LazyLock, Mutex, Once, OnceLock, RwLock};
use mazurka::{Checker, ViolationKind, thread};
use std::sync::Arc;

/// Runs `program` in several executions, each of which finds everything as it was.
#[track_caller]
fn fresh_each_time(program: impl Fn() + Send + Sync + Copy + 'static) {
    for _ in 0..2 {
        let report = Checker::new().all_violations(true).run(move || {
            let turns = Arc::new(Mutex::new(0));
            let other = Arc::clone(&turns);
            let t = thread::spawn(move || *other.lock().unwrap() += 1);
            *turns.lock().unwrap() += 1;
            t.join().unwrap();
            program();
        });
        assert!(report.violations.is_empty() && report.complete, "{report}");
        assert!(report.executions > 1, "{report}");
    }
}

#[test]
fn atomics() {
    static NUMBER: AtomicUsize = AtomicUsize::new(3);
    fresh_each_time(|| assert_eq!(NUMBER.fetch_add(1, SeqCst), 3));
    assert_eq!(NUMBER.load(SeqCst), 3);
    // Changes outside the check stay.
    NUMBER.store(5, SeqCst);
    fresh_each_time(|| assert_eq!(NUMBER.fetch_add(1, SeqCst), 5));
}

#[test]
fn locks() {
    static COUNT: Mutex<u32> = Mutex::new(0);
    static TABLE: RwLock<[u8; 3]> = RwLock::new([1, 2, 3]);
    fresh_each_time(|| {
        *COUNT.lock().unwrap() += 1;
        assert_eq!(*COUNT.lock().unwrap(), 1);
        TABLE.write().unwrap()[0] += 1;
        assert_eq!(*TABLE.read().unwrap(), [2, 2, 3]);
    });
}

#[test]
fn a_lock_that_an_execution_holds_when_it_is_cut() {
    static HELD: Mutex<u32> = Mutex::new(0);
    let report = Checker::new().all_violations(true).run(|| {
        let t = thread::spawn(|| {
            let _first = HELD.lock().unwrap();
            let _second = HELD.lock().unwrap();
        });
        drop(HELD.lock());
        t.join().unwrap();
    });
    assert!(
        report.violations.iter().all(|v| v.kind == ViolationKind::Deadlock),
        "{report}"
    );
    assert!(report.executions > 1 && report.complete, "{report}");
}

#[test]
fn what_is_initialised_once() {
    static START: Once = Once::new();
    static VALUE: OnceLock<String> = OnceLock::new();
    static LIST: LazyLock<Mutex<Vec<u32>>> = LazyLock::new(|| Mutex::new(vec![1]));
    fresh_each_time(|| {
        let mut started = false;
        START.call_once(|| started = true);
        assert!(started);
        assert_eq!(VALUE.get(), None);
        assert_eq!(VALUE.set("now".to_owned()), Ok(()));
        assert_eq!(VALUE.get().map(String::as_str), Some("now"));
        LIST.lock().unwrap().push(2);
        assert_eq!(*LIST.lock().unwrap(), [1, 2]);
    });
}

#[test]
fn cells() {
    struct Shared(UnsafeCell<u32>);
    // SAFETY: one thread uses it.
    #[allow(unsafe_code)]
    unsafe impl Sync for Shared {}
    static CELL: Shared = Shared(UnsafeCell::new(1));
    #[allow(unsafe_code)]
    fresh_each_time(|| {
        // SAFETY: as above.
        let value = CELL.0.with_mut(|p| unsafe {
            *p += 1;
            *p
        });
        assert_eq!(value, 2);
    });
}

/// Reports name what cannot be put back.
#[test]
fn what_keeps_its_value_is_named() {
    static NAMES: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    let captured = Arc::new(AtomicUsize::new(0));
    let twice = |program: &dyn Fn()| {
        Checker::new().run(|| {
            mazurka::choose(2);
            program();
        })
    };
    for (program, name) in [
        (&(|| NAMES.lock().unwrap().push(1)) as &dyn Fn(), "Mutex 1 (made at "),
        (&|| captured.store(1, SeqCst), "Atomic 1 (made at "),
    ] {
        let report = twice(program);
        assert!(report.violations.is_empty() && !report.complete, "{report}");
        let named = |n: &String| n.starts_with("not complete") && n.contains(name) && n.contains("statics.rs");
        assert!(report.notes.iter().any(named), "{report}");
    }
    let harmless = twice(&|| {
        captured.load(SeqCst);
    });
    assert!(harmless.complete, "{harmless}");
}

/// A static of std's cannot be put back. The program then does something else, which is noticed.
#[test]
fn a_static_of_std_shows_as_nondeterminism() {
    static RUNS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let report = Checker::new().run(|| {
        let n = AtomicUsize::new(0);
        if RUNS.fetch_add(1, SeqCst) == 0 {
            n.store(1, SeqCst);
        }
        n.load(SeqCst);
    });
    assert_eq!(report.violations[0].kind, ViolationKind::Nondeterminism, "{report}");
    assert!(report.violations[0].message.contains("static"), "{report}");
}

#[test]
fn what_a_static_owns_is_no_leak() {
    static LAZY: LazyLock<mazurka::sync::Arc<AtomicUsize>> =
        LazyLock::new(|| mazurka::sync::Arc::new(AtomicUsize::new(0)));
    fresh_each_time(|| {
        let mine = mazurka::sync::Arc::clone(&LAZY);
        assert_eq!(mine.fetch_add(1, SeqCst), 0);
    });
    let local = Checker::new().run(|| {
        let lazy: LazyLock<mazurka::sync::Arc<u32>> = LazyLock::new(|| mazurka::sync::Arc::new(0));
        std::mem::forget(mazurka::sync::Arc::clone(&lazy));
    });
    assert_eq!(local.violations[0].kind, ViolationKind::Leak, "{local}");
}
