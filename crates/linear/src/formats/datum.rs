//! Values in records, whatever they are written in.

use std::fmt;

/// A value in a record. Fractions are kept as they are written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Datum {
    /// `nil` or `null`.
    Nil,
    /// True or false.
    Bool(bool),
    /// A number without a fraction.
    Integer(i64),
    /// Any other number.
    Number(String),
    /// A text.
    Text(String),
    /// A keyword or a symbol, without its colon.
    Keyword(String),
    /// A list, a vector or an array.
    List(Vec<Datum>),
    /// A set.
    Set(Vec<Datum>),
    /// A map or an object.
    Map(Vec<(Datum, Datum)>),
}

impl Datum {
    /// The name that a keyword or a text is.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Text(name) | Self::Keyword(name) => Some(name),
            _ => None,
        }
    }

    /// The elements of a list or a set.
    pub fn elements(&self) -> Option<&[Self]> {
        match self {
            Self::List(all) | Self::Set(all) => Some(all),
            _ => None,
        }
    }
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |all: &[Self]| all.iter().map(Self::to_string).collect::<Vec<_>>().join(" ");
        match self {
            Self::Nil => f.write_str("nil"),
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Number(text) | Self::Keyword(text) => f.write_str(text),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(all) => write!(f, "[{}]", joined(all)),
            Self::Set(all) => write!(f, "{{{}}}", joined(all)),
            Self::Map(all) => {
                let all: Vec<String> = all.iter().map(|(key, value)| format!("{key}: {value}")).collect();
                write!(f, "{{{}}}", all.join(", "))
            }
        }
    }
}
