//! Limits that hold in every phase: reading, analysing, searching, replaying, writing.
//!
//! Searches look at their limits themselves. Other phases have no limits of their own, so a
//! thread watches the clock and the memory of the process, in two steps:
//!
//! 1. When a limit is reached, or a signal arrived, it sets [`interrupt::flag`] and remembers why
//!    ([`interrupt::why`]). Work that looks at the flag returns what it has, as after Ctrl-C. An answer
//!    that ends with [`Limit::Interrupt`] may mean any of these: [`reached`] says which.
//! 2. If there is no answer when the limit is exceeded by a tenth (for a signal: after a second, or at a second signal), or
//!    the system has no memory to give ([`out_of_memory`]), it takes over: it has the subcommand say what is known by then, and ends the process.
//!
//! How a subcommand uses it:
//!
//! ```ignore
//! let known = Arc::new(Mutex::new(Known::default()));      // verdicts so far; what the report needs
//! let dog = Watchdog::start(
//!     Bounds { time: options.timeout, memory: options.max_memory },
//!     { let known = known.clone(); move |stopped| conclude(&known.lock().unwrap(), Some(stopped)) },
//! );
//! dog.phase("reading the input");
//! // … long work, with `interrupt::flag()` as its flag; each verdict goes to `known` at once …
//! dog.answered(exit);                                      // nobody else answers from here on
//! conclude(…)                                              // prints, writes reports
//! ```
//!
//! The closure must not wait for a lock that is held during long work. Whichever of the closure and
//! [`answered`](Watchdog::answered) comes first answers; the other never returns. When the watchdog is dropped, the watch
//! is over: an error that is returned instead is printed by the caller.

use crate::exit::Exit;
use crate::interrupt;
use crate::out_of_memory;
use crate::speaker::{Answer, Speaker};
use mazurka_core::Limit;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a run may use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    /// From the start on.
    pub(crate) time: Option<Duration>,
    /// Bytes of memory, beside what the program has when it starts.
    pub(crate) memory: Option<usize>,
}

impl Bounds {
    /// The bound that is exceeded by this many hundredths. A bound may be as large as a number can be.
    fn exceeded(self, elapsed: Duration, used: usize, hundredths: u32) -> Option<Limit> {
        let beyond = |max: Duration| match hundredths {
            0 => Duration::ZERO,
            _ => (max / 100).saturating_mul(hundredths).max(LEAST),
        };
        if self.time.is_some_and(|max| elapsed >= max.saturating_add(beyond(max))) {
            return Some(Limit::Time);
        }
        let beyond = |max: usize| (max / 100).saturating_mul(hundredths as usize);
        let memory = |max: usize| used >= max.saturating_add(beyond(max));
        self.memory.is_some_and(memory).then_some(Limit::Memory)
    }
}

/// Why an answer is not waited for any longer.
#[derive(Clone, Debug)]
pub(crate) struct Stopped {
    /// The limit.
    pub(crate) limit: Limit,
    /// What was being done.
    pub(crate) phase: String,
}

impl Stopped {
    /// The exit code if nothing is known.
    pub(crate) fn exit(&self) -> Exit {
        Exit::of_limit(self.limit)
    }
}

/// The limit that was reached, where a search says that it was asked to stop.
pub(crate) fn reached(limit: Limit) -> Limit {
    match limit {
        Limit::Interrupt => interrupt::why().unwrap_or(limit),
        limit => limit,
    }
}

/// Watches until it is dropped.
pub(crate) struct Watchdog {
    start: Instant,
    shared: Arc<Shared>,
    /// Ends the thread when it is dropped.
    _alive: mpsc::Sender<()>,
}

struct Shared {
    stage: Mutex<Stage>,
    phase: Mutex<String>,
}

enum Stage {
    /// There is no answer yet.
    Working(Answer),
    /// It is being printed and written.
    Answering(Exit),
    /// The watchdog answers.
    Taken,
    Over,
}

/// From one look to the next: with a limit on memory more often, since memory fills fast.
const LOOK: Duration = Duration::from_millis(20);
const LOOK_AT_MEMORY: Duration = Duration::from_millis(3);
/// A limit on time is exceeded by this much at least before the watchdog takes over.
const LEAST: Duration = Duration::from_millis(50);
/// How long a signal is given to be noticed.
const SIGNAL: Duration = Duration::from_secs(1);
/// How long an answer may take to be written once it is known.
const WRITING: Duration = Duration::from_secs(2);

impl Watchdog {
    /// Starts to watch; `answer` says what is known, if there is no answer in time.
    pub(crate) fn start(bounds: Bounds, answer: impl FnOnce(Stopped) -> Exit + Send + 'static) -> Self {
        interrupt::flag();
        interrupt::is_watched();
        let shared = Arc::new(Shared {
            stage: Mutex::new(Stage::Working(Box::new(answer))),
            phase: Mutex::new(String::new()),
        });
        let (alive, ended) = mpsc::channel();
        let start = Instant::now();
        let watch = Watch {
            bounds,
            start,
            own: memory(),
            shared: shared.clone(),
            speaker: Speaker::start(),
        };
        let named = std::thread::Builder::new().name("watchdog".to_owned());
        // Without a thread, the searches still keep to their limits.
        let _ = named.spawn(move || watch.until(&ended));
        Self {
            start,
            shared,
            _alive: alive,
        }
    }

    /// When the watch began.
    pub(crate) fn started(&self) -> Instant {
        self.start
    }

    /// Says what is done from now on.
    pub(crate) fn phase(&self, what: impl Into<String>) {
        *locked(&self.shared.phase) = what.into();
    }

    /// There is an answer, with this exit code, and the caller prints it. Never returns if the watchdog answers.
    pub(crate) fn answered(&self, exit: Exit) {
        self.enter(Stage::Answering(exit));
    }

    fn enter(&self, next: Stage) {
        let mut stage = locked(&self.shared.stage);
        if !matches!(*stage, Stage::Taken) {
            *stage = next;
            return;
        }
        drop(stage);
        // The process ends as soon as the other answer is out.
        loop {
            std::thread::park();
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.enter(Stage::Over);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bytes of memory that the process has; 0 where that cannot be known.
pub(crate) fn memory() -> usize {
    memory_stats::memory_stats().map_or(0, |found| found.physical_mem)
}

struct Watch {
    bounds: Bounds,
    start: Instant,
    /// The memory of the program itself.
    own: usize,
    shared: Arc<Shared>,
    speaker: Option<Speaker>,
}

impl Watch {
    fn until(self, ended: &mpsc::Receiver<()>) {
        out_of_memory::watch();
        let interval = match self.bounds.memory {
            Some(_) => LOOK_AT_MEMORY,
            None => LOOK,
        };
        let mut asked = None;
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(interval) {
            let used = match self.bounds.memory {
                Some(_) => memory().saturating_sub(self.own),
                None => 0,
            };
            if out_of_memory::is_exhausted() {
                self.take_over(Limit::Memory);
            }
            let now = Instant::now();
            if let Some(limit) = self.reached(used, 0) {
                interrupt::ask(limit);
                let asked = *asked.get_or_insert(now);
                if self.is_ignored(now - asked, used) {
                    self.take_over(interrupt::why().unwrap_or(limit));
                }
            } else {
                asked = None;
            }
        }
        out_of_memory::unwatch();
    }

    /// The limit that is exceeded by this many hundredths.
    fn reached(&self, used: usize, hundredths: u32) -> Option<Limit> {
        if interrupt::signals() > 0 {
            return Some(Limit::Interrupt);
        }
        self.bounds.exceeded(self.start.elapsed(), used, hundredths)
    }

    /// Whether there is no answer, this long after everything was asked to stop.
    fn is_ignored(&self, since: Duration, used: usize) -> bool {
        let is_writing = matches!(*locked(&self.shared.stage), Stage::Answering(_));
        let (hundredths, least) = match is_writing {
            true => (20, WRITING),
            false => (10, Duration::ZERO),
        };
        match self.reached(used, hundredths) {
            Some(Limit::Interrupt) => interrupt::signals() > 1 || since >= SIGNAL.max(least),
            Some(Limit::Memory) => true,
            Some(_) => since >= least,
            // Memory does not grow any more, but the work has not returned either.
            None => since >= WRITING && self.bounds.time.is_none(),
        }
    }

    /// Says what is known, and ends the process.
    fn take_over(&self, limit: Limit) -> ! {
        if let Some(speaker) = &self.speaker {
            speaker.release();
        }
        let phase = locked(&self.shared.phase).clone();
        let stopped = Stopped { limit, phase };
        let stage = std::mem::replace(&mut *locked(&self.shared.stage), Stage::Taken);
        let exit = match stage {
            Stage::Working(answer) => self.answer(answer, stopped),
            Stage::Answering(exit) => {
                let _ = writeln!(std::io::stderr(), "{limit}: not everything was written");
                exit
            }
            Stage::Taken => stopped.exit(),
            Stage::Over => loop {
                // The program is about to end by itself.
                std::thread::park();
            },
        };
        std::process::exit(exit.code());
    }

    /// Lets the speaker answer, which may be stuck.
    fn answer(&self, answer: Answer, stopped: Stopped) -> Exit {
        let mut stderr = std::io::stderr();
        if stderr.is_terminal() {
            // Instead of the progress line.
            let _ = write!(stderr, "\r\x1b[2K");
        }
        let otherwise = stopped.exit();
        let limit = stopped.limit;
        let said = self
            .speaker
            .as_ref()
            .and_then(|speaker| speaker.say(answer, stopped, WRITING));
        said.unwrap_or_else(|| {
            let _ = writeln!(stderr, "{limit}: there was not enough time to say what is known");
            otherwise
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_exceeded_by_hundredths() {
        let second = Duration::from_secs(1);
        let bounds = Bounds {
            time: Some(10 * second),
            memory: Some(1000),
        };
        assert_eq!(bounds.exceeded(9 * second, 999, 0), None);
        assert_eq!(bounds.exceeded(10 * second, 999, 0), Some(Limit::Time));
        assert_eq!(bounds.exceeded(10 * second, 1099, 10), None);
        assert_eq!(bounds.exceeded(11 * second, 1099, 10), Some(Limit::Time));
        assert_eq!(bounds.exceeded(10 * second, 1100, 10), Some(Limit::Memory));
    }

    #[test]
    fn the_largest_bounds_are_not_exceeded() {
        let bounds = Bounds {
            time: Some(Duration::MAX),
            memory: Some(usize::MAX),
        };
        for hundredths in [0, 10, 20, 1000] {
            assert_eq!(bounds.exceeded(Duration::from_secs(1), 1, hundredths), None);
        }
    }
}
