//! A tree as text with all its brackets and without places, for comparison in tests.

use crate::predicate::syntax::{Expression, Kind};

/// The tree as nested lists, each beginning with what it is: `p1.x + 1` is `(+ (."x" p1) Int(1))`.
pub(super) fn shape(e: &Expression) -> String {
    let head = match &e.kind {
        Kind::Constant(value) => return format!("{value:?}"),
        Kind::Name(name) => return name.clone(),
        Kind::Invalid => "invalid".to_owned(),
        Kind::Process(_) => "process".to_owned(),
        Kind::Field(_, field) => format!(".{field:?}"),
        Kind::Has(_, field) => format!("has {field:?}"),
        Kind::Index(_) => "index".to_owned(),
        Kind::Not(_) => "!".to_owned(),
        Kind::Negate(_) => "negate".to_owned(),
        Kind::And(_) => "&&".to_owned(),
        Kind::Or(_) => "||".to_owned(),
        Kind::Compare(comparison, _) => comparison.symbol().to_owned(),
        Kind::Arithmetic(operator, _) => operator.symbol().to_owned(),
        Kind::In(_) => "in".to_owned(),
        Kind::Conditional(_) => "?:".to_owned(),
        Kind::List(_) => "list".to_owned(),
        Kind::Map(_) => "map".to_owned(),
        Kind::Call(function, _) => format!("call {}", function.name()),
        Kind::Matches(_, pattern) => format!("matches {:?}", pattern.0.as_str()),
        Kind::Comprehension(c) => {
            let guarded = if c.guard.is_some() { " guarded" } else { "" };
            format!("{} {}{guarded}", c.quantifier.name(), c.variable)
        }
    };
    let parts = e.children().into_iter().map(|child| format!(" {}", shape(child)));
    format!("({head}{})", parts.collect::<String>())
}
