//! Tasks, as `tokio::task`.

use crate::runtime::Handle;
use mazurka::future::__private::{Cell, Leaf, Need, wake};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Poll, Waker};

pub use mazurka::future::{AbortHandle, JoinError, JoinHandle, yield_now};

/// Starts a task in the current runtime.
///
/// # Panics
/// If there is no current runtime.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    Handle::current().spawn(future)
}

/// Runs code that blocks, on a thread.
///
/// # Panics
/// If there is no current runtime.
#[track_caller]
pub fn spawn_blocking<F, R>(f: F) -> JoinHandle<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    Handle::current().spawn_blocking(f)
}

/// Tasks that have ended, in that order, and who waits for one.
#[derive(Default)]
struct Ended {
    tasks: VecDeque<u64>,
    waiter: Option<Waker>,
}

/// A set of tasks, which gives their results in the order in which they end. When it is dropped, they are aborted.
pub struct JoinSet<T> {
    tasks: BTreeMap<u64, JoinHandle<T>>,
    next: u64,
    ended: Arc<Cell<Ended>>,
}

impl<T> JoinSet<T> {
    /// An empty set.
    #[track_caller]
    pub fn new() -> JoinSet<T> {
        let gauge = |ended: &Ended| [u32::from(!ended.tasks.is_empty()), 0];
        JoinSet {
            tasks: BTreeMap::new(),
            next: 0,
            ended: Arc::new(Cell::new("JoinSet", Ended::default(), gauge)),
        }
    }

    /// How many tasks are in the set.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// True if there is no task in the set.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Aborts all tasks.
    pub fn abort_all(&mut self) {
        self.tasks.values().for_each(JoinHandle::abort);
    }

    /// Lets go of all tasks, which go on.
    pub fn detach_all(&mut self) {
        self.tasks.clear();
    }
}

impl<T: Send + 'static> JoinSet<T> {
    /// Starts a task in the set.
    ///
    /// # Panics
    /// If there is no current runtime.
    #[track_caller]
    pub fn spawn<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
    {
        let number = self.next;
        self.next += 1;
        let ended = Arc::clone(&self.ended);
        let leave = move || {
            let waiter = ended.change(|ended| {
                ended.tasks.push_back(number);
                ended.waiter.take()
            });
            if let Some(waiter) = waiter {
                wake(waiter);
            }
        };
        let task = Handle::current().spawn_and(future, Some(Box::new(leave)));
        let abort = task.abort_handle();
        self.tasks.insert(number, task);
        abort
    }

    fn result(&mut self, number: u64) -> Option<Result<T, JoinError>> {
        let task = self.tasks.remove(&number)?;
        task.has_ended();
        task.take()
    }

    /// Waits for the next task that ends. None if the set is empty.
    #[track_caller]
    pub fn join_next(&mut self) -> impl Future<Output = Option<Result<T, JoinError>>> {
        let mut leaf = Leaf::new("the end of a task of a JoinSet");
        let need = Need {
            index: 0,
            least: 1,
            reads: false,
        };
        async move {
            if self.tasks.is_empty() {
                return None;
            }
            let number = poll_fn(|context| {
                leaf.poll(&self.ended, Some(need), context, |ended, context| {
                    if let Some(number) = ended.tasks.pop_front() {
                        return Poll::Ready(number);
                    }
                    ended.waiter = Some(context.waker().clone());
                    Poll::Pending
                })
            })
            .await;
            self.result(number)
        }
    }

    /// The result of a task that has ended, if there is one.
    #[track_caller]
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        if self.tasks.is_empty() {
            return None;
        }
        let number = self.ended.change(|ended| ended.tasks.pop_front())?;
        self.result(number)
    }

    /// Aborts all tasks and waits for their ends.
    #[track_caller]
    pub fn shutdown(&mut self) -> impl Future<Output = ()> {
        self.abort_all();
        async move { while self.join_next().await.is_some() {} }
    }

    /// Waits for all tasks; the results are in the order in which they ended.
    ///
    /// # Panics
    /// If a task has panicked or was aborted.
    pub async fn join_all(mut self) -> Vec<T> {
        let mut results = Vec::new();
        while let Some(result) = self.join_next().await {
            match result {
                Ok(value) => results.push(value),
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(error) => panic!("{error}"),
            }
        }
        results
    }
}

impl<T> Default for JoinSet<T> {
    #[track_caller]
    fn default() -> JoinSet<T> {
        JoinSet::new()
    }
}

impl<T> Drop for JoinSet<T> {
    fn drop(&mut self) {
        self.abort_all();
    }
}

impl<T> fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinSet").field("len", &self.len()).finish()
    }
}
