//! What a check finds, and how it says so.

use mazurka::cell::{Cell, UnsafeCell};
use mazurka::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use mazurka::sync::{Condvar, Mutex, Semaphore, mpsc};
use mazurka::{Checker, Discipline, Granularity, Memory, Strategy, ViolationKind, thread};
use std::sync::Arc;
use std::time::Duration;

/// A cell that claims to be `Sync`. The checks find out whether that is true.
struct Shared<T>(UnsafeCell<T>);
// SAFETY: these tests are about accesses that race; under control only one thread runs at a time.
#[allow(unsafe_code)]
unsafe impl<T> Sync for Shared<T> {}

#[allow(unsafe_code)]
impl Shared<u32> {
    #[track_caller]
    fn add(&self) {
        // SAFETY: one thread runs at a time.
        self.0.with_mut(|p| unsafe { *p += 1 });
    }

    #[track_caller]
    fn get(&self) -> u32 {
        // SAFETY: as above.
        self.0.with(|p| unsafe { *p })
    }
}

#[test]
fn unprotected_accesses_race() {
    let report = Checker::new().run(|| {
        let cell = Arc::new(Shared(UnsafeCell::new(0)));
        let other = Arc::clone(&cell);
        let t = thread::spawn(move || other.add());
        cell.add();
        t.join().unwrap();
    });
    assert_eq!(report.violations[0].kind, ViolationKind::DataRace);
    assert!(
        report.violations[0].message.matches("detection.rs:").count() == 2,
        "{report}"
    );
}

#[test]
fn protected_accesses_do_not() {
    let report = Checker::new().run(|| {
        let shared = Arc::new((Mutex::new(()), Shared(UnsafeCell::new(0))));
        let other = Arc::clone(&shared);
        let t = thread::spawn(move || {
            let _lock = other.0.lock().unwrap();
            other.1.add();
        });
        {
            let _lock = shared.0.lock().unwrap();
            shared.1.add();
        }
        t.join().unwrap();
        assert_eq!(shared.1.get(), 2);
    });
    assert!(report.violations.is_empty() && report.complete, "{report}");
}

/// Message passing through an atomic: right with release and acquire, a race with relaxed.
#[test]
fn orderings_decide_whether_a_store_publishes() {
    let publish = |store, load| {
        Checker::new().run(move || {
            let shared = Arc::new((AtomicBool::new(false), Shared(UnsafeCell::new(0))));
            let other = Arc::clone(&shared);
            let t = thread::spawn(move || {
                other.1.add();
                other.0.store(true, store);
            });
            if shared.0.load(load) {
                shared.1.get();
            }
            t.join().unwrap();
        })
    };
    let right = publish(Ordering::Release, Ordering::Acquire);
    assert!(right.violations.is_empty() && right.complete, "{right}");
    let wrong = publish(Ordering::Relaxed, Ordering::Relaxed);
    assert_eq!(wrong.violations[0].kind, ViolationKind::DataRace);
}

/// The search does not order two sections that only read, so what is around them races.
#[test]
fn sections_that_only_read_order_nothing() {
    let report = Checker::new().run(|| {
        let shared = Arc::new((Mutex::new(7), Shared(UnsafeCell::new(0))));
        let other = Arc::clone(&shared);
        let t = thread::spawn(move || {
            other.1.add();
            assert_eq!(*other.0.lock().unwrap(), 7);
        });
        assert_eq!(*shared.0.lock().unwrap(), 7);
        shared.1.add();
        t.join().unwrap();
    });
    assert_eq!(report.violations[0].kind, ViolationKind::DataRace, "{report}");
}

/// Stoller's section 9: MLD misses this under some orders, MLD' does not.
#[test]
fn the_locking_discipline_is_checked() {
    let program = || {
        let shared = Arc::new((Semaphore::new(0), Mutex::new(()), Shared(UnsafeCell::new(0))));
        let other = Arc::clone(&shared);
        let t = thread::spawn(move || {
            other.0.acquire();
            let _lock = other.1.lock().unwrap();
            other.2.add();
        });
        shared.2.0.initialised_here();
        shared.2.add();
        shared.0.release();
        shared.2.add();
        t.join().unwrap();
    };
    for strategy in [Strategy::Optimal, Strategy::Selective] {
        let report = Checker::new()
            .strategy(strategy)
            .granularity(Granularity::InvisibleFirst)
            .locking_discipline(Discipline::MldPrime)
            .run(program);
        assert_eq!(report.violations[0].kind, ViolationKind::LockingDiscipline, "{report}");
    }
}

#[test]
fn panics_are_found_with_their_place_and_can_be_run_again() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        let t = thread::spawn(move || {
            y.store(1, Ordering::SeqCst);
            y.store(2, Ordering::SeqCst);
        });
        assert_ne!(x.load(Ordering::SeqCst), 1, "one was seen");
        t.join().unwrap();
    };
    let report = Checker::new().run(program);
    let violation = &report.violations[0];
    assert_eq!(violation.kind, ViolationKind::Panic);
    assert!(violation.message.contains("main panicked at"), "{report}");
    assert!(violation.message.contains("one was seen"), "{report}");
    assert!(violation.token.len() < 50, "{}", violation.token);

    let again = Checker::new().replay(&violation.token).run(program);
    assert_eq!((again.executions, again.complete), (1, false));
    assert_eq!(again.violations[0].message, violation.message);
    assert_eq!(again.violations[0].steps, violation.steps);

    // A token of another program does not fit.
    let other = Checker::new().replay(&violation.token).run(|| ());
    assert!(other.violations.is_empty());
}

/// After a violation the others are still found, even in the same execution.
#[test]
fn all_violations_are_found() {
    let report = Checker::new().all_violations(true).run(|| {
        let m = Arc::new((Mutex::new(()), Mutex::new(())));
        thread::spawn(|| panic!("always"));
        for swap in [false, true] {
            let m = Arc::clone(&m);
            thread::spawn(move || {
                let (a, b) = if swap { (&m.0, &m.1) } else { (&m.1, &m.0) };
                let _a = a.lock().unwrap();
                let _b = b.lock().unwrap();
            });
        }
    });
    let mut kinds: Vec<_> = report.violations.iter().map(|v| v.kind.to_string()).collect();
    kinds.sort();
    assert_eq!(kinds, ["deadlock", "panic"], "{report}");
    assert!(report.complete);
}

#[test]
fn a_panic_poisons_and_is_told_to_those_who_join() {
    let report = Checker::new().all_violations(true).run(|| {
        let m = Arc::new(Mutex::new(0));
        let n = Arc::clone(&m);
        let t = thread::spawn(move || {
            let _lock = n.lock().unwrap();
            panic!("while it holds the lock");
        });
        let error = t.join().unwrap_err();
        assert_eq!(error.downcast_ref::<&str>(), Some(&"while it holds the lock"));
        assert!(m.is_poisoned());
        assert!(m.lock().is_err());
        m.clear_poison();
        assert!(m.lock().is_ok());
    });
    assert_eq!(report.violations.len(), 1, "{report}");
    assert!(report.violations[0].message.contains("while it holds"));
}

#[test]
fn limits_make_a_search_incomplete() {
    let program = || {
        let m = Arc::new(Mutex::new(0));
        let threads: Vec<_> = (0..6)
            .map(|_| {
                let m = Arc::clone(&m);
                thread::spawn(move || *m.lock().unwrap() += 1)
            })
            .collect();
        for t in threads {
            t.join().unwrap();
        }
    };
    let few = Checker::new().max_executions(10).run(program);
    assert_eq!((few.executions, few.complete), (10, false));
    let short = Checker::new().max_duration(Duration::ZERO).run(program);
    assert!(!short.complete && short.violations.is_empty());
    let random = Checker::new()
        .strategy(Strategy::Random {
            seed: 1,
            executions: 50,
        })
        .run(program);
    assert_eq!((random.executions, random.complete), (50, false));
}

#[test]
fn a_thread_that_spins_for_ever_is_hinted_at() {
    let report = Checker::new().max_depth(100).max_executions(50).run(|| {
        let turns = AtomicUsize::new(0);
        // Others could notice each turn.
        while turns.fetch_add(1, Ordering::SeqCst) < usize::MAX {}
    });
    assert!(!report.complete);
    assert!(report.notes.iter().any(|n| n.contains("livelock")), "{report}");
}

#[test]
fn leaks_and_threads_that_nobody_joins() {
    let leak = Checker::new().run(|| {
        std::mem::forget(mazurka::sync::Arc::new(5));
    });
    assert_eq!(leak.violations[0].kind, ViolationKind::Leak);
    let joined = Checker::new().require_joins(true).run(|| {
        thread::spawn(|| ());
    });
    assert_eq!(joined.violations[0].kind, ViolationKind::NotJoined);
    let fine = Checker::new().require_joins(true).run(|| {
        let a = mazurka::sync::Arc::new(5);
        let b = a.clone();
        thread::spawn(move || assert_eq!(*b, 5)).join().unwrap();
    });
    assert!(fine.violations.is_empty(), "{fine}");
}

#[test]
fn random_searches_find_a_lost_update() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let x = Arc::clone(&x);
                thread::spawn(move || {
                    let v = x.load(Ordering::SeqCst);
                    x.store(v + 1, Ordering::SeqCst);
                })
            })
            .collect();
        for t in threads {
            t.join().unwrap();
        }
        assert_eq!(x.load(Ordering::SeqCst), 2);
    };
    for strategy in [
        Strategy::Random {
            seed: 7,
            executions: 200,
        },
        Strategy::Pct {
            seed: 7,
            executions: 200,
            depth: 3,
        },
        Strategy::PreemptionBound(1),
        Strategy::SourceSets,
        Strategy::Selective,
        Strategy::Exhaustive,
    ] {
        let report = Checker::new().strategy(strategy.clone()).run(program);
        assert_eq!(report.violations.len(), 1, "{strategy:?}");
    }
    // Without a preemption it is not seen, and the report does not claim otherwise.
    let none = Checker::new().strategy(Strategy::PreemptionBound(0)).run(program);
    assert!(none.violations.is_empty() && !none.complete);
}

/// Algorithm 2-MLD: with declarations, threads that share nothing are not interleaved.
#[test]
fn declared_bounds_make_persistent_sets() {
    let program = |declare: bool| {
        move || {
            let mutexes: Arc<Vec<Mutex<u32>>> = Arc::new((0..3).map(|_| Mutex::new(0)).collect());
            for i in 0..3 {
                let inner = Arc::clone(&mutexes);
                let mut builder = thread::Builder::new();
                if declare {
                    builder = builder.uses(&[&mutexes[i]]);
                }
                builder
                    .spawn(move || {
                        *inner[i].lock().unwrap() += 1;
                        *inner[i].lock().unwrap() += 1;
                    })
                    .unwrap();
            }
        }
    };
    let search = || {
        Checker::new()
            .strategy(Strategy::Selective)
            .granularity(Granularity::InvisibleFirst)
    };
    let (with, without) = (search().run(program(true)), search().run(program(false)));
    assert_eq!((with.executions, with.redundant), (1, 0));
    assert_eq!(without.executions, 1);
    assert!(without.redundant > 0);

    let lie = search().run(|| {
        let m = Arc::new((Mutex::new(0), Mutex::new(0)));
        let n = Arc::clone(&m);
        let builder = thread::Builder::new().uses(&[&m.0]);
        builder.spawn(move || *n.1.lock().unwrap() += 1).unwrap();
    });
    assert_eq!(lie.violations[0].kind, ViolationKind::Undeclared);
}

#[test]
fn a_page_is_written() {
    let path = std::env::temp_dir().join(format!("mazurka-{}.html", std::process::id()));
    Checker::new().report_html(&path).run(|| {
        let (_tx, rx) = mpsc::channel::<u32>();
        let _ = rx.recv();
    });
    let page = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(page.contains("deadlock") && page.contains("MAZURKA_REPLAY") && page.ends_with("</html>\n"));
}

#[test]
fn tracked_cells_follow_std() {
    let cell = Cell::new(1);
    cell.set(2);
    assert_eq!(cell.replace(3), 2);
    assert_eq!((cell.get(), cell.take(), cell.into_inner()), (3, 3, 0));
    mazurka::check(|| {
        let cell = Cell::new(1);
        cell.set(5);
        assert_eq!(cell.get(), 5);
    });
}

/// A destructor that locks, on a stack that is unwound because the execution is over.
#[test]
fn abandoned_executions_run_destructors_if_asked() {
    struct Locks(Arc<Mutex<u32>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let report = Checker::new().all_violations(true).unwind(true).run(|| {
        let m = Arc::new(Mutex::new(0));
        let condition = Arc::new(Condvar::new());
        for _ in 0..2 {
            let (m, condition) = (Arc::clone(&m), Arc::clone(&condition));
            thread::spawn(move || {
                let _locks = Locks(Arc::clone(&m));
                let other = Mutex::new(());
                // Waits for ever, holding nothing, or something that another destructor wants.
                let held = m.lock().unwrap();
                let _unused = condition.wait(other.lock().unwrap());
                drop(held);
            });
        }
    });
    assert!(report.violations.iter().all(|v| v.kind == ViolationKind::Deadlock));
    assert!(!report.violations.is_empty());
}

/// The token of a failure, in the environment of the test that fails.
#[test]
fn a_failure_is_run_again_from_the_environment() {
    fn program() {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || y.store(1, Ordering::SeqCst));
        assert_eq!(x.load(Ordering::SeqCst), 0, "too late");
    }
    let report = Checker::new().run(program);
    if std::env::var_os("MAZURKA_REPLAY").is_some() {
        println!(
            "again: {} executions, {}",
            report.executions, report.violations[0].message
        );
        return;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "detection::a_failure_is_run_again_from_the_environment",
            "--nocapture",
        ])
        .env("MAZURKA_REPLAY", &report.violations[0].token)
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.contains("again: 1 executions, main panicked"), "{output}");
    assert!(output.contains("too late"), "{output}");
}

/// Memory does not grow with the number of executions, because nothing of finished ones is kept.
#[test]
fn many_executions_are_run() {
    let report = Checker::new().run(|| {
        let x = Arc::new(Mutex::new(0));
        let threads: Vec<_> = (0..7)
            .map(|_| {
                let x = Arc::clone(&x);
                thread::spawn(move || *x.lock().unwrap() += 1)
            })
            .collect();
        for t in threads {
            t.join().unwrap();
        }
    });
    assert_eq!((report.executions, report.redundant), (5040, 0));
}

#[test]
fn a_read_that_is_not_atomic_races_with_writes() {
    use Ordering::{Acquire, Relaxed, Release, SeqCst};
    let check = |memory, flag: Ordering, read: Ordering| {
        Checker::new().memory(memory).run(move || {
            let shared = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
            let other = Arc::clone(&shared);
            let t = thread::spawn(move || {
                other.0.store(1, Relaxed);
                other.1.store(true, flag);
            });
            if shared.1.load(read) {
                assert_eq!(shared.0.unsync_load(), 1);
            }
            t.join().unwrap();
            assert_eq!(shared.0.unsync_load(), 1);
        })
    };
    for memory in [Memory::Rc11, Memory::SequentiallyConsistent] {
        let relaxed = check(memory, Relaxed, Acquire);
        assert_eq!(relaxed.violations[0].kind, ViolationKind::DataRace, "{relaxed}");
        assert_eq!(
            relaxed.violations[0].message.matches("detection.rs:").count(),
            2,
            "{relaxed}"
        );
        for (flag, read) in [(Release, Acquire), (SeqCst, SeqCst)] {
            let ordered = check(memory, flag, read);
            assert!(ordered.violations.is_empty() && ordered.complete, "{ordered}");
        }
        // Two such reads, and one beside an atomic one, do not race. An update does.
        for update in [false, true] {
            let report = Checker::new().memory(memory).run(move || {
                let n = Arc::new(AtomicUsize::new(0));
                let m = Arc::clone(&n);
                let t = thread::spawn(move || {
                    m.unsync_load();
                    m.load(SeqCst);
                    if update {
                        m.fetch_add(1, SeqCst);
                    }
                });
                n.unsync_load();
                n.load(SeqCst);
                t.join().unwrap();
            });
            assert_eq!(report.violations.is_empty(), !update, "{report}");
        }
    }
}
