//! A predicate as text in the Common Expression Language.

use super::{Comparison, Formula, Number, Who};
use std::fmt;

/// Something with the number of its enclosing quantifiers.
pub(super) struct Text<'a, T>(pub(super) &'a T, pub(super) usize);

/// The name of the process that a quantifier ranges over.
fn bound_name(depth: usize) -> char {
    ['p', 'q', 'r', 's', 't', 'u', 'v', 'w'][depth]
}

impl fmt::Display for Text<'_, Formula> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(formula, depth) = *self;
        let bound = bound_name(depth);
        match formula {
            Formula::Constant(holds) => write!(f, "{holds}"),
            Formula::Flag(who, variable) => write!(f, "{who}.{variable}"),
            Formula::Compare(a, comparison, b) => write!(f, "{} {comparison} {}", Text(a, depth), Text(b, depth)),
            Formula::Different(a, b) => write!(f, "{a}.name != {b}.name"),
            Formula::Not(a) => write!(f, "!({})", Text(&**a, depth)),
            Formula::And(all) => joined(f, all, depth, " && ", "true"),
            Formula::Or(all) => joined(f, all, depth, " || ", "false"),
            Formula::Implies(a, b) => write!(f, "!({}) || ({})", Text(&**a, depth), Text(&**b, depth)),
            Formula::Exists(a) => write!(f, "processes.exists({bound}, {})", Text(&**a, depth + 1)),
            Formula::All(a) => write!(f, "processes.all({bound}, {})", Text(&**a, depth + 1)),
        }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, all: &[Formula], depth: usize, by: &str, none: &str) -> fmt::Result {
    let texts: Vec<String> = all
        .iter()
        .map(|a| match a {
            Formula::And(_) | Formula::Or(_) | Formula::Implies(..) => format!("({})", Text(a, depth)),
            _ => Text(a, depth).to_string(),
        })
        .collect();
    f.write_str(if all.is_empty() { none } else { "" })?;
    f.write_str(&texts.join(by))
}

impl fmt::Display for Text<'_, Number> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number, depth) = *self;
        let bound = bound_name(depth);
        match number {
            Number::Null => f.write_str("null"),
            Number::Constant(n) => write!(f, "{n}"),
            Number::Variable(who, variable) => write!(f, "{who}.{variable}"),
            Number::Plus(a, b) => write!(f, "{} + {}", Text(&**a, depth), Text(&**b, depth)),
            Number::Sum(variable) => write!(f, "processes.map({bound}, {bound}.{variable}).sum()"),
            Number::Count(a) => write!(f, "processes.filter({bound}, {}).size()", Text(&**a, depth + 1)),
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) if name.chars().all(|c| c.is_ascii_alphanumeric()) => f.write_str(name),
            Self::Named(name) => write!(f, "process({name:?})"),
            Self::Bound(depth) => write!(f, "{}", bound_name(*depth)),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        })
    }
}
