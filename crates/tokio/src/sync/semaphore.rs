//! A counting semaphore.

use super::batch::{Acquisition, Batch, Closed};
use std::fmt;
use std::future::Future;
use std::sync::Arc;

/// A counting semaphore, as `tokio::sync::Semaphore`. Permits are given out in the order in which they are asked for.
#[derive(Debug)]
pub struct Semaphore {
    batch: Batch,
}

/// The semaphore was closed.
#[derive(Debug)]
pub struct AcquireError(());

impl fmt::Display for AcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("semaphore closed")
    }
}

impl std::error::Error for AcquireError {}

/// Why there is no permit now.
#[derive(Debug, PartialEq, Eq)]
pub enum TryAcquireError {
    /// The semaphore was closed.
    Closed,
    /// Too few permits are free.
    NoPermits,
}

impl fmt::Display for TryAcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TryAcquireError::Closed => "semaphore closed",
            TryAcquireError::NoPermits => "no permits available",
        })
    }
}

impl std::error::Error for TryAcquireError {}

fn tried(result: Result<bool, Closed>) -> Result<(), TryAcquireError> {
    match result {
        Ok(true) => Ok(()),
        Ok(false) => Err(TryAcquireError::NoPermits),
        Err(Closed) => Err(TryAcquireError::Closed),
    }
}

impl Semaphore {
    /// The largest number of permits.
    pub const MAX_PERMITS: usize = usize::MAX >> 3;

    /// Makes a semaphore with this many permits.
    ///
    /// # Panics
    /// If that is more than [`Semaphore::MAX_PERMITS`].
    #[track_caller]
    pub const fn new(permits: usize) -> Semaphore {
        assert!(
            permits <= Semaphore::MAX_PERMITS,
            "a semaphore may not have more than MAX_PERMITS permits"
        );
        Semaphore {
            batch: Batch::new("Semaphore", permits),
        }
    }

    /// Makes a semaphore with this many permits.
    #[track_caller]
    pub const fn const_new(permits: usize) -> Semaphore {
        Semaphore::new(permits)
    }

    /// How many permits are free.
    #[track_caller]
    pub fn available_permits(&self) -> usize {
        self.batch.free()
    }

    /// Adds permits.
    #[track_caller]
    pub fn add_permits(&self, n: usize) {
        self.batch.release(n);
    }

    /// Takes free permits away for ever; returns how many.
    #[track_caller]
    pub fn forget_permits(&self, n: usize) -> usize {
        self.batch.forget(n)
    }

    /// Waits for a permit.
    #[track_caller]
    pub fn acquire(&self) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> {
        self.acquire_many(1)
    }

    /// Waits for permits.
    #[track_caller]
    pub fn acquire_many(&self, n: u32) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> {
        let permits = n as usize;
        let acquire = self.batch.acquire("a permit of a Semaphore", permits);
        async move {
            match acquire.await {
                Ok(()) => Ok(SemaphorePermit {
                    semaphore: self,
                    permits,
                }),
                Err(Closed) => Err(AcquireError(())),
            }
        }
    }

    /// Takes a permit if one is free.
    #[track_caller]
    pub fn try_acquire(&self) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.try_acquire_many(1)
    }

    /// Takes permits if they are free.
    #[track_caller]
    pub fn try_acquire_many(&self, n: u32) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        let permits = n as usize;
        tried(self.batch.try_acquire(permits))?;
        Ok(SemaphorePermit {
            semaphore: self,
            permits,
        })
    }

    /// Waits for a permit that keeps the semaphore alive.
    #[track_caller]
    pub fn acquire_owned(self: Arc<Self>) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> {
        self.acquire_many_owned(1)
    }

    /// Waits for permits that keep the semaphore alive.
    #[track_caller]
    pub fn acquire_many_owned(
        self: Arc<Self>,
        n: u32,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> {
        let permits = n as usize;
        let mut acquire = OwnedAcquire(self.batch.acquisition("a permit of a Semaphore", permits), self);
        async move {
            let acquired = std::future::poll_fn(|context| acquire.0.poll(&acquire.1.batch, context)).await;
            match acquired {
                Ok(()) => Ok(OwnedSemaphorePermit {
                    semaphore: Arc::clone(&acquire.1),
                    permits,
                }),
                Err(Closed) => Err(AcquireError(())),
            }
        }
    }

    /// Takes a permit that keeps the semaphore alive, if one is free.
    #[track_caller]
    pub fn try_acquire_owned(self: Arc<Self>) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.try_acquire_many_owned(1)
    }

    /// Takes permits that keep the semaphore alive, if they are free.
    #[track_caller]
    pub fn try_acquire_many_owned(self: Arc<Self>, n: u32) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        let permits = n as usize;
        tried(self.batch.try_acquire(permits))?;
        Ok(OwnedSemaphorePermit {
            semaphore: self,
            permits,
        })
    }

    /// Closes the semaphore: all who wait fail.
    #[track_caller]
    pub fn close(&self) {
        self.batch.close();
    }

    /// True if it was closed.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.batch.is_closed()
    }
}

struct OwnedAcquire(Acquisition, Arc<Semaphore>);

impl Drop for OwnedAcquire {
    fn drop(&mut self) {
        self.0.cancel(&self.1.batch);
    }
}

/// Permits; dropping them gives them back.
#[must_use = "permits that are not kept are given back at once"]
#[derive(Debug)]
pub struct SemaphorePermit<'a> {
    semaphore: &'a Semaphore,
    permits: usize,
}

/// Permits of a shared semaphore; dropping them gives them back.
#[must_use = "permits that are not kept are given back at once"]
#[derive(Debug)]
pub struct OwnedSemaphorePermit {
    semaphore: Arc<Semaphore>,
    permits: usize,
}

impl SemaphorePermit<'_> {
    /// Never gives them back.
    pub fn forget(mut self) {
        self.permits = 0;
    }

    /// How many they are.
    pub fn num_permits(&self) -> usize {
        self.permits
    }

    /// Adds those of another one.
    ///
    /// # Panics
    /// If it is of another semaphore.
    pub fn merge(&mut self, mut other: Self) {
        assert!(
            std::ptr::eq(self.semaphore, other.semaphore),
            "merging permits from different semaphore instances"
        );
        self.permits += std::mem::take(&mut other.permits);
    }

    /// Takes some of them.
    pub fn split(&mut self, n: usize) -> Option<Self> {
        self.permits = self.permits.checked_sub(n)?;
        Some(SemaphorePermit {
            semaphore: self.semaphore,
            permits: n,
        })
    }
}

impl OwnedSemaphorePermit {
    /// Never gives them back.
    pub fn forget(mut self) {
        self.permits = 0;
    }

    /// How many they are.
    pub fn num_permits(&self) -> usize {
        self.permits
    }

    /// Their semaphore.
    pub fn semaphore(&self) -> &Arc<Semaphore> {
        &self.semaphore
    }
}

impl Drop for SemaphorePermit<'_> {
    fn drop(&mut self) {
        self.semaphore.add_permits(self.permits);
    }
}

impl Drop for OwnedSemaphorePermit {
    fn drop(&mut self) {
        self.semaphore.add_permits(self.permits);
    }
}
