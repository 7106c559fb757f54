//! How good the estimated number of executions is.

use mazurka::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use mazurka::sync::{Arc, Mutex};
use mazurka::{Checker, thread};

/// Threads that do this, all of which have ended at the end.
fn threads(n: usize, body: impl Fn(usize) + Send + Sync + 'static) {
    let body = Arc::new(body);
    let threads: Vec<_> = (0..n)
        .map(|t| {
            let body = Arc::clone(&body);
            thread::spawn(move || body(t))
        })
        .collect();
    for t in threads {
        t.join().unwrap();
    }
}

fn lock(n: usize, times: usize) {
    let lock = Arc::new(Mutex::new(0));
    threads(n, move |_| {
        for _ in 0..times {
            *lock.lock().unwrap() += 1;
        }
    });
}

fn philosophers(n: usize) {
    let forks: Arc<Vec<_>> = Arc::new((0..n).map(|_| Mutex::new(())).collect());
    threads(n, move |i| {
        let (a, b) = (i.min((i + 1) % n), i.max((i + 1) % n));
        for _ in 0..2 {
            let _a = forks[a].lock().unwrap();
            let _b = forks[b].lock().unwrap();
        }
    });
}

fn lastzero(n: usize) {
    let a: Arc<Vec<_>> = Arc::new((0..=n).map(|_| AtomicUsize::new(0)).collect());
    threads(n + 1, move |t| match t {
        0 => {
            let mut i = n;
            while a[i].load(SeqCst) != 0 {
                i -= 1;
            }
        }
        t => a[t].store(a[t - 1].load(SeqCst) + 1, SeqCst),
    });
}

fn indexer(n: usize) {
    let table: Arc<Vec<_>> = Arc::new((0..128).map(|_| AtomicUsize::new(0)).collect());
    threads(n, move |tid| {
        for m in 1..=4 {
            let w = m * 11 + tid;
            let mut h = (w * 7) % 128;
            while table[h].compare_exchange(0, w, SeqCst, SeqCst).is_err() {
                h = (h + 1) % 128;
            }
        }
    });
}

fn exchanges(n: usize) {
    let top = Arc::new(AtomicUsize::new(0));
    threads(n, move |_| {
        let mut seen = top.load(SeqCst);
        while let Err(now) = top.compare_exchange(seen, seen + 1, SeqCst, SeqCst) {
            seen = now;
        }
    });
}

fn stores(n: usize) {
    let x = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    threads(n, move |t| {
        x.0.store(t, SeqCst);
        x.1.store(x.0.load(SeqCst), SeqCst);
    });
}

/// The estimate divided by the number, after these parts of all executions.
#[test]
fn estimates_have_the_right_order_of_magnitude() {
    let programs: [(&str, &dyn Fn()); 7] = [
        ("7 threads lock once", &|| lock(7, 1)),
        ("3 threads lock 3 times", &|| lock(3, 3)),
        ("4 philosophers eat twice", &|| philosophers(4)),
        ("lastzero(10)", &|| lastzero(10)),
        ("indexer(14)", &|| indexer(14)),
        ("4 threads exchange", &|| exchanges(4)),
        ("3 threads store and load", &|| stores(3)),
    ];
    for (name, program) in programs {
        let all = Checker::new().run(program);
        assert!(all.complete, "{all}");
        let mut line = format!("{name:24} {:6}", all.executions);
        for percent in [1, 5, 10, 25, 50, 75] {
            let some = (all.executions * percent / 100).max(1);
            let part = Checker::new().quiet(true).max_executions(some).run(program);
            let ratio = part.estimate.unwrap() as f64 / all.executions as f64;
            line += &format!("  {percent:2} %: {ratio:.2}");
            assert!(percent < 10 || (0.3..3.0).contains(&ratio), "{line}");
            assert!((0.02..5.0).contains(&ratio), "{line}");
        }
        println!("{line}");
    }
}
