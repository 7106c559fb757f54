//! shuttle's names: that they mean what they mean there. Shuttle's own tests are run from elsewhere.

use mazurka_shuttle as shuttle;

use shuttle::rand::{Rng, RngCore, thread_rng};
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, ReplayScheduler, RoundRobinScheduler};
use shuttle::sync::atomic::{AtomicU32, Ordering::SeqCst};
use shuttle::sync::{Arc, Mutex};
use shuttle::{Config, MaxSteps, PortfolioRunner, Runner, thread};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex as Plain;

/// Two threads that add, without a lock.
fn loses_an_update() {
    let n = Arc::new(AtomicU32::new(0));
    let add = |n: &AtomicU32| n.store(n.load(SeqCst) + 1, SeqCst);
    let other = Arc::clone(&n);
    let thread = thread::spawn(move || add(&other));
    add(&n);
    thread.join().unwrap();
    assert_eq!(n.load(SeqCst), 2, "lost");
}

/// What a run panics with.
fn failure(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it should fail");
    panic.downcast_ref::<String>().expect("a report").clone()
}

#[test]
fn every_scheduler_finds_it_and_the_token_finds_it_again() {
    let reports = [
        failure(|| shuttle::check(loses_an_update)),
        failure(|| shuttle::check_dfs(loses_an_update, None)),
        failure(|| shuttle::check_random(loses_an_update, 1000)),
        failure(|| shuttle::check_random_with_seed(loses_an_update, 7, 1000)),
        failure(|| shuttle::check_urw(loses_an_update, 1000)),
        failure(|| shuttle::check_pct(loses_an_update, 1000, 3)),
        failure(|| shuttle::check_uncontrolled_nondeterminism(loses_an_update, 1000)),
    ];
    for report in &reports {
        assert!(report.contains("lost"), "{report}");
        let token = report
            .split("MAZURKA_REPLAY=")
            .nth(1)
            .and_then(|rest| rest.split_whitespace().next());
        let again = failure(|| shuttle::replay(loses_an_update, token.expect("a token")));
        assert!(again.contains("lost"), "{again}");
    }
}

#[test]
fn a_runner_counts_executions() {
    let test = || {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || *other.lock().unwrap() += 1);
        *lock.lock().unwrap() += 1;
        thread.join().unwrap();
    };
    assert_eq!(Runner::new(RandomScheduler::new(5), Config::new()).run(test), 5);
    assert_eq!(Runner::new(PctScheduler::new(2, 5), Config::new()).run(test), 5);
    assert_eq!(Runner::new(DfsScheduler::new(None, false), Config::new()).run(test), 2);
    assert_eq!(Runner::new(RoundRobinScheduler::new(1), Config::new()).run(test), 1);
    let mut portfolio = PortfolioRunner::new(true, Config::default());
    portfolio.add(RandomScheduler::new(2));
    portfolio.add(DfsScheduler::new(Some(1), false));
    portfolio.run(test);
    assert!(ReplayScheduler::new_from_file("/does/not/exist").is_err());
}

#[test]
fn too_many_steps_are_a_failure_or_the_end() {
    let test = || (0..100).for_each(|n| _ = AtomicU32::new(n).load(SeqCst));
    let mut config = Config::new();
    config.max_steps = MaxSteps::FailAfter(10);
    let report = failure(|| _ = Runner::new(RandomScheduler::new(1), config.clone()).run(test));
    assert!(report.contains("exceeded max_steps bound 10"), "{report}");
    config.max_steps = MaxSteps::ContinueAfter(10);
    assert_eq!(Runner::new(RandomScheduler::new(1), config).run(test), 1);
}

#[test]
fn small_numbers_are_tried_and_others_are_the_same_each_time() {
    let (small, large) = (Plain::new(BTreeSet::new()), Plain::new(BTreeSet::new()));
    shuttle::check_dfs(
        || {
            let mut random = thread_rng();
            let seen = (random.gen_range(-1..=1), random.gen_bool(0.5), random.r#gen::<bool>());
            small.lock().unwrap().insert(seen);
            let seen = (
                random.gen_range(0..1_000_000_u32),
                random.next_u64(),
                random.r#gen::<i8>(),
            );
            large.lock().unwrap().insert(seen);
            assert!((0.0..1.0).contains(&random.r#gen::<f64>()) && random.gen_ratio(1, 1));
        },
        None,
    );
    assert_eq!((small.lock().unwrap().len(), large.lock().unwrap().len()), (12, 1));
    let widest = Plain::new(BTreeSet::new());
    shuttle::check_dfs(
        || {
            _ = widest
                .lock()
                .unwrap()
                .insert(thread_rng().gen_range(i64::MIN..=i64::MAX))
        },
        None,
    );
    assert_eq!(widest.lock().unwrap().len(), 1);
}

#[test]
fn lazy_values_and_locals() {
    shuttle::lazy_static! {
        static ref LIST: Mutex<Vec<u32>> = Mutex::new(vec![1]);
    }
    shuttle::thread_local! {
        static MINE: std::cell::Cell<u32> = const { std::cell::Cell::new(1) };
    }
    shuttle::check_dfs(
        || {
            shuttle::lazy_static::initialize(&LIST);
            let thread = thread::spawn(|| LIST.lock().unwrap().push(MINE.replace(2)));
            LIST.lock().unwrap().push(MINE.get());
            thread.join().unwrap();
            assert_eq!(*LIST.lock().unwrap(), [1, 1, 1]);
            assert_ne!(
                thread::spawn(shuttle::current::me).join().unwrap(),
                shuttle::current::me()
            );
        },
        None,
    );
}

#[test]
fn large_random_numbers_differ_between_random_executions_and_are_replayed() {
    let seen = Plain::new(BTreeSet::new());
    shuttle::check_random(|| _ = seen.lock().unwrap().insert(thread_rng().next_u64()), 100);
    assert!(seen.lock().unwrap().len() > 90);
    let found = Plain::new(Vec::new());
    let divisible = || {
        let n = thread_rng().next_u64();
        if n % 7 == 3 {
            found.lock().unwrap().push(n);
            panic!("three");
        }
    };
    let report = failure(|| shuttle::check_random(divisible, 1000));
    let token = report
        .split("MAZURKA_REPLAY=")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    let last = *found.lock().unwrap().last().unwrap();
    assert!(failure(|| shuttle::replay(divisible, token)).contains("three"));
    assert_eq!(found.lock().unwrap().last(), Some(&last));
    let tried = failure(|| shuttle::check_dfs(|| assert_eq!(thread_rng().next_u64(), 0), None));
    let token = tried
        .split("MAZURKA_REPLAY=")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    assert!(failure(|| shuttle::replay(|| assert_eq!(thread_rng().next_u64(), 0), token)).contains("assertion"));
}
