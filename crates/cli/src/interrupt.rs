//! The one flag that asks everything to stop, and who set it.
//!
//! Ctrl-C, SIGTERM and SIGHUP set it, and so does the [watchdog](crate::watchdog) when a limit of the command line
//! is reached. Whoever works long looks at it and comes back with what there is.

use mazurka_core::Limit;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Why; the first reason counts.
static WHY: Mutex<Option<Limit>> = Mutex::new(None);
static SIGNALS: AtomicU32 = AtomicU32::new(0);
/// Whether somebody sees to it that a second signal is answered.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// The flag. From the first call on, signals set it instead of ending the program.
pub(crate) fn flag() -> &'static AtomicBool {
    shared()
}

/// The same flag for those who share it.
pub(crate) fn shared() -> &'static Arc<AtomicBool> {
    // Without a handler a signal ends the program at once, which is no reason not to start.
    let _ = ctrlc::set_handler(|| {
        let before = SIGNALS.fetch_add(1, Ordering::Relaxed);
        ask(Limit::Interrupt);
        // A watchdog says what is known first; a third signal does not wait for that either.
        if before >= 2 || before == 1 && !WATCHED.load(Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &ASKED
}

/// Asks everything to stop.
pub(crate) fn ask(why: Limit) {
    let mut reason = WHY.lock().unwrap_or_else(PoisonError::into_inner);
    reason.get_or_insert(why);
    ASKED.store(true, Ordering::Relaxed);
}

/// Asks no more, if it was for memory: what took it has given it back, and others may go on. If it has not, the
/// watchdog asks again.
pub(crate) fn forgive_memory() {
    let mut reason = WHY.lock().unwrap_or_else(PoisonError::into_inner);
    if *reason == Some(Limit::Memory) {
        *reason = None;
        ASKED.store(false, Ordering::Relaxed);
    }
}

/// Why everything is asked to stop, if it is.
pub(crate) fn why() -> Option<Limit> {
    *WHY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many signals there were.
pub(super) fn signals() -> u32 {
    SIGNALS.load(Ordering::Relaxed)
}

/// From now on a second signal is left to the watchdog.
pub(super) fn is_watched() {
    WATCHED.store(true, Ordering::Relaxed);
}
