//! The primitives do what std's do, in a check and outside.

use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::sync::{Arc, LazyLock, Monitor, Mutex, Once, OnceLock, RwLock, Weak, mpsc};
use mazurka::thread;
use std::cell::{Cell, RefCell};
use std::time::Duration;

/// Runs a program as it is, and under every interleaving.
fn both(program: impl Fn()) {
    program();
    mazurka::check(program);
}

#[test]
fn threads() {
    both(|| {
        let t = thread::Builder::new()
            .name("named".into())
            .stack_size(1 << 20)
            .spawn(|| thread::current().name().map(str::to_owned))
            .unwrap();
        assert_eq!(t.thread().name(), Some("named"));
        assert_eq!(t.join().unwrap().as_deref(), Some("named"));
        let t = thread::spawn(thread::current);
        let id = t.thread().id();
        assert_eq!(t.join().unwrap().id(), id);
        assert_ne!(thread::current().id(), id);
        thread::yield_now();
        thread::sleep(Duration::from_millis(1));
    });
}

#[test]
fn parking() {
    both(|| {
        let main = thread::current();
        let t = thread::spawn(move || main.unpark());
        thread::park();
        t.join().unwrap();
        thread::current().unpark();
        thread::park();
        thread::park_timeout(Duration::from_millis(1));
    });
}

#[test]
fn scopes() {
    both(|| {
        let mut numbers = vec![1, 2, 3];
        let sum = thread::scope(|s| {
            let t = s.spawn(|| numbers.iter().sum::<i32>());
            s.spawn(|| assert_eq!(numbers.len(), 3));
            let nested = s.spawn(|| s.spawn(|| 7).join().unwrap());
            t.join().unwrap() + nested.join().unwrap()
        });
        numbers.push(sum);
        assert_eq!(numbers, [1, 2, 3, 13]);
    });
}

#[test]
fn a_scope_passes_panics_on() {
    let result = std::panic::catch_unwind(|| {
        thread::scope(|s| {
            s.spawn(|| panic!("in a thread"));
        });
    });
    assert!(result.is_err());
    let report = mazurka::Checker::new().all_violations(true).run(|| {
        let result = std::panic::catch_unwind(|| {
            thread::scope(|s| {
                s.spawn(|| panic!("in a thread"));
            });
        });
        assert!(result.is_err());
    });
    assert_eq!(report.violations.len(), 1, "{report}");
}

thread::thread_local! {
    static NUMBER: Cell<u32> = const { Cell::new(1) };
    static NAMES: RefCell<Vec<String>> = RefCell::new(vec!["first".to_owned()]);
}

#[test]
fn thread_locals() {
    both(|| {
        NUMBER.set(5);
        NAMES.with_borrow_mut(|n| n.push("second".into()));
        thread::spawn(|| {
            assert_eq!(NUMBER.get(), 1);
            assert_eq!(NAMES.with_borrow(Vec::len), 1);
        })
        .join()
        .unwrap();
        assert_eq!(NUMBER.get(), 5);
        NAMES.with(|n| n.borrow_mut().truncate(1));
    });
}

#[test]
fn locks() {
    both(|| {
        let mut m = Mutex::new(1);
        *m.get_mut().unwrap() = 2;
        {
            let guard = m.lock().unwrap();
            assert!(m.try_lock().is_err());
            assert_eq!(format!("{guard:?} {guard}"), "2 2");
        }
        assert_eq!(*m.try_lock().unwrap(), 2);
        assert_eq!(m.into_inner().unwrap(), 2);
        let l = RwLock::from(3);
        let (a, b) = (l.read().unwrap(), l.try_read().unwrap());
        assert!(l.try_write().is_err());
        assert_eq!(*a + *b, 6);
        drop((a, b));
        *l.try_write().unwrap() += 1;
        assert_eq!(l.into_inner().unwrap(), 4);
    });
}

#[test]
fn channels() {
    both(|| {
        let (tx, rx) = mpsc::channel();
        let tx2 = tx.clone();
        let t = thread::spawn(move || {
            for i in 0..2 {
                tx2.send(i).unwrap();
            }
        });
        drop(tx);
        assert_eq!(rx.iter().collect::<Vec<_>>(), [0, 1]);
        t.join().unwrap();
        assert_eq!(rx.try_recv(), Err(mpsc::TryRecvError::Disconnected));

        let (tx, rx) = mpsc::sync_channel(1);
        tx.send(1).unwrap();
        assert!(matches!(tx.try_send(2), Err(mpsc::TrySendError::Full(2))));
        assert_eq!(rx.try_recv(), Ok(1));
        assert_eq!(rx.try_recv(), Err(mpsc::TryRecvError::Empty));
        drop(rx);
        assert_eq!(tx.send(3), Err(mpsc::SendError(3)));

        let (tx, rx) = mpsc::sync_channel(0);
        let t = thread::spawn(move || tx.send("rendezvous").unwrap());
        assert_eq!(rx.recv(), Ok("rendezvous"));
        t.join().unwrap();
        assert_eq!(rx.recv(), Err(mpsc::RecvError));
    });
}

#[test]
fn one_time_initialisation() {
    both(|| {
        let cell = std::sync::Arc::new(OnceLock::new());
        let made = std::sync::Arc::new(AtomicU32::new(0));
        assert_eq!(cell.get(), None);
        let threads: Vec<_> = (0..2)
            .map(|i| {
                let (cell, made) = (cell.clone(), made.clone());
                thread::spawn(move || {
                    *cell.get_or_init(|| {
                        made.fetch_add(1, SeqCst);
                        i
                    })
                })
            })
            .collect();
        let values: Vec<u32> = threads.into_iter().map(|t| t.join().unwrap()).collect();
        assert_eq!(values[0], values[1]);
        assert_eq!(made.load(SeqCst), 1);
        assert!(cell.set(9).is_err());
        let lazy: LazyLock<u32> = LazyLock::new(|| 5);
        assert_eq!(*lazy + *lazy, 10);
        let once = Once::new();
        assert!(!once.is_completed());
        once.call_once(|| ());
        assert!(once.is_completed());
    });
}

#[test]
fn shared_ownership() {
    both(|| {
        let a = Arc::new(5);
        let weak: Weak<u32> = Arc::downgrade(&a);
        assert!(Arc::ptr_eq(&a, &weak.upgrade().unwrap()));
        assert_eq!(Arc::strong_count(&a), 1);
        assert_eq!(Arc::try_unwrap(a).unwrap(), 5);
        assert!(weak.upgrade().is_none());
    });
}

#[test]
fn monitors() {
    both(|| {
        let monitor = std::sync::Arc::new((Monitor::new(), AtomicU32::new(0)));
        let other = monitor.clone();
        let t = thread::spawn(move || {
            other.0.acquire();
            other.0.acquire();
            other.1.store(1, SeqCst);
            other.0.notify_all().unwrap();
            other.0.release().unwrap();
            other.0.release().unwrap();
        });
        monitor.0.acquire();
        while monitor.1.load(SeqCst) == 0 {
            monitor.0.wait().unwrap();
        }
        monitor.0.release().unwrap();
        assert!(monitor.0.notify().is_err());
        t.join().unwrap();
    });
}

#[test]
fn atomics() {
    both(|| {
        let x = AtomicU32::new(5);
        assert_eq!(x.fetch_add(2, SeqCst), 5);
        assert_eq!(x.fetch_max(3, SeqCst), 7);
        assert_eq!(x.swap(1, SeqCst), 7);
        assert_eq!(x.compare_exchange(0, 9, SeqCst, SeqCst), Err(1));
        assert_eq!(x.fetch_update(SeqCst, SeqCst, |v| Some(v + 1)), Ok(1));
        assert_eq!(x.into_inner(), 2);
    });
}

#[test]
fn atomics_have_all_that_std_has() {
    use mazurka::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8};
    use std::sync::atomic::Ordering::{AcqRel, Relaxed};

    mazurka::check(|| {
        let flag = AtomicBool::new(true);
        assert!(flag.fetch_not(AcqRel));
        assert!(!flag.load(Relaxed));

        let number = AtomicU8::new(250);
        assert_eq!(number.try_update(AcqRel, Relaxed, |n| n.checked_add(5)), Ok(250));
        assert_eq!(number.try_update(AcqRel, Relaxed, |n| n.checked_add(5)), Err(255));
        assert_eq!(number.update(AcqRel, Relaxed, |n| n - 1), 255);
        #[allow(deprecated)]
        let seen = (
            number.compare_and_swap(7, 8, AcqRel),
            number.compare_and_swap(254, 8, AcqRel),
        );
        assert_eq!(seen, (254, 254));
        assert_eq!((number.load(Relaxed), format!("{number:?}")), (8, "8".to_owned()));

        let mut values = [1_u16, 2, 3];
        let start = values.as_mut_ptr();
        let pointer = AtomicPtr::new(start);
        assert_eq!(pointer.fetch_ptr_add(2, AcqRel), start);
        assert_eq!(pointer.fetch_byte_sub(2, AcqRel), start.wrapping_add(2));
        assert_eq!(pointer.fetch_or(1, AcqRel), start.wrapping_add(1));
        assert_eq!(pointer.fetch_and(!1, AcqRel).addr(), start.wrapping_add(1).addr() | 1);
        assert_eq!(pointer.fetch_ptr_sub(1, AcqRel), start.wrapping_add(1));
        assert_eq!(pointer.load(Relaxed), start);
        assert_eq!(format!("{pointer:p}"), format!("{start:p}"));
    });
}
