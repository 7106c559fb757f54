//! The text of litmus tests as words, numbers and symbols, with their places.

use super::ParseError;

/// Where reading has come to.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut scanner = Scanner { text, at: 0 };
        scanner.skip();
        scanner
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            self.at = self.text.len() - self.rest().trim_start().len();
            if !self.rest().starts_with('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// The word or number that is next, or nothing.
    pub(super) fn peek(&self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        &rest[..end]
    }

    /// Takes the word or number that is next.
    pub(super) fn word(&mut self, expected: &str) -> Result<&'a str, ParseError> {
        let word = self.peek();
        if word.is_empty() {
            return Err(self.expected(expected));
        }
        self.at += word.len();
        self.skip();
        Ok(word)
    }

    /// Takes this symbol or word if it is next.
    pub(super) fn takes(&mut self, token: &str) -> bool {
        let is_word = token.starts_with(|c: char| c.is_ascii_alphabetic());
        let found = if is_word {
            self.peek() == token
        } else {
            self.rest().starts_with(token)
        };
        if found {
            self.at += token.len();
            self.skip();
        }
        found
    }

    /// Takes this symbol or word, which must be next.
    pub(super) fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.takes(token) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{token}`")))
        }
    }

    /// Takes what is left of the line.
    pub(super) fn line(&mut self, expected: &str) -> Result<&'a str, ParseError> {
        let rest = self.rest();
        let line = rest[..rest.find('\n').unwrap_or(rest.len())].trim();
        if line.is_empty() {
            return Err(self.expected(expected));
        }
        self.at += line.len();
        self.skip();
        Ok(line)
    }

    /// What was expected here, and what there is.
    pub(super) fn expected(&self, expected: &str) -> ParseError {
        let found = match (self.peek(), self.rest().chars().next()) {
            ("", None) => "the end".to_string(),
            ("", Some(c)) => format!("`{c}`"),
            (word, _) => format!("`{word}`"),
        };
        self.error(format!("expected {expected}, found {found}"))
    }

    /// A mistake here.
    pub(super) fn error(&self, message: String) -> ParseError {
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        ParseError { line, column, message }
    }

    /// The line of what is next.
    pub(super) fn line_number(&self) -> usize {
        self.text[..self.at].matches('\n').count() + 1
    }
}
