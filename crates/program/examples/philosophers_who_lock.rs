//! Dining philosophers (Dijkstra 1971): everybody takes the left fork and waits for the right one.
//!
//! `cargo run -p mazurka --example philosophers_who_lock`

use mazurka::sync::Mutex;
use mazurka::{Checker, thread};
use std::sync::Arc;

/// Each of `n` philosophers eats once. If they are `polite`, the last one takes the right fork first.
pub fn dinner(n: usize, polite: bool) {
    let forks: Arc<Vec<Mutex<()>>> = Arc::new((0..n).map(|_| Mutex::new(())).collect());
    let philosophers: Vec<_> = (0..n)
        .map(|i| {
            let forks = Arc::clone(&forks);
            let eat = move || {
                let (mut first, mut second) = (i, (i + 1) % n);
                if polite && i == n - 1 {
                    std::mem::swap(&mut first, &mut second);
                }
                let _one = forks[first].lock().unwrap();
                let _other = forks[second].lock().unwrap();
            };
            let builder = thread::Builder::new().name(format!("philosopher {i}"));
            builder.spawn(eat).unwrap()
        })
        .collect();
    for philosopher in philosophers {
        philosopher.join().unwrap();
    }
}

/// Shows the deadlock, and that it is gone.
pub fn main() {
    println!("{}\n", Checker::new().run(|| dinner(3, false)));
    println!("{}", Checker::new().run(|| dinner(3, true)));
}
