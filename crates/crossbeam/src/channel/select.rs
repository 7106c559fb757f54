//! Waiting for one of several operations.
//!
//! Whoever selects watches all channels, looks for an operation that is possible, and otherwise sleeps until a channel has changed. If
//! several are possible, a check tries each of them. A message or a place is reserved when it is selected, so the
//! operation that follows does not wait.
//!
//! One thing differs from crossbeam: a `select` that sends does not meet a `select` that receives in a channel without room. One
//! of both must be an ordinary operation.

use super::errors::{ReadyTimeoutError, RecvError, SelectTimeoutError, SendError, TryReadyError, TrySelectError};
use super::{Receiver, Sender, Source};
use crate::unpoisoned;
use mazurka::sync::{Condvar, Mutex};
use mazurka::time::{Duration, Instant};
use mazurka::{choose, is_checking};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// Wakes a thread that selects.
#[derive(Default)]
pub(super) struct Signal {
    raised: Mutex<bool>,
    changed: Condvar,
}

impl Signal {
    #[track_caller]
    pub(super) fn raise(&self) {
        *unpoisoned(self.raised.lock()) = true;
        self.changed.notify_one();
    }

    /// Waits for the signal; false if the time was up first.
    #[track_caller]
    fn wait(&self, timeout: Option<Duration>) -> bool {
        let raised = unpoisoned(self.raised.lock());
        let mut raised = match timeout {
            None => unpoisoned(self.changed.wait_while(raised, |raised| !*raised)),
            Some(timeout) => {
                let waited = self.changed.wait_timeout_while(raised, timeout, |raised| !*raised);
                unpoisoned(waited).0
            }
        };
        std::mem::take(&mut *raised)
    }
}

/// What was reserved.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reserved {
    Message,
    Place,
    /// The other side is gone.
    Disconnected,
    /// The message of a timer, which is due then.
    Due(Instant),
}

/// Something that can be selected.
pub(super) trait Offer {
    /// True if an operation need not wait.
    fn is_possible(&self, send: bool) -> bool;

    /// Reserves what an operation needs, if it need not wait.
    fn reserve(&self, send: bool) -> Option<Reserved>;

    /// When time sends a message.
    fn due(&self) -> Option<Instant> {
        None
    }

    fn watch(&self, signal: &Arc<Signal>);
    fn unwatch(&self, signal: &Arc<Signal>);
}

/// A number below `n`: each of them in a check, and one at random outside, where none is to be preferred.
#[track_caller]
fn one_of(n: usize) -> usize {
    if n < 2 || is_checking() {
        return choose(n);
    }
    let random = RandomState::new().hash_one(n);
    usize::try_from(random % n as u64).expect("it is less than n")
}

/// A list of operations, one of which is to be performed.
///
/// ```
/// # use mazurka_crossbeam as crossbeam;
/// use crossbeam::channel::{unbounded, Select};
///
/// mazurka::check(|| {
///     let ((a, from_a), (b, from_b)) = (unbounded(), unbounded::<u32>());
///     mazurka::thread::spawn(move || a.send(1).unwrap());
///     let mut select = Select::new();
///     let first = select.recv(&from_a);
///     select.recv(&from_b);
///     let operation = select.select();
///     assert_eq!(operation.index(), first);
///     assert_eq!(operation.recv(&from_a), Ok(1));
///     drop(b);
/// });
/// ```
#[derive(Default)]
pub struct Select<'a> {
    operations: Vec<Option<(&'a dyn Offer, bool)>>,
}

/// The operation that is to be performed now.
#[must_use = "a selected operation must be performed"]
pub struct SelectedOperation<'a> {
    index: usize,
    reserved: Option<Reserved>,
    offer: &'a dyn Offer,
}

impl<'a> Select<'a> {
    /// No operation.
    pub fn new() -> Select<'a> {
        Select::default()
    }

    fn add(&mut self, offer: &'a dyn Offer, send: bool) -> usize {
        self.operations.push(Some((offer, send)));
        self.operations.len() - 1
    }

    /// Adds sending a message; returns its number.
    pub fn send<T>(&mut self, sender: &'a Sender<T>) -> usize {
        self.add(&*sender.channel, true)
    }

    /// Adds receiving a message; returns its number.
    pub fn recv<T>(&mut self, receiver: &'a Receiver<T>) -> usize {
        match &receiver.source {
            Source::Channel(channel) => self.add(&**channel, false),
            Source::Timer(timer) => self.add(&**timer, false),
        }
    }

    /// Removes an operation. The others keep their numbers.
    ///
    /// # Panics
    /// If there is none with this number.
    pub fn remove(&mut self, index: usize) {
        let operation = self.operations.get_mut(index).and_then(Option::take);
        assert!(operation.is_some(), "no operation with this index");
    }

    fn all(&self) -> impl Iterator<Item = (usize, &'a dyn Offer, bool)> {
        let all = self.operations.iter().enumerate();
        all.filter_map(|(i, operation)| operation.map(|(offer, send)| (i, offer, send)))
    }

    /// Selects an operation that is possible now.
    #[track_caller]
    pub fn try_select(&mut self) -> Result<SelectedOperation<'a>, TrySelectError> {
        self.attempt().ok_or(TrySelectError)
    }

    #[track_caller]
    fn attempt(&self) -> Option<SelectedOperation<'a>> {
        let mut possible: Vec<_> = self.all().filter(|(_, offer, send)| offer.is_possible(*send)).collect();
        while !possible.is_empty() {
            let (index, offer, send) = possible.remove(one_of(possible.len()));
            // Another thread may have been faster.
            if let Some(reserved) = offer.reserve(send) {
                return Some(SelectedOperation {
                    index,
                    reserved: Some(reserved),
                    offer,
                });
            }
        }
        None
    }

    /// Waits until an operation is possible, and selects it.
    #[track_caller]
    pub fn select(&mut self) -> SelectedOperation<'a> {
        self.wait(None, Select::attempt).expect("it waits for ever")
    }

    /// The same, or until the time is up.
    #[track_caller]
    pub fn select_timeout(&mut self, timeout: Duration) -> Result<SelectedOperation<'a>, SelectTimeoutError> {
        self.wait(Some(timeout), Select::attempt).ok_or(SelectTimeoutError)
    }

    /// The same, or until the moment has come.
    #[track_caller]
    pub fn select_deadline(&mut self, deadline: Instant) -> Result<SelectedOperation<'a>, SelectTimeoutError> {
        self.select_timeout(deadline.saturating_duration_since(Instant::now()))
    }

    /// The number of an operation that is possible now.
    #[track_caller]
    pub fn try_ready(&mut self) -> Result<usize, TryReadyError> {
        self.one_ready().ok_or(TryReadyError)
    }

    #[track_caller]
    fn one_ready(&self) -> Option<usize> {
        let possible: Vec<_> = self.all().filter(|(_, offer, send)| offer.is_possible(*send)).collect();
        (!possible.is_empty()).then(|| possible[one_of(possible.len())].0)
    }

    /// Waits until an operation is possible; returns its number.
    #[track_caller]
    pub fn ready(&mut self) -> usize {
        self.wait(None, Select::one_ready).expect("it waits for ever")
    }

    /// The same, or until the time is up.
    #[track_caller]
    pub fn ready_timeout(&mut self, timeout: Duration) -> Result<usize, ReadyTimeoutError> {
        self.wait(Some(timeout), Select::one_ready).ok_or(ReadyTimeoutError)
    }

    /// Repeats an attempt whenever a channel has changed.
    #[track_caller]
    fn wait<R>(&self, timeout: Option<Duration>, attempt: impl Fn(&Self) -> Option<R>) -> Option<R> {
        if let Some(result) = attempt(self) {
            return Some(result);
        }
        let signal = Arc::new(Signal::default());
        self.all().for_each(|(_, offer, _)| offer.watch(&signal));
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let result = loop {
            // Something may have changed before it watched.
            if let Some(result) = attempt(self) {
                break Some(result);
            }
            let due = self.all().filter_map(|(_, offer, _)| offer.due()).chain(deadline).min();
            let patience = due.map(|due| due.saturating_duration_since(Instant::now()));
            let woken = signal.wait(patience);
            if !woken && deadline.is_some() && due == deadline {
                break attempt(self);
            }
        };
        self.all().for_each(|(_, offer, _)| offer.unwatch(&signal));
        result
    }
}

impl SelectedOperation<'_> {
    /// The number of the operation.
    pub fn index(&self) -> usize {
        self.index
    }

    fn perform(&mut self, offer: *const ()) -> Reserved {
        let own = std::ptr::from_ref(self.offer).cast::<()>();
        assert!(own == offer, "passed a channel that was not selected");
        self.reserved.take().expect("an operation is performed once")
    }

    /// Sends the message.
    ///
    /// # Panics
    /// If another operation was selected.
    #[track_caller]
    pub fn send<T>(mut self, sender: &Sender<T>, message: T) -> Result<(), SendError<T>> {
        match self.perform(Arc::as_ptr(&sender.channel).cast()) {
            Reserved::Disconnected => Err(SendError(message)),
            _ => {
                sender.channel.keep_promise(message);
                Ok(())
            }
        }
    }

    /// Receives the message.
    ///
    /// # Panics
    /// If another operation was selected.
    #[track_caller]
    pub fn recv<T>(mut self, receiver: &Receiver<T>) -> Result<T, RecvError> {
        match &receiver.source {
            Source::Channel(channel) => match self.perform(Arc::as_ptr(channel).cast()) {
                Reserved::Disconnected => Err(RecvError),
                _ => channel.reserved().ok_or(RecvError),
            },
            Source::Timer(timer) => match self.perform(Arc::as_ptr(timer).cast()) {
                Reserved::Due(due) => Ok(timer.fire(due).unwrap_or_else(|| timer.wait())),
                _ => Err(RecvError),
            },
        }
    }
}

impl Drop for SelectedOperation<'_> {
    fn drop(&mut self) {
        if self.reserved.is_some() && !std::thread::panicking() {
            panic!("dropped `SelectedOperation` without completing the operation");
        }
    }
}

impl fmt::Debug for SelectedOperation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("SelectedOperation { .. }")
    }
}

impl fmt::Debug for Select<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Select { .. }")
    }
}

/// Waits for one of several operations, and performs it.
///
/// ```
/// # use mazurka_crossbeam as crossbeam;
/// use crossbeam::channel::{after, bounded, select};
/// use std::time::Duration;
///
/// mazurka::check(|| {
///     let (sender, receiver) = bounded(1);
///     mazurka::thread::spawn(move || sender.send(7).is_ok());
///     let got = select! {
///         recv(receiver) -> message => message.ok(),
///         recv(after(Duration::from_secs(1))) -> _ => None,
///     };
///     assert!(got == Some(7) || got.is_none());
/// });
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __select {
    // Collects the arms: operations one by one, and how to wait.
    (@arms $select:ident [$($done:tt)*] [$($wait:tt)*] recv($receiver:expr) -> $message:pat => $body:expr, $($rest:tt)*) => {
        $crate::__select!(@arms $select [$($done)* (recv $receiver, $message, $body)] [$($wait)*] $($rest)*)
    };
    (@arms $select:ident [$($done:tt)*] [$($wait:tt)*] recv($receiver:expr) -> $message:pat => $body:block $($rest:tt)*) => {
        $crate::__select!(@arms $select [$($done)* (recv $receiver, $message, $body)] [$($wait)*] $($rest)*)
    };
    (@arms $select:ident [$($done:tt)*] [$($wait:tt)*] recv($receiver:expr) -> $message:pat => $body:expr) => {
        $crate::__select!(@arms $select [$($done)* (recv $receiver, $message, $body)] [$($wait)*])
    };
    (@arms $select:ident [$($done:tt)*] [$($wait:tt)*] send($sender:expr, $value:expr) -> $result:pat => $body:expr, $($rest:tt)*) => {
        $crate::__select!(@arms $select [$($done)* (send $sender, $value, $result, $body)] [$($wait)*] $($rest)*)
    };
    (@arms $select:ident [$($done:tt)*] [$($wait:tt)*] send($sender:expr, $value:expr) -> $result:pat => $body:block $($rest:tt)*) => {
        $crate::__select!(@arms $select [$($done)* (send $sender, $value, $result, $body)] [$($wait)*] $($rest)*)
    };
    (@arms $select:ident [$($done:tt)*] [$($wait:tt)*] send($sender:expr, $value:expr) -> $result:pat => $body:expr) => {
        $crate::__select!(@arms $select [$($done)* (send $sender, $value, $result, $body)] [$($wait)*])
    };
    (@arms $select:ident [$($done:tt)*] [] default => $body:expr $(, $($rest:tt)*)?) => {
        $crate::__select!(@arms $select [$($done)*] [(default $body)] $($($rest)*)?)
    };
    (@arms $select:ident [$($done:tt)*] [] default() => $body:expr $(, $($rest:tt)*)?) => {
        $crate::__select!(@arms $select [$($done)*] [(default $body)] $($($rest)*)?)
    };
    (@arms $select:ident [$($done:tt)*] [] default($timeout:expr) => $body:expr $(, $($rest:tt)*)?) => {
        $crate::__select!(@arms $select [$($done)*] [(timeout $timeout, $body)] $($($rest)*)?)
    };
    (@arms $select:ident [$($done:tt)*] [$($wait:tt)*]) => {
        $crate::__select!(@begin $select [] [$($done)*] [$($wait)*])
    };

    // Evaluates the channels, each once, before any of them is used.
    (@begin $select:ident [$($known:tt)*] [(recv $channel:expr, $message:pat, $body:expr) $($rest:tt)*] $wait:tt) => {
        match &$channel {
            channel => {
                let index = $select.recv(channel);
                $crate::__select!(@begin $select [$($known)* (recv channel, index, $message, $body)] [$($rest)*] $wait)
            }
        }
    };
    (@begin $select:ident [$($known:tt)*] [(send $channel:expr, $value:expr, $result:pat, $body:expr) $($rest:tt)*] $wait:tt) => {
        match &$channel {
            channel => {
                let index = $select.send(channel);
                $crate::__select!(@begin $select [$($known)* (send channel, index, $value, $result, $body)] [$($rest)*] $wait)
            }
        }
    };
    (@begin $select:ident [$($known:tt)*] [] []) => {{
        let operation = $select.select();
        $crate::__select!(@run operation [$($known)*])
    }};
    (@begin $select:ident [$($known:tt)*] [] [(default $body:expr)]) => {
        match $select.try_select() {
            Ok(operation) => $crate::__select!(@run operation [$($known)*]),
            Err(_) => $body,
        }
    };
    (@begin $select:ident [$($known:tt)*] [] [(timeout $timeout:expr, $body:expr)]) => {
        match $select.select_timeout($timeout) {
            Ok(operation) => $crate::__select!(@run operation [$($known)*]),
            Err(_) => $body,
        }
    };

    // Performs the operation that was selected.
    (@run $operation:ident [(recv $channel:ident, $index:ident, $message:pat, $body:expr) $($rest:tt)*]) => {
        if $operation.index() == $index {
            let $message = $operation.recv($channel);
            $body
        } else {
            $crate::__select!(@run $operation [$($rest)*])
        }
    };
    (@run $operation:ident [(send $channel:ident, $index:ident, $value:expr, $result:pat, $body:expr) $($rest:tt)*]) => {
        if $operation.index() == $index {
            let $result = $operation.send($channel, $value);
            $body
        } else {
            $crate::__select!(@run $operation [$($rest)*])
        }
    };
    (@run $operation:ident []) => {
        unreachable!("one of the operations is selected")
    };

    ($($arms:tt)*) => {{
        #[allow(unused_mut)]
        let mut select = $crate::channel::Select::new();
        $crate::__select!(@arms select [] [] $($arms)*)
    }};
}
