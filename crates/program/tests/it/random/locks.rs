//! Statements about locks and those who wait for them.

use super::Statement::{self, *};
use super::objects::Objects;
use super::orders::reads;
use mazurka::sync::RwLockWriteGuard;
use std::time::Duration;

pub(super) fn perform(statement: Statement, o: &Objects, me: u32) -> Option<u32> {
    mutex(statement, o, me)
        .or_else(|| mutex_of_nothing(statement, o, me))
        .or_else(|| reader_writer_lock(statement, o, me))
        .or_else(|| condition(statement, o, me))
        .or_else(|| monitor(statement, o, me))
}

/// Mutexes.
fn mutex(statement: Statement, o: &Objects, me: u32) -> Option<u32> {
    Some(match statement {
        Add(m) => {
            let mut value = o.mutexes[m].lock().unwrap();
            *value = *value * 3 + me + 1;
            *value
        }
        Look(m) => *o.mutexes[m].lock().unwrap(),
        Nested(a, b) => {
            let _outer = o.mutexes[a].lock().unwrap();
            let mut inner = o.mutexes[b].lock().unwrap();
            *inner = *inner * 3 + me + 1;
            *inner
        }
        TryAdd(m) => match o.mutexes[m].try_lock() {
            Ok(mut value) => {
                *value = *value * 3 + me + 1;
                *value
            }
            Err(_) => 999,
        },
        _ => return None,
    })
}

/// Mutexes that protect cells beside them.
fn mutex_of_nothing(statement: Statement, o: &Objects, me: u32) -> Option<u32> {
    Some(match statement {
        LookBeside(m) => {
            let _held = o.beside[m].lock().unwrap();
            o.cells.0[m].get()
        }
        AddBeside(m) => {
            let _held = o.beside[m].lock().unwrap();
            let value = o.cells.0[m].get() * 3 + me + 1;
            o.cells.0[m].set(value);
            value
        }
        LookAcross(m) => {
            let _held = o.beside[m].lock().unwrap();
            _ = o.cells.0[1 - m].get();
            o.cells.0[m].get()
        }
        Bypass(m) => {
            _ = o.cells.0[m].get();
            0
        }
        _ => return None,
    })
}

/// A lock for readers and writers.
fn reader_writer_lock(statement: Statement, o: &Objects, me: u32) -> Option<u32> {
    Some(match statement {
        Read => *o.lock.read().unwrap(),
        Write => {
            let mut value = o.lock.write().unwrap();
            *value = *value * 3 + me + 1;
            *value
        }
        TryRead => o.lock.try_read().map_or(999, |v| *v),
        TryWrite => match o.lock.try_write() {
            Ok(mut value) => {
                *value = *value * 3 + me + 1;
                *value
            }
            Err(_) => 999,
        },
        ReadAndLoad(a) => {
            let value = o.lock.read().unwrap();
            *value * 100 + o.atomics[a].load(reads())
        }
        ReadThenWrite => {
            let seen = *o.lock.read().unwrap();
            let mut value = o.lock.write().unwrap();
            *value = *value * 3 + me + 1;
            seen * 1000 + *value
        }
        WriteThenRead => {
            let mut value = o.lock.write().unwrap();
            *value = *value * 3 + me + 1;
            *RwLockWriteGuard::downgrade(value)
        }
        WriteLoadRead(a) => {
            let mut value = o.lock.write().unwrap();
            *value = *value * 3 + me + 1;
            let before = o.atomics[a].load(reads());
            let value = RwLockWriteGuard::downgrade(value);
            *value * 1000 + before * 100 + o.atomics[a].load(reads())
        }
        ReadTwice => {
            let first = o.lock.read().unwrap();
            let second = o.lock.read().unwrap();
            *first * 1000 + *second
        }
        ReadAndWrite => {
            let first = o.lock.read().unwrap();
            *o.lock.write().unwrap() = 0;
            *first
        }
        _ => return None,
    })
}

/// Waiting for a condition, and notifications.
fn condition(statement: Statement, o: &Objects, me: u32) -> Option<u32> {
    Some(match statement {
        Wait => {
            let mut value = o.condition.wait(o.guarded.lock().unwrap()).unwrap();
            *value = *value * 3 + me + 1;
            *value
        }
        WaitTimeout => {
            let (value, result) = o
                .condition
                .wait_timeout(o.guarded.lock().unwrap(), Duration::from_secs(1))
                .unwrap();
            *value * 2 + u32::from(result.timed_out())
        }
        WaitWhile => {
            let guard = o.guarded.lock().unwrap();
            *o.condition.wait_while(guard, |value| *value == 0).unwrap()
        }
        WaitTimeoutWhile => {
            let guard = o.guarded.lock().unwrap();
            let (value, result) = o
                .condition
                .wait_timeout_while(guard, Duration::from_secs(1), |value| *value == 0)
                .unwrap();
            *value * 2 + u32::from(result.timed_out())
        }
        Notify => {
            o.condition.notify_one();
            0
        }
        NotifyAll => {
            o.condition.notify_all();
            0
        }
        NotifyLocked => {
            let mut value = o.guarded.lock().unwrap();
            *value += 1;
            o.condition.notify_one();
            *value
        }
        _ => return None,
    })
}

/// Monitors.
fn monitor(statement: Statement, o: &Objects, me: u32) -> Option<u32> {
    Some(match statement {
        Enter => {
            o.monitor.acquire();
            let value = {
                let mut value = o.entered.lock().unwrap();
                *value = *value * 3 + me + 1;
                *value
            };
            o.monitor.acquire();
            o.monitor.release().unwrap();
            o.monitor.release().unwrap();
            value
        }
        MonitorWait => {
            o.monitor.acquire();
            o.monitor.wait().unwrap();
            let value = *o.entered.lock().unwrap();
            o.monitor.release().unwrap();
            value
        }
        MonitorNotify | MonitorNotifyAll => {
            o.monitor.acquire();
            if statement == MonitorNotify {
                o.monitor.notify().unwrap();
            } else {
                o.monitor.notify_all().unwrap();
            }
            o.monitor.release().unwrap();
            u32::from(o.monitor.notify().is_ok())
        }
        _ => return None,
    })
}
