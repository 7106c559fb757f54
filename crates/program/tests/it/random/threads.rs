//! Statements about other threads.

use super::Statement::{self, *};
use super::objects::Objects;
use super::orders::{reads, updates, writes};
use super::run::{Ends, GONE};
use mazurka::sync::Mutex;
use mazurka::thread;
use std::sync::Arc;
use std::time::Duration;

pub(super) fn perform(
    statement: Statement,
    o: &Arc<Objects>,
    ends: &mut Ends,
    threads: &Mutex<Vec<thread::Thread>>,
    me: u32,
) -> Option<u32> {
    child(statement, o, &mut ends.children, me)
        .or_else(|| scope(statement, o, me))
        .or_else(|| park(statement, threads))
}

/// Threads that are started and joined.
fn child(statement: Statement, o: &Arc<Objects>, children: &mut Vec<thread::JoinHandle<u32>>, me: u32) -> Option<u32> {
    Some(match statement {
        SpawnAdd(m) => {
            let objects = Arc::clone(o);
            children.push(thread::spawn(move || {
                let mut value = objects.mutexes[m].lock().unwrap();
                *value = *value * 3 + me + 7;
                *value
            }));
            0
        }
        SpawnStore(a) => {
            let objects = Arc::clone(o);
            children.push(thread::spawn_local(move || {
                objects.atomics[a].store(50 + me, writes());
                objects.atomics[a].load(reads())
            }));
            0
        }
        Join => children.pop().map_or(GONE, |child| child.join().unwrap()),
        IsFinished => children.last().map_or(GONE, |child| u32::from(child.is_finished())),
        _ => return None,
    })
}

/// Threads of a scope.
fn scope(statement: Statement, o: &Objects, me: u32) -> Option<u32> {
    Some(match statement {
        ScopeStore(a) => {
            thread::scope(|scope| {
                scope.spawn(|| o.atomics[a].store(60 + me, writes()));
            });
            o.atomics[a].load(reads())
        }
        ScopeJoin(a) => thread::scope(|scope| {
            let child = scope.spawn(|| o.atomics[a].fetch_add(5, updates()));
            let ended = child.is_finished();
            child.join().unwrap() * 2 + u32::from(ended)
        }),
        _ => return None,
    })
}

/// Parking, and the end of it.
fn park(statement: Statement, threads: &Mutex<Vec<thread::Thread>>) -> Option<u32> {
    Some(match statement {
        ParkTimeout => {
            thread::park_timeout(Duration::from_secs(1));
            0
        }
        Park => {
            thread::park();
            0
        }
        Unpark(t) => {
            let thread = threads.lock().unwrap().get(t).cloned();
            if let Some(thread) = thread {
                thread.unpark();
            }
            0
        }
        _ => return None,
    })
}
