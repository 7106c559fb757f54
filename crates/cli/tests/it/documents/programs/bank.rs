use mazurka::{sync::Mutex, thread};
use std::sync::Arc;

#[allow(dead_code)]
fn transfers_do_not_deadlock() {
    mazurka::check(|| {
        let accounts = Arc::new((Mutex::new(10), Mutex::new(10)));
        let other = Arc::clone(&accounts);
        let t = thread::spawn(move || {
            let (mut from, mut to) = (other.0.lock().unwrap(), other.1.lock().unwrap());
            (*from, *to) = (*from - 1, *to + 1);
        });
        let (mut from, mut to) = (accounts.1.lock().unwrap(), accounts.0.lock().unwrap());
        (*from, *to) = (*from - 2, *to + 2);
        drop((from, to));
        t.join().unwrap();
    });
}
