//! Types, as far as they are known without a trace.
//!
//! A variable may hold anything, so its type is only known when it has a value.
//! Everything else has a type: literals, names, results of operators.

use crate::value::Value;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// An error was reported here; there are no further ones.
    Invalid,
    /// Known at run time only; never a process.
    Any,
    /// An int or a double.
    Number,
    /// Whatever `+` yields: a number, a string or a list.
    Sum,
    Null,
    Bool,
    Int,
    Double,
    Text,
    List(Box<Type>),
    Map,
    Process,
}

impl Type {
    /// The type of a literal.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Int(_) => Self::Int,
            Value::Double(_) => Self::Double,
            Value::String(_) => Self::Text,
            Value::List(_) => Self::List(Box::new(Self::Any)),
            Value::Map(_) => Self::Map,
        }
    }

    /// A value of the type, in words.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Invalid | Self::Any => "a value",
            Self::Number => "a number",
            Self::Sum => "a sum",
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Int => "an int",
            Self::Double => "a double",
            Self::Text => "a string",
            Self::List(_) => "a list",
            Self::Map => "an object",
            Self::Process => "a process",
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Int | Self::Double | Self::Number)
    }

    /// Whether it may be a type that passes the test.
    pub(super) fn may_be(&self, test: impl Fn(&Self) -> bool) -> bool {
        match self {
            Self::Invalid | Self::Any => true,
            Self::Number => test(&Self::Int) || test(&Self::Double),
            Self::Sum => [Self::Int, Self::Double, Self::Text, Self::List(Box::new(Self::Any))]
                .iter()
                .any(test),
            _ => test(self),
        }
    }

    /// Whether values of the two types can be equal.
    pub(super) fn comparable(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Invalid, _) | (_, Self::Invalid) => true,
            (Self::Process, Self::Any) | (Self::Any, Self::Process) => false,
            (Self::Any | Self::Null, _) | (_, Self::Any | Self::Null) => true,
            (Self::Sum, other) | (other, Self::Sum) => {
                other.may_be(|t| t.is_number() || matches!(t, Self::Text | Self::List(_)))
            }
            (Self::List(a), Self::List(b)) => a.comparable(b),
            _ => self == other || self.is_number() && other.is_number(),
        }
    }

    /// The type of a value that has one of two types.
    pub(super) fn either(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Invalid, _) | (_, Self::Invalid) => Self::Invalid,
            (Self::List(a), Self::List(b)) => Self::List(Box::new(a.either(*b))),
            _ => Self::Any,
        }
    }

    /// Values of the type, in words.
    pub(super) fn plural(&self) -> &'static str {
        match self {
            Self::Invalid | Self::Any | Self::Null | Self::Sum => "values",
            Self::Number => "numbers",
            Self::Bool => "booleans",
            Self::Int => "ints",
            Self::Double => "doubles",
            Self::Text => "strings",
            Self::List(_) => "lists",
            Self::Map => "objects",
            Self::Process => "processes",
        }
    }
}
