//! Ctrl-C: the first one asks the search to stop, the second one does not ask.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A flag that Ctrl-C sets.
pub(crate) fn flag() -> &'static AtomicBool {
    // Without a handler Ctrl-C ends the program at once, which is no reason not to start.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &INTERRUPTED
}
