//! The flag that asks everything to stop, and why it was set.
//!
//! Ctrl-C, SIGTERM and SIGHUP set it, and so does the [watchdog](crate::watchdog) when a limit of the command line
//! is reached. Long work looks at it and returns what it has so far.

use mazurka_core::Limit;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Why; the first reason counts.
static WHY: Mutex<Option<Limit>> = Mutex::new(None);
static SIGNALS: AtomicU32 = AtomicU32::new(0);
/// Whether a watchdog reacts to a second signal.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// The flag. From the first call on, signals set it instead of ending the program.
pub(crate) fn flag() -> &'static AtomicBool {
    shared()
}

/// The same flag, shared.
pub(crate) fn shared() -> &'static Arc<AtomicBool> {
    // If this fails, a signal ends the program at once, which is acceptable.
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

/// Withdraws the request if the reason was memory: the work that used it has released it, and other work may go on. If it has
/// not, the watchdog asks again.
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
