//! A value that is made once.

use super::batch::{Batch, Closed};
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::sync::OnceLock;

/// A value that is set once, as `tokio::sync::OnceCell`.
pub struct OnceCell<T> {
    value: OnceLock<T>,
    /// One permit to make the value. Closed when it is there.
    batch: Batch,
}

/// Why a value was not set.
#[derive(Debug, PartialEq, Eq)]
pub enum SetError<T> {
    /// There is a value.
    AlreadyInitializedError(T),
    /// Somebody else makes one.
    InitializingError(T),
}

impl<T> fmt::Display for SetError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SetError::AlreadyInitializedError(_) => "AlreadyInitializedError",
            SetError::InitializingError(_) => "InitializingError",
        })
    }
}

impl<T: fmt::Debug> std::error::Error for SetError<T> {}

/// Gives the permit back if making the value fails or is given up.
struct Making<'a>(&'a Batch);

impl Drop for Making<'_> {
    fn drop(&mut self) {
        self.0.release(1);
    }
}

impl<T> OnceCell<T> {
    /// Makes an empty cell.
    #[track_caller]
    pub const fn new() -> OnceCell<T> {
        OnceCell {
            value: OnceLock::new(),
            batch: Batch::new("OnceCell", 1),
        }
    }

    /// Makes an empty cell.
    #[track_caller]
    pub const fn const_new() -> OnceCell<T> {
        OnceCell::new()
    }

    /// True if there is a value.
    #[track_caller]
    pub fn initialized(&self) -> bool {
        self.batch.is_closed()
    }

    /// The value, if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if self.initialized() { self.value.get() } else { None }
    }

    /// The value of a cell that is not shared.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut()
    }

    /// The value.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    #[track_caller]
    fn fill(&self, value: T) -> &T {
        let filled = self.value.get_or_init(|| value);
        self.batch.close();
        filled
    }

    /// Sets the value, unless there is one or somebody makes one.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), SetError<T>> {
        match self.batch.try_acquire(1) {
            Ok(true) => {
                self.fill(value);
                Ok(())
            }
            Ok(false) => Err(SetError::InitializingError(value)),
            Err(Closed) => Err(SetError::AlreadyInitializedError(value)),
        }
    }

    /// The value. If there is none, it is made, by one task at a time.
    #[track_caller]
    pub fn get_or_init<F, Fut>(&self, init: F) -> impl Future<Output = &T>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        let made = self.get_or_try_init(|| {
            let value = init();
            async move { Ok::<T, Infallible>(value.await) }
        });
        async move {
            match made.await {
                Ok(value) => value,
                Err(never) => match never {},
            }
        }
    }

    /// The same for a value that cannot always be made.
    #[track_caller]
    pub fn get_or_try_init<E, F, Fut>(&self, init: F) -> impl Future<Output = Result<&T, E>>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let acquire = self.batch.acquire("a OnceCell", 1);
        async move {
            if let Some(value) = self.get() {
                return Ok(value);
            }
            if let Err(Closed) = acquire.await {
                return Ok(self.value.get().expect("a cell that is closed has a value"));
            }
            let making = Making(&self.batch);
            let value = init().await?;
            std::mem::forget(making);
            Ok(self.fill(value))
        }
    }
}

impl<T> Default for OnceCell<T> {
    #[track_caller]
    fn default() -> OnceCell<T> {
        OnceCell::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceCell").field("value", &self.value.get()).finish()
    }
}
