//! The reference programs: each with its number of inequivalent executions, as counted by brute force.
//!
//! Every thread is spawned by main, which then joins all.

use mazurka::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use mazurka::sync::{Condvar, Mutex, RwLock, mpsc};
use mazurka::{Checker, Granularity, Report, ViolationKind, thread};
use std::collections::VecDeque;
use std::sync::Arc;

/// Explores everything, and checks that no execution was started in vain.
fn all(program: impl Fn()) -> Report {
    let report = Checker::new().all_violations(true).run(program);
    assert!(report.complete, "{report}");
    assert_eq!(report.redundant, 0, "{report}");
    report
}

fn count(program: impl Fn()) -> u64 {
    let report = all(program);
    assert!(report.violations.is_empty(), "{report}");
    report.executions
}

/// Spawns `n` threads, does `middle`, joins them.
fn threads(n: usize, body: impl Fn(usize) + Send + Sync + 'static, middle: impl FnOnce()) {
    let body = Arc::new(body);
    let handles: Vec<_> = (0..n)
        .map(|i| {
            let body = Arc::clone(&body);
            thread::spawn(move || body(i))
        })
        .collect();
    middle();
    for handle in handles {
        handle.join().unwrap();
    }
}

#[test]
fn a_threads_lock_one_mutex() {
    for (n, expected) in [(2, 2), (3, 6), (4, 24), (6, 720)] {
        let executions = count(|| {
            let m = Arc::new(Mutex::new(0));
            let inner = Arc::clone(&m);
            threads(n, move |_| *inner.lock().unwrap() += 1, || ());
            assert_eq!(*m.lock().unwrap(), n);
        });
        assert_eq!(executions, expected, "{n} threads");
    }
}

#[test]
fn a2_threads_lock_it_twice() {
    for (n, expected) in [(2, 6), (3, 90), (4, 2520)] {
        let executions = count(|| {
            let m = Arc::new(Mutex::new(0));
            let inner = Arc::clone(&m);
            threads(
                n,
                move |_| {
                    *inner.lock().unwrap() += 1;
                    *inner.lock().unwrap() += 1;
                },
                || (),
            );
            assert_eq!(*m.lock().unwrap(), 2 * n);
        });
        assert_eq!(executions, expected, "{n} threads");
    }
}

#[test]
fn b_disjoint_mutexes() {
    let executions = count(|| {
        let m: Arc<Vec<_>> = Arc::new((0..4).map(|_| Mutex::new(0)).collect());
        threads(4, move |i| *m[i].lock().unwrap() += 1, || ());
    });
    assert_eq!(executions, 1);
}

fn philosophers(n: usize, in_order: bool) {
    let forks: Arc<Vec<_>> = Arc::new((0..n).map(|_| Mutex::new(())).collect());
    threads(
        n,
        move |i| {
            let (mut first, mut second) = (i, (i + 1) % n);
            if in_order && first > second {
                std::mem::swap(&mut first, &mut second);
            }
            let l = forks[first].lock().unwrap();
            let r = forks[second].lock().unwrap();
            drop(r);
            drop(l);
        },
        || (),
    );
}

#[test]
fn c_philosophers_who_all_take_the_left_fork_first() {
    for (n, expected) in [(3, 7), (4, 15), (5, 31)] {
        let deadlocks = std::rc::Rc::new(std::cell::Cell::new(0));
        let counter = std::rc::Rc::clone(&deadlocks);
        let report = Checker::new()
            .all_violations(true)
            .on_execution(move |e| counter.set(counter.get() + u32::from(e.deadlock)))
            .run(|| philosophers(n, false));
        assert_eq!(report.executions, expected, "{n} philosophers");
        assert_eq!(report.redundant, 0);
        assert_eq!(deadlocks.get(), 1);
        assert_eq!(report.violations.len(), 1);
        assert_eq!(report.violations[0].kind, ViolationKind::Deadlock);
    }
}

#[test]
fn c2_philosophers_who_take_forks_in_order() {
    for (n, expected) in [(3, 6), (4, 14), (5, 30)] {
        assert_eq!(count(|| philosophers(n, true)), expected, "{n} philosophers");
    }
}

#[derive(Default)]
struct Buffer {
    queue: Mutex<VecDeque<usize>>,
    not_full: Condvar,
    not_empty: Condvar,
}

fn bounded_buffer(producers: usize, consumers: usize, k: usize) {
    let buffer = Arc::new(Buffer::default());
    threads(
        producers + consumers,
        move |i| {
            let times = if i < producers { k } else { producers * k / consumers };
            for x in 0..times {
                let mut q = buffer.queue.lock().unwrap();
                if i < producers {
                    while q.len() == 1 {
                        q = buffer.not_full.wait(q).unwrap();
                    }
                    q.push_back(x);
                    buffer.not_empty.notify_one();
                } else {
                    while q.is_empty() {
                        q = buffer.not_empty.wait(q).unwrap();
                    }
                    q.pop_front();
                    buffer.not_full.notify_one();
                }
            }
        },
        || (),
    );
}

#[test]
fn d_bounded_buffer_with_two_condition_variables() {
    for (p, c, k, expected) in [(1, 1, 3, 32), (2, 1, 1, 16), (2, 2, 1, 64)] {
        assert_eq!(
            count(|| bounded_buffer(p, c, k)),
            expected,
            "{p} producers, {c} consumers, {k} items"
        );
    }
}

fn one_condition(producers: usize, consumers: usize, k: usize) {
    let shared = Arc::new((Mutex::new(0usize), Condvar::new()));
    threads(
        producers + consumers,
        move |i| {
            let times = if i < producers { k } else { producers * k / consumers };
            for _ in 0..times {
                let mut q = shared.0.lock().unwrap();
                if i < producers {
                    while *q == 1 {
                        q = shared.1.wait(q).unwrap();
                    }
                    *q += 1;
                } else {
                    while *q == 0 {
                        q = shared.1.wait(q).unwrap();
                    }
                    *q -= 1;
                }
                shared.1.notify_one();
            }
        },
        || (),
    );
}

#[test]
fn d_bug_one_condition_variable_for_both() {
    for (p, c, k, expected, deadlocked) in [(1, 2, 2, 40, 4), (2, 2, 1, 80, 8)] {
        let deadlocks = std::rc::Rc::new(std::cell::Cell::new(0));
        let counter = std::rc::Rc::clone(&deadlocks);
        let report = Checker::new()
            .all_violations(true)
            .on_execution(move |e| counter.set(counter.get() + u32::from(e.deadlock)))
            .run(|| one_condition(p, c, k));
        assert_eq!(report.executions, expected, "{p} producers, {c} consumers, {k} items");
        assert_eq!(report.redundant, 0);
        assert_eq!(deadlocks.get(), deadlocked);
        assert_eq!(report.violations.len() as u32, deadlocked);
    }
}

#[test]
fn e_readers() {
    let readers = |writer: bool, n: usize| {
        count(move || {
            let m = Arc::new(RwLock::new(7));
            let inner = Arc::clone(&m);
            threads(
                n,
                move |_| {
                    let v = *inner.read().unwrap();
                    assert!(v == 7 || writer && v == 8);
                },
                || {
                    if writer {
                        *m.write().unwrap() = 8;
                    }
                },
            );
        })
    };
    assert_eq!(readers(false, 4), 1);
    assert_eq!(readers(true, 3), 8);
}

fn copy(n: usize) -> impl Fn() {
    move || {
        let m = Arc::new(Mutex::new(42));
        threads(
            n,
            move |_| {
                let l = {
                    let g = m.lock().unwrap();
                    *g
                };
                assert_eq!(l, 42);
            },
            || (),
        );
    }
}

#[test]
fn f_critical_sections_that_only_read() {
    for n in [4, 8] {
        assert_eq!(count(copy(n)), 1, "{n} threads");
    }
    let apart = Checker::new().granularity(Granularity::InvisibleFirst).run(copy(4));
    assert_eq!((apart.executions, apart.redundant), (24, 0));
}

#[test]
fn g_senders_and_a_receiver() {
    for (n, expected) in [(4, 24), (5, 120)] {
        let executions = count(|| {
            let (tx, rx) = mpsc::channel();
            let txs: Arc<Vec<_>> = Arc::new((0..n).map(|_| std::sync::Mutex::new(Some(tx.clone()))).collect());
            threads(
                n,
                move |i| {
                    let tx = txs[i].lock().unwrap().take().unwrap();
                    tx.send(i).unwrap();
                },
                || {
                    let mut got: Vec<usize> = (0..n).map(|_| rx.recv().unwrap()).collect();
                    got.sort_unstable();
                    assert_eq!(got, (0..n).collect::<Vec<_>>());
                },
            );
        });
        assert_eq!(executions, expected, "{n} senders");
    }
}

#[test]
fn i_lost_updates_and_crossed_locks() {
    let atomic = all(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let inner = Arc::clone(&x);
        threads(
            2,
            move |_| {
                let v = inner.load(SeqCst);
                inner.store(v + 1, SeqCst);
            },
            || (),
        );
        assert_eq!(x.load(SeqCst), 2, "an update is lost");
    });
    assert_eq!(atomic.executions, 4);
    assert_eq!(atomic.violations[0].kind, ViolationKind::Panic);

    let sections = all(|| {
        let m = Arc::new(Mutex::new(0));
        let inner = Arc::clone(&m);
        threads(
            2,
            move |_| {
                let v = *inner.lock().unwrap();
                *inner.lock().unwrap() = v + 1;
            },
            || (),
        );
        assert_eq!(*m.lock().unwrap(), 2, "an update is lost");
    });
    // The two first sections only read: 4 of 6 remain.
    assert_eq!(sections.executions, 4);
    assert_eq!(sections.violations[0].kind, ViolationKind::Panic);

    let crossed = Checker::new().all_violations(true).run(|| {
        let m = Arc::new((Mutex::new(()), Mutex::new(())));
        let inner = Arc::clone(&m);
        threads(
            1,
            move |_| {
                let _a = inner.0.lock().unwrap();
                let _b = inner.1.lock().unwrap();
            },
            || {
                let _b = m.1.lock().unwrap();
                let _a = m.0.lock().unwrap();
            },
        );
    });
    assert_eq!(crossed.executions, 3);
    assert_eq!(crossed.violations.len(), 1);
    assert_eq!(crossed.violations[0].kind, ViolationKind::Deadlock);
}

#[test]
fn i_two_critical_sections_apart() {
    let report = Checker::new()
        .all_violations(true)
        .granularity(Granularity::InvisibleFirst)
        .run(|| {
            let m = Arc::new(Mutex::new(0));
            let inner = Arc::clone(&m);
            threads(
                2,
                move |_| {
                    let v = *inner.lock().unwrap();
                    *inner.lock().unwrap() = v + 1;
                },
                || (),
            );
            assert_eq!(*m.lock().unwrap(), 2, "an update is lost");
        });
    assert_eq!((report.executions, report.redundant), (6, 0));
}

#[test]
fn p_atomic_readers_and_a_writer() {
    for (n, expected) in [(3, 8), (6, 64)] {
        let executions = count(|| {
            let x = Arc::new(AtomicUsize::new(0));
            let inner = Arc::clone(&x);
            threads(
                n,
                move |_| {
                    inner.load(SeqCst);
                },
                || x.store(1, SeqCst),
            );
        });
        assert_eq!(executions, expected, "{n} readers");
    }
}

#[test]
fn q_lastzero() {
    for (n, expected) in [(2, 5), (3, 12), (4, 28), (5, 64), (10, 3328)] {
        let executions = count(|| {
            let a: Arc<Vec<_>> = Arc::new((0..=n).map(|_| AtomicUsize::new(0)).collect());
            threads(
                n + 1,
                move |t| {
                    if t == 0 {
                        let mut i = n;
                        while a[i].load(SeqCst) != 0 {
                            i -= 1;
                        }
                    } else {
                        let v = a[t - 1].load(SeqCst);
                        a[t].store(v + 1, SeqCst);
                    }
                },
                || (),
            );
        });
        assert_eq!(executions, expected, "n = {n}");
    }
}

#[test]
fn r_filesystem() {
    for (n, expected) in [(4, 1), (19, 64)] {
        let executions = count(|| {
            let inodes: Arc<Vec<_>> = Arc::new((0..32).map(|_| Mutex::new(0)).collect());
            let blocks: Arc<Vec<_>> = Arc::new((0..26).map(|_| Mutex::new(false)).collect());
            threads(
                n,
                move |tid| {
                    let i = tid % 32;
                    let mut inode = inodes[i].lock().unwrap();
                    if *inode == 0 {
                        let mut b = (i * 2) % 26;
                        loop {
                            let mut busy = blocks[b].lock().unwrap();
                            if !*busy {
                                *busy = true;
                                *inode = b + 1;
                                break;
                            }
                            drop(busy);
                            b = (b + 1) % 26;
                        }
                    }
                },
                || (),
            );
        });
        assert_eq!(executions, expected, "{n} threads");
    }
}

#[test]
fn s_indexer() {
    for (n, expected) in [(3, 1), (12, 8), (13, 64)] {
        let executions = count(|| {
            let table: Arc<Vec<_>> = Arc::new((0..128).map(|_| AtomicUsize::new(0)).collect());
            threads(
                n,
                move |tid| {
                    for m in 1..=4 {
                        let w = m * 11 + tid;
                        let mut h = (w * 7) % 128;
                        while table[h].compare_exchange(0, w, SeqCst, SeqCst).is_err() {
                            h = (h + 1) % 128;
                        }
                    }
                },
                || (),
            );
        });
        assert_eq!(executions, expected, "{n} threads");
    }
}
