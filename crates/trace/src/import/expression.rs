//! Regular expressions as ShiViz writes them.
//!
//! ShiViz uses JavaScript's syntax with named groups. Where Rust's syntax differs, the
//! expression is rewritten: a brace that repeats nothing, and a bracket inside brackets,
//! stand for themselves. `^` and `$` match at the ends of lines; `.` does not match an end
//! of line. Look-around and back-references have no counterpart in Rust and are refused.

use super::error::ImportError;
use regex::Regex;

/// Compiles an expression.
///
/// # Errors
/// If it is not a regular expression, or lacks one of the groups `needs`.
pub(crate) fn compile(expression: &str, needs: &[&str]) -> Result<Regex, ImportError> {
    let bad = |why: String| ImportError::BadRegex {
        expression: expression.to_owned(),
        why,
    };
    let regex = regex::RegexBuilder::new(&translate(expression))
        .multi_line(true)
        .build()
        .map_err(|error| {
            // The last line says what is wrong; those before it repeat the expression.
            let error = error.to_string();
            let why = error.lines().last().unwrap_or_default().trim();
            bad(format!("is wrong: {}", why.strip_prefix("error: ").unwrap_or(why)))
        })?;
    for need in needs {
        if !regex.capture_names().flatten().any(|name| name == *need) {
            return Err(bad(format!("has no group `(?<{need}>…)`")));
        }
    }
    Ok(regex)
}

/// The same expression in Rust's syntax.
fn translate(expression: &str) -> String {
    let mut out = String::with_capacity(expression.len() + 8);
    let mut in_class = false;
    let mut rest = expression.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(rest.next());
            }
            '[' if in_class => out.push_str("\\["),
            '[' => {
                in_class = true;
                out.push(c);
            }
            ']' if in_class => {
                in_class = false;
                out.push(c);
            }
            '{' if !in_class => match repetition(rest.as_str(), &out) {
                Some(length) => {
                    out.push('{');
                    out.extend(rest.by_ref().take(length));
                }
                None => out.push_str("\\{"),
            },
            '}' if !in_class => out.push_str("\\}"),
            _ => out.push(c),
        }
    }
    out
}

/// The length of a repetition such as `{2,5}` without the first
/// brace; `None` if it is no repetition, or if there is nothing to repeat.
fn repetition(rest: &str, before: &str) -> Option<usize> {
    if before.is_empty() || before.ends_with(['(', '|', '>', '^']) {
        return None;
    }
    let inner = &rest[..rest.find('}')?];
    let number = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
    let is_repetition = match inner.split_once(',') {
        Some((from, to)) => number(from) && (to.is_empty() || number(to)),
        None => number(inner),
    };
    is_repetition.then_some(inner.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_and_brackets_mean_what_they_mean_in_javascript() {
        assert_eq!(translate(r"(?<clock>{.*})"), r"(?<clock>\{.*\})");
        assert_eq!(translate(r"\d{4}-\d{1,}x{y}"), r"\d{4}-\d{1,}x\{y\}");
        assert_eq!(translate(r"[[{}]\]{"), r"[\[{}]\]\{");
        for expression in [r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})", r"^\/\\ a{2}$"] {
            compile(expression, &[]).unwrap();
        }
        let missing = compile("(?<host>.*)", &["host", "clock"]).unwrap_err();
        assert!(missing.to_string().ends_with("has no group `(?<clock>…)`"));
        let wrong = compile("(?<host>.*", &[]).unwrap_err();
        assert!(matches!(wrong, ImportError::BadRegex { .. }));
    }
}
