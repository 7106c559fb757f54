//! A bounded buffer with one condition variable: `notify_one` wakes the wrong thread.
//!
//! A producer that has just filled the buffer may wake another producer, which finds it full and waits again.
//! No consumer is woken. `notify_all` wakes everyone.
//!
//! `cargo run -p mazurka --example bounded_buffer`

use mazurka::sync::{Condvar, Mutex};
use mazurka::{Checker, thread};
use std::sync::Arc;

struct Buffer {
    /// There is room for one.
    item: Mutex<Option<u32>>,
    changed: Condvar,
    notify_all: bool,
}

impl Buffer {
    fn notify(&self) {
        if self.notify_all {
            self.changed.notify_all();
        } else {
            self.changed.notify_one();
        }
    }

    fn put(&self, value: u32) {
        let mut item = self.item.lock().unwrap();
        while item.is_some() {
            item = self.changed.wait(item).unwrap();
        }
        *item = Some(value);
        self.notify();
    }

    fn take(&self) -> u32 {
        let mut item = self
            .changed
            .wait_while(self.item.lock().unwrap(), |i| i.is_none())
            .unwrap();
        let value = item.take().unwrap();
        self.notify();
        value
    }
}

/// Two producers and two consumers.
pub fn exchange(notify_all: bool) {
    let buffer = Arc::new(Buffer {
        item: Mutex::new(None),
        changed: Condvar::new(),
        notify_all,
    });
    let mut threads = Vec::new();
    for i in 0..2 {
        let (producer, consumer) = (Arc::clone(&buffer), Arc::clone(&buffer));
        threads.push(thread::spawn(move || producer.put(i)));
        threads.push(thread::spawn(move || {
            consumer.take();
        }));
    }
    for thread in threads {
        thread.join().unwrap();
    }
}

/// Shows the deadlock, and that it is gone.
pub fn main() {
    println!("{}\n", Checker::new().run(|| exchange(false)));
    println!("{}", Checker::new().run(|| exchange(true)));
}
