//! The execution of a report is small, and its token runs just that one.

use crate::random::{Log, program, run};
use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, Mutex};
use mazurka::{Checker, Strategy, Violation, ViolationKind, thread};
use mazurka_seeds::seeds;
use std::sync::atomic::{AtomicU64, Ordering};

fn random(executions: u64) -> Checker {
    Checker::new().strategy(Strategy::Random { seed: 5, executions })
}

fn switches(violation: &Violation) -> usize {
    let pairs = violation.steps.windows(2);
    pairs.filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// Six threads lock what they do not need; two of them lose an update.
fn among_others() {
    let shared = Arc::new((AtomicU32::new(0), Mutex::new(0)));
    let threads: Vec<_> = (0..6)
        .map(|t| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                for _ in 0..4 {
                    *shared.1.lock().unwrap() += 1;
                }
                if t % 3 == 0 {
                    let n = shared.0.load(SeqCst);
                    shared.0.store(n + 1, SeqCst);
                    if t == 3 {
                        assert_eq!(shared.0.load(SeqCst), n + 1, "overwritten");
                    }
                }
            })
        })
        .collect();
    for t in threads {
        t.join().unwrap();
    }
}

#[test]
fn what_does_not_matter_is_left_out() {
    let report = random(1000).run(among_others);
    let [violation] = &report.violations[..] else {
        panic!("{report}")
    };
    assert!(violation.message.contains("overwritten"), "{report}");
    // Four threads need not run. The others lock four times each, load and store, and one of them loads again.
    assert_eq!(violation.steps.len(), 13, "{report}");
    assert!(switches(violation) <= 4, "{report}");
    let again = Checker::new().replay(&violation.token).run(among_others);
    assert_eq!(again.violations[0], *violation);
    // It is the same each time.
    assert_eq!(random(1000).run(among_others).violations[0].steps, violation.steps);
}

#[test]
fn a_search_counts_only_its_own_executions() {
    let report = Checker::new().max_executions(1).run(|| {
        let x = Arc::new(AtomicU32::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || y.store(1, SeqCst));
        x.load(SeqCst);
        panic!("always");
    });
    assert_eq!((report.executions, report.transitions), (1, 1), "{report}");
}

/// The kind and the place of a violation.
fn place(violation: &Violation) -> (ViolationKind, String) {
    let message = violation.message.split("panicked at ").last().unwrap();
    let place = match violation.kind {
        ViolationKind::Panic => message.split(": ").next().unwrap(),
        _ => message,
    };
    (violation.kind, place.to_owned())
}

/// A violation that is reported is one of those that a search finds which reports all of them as they are, and its token shows it.
#[test]
fn small_executions_show_the_same_violation() {
    let shown = AtomicU64::new(0);
    seeds(300, |seed| {
        let program = program(seed, 3, 3, true);
        let log = Log::default();
        let program = || run(&program, &log);
        let search = || {
            let walk = Strategy::Random { seed, executions: 20 };
            Checker::new().strategy(walk).unwind(true).quiet(true)
        };
        let report = search().run(program);
        let Some(violation) = report.violations.first() else {
            return;
        };
        let all = search().all_violations(true).run(program);
        let same = all.violations.iter().any(|other| place(other) == place(violation));
        assert!(same, "{report}\n{all}");
        let again = Checker::new()
            .replay(&violation.token)
            .unwind(true)
            .quiet(true)
            .run(program);
        let again = again.violations.first().unwrap_or_else(|| panic!("{report}\n{again}"));
        assert_eq!((&again.message, &again.steps), (&violation.message, &violation.steps));
        assert_eq!(again.token, violation.token);
        shown.fetch_add(1, Ordering::Relaxed);
    });
    println!("{} programs went wrong", shown.into_inner());
}
