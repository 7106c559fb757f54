//! States of the plain interpreter: variables, channels, processes.

use std::collections::VecDeque;
use std::fmt;
use std::hash::{Hash, Hasher};

use super::monitor::Watch;
use super::position::Position;
use super::value::Value;
use crate::model::{ProctypeId, Type};
use crate::narrow;

/// The number of a process: its index in [`State::processes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid(pub u8);

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A state.
///
/// Two states are equal if SPIN's state vectors are. Hidden variables are therefore
/// stored, but not compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The global variables, in the order of the model. Hidden ones are all zero here.
    pub globals: Vec<Value>,
    /// The open channels. Channel number 1 is the first.
    pub channels: Vec<Channel>,
    /// The processes that exist, by their numbers.
    pub processes: Vec<Process>,
    /// The process with exclusive control: it is inside `atomic` and can go on.
    pub exclusive: Option<Pid>,
    /// The process that took the last step, if the model uses `_last`. It is 0 at first.
    pub last: Pid,
    /// The position of the trace assertion.
    pub watch: Watch,
    /// The values of hidden variables, by the same index.
    pub(super) hidden: Unseen<Vec<Value>>,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// The variable it was created for: `c`, `c[2]`, `P[1]:c`.
    pub name: String,
    /// The number of messages it can hold, 0 for rendezvous.
    pub capacity: u32,
    /// The types of the fields of its messages.
    pub fields: Vec<Type>,
    /// Its messages, oldest first.
    pub messages: VecDeque<Vec<i32>>,
    /// The process that created it, and whose end closes it. None if it is global.
    pub owner: Option<Pid>,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its proctype.
    pub proctype: ProctypeId,
    /// Where it is.
    pub position: Position,
    /// Its parameters and variables, in the order of the proctype.
    pub locals: Vec<Value>,
    /// Its priority, 1 if none was given.
    pub priority: u8,
}

impl State {
    /// A process.
    pub fn process(&self, pid: Pid) -> Option<&Process> {
        self.processes.get(usize::from(pid.0))
    }

    /// The numbers of all processes.
    pub fn pids(&self) -> impl DoubleEndedIterator<Item = Pid> + use<> {
        (0..self.processes.len()).map(|index| Pid(narrow::pid(index)))
    }
}

/// A value that equality and hashing ignore.
#[derive(Clone, Debug)]
pub(super) struct Unseen<T>(pub T);

impl<T> PartialEq for Unseen<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Unseen<T> {}

impl<T> Hash for Unseen<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
