//! The value of a term while it is evaluated, borrowed where possible.
//!
//! Besides the values that variables can have, there are processes and lists of
//! processes, which exist only while a term is evaluated.

use super::syntax::Function;
use crate::value::Value;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

/// The value of a term.
#[derive(Clone, Debug)]
pub(super) enum Evaluated<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Cow<'a, str>),
    /// A list that is the value of a variable, or part of one.
    Items(&'a [Value]),
    /// A list that was made.
    List(Vec<Evaluated<'a>>),
    Map(Cow<'a, BTreeMap<String, Value>>),
    Process(u32),
}

impl<'a> From<&'a Value> for Evaluated<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(b) => Self::Bool(*b),
            Value::Int(n) => Self::Int(*n),
            Value::Double(x) => Self::Double(*x),
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::List(items) => Self::Items(items),
            Value::Map(map) => Self::Map(Cow::Borrowed(map)),
        }
    }
}

impl<'a> Evaluated<'a> {
    fn owned(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::Text(Cow::Owned(text.to_string())),
            Value::List(items) => Self::List(items.iter().map(Self::owned).collect()),
            Value::Map(map) => Self::Map(Cow::Owned((**map).clone())),
            Value::Null => Self::Null,
            Value::Bool(b) => Self::Bool(*b),
            Value::Int(n) => Self::Int(*n),
            Value::Double(x) => Self::Double(*x),
        }
    }

    /// A field of an object, null if it is not there.
    pub(super) fn field(map: &Cow<'a, BTreeMap<String, Value>>, field: &str) -> Self {
        match map {
            Cow::Borrowed(map) => map.get(field).map_or(Self::Null, Self::from),
            Cow::Owned(map) => map.get(field).map_or(Self::Null, Self::owned),
        }
    }

    /// The same as a value that a variable can have; `None` if it contains processes.
    pub(super) fn into_value(self) -> Option<Value> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Bool(b) => Value::Bool(b),
            Self::Int(n) => Value::Int(n),
            Self::Double(x) => Value::Double(x),
            Self::Text(text) => Value::string(&text),
            Self::Items(items) => Value::List(items.into()),
            Self::List(list) => Value::List(list.into_iter().map(Self::into_value).collect::<Option<_>>()?),
            Self::Map(map) => Value::Map(map.into_owned().into()),
            Self::Process(_) => return None,
        })
    }

    /// What it is, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an int",
            Self::Double(_) => "a double",
            Self::Text(_) => "a string",
            Self::Items(_) | Self::List(_) => "a list",
            Self::Map(_) => "an object",
            Self::Process(_) => "a process",
        }
    }

    /// The length of a list.
    pub(super) fn length(&self) -> Option<usize> {
        match self {
            Self::Items(items) => Some(items.len()),
            Self::List(list) => Some(list.len()),
            _ => None,
        }
    }

    /// An element of a list.
    pub(super) fn element(&self, at: usize) -> Option<Self> {
        match self {
            Self::Items(items) => items.get(at).map(Self::from),
            Self::List(list) => list.get(at).cloned(),
            _ => None,
        }
    }

    /// The number of elements, characters or fields.
    pub(super) fn size(&self) -> Option<usize> {
        match self {
            Self::Text(text) => Some(text.chars().count()),
            Self::Map(map) => Some(map.len()),
            _ => self.length(),
        }
    }

    /// A number, as a double.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Int(n) => Some(*n as f64),
            Self::Double(x) => Some(*x),
            _ => None,
        }
    }

    /// Equality: numbers are compared by value; values of different types are never equal.
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Int(_) | Self::Double(_), Self::Int(_) | Self::Double(_)) => {
                self.order(other).flatten() == Some(Ordering::Equal)
            }
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Process(a), Self::Process(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => {
                let same = |((k, v), (l, w)): ((&String, &Value), (&String, &Value))| {
                    k == l && Evaluated::from(v).equals(&Evaluated::from(w))
                };
                a.len() == b.len() && a.iter().zip(b.iter()).all(same)
            }
            _ => match (self.length(), other.length()) {
                (Some(m), Some(n)) => {
                    let same = |k| match (self.element(k), other.element(k)) {
                        (Some(a), Some(b)) => a.equals(&b),
                        _ => false,
                    };
                    m == n && (0..m).all(same)
                }
                _ => false,
            },
        }
    }

    /// How two numbers, strings or booleans compare. The outer `None` means that values of these types do not
    /// compare, the inner one that one of them is NaN.
    pub(super) fn order(&self, other: &Self) -> Option<Option<Ordering>> {
        Some(match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(b),
            (Self::Int(a), Self::Double(b)) => int_and_double(*a, *b),
            (Self::Double(a), Self::Int(b)) => int_and_double(*b, *a).map(Ordering::reverse),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            (Self::Bool(a), Self::Bool(b)) => Some(a.cmp(b)),
            _ => return None,
        })
    }

    /// Two strings or two lists, joined.
    pub(super) fn joined(&self, other: &Self) -> Option<Self> {
        if let (Self::Text(a), Self::Text(b)) = (self, other) {
            return Some(Self::Text(Cow::Owned(format!("{a}{b}"))));
        }
        let (m, n) = (self.length()?, other.length()?);
        let elements = (0..m).filter_map(|k| self.element(k));
        Some(Self::List(
            elements.chain((0..n).filter_map(|k| other.element(k))).collect(),
        ))
    }

    /// The result of `int`, `double` or `string`. The outer `None` means that values of this type cannot be
    /// converted, the inner one that this value cannot.
    pub(super) fn converted(&self, function: Function) -> Option<Option<Self>> {
        Some(match (function, self) {
            (Function::Int, Self::Int(n)) => Some(Self::Int(*n)),
            (Function::Int, Self::Double(x)) => {
                let whole = x.trunc();
                // The bounds are exact as doubles.
                (-TWO_TO_63..TWO_TO_63)
                    .contains(&whole)
                    .then(|| Self::Int(as_int(whole)))
            }
            (Function::Int, Self::Text(text)) => text.parse().ok().map(Self::Int),
            (Function::Double, Self::Int(n)) => Some(Self::Double(*n as f64)),
            (Function::Double, Self::Double(x)) => Some(Self::Double(*x)),
            (Function::Double, Self::Text(text)) => text.parse().ok().map(Self::Double),
            (Function::String, Self::Int(_) | Self::Double(_) | Self::Bool(_) | Self::Text(_)) => {
                Some(Self::Text(Cow::Owned(self.to_string())))
            }
            _ => return None,
        })
    }
}

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// A whole number within the range of ints, as an int.
#[expect(clippy::cast_possible_truncation, reason = "whoever calls has checked")]
fn as_int(whole: f64) -> i64 {
    whole as i64
}

/// Compares exactly: the int is not rounded.
fn int_and_double(n: i64, x: f64) -> Option<Ordering> {
    if x.is_nan() {
        None
    } else if x >= TWO_TO_63 {
        Some(Ordering::Less)
    } else if x < -TWO_TO_63 {
        Some(Ordering::Greater)
    } else {
        let whole = x.trunc();
        // If the whole parts are equal, the fraction decides.
        Some(n.cmp(&as_int(whole)).then(whole.partial_cmp(&x)?))
    }
}

impl fmt::Display for Evaluated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Double(x) => x.fmt(f),
            Self::Process(process) => process.fmt(f),
            other => match other.clone().into_value() {
                Some(value) => value.fmt(f),
                None => f.write_str(other.kind()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ints_and_doubles_compare_exactly() {
        let order = |n: i64, x: f64| Evaluated::Int(n).order(&Evaluated::Double(x)).unwrap();
        assert_eq!(order(1, 1.0), Some(Ordering::Equal));
        assert_eq!(order(1, 1.5), Some(Ordering::Less));
        assert_eq!(order(-1, -1.5), Some(Ordering::Greater));
        assert_eq!(order(i64::MAX, TWO_TO_63), Some(Ordering::Less));
        assert_eq!(order(i64::MIN, -TWO_TO_63), Some(Ordering::Equal));
        // Rounded to doubles, these would be equal.
        assert_eq!(
            order(9_007_199_254_740_993, 9_007_199_254_740_992.0),
            Some(Ordering::Greater)
        );
        assert_eq!(order(0, f64::NAN), None);
        assert!(Evaluated::Int(1).equals(&Evaluated::Double(1.0)));
    }

    #[test]
    fn lists_are_equal_by_their_elements() {
        let items = [Value::Int(1), Value::string("a")];
        let made = Evaluated::List(vec![Evaluated::Double(1.0), Evaluated::Text("a".into())]);
        assert!(Evaluated::Items(&items).equals(&made));
        assert!(!Evaluated::Items(&items[..1]).equals(&made));
        assert_eq!(made.joined(&Evaluated::Items(&items)).unwrap().length(), Some(4));
    }
}
