//! What mazurka costs: by memory model, by the length of an execution, and outside a check beside std.
//!
//! What is compared is measured in turns, and the best of them counts.

use mazurka::{Checker, Memory, Report, thread};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::Instant;

/// Runs all parts.
pub(crate) fn run(quick: bool) {
    let turns = if quick { 2 } else { 5 };
    memory(turns, if quick { 4 } else { 6 });
    let lengths: &[usize] = if quick { &[1_000] } else { &[1_000, 5_000, 19_000] };
    length(turns, lengths);
    outside(turns * 3, if quick { 1_000 } else { 1_000_000 });
}

/// The least time of each, in seconds.
fn least<const N: usize>(turns: u32, mut runs: [Box<dyn FnMut() + '_>; N]) -> [f64; N] {
    let mut least = [f64::INFINITY; N];
    for _ in 0..turns {
        for (run, least) in runs.iter_mut().zip(&mut least) {
            let start = Instant::now();
            run();
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    least
}

fn check(memory: Memory, program: impl Fn()) -> Report {
    Checker::new().memory(memory).quiet(true).run(program)
}

/// Threads that do this.
fn threads(n: usize, body: impl Fn(usize) + Clone + Send + 'static) {
    let start = |i| {
        let body = body.clone();
        thread::spawn(move || body(i))
    };
    let threads: Vec<_> = (0..n).map(start).collect();
    threads.into_iter().for_each(|t| t.join().expect("it does not panic"));
}

/// Programs with locks and sequentially consistent atomics only: weak memory must not cost them anything.
fn memory(turns: u32, n: usize) {
    use mazurka::sync::Mutex;
    use mazurka::sync::atomic::AtomicUsize;

    fn locks(n: usize) {
        let count = Arc::new(Mutex::new(0));
        threads(n, move |_| *count.lock().expect("no poison") += 1);
    }
    fn updates(n: usize) {
        let count = Arc::new(AtomicUsize::new(0));
        threads(n, move |_| _ = count.fetch_add(1, SeqCst));
    }
    fn readers(n: usize) {
        let value = Arc::new(AtomicUsize::new(0));
        let shared = Arc::clone(&value);
        threads(n, move |i| match i {
            0 => value.store(1, SeqCst),
            _ => _ = shared.load(SeqCst),
        });
    }
    println!("time with weak memory, by that without (locks and SeqCst only)");
    println!("{:26} {:>10} {:>10} {:>8}", "program", "executions", "µs each", "ratio");
    for (name, n, program) in [
        ("a mutex", n, locks as fn(usize)),
        ("an atomic, updated", n, updates),
        ("an atomic, read", n + 3, readers),
    ] {
        let executions = check(Memory::Rc11, || program(n)).executions;
        let [weak, strict] = least(
            turns,
            [
                Box::new(|| _ = check(Memory::Rc11, || program(n))),
                Box::new(|| _ = check(Memory::SequentiallyConsistent, || program(n))),
            ],
        );
        let each = weak * 1e6 / executions as f64;
        println!(
            "{:26} {executions:>10} {each:>10.2} {:>8.2}",
            format!("{name}, {n}"),
            weak / strict
        );
    }
    println!();
}

/// One execution of two threads, so long: the time for each step.
fn length(turns: u32, lengths: &[usize]) {
    use mazurka::sync::Mutex;
    use mazurka::sync::atomic::AtomicUsize;
    type Program = fn(usize);

    fn locks(n: usize) {
        threads(2, move |_| {
            let own = Mutex::new(0);
            (0..n / 2).for_each(|_| *own.lock().expect("no poison") += 1);
        });
    }
    fn shared(n: usize) {
        let count = Arc::new(Mutex::new(0));
        threads(2, move |_| {
            (0..n / 2).for_each(|_| *count.lock().expect("no poison") += 1)
        });
    }
    fn updates(n: usize) {
        let count = Arc::new(AtomicUsize::new(0));
        threads(2, move |_| (0..n / 2).for_each(|_| _ = count.fetch_add(1, SeqCst)));
    }
    fn relaxed(n: usize) {
        threads(2, move |_| {
            let own = AtomicUsize::new(0);
            (0..n / 4).for_each(|_| own.store(own.load(Relaxed) + 1, Relaxed));
        });
    }
    fn relaxed_updates(n: usize) {
        let count = Arc::new(AtomicUsize::new(0));
        threads(2, move |_| (0..n / 2).for_each(|_| _ = count.fetch_add(1, Relaxed)));
    }
    println!(
        "µs for a step of an execution, by its length (one execution, run several times to see whether it is deterministic)"
    );
    print!("{:26}", "program");
    lengths.iter().for_each(|n| print!(" {n:>10}"));
    println!();
    for (name, program) in [
        ("own mutexes", locks as Program),
        ("one mutex", shared),
        ("one atomic, SeqCst", updates),
        ("own atomics, Relaxed", relaxed),
        ("one atomic, Relaxed", relaxed_updates),
    ] {
        print!("{name:26}");
        for &n in lengths {
            if n > 1_000 && name == "one atomic, Relaxed" {
                // The cost of a step grows with the length here.
                print!(" {:>10}", "-");
                continue;
            }
            let steps = std::cell::Cell::new(0);
            let [time] = least(
                turns.min(3),
                [Box::new(|| {
                    let report = Checker::new().max_executions(1).quiet(true).run(|| program(n));
                    steps.set(report.transitions);
                })],
            );
            print!(
                " {:>10.2}",
                time * 1e6 / f64::from(u32::try_from(steps.get()).expect("a short execution"))
            );
        }
        println!();
    }
    println!();
}

/// Operations outside a check, and sizes, beside std.
fn outside(turns: u32, n: u64) {
    println!("ns for an operation outside a check, and bytes");
    println!(
        "{:26} {:>8} {:>8} {:>8}   {:>5} {:>5}",
        "operation", "std", "mazurka", "ratio", "std", "here"
    );
    macro_rules! compare {
        ($name:literal, $make:ident :: $type:ident ($($value:expr)?), |$object:ident| $operation:expr) => {
            let (theirs, ours) = (std::$make::$type::new($($value)?), mazurka::$make::$type::new($($value)?));
            compare!(@measure $name, theirs, ours, |$object| $operation);
        };
        ($name:literal, atomic $type:ident ($value:expr), |$object:ident| $operation:expr) => {
            let (theirs, ours) = (std::sync::atomic::$type::new($value), mazurka::sync::atomic::$type::new($value));
            compare!(@measure $name, theirs, ours, |$object| $operation);
        };
        (@measure $name:literal, $theirs:ident, $ours:ident, |$object:ident| $operation:expr) => {
            let sizes = [size_of_val(&$theirs), size_of_val(&$ours)];
            let [theirs, ours] = least(turns, [
                Box::new(|| (0..n).for_each(|_| { let $object = black_box(&$theirs); black_box($operation); })),
                Box::new(|| (0..n).for_each(|_| { let $object = black_box(&$ours); black_box($operation); })),
            ]);
            let [theirs, ours] = [theirs, ours].map(|t| t * 1e9 / n as f64);
            println!("{:26} {theirs:>8.2} {ours:>8.2} {:>8.2}   {:>5} {:>5}", $name, ours / theirs, sizes[0], sizes[1]);
        };
    }
    compare!("AtomicU8::load", atomic AtomicU8(0), |a| a.load(SeqCst));
    compare!("AtomicU8::store, Relaxed", atomic AtomicU8(0), |a| a.store(1, Relaxed));
    compare!("AtomicUsize::fetch_add", atomic AtomicUsize(0), |a| a.fetch_add(1, SeqCst));
    compare!("Mutex::lock", sync::Mutex(0_u64), |m| *m.lock().expect("no poison") +=
        1);
    compare!("RwLock::read", sync::RwLock(0_u64), |l| *l.read().expect("no poison"));
    compare!("OnceLock::get_or_init", sync::OnceLock(), |o| *o.get_or_init(|| 1_u64));
    compare!("Arc::clone", sync::Arc(0_u64), |a| std::clone::Clone::clone(a));
    compare!("Condvar::notify_one", sync::Condvar(), |c| c.notify_one());
}
