//! The objects of random programs.

use super::orders::reads;
use mazurka::cell::{Cell, UnsafeCell};
use mazurka::sync::atomic::AtomicU32;
use mazurka::sync::{Barrier, Condvar, LazyLock, Monitor, Mutex, Once, OnceLock, RwLock, Semaphore};
use mazurka::{Object, Shared};
use std::sync::Mutex as Plain;

pub(super) struct Objects {
    pub(super) mutexes: [Mutex<u32>; 2],
    pub(super) lock: RwLock<u32>,
    pub(super) atomics: [AtomicU32; 2],
    pub(super) condition: Condvar,
    pub(super) guarded: Mutex<u32>,
    pub(super) semaphore: Semaphore,
    pub(super) barrier: Barrier,
    pub(super) once: OnceLock<u32>,
    pub(super) slot: Shared<Slot>,
    pub(super) called: Once,
    pub(super) lazy: LazyLock<u32>,
    pub(super) monitor: Monitor,
    /// What the monitor protects.
    pub(super) entered: Plain<u32>,
    pub(super) cell: Tracked,
    /// They protect the cells.
    pub(super) beside: [Mutex<()>; 2],
    pub(super) cells: Beside,
}

pub(super) struct Tracked(pub(super) UnsafeCell<u32>);
// SAFETY: the pointers are never dereferenced.
#[allow(unsafe_code)]
unsafe impl Sync for Tracked {}

/// Cells that other objects protect.
pub(super) struct Beside(pub(super) [Cell<u32>; 2]);
// SAFETY: the values are accessed with a mutex, or not at all.
#[allow(unsafe_code)]
unsafe impl Sync for Beside {}

impl Objects {
    pub(super) fn new() -> Objects {
        Objects {
            mutexes: [Mutex::new(0), Mutex::new(0)],
            lock: RwLock::new(0),
            atomics: [AtomicU32::new(0), AtomicU32::new(0)],
            condition: Condvar::new(),
            guarded: Mutex::new(0),
            semaphore: Semaphore::new(1),
            barrier: Barrier::new(2),
            once: OnceLock::new(),
            slot: Shared::new(Slot(None)),
            called: Once::new(),
            lazy: LazyLock::new(|| 77),
            monitor: Monitor::new(),
            entered: Plain::new(0),
            cell: Tracked(UnsafeCell::new(0)),
            beside: [Mutex::new(()), Mutex::new(())],
            cells: Beside([Cell::new(0), Cell::new(0)]),
        }
    }

    /// Touches everything that gets its number before channels do.
    pub(super) fn touch_before_channels(&self) {
        for mutex in &self.mutexes {
            drop(mutex.lock());
        }
        drop(self.lock.write());
        for atomic in &self.atomics {
            atomic.load(reads());
        }
        self.condition.notify_all();
        drop(self.guarded.lock());
        self.semaphore.acquire();
        self.semaphore.release();
        self.once.get();
    }

    /// Touches everything that gets its number after channels do.
    pub(super) fn touch_after_channels(&self) {
        self.called.is_completed();
        self.monitor.acquire();
        self.monitor.release().unwrap();
    }
}

/// An object that the program defines: a place for one value, where threads wait.
pub(super) struct Slot(Option<u32>);

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum SlotOperation {
    Fill(u32),
    Empty,
    Inspect,
}

impl Object for Slot {
    type Operation = SlotOperation;
    type Output = u32;

    fn enabled(&self, operation: &SlotOperation) -> bool {
        match operation {
            SlotOperation::Fill(_) => self.0.is_none(),
            SlotOperation::Empty => self.0.is_some(),
            SlotOperation::Inspect => true,
        }
    }

    fn perform(&mut self, operation: &SlotOperation) -> u32 {
        match operation {
            SlotOperation::Fill(value) => {
                self.0 = Some(*value);
                0
            }
            SlotOperation::Empty => self.0.take().unwrap(),
            SlotOperation::Inspect => self.0.unwrap_or(99),
        }
    }

    fn dependent(a: &SlotOperation, b: &SlotOperation) -> bool {
        !matches!((a, b), (SlotOperation::Inspect, SlotOperation::Inspect))
    }
}
