//! The parser's errors of syntax in our words.
//!
//! They are made for people who know the grammar: what was expected is a list of
//! all tokens. Here the place is turned into bytes, and common slips get a hint.

use super::error::{PredicateError, PredicateErrors};
use std::collections::BTreeMap;
use std::ops::Range;

/// The parser's errors in our words, at most one for each place.
pub(super) fn syntax_errors(text: &str, errors: cel::ParseErrors) -> PredicateErrors {
    let mut by_place = BTreeMap::new();
    for error in errors.errors {
        let (span, message, hint) = in_our_words(text, &error);
        by_place
            .entry(span.start)
            .or_insert_with(|| PredicateError::new(span, message).perhaps(hint));
    }
    // What follows the first error of syntax is mostly a consequence of it.
    PredicateErrors::new(by_place.into_values().take(1).collect())
}

fn in_our_words(text: &str, error: &cel::ParseError) -> (Range<usize>, String, Option<String>) {
    let message = error.msg.trim_start_matches("Syntax error: ");
    let start = offset(text, error.pos);
    let quoted = |message: &str| {
        let after = message.split_once('\'')?.1;
        let end = after.rfind("' expecting").or_else(|| after.rfind('\''))?;
        Some(after[..end].trim_end().to_owned())
    };
    if message.contains("Recursion limit") {
        return (start..start, "the predicate is nested too deeply".to_owned(), None);
    }
    let expects_value = message.contains("'true'");
    let found = match message {
        m if m.starts_with("missing ") => {
            let missing = quoted(m.split(" at ").next().unwrap_or(m)).unwrap_or_default();
            return (start..start, format!("`{missing}` is missing here"), None);
        }
        m if [
            "mismatched input",
            "extraneous input",
            "no viable alternative",
            "token recognition error",
        ]
        .iter()
        .any(|known| m.starts_with(known)) =>
        {
            quoted(m).unwrap_or_default()
        }
        m => {
            let word = text[start..].split(|c: char| !c.is_alphanumeric() && c != '_').next();
            return (start..start + word.map_or(0, str::len), m.to_owned(), None);
        }
    };
    if found == "<EOF>" || start >= text.len() {
        let hint = expects_value.then(|| "a value is missing".to_owned());
        return (text.len()..text.len(), "the predicate ends too early".to_owned(), hint);
    }
    let hint = match found.as_str() {
        "=" => Some("equality is written `==`"),
        "&" | "and" | "AND" => Some("conjunction is written `&&`"),
        "|" | "or" | "OR" => Some("disjunction is written `||`"),
        "not" | "NOT" => Some("negation is written `!`"),
        found if found.starts_with(['"', '\'']) => Some("the string has no end, or an unknown escape"),
        _ if expects_value => Some("a value was expected"),
        _ if message.ends_with("expecting <EOF>") => Some("the predicate should end here, or an operator is missing"),
        _ => None,
    };
    let end = match text[start..].starts_with(found.as_str()) {
        true => start + found.len(),
        false => start + text[start..].chars().next().map_or(0, char::len_utf8),
    };
    let message = format!("unexpected `{}`", &text[start..end]);
    (start..end, message, hint.map(str::to_owned))
}

/// The byte of a line and a column, both from 1, the column in characters.
fn offset(text: &str, (line, column): (isize, isize)) -> usize {
    let (line, column) = (usize::try_from(line).unwrap_or(1), usize::try_from(column).unwrap_or(1));
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let rest = &text[before.min(text.len())..];
    let within = rest
        .char_indices()
        .nth(column.saturating_sub(1))
        .map_or(rest.len(), |(at, _)| at);
    before + within
}
