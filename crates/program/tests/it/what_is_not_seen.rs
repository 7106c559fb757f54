//! A search that has not seen everything says so, and fails unless that was asked for.

use crate::verdicts::panics_with_a_lock;
use mazurka::sync::Mutex;
use mazurka::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use mazurka::{Checker, Strategy, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What `f` panics with.
fn panic_of(f: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(f)).err()?;
    Some(match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(_) => "a panic without a message".to_owned(),
    })
}

/// A loop that never ends, and that counts, so that it is never in the same state again.
fn counts_for_ever() {
    let a = AtomicUsize::new(0);
    let mut n = 0_usize;
    while a.load(SeqCst) == n / usize::MAX {
        n += 1;
        thread::yield_now();
    }
}

#[test]
fn a_check_fails_if_an_execution_was_cut() {
    let said = panic_of(|| mazurka::check(counts_for_ever)).expect("a search that is not complete");
    assert!(said.contains("not everything was seen"), "{said}");
    assert!(said.contains("livelock"), "{said}");
}

#[test]
fn a_bound_that_was_asked_for_is_no_failure() {
    Checker::new().max_depth(100).check(counts_for_ever);
    let two = || {
        let n = Arc::new(AtomicUsize::new(0));
        let m = Arc::clone(&n);
        let t = thread::spawn(move || m.fetch_add(1, SeqCst));
        n.fetch_add(1, SeqCst);
        t.join().unwrap();
    };
    Checker::new().max_executions(1).check(two);
    let random = Strategy::Random { seed: 1, executions: 3 };
    Checker::new().strategy(random.clone()).check(two);
    for (report, why) in [
        (Checker::new().max_depth(100).run(counts_for_ever), "100 steps"),
        (Checker::new().max_executions(1).run(two), "1 execution was run"),
        (Checker::new().strategy(random).run(two), "the strategy"),
    ] {
        assert!(!report.complete, "{report}");
        assert!(
            report
                .notes
                .iter()
                .any(|n| n.starts_with("not complete") && n.contains(why)),
            "{report}"
        );
    }
}

#[test]
fn a_check_fails_if_operations_were_not_interleaved() {
    let said = panic_of(|| {
        mazurka::check(panics_with_a_lock);
    });
    assert!(said.is_some_and(|said| said.contains("not interleaved")));
}

/// The notes say what many deadlocks cost.
#[test]
fn what_is_leaked_is_said() {
    let program = || {
        let lock = Mutex::new(0);
        let _choice = mazurka::choose(1200);
        let _first = lock.lock().unwrap();
        let _second = lock.lock().unwrap();
    };
    let leaks = |checker: Checker| {
        let report = checker.all_violations(true).run(program);
        assert_eq!(report.executions, 1200, "{report}");
        report.notes.iter().any(|n| n.contains("leaked"))
    };
    assert!(leaks(Checker::new()));
    assert!(!leaks(Checker::new().unwind(true)));
}

/// `n` threads that take a lock once have `n!` executions.
#[test]
fn the_number_of_executions_is_estimated() {
    let program = || {
        let lock = Arc::new(Mutex::new(0));
        let threads: Vec<_> = (0..6)
            .map(|_| {
                let lock = Arc::clone(&lock);
                thread::spawn(move || *lock.lock().unwrap() += 1)
            })
            .collect();
        for t in threads {
            t.join().unwrap();
        }
    };
    let all = Checker::new().run(program);
    assert_eq!((all.complete, all.estimate), (true, Some(720)), "{all}");
    let half = Checker::new().max_executions(360).run(program);
    let estimate = half.estimate.expect("this strategy knows how far it is");
    assert!((360..=1440).contains(&estimate), "{half}");
    assert!(half.to_string().contains(" left at this rate"), "{half}");
    let random = Strategy::Random { seed: 1, executions: 3 };
    assert_eq!(Checker::new().strategy(random).run(program).estimate, None);
}
