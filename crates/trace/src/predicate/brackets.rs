//! A first look at a predicate's text: which brackets match, how deep it goes.
//!
//! The parser of the `cel` crate recurses once per bracket and once per operator
//! of a chain like `1 + 1 + …`, so both are limited here, before it runs: long or
//! deep text is an error, never a stack overflow. The pairs of brackets serve to
//! find where an expression ends, as the parser tells only the place of one token
//! of each.

use super::error::PredicateError;
use std::ops::Range;

/// The longest text, in bytes.
pub(super) const MAX_LENGTH: usize = 1 << 16;
/// How deep brackets may be nested; the parser itself gives up at 96.
pub(super) const MAX_NESTING: usize = 64;
/// How many operators may apply to one another's results.
pub(super) const MAX_CHAIN: usize = 1000;

/// The pairs of matching brackets of a text.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    /// Opening and closing offset, sorted by the opening one.
    by_open: Vec<(usize, usize)>,
    /// Closing and opening offset, sorted by the closing one.
    by_close: Vec<(usize, usize)>,
}

impl Brackets {
    /// Finds the pairs, or says which limit the text exceeds.
    pub(super) fn scan(text: &str) -> Result<Self, PredicateError> {
        if text.len() > MAX_LENGTH {
            let message = format!("the predicate is longer than {MAX_LENGTH} bytes");
            return Err(PredicateError::new(0..0, message));
        }
        let bytes = text.as_bytes();
        let mut found = Self::default();
        let mut open: Vec<usize> = Vec::new();
        // Operators since the last `,`, `&&` and the like, per level, and their sum.
        let mut chains = vec![0];
        let mut chain = 0;
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            match byte {
                b'"' | b'\'' => {
                    at = end_of_string(bytes, at);
                    continue;
                }
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    at += bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - at);
                    continue;
                }
                b'(' | b'[' | b'{' => {
                    *chains.last_mut().expect("one per level") += 1;
                    chain += 1;
                    chains.push(0);
                    open.push(at);
                }
                b')' | b']' | b'}' => {
                    // What does not match is for the parser to report.
                    if let Some(start) = open.pop() {
                        chain -= chains.pop().expect("one per level");
                        found.by_open.push((start, at));
                        found.by_close.push((at, start));
                    }
                }
                b',' | b'&' | b'|' | b'?' | b':' => {
                    let last = chains.last_mut().expect("one per level");
                    chain -= *last;
                    *last = 0;
                }
                b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'!' | b'.' => {
                    *chains.last_mut().expect("one per level") += 1;
                    chain += 1;
                }
                b'i' if starts_with_in(bytes, at) => {
                    *chains.last_mut().expect("one per level") += 1;
                    chain += 1;
                }
                _ => {}
            }
            if open.len() > MAX_NESTING {
                let message = format!("brackets are nested more than {MAX_NESTING} deep");
                return Err(PredicateError::new(at..at + 1, message));
            }
            if chain > MAX_CHAIN {
                let message = format!("more than {MAX_CHAIN} operators in one expression");
                return Err(PredicateError::new(at..at + 1, message)
                    .hint("use `processes.map(p, …).sum()`, or divide it with `&&`"));
            }
            at += 1;
        }
        found.by_open.sort_unstable();
        Ok(found)
    }

    /// The smallest piece of text that contains `range` and both or neither of
    /// each pair of brackets.
    pub(super) fn balance(&self, range: Range<usize>) -> Range<usize> {
        let Range { mut start, mut end } = range;
        loop {
            let first = self.by_open.partition_point(|(open, _)| *open < start);
            let opened = self.by_open[first..].iter().take_while(|(open, _)| *open < end);
            let last = opened.map(|(_, close)| close + 1).max().unwrap_or(end).max(end);
            let first = self.by_close.partition_point(|(close, _)| *close < start);
            let closed = self.by_close[first..].iter().take_while(|(close, _)| *close < last);
            let begin = closed.map(|(_, open)| *open).min().unwrap_or(start).min(start);
            if (begin, last) == (start, end) {
                return start..end;
            }
            (start, end) = (begin, last);
        }
    }
}

/// Whether the word at `at` is `in`.
fn starts_with_in(bytes: &[u8], at: usize) -> bool {
    let part_of_word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    bytes[at..].starts_with(b"in")
        && !part_of_word(bytes.get(at + 2))
        && !part_of_word(at.checked_sub(1).map(|k| &bytes[k]))
}

/// The offset after the string whose opening quote is at `at`.
fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let raw = at > 0 && matches!(bytes[at - 1], b'r' | b'R');
    let triple = bytes[at..].starts_with(&[quote; 3]);
    let mut k = at + if triple { 3 } else { 1 };
    while k < bytes.len() {
        match bytes[k] {
            b'\\' if !raw => k += 1,
            b'\n' if !triple => return k,
            b if b == quote && !triple => return k + 1,
            b if b == quote && bytes[k..].starts_with(&[quote; 3]) => return k + 3,
            _ => {}
        }
        k += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_of_text_grows_until_brackets_match() {
        let text = "f((a) + b[1], \")\") * c";
        let brackets = Brackets::scan(text).unwrap();
        let grown = |piece: &str| {
            let start = text.find(piece).unwrap();
            &text[brackets.balance(start..start + piece.len())]
        };
        assert_eq!(grown("a) + b"), "(a) + b");
        assert_eq!(grown("b["), "b[1]");
        assert_eq!(grown("f("), "f((a) + b[1], \")\")");
        assert_eq!(grown("+ b[1], \")\") *"), "((a) + b[1], \")\") *");
    }

    #[test]
    fn what_is_too_long_or_too_deep_is_refused() {
        let message = |text: &str| Brackets::scan(text).unwrap_err().message;
        assert!(message(&"(".repeat(10_000)).contains("more than 64 deep"));
        assert!(message(&"1+".repeat(2000)).contains("more than 1000 operators"));
        assert!(message(&" ".repeat(MAX_LENGTH + 1)).contains("longer than"));
        assert!(Brackets::scan(&"(".repeat(MAX_NESTING)).is_ok());
        assert!(Brackets::scan(&"p.x == 1 && ".repeat(5000)).is_ok());
    }

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        for text in [r#" "(" "#, r"'\'('", "r'\\' // (", "'''('('''", "\"\"\" ( \" ( \"\"\""] {
            let brackets = Brackets::scan(&format!("[{text}\n]")).unwrap();
            assert_eq!(brackets.by_open.len(), 1, "{text}");
        }
    }
}
