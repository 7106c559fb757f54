//! A channel: its messages behind a lock, and those who wait.
//!
//! A channel without room takes a message in all the same, and its sender waits until the message is taken out again. So a message is
//! handed over when it is taken. An attempt to send succeeds if more receivers wait than there are messages for them.

use super::errors::{RecvTimeoutError, SendTimeoutError, TryRecvError, TrySendError};
use super::select::{Offer, Reserved, Signal};
use crate::unpoisoned;
use mazurka::sync::{Condvar, Mutex, MutexGuard};
use mazurka::time::Duration;
use std::collections::VecDeque;
use std::sync::Arc;

pub(super) struct Channel<T> {
    state: Mutex<State<T>>,
    /// A message has come, or all senders are gone.
    arrived: Condvar,
    /// A message was taken, or all receivers are gone.
    left: Condvar,
    capacity: Option<usize>,
}

struct State<T> {
    messages: VecDeque<(u64, T)>,
    /// Messages that a `select` has taken and not yet passed on.
    reserved: VecDeque<T>,
    /// Places that a `select` has taken and not yet filled.
    promised: usize,
    sent: u64,
    senders: usize,
    receivers: usize,
    /// Receivers that wait.
    waiting: usize,
    selectors: Vec<Arc<Signal>>,
}

impl<T> State<T> {
    /// Tells those who select that something has changed.
    #[track_caller]
    fn changed(&self) {
        for signal in &self.selectors {
            signal.raise();
        }
    }

    fn put(&mut self, message: T) -> u64 {
        self.sent += 1;
        self.messages.push_back((self.sent, message));
        self.sent
    }
}

impl<T> Channel<T> {
    #[track_caller]
    pub(super) fn new(capacity: Option<usize>) -> Channel<T> {
        Channel {
            state: Mutex::new(State {
                messages: VecDeque::new(),
                reserved: VecDeque::new(),
                promised: 0,
                sent: 0,
                senders: 1,
                receivers: 1,
                waiting: 0,
                selectors: Vec::new(),
            }),
            arrived: Condvar::new(),
            left: Condvar::new(),
            capacity,
        }
    }

    #[track_caller]
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        unpoisoned(self.state.lock())
    }

    pub(super) fn capacity(&self) -> Option<usize> {
        self.capacity
    }

    #[track_caller]
    pub(super) fn len(&self) -> usize {
        if self.capacity == Some(0) {
            0
        } else {
            self.lock().messages.len()
        }
    }

    /// True if a message can be sent without waiting.
    fn has_room(&self, state: &State<T>) -> bool {
        let taken = state.messages.len() + state.promised;
        match self.capacity {
            None => true,
            Some(0) => state.waiting > taken,
            Some(capacity) => taken < capacity,
        }
    }

    #[track_caller]
    pub(super) fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let mut state = self.lock();
        if state.receivers == 0 {
            return Err(TrySendError::Disconnected(message));
        }
        if !self.has_room(&state) {
            return Err(TrySendError::Full(message));
        }
        state.put(message);
        self.announce(&state);
        Ok(())
    }

    /// A message has come.
    #[track_caller]
    fn announce(&self, state: &State<T>) {
        self.arrived.notify_one();
        state.changed();
    }

    /// A message was taken.
    #[track_caller]
    fn make_room(&self, state: &State<T>) {
        if self.capacity.is_some() {
            self.left.notify_all();
            state.changed();
        }
    }

    #[track_caller]
    pub(super) fn send(&self, message: T, timeout: Option<Duration>) -> Result<(), SendTimeoutError<T>> {
        let mut state = self.lock();
        if self.capacity == Some(0) {
            return self.hand_over(state, message, timeout);
        }
        loop {
            if state.receivers == 0 {
                return Err(SendTimeoutError::Disconnected(message));
            }
            if self.has_room(&state) {
                state.put(message);
                self.announce(&state);
                return Ok(());
            }
            let late;
            (state, late) = wait(&self.left, state, timeout);
            if late && state.receivers > 0 && !self.has_room(&state) {
                return Err(SendTimeoutError::Timeout(message));
            }
        }
    }

    /// Sends a message, and waits until it is taken.
    #[track_caller]
    fn hand_over(
        &self,
        mut state: MutexGuard<'_, State<T>>,
        message: T,
        timeout: Option<Duration>,
    ) -> Result<(), SendTimeoutError<T>> {
        if state.receivers == 0 {
            return Err(SendTimeoutError::Disconnected(message));
        }
        let number = state.put(message);
        self.announce(&state);
        let mut late = false;
        loop {
            let Some(position) = state.messages.iter().position(|(n, _)| *n == number) else {
                return Ok(());
            };
            if late || state.receivers == 0 {
                let (_, message) = state.messages.remove(position).expect("it is there");
                return Err(if state.receivers == 0 {
                    SendTimeoutError::Disconnected(message)
                } else {
                    SendTimeoutError::Timeout(message)
                });
            }
            (state, late) = wait(&self.left, state, timeout);
        }
    }

    #[track_caller]
    pub(super) fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut state = self.lock();
        match self.take(&mut state) {
            Some(message) => Ok(message),
            None if state.senders == 0 && state.promised == 0 => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    #[track_caller]
    fn take(&self, state: &mut MutexGuard<'_, State<T>>) -> Option<T> {
        let (_, message) = state.messages.pop_front()?;
        self.make_room(state);
        Some(message)
    }

    #[track_caller]
    pub(super) fn recv(&self, timeout: Option<Duration>) -> Result<T, RecvTimeoutError> {
        let mut state = self.lock();
        let mut late = false;
        loop {
            if let Some(message) = self.take(&mut state) {
                return Ok(message);
            }
            // A `select` that has promised a message to this receiver sends it at once.
            if state.promised == 0 {
                if state.senders == 0 {
                    return Err(RecvTimeoutError::Disconnected);
                }
                if late {
                    return Err(RecvTimeoutError::Timeout);
                }
            }
            state.waiting += 1;
            if self.capacity == Some(0) {
                state.changed();
            }
            let patience = if late { None } else { timeout };
            let now_late;
            (state, now_late) = wait(&self.arrived, state, patience);
            late |= now_late;
            state.waiting -= 1;
        }
    }

    #[track_caller]
    pub(super) fn add_sender(&self) {
        self.lock().senders += 1;
    }

    #[track_caller]
    pub(super) fn add_receiver(&self) {
        self.lock().receivers += 1;
    }

    #[track_caller]
    pub(super) fn drop_sender(&self) {
        let mut state = self.lock();
        state.senders -= 1;
        if state.senders == 0 {
            self.arrived.notify_all();
            state.changed();
        }
    }

    #[track_caller]
    pub(super) fn drop_receiver(&self) {
        let mut state = self.lock();
        state.receivers -= 1;
        if state.receivers == 0 {
            // Those who hand over get their messages back; all others are dropped.
            let messages = if self.capacity == Some(0) {
                VecDeque::new()
            } else {
                std::mem::take(&mut state.messages)
            };
            self.left.notify_all();
            state.changed();
            drop(state);
            drop(messages);
        }
    }

    /// Passes on the message that a `select` has reserved.
    #[track_caller]
    pub(super) fn reserved(&self) -> Option<T> {
        self.lock().reserved.pop_front()
    }

    /// Sends the message for which a `select` has reserved a place.
    #[track_caller]
    pub(super) fn keep_promise(&self, message: T) {
        let mut state = self.lock();
        state.promised -= 1;
        state.put(message);
        self.announce(&state);
    }
}

/// Waits for a change; true if the time is up.
#[track_caller]
fn wait<'a, S>(condition: &Condvar, guard: MutexGuard<'a, S>, timeout: Option<Duration>) -> (MutexGuard<'a, S>, bool) {
    match timeout {
        None => (unpoisoned(condition.wait(guard)), false),
        Some(timeout) => {
            let (guard, result) = unpoisoned(condition.wait_timeout(guard, timeout));
            (guard, result.timed_out())
        }
    }
}

impl<T> Offer for Channel<T> {
    #[track_caller]
    fn is_possible(&self, send: bool) -> bool {
        let state = self.lock();
        if send {
            state.receivers == 0 || self.has_room(&state)
        } else {
            !state.messages.is_empty() || state.senders == 0 && state.promised == 0
        }
    }

    #[track_caller]
    fn reserve(&self, send: bool) -> Option<Reserved> {
        let mut state = self.lock();
        if send {
            if state.receivers == 0 {
                return Some(Reserved::Disconnected);
            }
            return self.has_room(&state).then(|| {
                state.promised += 1;
                Reserved::Place
            });
        }
        if let Some(message) = self.take(&mut state) {
            state.reserved.push_back(message);
            return Some(Reserved::Message);
        }
        (state.senders == 0 && state.promised == 0).then_some(Reserved::Disconnected)
    }

    #[track_caller]
    fn watch(&self, signal: &Arc<Signal>) {
        self.lock().selectors.push(Arc::clone(signal));
    }

    #[track_caller]
    fn unwatch(&self, signal: &Arc<Signal>) {
        self.lock().selectors.retain(|s| !Arc::ptr_eq(s, signal));
    }
}
