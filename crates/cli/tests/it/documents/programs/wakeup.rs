use mazurka::sync::{Condvar, Mutex};
use mazurka::thread;
use std::sync::Arc;

#[allow(dead_code)]
fn the_main_thread_wakes_up() {
    mazurka::check(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let t = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let (ready, changed) = &*shared;
        if !*ready.lock().unwrap() {
            let guard = ready.lock().unwrap();
            drop(changed.wait(guard));
        }
        t.join().unwrap();
    });
}
