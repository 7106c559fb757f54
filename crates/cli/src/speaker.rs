//! A thread that can report what is known even when the memory of the machine is used up.
//!
//! Starting a thread and formatting a text take memory. So the thread is there from the start, and a
//! reserve is held back that is released when the report is needed.

use crate::exit::Exit;
use crate::out_of_memory;
use crate::watchdog::Stopped;
use std::cell::Cell;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::Duration;

/// The memory that writing an answer may take: a page of some hundred steps takes less.
const RESERVE: usize = 8 << 20;

/// Says what is known.
pub(crate) type Answer = Box<dyn FnOnce(Stopped) -> Exit + Send>;

/// A thread that waits to be asked.
pub(crate) struct Speaker {
    asked: SyncSender<(Answer, Stopped)>,
    exits: Receiver<Exit>,
    /// Memory that is reserved and not used.
    reserve: Cell<Vec<u8>>,
}

impl Speaker {
    /// Starts the thread; it ends with the speaker. `None` if the system gives no thread.
    pub(crate) fn start() -> Option<Self> {
        // Bounded channels have their buffers from the start, so sending allocates nothing.
        let (asked, questions) = mpsc::sync_channel::<(Answer, Stopped)>(1);
        let (said, exits) = mpsc::sync_channel(1);
        let speak = move || {
            out_of_memory::speak();
            if let Ok((answer, stopped)) = questions.recv() {
                // Nobody listens if it took too long.
                let _ = said.send(answer(stopped));
            }
        };
        std::thread::Builder::new().spawn(speak).ok()?;
        Some(Self {
            asked,
            exits,
            reserve: Cell::new(Vec::with_capacity(RESERVE)),
        })
    }

    /// Releases the reserve.
    pub(crate) fn release(&self) {
        drop(self.reserve.take());
    }

    /// Has the thread say what is known, which must not take longer than this. `None` if it did not.
    pub(crate) fn say(&self, answer: Answer, stopped: Stopped, longest: Duration) -> Option<Exit> {
        self.asked.send((answer, stopped)).ok()?;
        self.exits.recv_timeout(longest).ok()
    }
}
