//! The primitives do what tokio's do: random sequences of operations, without concurrency, on both.
//!
//! A program is a list of operations on numbered futures and primitives: make a future, poll it, drop it, or call a method. The same
//! code runs with both crates, made by a macro, and says what each operation returned and which futures were woken.

use mazurka_seeds::seeds;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

/// Which futures were woken.
type Woken = Arc<Mutex<BTreeSet<usize>>>;

struct Number(usize, Woken);

impl Wake for Number {
    fn wake(self: Arc<Self>) {
        self.1.lock().unwrap().insert(self.0);
    }
}

fn waker(number: usize, woken: &Woken) -> Waker {
    Waker::from(Arc::new(Number(number, Arc::clone(woken))))
}

/// Futures with what they say at their end.
type Futures<'a> = Vec<Option<std::pin::Pin<Box<dyn Future<Output = String> + 'a>>>>;

/// Makes a future, polls one, or drops one. Says what happened.
fn futures<'a>(
    futures: &mut Futures<'a>,
    rng: &mut fastrand::Rng,
    woken: &Woken,
    make: impl FnOnce() -> std::pin::Pin<Box<dyn Future<Output = String> + 'a>>,
) -> String {
    let there: Vec<usize> = (0..futures.len()).filter(|i| futures[*i].is_some()).collect();
    let kind = rng.u32(..8);
    if there.is_empty() || kind < 3 {
        futures.push(Some(make()));
        return format!("make {}", futures.len() - 1);
    }
    let i = there[rng.usize(..there.len())];
    if kind == 3 {
        futures[i] = None;
        return format!("drop {i}");
    }
    let waker = waker(i, woken);
    let future = futures[i].as_mut().unwrap();
    match future.as_mut().poll(&mut Context::from_waker(&waker)) {
        std::task::Poll::Pending => format!("poll {i}: pending"),
        std::task::Poll::Ready(said) => {
            futures[i] = None;
            format!("poll {i}: {said}")
        }
    }
}

/// Wakers of futures that have ended may be kept and woken.
fn note(log: &mut Vec<String>, said: String, woken: &Woken, futures: &Futures) {
    let mut woken = std::mem::take(&mut *woken.lock().unwrap());
    woken.retain(|i| futures[*i].is_some());
    log.push(format!("{said} {woken:?}"));
}

macro_rules! programs {
    ($name:ident, $tokio:ident) => {
        mod $name {
            use super::{Futures, Woken, futures, note};
            use std::sync::Arc;
            use $tokio::sync::{Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};

            const STEPS: usize = 30;

            pub fn mutex(rng: &mut fastrand::Rng) -> Vec<String> {
                let lock = Arc::new(Mutex::new(0));
                let (mut held, mut all, mut log, woken) = (Vec::new(), Futures::new(), Vec::new(), Woken::default());
                let got = Arc::new(std::sync::Mutex::new(Vec::new()));
                for _ in 0..STEPS {
                    let said = match rng.u32(..6) {
                        0 => match Arc::clone(&lock).try_lock_owned() {
                            Ok(guard) => {
                                held.push(guard);
                                "locked".to_owned()
                            }
                            Err(error) => error.to_string(),
                        },
                        1 | 2 => {
                            held.append(&mut got.lock().unwrap());
                            match held.pop() {
                                Some(mut guard) => {
                                    *guard += 1;
                                    format!("release {guard}")
                                }
                                None => String::new(),
                            }
                        }
                        _ => {
                            let (lock, got) = (Arc::clone(&lock), Arc::clone(&got));
                            futures(&mut all, rng, &woken, move || {
                                Box::pin(async move {
                                    let guard = lock.lock_owned().await;
                                    let said = format!("locked {guard}");
                                    got.lock().unwrap().push(guard);
                                    said
                                })
                            })
                        }
                    };
                    note(&mut log, said, &woken, &all);
                }
                log
            }

            pub fn semaphore(rng: &mut fastrand::Rng) -> Vec<String> {
                let semaphore = Arc::new(Semaphore::new(rng.usize(..4)));
                let (mut held, mut all, mut log, woken) = (Vec::new(), Futures::new(), Vec::new(), Woken::default());
                let got = Arc::new(std::sync::Mutex::new(Vec::new()));
                for _ in 0..STEPS {
                    let n = rng.u32(..4);
                    let said = match rng.u32(..16) {
                        0 => match Arc::clone(&semaphore).try_acquire_many_owned(n) {
                            Ok(permit) => {
                                held.push(permit);
                                "acquired".to_owned()
                            }
                            Err(error) => error.to_string(),
                        },
                        1..=4 => {
                            held.append(&mut got.lock().unwrap());
                            match held.pop() {
                                Some(permit) => format!("release {}", permit.num_permits()),
                                None => String::new(),
                            }
                        }
                        5 => {
                            semaphore.add_permits(n as usize);
                            format!("add {n}")
                        }
                        6 => format!("forget {}", semaphore.forget_permits(n as usize)),
                        7 if rng.u32(..6) == 0 => {
                            semaphore.close();
                            format!("close {}", semaphore.is_closed())
                        }
                        8 => {
                            held.append(&mut got.lock().unwrap());
                            if let Some(permit) = held.pop() {
                                permit.forget();
                            }
                            "never release".to_owned()
                        }
                        _ => {
                            let (semaphore, got) = (Arc::clone(&semaphore), Arc::clone(&got));
                            futures(&mut all, rng, &woken, move || {
                                Box::pin(async move {
                                    match semaphore.acquire_many_owned(n).await {
                                        Ok(permit) => {
                                            got.lock().unwrap().push(permit);
                                            format!("acquired {n}")
                                        }
                                        Err(error) => error.to_string(),
                                    }
                                })
                            })
                        }
                    };
                    note(
                        &mut log,
                        format!("{said}: {}", semaphore.available_permits()),
                        &woken,
                        &all,
                    );
                }
                log
            }

            pub fn rwlock(rng: &mut fastrand::Rng) -> Vec<String> {
                let lock = Arc::new(RwLock::new(0));
                let (mut all, mut log, woken) = (Futures::new(), Vec::new(), Woken::default());
                let readers = Arc::new(std::sync::Mutex::new(Vec::new()));
                let writers = Arc::new(std::sync::Mutex::new(Vec::new()));
                for _ in 0..STEPS {
                    let writes = rng.bool();
                    let said = match rng.u32(..6) {
                        0 => {
                            let (read, write) = (lock.try_read().is_ok(), lock.try_write().is_ok());
                            format!("{read} {write}")
                        }
                        1 => {
                            let guard = readers.lock().unwrap().pop();
                            format!("read {}", guard.is_some())
                        }
                        2 => {
                            let guard = writers.lock().unwrap().pop();
                            format!("written {}", guard.is_some())
                        }
                        _ => {
                            let (lock, readers, writers) =
                                (Arc::clone(&lock), Arc::clone(&readers), Arc::clone(&writers));
                            futures(&mut all, rng, &woken, move || {
                                Box::pin(async move {
                                    if writes {
                                        let mut guard = lock.write_owned().await;
                                        *guard += 1;
                                        writers.lock().unwrap().push(guard);
                                        return "write".to_owned();
                                    }
                                    let guard = lock.read_owned().await;
                                    let said = format!("read {guard:?}");
                                    readers.lock().unwrap().push(guard);
                                    said
                                })
                            })
                        }
                    };
                    note(&mut log, said, &woken, &all);
                }
                log
            }

            pub fn notify(rng: &mut fastrand::Rng) -> Vec<String> {
                let notify = Arc::new(Notify::new());
                let (mut all, mut log, woken) = (Futures::new(), Vec::new(), Woken::default());
                for _ in 0..STEPS {
                    let said = match rng.u32(..9) {
                        0 => {
                            notify.notify_one();
                            "one".to_owned()
                        }
                        1 => {
                            notify.notify_last();
                            "last".to_owned()
                        }
                        2 => {
                            notify.notify_waiters();
                            "all".to_owned()
                        }
                        _ => {
                            let (notify, enables) = (&notify, rng.u32(..4) == 0);
                            let mut notified = Box::pin(notify.notified());
                            let made = rng.bool() && enables && notified.as_mut().enable();
                            futures(&mut all, rng, &woken, || {
                                Box::pin(async move {
                                    notified.await;
                                    format!("notified {made}")
                                })
                            })
                        }
                    };
                    note(&mut log, said, &woken, &all);
                }
                log
            }

            pub fn once(rng: &mut fastrand::Rng) -> Vec<String> {
                let cell = OnceCell::new();
                let ready = Notify::new();
                let (mut all, mut log, woken) = (Futures::new(), Vec::new(), Woken::default());
                for i in 0..STEPS {
                    let fails = rng.bool();
                    let said = match rng.u32(..10) {
                        0 => format!("{:?} {}", cell.get(), cell.initialized()),
                        1 if rng.u32(..4) == 0 => format!("{:?}", cell.set(i)),
                        2 => {
                            ready.notify_one();
                            "ready".to_owned()
                        }
                        _ => {
                            let (cell, ready) = (&cell, &ready);
                            futures(&mut all, rng, &woken, || {
                                Box::pin(async move {
                                    let init = || async {
                                        ready.notified().await;
                                        if fails { Err("no") } else { Ok(i) }
                                    };
                                    format!("{:?}", cell.get_or_try_init(init).await)
                                })
                            })
                        }
                    };
                    note(&mut log, said, &woken, &all);
                }
                log
            }

            pub fn oneshot(rng: &mut fastrand::Rng) -> Vec<String> {
                let (sender, receiver) = oneshot::channel::<u32>();
                let sender = std::cell::RefCell::new(Some(sender));
                let receiver = std::cell::RefCell::new(Some(receiver));
                let (mut all, mut log, woken) = (Futures::new(), Vec::new(), Woken::default());
                for _ in 0..10 {
                    let (s, r) = (&sender, &receiver);
                    let (closed, received) = (rng.u32(..3) == 0, rng.u32(..8));
                    let said = match rng.u32(..12) {
                        0 => format!("{:?}", s.borrow_mut().take().map(|s| s.send(1))),
                        1 => format!("drop {}", s.borrow_mut().take().is_some()),
                        2 => {
                            let tried = r.borrow_mut().as_mut().map(|r| r.try_recv());
                            if !matches!(tried, Some(Err(oneshot::error::TryRecvError::Empty))) {
                                // Awaiting it then would panic.
                                r.borrow_mut().take();
                            }
                            format!("{tried:?}")
                        }
                        3 => format!("refuse {:?}", r.borrow_mut().as_mut().map(|r| r.close())),
                        4 if received == 0 => format!("drop {}", r.borrow_mut().take().is_some()),
                        5 => format!("{:?}", s.borrow().as_ref().map(|s| s.is_closed())),
                        _ => futures(&mut all, rng, &woken, || {
                            let (sender, receiver) = if closed {
                                (s.borrow_mut().take(), None)
                            } else {
                                (None, r.borrow_mut().take())
                            };
                            Box::pin(async move {
                                if let Some(mut sender) = sender {
                                    sender.closed().await;
                                    return format!("closed {}", sender.is_closed());
                                }
                                match receiver {
                                    Some(receiver) => format!("{:?}", receiver.await),
                                    None => "nothing".to_owned(),
                                }
                            })
                        }),
                    };
                    note(&mut log, said, &woken, &all);
                }
                log
            }

            pub fn mpsc(rng: &mut fastrand::Rng) -> Vec<String> {
                let (sender, receiver) = mpsc::channel::<usize>(1 + rng.usize(..3));
                let receiver = Arc::new($tokio::sync::Mutex::new(receiver));
                let mut senders = vec![sender.clone(), sender];
                let (mut all, mut log, woken) = (Futures::new(), Vec::new(), Woken::default());
                for i in 0..STEPS {
                    let (from, sends, keeps) = (rng.usize(..2), rng.bool(), rng.bool());
                    let said = match rng.u32(..12) {
                        0 => match senders.get(from) {
                            Some(sender) => format!("{:?} {}", sender.try_send(i), sender.capacity()),
                            None => "none".to_owned(),
                        },
                        1 => match receiver.try_lock() {
                            Ok(mut receiver) => format!("{:?} {}", receiver.try_recv(), receiver.len()),
                            Err(_) => "busy".to_owned(),
                        },
                        2 if rng.u32(..5) == 0 => format!("drop {}", senders.pop().is_some()),
                        3 if rng.u32(..5) == 0 => match receiver.try_lock() {
                            Ok(mut receiver) => {
                                receiver.close();
                                "close".to_owned()
                            }
                            Err(_) => "busy".to_owned(),
                        },
                        4 => match senders.get(from) {
                            Some(sender) => match sender.try_reserve() {
                                Ok(permit) => {
                                    if keeps {
                                        permit.send(i);
                                    }
                                    "reserved".to_owned()
                                }
                                Err(error) => error.to_string(),
                            },
                            None => "none".to_owned(),
                        },
                        5 => format!("{:?}", senders.get(from).map(|s| s.is_closed())),
                        _ => {
                            let (sender, receiver) = (senders.get(from).cloned(), Arc::clone(&receiver));
                            futures(&mut all, rng, &woken, || {
                                Box::pin(async move {
                                    match sender {
                                        Some(sender) if sends && keeps => format!("{:?}", sender.send(i).await),
                                        Some(sender) if sends => match sender.reserve().await {
                                            Ok(permit) => {
                                                permit.send(i);
                                                "reserved".to_owned()
                                            }
                                            Err(error) => format!("{error:?}"),
                                        },
                                        Some(sender) if i % 7 == 0 => {
                                            sender.closed().await;
                                            "closed".to_owned()
                                        }
                                        sender => {
                                            drop(sender);
                                            format!("{:?}", receiver.lock().await.recv().await)
                                        }
                                    }
                                })
                            })
                        }
                    };
                    note(&mut log, said, &woken, &all);
                }
                log
            }

            pub fn watch(rng: &mut fastrand::Rng) -> Vec<String> {
                let (sender, receiver) = watch::channel(0);
                let receivers: Vec<_> = (0..2)
                    .map(|_| Arc::new($tokio::sync::Mutex::new(receiver.clone())))
                    .collect();
                drop(receiver);
                let mut sender = Some(sender);
                let (mut all, mut log, woken) = (Futures::new(), Vec::new(), Woken::default());
                for i in 0..STEPS {
                    let (which, waits) = (rng.usize(..2), rng.bool());
                    let mut receiver = receivers[which].try_lock();
                    let said = match (rng.u32(..14), &sender, &mut receiver) {
                        (0 | 1, Some(sender), _) => format!("{:?}", sender.send(i)),
                        (2, Some(sender), _) => format!("{}", sender.send_replace(i)),
                        (3, Some(sender), _) => format!(
                            "{}",
                            sender.send_if_modified(|n| {
                                *n += 1;
                                waits
                            })
                        ),
                        (4, Some(sender), _) => format!("{} {}", *sender.borrow(), sender.receiver_count()),
                        (5, _, Ok(receiver)) => format!("{:?}", receiver.has_changed()),
                        (6, _, Ok(receiver)) => format!("{} {}", *receiver.borrow(), receiver.borrow().has_changed()),
                        (7, _, Ok(receiver)) => {
                            let value = receiver.borrow_and_update();
                            format!("{} {}", *value, value.has_changed())
                        }
                        (8, _, Ok(receiver)) => {
                            if waits {
                                receiver.mark_changed();
                            } else {
                                receiver.mark_unchanged();
                            }
                            format!("mark {waits}")
                        }
                        (9, ..) if rng.u32(..5) == 0 => format!("drop {}", sender.take().is_some()),
                        _ => {
                            drop(receiver);
                            let receiver = Arc::clone(&receivers[which]);
                            futures(&mut all, rng, &woken, || {
                                Box::pin(async move {
                                    let mut receiver = receiver.lock().await;
                                    if waits {
                                        return format!("{:?}", receiver.changed().await);
                                    }
                                    let value = receiver.wait_for(|n| *n > i).await;
                                    format!("{:?}", value.map(|n| *n))
                                })
                            })
                        }
                    };
                    note(&mut log, said, &woken, &all);
                }
                log
            }

            pub fn broadcast(rng: &mut fastrand::Rng) -> Vec<String> {
                let (sender, receiver) = broadcast::channel(1 + rng.usize(..3));
                let second = receiver.resubscribe();
                let mut receivers: Vec<_> = [receiver, second]
                    .map(|r| Arc::new($tokio::sync::Mutex::new(r)))
                    .into();
                let mut sender = Some(sender);
                let (mut all, mut log, woken) = (Futures::new(), Vec::new(), Woken::default());
                for i in 0..STEPS {
                    let which = rng.usize(..2);
                    let said = match (rng.u32(..10), &sender, receivers.get(which)) {
                        (0..=2, Some(sender), _) => format!("{:?} {}", sender.send(i), sender.receiver_count()),
                        (3, _, Some(receiver)) => match receiver.try_lock() {
                            Ok(mut receiver) => format!("{:?} {}", receiver.try_recv(), receiver.len()),
                            Err(_) => "busy".to_owned(),
                        },
                        (4, ..) if rng.u32(..6) == 0 => format!("drop {}", sender.take().is_some()),
                        (5, ..) if rng.u32(..6) == 0 => format!("drop {}", receivers.pop().is_some()),
                        (_, _, Some(receiver)) => {
                            let receiver = Arc::clone(receiver);
                            futures(&mut all, rng, &woken, || {
                                Box::pin(async move { format!("{:?}", receiver.lock().await.recv().await) })
                            })
                        }
                        _ => String::new(),
                    };
                    note(&mut log, said, &woken, &all);
                }
                log
            }
        }
    };
}

programs!(theirs, tokio);
programs!(ours, mazurka_tokio);

/// A program of one of the crates.
type Run = fn(&mut fastrand::Rng) -> Vec<String>;

const PRIMITIVES: &[(&str, Run, Run)] = &[
    ("mutex", theirs::mutex, ours::mutex),
    ("semaphore", theirs::semaphore, ours::semaphore),
    ("rwlock", theirs::rwlock, ours::rwlock),
    ("notify", theirs::notify, ours::notify),
    ("once", theirs::once, ours::once),
    ("oneshot", theirs::oneshot, ours::oneshot),
    ("mpsc", theirs::mpsc, ours::mpsc),
    ("watch", theirs::watch, ours::watch),
    ("broadcast", theirs::broadcast, ours::broadcast),
];

fn compare(name: &str, theirs: Run, ours: Run, seed: u64) {
    let expected = theirs(&mut fastrand::Rng::with_seed(seed));
    let found = ours(&mut fastrand::Rng::with_seed(seed));
    let same = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
    assert_eq!(
        found.get(same),
        expected.get(same),
        "{name}, after {:#?}",
        &expected[..same]
    );
}

#[test]
fn outside_a_check() {
    seeds(500, |seed| {
        for (name, theirs, ours) in PRIMITIVES {
            compare(name, *theirs, *ours, seed);
        }
    });
}

#[test]
fn in_a_check() {
    seeds(50, |seed| {
        for (name, theirs, ours) in PRIMITIVES {
            mazurka::check(|| compare(name, *theirs, *ours, seed));
        }
    });
}
