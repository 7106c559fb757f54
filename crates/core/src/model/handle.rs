//! Handles to objects, which guards read and commands operate on.

use super::expr::{Expr, Local, Node, Query};
use crate::ids::ObjectId;

/// A handle to an object of any type. The handles of the built-in types wrap it and name its operations.
///
/// ```
/// # use mazurka_core::{Builder, Search, VariableType};
/// let mut m = Builder::new("m");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// let x = m.object("x", VariableType::boolean());
/// // Operations by their place in `ObjectType::operations`: 0 is Read, 1 is Write.
/// m.transition("t", a0, a1).when(x.query(0).is(0)).then(x.operate_with(1, 1));
/// let outcome = Search::full(&m.build()?).run()?;
/// assert_eq!(outcome.deadlocks[0].state.values, [[1]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
        /// A control point of the process that acts, if several move.
        by: Option<Local>,
    },
    Assert {
        holds: Node,
        message: String,
    },
}

/// A sequence of actions.
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
///
/// ```
/// # use mazurka_core::{Builder, Search, assert};
/// # let mut m = Builder::new("m");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// let x = m.boolean("x");
/// m.transition("t", a0, a1).then(assert(x.is(1), "x is set"));
/// let outcome = Search::new(&m.build()?).run()?;
/// assert_eq!(outcome.violations[0].message, "assertion `x is set` of transition `t` is violated");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

    /// An operation by the process that moves, or by the process of the control point `by`.
    pub(crate) fn action(self, kind: u8, input: Option<Node>, by: Option<Local>) -> Action {
        Action(Step::Operate {
            object: self,
            kind,
            input,
            by,
        })
    }
}

/// Defines a handle to objects of one type; its methods are in the file of that type.
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
