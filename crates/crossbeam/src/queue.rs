//! Queues for any number of threads. Each operation takes effect at one moment.

use crate::unpoisoned;
use mazurka::sync::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::fmt;

/// A bounded queue, as `crossbeam::queue::ArrayQueue`.
pub struct ArrayQueue<T> {
    values: Mutex<VecDeque<T>>,
    capacity: usize,
}

/// An unbounded queue, as `crossbeam::queue::SegQueue`.
pub struct SegQueue<T> {
    values: Mutex<VecDeque<T>>,
}

impl<T> ArrayQueue<T> {
    /// Makes an empty queue.
    ///
    /// # Panics
    /// If it has no room.
    #[track_caller]
    pub fn new(capacity: usize) -> ArrayQueue<T> {
        assert!(capacity > 0, "capacity must be non-zero");
        ArrayQueue {
            values: Mutex::new(VecDeque::new()),
            capacity,
        }
    }

    /// Puts a value in, or returns it if there is no room.
    #[track_caller]
    pub fn push(&self, value: T) -> Result<(), T> {
        let mut values = self.lock();
        if values.len() == self.capacity {
            return Err(value);
        }
        values.push_back(value);
        Ok(())
    }

    /// Puts a value in. If there is no room, the oldest one is taken out and returned.
    #[track_caller]
    pub fn force_push(&self, value: T) -> Option<T> {
        let mut values = self.lock();
        let oldest = if values.len() == self.capacity {
            values.pop_front()
        } else {
            None
        };
        values.push_back(value);
        oldest
    }

    /// How many values there can be.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// True if there is no room.
    #[track_caller]
    pub fn is_full(&self) -> bool {
        self.len() == self.capacity
    }
}

impl<T> SegQueue<T> {
    /// Makes an empty queue.
    #[track_caller]
    pub const fn new() -> SegQueue<T> {
        SegQueue {
            values: Mutex::new(VecDeque::new()),
        }
    }

    /// Puts a value in.
    #[track_caller]
    pub fn push(&self, value: T) {
        self.lock().push_back(value);
    }
}

impl<T> Default for SegQueue<T> {
    #[track_caller]
    fn default() -> SegQueue<T> {
        SegQueue::new()
    }
}

macro_rules! queues {
    ($($queue:ident),+) => {
        $(
            impl<T> $queue<T> {
                #[track_caller]
                fn lock(&self) -> MutexGuard<'_, VecDeque<T>> {
                    unpoisoned(self.values.lock())
                }

                /// Takes the oldest value out.
                #[track_caller]
                pub fn pop(&self) -> Option<T> {
                    self.lock().pop_front()
                }

                /// How many values there are.
                #[track_caller]
                pub fn len(&self) -> usize {
                    self.lock().len()
                }

                /// True if there is no value.
                #[track_caller]
                pub fn is_empty(&self) -> bool {
                    self.len() == 0
                }
            }

            impl<T> fmt::Debug for $queue<T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_struct(stringify!($queue)).finish_non_exhaustive()
                }
            }

            impl<T> IntoIterator for $queue<T> {
                type Item = T;
                type IntoIter = std::collections::vec_deque::IntoIter<T>;
                fn into_iter(self) -> Self::IntoIter {
                    unpoisoned(self.values.into_inner()).into_iter()
                }
            }
        )+
    };
}

queues!(ArrayQueue, SegQueue);
