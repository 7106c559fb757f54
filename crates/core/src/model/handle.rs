//! What the builder hands out: objects to read in guards and to operate on in commands.

use super::expr::{Expr, Local, Node, Query};
use crate::ids::ObjectId;

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

    /// An operation of the process that moves, or of the one of this control point.
    pub(crate) fn action(self, kind: u8, input: Option<Node>, by: Option<Local>) -> Action {
        Action(Step::Operate {
            object: self,
            kind,
            input,
            by,
        })
    }
}

/// A handle of objects of one type; its methods are in the file of that type.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name($crate::model::Object);

        impl $name {
            /// The same object without its type.
            pub fn object(self) -> $crate::model::Object {
                self.0
            }
        }
    };
}

pub(crate) use handle;
