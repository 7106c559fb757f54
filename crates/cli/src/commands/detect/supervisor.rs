//! Keeps detection to its limits, in whatever phase it is.
//!
//! Reading, binding, tables, clocks, witnesses: not every phase looks at a clock, and a small
//! predicate can make any of them explode. So the work is done on another thread, and the
//! one that waits for it watches time, memory and Ctrl-C. At a limit the work is asked
//! to stop; work that does not react is left behind, and ends with the program. What
//! was answered before is not touched by that, and the next query has its own share of the
//! time. (The [watchdog](crate::watchdog) of other subcommands ends the program instead.)

use crate::interrupt;
use crate::watchdog::memory;
use mazurka_core::Limit;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How often limits are looked at.
const POLL: Duration = Duration::from_millis(5);
/// As much stack as the deepest predicates need.
const STACK: usize = 64 << 20;

/// Limits on everything that is done from now on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Supervisor {
    start: Instant,
    timeout: Option<Duration>,
    /// In bytes, of the whole program: what it may take, beside what it had at the start.
    memory: Option<usize>,
}

/// How work ended.
pub(super) enum Ended<T> {
    /// It is done; perhaps it was asked to stop.
    Done(T, Option<Limit>),
    /// It was asked to stop and did not.
    LeftBehind(Limit),
}

/// Asks work to stop.
#[derive(Debug, Default)]
pub(super) struct Stop {
    flag: Arc<AtomicBool>,
    why: AtomicU8,
    /// Held by whoever prints: work that was left behind prints nothing more.
    printing: Mutex<bool>,
}

impl Stop {
    /// The flag alone.
    pub(super) fn flag(&self) -> &Arc<AtomicBool> {
        &self.flag
    }

    /// Why the work is to stop, if it is.
    pub(super) fn reason(&self) -> Option<Limit> {
        match self.why.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Limit::Time),
            2 => Some(Limit::Memory),
            _ => Some(Limit::Interrupt),
        }
    }

    fn ask(&self, limit: Limit) {
        let why = match limit {
            Limit::Time => 1,
            Limit::Memory => 2,
            _ => 3,
        };
        self.why.store(why, Ordering::Relaxed);
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Prints, unless the work was left behind.
    pub(super) fn printing<T>(&self, print: impl FnOnce() -> T) -> T {
        let left = self.printing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *left {
            // The other thread has said what there is to say and ends the program.
            loop {
                thread::park();
            }
        }
        print()
    }

    fn leave(&self) {
        *self.printing.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = true;
    }
}

impl Supervisor {
    /// Limits from now on.
    pub(super) fn new(timeout: Option<Duration>, memory_limit: Option<usize>) -> Self {
        Self {
            start: Instant::now(),
            timeout,
            memory: memory_limit.map(|most| most.saturating_add(memory())),
        }
    }

    /// The same time, and a quarter of the memory that is left: for work that may come to nothing, since what it has used
    /// is not always given back to the system.
    pub(super) fn with_little_memory(&self) -> Self {
        let now = memory();
        Self {
            memory: self.memory.map(|most| now.saturating_add(most.saturating_sub(now) / 4)),
            ..*self
        }
    }

    /// How much time is left.
    pub(super) fn left(&self) -> Option<Duration> {
        self.timeout.map(|time| time.saturating_sub(self.start.elapsed()))
    }

    /// The limit that is reached.
    pub(super) fn reached(&self) -> Option<Limit> {
        if interrupt::flag().load(Ordering::Relaxed) {
            return Some(Limit::Interrupt);
        }
        if self.memory.is_some_and(|most| memory() > most) {
            return Some(Limit::Memory);
        }
        self.left().is_some_and(|left| left.is_zero()).then_some(Limit::Time)
    }

    /// The same limits with this much more time.
    pub(super) fn extended(&self, more: Duration) -> Self {
        Self {
            timeout: self.timeout.map(|time| time.max(self.start.elapsed()) + more),
            ..*self
        }
    }

    /// Does some work, for `share` at most, within the limits.
    pub(super) fn run<T: Send + 'static>(
        &self,
        share: Option<Duration>,
        work: impl FnOnce(&Arc<Stop>) -> T + Send + 'static,
    ) -> Ended<T> {
        let stop = Arc::new(Stop::default());
        let (sender, receiver) = channel();
        let asked = stop.clone();
        let worker = thread::Builder::new().stack_size(STACK).spawn(move || {
            let done = work(&asked);
            // Nobody listens to work that was left behind.
            let _ = sender.send(done);
        });
        let worker = match worker {
            Ok(worker) => worker,
            Err(_) => return Ended::LeftBehind(Limit::Memory),
        };
        let begin = Instant::now();
        let mut asked: Option<(Limit, Instant)> = None;
        loop {
            match receiver.recv_timeout(POLL) {
                Ok(done) => return Ended::Done(done, asked.map(|(limit, _)| limit)),
                Err(RecvTimeoutError::Disconnected) => match worker.join() {
                    Err(panic) => resume_unwind(panic),
                    Ok(()) => unreachable!("it sends before it ends"),
                },
                Err(RecvTimeoutError::Timeout) => {}
            }
            match asked {
                None => {
                    let over = share.is_some_and(|share| begin.elapsed() >= share);
                    asked = self
                        .reached()
                        .or(over.then_some(Limit::Time))
                        .map(|limit| (limit, Instant::now()));
                    if let Some((limit, _)) = asked {
                        stop.ask(limit);
                    }
                }
                Some((limit, since)) if since.elapsed() >= self.grace(limit) => {
                    stop.leave();
                    return Ended::LeftBehind(limit);
                }
                Some(_) => {}
            }
        }
    }

    /// How long work may take to stop.
    fn grace(&self, limit: Limit) -> Duration {
        let second = Duration::from_secs(1);
        match limit {
            Limit::Time => self.timeout.map_or(second, |time| (time / 20).min(second)),
            // It goes on growing meanwhile.
            Limit::Memory => Duration::from_millis(20),
            _ => second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(milliseconds: u64) -> Supervisor {
        Supervisor::new(Some(Duration::from_millis(milliseconds)), None)
    }

    #[test]
    fn work_that_is_done_in_time_is_done() {
        assert!(matches!(limits(60_000).run(None, |_| 7), Ended::Done(7, None)));
    }

    #[test]
    fn work_that_reacts_says_what_it_has() {
        let work = |stop: &Arc<Stop>| {
            while stop.reason().is_none() {
                thread::yield_now();
            }
            7
        };
        assert!(matches!(
            limits(60_000).run(Some(POLL), work),
            Ended::Done(7, Some(Limit::Time))
        ));
    }

    #[test]
    fn work_that_does_not_react_is_left_behind() {
        let work = |_: &Arc<Stop>| loop {
            thread::park();
        };
        let ended: Ended<()> = limits(50).run(None, work);
        assert!(matches!(ended, Ended::LeftBehind(Limit::Time)));
        let much = Supervisor {
            memory: Some(1),
            ..Supervisor::new(None, None)
        };
        if memory() == 0 {
            // It cannot be measured here.
            return;
        }
        let ended: Ended<()> = much.run(None, work);
        assert!(matches!(ended, Ended::LeftBehind(Limit::Memory)));
    }
}
