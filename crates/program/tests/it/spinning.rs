//! Loops that wait for another thread.

use mazurka::sync::Mutex;
use mazurka::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use mazurka::{Checker, Report, Strategy, ViolationKind, hint, thread};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All results of a program. All searches must agree on them.
fn outcomes<T: Ord + Clone + std::fmt::Debug>(program: impl Fn() -> T) -> (BTreeSet<T>, Report) {
    let search = |strategy: Strategy| {
        let seen = RefCell::new(BTreeSet::new());
        let report = Checker::new().strategy(strategy).all_violations(true).run(|| {
            let outcome = program();
            seen.borrow_mut().insert(outcome);
        });
        assert!(report.complete, "{report}");
        (seen.into_inner(), report)
    };
    let (all, report) = search(Strategy::Optimal);
    for strategy in [Strategy::Exhaustive, Strategy::SourceSets, Strategy::Selective] {
        let (these, other) = search(strategy.clone());
        assert_eq!(these, all, "{strategy:?}: {other}");
        assert_eq!(
            other.violations.is_empty(),
            report.violations.is_empty(),
            "{strategy:?}: {other} {report}"
        );
    }
    (all, report)
}

#[test]
fn a_loop_that_nobody_ends_waits_for_ever() {
    let report = Checker::new().run(|| {
        let a = AtomicUsize::new(0);
        while a.load(SeqCst) == 0 {
            thread::yield_now();
        }
    });
    assert_eq!(report.violations[0].kind, ViolationKind::Deadlock, "{report}");
    assert!(
        report.violations[0].message.contains("in a loop until Atomic 1"),
        "{report}"
    );
    assert!(
        report.notes.iter().any(|n| n.contains("came round to the same state")),
        "{report}"
    );
}

/// A counter on the heap is not part of the local state. But a loop that gives up is noticed when it is tried, and its turns are searched one
/// by one.
#[test]
fn a_loop_that_counts_on_the_heap_does_not_wait() {
    let report = Checker::new().run(crate::verdicts::gives_up);
    assert!(report.complete && report.violations.is_empty(), "{report}");
    // The flag is seen in one of twenty turns, or not at all.
    assert_eq!(report.executions, 21, "{report}");
    assert!(report.notes.iter().any(|n| n.contains("on the heap")), "{report}");
}

/// A counter on the stack is, however long it counts.
#[test]
fn a_loop_that_counts_for_long_does_not_wait() {
    let report = Checker::new().run(|| {
        let flag = AtomicBool::new(false);
        let mut turns = 0;
        while turns < 1500 && !flag.load(SeqCst) {
            turns += 1;
        }
    });
    assert!(report.complete && report.violations.is_empty(), "{report}");
    assert_eq!(report.depth, 1500);
}

#[test]
fn a_loop_that_somebody_ends_is_checked_to_the_end() {
    mazurka::check(|| {
        let ready = Arc::new((AtomicBool::new(false), AtomicUsize::new(0)));
        let other = Arc::clone(&ready);
        let t = thread::spawn(move || {
            other.1.store(7, SeqCst);
            other.0.store(true, SeqCst);
        });
        while !ready.0.load(SeqCst) {
            hint::spin_loop();
        }
        assert_eq!(ready.1.load(SeqCst), 7);
        t.join().unwrap();
    });
    // The flag is set before the value, and some execution shows that.
    let (values, report) = outcomes(|| {
        let ready = Arc::new((AtomicBool::new(false), AtomicUsize::new(0)));
        let other = Arc::clone(&ready);
        let t = thread::spawn(move || {
            other.0.store(true, SeqCst);
            other.1.store(7, SeqCst);
        });
        while !ready.0.load(SeqCst) {
            thread::yield_now();
        }
        let value = ready.1.load(SeqCst);
        t.join().unwrap();
        value
    });
    assert_eq!(values, BTreeSet::from([0, 7]));
    assert!(report.executions < 20, "{report}");
}

#[test]
fn a_spin_lock() {
    struct Spin(AtomicBool, AtomicUsize);
    impl Spin {
        fn add(&self) {
            while self.0.compare_exchange(false, true, SeqCst, SeqCst).is_err() {
                hint::spin_loop();
            }
            let value = self.1.load(SeqCst);
            self.1.store(value + 1, SeqCst);
            self.0.store(false, SeqCst);
        }
    }
    let (sums, _) = outcomes(|| {
        let lock = Arc::new(Spin(AtomicBool::new(false), AtomicUsize::new(0)));
        let other = Arc::clone(&lock);
        let t = thread::spawn(move || other.add());
        lock.add();
        t.join().unwrap();
        lock.1.load(SeqCst)
    });
    assert_eq!(sums, BTreeSet::from([2]));
}

/// A turn in which the thread yields several times and reads once.
#[test]
fn a_loop_with_a_pause() {
    let (_, report) = outcomes(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let t = thread::spawn(move || other.store(true, SeqCst));
        while !flag.load(SeqCst) {
            for _ in 0..4 {
                hint::spin_loop();
            }
        }
        t.join().unwrap();
    });
    assert!(report.violations.is_empty(), "{report}");
}

/// A loop that counts its turns is in another state each time, and may give up.
#[test]
fn a_loop_that_gives_up_is_not_taken_to_wait() {
    let (turns, _) = outcomes(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let t = thread::spawn(move || other.store(true, SeqCst));
        let mut turns = 0;
        while turns < 3 && !flag.load(SeqCst) {
            turns += 1;
            thread::yield_now();
        }
        t.join().unwrap();
        turns
    });
    assert_eq!(turns, BTreeSet::from([0, 1, 2, 3]));
}

/// Several values, of which the loop wants the last one.
#[test]
fn a_loop_that_sees_other_values_first() {
    let (last, _) = outcomes(|| {
        let stage = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&stage);
        let t = thread::spawn(move || {
            other.store(1, SeqCst);
            other.store(2, SeqCst);
        });
        let mut seen = BTreeSet::new();
        loop {
            let now = stage.load(SeqCst);
            seen.insert(now);
            if now == 2 {
                break;
            }
            thread::yield_now();
        }
        t.join().unwrap();
        seen
    });
    let sets = [&[0, 1, 2][..], &[0, 2], &[1, 2], &[2]];
    assert_eq!(last, sets.iter().map(|s| s.iter().copied().collect()).collect());
}

/// Two loops that wait for each other in turn, and a deadlock with a lock.
#[test]
fn threads_that_spin_and_threads_that_lock() {
    let (_, report) = outcomes(|| {
        let turn = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&turn);
        let t = thread::spawn(move || {
            while other.load(SeqCst) != 1 {
                thread::yield_now();
            }
            other.store(2, SeqCst);
        });
        turn.store(1, SeqCst);
        while turn.load(SeqCst) != 2 {
            thread::yield_now();
        }
        t.join().unwrap();
    });
    assert!(report.violations.is_empty(), "{report}");
    let (_, report) = outcomes(|| {
        let both = Arc::new((Mutex::new(()), AtomicBool::new(false)));
        let other = Arc::clone(&both);
        let t = thread::spawn(move || {
            let _held = other.0.lock().unwrap();
            other.1.store(true, SeqCst);
        });
        let held = both.0.lock().unwrap();
        while !both.1.load(SeqCst) {
            thread::yield_now();
        }
        drop(held);
        t.join().unwrap();
    });
    assert!(!report.violations.is_empty(), "{report}");
    assert!(
        report.violations.iter().all(|v| v.kind == ViolationKind::Deadlock),
        "{report}"
    );
}

/// What a thread of a random program does.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add(usize),
    Store(usize, usize),
    Load(usize),
    /// Spins until an atomic is at least this.
    Await(usize, usize),
    /// Spins until it could replace a value.
    Replace(usize, usize),
    /// Spins, but gives up after some turns.
    Try(usize, usize),
}

fn step(random: &mut fastrand::Rng) -> Step {
    let (cell, value) = (random.usize(..2), random.usize(..3));
    match random.u8(..7) {
        0 | 1 => Step::Add(cell),
        2 => Step::Store(cell, value),
        3 => Step::Load(cell),
        4 => Step::Await(cell, value),
        5 => Step::Replace(cell, value),
        _ => Step::Try(cell, value),
    }
}

fn perform(step: Step, cells: &[AtomicUsize; 2]) -> usize {
    match step {
        Step::Add(cell) => cells[cell].fetch_add(1, SeqCst),
        Step::Store(cell, value) => {
            cells[cell].store(value, SeqCst);
            0
        }
        Step::Load(cell) => cells[cell].load(SeqCst),
        Step::Await(cell, least) => loop {
            let value = cells[cell].load(SeqCst);
            if value >= least {
                return value;
            }
            thread::yield_now();
        },
        Step::Replace(cell, expected) => {
            while cells[cell]
                .compare_exchange(expected, expected + 1, SeqCst, SeqCst)
                .is_err()
            {
                hint::spin_loop();
            }
            0
        }
        Step::Try(cell, least) => {
            let mut turns = 0;
            while turns < 2 && cells[cell].load(SeqCst) < least {
                turns += 1;
                thread::yield_now();
            }
            turns
        }
    }
}

/// Everything that a random program can do, by every search: what each thread has seen, and whether some wait for ever.
#[test]
fn random_programs_that_spin() {
    let [compared, waiting] = [(); 2].map(|()| std::sync::atomic::AtomicUsize::new(0));
    mazurka_seeds::seeds(100, |seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        let threads = random.usize(2..4);
        let longest = if threads == 2 { 4 } else { 3 };
        let program: Vec<Vec<Step>> = (0..threads)
            .map(|_| (0..random.usize(1..longest)).map(|_| step(&mut random)).collect())
            .collect();
        let search = |strategy: Strategy| {
            let seen = RefCell::new(BTreeSet::new());
            let checker = Checker::new().strategy(strategy).all_violations(true).quiet(true);
            let checker = checker.unwind(true).max_executions(60_000);
            let report = checker.run(|| {
                let cells = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
                let threads: Vec<_> = program
                    .iter()
                    .map(|steps| {
                        let (cells, steps) = (Arc::clone(&cells), steps.clone());
                        thread::spawn(move || steps.iter().map(|s| perform(*s, &cells)).collect::<Vec<_>>())
                    })
                    .collect();
                let outcome: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
                seen.borrow_mut().insert(outcome);
            });
            assert!(
                report.violations.iter().all(|v| v.kind == ViolationKind::Deadlock),
                "{program:?} {report}"
            );
            let waits: BTreeSet<String> = report.violations.iter().map(|v| v.message.clone()).collect();
            (report.complete, seen.into_inner(), waits)
        };
        let (complete, seen, waits) = search(Strategy::Exhaustive);
        if !complete {
            return;
        }
        compared.fetch_add(1, SeqCst);
        waiting.fetch_add(usize::from(!waits.is_empty()), SeqCst);
        for strategy in [Strategy::Optimal, Strategy::SourceSets, Strategy::Selective] {
            let found = search(strategy.clone());
            assert_eq!(found, (true, seen.clone(), waits.clone()), "{strategy:?}: {program:?}");
        }
    });
    if !mazurka_seeds::are_chosen() {
        let [compared, waiting] = [compared, waiting].map(|n| n.load(SeqCst));
        assert!(
            waiting > 0 && compared > waiting,
            "{compared} were compared, {waiting} can wait for ever"
        );
    }
}

#[test]
fn a_loop_that_waits_for_what_is_not_controlled_ends_soon() {
    let report = Checker::new().run(|| {
        let flag = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let turn = Arc::new(AtomicUsize::new(0));
        let same = Arc::clone(&turn);
        thread::spawn(move || {
            same.fetch_add(1, SeqCst);
            other.store(true, SeqCst);
        });
        turn.fetch_add(1, SeqCst);
        while !flag.load(SeqCst) {
            thread::yield_now();
        }
    });
    assert_eq!(report.violations[0].kind, ViolationKind::Uncontrolled, "{report}");
    assert!(report.violations[0].message.contains("spinning.rs:"), "{report}");
}

#[test]
fn pauses_that_are_counted_end() {
    let report = Checker::new().run(|| {
        for _ in 0..150_000 {
            thread::yield_now();
        }
    });
    assert!(report.violations.is_empty() && report.complete, "{report}");
}

#[test]
fn few_preemptions_and_stale_reads_end() {
    use mazurka::sync::atomic::Ordering::{Acquire, Release};
    let seen = RefCell::new(BTreeSet::new());
    let report = Checker::new().strategy(Strategy::PreemptionBound(1)).run(|| {
        let flags = Arc::new((AtomicBool::new(false), AtomicBool::new(false)));
        let (mine, other) = (Arc::clone(&flags), Arc::clone(&flags));
        thread::spawn(move || mine.1.store(true, Release));
        let t = thread::spawn(move || {
            while !other.0.load(Acquire) {
                thread::yield_now();
            }
            other.1.load(Acquire)
        });
        flags.0.store(true, Release);
        seen.borrow_mut().insert(t.join().unwrap());
    });
    assert!(report.violations.is_empty() && report.depth < 100, "{report}");
    assert_eq!(seen.into_inner(), BTreeSet::from([false, true]), "{report}");
}
