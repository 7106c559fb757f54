//! A reader-writer lock that lets readers in while a writer waits: the writer may starve.
//!
//! Starving for ever is not something that a search of finite executions sees. What it sees is overtaking: a reader that
//! came after the writer and got in before it. With a turnstile that everybody passes, it is bounded.
//!
//! `cargo run -p mazurka --example writer_starvation`

use mazurka::sync::{Mutex, RwLock};
use mazurka::{Checker, thread};
use std::sync::Arc;

struct Shared {
    data: RwLock<u32>,
    turnstile: Mutex<()>,
    fair: bool,
    /// The writer waits; and how many readers have come in since.
    waiting: Mutex<(bool, u32)>,
}

impl Shared {
    fn read(&self) {
        let turn = self.fair.then(|| self.turnstile.lock().unwrap());
        let data = self.data.read().unwrap();
        drop(turn);
        {
            let mut waiting = self.waiting.lock().unwrap();
            if waiting.0 {
                waiting.1 += 1;
            }
        }
        drop(data);
    }

    fn write(&self) {
        let turn = self.fair.then(|| self.turnstile.lock().unwrap());
        self.waiting.lock().unwrap().0 = true;
        let mut data = self.data.write().unwrap();
        drop(turn);
        *data += 1;
        let overtaken = self.waiting.lock().unwrap().1;
        // One reader may be on its way in when the writer comes.
        assert!(overtaken <= 1, "{overtaken} readers have overtaken the writer");
    }
}

/// One writer, and a reader that reads twice.
pub fn compete(fair: bool) {
    let shared = Arc::new(Shared {
        data: RwLock::new(0),
        turnstile: Mutex::new(()),
        fair,
        waiting: Mutex::new((false, 0)),
    });
    let other = Arc::clone(&shared);
    let reader = thread::spawn(move || {
        for _ in 0..2 {
            other.read();
        }
    });
    shared.write();
    reader.join().unwrap();
}

/// Shows the violation, and that it is gone.
pub fn main() {
    println!("{}\n", Checker::new().run(|| compete(false)));
    println!("{}", Checker::new().run(|| compete(true)));
}
