//! What the builder hands out: objects to read in guards and to operate on in commands.

use super::expr::{Expr, Local, Node, Query};
use crate::ids::ObjectId;
use crate::objects;

/// An object of any type; the typed handles are this with better names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    pub(crate) id: ObjectId,
    pub(crate) model: u32,
}

/// One step of a command: an operation on an object, or an assertion.
#[derive(Clone, Debug)]
pub struct Action(pub(crate) Step);

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Operate {
        object: Object,
        kind: u8,
        input: Option<Node>,
        /// A control point of the process that acts, where it is not clear.
        by: Option<Local>,
    },
    Assert {
        holds: Node,
        message: String,
    },
}

/// A sequence of actions, for commands that are more than one.
#[derive(Clone, Debug, Default)]
pub struct Command(pub(crate) Vec<Action>);

impl From<Action> for Command {
    fn from(action: Action) -> Self {
        Self(vec![action])
    }
}

impl<const N: usize> From<[Action; N]> for Command {
    fn from(actions: [Action; N]) -> Self {
        Self(actions.into())
    }
}

impl From<Vec<Action>> for Command {
    fn from(actions: Vec<Action>) -> Self {
        Self(actions)
    }
}

/// The assertion that `holds` is true when the transition is executed.
pub fn assert(holds: impl Into<Expr>, message: impl Into<String>) -> Action {
    Action(Step::Assert {
        holds: holds.into().0,
        message: message.into(),
    })
}

impl Object {
    /// The output of an operation that does not modify, by its place in
    /// [`crate::ObjectType::operations`].
    pub fn query(self, kind: u8) -> Expr {
        Expr(Node::Query(Query {
            object: self.id,
            kind,
            model: self.model,
        }))
    }

    /// An operation without input.
    pub fn operate(self, kind: u8) -> Action {
        self.action(kind, None, None)
    }

    /// An operation with an input.
    pub fn operate_with(self, kind: u8, input: impl Into<Expr>) -> Action {
        self.action(kind, Some(input.into().0), None)
    }

    fn action(self, kind: u8, input: Option<Node>, by: Option<Local>) -> Action {
        Action(Step::Operate {
            object: self,
            kind,
            input,
            by,
        })
    }
}

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub(crate) Object);

        impl $name {
            /// The same object without its type.
            pub fn object(self) -> Object {
                self.0
            }
        }
    };
}

handle! {
    /// A shared variable.
    Variable
}
handle! {
    /// A FIFO channel.
    Channel
}
handle! {
    /// A counting semaphore.
    Semaphore
}
handle! {
    /// A lock with an owner.
    Lock
}

impl Variable {
    /// Its value.
    pub fn read(self) -> Expr {
        self.0.query(objects::variable::READ)
    }

    /// Its value equals `other`.
    pub fn is(self, other: impl Into<Expr>) -> Expr {
        self.read().is(other)
    }

    /// Assigns a value.
    pub fn write(self, value: impl Into<Expr>) -> Action {
        self.0.operate_with(objects::variable::WRITE, value)
    }

    /// Mirrors the value in its domain: 0 ↔ 1 for a boolean. Commutes with itself.
    pub fn complement(self) -> Action {
        self.0.operate(objects::variable::COMPLEMENT)
    }

    /// Adds, modulo the size of the domain. Commutes with itself.
    #[expect(clippy::should_implement_trait, reason = "it is an action, not a sum")]
    pub fn add(self, n: impl Into<Expr>) -> Action {
        self.0.operate_with(objects::variable::ADD, n)
    }
}

impl From<Variable> for Expr {
    fn from(variable: Variable) -> Self {
        variable.read()
    }
}

impl Channel {
    /// Appends a message; disabled while the channel is full.
    pub fn send(self, message: impl Into<Expr>) -> Action {
        self.0.operate_with(objects::channel::SEND, message)
    }

    /// Takes the oldest message and forgets it; disabled while the channel is empty.
    pub fn receive(self) -> Action {
        self.0.operate(objects::channel::RECEIVE)
    }

    /// Takes the oldest message into a variable; disabled while the channel is empty.
    pub fn receive_into(self, variable: Variable) -> Command {
        let write = variable.write(Expr(Node::Output));
        Command(vec![self.receive(), write])
    }

    /// The number of messages.
    pub fn length(self) -> Expr {
        self.0.query(objects::channel::LENGTH)
    }

    /// Whether there is no message. Finer than comparing [`Channel::length`].
    pub fn is_empty(self) -> Expr {
        self.0.query(objects::channel::EMPTY)
    }

    /// Whether there is no room. Finer than comparing [`Channel::length`].
    pub fn is_full(self) -> Expr {
        self.0.query(objects::channel::FULL)
    }
}

impl Semaphore {
    /// P: takes one; disabled at zero.
    pub fn acquire(self) -> Action {
        self.0.operate(objects::semaphore::ACQUIRE)
    }

    /// V: gives one; disabled at the maximum, if there is one.
    pub fn release(self) -> Action {
        self.0.operate(objects::semaphore::RELEASE)
    }

    /// How many are left.
    pub fn value(self) -> Expr {
        self.0.query(objects::semaphore::VALUE)
    }
}

impl Lock {
    /// Takes the lock for the process that moves; disabled while it is held.
    pub fn acquire(self) -> Action {
        self.0.operate(objects::lock::ACQUIRE)
    }

    /// Gives the lock back; disabled unless the process that moves holds it.
    pub fn release(self) -> Action {
        self.0.operate(objects::lock::RELEASE)
    }

    /// [`Lock::acquire`] in a joint transition, for the process of this control point.
    pub fn acquire_by(self, who: Local) -> Action {
        self.0.action(objects::lock::ACQUIRE, None, Some(who))
    }

    /// [`Lock::release`] in a joint transition, by the process of this control point.
    pub fn release_by(self, who: Local) -> Action {
        self.0.action(objects::lock::RELEASE, None, Some(who))
    }

    /// Whether anybody holds it.
    pub fn is_held(self) -> Expr {
        self.0.query(objects::lock::HELD)
    }
}
