//! Messages about tokens in the wrong place.
//!
//! A message says what the grammar allows and what was found instead. For common slips, such as `=` in place of
//! `==`, there is a hint.

use super::Parser;
use super::lexer::Token;
use crate::predicate::error::PredicateError;
use crate::predicate::syntax::is_reserved;

/// What is expected after a dot.
pub(super) const FIELD: &str = "the name of a field";
/// How much of a token a message repeats, in characters.
const SHOWN: usize = 24;

impl Parser<'_> {
    /// The error that the next token is not what was expected.
    pub(super) fn expected(&self, what: &str) -> Box<PredicateError> {
        let (token, place) = &self.tokens[self.at];
        let found = match token {
            // It is wrong everywhere.
            Token::Wrong(error) => return Box::new(error.clone()),
            Token::End => "the end of the predicate".to_owned(),
            _ => {
                let written = &self.text[place.clone()];
                let more = if written.chars().nth(SHOWN).is_some() {
                    "…"
                } else {
                    ""
                };
                format!(
                    "`{}{more}`",
                    written.chars().take(SHOWN).map(visible).collect::<String>()
                )
            }
        };
        let error = PredicateError::new(place.clone(), format!("expected {what}, found {found}"));
        Box::new(error.perhaps(self.slip(what)))
    }

    /// What the next token may have been meant for, where `what` was expected.
    fn slip(&self, what: &str) -> Option<String> {
        let written = |at: usize| self.tokens.get(at).map_or("", |(_, place)| &self.text[place.clone()]);
        let before = self.at.checked_sub(1).map_or("", written);
        let found = written(self.at);
        Some(match (before, found) {
            ("!=", "=") => "inequality is written `!=`".to_owned(),
            (_, "=") => "equality is written `==`".to_owned(),
            (_, "&" | "and" | "AND") => "conjunction is written `&&`".to_owned(),
            (_, "|" | "or" | "OR") => "disjunction is written `||`".to_owned(),
            (_, "not" | "NOT") | ("not" | "NOT", _) => "negation is written `!`".to_owned(),
            ("<", ">") => "inequality is written `!=`".to_owned(),
            ("!", "-") | ("-", "!") => format!("put what comes after `{before}` in brackets"),
            ("." | "[" | "{" | ",", "?") => "optional fields and elements are not supported".to_owned(),
            (_, "?") if what.contains("`:`") => "put the inner `?:` in brackets".to_owned(),
            (",", ")") => "arguments do not end with a comma".to_owned(),
            (_, word) if what == FIELD && is_reserved(word) => {
                format!("a field of that name is written `[\"{word}\"]`")
            }
            _ => return None,
        })
    }
}

/// A character as a message shows it.
fn visible(c: char) -> String {
    match c.is_control() {
        true => c.escape_debug().to_string(),
        false => c.to_string(),
    }
}
