//! Reports name what is not under control.

use mazurka::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use mazurka::sync::{Mutex, mpsc};
use mazurka::{Checker, Report, ViolationKind, thread};
use std::sync::Arc;
use std::time::Duration;

#[track_caller]
fn uncontrolled(report: &Report, part: &str) {
    assert_eq!(report.violations[0].kind, ViolationKind::Uncontrolled, "{report}");
    assert!(report.violations[0].message.contains(part), "{report}");
}

#[test]
#[cfg(target_os = "linux")]
fn threads_of_std_alone() {
    let report = Checker::new().run(|| {
        let n = Arc::new(std::sync::Mutex::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let n = Arc::clone(&n);
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(1));
                    *n.lock().unwrap() += 1;
                })
            })
            .collect();
        for t in threads {
            t.join().unwrap();
        }
        assert_eq!(*n.lock().unwrap(), 2);
    });
    uncontrolled(&report, "a thread, lock or channel of std");
}

/// Something that polls futures and parks its thread, as `block_on` of any executor does.
#[test]
#[cfg(target_os = "linux")]
fn another_executor() {
    use std::future::Future;
    use std::task::{Context, Poll, Wake, Waker};
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    fn block_on<F: Future>(future: F) -> F::Output {
        let mut future = std::pin::pin!(future);
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        loop {
            match future.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(value) => return value,
                Poll::Pending => std::thread::park(),
            }
        }
    }
    let report = Checker::new().run(|| {
        let mut polled = false;
        block_on(std::future::poll_fn(|context| {
            if std::mem::replace(&mut polled, true) {
                return Poll::Ready(());
            }
            let waker = context.waker().clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(1));
                waker.wake();
            });
            Poll::Pending
        }));
    });
    uncontrolled(&report, "another executor");
}

#[test]
fn a_thread_of_std_that_uses_what_is_under_control() {
    type Use = (&'static str, fn());
    let uses: [Use; 3] = [
        ("Mutex", || {
            let lock = Arc::new(Mutex::new(0));
            *lock.lock().unwrap() += 1;
            let other = Arc::clone(&lock);
            std::thread::spawn(move || *other.lock().unwrap() += 1).join().unwrap();
            assert_eq!(*lock.lock().unwrap(), 2);
        }),
        ("Atomic", || {
            let number = Arc::new(AtomicUsize::new(0));
            number.store(1, SeqCst);
            let other = Arc::clone(&number);
            std::thread::spawn(move || other.fetch_add(1, SeqCst)).join().unwrap();
        }),
        ("channel", || {
            let (sender, receiver) = mpsc::channel();
            sender.send(1).unwrap();
            std::thread::spawn(move || sender.send(2)).join().unwrap().unwrap();
            receiver.recv().unwrap();
        }),
    ];
    for (what, program) in uses {
        let report = Checker::new().run(program);
        assert_eq!(
            report.violations[0].kind,
            ViolationKind::Uncontrolled,
            "{what}: {report}"
        );
        assert!(report.violations[0].message.contains("control.rs:"), "{what}: {report}");
    }
}

/// Two checks of one process that run at the same time and use one static.
#[test]
fn a_static_of_two_checks() {
    static SHARED: AtomicUsize = AtomicUsize::new(0);
    let both = std::sync::Barrier::new(2);
    let check = || {
        let first = std::cell::Cell::new(true);
        Checker::new().run(|| {
            SHARED.load(SeqCst);
            if first.replace(false) {
                both.wait();
                SHARED.load(SeqCst);
                both.wait();
            }
            SHARED.load(SeqCst);
        })
    };
    let reports = std::thread::scope(|s| [s.spawn(check), s.spawn(check)].map(|t| t.join().unwrap()));
    let named = |r: &Report| {
        let mut messages = r.violations.iter().map(|v| &v.message);
        messages.any(|m| m.contains("another check that runs at the same time"))
    };
    assert!(reports.iter().any(named), "{} {}", reports[0], reports[1]);
}

#[test]
fn nothing_at_all_is_said() {
    let report = Checker::new().run(|| assert_eq!(1 + 1, 2));
    assert!(report.complete && report.violations.is_empty(), "{report}");
    assert!(
        report.notes.iter().any(|n| n.contains("nothing was under control")),
        "{report}"
    );
    // One thread with primitives is a program like any other.
    let report = Checker::new().run(|| drop(Mutex::new(0).lock()));
    assert!(report.complete && report.notes.is_empty(), "{report}");
    let report = Checker::new().run(|| drop(thread::spawn(|| ())));
    assert!(report.complete && report.notes.is_empty(), "{report}");
}

/// A random branch that shows in nothing else.
#[test]
fn a_branch_at_random_is_noticed() {
    let mut missed = 0;
    for seed in 0..40 {
        let random = std::cell::RefCell::new(Random(seed));
        let report = Checker::new().run(|| {
            let n = Arc::new(AtomicUsize::new(0));
            let m = Arc::clone(&n);
            let t = thread::spawn(move || m.fetch_add(1, SeqCst));
            if random.borrow_mut().next() {
                n.fetch_add(1, SeqCst);
            }
            t.join().unwrap();
        });
        missed += u32::from(report.violations.is_empty());
    }
    assert!(missed <= 1, "{missed} of 40");
}

/// Not a good generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> bool {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        self.0 >> 63 == 1
    }
}
