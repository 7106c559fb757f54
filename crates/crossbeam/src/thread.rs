//! Scoped threads with crossbeam's signatures: closures get the scope, and a scope returns panics.

use mazurka::thread;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use mazurka::thread::Thread;

/// A scope for threads that borrow.
#[derive(Clone, Copy)]
pub struct Scope<'scope, 'env> {
    inner: &'scope thread::Scope<'scope, 'env>,
}

/// A handle to join a scoped thread.
pub type ScopedJoinHandle<'scope, T> = thread::ScopedJoinHandle<'scope, T>;

/// Calls `f` with a scope in which threads can borrow. All of them have ended when it returns. It fails if one of them panicked
/// and was not joined.
///
/// ```
/// # use mazurka_crossbeam as crossbeam;
/// mazurka::check(|| {
///     let numbers = [1, 2];
///     let sum = crossbeam::scope(|s| {
///         let one = s.spawn(|_| numbers[0]);
///         let two = s.spawn(|s| s.spawn(|_| numbers[1]).join().unwrap());
///         one.join().unwrap() + two.join().unwrap()
///     });
///     assert_eq!(sum.unwrap(), 3);
/// });
/// ```
#[track_caller]
pub fn scope<'env, F, R>(f: F) -> thread::Result<R>
where
    F: for<'scope> FnOnce(Scope<'scope, 'env>) -> R,
{
    catch_unwind(AssertUnwindSafe(|| thread::scope(|inner| f(Scope { inner }))))
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Starts a thread in the scope.
    #[track_caller]
    pub fn spawn<F, T>(&self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce(Scope<'scope, 'env>) -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let scope = *self;
        self.inner.spawn(move || f(scope))
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}
