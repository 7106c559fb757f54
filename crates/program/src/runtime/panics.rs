//! Panics of controlled threads are recorded, not printed.

use super::{current, inside};
use std::cell::RefCell;
use std::panic::PanicHookInfo;
use std::sync::Once;

thread_local! {
    static LAST_PANIC: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// The message of the last panic, and its place.
pub(super) fn last_panic() -> (String, String) {
    LAST_PANIC
        .take()
        .unwrap_or_else(|| ("a panic without a message".into(), "?".into()))
}

/// Installs a panic hook that records the panics of controlled threads instead of printing them.
pub(super) fn install_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if !inside() {
                before(info);
                return;
            }
            let message = if let Some(text) = info.payload().downcast_ref::<&str>() {
                (*text).to_owned()
            } else if let Some(text) = info.payload().downcast_ref::<String>() {
                text.clone()
            } else {
                "a panic without a message".to_owned()
            };
            let at = info.location().map_or_else(|| "?".to_owned(), ToString::to_string);
            if let Some(rt) = current() {
                rt.watch.panics(&message, &at);
            }
            LAST_PANIC.set(Some((message, at)));
        }));
    });
}
