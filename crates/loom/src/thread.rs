//! Threads. Within a model, [`spawn`] takes and returns what is not `Send`.

pub use mazurka::thread::{
    AccessError, Builder, JoinHandle, LocalKey, Scope, ScopedJoinHandle, Thread, ThreadId, current, panicking, park,
    scope, sleep, yield_now,
};

/// Starts a thread.
///
/// # Panics
/// Outside a model, as loom's does.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    mazurka::thread::spawn_local(f)
}
