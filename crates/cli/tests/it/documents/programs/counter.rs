use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
use mazurka::thread;
use std::sync::Arc;

#[allow(dead_code)]
fn both_increments_count() {
    mazurka::check(|| {
        let n = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&n);
        let t = thread::spawn(move || {
            let v = other.load(SeqCst);
            other.store(v + 1, SeqCst);
        });
        let v = n.load(SeqCst);
        n.store(v + 1, SeqCst);
        t.join().unwrap();
        assert_eq!(n.load(SeqCst), 2);
    });
}
