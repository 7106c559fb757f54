//! What each primitive does, in all executions, and how many there are.

use mazurka::{Checker, Report, Verdict, ViolationKind};
use mazurka_tokio::runtime::{Builder, Runtime};
use mazurka_tokio::sync::{Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};
use mazurka_tokio::task::{JoinSet, spawn, spawn_blocking, yield_now};
use mazurka_tokio::time::{Duration, Instant, interval, sleep, timeout};
use mazurka_tokio::{join, select};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex as Plain};

/// The outcomes of a program in all executions, and how many executions there are.
fn outcomes<T: Ord + Debug + Send + 'static, F: Future<Output = T>>(program: impl Fn() -> F) -> (BTreeSet<T>, u64) {
    let seen = Plain::new(BTreeSet::new());
    let report = Checker::new().run(|| {
        let outcome = Runtime::new().unwrap().block_on(program());
        seen.lock().unwrap().insert(outcome);
    });
    assert_eq!(report.verdict, Verdict::Holds, "{report}");
    (seen.into_inner().unwrap(), report.executions)
}

fn run<F: Future>(program: impl Fn() -> F) -> Report {
    Checker::new().quiet(true).run(|| {
        Runtime::new().unwrap().block_on(program());
    })
}

fn deadlock<F: Future>(program: impl Fn() -> F) -> String {
    let report = run(program);
    assert_eq!(report.verdict, Verdict::Violated, "{report}");
    assert_eq!(report.violations[0].kind, ViolationKind::Deadlock, "{report}");
    report.violations[0].message.clone()
}

fn set<T: Ord, const N: usize>(items: [T; N]) -> BTreeSet<T> {
    BTreeSet::from(items)
}

#[test]
fn two_tasks_and_one_mutex_have_two_executions() {
    for (tasks, executions) in [(2, 2), (3, 6)] {
        let (_, n) = outcomes(|| async move {
            let n = Arc::new(Mutex::new(0));
            let tasks: Vec<_> = (0..tasks)
                .map(|_| {
                    let n = Arc::clone(&n);
                    spawn(async move { *n.lock().await += 1 })
                })
                .collect();
            let count = tasks.len();
            for task in tasks {
                task.await.unwrap();
            }
            let n = Arc::try_unwrap(n).unwrap().into_inner();
            assert_eq!(n, count);
        });
        assert_eq!(n, executions);
    }
}

#[test]
fn locks_in_two_orders_are_a_deadlock_with_places() {
    let message = deadlock(|| async {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = Arc::clone(&locks);
        let task = spawn(async move {
            let _a = other.0.lock().await;
            let _b = other.1.lock().await;
        });
        let b = locks.1.lock().await;
        let a = locks.0.lock().await;
        drop((a, b));
        task.await.unwrap();
    });
    println!("{message}");
    assert_eq!(message.matches("primitives.rs").count(), 5, "{message}");
    assert!(message.contains("Mutex"), "{message}");
}

#[test]
fn a_lock_that_is_given_up_goes_to_the_next() {
    let (seen, _) = outcomes(|| async {
        let lock = Arc::new(Mutex::new(0));
        let held = lock.lock().await;
        let other = Arc::clone(&lock);
        let waits = spawn(async move { timeout(Duration::from_millis(5), other.lock()).await.is_ok() });
        let other = Arc::clone(&lock);
        let patient = spawn(async move { *other.lock().await += 1 });
        sleep(Duration::from_millis(10)).await;
        drop(held);
        patient.await.unwrap();
        (waits.await.unwrap(), *lock.lock().await)
    });
    assert_eq!(seen, set([(false, 1)]));
}

#[test]
fn reading_twice_while_a_writer_waits_is_a_deadlock() {
    let message = deadlock(|| async {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        let writer = spawn(async move { *other.write().await += 1 });
        let first = lock.read().await;
        let second = lock.read().await;
        drop((first, second));
        writer.await.unwrap();
    });
    println!("{message}");
}

#[test]
fn many_permits_wait_in_front_of_few() {
    // The first waits for two permits, and the one who has one asks for another.
    deadlock(|| async {
        let semaphore = Arc::new(Semaphore::new(2));
        let other = Arc::clone(&semaphore);
        let greedy = spawn(async move { drop(other.acquire_many(2).await.unwrap()) });
        let one = semaphore.acquire().await.unwrap();
        let another = semaphore.acquire().await.unwrap();
        drop((one, another));
        greedy.await.unwrap();
    });
}

#[test]
fn a_closed_semaphore_fails() {
    let (seen, _) = outcomes(|| async {
        let semaphore = Arc::new(Semaphore::new(0));
        let other = Arc::clone(&semaphore);
        let task = spawn(async move { other.acquire_owned().await.is_ok() });
        semaphore.close();
        task.await.unwrap()
    });
    assert_eq!(seen, set([false]));
}

#[test]
fn a_oneshot_message_has_one_execution() {
    let (seen, n) = outcomes(|| async {
        let (sender, receiver) = oneshot::channel();
        spawn(async move { sender.send(1).unwrap() });
        receiver.await.ok()
    });
    assert_eq!((seen, n), (set([Some(1)]), 1));
}

#[test]
fn a_sender_that_is_dropped_ends_the_wait() {
    let (seen, n) = outcomes(|| async {
        let (sender, receiver) = oneshot::channel::<i32>();
        spawn(async move { drop(sender) });
        receiver.await.is_err()
    });
    assert_eq!((seen, n), (set([true]), 1));
    let message = deadlock(|| async {
        let (sender, receiver) = oneshot::channel::<i32>();
        let keep = Arc::new(Plain::new(Some(sender)));
        let kept = Arc::clone(&keep);
        spawn(async move { drop(kept) }).await.unwrap();
        drop(receiver.await);
        drop(keep);
    });
    println!("{message}");
}

#[test]
fn messages_arrive_in_order_and_then_none() {
    let (seen, n) = outcomes(|| async {
        let (sender, mut receiver) = mpsc::channel(1);
        spawn(async move {
            for i in 0..3 {
                sender.send(i).await.unwrap();
            }
        });
        let mut all = Vec::new();
        while let Some(i) = receiver.recv().await {
            all.push(i);
        }
        all
    });
    assert_eq!(seen, set([vec![0, 1, 2]]));
    println!("{n} executions");
}

#[test]
fn a_sender_that_is_kept_lets_the_receiver_wait_for_ever() {
    let message = deadlock(|| async {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let task = spawn(async move { while receiver.recv().await.is_some() {} });
        sender.send(1).unwrap();
        task.await.unwrap();
    });
    println!("{message}");
    assert!(message.contains("mpsc"), "{message}");
}

#[test]
fn notifications_are_stored_once_and_not_lost() {
    let (seen, _) = outcomes(|| async {
        let notify = Arc::new(Notify::new());
        let other = Arc::clone(&notify);
        spawn(async move { other.notify_one() });
        notify.notified().await;
    });
    assert_eq!(seen.len(), 1);
    // Nobody waits for the second one.
    deadlock(|| async {
        let notify = Arc::new(Notify::new());
        let other = Arc::clone(&notify);
        spawn(async move {
            other.notify_one();
            other.notify_one();
        });
        notify.notified().await;
        notify.notified().await;
    });
    // `notify_waiters` does not store.
    let message = deadlock(|| async {
        let notify = Arc::new(Notify::new());
        let other = Arc::clone(&notify);
        spawn(async move { other.notify_waiters() });
        notify.notified().await;
    });
    println!("{message}");
    assert!(message.contains("for a Notify at"), "{message}");
}

#[test]
fn a_barrier_has_one_leader() {
    let (seen, _) = outcomes(|| async {
        let barrier = Arc::new(Barrier::new(2));
        let other = Arc::clone(&barrier);
        let task = spawn(async move { other.wait().await.is_leader() });
        let mine = barrier.wait().await.is_leader();
        (mine, task.await.unwrap())
    });
    assert_eq!(seen, set([(true, false), (false, true)]));
}

#[test]
fn a_once_cell_is_made_once() {
    let (seen, _) = outcomes(|| async {
        let cell = Arc::new(OnceCell::new());
        let made = Arc::new(AtomicU32::new(0));
        let tasks: Vec<_> = (0..2)
            .map(|i| {
                let (cell, made) = (Arc::clone(&cell), Arc::clone(&made));
                spawn(async move {
                    *cell
                        .get_or_init(|| async {
                            yield_now().await;
                            made.fetch_add(1, SeqCst);
                            i
                        })
                        .await
                })
            })
            .collect();
        let mut values = Vec::new();
        for task in tasks {
            values.push(task.await.unwrap());
        }
        (values, made.load(SeqCst))
    });
    assert_eq!(seen, set([(vec![0, 0], 1), (vec![1, 1], 1)]));
}

#[test]
fn a_slow_receiver_of_a_broadcast_lags() {
    let (seen, _) = outcomes(|| async {
        let (sender, mut receiver) = broadcast::channel(2);
        spawn(async move {
            for i in 0..3 {
                sender.send(i).unwrap();
            }
        });
        let mut all = Vec::new();
        loop {
            match receiver.recv().await {
                Ok(i) => all.push(i.to_string()),
                Err(broadcast::error::RecvError::Lagged(n)) => all.push(format!("-{n}")),
                Err(broadcast::error::RecvError::Closed) => return all.join(" "),
            }
        }
    });
    assert_eq!(seen, set(["0 1 2", "-1 1 2"].map(str::to_owned)));
}

#[test]
fn a_watch_shows_the_latest_value() {
    let (seen, _) = outcomes(|| async {
        let (sender, mut receiver) = watch::channel(0);
        spawn(async move {
            sender.send(1).unwrap();
            sender.send(2).unwrap();
        });
        let mut all = Vec::new();
        while receiver.changed().await.is_ok() {
            all.push(*receiver.borrow_and_update());
        }
        all
    });
    assert_eq!(seen, set([vec![1, 2], vec![2]]));
    let (seen, _) = outcomes(|| async {
        let (sender, mut receiver) = watch::channel(0);
        spawn(async move {
            for i in 1..4 {
                sender.send_replace(i);
            }
        });
        let large = receiver.wait_for(|i| *i > 1).await.map(|i| *i);
        large.unwrap()
    });
    assert_eq!(seen, set([2, 3]));
}

#[test]
fn a_join_set_gives_results_in_any_order_and_aborts() {
    let (seen, _) = outcomes(|| async {
        let mut tasks = JoinSet::new();
        for i in 0..3 {
            tasks.spawn(async move { i });
        }
        let mut all = Vec::new();
        while let Some(result) = tasks.join_next().await {
            all.push(result.unwrap());
        }
        all
    });
    assert_eq!(seen.len(), 6);
    let (seen, _) = outcomes(|| async {
        let mut tasks = JoinSet::new();
        tasks.spawn(std::future::pending::<()>());
        tasks.spawn(async {});
        tasks.abort_all();
        let mut cancelled = 0;
        while let Some(result) = tasks.join_next().await {
            cancelled += u32::from(result.is_err_and(|error| error.is_cancelled()));
        }
        cancelled
    });
    assert_eq!(seen, set([1, 2]));
}

#[test]
fn a_runtime_cancels_its_tasks() {
    let (seen, _) = outcomes(|| async {
        spawn(async {
            let mut ticks = interval(Duration::from_millis(1));
            for _ in 0..3 {
                ticks.tick().await;
            }
            std::future::pending::<()>().await;
        });
        sleep(Duration::from_millis(2)).await;
    });
    assert_eq!(seen.len(), 1);
}

#[test]
fn a_timeout_elapses_only_if_nothing_else_can_happen() {
    let program = |early: bool| {
        let seen = Plain::new(BTreeSet::new());
        let report = Checker::new().early_timers(early).run(|| {
            let outcome = Runtime::new().unwrap().block_on(async {
                let (sender, receiver) = oneshot::channel();
                let task = spawn(async move { sender.send(1).is_ok() });
                let received = timeout(Duration::from_secs(1), receiver).await.is_ok();
                (received, task.await.unwrap())
            });
            seen.lock().unwrap().insert(outcome);
        });
        assert_eq!(report.verdict, Verdict::Holds, "{report}");
        seen.into_inner().unwrap()
    };
    assert_eq!(program(false), set([(true, true)]));
    // The message may be sent and not be received.
    assert_eq!(program(true), set([(true, true), (false, true), (false, false)]));
}

#[test]
fn select_in_a_loop_loses_nothing() {
    let (seen, n) = outcomes(|| async {
        let (a, mut from_a) = mpsc::channel(1);
        let (b, mut from_b) = mpsc::channel(1);
        spawn(async move { a.send(1).await.unwrap() });
        spawn(async move { b.send(2).await.unwrap() });
        let mut all = Vec::new();
        loop {
            select! {
                biased;
                Some(i) = from_a.recv() => all.push(i),
                Some(i) = from_b.recv() => all.push(i),
                else => return all,
            }
        }
    });
    println!("{n} executions");
    assert_eq!(seen, set([vec![1, 2], vec![2, 1]]));
}

#[test]
fn tasks_of_one_thread_are_polled_one_at_a_time() {
    let program = |builder: fn() -> Builder| {
        Checker::new().quiet(true).run(|| {
            let n = Arc::new(mazurka::sync::atomic::AtomicU32::new(0));
            let add = |n: Arc<mazurka::sync::atomic::AtomicU32>| async move {
                let before = n.load(SeqCst);
                n.store(before + 1, SeqCst);
            };
            builder().build().unwrap().block_on(async {
                let task = spawn(add(Arc::clone(&n)));
                add(Arc::clone(&n)).await;
                task.await.unwrap();
            });
            assert_eq!(n.load(SeqCst), 2);
        })
    };
    assert_eq!(program(Builder::new_multi_thread).verdict, Verdict::Violated);
    let report = program(Builder::new_current_thread);
    assert_eq!(report.verdict, Verdict::Holds, "{report}");
}

#[test]
fn code_that_blocks_has_a_thread() {
    let (seen, _) = outcomes(|| async {
        let (sender, mut receiver) = mpsc::channel(1);
        let thread = spawn_blocking(move || sender.blocking_send(1).is_ok());
        let (received, sent) = join!(receiver.recv(), thread);
        (received, sent.unwrap())
    });
    assert_eq!(seen, set([(Some(1), true)]));
}

#[test]
fn everything_works_outside_a_check() {
    for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
        builder.build().unwrap().block_on(async {
            let start = Instant::now();
            let (sender, mut receiver) = mpsc::channel(2);
            let tasks: Vec<_> = (0..4)
                .map(|i| {
                    let sender = sender.clone();
                    spawn(async move {
                        sleep(Duration::from_millis(i)).await;
                        sender.send(i).await.unwrap();
                    })
                })
                .collect();
            drop(sender);
            let mut sum = 0;
            while let Some(i) = receiver.recv().await {
                sum += i;
            }
            assert_eq!(sum, 6);
            for task in tasks {
                task.await.unwrap();
            }
            let forever = spawn(std::future::pending::<()>());
            forever.abort();
            assert!(forever.await.unwrap_err().is_cancelled());
            assert!(
                timeout(Duration::from_millis(1), std::future::pending::<()>())
                    .await
                    .is_err()
            );
            spawn(std::future::pending::<()>());
            assert!(start.elapsed() >= Duration::from_millis(3));
        });
    }
}
