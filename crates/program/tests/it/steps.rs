//! The steps of a report have the values that operations have read and written.

use mazurka::sync::atomic::{AtomicBool, AtomicI8, AtomicPtr, AtomicU32, Ordering};
use mazurka::sync::mpsc;
use mazurka::{Checker, Memory, thread};

/// What the steps of a failing program are.
fn steps(checker: Checker, program: impl Fn()) -> Vec<String> {
    let report = checker.run(|| {
        program();
        panic!("here");
    });
    report.violations[0]
        .steps
        .iter()
        .map(|step| step.what.clone())
        .collect()
}

fn values(order: Ordering) {
    let (load, store) = match order {
        Ordering::AcqRel => (Ordering::Acquire, Ordering::Release),
        other => (other, other),
    };
    let n = AtomicI8::new(-7);
    n.load(load);
    n.store(3, store);
    n.swap(4, order);
    n.fetch_add(-5, order);
    n.fetch_max(-9, order);
    let _ = n.compare_exchange(8, 9, order, load);
    let _ = n.compare_exchange(-1, 100, order, load);
    let flag = AtomicBool::new(false);
    flag.fetch_or(true, order);
    let (mut one, mut two) = (1, 2);
    let pointer = AtomicPtr::new(std::ptr::null_mut());
    pointer.load(load);
    pointer.store(&raw mut two, store);
    pointer.swap(&raw mut one, order);
    pointer.load(load);
}

const EXPECTED: [&str; 12] = [
    "load Atomic 1 = -7",
    "store Atomic 1 = 3",
    "update Atomic 1: 3 to 4",
    "update Atomic 1: 4 to -1",
    "update Atomic 1: -1 as before",
    "update Atomic 1 fails: -1, not 8",
    "update Atomic 1: -1 to 100",
    "update Atomic 2: false to true",
    "load Atomic 3 = null",
    "store Atomic 3 = pointer 1",
    "update Atomic 3: pointer 1 to pointer 2",
    "load Atomic 3 = pointer 2",
];

#[test]
fn operations_on_atomics_show_values() {
    assert_eq!(steps(Checker::new(), || values(Ordering::SeqCst)), EXPECTED);
    let weak = || values(Ordering::AcqRel);
    assert_eq!(steps(Checker::new(), weak), EXPECTED);
    let strong = Checker::new().memory(Memory::SequentiallyConsistent);
    assert_eq!(steps(strong, weak), EXPECTED);
}

#[test]
fn an_exchange_that_fails_for_no_reason_shows_what_it_found() {
    let report = Checker::new().run(|| {
        let n = AtomicU32::new(5);
        let exchanged = n.compare_exchange_weak(5, 6, Ordering::Relaxed, Ordering::Relaxed);
        assert_eq!(exchanged, Ok(5));
    });
    assert_eq!(report.violations[0].steps[0].what, "update Atomic 1 fails at 5");
}

#[test]
fn messages_have_numbers() {
    let seen = steps(Checker::new(), || {
        let (sender, receiver) = mpsc::channel();
        sender.send('a').unwrap();
        sender.send('b').unwrap();
        receiver.recv().unwrap();
        receiver.try_recv().unwrap();
        receiver.try_recv().unwrap_err();
    });
    let expected = [
        "send channel 1, message 1",
        "send channel 1, message 2",
        "recv channel 1, message 1",
        "try_recv: received channel 1, message 2",
        "try_recv: empty channel 1",
    ];
    assert!(expected.iter().all(|step| seen.iter().any(|s| s == step)), "{seen:#?}");
}

#[test]
fn whether_a_thread_has_ended_is_shown() {
    let report = Checker::new().run(|| {
        let t = thread::spawn(|| ());
        assert!(!t.is_finished());
    });
    let steps = &report.violations[0].steps;
    assert!(
        steps.iter().any(|step| step.what == "is_finished thread 1 = true"),
        "{report}"
    );
}
