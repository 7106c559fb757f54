//! Data races, judged by the orderings that a program asks for: what synchronises with what.
//!
//! The rules are those of C++20 and RC11 (Lahav et al., PLDI 2017) for executions that are sequentially consistent: release and
//! acquire operations, release sequences, fences. `synchronises.rs` compares random executions with the definition.

use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use mazurka::sync::atomic::{AtomicU32, Ordering, fence};
use mazurka::sync::{Arc as Owned, Monitor, Weak};
use mazurka::{Checker, Discipline, ViolationKind, thread};
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

fn races(program: impl Fn()) -> bool {
    let report = Checker::new().run(program);
    let found = report.violations.iter().any(|v| v.kind == ViolationKind::DataRace);
    assert_eq!(report.violations.is_empty(), !found, "{report}");
    found
}

/// How a thread says that it has written.
type Publish = fn(&AtomicU32);

/// How another thread sees that.
type Look = fn(&AtomicU32) -> bool;

/// One thread writes and says so with `publish`, the other one reads if `look` has seen it.
fn message(publish: Publish, look: Look) -> bool {
    races(|| {
        let shared = Arc::new((Data::default(), AtomicU32::new(0)));
        let other = Arc::clone(&shared);
        thread::spawn(move || {
            other.0.write();
            publish(&other.1);
        });
        if look(&shared.1) {
            shared.0.read();
        }
    })
}

/// Ways to say that something was written, and whether they publish it.
const PUBLISH: [(bool, Publish); 8] = [
    (true, |a| a.store(1, Release)),
    (true, |a| a.store(1, SeqCst)),
    (false, |a| a.store(1, Relaxed)),
    (true, |a| {
        fence(Release);
        a.store(1, Relaxed);
    }),
    (true, |a| {
        fence(SeqCst);
        a.store(1, Relaxed);
    }),
    (false, |a| {
        fence(Acquire);
        a.store(1, Relaxed);
    }),
    (false, |a| {
        a.store(1, Relaxed);
        fence(SeqCst);
    }),
    (true, |a| {
        fence(AcqRel);
        a.fetch_add(1, Relaxed);
    }),
];

/// Ways to look, and whether they learn what was published.
const LOOK: [(bool, Look); 8] = [
    (true, |a| a.load(Acquire) == 1),
    (true, |a| a.load(SeqCst) == 1),
    (false, |a| a.load(Relaxed) == 1),
    (true, |a| {
        let seen = a.load(Relaxed) == 1;
        fence(Acquire);
        seen
    }),
    (true, |a| {
        let seen = a.load(Relaxed) == 1;
        fence(SeqCst);
        seen
    }),
    (false, |a| {
        let seen = a.load(Relaxed) == 1;
        fence(Release);
        seen
    }),
    (false, |a| {
        fence(SeqCst);
        a.load(Relaxed) == 1
    }),
    (true, |a| {
        let seen = a.compare_exchange(1, 2, Relaxed, Relaxed).is_ok();
        fence(AcqRel);
        seen
    }),
];

#[test]
fn fences_publish_and_look() {
    for (i, (published, publish)) in PUBLISH.iter().enumerate() {
        for (j, (seen, look)) in LOOK.iter().enumerate() {
            assert_eq!(message(*publish, *look), !(*published && *seen), "{i}, {j}");
        }
    }
}

/// What is written after a release fence is not published by it.
#[test]
fn a_fence_publishes_what_was_before_it() {
    let late = races(|| {
        let shared = Arc::new((Data::default(), AtomicU32::new(0)));
        let other = Arc::clone(&shared);
        thread::spawn(move || {
            fence(Release);
            other.0.write();
            other.1.store(1, Relaxed);
        });
        if shared.1.load(Acquire) == 1 {
            shared.0.read();
        }
    });
    assert!(late);
}

/// An update that does not change the value publishes nevertheless.
#[test]
fn an_update_that_changes_nothing_is_a_write() {
    assert!(!message(
        |a| {
            a.store(1, Relaxed);
            a.fetch_add(0, Release);
        },
        |a| {
            // It reads what the update has written only if it comes after the update.
            a.fetch_or(0, Acquire) == 2
        },
    ));
    let chain = |order: Ordering| {
        races(move || {
            let shared = Arc::new((Data::default(), AtomicU32::new(0), AtomicU32::new(0)));
            let other = Arc::clone(&shared);
            let t = thread::spawn(move || {
                other.0.write();
                other.1.fetch_or(0, order);
                other.2.store(1, Relaxed);
            });
            if shared.2.load(Relaxed) == 1 {
                shared.1.fetch_or(0, Acquire);
                shared.0.read();
            }
            t.join().unwrap();
        })
    };
    assert!(!chain(Release));
    assert!(chain(Relaxed));
}

/// The counter of an `Arc`, written by hand.
#[test]
fn a_reference_count_by_hand() {
    let count = |last: fn()| {
        races(move || {
            let shared = Arc::new((Data::default(), AtomicU32::new(2)));
            let leave = move |shared: &(Data, AtomicU32)| {
                shared.0.read();
                if shared.1.fetch_sub(1, Release) == 1 {
                    last();
                    shared.0.write();
                }
            };
            let other = Arc::clone(&shared);
            let t = thread::spawn(move || leave(&other));
            leave(&shared);
            t.join().unwrap();
        })
    };
    assert!(!count(|| fence(Acquire)));
    assert!(count(|| ()));
}

struct Frees(Arc<Data>);

impl Drop for Frees {
    fn drop(&mut self) {
        self.0.write();
    }
}

#[test]
fn the_last_owner_comes_after_all_others() {
    assert!(!races(|| {
        let value = Owned::new(Frees(Arc::default()));
        let other = Owned::clone(&value);
        thread::spawn(move || other.0.read());
        value.0.read();
    }));
    assert!(!races(|| {
        let value = Owned::new(Data::default());
        let other = Owned::clone(&value);
        thread::spawn(move || other.write());
        if let Ok(data) = Owned::try_unwrap(value) {
            data.write();
        }
    }));
    assert!(!races(|| {
        let mut value = Owned::new(Data::default());
        let other = Owned::clone(&value);
        thread::spawn(move || other.write());
        if let Some(data) = Owned::get_mut(&mut value) {
            data.write();
        }
    }));
    assert!(!races(|| {
        let value = Owned::new(Data::default());
        let other = Owned::clone(&value);
        thread::spawn(move || {
            other.write();
            Owned::into_inner(other).map(|data| data.write())
        });
        if let Some(data) = Owned::into_inner(value) {
            data.write();
        }
    }));
}

/// Counting owners does not wait for them: `strong_count` is relaxed, and so is `clone`.
#[test]
fn who_counts_does_not_come_after_the_others() {
    assert!(races(|| {
        let value = Owned::new(Data::default());
        let other = Owned::clone(&value);
        thread::spawn(move || other.write());
        if Owned::strong_count(&value) == 1 {
            value.read();
        }
    }));
    // `get_mut` synchronises with a weak reference that was dropped; `upgrade` does not.
    assert!(!races(|| {
        let data = Arc::new(Data::default());
        let mut value = Owned::new(7);
        let (weak, other) = (Owned::downgrade(&value), Arc::clone(&data));
        thread::spawn(move || {
            other.write();
            drop(weak);
        });
        if Owned::get_mut(&mut value).is_some() {
            data.read();
        }
    }));
    assert!(races(|| {
        let data = Arc::new(Data::default());
        let value = Owned::new(7);
        let (weak, also, other) = (Owned::downgrade(&value), Owned::downgrade(&value), Arc::clone(&data));
        thread::spawn(move || {
            other.write();
            drop::<Weak<u32>>(weak);
        });
        if Owned::weak_count(&value) == 1 && also.upgrade().is_some() {
            data.read();
        }
    }));
}

/// A monitor protects what is accessed while it is owned.
#[test]
fn a_monitor_is_a_lock() {
    let counted = |threads: usize| {
        Checker::new().locking_discipline(Discipline::Mld).run(move || {
            let shared = Arc::new((Monitor::new(), Data::default()));
            for _ in 0..threads {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    shared.0.acquire();
                    shared.0.acquire();
                    shared.1.write();
                    shared.0.release().unwrap();
                    shared.1.write();
                    shared.0.release().unwrap();
                });
            }
        })
    };
    let report = counted(3);
    assert!(report.violations.is_empty(), "{report}");
    assert_eq!((report.executions, report.complete), (6, true), "{report}");
}

/// A report points to the line that uses the monitor.
#[test]
fn a_deadlock_of_monitors_names_the_lines_of_the_program() {
    let report = Checker::new().run(|| {
        let monitors = Arc::new((Monitor::new(), Monitor::new()));
        let other = Arc::clone(&monitors);
        thread::spawn(move || {
            other.0.acquire();
            other.1.acquire();
            let _ = (other.1.release(), other.0.release());
        });
        monitors.1.acquire();
        monitors.0.acquire();
        let _ = (monitors.0.release(), monitors.1.release());
    });
    let text = report.to_string();
    assert_eq!(report.violations[0].kind, ViolationKind::Deadlock);
    assert!(!text.contains("sync/monitor.rs"), "{text}");
    assert!(text.contains("which thread 1 holds since"), "{text}");
}
