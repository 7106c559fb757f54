//! Running random programs.

use super::Statement::{self, *};
use super::objects::Objects;
use super::owners::Noisy;
use super::{Program, channels, locks, owners, threads, values};
use mazurka::sync::{Arc as Owned, Mutex, Weak, mpsc};
use mazurka::thread;
use std::sync::{Arc, Mutex as Plain};

/// What threads have observed, one list each.
pub type Log = Arc<Plain<Vec<Vec<u32>>>>;

/// What belongs to one thread.
pub(super) struct Ends {
    pub(super) senders: Option<Senders>,
    pub(super) receivers: Option<Receivers>,
    pub(super) children: Vec<thread::JoinHandle<u32>>,
    pub(super) owned: Vec<Owned<u32>>,
    pub(super) weak: Vec<Weak<u32>>,
    pub(super) noisy: Vec<Owned<Noisy>>,
}

#[derive(Clone)]
pub(super) struct Senders {
    pub(super) unbounded: mpsc::Sender<u32>,
    pub(super) bounded: mpsc::SyncSender<u32>,
    pub(super) rendezvous: mpsc::SyncSender<u32>,
}

pub(super) struct Receivers {
    pub(super) unbounded: mpsc::Receiver<u32>,
    pub(super) bounded: mpsc::Receiver<u32>,
    pub(super) rendezvous: mpsc::Receiver<u32>,
}

fn open_channels() -> (Senders, Receivers) {
    let (unbounded, unbounded_receiver) = mpsc::channel();
    let (bounded, bounded_receiver) = mpsc::sync_channel(1);
    let (rendezvous, rendezvous_receiver) = mpsc::sync_channel(0);
    let senders = Senders {
        unbounded,
        bounded,
        rendezvous,
    };
    let receivers = Receivers {
        unbounded: unbounded_receiver,
        bounded: bounded_receiver,
        rendezvous: rendezvous_receiver,
    };
    (senders, receivers)
}

/// Runs a program once; to be called in a check.
pub fn run(program: &Program, log: &Log) {
    *log.lock().unwrap() = vec![Vec::new(); program.len()];
    // Everything is touched in a fixed order, so that it has the same number in all executions.
    let objects = Arc::new(Objects::new());
    objects.touch_before_channels();
    let (senders, receivers) = open_channels();
    let mut receivers = Some(receivers);
    objects.touch_after_channels();
    let has = |is: fn(Statement) -> bool| program.iter().flatten().any(|s| is(*s));
    let hangs_up = has(|s| matches!(s, HangUp | HangUpReceivers));
    let owned: Vec<Owned<u32>> = has(Statement::owns).then(|| Owned::new(7)).into_iter().collect();
    let noisy = || Owned::new(Noisy(Arc::clone(&objects), Arc::clone(log)));
    let noisy: Vec<Owned<Noisy>> = has(|s| s == DropNoisy).then(noisy).into_iter().collect();
    let receives = |statements: &Vec<Statement>| statements.iter().any(|s| s.receives());
    let receiver = program.iter().position(receives).unwrap_or(program.len() - 1);
    // Threads share the list of threads that were started, so it is under control as well.
    let unparks = has(|s| matches!(s, Unpark(_)));
    let handles = Arc::new(Mutex::new(Vec::new()));
    if unparks {
        drop(handles.lock());
    }
    for (t, statements) in program.iter().enumerate() {
        let (statements, objects, log) = (statements.clone(), Arc::clone(&objects), Arc::clone(log));
        let ends = Ends {
            // If the receiver could send, no channel would ever be closed while it receives.
            senders: (!hangs_up || t != receiver).then(|| senders.clone()),
            receivers: if t == receiver { receivers.take() } else { None },
            children: Vec::new(),
            owned: owned.clone(),
            weak: owned.iter().map(Owned::downgrade).collect(),
            noisy: noisy.clone(),
        };
        let others = Arc::clone(&handles);
        let handle = thread::spawn(move || body(t, &statements, &objects, ends, &others, &log, hangs_up));
        if unparks {
            handles.lock().unwrap().push(handle.thread().clone());
        }
    }
    if !hangs_up {
        std::mem::forget(senders);
    }
}

/// What thread `t` does.
fn body(
    t: usize,
    statements: &[Statement],
    objects: &Arc<Objects>,
    mut ends: Ends,
    others: &Mutex<Vec<thread::Thread>>,
    log: &Log,
    hangs_up: bool,
) {
    for &statement in statements {
        let seen = perform(statement, objects, &mut ends, others, t as u32);
        log.lock().unwrap()[t].push(seen);
        if matches!(statement, PanicIf(_)) && seen != 0 {
            // Before the panic, because the search does not interleave what destructors do while a thread panics.
            leave(ends, hangs_up);
            panic!("saw {seen}");
        }
    }
    leave(ends, hangs_up);
}

/// A thread gives up what belongs to it.
fn leave(mut ends: Ends, hangs_up: bool) {
    if !hangs_up {
        // The channels stay as they are.
        std::mem::forget((ends.senders.take(), ends.receivers.take()));
    }
}

pub(super) const GONE: u32 = 997;

fn perform(
    statement: Statement,
    o: &Arc<Objects>,
    ends: &mut Ends,
    others: &Mutex<Vec<thread::Thread>>,
    me: u32,
) -> u32 {
    locks::perform(statement, o, me)
        .or_else(|| channels::perform(statement, ends, me))
        .or_else(|| owners::perform(statement, ends))
        .or_else(|| threads::perform(statement, o, ends, others, me))
        .or_else(|| values::perform(statement, o, me))
        .unwrap_or_else(|| unreachable!("nobody performs {statement:?}"))
}
