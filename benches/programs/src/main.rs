//! The reference programs under mazurka and its peers, one line of JSON per run.
//!
//! Started by `cargo run --release -p mazurka-bench -- programs`, which makes a table of it. A package of
//! its own, so that the peers are built for that command only.
//!
//! A program is written once, as a macro over the names of each crate, because the peers want their own types.

use std::time::{Duration, Instant};

/// What one tool did with one program.
struct Run {
    executions: u64,
    seconds: f64,
    complete: bool,
}

fn timed(f: impl FnOnce() -> (u64, bool)) -> Run {
    let start = Instant::now();
    let (executions, complete) = f();
    Run {
        executions,
        seconds: start.elapsed().as_secs_f64(),
        complete,
    }
}

fn show(program: &str, n: usize, tool: &str, run: Option<Run>) {
    match run {
        Some(run) => println!(
            "{{\"program\":\"{program}\",\"n\":{n},\"tool\":\"{tool}\",\"executions\":{},\"seconds\":{:.6},\"complete\":{}}}",
            run.executions, run.seconds, run.complete
        ),
        None => println!("{{\"program\":\"{program}\",\"n\":{n},\"tool\":\"{tool}\"}}"),
    }
}

/// Programs over `spawn`, `Mutex` and `AtomicUsize`, which all have in some form.
macro_rules! programs {
    ($spawn:path, $mutex:ident, $lock:ident, $new_atomic:expr, $load:ident, $store:ident) => {
        pub fn one_mutex(n: usize) {
            let m = Arc::new($mutex::new(0));
            let threads: Vec<_> = (0..n)
                .map(|_| {
                    let m = Arc::clone(&m);
                    $spawn(move || *$lock!(m) += 1)
                })
                .collect();
            for t in threads {
                t.join().unwrap();
            }
        }

        pub fn twice(n: usize) {
            let m = Arc::new($mutex::new(0));
            let threads: Vec<_> = (0..n)
                .map(|_| {
                    let m = Arc::clone(&m);
                    $spawn(move || {
                        *$lock!(m) += 1;
                        *$lock!(m) += 1;
                    })
                })
                .collect();
            for t in threads {
                t.join().unwrap();
            }
        }

        pub fn philosophers(n: usize) {
            let forks: Arc<Vec<_>> = Arc::new((0..n).map(|_| $mutex::new(0)).collect());
            let threads: Vec<_> = (0..n)
                .map(|i| {
                    let forks = Arc::clone(&forks);
                    $spawn(move || {
                        let (a, b) = (i.min((i + 1) % n), i.max((i + 1) % n));
                        let l = $lock!(forks[a]);
                        let r = $lock!(forks[b]);
                        drop(r);
                        drop(l);
                    })
                })
                .collect();
            for t in threads {
                t.join().unwrap();
            }
        }

        pub fn copy(n: usize) {
            let m = Arc::new($mutex::new(42));
            let threads: Vec<_> = (0..n)
                .map(|_| {
                    let m = Arc::clone(&m);
                    $spawn(move || {
                        let l = {
                            let g = $lock!(m);
                            *g
                        };
                        assert_eq!(l, 42);
                    })
                })
                .collect();
            for t in threads {
                t.join().unwrap();
            }
        }

        pub fn readers(n: usize) {
            let x = Arc::new($new_atomic);
            let threads: Vec<_> = (0..n)
                .map(|_| {
                    let x = Arc::clone(&x);
                    $spawn(move || {
                        $load!(x);
                    })
                })
                .collect();
            $store!(x, 1);
            for t in threads {
                t.join().unwrap();
            }
        }

        pub fn lastzero(n: usize) {
            let a: Arc<Vec<_>> = Arc::new((0..=n).map(|_| $new_atomic).collect());
            let threads: Vec<_> = (0..=n)
                .map(|t| {
                    let a = Arc::clone(&a);
                    $spawn(move || {
                        if t == 0 {
                            let mut i = n;
                            while $load!(a[i]) != 0 {
                                i -= 1;
                            }
                        } else {
                            let v = $load!(a[t - 1]);
                            $store!(a[t], v + 1);
                        }
                    })
                })
                .collect();
            for t in threads {
                t.join().unwrap();
            }
        }

        pub fn program(name: &str) -> fn(usize) {
            match name {
                "a: one mutex" => one_mutex,
                "a2: twice" => twice,
                "c2: philosophers" => philosophers,
                "f: copy" => copy,
                "p: readers" => readers,
                _ => lastzero,
            }
        }
    };
}

/// How often each thread does what it does, with weak memory.
const TWICE: usize = 2;

/// Programs whose atomics are weaker than sequentially consistent, for the tools that know more than interleavings.
macro_rules! weak_programs {
    ($spawn:path, $atomic:ident) => {
        fn all(n: usize, body: impl Fn(usize) + Clone + Send + Sync + 'static) {
            let start = |i| {
                let body = body.clone();
                $spawn(move || body(i))
            };
            let threads: Vec<_> = (0..n).map(start).collect();
            for t in threads {
                t.join().unwrap();
            }
        }

        pub fn messages(n: usize) {
            let shared = Arc::new([$atomic::new(0), $atomic::new(0)]);
            all(n, move |i| {
                for round in 1..=TWICE {
                    if i == 0 {
                        shared[0].store(round, Relaxed);
                        shared[1].store(round, Release);
                    } else {
                        let sent = shared[1].load(Acquire);
                        assert!(shared[0].load(Relaxed) >= sent);
                    }
                }
            });
        }

        pub fn buffers(n: usize) {
            let shared: Arc<Vec<_>> = Arc::new((0..n).map(|_| $atomic::new(0)).collect());
            all(n, move |i| {
                for round in 1..=TWICE {
                    shared[i].store(round, Relaxed);
                    shared[(i + 1) % n].load(Relaxed);
                }
            });
        }

        pub fn counter(n: usize) {
            let count = Arc::new($atomic::new(0));
            let shared = Arc::clone(&count);
            all(n, move |_| {
                for _ in 1..=TWICE {
                    shared.fetch_add(1, Relaxed);
                }
            });
            assert_eq!(count.load(Relaxed), TWICE * n);
        }

        pub fn attempts(n: usize) {
            let count = Arc::new($atomic::new(0));
            let shared = Arc::clone(&count);
            all(n, move |_| {
                let mut old = shared.load(Relaxed);
                while let Err(now) = shared.compare_exchange(old, old + 1, AcqRel, Acquire) {
                    old = now;
                }
            });
            assert_eq!(count.load(Relaxed), n);
        }

        pub fn weak_program(name: &str) -> Option<fn(usize)> {
            match name {
                "w: messages" => Some(messages),
                "w: buffers" => Some(buffers),
                "w: counter" => Some(counter),
                "w: attempts" => Some(attempts),
                _ => None,
            }
        }
    };
}

macro_rules! std_lock {
    ($m:expr) => {
        $m.lock().unwrap()
    };
}
macro_rules! block_lock {
    ($m:expr) => {
        $m.blocking_lock()
    };
}
macro_rules! std_load {
    ($x:expr) => {
        $x.load(std::sync::atomic::Ordering::SeqCst)
    };
}
macro_rules! std_store {
    ($x:expr, $v:expr) => {
        $x.store($v, std::sync::atomic::Ordering::SeqCst)
    };
}

mod with_mazurka {
    use mazurka::sync::Mutex;
    use mazurka::sync::atomic::AtomicUsize;
    use std::sync::Arc;
    use super::TWICE;
    use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
    weak_programs!(mazurka::thread::spawn, AtomicUsize);
    programs!(
        mazurka::thread::spawn,
        Mutex,
        std_lock,
        AtomicUsize::new(0),
        std_load,
        std_store
    );
}

mod with_loom {
    use loom::sync::Mutex;
    use loom::sync::atomic::AtomicUsize;
    use std::sync::Arc;
    use super::TWICE;
    use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
    weak_programs!(loom::thread::spawn, AtomicUsize);
    programs!(
        loom::thread::spawn,
        Mutex,
        std_lock,
        AtomicUsize::new(0),
        std_load,
        std_store
    );
}

mod with_shuttle {
    use shuttle::sync::Mutex;
    use shuttle::sync::atomic::AtomicUsize;
    use std::sync::Arc;
    programs!(
        shuttle::thread::spawn,
        Mutex,
        std_lock,
        AtomicUsize::new(0),
        std_load,
        std_store
    );
}

mod with_traceforge {
    use std::sync::Arc;
    use traceforge::sync::atomic::AtomicRegister;
    use traceforge::sync::mutex::Mutex;
    programs!(
        traceforge::thread::spawn,
        Mutex,
        block_lock,
        AtomicRegister::new(0usize),
        std_load,
        std_store
    );
}

/// Executions so far, for tools that only say how long it took.
fn counted(limit: Duration, check: impl FnOnce(std::sync::Arc<std::sync::atomic::AtomicU64>)) -> (u64, bool) {
    let count = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let start = Instant::now();
    check(std::sync::Arc::clone(&count));
    let executions = count.load(std::sync::atomic::Ordering::Relaxed);
    (executions, start.elapsed() < limit)
}

fn run(tool: &str, name: &'static str, n: usize, limit: Duration) -> Run {
    use std::sync::atomic::Ordering::Relaxed;
    match tool {
        "mazurka" => {
            let program = with_mazurka::weak_program(name).unwrap_or_else(|| with_mazurka::program(name));
            timed(|| {
                let report = mazurka::Checker::new()
                    .max_duration(limit)
                    .quiet(true)
                    .run(|| program(n));
                (report.executions, report.complete)
            })
        }
        "loom" => {
            let program = with_loom::weak_program(name).unwrap_or_else(|| with_loom::program(name));
            timed(|| {
                counted(limit, |count| {
                    let mut builder = loom::model::Builder::new();
                    builder.max_duration = Some(limit);
                    builder.check(move || {
                        count.fetch_add(1, Relaxed);
                        program(n);
                    });
                })
            })
        }
        "shuttle" => {
            let program = with_shuttle::program(name);
            timed(|| {
                counted(limit, |count| {
                    let mut config = shuttle::Config::new();
                    config.max_time = Some(limit);
                    let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
                    shuttle::Runner::new(scheduler, config).run(move || {
                        count.fetch_add(1, Relaxed);
                        program(n);
                    });
                })
            })
        }
        _ => {
            let program = with_traceforge::program(name);
            timed(|| {
                let config = traceforge::Config::builder().build();
                let stats = traceforge::verify(config, move || program(n));
                (stats.execs as u64, true)
            })
        }
    }
}

/// The most threads that a tool can have, and what else it cannot do in reasonable time.
fn can(tool: &str, name: &str, n: usize) -> bool {
    let threads = if name.starts_with("q") { n + 2 } else { n + 1 };
    match tool {
        "loom" => threads <= 5,
        // They know interleavings only.
        "shuttle" | "traceforge" if name.starts_with("w") => false,
        "traceforge" => !(name.starts_with("q") && n > 4),
        _ => true,
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(10);
    let only = arguments.next();
    let limit = Duration::from_secs(seconds);
    let programs = [
        ("a: one mutex", 3),
        ("a: one mutex", 4),
        ("a: one mutex", 6),
        ("a2: twice", 3),
        ("a2: twice", 4),
        ("c2: philosophers", 4),
        ("f: copy", 4),
        ("p: readers", 3),
        ("p: readers", 6),
        ("q: lastzero", 3),
        ("q: lastzero", 10),
        ("w: messages", 3),
        ("w: messages", 4),
        ("w: buffers", 3),
        ("w: buffers", 4),
        ("w: counter", 3),
        ("w: counter", 4),
        ("w: attempts", 3),
        ("w: attempts", 4),
    ];
    // What they print themselves would be in the way.
    std::panic::set_hook(Box::new(|_| ()));
    for (name, n) in programs {
        for tool in ["mazurka", "loom", "shuttle", "traceforge"] {
            if only
                .as_ref()
                .is_some_and(|o| !tool.contains(o.as_str()) && !name.contains(o.as_str()))
            {
                continue;
            }
            let result = can(tool, name, n)
                .then(|| std::panic::catch_unwind(|| run(tool, name, n, limit)).ok())
                .flatten();
            show(name, n, tool, result);
        }
    }
}
