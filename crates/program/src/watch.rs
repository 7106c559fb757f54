//! A watchdog that notices when a search does not go on.
//!
//! A controlled thread that loops without visible operations, or that waits for something of std's, never
//! gives control back, so nothing on its OS thread can report it. Therefore each search tells a watchdog what it does. The
//! watchdog is one OS thread for the whole process. It notices when a search has not moved for too long, or when a
//! signal ends the process ([`crate::fiber::fault`]), and prints what is known: which thread ran, what it did last, and how
//! to run the execution again. Then it ends the process, because there is no other way to stop that thread.

use crate::execution::Settings;
use crate::fiber::fault;
use crate::ids::ThreadId;
use crate::operation::{Kind, Operation};
use crate::token::{Schedule, Token};
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// The time between two looks of the watchdog.
const PERIOD: Duration = Duration::from_millis(25);

/// A search may exceed its `max_duration` by this before it is ended by force.
const GRACE: Duration = Duration::from_millis(500);

/// The exit code of a test process that fails.
const FAILURE: i32 = 101;

/// What a search tells the watchdog.
pub(crate) struct Watch {
    /// Changes whenever a thread gets control or gives it back; odd while a thread has it.
    beat: AtomicU64,
    /// The first block of numbers of the present execution; see [`crate::handle`].
    block: AtomicU64,
    /// Its other blocks.
    more: Mutex<Vec<u64>>,
    situation: Mutex<Situation>,
    number: u64,
    patience: Patience,
    at: &'static Location<'static>,
    site: u16,
    /// The OS thread of the search, as Linux numbers it.
    os_thread: u64,
    std_thread: std::thread::ThreadId,
}

/// How long the watchdog waits before it ends the process.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// How long a thread may run to its next visible operation.
    pub(crate) step: Duration,
    /// When the whole search must be over.
    pub(crate) deadline: Option<Instant>,
}

impl Patience {
    /// How long a thread may run without a visible operation, unless the user says otherwise.
    pub(crate) const STEP: Duration = Duration::from_secs(60);
}

/// What is known of the present execution.
pub(crate) struct Situation {
    thread: ThreadId,
    name: String,
    operation: Option<(Kind, &'static Location<'static>)>,
    pub(crate) schedule: Schedule,
    settings: Settings,
    /// Violations, as text.
    found: String,
    /// The panics of controlled threads.
    panics: Vec<(String, String)>,
    intruder: Option<String>,
    stack: usize,
}

static WATCHED: Mutex<Vec<Arc<Watch>>> = Mutex::new(Vec::new());

fn watched() -> MutexGuard<'static, Vec<Arc<Watch>>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches a search as long as it exists.
pub(crate) struct Watching(pub(crate) Arc<Watch>);

impl Watching {
    pub(crate) fn new(
        settings: Settings,
        patience: Patience,
        stack: usize,
        at: &'static Location<'static>,
        site: u16,
    ) -> Watching {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        static WATCHDOG: Once = Once::new();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let watch = Arc::new(Watch {
            beat: AtomicU64::new(0),
            block: AtomicU64::new(0),
            more: Mutex::default(),
            situation: Mutex::new(Situation {
                thread: ThreadId::MAIN,
                name: String::new(),
                operation: None,
                schedule: Schedule::default(),
                settings,
                found: String::new(),
                panics: Vec::new(),
                intruder: None,
                stack,
            }),
            number,
            patience,
            at,
            site,
            os_thread: os_thread(),
            std_thread: std::thread::current().id(),
        });
        watched().push(Arc::clone(&watch));
        WATCHDOG.call_once(|| {
            // Without the watchdog a check works, but a search that hangs is not reported.
            let _ = std::thread::Builder::new()
                .name("mazurka watchdog".to_owned())
                .spawn(watchdog);
        });
        fault::prepare(number);
        Watching(watch)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        watched().retain(|w| w.number != self.0.number);
        fault::prepare(0);
    }
}

impl Watch {
    pub(crate) fn situation(&self) -> MutexGuard<'_, Situation> {
        self.situation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread is given control, to perform an operation or to begin.
    pub(crate) fn gives_control(&self, thread: ThreadId, name: Option<&str>, operation: Option<Operation>) {
        let mut situation = self.situation();
        situation.thread = thread;
        situation.name.clear();
        situation.name.push_str(name.unwrap_or_default());
        situation.operation = operation.map(|op| (op.kind, op.at));
        drop(situation);
        self.beat.fetch_add(1, Ordering::Relaxed);
    }

    /// The thread has given it back.
    pub(crate) fn has_control(&self) {
        self.beat.fetch_add(1, Ordering::Relaxed);
    }

    /// A new execution begins.
    pub(crate) fn begins(&self, block: u64) {
        self.block.store(block, Ordering::Relaxed);
        self.more().clear();
        let mut situation = self.situation();
        situation.schedule = Schedule::default();
        situation.panics.clear();
    }

    /// The present execution numbers objects from another block.
    pub(crate) fn goes_on(&self, block: u64) {
        self.more().push(block);
    }

    fn more(&self) -> MutexGuard<'_, Vec<u64>> {
        self.more.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process, because the thread that runs cannot go on.
    pub(crate) fn end(&self, why: &str) -> ! {
        print(&self.final_message(why));
        std::process::exit(FAILURE);
    }

    /// Who, outside the control of the search, has used a primitive of the execution, and where.
    pub(crate) fn intruder(&self) -> Option<String> {
        self.situation().intruder.take()
    }

    /// A controlled thread panics.
    pub(crate) fn panics(&self, message: &str, at: &str) {
        self.situation().panics.push((message.to_owned(), at.to_owned()));
    }

    /// A violation was found. It is kept because the process may end before it is reported.
    pub(crate) fn found(&self, violation: &str) {
        let mut situation = self.situation();
        situation.found.push_str(violation);
        situation.found.push('\n');
    }

    /// What is printed when the process ends: why, and everything that is known.
    fn final_message(&self, why: &str) -> String {
        let situation = self.situation();
        let mut out = situation.found.clone();
        let who = if situation.name.is_empty() {
            situation.thread.to_string()
        } else {
            situation.name.clone()
        };
        let _ = write!(out, "mazurka: the check at {} ends here: {who} {why}.", self.at);
        let _ = match situation.operation {
            Some((kind, at)) => write!(
                out,
                "\n  the last visible operation of {who} was {} at {at}.",
                kind.verb()
            ),
            None => write!(out, "\n  {who} had not reached its first visible operation."),
        };
        for (message, at) in &situation.panics {
            let _ = write!(out, "\n  in this execution a thread panicked at {at}: {message}");
        }
        let token = Token::new(&situation.settings, self.site, situation.schedule.clone());
        let _ = write!(
            out,
            "\n  run it again: MAZURKA_REPLAY={token} cargo test <name of the test>"
        );
        out
    }
}

/// Code that is not under control uses a primitive of this execution.
pub(crate) fn uncontrolled_use(block: u64, at: &'static Location<'static>) {
    report_intrusion(block, |me| {
        let name = me.name().unwrap_or("a thread without a name");
        format!(
            "{name} ({:?} of std) is not under control, but uses a primitive of the check at {at}",
            me.id()
        )
    });
}

/// Another search uses a primitive of this execution.
pub(crate) fn concurrent_use(block: u64, made: &'static Location<'static>) {
    report_intrusion(block, |_| {
        format!("another check that runs at the same time uses the primitive made at {made}")
    });
}

/// Tells the search that runs this execution now, if it is on another OS thread.
fn report_intrusion(block: u64, text: impl Fn(&std::thread::Thread) -> String) {
    let me = std::thread::current();
    for watch in watched().iter() {
        let runs = watch.block.load(Ordering::Relaxed) == block || watch.more().contains(&block);
        if runs && watch.std_thread != me.id() {
            watch.situation().intruder.get_or_insert(text(&me));
        }
    }
}

fn print(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn watchdog() {
    // For each search: its number, its last beat, and when that was first seen.
    let mut seen: Vec<(u64, u64, Instant)> = Vec::new();
    loop {
        std::thread::sleep(PERIOD);
        let watched: Vec<Arc<Watch>> = watched().clone();
        if let Some(fault) = fault::raised() {
            let search = watched.iter().find(|w| w.number == fault.search);
            if let Some(watch) = search {
                let why = describe(&fault, watch.situation().stack);
                print(&watch.final_message(&why));
            }
            fault::reported();
        }
        seen.retain(|(number, ..)| watched.iter().any(|w| w.number == *number));
        for watch in &watched {
            let beat = watch.beat.load(Ordering::Relaxed);
            let known = seen.iter_mut().find(|(number, ..)| *number == watch.number);
            let since = match known {
                Some((_, last, since)) if *last == beat => *since,
                Some(known) => {
                    *known = (watch.number, beat, Instant::now());
                    continue;
                }
                None => {
                    seen.push((watch.number, beat, Instant::now()));
                    continue;
                }
            };
            // An even beat is the search itself, at work.
            if beat % 2 == 1 && watch.over(since) {
                let state = if waits(watch.os_thread) {
                    "it waits for something that is not under control: a lock, a channel or a thread of std, another executor, or input"
                } else {
                    "it loops without visible operations, or computes for a long time"
                };
                let why = format!(
                    "has run for {:.1} s without a visible operation: {state}",
                    since.elapsed().as_secs_f64()
                );
                print(&watch.final_message(&why));
                std::process::exit(FAILURE);
            }
        }
    }
}

impl Watch {
    /// True if a thread has had control for too long, since this time.
    fn over(&self, since: Instant) -> bool {
        let too_long = since.elapsed() >= self.patience.step;
        let too_late = self.patience.deadline.is_some_and(|deadline| {
            let now = Instant::now();
            now >= deadline + GRACE && since.elapsed() >= GRACE
        });
        (too_long || too_late) && !traced()
    }
}

fn describe(fault: &fault::Fault, stack: usize) -> String {
    if fault.overflow {
        return format!(
            "has overflowed its stack of {} KiB: Checker::stack_size sets the size for all threads, thread::Builder::stack_size for one",
            stack >> 10
        );
    }
    let name = match fault.signal {
        4 => "an illegal instruction (SIGILL)",
        6 => {
            "an abort (SIGABRT): a panic in a destructor while a stack was unwound, or memory that was freed twice, for example"
        }
        7 | 10 => "a bus error (SIGBUS)",
        8 => "an arithmetic error (SIGFPE)",
        11 => "a segmentation fault (SIGSEGV)",
        _ => "a signal",
    };
    format!("has ended the process by {name}")
}

/// The number that Linux gave to the current OS thread; 0 if it is unknown.
fn os_thread() -> u64 {
    let link = std::fs::read_link("/proc/thread-self").ok();
    let name = link.as_deref().and_then(|l| l.file_name()).and_then(|n| n.to_str());
    name.and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// True if an OS thread is known to sleep.
fn waits(os_thread: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{os_thread}/stat")).unwrap_or_default();
    // The state comes after the name, which is in parentheses and may contain anything.
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    matches!(state, Some('S' | 'D'))
}

/// True under a debugger, where time means nothing.
fn traced() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|l| l.strip_prefix("TracerPid:"));
    tracer.is_some_and(|pid| pid.trim() != "0")
}
