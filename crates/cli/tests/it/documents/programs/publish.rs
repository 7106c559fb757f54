use mazurka::cell::UnsafeCell;
use mazurka::sync::atomic::{AtomicBool, Ordering::Relaxed};
use mazurka::thread;
use std::sync::Arc;

struct Slot {
    value: UnsafeCell<u32>,
    full: AtomicBool,
}

unsafe impl Sync for Slot {}

#[allow(dead_code)]
fn a_value_is_published() {
    mazurka::check(|| {
        let slot = Arc::new(Slot { value: UnsafeCell::new(0), full: AtomicBool::new(false) });
        let other = Arc::clone(&slot);
        let t = thread::spawn(move || {
            other.value.with_mut(|v| unsafe { *v = 42 });
            other.full.store(true, Relaxed);
        });
        if slot.full.load(Relaxed) {
            assert_eq!(slot.value.with(|v| unsafe { *v }), 42);
        }
        t.join().unwrap();
    });
}
