//! Futures and tasks.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

pub use mazurka::future::{AbortHandle, block_on, yield_now};

/// Why a task has no result. (A task that panics is a violation.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// It was aborted.
    Cancelled,
}

impl std::fmt::Display for JoinError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("task was cancelled")
    }
}

impl std::error::Error for JoinError {}

/// A task that was started. Awaiting it gives its result. A task goes on if its handle is dropped.
#[derive(Debug)]
pub struct JoinHandle<T>(mazurka::future::JoinHandle<T>);

impl<T> JoinHandle<T> {
    /// Aborts the task: at its next await it is dropped instead.
    pub fn abort(&self) {
        self.0.abort();
    }

    /// True if the task has ended.
    pub fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// A handle with which the task can be aborted.
    pub fn abort_handle(&self) -> AbortHandle {
        self.0.abort_handle()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let result = Pin::new(&mut self.0).poll(context);
        result.map_err(|error| match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => JoinError::Cancelled,
        })
    }
}

/// Starts a task.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    JoinHandle(mazurka::future::spawn(future))
}
