//! What a token survives, and what it says when it does not fit.

use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, Mutex};
use mazurka::{Checker, Doubt, Report, Verdict, choose, thread};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs on an OS thread of its own, as tests do.
fn apart<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|s| s.spawn(f).join().unwrap())
}

fn loses_an_update() {
    let n = Arc::new(AtomicU32::new(0));
    let m = Arc::clone(&n);
    let t = thread::spawn(move || m.store(m.load(SeqCst) + 1, SeqCst));
    n.store(n.load(SeqCst) + 1, SeqCst);
    t.join().unwrap();
    assert_eq!(n.load(SeqCst), 2);
}

fn token(report: &Report) -> String {
    report.violations[0].token.clone()
}

#[test]
fn a_token_does_not_depend_on_the_line_of_the_check() {
    let first = apart(|| token(&Checker::new().run(loses_an_update)));
    let later = apart(|| token(&Checker::new().run(loses_an_update)));
    assert_eq!(first, later);
    // The second check of a test has tokens of its own.
    let second = apart(|| {
        Checker::new().run(loses_an_update);
        token(&Checker::new().run(loses_an_update))
    });
    assert_ne!(first, second);
    let again = Checker::new().replay(&second).run(loses_an_update);
    assert_eq!((again.executions, again.verdict), (1, Verdict::Violated));
}

/// A program in which something was edited after the token was made.
#[derive(Clone, Copy, PartialEq)]
enum Edit {
    Nothing,
    /// Only what is asserted.
    Assertion,
    AnotherVerb,
    AnotherObject,
    OneMoreStep,
    OneStepLess,
    OneThreadLess,
    LockedMeanwhile,
    FewerOutcomes,
}

fn edited(edit: Edit) -> impl Fn() {
    move || {
        let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0), Mutex::new(())));
        let other = Arc::clone(&shared);
        let (x, y, lock) = (&shared.0, &shared.1, &shared.2);
        // Objects are numbered when they are first used.
        _ = (x.load(SeqCst), y.load(SeqCst));
        drop(lock.lock());
        let held = (edit == Edit::LockedMeanwhile).then(|| lock.lock());
        let mut t = None;
        if edit != Edit::OneThreadLess {
            t = Some(thread::spawn(move || {
                match edit {
                    Edit::AnotherVerb => drop(other.0.swap(1, SeqCst)),
                    Edit::AnotherObject => other.1.store(1, SeqCst),
                    Edit::LockedMeanwhile => drop(other.2.lock()),
                    _ => other.0.store(1, SeqCst),
                }
                if edit == Edit::OneMoreStep {
                    other.1.store(1, SeqCst);
                }
                choose(if edit == Edit::FewerOutcomes { 1 } else { 2 }) == 1 && other.0.load(SeqCst) == 1
            }));
        }
        if edit != Edit::OneStepLess {
            y.load(SeqCst);
        }
        drop(held);
        let seen = t.map(|t| t.join().unwrap());
        assert!(seen != Some(true) || edit == Edit::Assertion, "too early");
    }
}

#[test]
fn a_token_says_where_the_program_has_changed() {
    let token = token(&Checker::new().run(edited(Edit::Nothing)));
    let note = |edit| {
        let report = Checker::new().replay(&token).quiet(true).run(edited(edit));
        assert!(report.violations.is_empty(), "{report}");
        assert_eq!(report.verdict, Verdict::Inconclusive(Doubt::Unexplored), "{report}");
        let check = || Checker::new().replay(&token).quiet(true).check(edited(edit));
        assert!(catch_unwind(AssertUnwindSafe(check)).is_err());
        let mut notes = report.notes.into_iter();
        let misfit = notes.find(|n| n.starts_with("the token does not fit")).unwrap();
        misfit.split(". The program").next().unwrap().to_owned()
    };
    let begins = |edit, expected: &str| {
        let note = note(edit);
        assert!(note.contains(expected), "{note}");
    };
    begins(Edit::AnotherVerb, "one of the steps 1 to 5 is not what it was");
    begins(Edit::AnotherObject, "one of the steps 1 to 5 is not what it was");
    begins(
        Edit::OneMoreStep,
        "at step 6 it expects `choose` of thread 1, and found `store Atomic 2` at crates",
    );
    begins(
        Edit::OneStepLess,
        "at step 6 it expects `choose` of thread 1, which has ended",
    );
    begins(Edit::OneThreadLess, "it expects 8 steps, and the execution has only 4");
    begins(
        Edit::LockedMeanwhile,
        "at step 6 it expects `choose` of thread 1, and found `lock Mutex 1` at crates",
    );
    begins(
        Edit::FewerOutcomes,
        "`choose` of thread 1 with another outcome than is possible now: found `choose` at",
    );
}

#[test]
fn an_execution_that_is_no_longer_wrong_is_accepted() {
    let report = Checker::new().run(edited(Edit::Nothing));
    Checker::new().replay(token(&report)).check(edited(Edit::Assertion));
    let again = Checker::new().replay(token(&report)).run(edited(Edit::Assertion));
    assert_eq!(again.verdict, Verdict::Inconclusive(Doubt::Replay), "{again}");
    assert_eq!(again.executions, 1);
}

/// Threads are numbered in the order in which the search has seen them started, which need not be that of the execution.
#[test]
fn threads_have_the_numbers_that_they_had() {
    let program = || {
        let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let (first, second) = (Arc::clone(&shared), Arc::clone(&shared));
        let parent = thread::spawn(move || {
            let early = first.0.load(SeqCst) == 0;
            early.then(|| thread::spawn(move || first.1.store(1, SeqCst)))
        });
        shared.0.store(1, SeqCst);
        let last = thread::spawn(move || assert_eq!(second.1.load(SeqCst), 0, "the child was first"));
        last.join().unwrap();
        let _ = parent.join().unwrap().map(thread::JoinHandle::join);
    };
    let report = Checker::new().run(program);
    let violation = &report.violations[0];
    assert!(violation.message.contains("the child was first"), "{report}");
    assert!(violation.message.starts_with("thread 2"), "{report}");
    let again = Checker::new().replay(&violation.token).run(program);
    assert_eq!(again.violations.first(), Some(violation), "{again}");
}

#[test]
fn a_broken_token_is_refused_with_its_reason() {
    let refused = |token: &str| {
        let check = || Checker::new().replay(token).run(loses_an_update);
        let panic = catch_unwind(AssertUnwindSafe(check)).unwrap_err();
        panic.downcast_ref::<String>().unwrap().clone()
    };
    assert!(refused("mz028d27010100").contains("an earlier version of mazurka has made it"));
    let mut token = token(&Checker::new().run(loses_an_update));
    token.pop();
    token.truncate(token.len() / 2);
    assert!(refused(&token).contains("some of it is missing"));
}

/// A token that belongs to another check is not followed, and that is said.
#[test]
fn a_token_of_another_check_is_not_silent() {
    let tried = Cell::new(0);
    let report = Checker::new().run(|| {
        tried.set(tried.get() + 1);
        loses_an_update();
    });
    if std::env::var_os("MAZURKA_REPLAY").is_some() {
        assert!(tried.get() > 2);
        return;
    }
    let mut other = token(&report);
    // The number of the check.
    let digit = if &other[6..7] == "0" { "1" } else { "0" };
    other.replace_range(6..7, digit);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tokens::a_token_of_another_check_is_not_silent"])
        .env("MAZURKA_REPLAY", &other)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("MAZURKA_REPLAY belongs to another check than the one at"),
        "{said}"
    );
}
