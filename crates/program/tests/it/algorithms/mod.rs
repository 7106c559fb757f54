//! Algorithms whose threads wait for each other by looking again and again. None of their loops calls `yield_now`.
//!
//! Each is searched to the end, with weak memory where it is written for that. With one ordering or fence too weak, the fault is found.

mod locks;
mod structures;

use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::Ordering;
use mazurka::{Checker, Report, ViolationKind, thread};
use std::sync::Arc;

/// A cell that threads share. Its pointers are never dereferenced.
#[derive(Default)]
struct Data(UnsafeCell<u32>);
// SAFETY: the pointers are never dereferenced.
#[allow(unsafe_code)]
unsafe impl Sync for Data {}

impl Data {
    #[track_caller]
    fn write(&self) {
        self.0.with_mut(|_| ());
    }

    #[track_caller]
    fn read(&self) {
        self.0.with(|_| ());
    }
}

/// Threads that do this with what they share, each with its number.
fn threads<S: Send + Sync + 'static>(number: usize, shared: S, body: fn(&S, usize)) {
    let shared = Arc::new(shared);
    let threads: Vec<_> = (1..number)
        .map(|i| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || body(&shared, i))
        })
        .collect();
    body(&shared, 0);
    for thread in threads {
        thread.join().unwrap();
    }
}

/// A search that sees every execution and finds nothing wrong.
#[track_caller]
fn holds(name: &str, program: impl Fn()) -> Report {
    let report = Checker::new().quiet(true).run(program);
    assert!(report.complete && report.violations.is_empty(), "{name}: {report}");
    if std::env::var_os("MAZURKA_TABLE").is_some() {
        println!(
            "| {name} | {} | {} | {:.0} ms |",
            report.executions,
            report.discarded,
            report.duration.as_secs_f64() * 1e3
        );
    }
    report
}

/// A search that finds such a violation.
#[track_caller]
fn fails(name: &str, kind: ViolationKind, program: impl Fn()) {
    let report = Checker::new().quiet(true).run(program);
    assert_eq!(
        report.violations.first().map(|v| v.kind),
        Some(kind),
        "{name}: {report}"
    );
}

/// An ordering that a fault makes too weak.
#[derive(Clone, Copy)]
struct Orderings {
    acquire: Ordering,
    release: Ordering,
}

const RIGHT: Orderings = Orderings {
    acquire: Ordering::Acquire,
    release: Ordering::Release,
};
const NO_ACQUIRE: Orderings = Orderings {
    acquire: Ordering::Relaxed,
    ..RIGHT
};
const NO_RELEASE: Orderings = Orderings {
    release: Ordering::Relaxed,
    ..RIGHT
};
