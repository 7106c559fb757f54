//! A program that uses mazurka's primitives always, and checks itself when it is tested.

pub use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::{AtomicU8, Ordering::Relaxed};
use mazurka::sync::{Arc, Monitor, Mutex, Semaphore};
use mazurka::thread;

/// Counts to two with two threads, which lose an update if they have no lock.
pub fn count(locked: bool) -> u8 {
    let (lock, count) = (Arc::new(Mutex::new(())), Arc::new(AtomicU8::new(0)));
    let one = move || {
        let _guard = locked.then(|| lock.lock().unwrap());
        count.store(count.load(Relaxed) + 1, Relaxed);
        count.load(Relaxed)
    };
    let other = thread::spawn(one.clone());
    let mine = one();
    other.join().unwrap().max(mine)
}

/// Uses what std has not.
pub fn others() {
    let turns = Arc::new((Semaphore::new(0), Monitor::new()));
    let shared = Arc::clone(&turns);
    let other = thread::spawn(move || {
        let (permits, monitor) = &*shared;
        monitor.acquire();
        monitor.acquire();
        permits.release();
        monitor.wait().unwrap();
        monitor.release().unwrap();
        monitor.release().unwrap();
        assert!(monitor.release().is_err());
    });
    let (permits, monitor) = &*turns;
    permits.acquire();
    assert!(!permits.try_acquire());
    monitor.acquire();
    monitor.notify().unwrap();
    monitor.release().unwrap();
    other.join().unwrap();

    let cell = UnsafeCell::new(1);
    cell.with_mut(|_| ());
    assert_eq!(cell.into_inner(), 1);
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_update_is_lost_without_the_lock() {
        mazurka::check(|| assert_eq!(super::count(true), 2));
        let report = mazurka::Checker::new().quiet(true).run(|| assert_eq!(super::count(false), 2));
        assert_eq!(report.violations.len(), 1);
    }

    #[test]
    fn what_std_has_not_is_checked_too() {
        mazurka::check(super::others);
    }
}
