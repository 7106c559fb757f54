//! How many executions textbook cases have, and what their reports say.

use mazurka::future::__private::{Cell, Leaf, Need};
use mazurka::future::{AtomicWaker, Instant, block_on, join, select, sleep, spawn, try_join, yield_now};
use mazurka::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use mazurka::{Checker, Report, Verdict, ViolationKind};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

fn count(program: impl Fn()) -> u64 {
    let report = Checker::new().run(program);
    assert_eq!(report.verdict, Verdict::Holds, "{report}");
    assert_eq!(report.redundant, 0, "{report}");
    report.executions
}

fn run(program: impl Fn()) -> Report {
    Checker::new().quiet(true).run(program)
}

#[test]
fn tasks_that_share_nothing_have_one_execution() {
    let tasks = || {
        let tasks: Vec<_> = (0..4)
            .map(|i| {
                spawn(async move {
                    yield_now().await;
                    i
                })
            })
            .collect();
        let sum: i32 = block_on(async {
            let mut sum = 0;
            for task in tasks {
                sum += task.await.unwrap();
            }
            sum
        });
        assert_eq!(sum, 6);
    };
    assert_eq!(count(tasks), 1);
}

#[test]
fn two_increments_have_two() {
    let n = count(|| {
        let n = Arc::new(AtomicU32::new(0));
        let add = |n: &Arc<AtomicU32>| {
            let n = Arc::clone(n);
            spawn(async move { n.fetch_add(1, SeqCst) })
        };
        let (a, b) = (add(&n), add(&n));
        block_on(async {
            a.await.unwrap();
            b.await.unwrap();
        });
    });
    assert_eq!(n, 2);
}

/// A binary semaphore, as primitives are made.
struct Lock(Cell<(bool, Vec<Waker>)>);

impl Lock {
    #[track_caller]
    fn new() -> Lock {
        Lock(Cell::new("lock", (false, Vec::new()), |state| [u32::from(!state.0), 0]))
    }

    #[track_caller]
    fn lock(&self) -> impl Future<Output = ()> {
        let mut leaf = Leaf::new("the lock");
        let need = Need {
            index: 0,
            least: 1,
            reads: false,
        };
        poll_fn(move |context: &mut Context<'_>| {
            leaf.poll(&self.0, Some(need), context, |(locked, waiters), context| {
                if *locked {
                    waiters.push(context.waker().clone());
                    return Poll::Pending;
                }
                *locked = true;
                Poll::Ready(())
            })
        })
    }

    fn unlock(&self) {
        let waiters = self.0.change(|(locked, waiters)| {
            *locked = false;
            std::mem::take(waiters)
        });
        waiters.into_iter().for_each(Waker::wake);
    }
}

#[test]
fn two_tasks_and_one_lock_have_two() {
    for (tasks, executions) in [(2, 2), (3, 6), (4, 24)] {
        let n = count(|| {
            let lock = Arc::new(Lock::new());
            let tasks: Vec<_> = (0..tasks)
                .map(|_| {
                    let lock = Arc::clone(&lock);
                    spawn(async move {
                        lock.lock().await;
                        lock.unlock();
                    })
                })
                .collect();
            block_on(async {
                for task in tasks {
                    task.await.unwrap();
                }
            });
        });
        assert_eq!(n, executions, "{tasks} tasks");
    }
}

#[test]
fn a_lock_that_is_awaited_besides_a_timer_is_polled() {
    // The task has the lock first, or it is polled before the lock is free, or after.
    let n = count(|| {
        let lock = Arc::new(Lock::new());
        let other = Arc::clone(&lock);
        let task = spawn(async move {
            other.lock().await;
            other.unlock();
        });
        block_on(async {
            select! {
                () = lock.lock() => lock.unlock(),
                () = sleep(Duration::from_secs(1)) => unreachable!("time passes only when nobody can go on"),
            }
            task.await.unwrap();
        });
    });
    println!("{n} executions");
    assert!((3..40).contains(&n), "{n}");
}

#[test]
fn a_task_that_nobody_wakes_is_a_deadlock() {
    let report = run(|| {
        let task = spawn(poll_fn(|_| Poll::<()>::Pending));
        block_on(task).unwrap();
    });
    assert_eq!(report.violations[0].kind, ViolationKind::Deadlock);
    let message = &report.violations[0].message;
    assert!(message.contains("counts.rs"), "{message}");
    println!("{message}");
}

#[test]
fn a_waker_that_is_registered_after_the_check_is_lost() {
    let program = |register_first: bool| {
        move || {
            let shared = Arc::new((AtomicWaker::new(), AtomicBool::new(false)));
            let other = Arc::clone(&shared);
            let task = spawn(async move {
                other.1.store(true, SeqCst);
                other.0.wake();
            });
            block_on(poll_fn(|context| {
                if register_first {
                    shared.0.register(context.waker());
                }
                if shared.1.load(SeqCst) {
                    return Poll::Ready(());
                }
                if !register_first {
                    shared.0.register(context.waker());
                }
                Poll::Pending
            }));
            block_on(task).unwrap();
        }
    };
    let lost = run(program(false));
    assert_eq!(lost.violations[0].kind, ViolationKind::Deadlock, "{lost}");
    println!("{lost}");
    let n = count(program(true));
    println!("{n} executions");
    let token = lost.violations[0].token.clone();
    let again = Checker::new().replay(token).run(program(false));
    assert_eq!(again.violations[0].message, lost.violations[0].message);
}

#[test]
fn waking_twice_polls_once() {
    let polls = Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let seen = Arc::clone(&polls);
    count(move || {
        let waker = Arc::new(std::sync::Mutex::new(None::<Waker>));
        let inner = Arc::clone(&waker);
        let mut n = 0;
        let task = async {
            let mut n = 0;
            poll_fn(|context| {
                n += 1;
                if n == 1 {
                    *inner.lock().unwrap() = Some(context.waker().clone());
                    let (a, b) = (context.waker().clone(), context.waker().clone());
                    spawn(async move { a.wake() });
                    spawn(async move { b.wake_by_ref() });
                    return Poll::Pending;
                }
                if n == 2 { Poll::Pending } else { Poll::Ready(()) }
            })
            .await;
            n
        };
        let mut task = pin!(task);
        block_on(async {
            // The second wake may be lost, so this one ends it.
            select! {
                biased;
                () = sleep(Duration::from_millis(1)) => n = 2,
                polls = task.as_mut() => n = polls,
            }
        });
        seen.lock().unwrap().insert(n);
        // Waking a task that has ended is harmless.
        let waker = waker.lock().unwrap().take();
        waker.unwrap().wake();
    });
    assert_eq!(*polls.lock().unwrap(), [2, 3].into());
}

#[test]
fn an_aborted_task_is_dropped_at_an_await() {
    struct Bomb(Arc<AtomicU32>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            self.0.fetch_add(10, SeqCst);
        }
    }
    let seen = Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let outcomes = Arc::clone(&seen);
    count(move || {
        let n = Arc::new(AtomicU32::new(0));
        let inner = Bomb(Arc::clone(&n));
        let task = spawn(async move {
            inner.0.fetch_add(1, SeqCst);
            yield_now().await;
            inner.0.fetch_add(1, SeqCst);
        });
        task.abort();
        let result = block_on(task);
        let cancelled = result.is_err_and(|error| error.is_cancelled());
        outcomes.lock().unwrap().insert((cancelled, n.load(SeqCst)));
    });
    assert_eq!(*seen.lock().unwrap(), [(true, 10), (true, 11), (false, 12)].into());
}

#[test]
fn join_polls_all_and_try_join_stops_at_an_error() {
    count(|| {
        let (a, b, c) = block_on(async { join!(async { 1 }, yield_now(), spawn(async { 3 })) });
        assert_eq!((a, b, c.unwrap()), (1, (), 3));
        let both: Result<(i32, i32), &str> = block_on(async { try_join!(async { Ok(1) }, async { Ok(2) }) });
        assert_eq!(both, Ok((1, 2)));
        let failed: Result<((), ()), &str> =
            block_on(async { try_join!(async { Err("no") }, std::future::pending::<Result<(), &str>>()) });
        assert_eq!(failed, Err("no"));
    });
}

#[test]
fn select_starts_with_any_branch_and_drops_the_others() {
    let seen = Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let outcomes = Arc::clone(&seen);
    let n = count(move || {
        let n = block_on(async {
            select! {
                a = async { 1 } => a,
                Some(b) = async { Some(2) } => { b }
                Some(c) = async { None::<i32> }, if true => c,
                _ = async {}, if false => 9,
                else => 10,
            }
        });
        outcomes.lock().unwrap().insert(n);
    });
    assert_eq!(n, 4);
    assert_eq!(*seen.lock().unwrap(), [1, 2].into());
    count(|| {
        let n = block_on(async {
            select! {
                None = async { Some(1) } => 1,
                else => 2,
            }
        });
        assert_eq!(n, 2);
    });
}

#[test]
fn timers_fire_in_the_order_of_their_deadlines() {
    let n = count(|| {
        let start = Instant::now();
        let log = Arc::new(mazurka::sync::Mutex::new(Vec::new()));
        let tasks: Vec<_> = [30, 10, 20]
            .into_iter()
            .map(|millis| {
                let log = Arc::clone(&log);
                spawn(async move {
                    sleep(Duration::from_millis(millis)).await;
                    log.lock().unwrap().push(millis);
                })
            })
            .collect();
        block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
        assert_eq!(*log.lock().unwrap(), [10, 20, 30]);
        assert_eq!(start.elapsed(), Duration::from_millis(30));
    });
    assert_eq!(n, 1);
}

#[test]
fn timers_with_one_deadline_fire_in_any_order() {
    let n = count(|| {
        let log = Arc::new(mazurka::sync::Mutex::new(Vec::new()));
        let tasks: Vec<_> = (0..3)
            .map(|i| {
                let log = Arc::clone(&log);
                spawn(async move {
                    sleep(Duration::from_millis(5)).await;
                    log.lock().unwrap().push(i);
                })
            })
            .collect();
        block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
    });
    assert_eq!(n, 6);
}

#[test]
fn early_timers_may_fire_before_what_they_limit() {
    let program = || {
        let n = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&n);
        let task = spawn(async move { other.fetch_add(1, SeqCst) });
        block_on(async {
            sleep(Duration::from_secs(1)).await;
            assert_eq!(n.load(SeqCst), 1);
            task.await.unwrap();
        });
    };
    assert_eq!(count(program), 1);
    let report = Checker::new().early_timers(true).run(program);
    assert_eq!(report.violations[0].kind, ViolationKind::Panic, "{report}");
}

#[test]
fn executions_that_are_cut_can_be_unwound() {
    let report = Checker::new().unwind(true).all_violations(true).quiet(true).run(|| {
        let lock = Arc::new(Lock::new());
        let other = Arc::clone(&lock);
        let task = spawn(async move {
            other.lock().await;
            // It is never unlocked.
        });
        block_on(async {
            select! {
                () = lock.lock() => {}
                () = sleep(Duration::from_secs(1)) => std::future::pending().await,
            }
            task.await.unwrap();
        });
    });
    assert!(report.complete, "{report}");
    assert!(
        report.violations.iter().all(|v| v.kind == ViolationKind::Deadlock),
        "{report}"
    );
    assert!(!report.violations.is_empty());
}

#[test]
fn a_combinator_of_the_users_own_is_noticed() {
    // What the combinator polls besides the lock is local, and it does not wait.
    let seen = Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let outcomes = Arc::clone(&seen);
    count(move || {
        let lock = Arc::new(Lock::new());
        let other = Arc::clone(&lock);
        let task = spawn(async move {
            other.lock().await;
            other.unlock();
        });
        let free = block_on(async {
            let mut lock = pin!(lock.lock());
            poll_fn(|context| Poll::Ready(lock.as_mut().poll(context).is_ready())).await
        });
        if free {
            lock.unlock();
        }
        block_on(task).unwrap();
        outcomes.lock().unwrap().insert(free);
    });
    assert_eq!(*seen.lock().unwrap(), [false, true].into());
}

#[test]
fn select_looks_before_it_polls_the_next_branch() {
    // The second branch does nothing that others could see.
    let seen = Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let outcomes = Arc::clone(&seen);
    count(move || {
        let lock = Arc::new(Lock::new());
        let other = Arc::clone(&lock);
        let task = spawn(async move {
            other.lock().await;
            other.unlock();
        });
        let mut touched = false;
        block_on(async {
            select! {
                biased;
                () = lock.lock() => lock.unlock(),
                () = async {
                    touched = true;
                    std::future::pending().await
                } => {}
            }
        });
        block_on(task).unwrap();
        outcomes.lock().unwrap().insert(touched);
    });
    assert_eq!(*seen.lock().unwrap(), [false, true].into());
}
