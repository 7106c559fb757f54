//! Attempts that take some time.

use mazurka::thread;
use mazurka::time::{Duration, Instant};

/// Tries until it works or the time is up. In a check, one attempt is enough: it is made at any moment before the time is up, and if
/// it fails, the time is up.
#[track_caller]
pub(crate) fn within<G>(timeout: Duration, mut attempt: impl FnMut() -> Option<G>) -> Option<G> {
    if mazurka::is_checking() {
        let guard = attempt();
        if guard.is_none() {
            thread::sleep(timeout);
        }
        return guard;
    }
    let start = Instant::now();
    loop {
        if let Some(guard) = attempt() {
            return Some(guard);
        }
        if start.elapsed() >= timeout {
            return None;
        }
        thread::sleep(Duration::from_micros(50).min(timeout));
    }
}

/// How long it is until a moment.
#[track_caller]
pub(crate) fn until(moment: Instant) -> Duration {
    moment.saturating_duration_since(Instant::now())
}
