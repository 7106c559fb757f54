//! Statements about atomics, values that are made once, semaphores, barriers, cells and choices.

use super::Statement::{self, *};
use super::objects::{Objects, SlotOperation};
use super::orders::{reads, updates, writes};
use mazurka::choose;
use mazurka::sync::LazyLock;
use mazurka::thread;
use mazurka::time::{Duration, SystemTime};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

pub(super) fn perform(statement: Statement, o: &Objects, me: u32) -> Option<u32> {
    atomic(statement, o, me)
        .or_else(|| once(statement, o, me))
        .or_else(|| other(statement, o, me))
}

/// Loads, stores and updates.
fn atomic(statement: Statement, o: &Objects, me: u32) -> Option<u32> {
    Some(match statement {
        Load(a) => o.atomics[a].load(reads()),
        Store(a, value) => {
            o.atomics[a].store(value * 10 + me, writes());
            0
        }
        FetchAdd(a) => o.atomics[a].fetch_add(1, updates()),
        Exchange(a) => match o.atomics[a].compare_exchange(0, 1, updates(), reads()) {
            Ok(_) => 100,
            Err(value) => value,
        },
        Swap(a) => o.atomics[a].swap(3, updates()),
        Max(a) => o.atomics[a].fetch_max(1, updates()),
        FetchUpdate(a) => {
            let double = |value| (value != 0).then_some(value * 2);
            o.atomics[a].fetch_update(updates(), reads(), double).map_or(999, |v| v)
        }
        PanicIf(a) => o.atomics[a].load(std::sync::atomic::Ordering::Relaxed),
        _ => return None,
    })
}

/// Values and calls that happen once.
fn once(statement: Statement, o: &Objects, me: u32) -> Option<u32> {
    Some(match statement {
        Initialise => *o.once.get_or_init(|| me + 1),
        Get => o.once.get().copied().unwrap_or(0),
        SetOnce => u32::from(o.once.set(me + 10).is_ok()),
        CallOnce => {
            o.called.call_once(|| o.atomics[1].store(me + 20, writes()));
            o.atomics[1].load(reads())
        }
        CallOnceForce => {
            o.called.call_once_force(|_| o.atomics[1].store(me + 30, writes()));
            0
        }
        FailOnce => {
            let call = || o.called.call_once_force(|_| resume_unwind(Box::new(())));
            u32::from(catch_unwind(AssertUnwindSafe(call)).is_err())
        }
        WaitOnce => u32::from(catch_unwind(AssertUnwindSafe(|| o.called.wait())).is_ok()),
        WaitOnceForce => {
            o.called.wait_force();
            o.atomics[1].load(reads())
        }
        WaitValue => *o.once.wait(),
        IsCompleted => u32::from(o.called.is_completed()),
        Force => *LazyLock::force(&o.lazy),
        _ => return None,
    })
}

/// Semaphores, barriers, cells, choices, and an object that the program defines.
fn other(statement: Statement, o: &Objects, me: u32) -> Option<u32> {
    Some(match statement {
        Acquire => {
            o.semaphore.acquire();
            0
        }
        TryAcquire => u32::from(o.semaphore.try_acquire()),
        Release => {
            o.semaphore.release();
            0
        }
        Choose(n) => choose(n) as u32,
        Fill => o.slot.perform(SlotOperation::Fill(me)),
        Empty => o.slot.perform(SlotOperation::Empty),
        Inspect => o.slot.perform(SlotOperation::Inspect),
        Arrive => u32::from(o.barrier.wait().is_leader()),
        Sleep(seconds) => {
            thread::sleep(Duration::from_secs(seconds as u64));
            0
        }
        Clock => {
            // Executions begin on 1 January 2000.
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
            (now.as_secs() - 946_684_800) as u32
        }
        ReadCell => {
            o.cell.0.with(|_| ());
            0
        }
        WriteCell => {
            o.cell.0.with_mut(|_| ());
            0
        }
        _ => return None,
    })
}
