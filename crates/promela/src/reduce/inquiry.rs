//! What is asked about a state while a set is worked out, and the answers.
//!
//! The rules of [stubborn sets](super::stubborn) look at a state through questions only: what an index is, whether
//! a conjunct holds, whether a channel is full. Given the processes and where they are, a rule is a function of the answers. So whoever
//! notes the questions and the answers may use the result again, in every state that gives the same answers
//! ([`Decisions`](super::decisions)).

use super::accesses::used_channel;
use super::operations::ChannelOp;
use crate::RuntimeError;
use crate::ir::{Edge, Node, Scope, Target};
use crate::run::View;
use std::cell::RefCell;

/// A question about a state, as one process sees it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Question {
    /// The value of an expression.
    Value(Node),
    /// Whether an expression holds.
    Holds(Node),
    /// What the channel that an expression names is like: a [`Fill`].
    Channel(Node),
    /// Whether the channel that an edge uses has two messages that it could take, or room for two that it could add.
    Spare(usize),
    /// Whether an edge of the process is executable, apart from its inhibitors.
    Starts(usize),
    /// Whether a current edge of the process is executable. Whoever knows what is executable knows the answer.
    Executable(usize),
    /// Whether another process is where it performs an operation. Whoever knows where the processes are knows the answer.
    Present(usize),
}

impl Question {
    /// Whether the answer follows from where the processes are and what is executable.
    pub(super) fn is_about_control(&self) -> bool {
        matches!(self, Self::Executable(_) | Self::Present(_))
    }
}

impl Question {
    /// Whether all processes get the same answer.
    pub(super) fn is_impersonal(&self) -> bool {
        let (Self::Value(node) | Self::Holds(node) | Self::Channel(node)) = self else {
            return false;
        };
        let is_shared = |target: &Target| target.scope == Scope::Global;
        !node.mentions(&|part| match part {
            Node::Load(target) => !is_shared(target),
            Node::Linear(linear) => !linear.terms.iter().all(|term| is_shared(&term.target)),
            Node::Constant(_)
            | Node::Unary(..)
            | Node::Binary(..)
            | Node::Conditional(_)
            | Node::Len(_)
            | Node::Poll(..) => false,
            _ => true,
        })
    }
}

/// An answer. Truth values are 0 and 1.
pub(super) type Answer = i64;

/// The answer if the evaluation fails.
pub(super) const FAILS: Answer = Answer::MAX;

/// How full a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// There is no such channel.
    Fails,
    Rendezvous,
    Empty,
    Some,
    Full,
}

/// Questions with their answers, in the order in which they were asked, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(RefCell<Vec<(Question, Answer)>>);

impl Notes {
    /// Takes down a question, unless it was asked before.
    pub(super) fn add(&self, question: impl FnOnce() -> Question, answer: Answer) {
        let question = question();
        let mut notes = self.0.borrow_mut();
        if !notes.iter().any(|(known, _)| *known == question) {
            notes.push((question, answer));
        }
    }

    /// Takes all of them out.
    pub(super) fn take(&self) -> Vec<(Question, Answer)> {
        self.0.take()
    }
}

/// A state as one of its processes sees it, and somebody who may take notes.
#[derive(Clone, Copy)]
pub(super) struct Inquiry<'a> {
    pub(super) view: View<'a, 'a>,
    pub(super) notes: Option<&'a Notes>,
}

impl<'a> Inquiry<'a> {
    /// Nobody takes notes.
    pub(super) fn unnoted(view: View<'a, 'a>) -> Self {
        Self { view, notes: None }
    }

    fn note(&self, question: impl FnOnce() -> Question, answer: Answer) {
        if let Some(notes) = self.notes {
            notes.add(question, answer);
        }
    }

    /// The value of an expression, unless it fails.
    pub(super) fn value(&self, node: &Node) -> Option<i32> {
        let value = self.view.value(node).ok();
        if !matches!(node, Node::Constant(_)) {
            self.note(|| Question::Value(node.clone()), value.map_or(FAILS, Answer::from));
        }
        value
    }

    /// Whether an expression holds, unless it fails.
    pub(super) fn holds(&self, node: &Node) -> Option<bool> {
        let answer = truth(self.view.holds(node));
        self.note(|| Question::Holds(node.clone()), answer);
        (answer != FAILS).then_some(answer == 1)
    }

    /// What the channel that an expression names is like.
    pub(super) fn channel(&self, node: &Node) -> Fill {
        let fill = fill(&self.view, node);
        self.note(|| Question::Channel(node.clone()), fill as Answer);
        fill
    }

    /// Whether the channel that an edge, which has this number, uses has something to spare: see [`Question::Spare`].
    pub(super) fn has_spare(&self, number: usize, edge: &Edge) -> bool {
        let spare = has_spare(&self.view, edge);
        if used_channel(edge).is_some() {
            self.note(|| Question::Spare(number), Answer::from(spare));
        }
        spare
    }
}

/// A truth value as an answer.
pub(super) fn truth(value: Result<bool, RuntimeError>) -> Answer {
    value.map_or(FAILS, Answer::from)
}

/// What the channel that an expression names is like.
pub(super) fn fill(view: &View<'_, '_>, node: &Node) -> Fill {
    let Ok(channel) = view.channel(node) else {
        return Fill::Fails;
    };
    let capacity = channel.layout.capacity;
    match channel.len(view.state) {
        _ if capacity == 0 => Fill::Rendezvous,
        0 => Fill::Empty,
        len if len == capacity => Fill::Full,
        _ => Fill::Some,
    }
}

/// Whether the channel that an edge uses has two messages that it could take, or room for two that it could add.
pub(super) fn has_spare(view: &View<'_, '_>, edge: &Edge) -> bool {
    let Some((channel, op)) = used_channel(edge) else {
        return false;
    };
    let Ok(channel) = view.channel(channel) else {
        return false;
    };
    let (length, capacity) = (channel.len(view.state), channel.layout.capacity);
    match op {
        ChannelOp::Send | ChannelOp::SendSorted => length + 1 < capacity,
        ChannelOp::Receive | ChannelOp::ReceiveAny => capacity > 0 && length > 1,
        _ => false,
    }
}
