//! Keeps work to its limits, in whatever phase it is.
//!
//! Reading, binding, tables, clocks, witnesses: not every phase looks at a clock, and a small
//! predicate can make any of them explode. So the work is done on another thread, and the
//! one that waits for it watches time, memory and the interrupt. At a limit the work is asked
//! to stop. Work that does not react is left behind, and ends with the process: the answers that
//! were there before it are not affected, and the next question has its own share of the time.

use mazurka_core::Limit;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often limits are looked at.
const POLL: Duration = Duration::from_millis(5);
/// As much stack as the deepest predicates need.
const STACK: usize = 64 << 20;

/// What all work together may use.
#[derive(Clone, Debug)]
pub struct Budget {
    /// This long, from the start on.
    pub time: Option<Duration>,
    /// This many bytes more than the process has at the start, as measured by
    /// [`memory_used`](Self::memory_used).
    pub memory: Option<usize>,
    /// Measures the memory of the process, in bytes; 0 where that cannot be known.
    pub memory_used: fn() -> usize,
    /// All work ends early when this is set.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Budget {
    /// No limits.
    fn default() -> Self {
        Self {
            time: None,
            memory: None,
            memory_used: || 0,
            interrupt: None,
        }
    }
}

/// Does work within a [`Budget`].
///
/// ```
/// use mazurka_core::Limit;
/// use mazurka_trace::{Budget, Ended, Supervisor};
/// use std::time::Duration;
/// let time = Some(Duration::from_millis(20));
/// let supervisor = Supervisor::new(Budget { time, ..Budget::default() });
/// let endless = || loop { std::thread::park() };
/// let ended: Ended<()> = supervisor.run(None, move |_| endless());
/// assert!(matches!(ended, Ended::LeftBehind(Limit::Time)));
/// ```
#[derive(Clone, Debug)]
pub struct Supervisor {
    start: Instant,
    /// Its memory is that of the whole process.
    budget: Budget,
}

/// How work ended.
#[derive(Clone, Debug)]
pub enum Ended<T> {
    /// It is done. If it was asked to stop, this is why.
    Done(T, Option<Limit>),
    /// It was asked to stop and did not.
    LeftBehind(Limit),
}

/// Asks work to stop.
#[derive(Debug, Default)]
pub struct Stop {
    flag: Arc<AtomicBool>,
    why: AtomicU8,
    /// Locked while work prints: work that was left behind prints nothing more.
    left_behind: Mutex<bool>,
}

impl Stop {
    /// Is set when the work is to stop.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.flag
    }

    /// Why the work is to stop, if it is.
    pub fn reason(&self) -> Option<Limit> {
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

    /// Does something that others can see, such as printing. If the work was left behind, it does nothing and does not
    /// return: the thread that waited for the work has said what there is to say, and ends the process.
    pub fn visibly<T>(&self, act: impl FnOnce() -> T) -> T {
        let left_behind = self.left_behind.lock().unwrap_or_else(PoisonError::into_inner);
        if *left_behind {
            loop {
                thread::park();
            }
        }
        act()
    }

    fn leave(&self) {
        *self.left_behind.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

impl Supervisor {
    /// A supervisor whose budget counts from now on.
    pub fn new(budget: Budget) -> Self {
        let used = (budget.memory_used)();
        Self {
            start: Instant::now(),
            budget: Budget {
                memory: budget.memory.map(|most| most.saturating_add(used)),
                ..budget
            },
        }
    }

    /// The same time, and a quarter of the memory that is left: for work that may come to nothing, since what it has used
    /// is not always given back to the system.
    pub(crate) fn with_little_memory(&self) -> Self {
        let now = (self.budget.memory_used)();
        let quarter = |most: usize| now.saturating_add(most.saturating_sub(now) / 4);
        Self {
            budget: Budget {
                memory: self.budget.memory.map(quarter),
                ..self.budget.clone()
            },
            ..*self
        }
    }

    /// The same limits with this much more time.
    pub fn extended(&self, more: Duration) -> Self {
        let time = self.budget.time;
        Self {
            budget: Budget {
                time: time.map(|time| time.max(self.start.elapsed()).saturating_add(more)),
                ..self.budget.clone()
            },
            ..*self
        }
    }

    /// Whether time or memory is limited.
    pub(crate) fn is_limited(&self) -> bool {
        self.budget.time.is_some() || self.budget.memory.is_some()
    }

    /// How much time is left, if time is limited.
    pub fn left(&self) -> Option<Duration> {
        let time = self.budget.time?;
        Some(time.saturating_sub(self.start.elapsed()))
    }

    /// The limit that is reached, if one is.
    pub fn reached(&self) -> Option<Limit> {
        let interrupt = self.budget.interrupt.as_ref();
        if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Limit::Interrupt);
        }
        if self
            .budget
            .memory
            .is_some_and(|most| (self.budget.memory_used)() > most)
        {
            return Some(Limit::Memory);
        }
        self.left().is_some_and(|left| left.is_zero()).then_some(Limit::Time)
    }

    /// Does some work within the limits, for `share` at most.
    pub fn run<T: Send + 'static>(
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
        let Ok(worker) = worker else {
            return Ended::LeftBehind(Limit::Memory);
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
                    let limit = self.reached().or(over.then_some(Limit::Time));
                    asked = limit.map(|limit| (limit, Instant::now()));
                    if let Some(limit) = limit {
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
            Limit::Time => self.budget.time.map_or(second, |time| (time / 20).min(second)),
            // It goes on growing meanwhile.
            Limit::Memory => Duration::from_millis(20),
            _ => second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    fn limits(milliseconds: u64) -> Supervisor {
        Supervisor::new(Budget {
            time: Some(Duration::from_millis(milliseconds)),
            ..Budget::default()
        })
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
        // What the process has grows by a byte each time it is measured.
        static USED: AtomicUsize = AtomicUsize::new(0);
        let much = Supervisor::new(Budget {
            memory: Some(1),
            memory_used: || USED.fetch_add(1, Ordering::Relaxed),
            ..Budget::default()
        });
        let ended: Ended<()> = much.run(None, work);
        assert!(matches!(ended, Ended::LeftBehind(Limit::Memory)));
    }

    #[test]
    fn an_interrupt_ends_all_work() {
        let flag = Arc::new(AtomicBool::new(false));
        let supervisor = Supervisor::new(Budget {
            interrupt: Some(flag.clone()),
            ..Budget::default()
        });
        assert_eq!(supervisor.reached(), None);
        let work = move |stop: &Arc<Stop>| {
            flag.store(true, Ordering::Relaxed);
            while !stop.flag().load(Ordering::Relaxed) {
                thread::yield_now();
            }
        };
        assert!(matches!(
            supervisor.run(None, work),
            Ended::Done((), Some(Limit::Interrupt))
        ));
    }
}
