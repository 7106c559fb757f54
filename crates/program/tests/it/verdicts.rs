//! What a report says about its own strength: for each way in which a search can end, the verdict, the end, and whether
//! `check` accepts it.

use mazurka::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, Mutex};
use mazurka::{Checker, Doubt, End, Limit, Report, Strategy, Verdict, thread};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Two threads count to four.
fn count() {
    let n = Arc::new(AtomicU32::new(0));
    let m = Arc::clone(&n);
    let t = thread::spawn(move || {
        m.fetch_add(1, SeqCst);
        m.fetch_add(1, SeqCst);
    });
    n.fetch_add(1, SeqCst);
    n.fetch_add(1, SeqCst);
    t.join().unwrap();
    assert_eq!(n.load(SeqCst), 4);
}

/// Two threads take two locks in different orders.
fn deadlock() {
    let locks = Arc::new((Mutex::new(()), Mutex::new(())));
    let other = Arc::clone(&locks);
    let t = thread::spawn(move || {
        let _first = other.0.lock().unwrap();
        let _second = other.1.lock().unwrap();
    });
    let first = locks.1.lock().unwrap();
    let second = locks.0.lock().unwrap();
    drop((first, second));
    t.join().unwrap();
}

/// In a frame of its own, so that the count does not stay in that of the loop.
#[inline(never)]
fn gave_up(turns: &Cell<u32>) -> bool {
    turns.set(turns.get() + 1);
    turns.get() == 20
}

/// A loop that seems to wait, but counts its turns on the heap and gives up.
pub fn gives_up() {
    let flag = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&flag);
    let t = thread::spawn(move || other.store(true, SeqCst));
    let turns = Box::new(Cell::new(0));
    while !flag.load(SeqCst) {
        if gave_up(&turns) {
            break;
        }
        thread::yield_now();
    }
    t.join().unwrap();
}

/// A guard is dropped while its thread panics, and another thread can see that.
pub fn panics_with_a_lock() {
    let lock = Arc::new(Mutex::new(0));
    let other = Arc::clone(&lock);
    let t = thread::spawn(move || {
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let _guard = other.lock().unwrap();
            panic!("while it is held");
        }));
    });
    let _ = lock.is_poisoned();
    t.join().unwrap();
}

fn checker() -> Checker {
    Checker::new().quiet(true)
}

/// Runs a check both ways, and compares the report with what is expected of it.
fn expect(checker: Checker, program: fn(), verdict: Verdict, end: End, accepted: bool) -> Report {
    let report = checker.run(program);
    assert_eq!((report.verdict, report.end), (verdict, end), "{report}");
    consistent(&report);
    let checked = catch_unwind(AssertUnwindSafe(|| checker.check(program)));
    assert_eq!(checked.is_ok(), accepted, "{report}");
    report
}

/// The parts of a report agree with each other.
fn consistent(report: &Report) {
    assert_eq!(report.complete, report.end == End::Complete, "{report}");
    assert_eq!(
        report.verdict == Verdict::Violated,
        !report.violations.is_empty(),
        "{report}"
    );
    assert_eq!(
        report.verdict == Verdict::Holds,
        report.complete && report.violations.is_empty(),
        "{report}"
    );
    if !report.verdict.is_conclusive() {
        let reason = report.notes.iter().find(|n| n.starts_with("not complete: "));
        assert!(reason.is_some(), "{report}");
    }
}

fn doubtful(doubt: Doubt) -> Verdict {
    Verdict::Inconclusive(doubt)
}

#[test]
fn a_complete_search_without_violations_holds() {
    for strategy in [
        Strategy::Optimal,
        Strategy::SourceSets,
        Strategy::Selective,
        Strategy::Exhaustive,
        Strategy::PreemptionBound(10),
    ] {
        expect(checker().strategy(strategy), count, Verdict::Holds, End::Complete, true);
    }
}

#[test]
fn a_violation_stops_a_search_unless_all_are_wanted() {
    expect(checker(), deadlock, Verdict::Violated, End::Stopped, false);
    let all = checker().all_violations(true);
    let report = expect(all, deadlock, Verdict::Violated, End::Complete, false);
    assert!(report.complete);
    let strategy = Strategy::Random {
        seed: 1,
        executions: 100,
    };
    let sampled = checker().all_violations(true).strategy(strategy);
    expect(sampled, deadlock, Verdict::Violated, End::Stopped, false);
}

#[test]
fn a_bound_that_was_asked_for_leaves_a_doubt_and_is_accepted() {
    for (checker, limit) in [
        (checker().max_executions(1), Limit::Executions),
        (checker().max_duration(Duration::ZERO), Limit::Time),
        (checker().max_depth(1), Limit::Depth),
        (checker().strategy(Strategy::PreemptionBound(0)), Limit::Preemptions),
    ] {
        expect(checker, count, doubtful(Doubt::Limit(limit)), End::Limit(limit), true);
    }
}

#[test]
fn a_bound_as_long_as_can_be_is_none() {
    let report = checker().max_duration(Duration::MAX).run(count);
    assert_eq!(report.verdict, Verdict::Holds);
}

#[test]
fn a_sample_proves_nothing_and_is_accepted() {
    for strategy in [
        Strategy::Random { seed: 1, executions: 9 },
        Strategy::Pct {
            seed: 1,
            executions: 9,
            depth: 2,
        },
    ] {
        let sampled = checker().strategy(strategy);
        expect(sampled, count, doubtful(Doubt::Sample), End::Stopped, true);
    }
}

#[test]
fn an_execution_that_is_run_again_proves_nothing_more() {
    let token = checker().run(deadlock).violations[0].token.clone();
    let again = checker().replay(token.clone());
    expect(again, deadlock, Verdict::Violated, End::Stopped, false);
    // The token of another program, which does nothing wrong.
    expect(
        checker().replay(token),
        count,
        doubtful(Doubt::Replay),
        End::Stopped,
        true,
    );
}

#[test]
fn an_execution_without_end_is_a_doubt_that_nobody_asked_for() {
    let endless = || {
        let n = AtomicU32::new(0);
        loop {
            n.fetch_add(1, SeqCst);
        }
    };
    let depth = Limit::Depth;
    expect(
        checker(),
        endless,
        doubtful(Doubt::Limit(depth)),
        End::Limit(depth),
        false,
    );
}

#[test]
fn what_could_not_be_explored_is_a_doubt_that_nobody_asked_for() {
    let unexplored = doubtful(Doubt::Unexplored);
    expect(checker(), panics_with_a_lock, unexplored, End::Stopped, false);
}

#[test]
fn a_value_that_outlives_executions_is_a_doubt_even_within_a_bound() {
    let kept = AtomicU32::new(0);
    let program = || {
        mazurka::choose(3);
        kept.store(1, SeqCst);
    };
    for checker in [checker(), checker().max_executions(2)] {
        let report = checker.run(program);
        assert_eq!(report.verdict, doubtful(Doubt::Uncontrolled), "{report}");
        consistent(&report);
        assert!(catch_unwind(AssertUnwindSafe(|| checker.check(program))).is_err());
    }
}
