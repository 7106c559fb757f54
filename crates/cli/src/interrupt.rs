//! Ctrl-C: the first one asks the search to stop, the second one does not ask.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// A flag that Ctrl-C sets.
pub(crate) fn flag() -> &'static AtomicBool {
    shared()
}

/// The same flag for those who share it.
pub(crate) fn shared() -> &'static Arc<AtomicBool> {
    // Without a handler Ctrl-C ends the program at once, which is no reason not to start.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &INTERRUPTED
}
