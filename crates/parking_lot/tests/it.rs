//! parking_lot's names: that they mean what they mean there, inside a check and outside.

use mazurka::{Checker, ViolationKind, thread};
use mazurka_parking_lot::{
    Condvar, Mutex, MutexGuard, Once, OnceState, ReentrantMutex, RwLock, RwLockReadGuard, RwLockUpgradableReadGuard,
    RwLockWriteGuard, const_mutex,
};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// Runs a program in a check and outside.
fn both(program: impl Fn()) {
    mazurka::check(&program);
    program();
}

const SOON: Duration = Duration::from_millis(1);

#[test]
fn a_mutex_has_no_poison() {
    both(|| {
        let mutex = Mutex::new(1);
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let _guard = mutex.lock();
            std::panic::resume_unwind(Box::new(()));
        }));
        *mutex.lock() += 1;
        assert_eq!(mutex.into_inner(), 2);
    });
}

#[test]
fn a_mutex_protects() {
    static COUNT: Mutex<u32> = const_mutex(0);
    let report = Checker::new().run(|| {
        thread::scope(|s| {
            for _ in 0..2 {
                s.spawn(|| *COUNT.lock() += 1);
            }
        });
        assert_eq!(*COUNT.lock(), 2);
    });
    assert!(report.complete, "{report}");
    assert_eq!(report.executions, 2);
}

#[test]
fn a_lock_that_is_held_is_not_acquired() {
    both(|| {
        let mutex = Mutex::new(());
        let guard = mutex.lock();
        assert!(mutex.try_lock().is_none() && mutex.is_locked());
        assert!(mutex.try_lock_for(SOON).is_none());
        drop(guard);
        assert!(mutex.try_lock_for(SOON).is_some() && !mutex.is_locked());
    });
}

#[test]
fn a_guard_of_a_part() {
    both(|| {
        let mutex = Mutex::new((1, String::from("two")));
        let part = MutexGuard::map(mutex.lock(), |(_, text)| text.as_mut_str());
        let Ok(mut part) = MutexGuard::try_map(Mutex::new(()).lock(), |()| None::<&mut u8>)
            .map(|_| unreachable!())
            .or(Ok::<_, ()>(part))
        else {
            return;
        };
        part.make_ascii_uppercase();
        assert!(mutex.try_lock().is_none());
        drop(part);
        assert_eq!(mutex.lock().1, "TWO");
        let lock = RwLock::new([1, 2, 3]);
        let first = RwLockReadGuard::map(lock.read(), |all| &all[0]);
        assert_eq!((*first, *lock.read()), (1, [1, 2, 3]));
        drop(first);
        *RwLockWriteGuard::map(lock.write(), |all| &mut all[2]) = 4;
        assert_eq!(*lock.read(), [1, 2, 4]);
    });
}

#[test]
fn a_condition_is_waited_for() {
    both(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            *other.0.lock() = true;
            other.1.notify_one();
        });
        let mut ready = shared.0.lock();
        while !*ready {
            shared.1.wait(&mut ready);
        }
        MutexGuard::unlocked(&mut ready, || assert!(!shared.0.is_locked()));
        drop(ready);
        thread.join().unwrap();
        assert!(shared.1.wait_for(&mut shared.0.lock(), SOON).timed_out());
    });
}

#[test]
fn one_reader_can_become_the_writer() {
    both(|| {
        let lock = RwLock::new(1);
        let upgradable = lock.upgradable_read();
        let reader = lock.read();
        assert!(lock.try_upgradable_read().is_none() && lock.try_write().is_none());
        let upgradable = RwLockUpgradableReadGuard::try_upgrade(upgradable).expect_err("there is a reader");
        drop(reader);
        let mut writer = RwLockUpgradableReadGuard::upgrade(upgradable);
        *writer += 1;
        assert!(lock.is_locked_exclusive());
        let reader = RwLockWriteGuard::downgrade(writer);
        assert_eq!((*reader, *lock.read()), (2, 2));
    });
}

/// What a reader sees is still there when it has become the writer. With two steps it would not be.
#[test]
fn nobody_writes_while_a_reader_becomes_the_writer() {
    let increment = |lock: &RwLock<u32>| {
        let reader = lock.upgradable_read();
        let seen = *reader;
        *RwLockUpgradableReadGuard::upgrade(reader) = seen + 1;
    };
    let report = Checker::new().run(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || increment(&other));
        increment(&lock);
        *lock.write() += 1;
        thread.join().unwrap();
        assert_eq!(*lock.read(), 3);
    });
    assert!(report.complete && report.violations.is_empty(), "{report}");
    let report = Checker::new().quiet(true).run(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let seen = *other.read();
            *other.write() = seen + 1;
        });
        increment(&lock);
        thread.join().unwrap();
        assert_eq!(*lock.read(), 2);
    });
    assert_eq!(report.violations[0].kind, ViolationKind::Panic, "{report}");
}

#[test]
fn the_owner_enters_again() {
    both(|| {
        let mutex = Arc::new(ReentrantMutex::new(Cell::new(0)));
        let other = Arc::clone(&mutex);
        let enter = |mutex: &ReentrantMutex<Cell<u32>>| {
            let outer = mutex.lock();
            let inner = mutex.lock();
            inner.set(outer.get() + 1);
        };
        let thread = thread::spawn(move || enter(&other));
        enter(&mutex);
        thread.join().unwrap();
        assert_eq!(mutex.lock().get(), 2);
    });
}

#[test]
fn a_call_happens_once() {
    both(|| {
        let once = Once::new();
        assert_eq!(once.state(), OnceState::New);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            once.call_once(|| std::panic::resume_unwind(Box::new(())))
        }));
        assert!(panicked.is_err() && once.state().poisoned());
        once.call_once_force(|state| assert!(state.poisoned()));
        once.call_once(|| unreachable!());
        assert!(once.state().done());
    });
}
