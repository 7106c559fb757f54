//! Strings and bytes in quotes.
//!
//! A literal begins with one or three quotes, single or double, after an optional `b` for bytes and an optional `r`
//! for a raw literal, in which a backslash is an ordinary character. It ends at the first such quotes that are not
//! part of an escape. With one quote, it stays on its line. With three, every end of line in it becomes `\n`.

use super::lexer::Token;
use crate::predicate::error::PredicateError;
use crate::value::Value;

/// The literal at the beginning of a text, and its length; none if there is none. Places of errors count from the
/// beginning of the text.
pub(super) fn quoted(text: &str) -> Option<Result<(Token<'_>, usize), PredicateError>> {
    let bytes = text.starts_with(['b', 'B']);
    let marked = usize::from(bytes);
    let raw = text[marked..].starts_with(['r', 'R']);
    let prefix = marked + usize::from(raw);
    let quotes = ["\"\"\"", "'''", "\"", "'"];
    let quote = quotes.into_iter().find(|quote| text[prefix..].starts_with(quote))?;
    let literal = Quoted {
        text,
        quote,
        raw,
        bytes,
    };
    let read = literal.read(prefix + quote.len());
    Some(read.map(|(value, length)| match bytes {
        true => (Token::Bytes, length),
        false => (Token::Literal(Value::String(value.into())), length),
    }))
}

/// A literal that is being read.
struct Quoted<'a> {
    /// The text that it is at the beginning of.
    text: &'a str,
    quote: &'static str,
    raw: bool,
    bytes: bool,
}

impl Quoted<'_> {
    /// Reads what follows the opening quotes: the value, and where the literal ends.
    fn read(&self, mut at: usize) -> Result<(String, usize), PredicateError> {
        let mut value = String::new();
        while let Some(c) = self.text[at..].chars().next() {
            if self.text[at..].starts_with(self.quote) {
                return Ok((value, at + self.quote.len()));
            }
            match c {
                '\\' if !self.raw => {
                    let (meant, length) = self.escape(at)?;
                    value.push(meant);
                    at += length;
                    continue;
                }
                '\n' | '\r' if self.quote.len() == 1 => break,
                '\r' => {
                    value.push('\n');
                    at += usize::from(self.text[at..].starts_with("\r\n"));
                }
                _ => value.push(c),
            }
            at += c.len_utf8();
        }
        Err(self.no_end(at))
    }

    /// The error for a literal without closing quotes, which was read up to `at`.
    fn no_end(&self, at: usize) -> PredicateError {
        let quote = self.quote;
        let message = match self.bytes {
            true => format!("these bytes have no end: `{quote}` is missing"),
            false => format!("this string has no end: `{quote}` is missing"),
        };
        let error = PredicateError::new(0..at, message);
        match self.quote.len() == 1 && at < self.text.len() {
            true => error.hint(format!(
                "only between `{quote}{quote}{quote}` it may go over several lines"
            )),
            false => error,
        }
    }

    /// The escape at a place: the character that it means, and its length.
    fn escape(&self, at: usize) -> Result<(char, usize), PredicateError> {
        let Some(kind) = self.text[at + 1..].chars().next() else {
            return Err(self.no_end(self.text.len()));
        };
        let meant = match kind {
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0C',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0B',
            '"' | '\'' | '\\' | '?' | '`' => kind,
            'x' | 'X' => return self.number(at, 2, 16),
            'u' if !self.bytes => return self.number(at, 4, 16),
            'U' if !self.bytes => return self.number(at, 8, 16),
            '0'..='3' => return self.number(at, 3, 8),
            _ => {
                let span = at..at + 1 + kind.len_utf8();
                let message = match kind {
                    'u' | 'U' => format!("bytes have no escape `\\{kind}`"),
                    _ => format!("there is no escape `\\{}`", kind.escape_debug()),
                };
                let hint = "a backslash is written `\\\\`, or `\\` in a raw string such as `r\"a\\b\"`";
                return Err(PredicateError::new(span, message).hint(hint));
            }
        };
        Ok((meant, 2))
    }

    /// The escape at a place that gives the number of a character, either in octal digits alone or after a letter.
    fn number(&self, at: usize, digits: usize, radix: u32) -> Result<(char, usize), PredicateError> {
        let start = at + if radix == 8 { 1 } else { 2 };
        let given = self.text[start..].chars().take(digits);
        let end = start + given.take_while(|c| c.is_digit(radix)).count();
        let written = &self.text[at..end];
        if end < start + digits {
            let kind = if radix == 8 { "octal" } else { "hexadecimal" };
            let message = format!("the escape `{written}` is too short: it needs {digits} {kind} digits");
            return Err(PredicateError::new(at..end, message));
        }
        let number = u32::from_str_radix(&self.text[start..end], radix).ok();
        match number.and_then(char::from_u32) {
            Some(meant) => Ok((meant, end - at)),
            None => Err(PredicateError::new(at..end, format!("`{written}` is not a character"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a literal that is the whole text.
    fn value(text: &str) -> String {
        match quoted(text) {
            Some(Ok((Token::Literal(Value::String(value)), length))) if length == text.len() => value.to_string(),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn mistake(text: &str) -> String {
        match quoted(text) {
            Some(Err(error)) => format!("{}|{}", &text[error.span.clone()], error.message),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn every_form_has_its_value() {
        assert_eq!(value(r#""a'b""#), "a'b");
        assert_eq!(value("''"), "");
        assert_eq!(value("\"\"\"\"\"\""), "");
        assert_eq!(value("'''a''b'\nc'''"), "a''b'\nc");
        assert_eq!(value("'''a\r\nb\rc'''"), "a\nb\nc");
        assert_eq!(value(r"r'a\'"), r"a\");
        assert_eq!(value(r#"R"""\""""#), r"\");
    }

    #[test]
    fn escapes_mean_characters() {
        assert_eq!(value(r#"'\a\b\f\n\r\t\v\"\'\\\?\`'"#), "\x07\x08\x0C\n\r\t\x0B\"'\\?`");
        assert_eq!(value(r"'\x41\X7e\u00e9\U0001F600\101\377'"), "A~é😀Aÿ");
        assert_eq!(value(r"'''\''''"), "'");
        assert!(matches!(quoted(r"b'\xff\377' "), Some(Ok((Token::Bytes, 11)))));
    }

    #[test]
    fn mistakes_have_a_place() {
        assert_eq!(mistake("'abc"), "'abc|this string has no end: `'` is missing");
        assert_eq!(mistake("'abc\n'"), "'abc|this string has no end: `'` is missing");
        assert_eq!(mistake("r'''abc'"), "r'''abc'|this string has no end: `'''` is missing");
        assert_eq!(mistake("b\"\\"), "b\"\\|these bytes have no end: `\"` is missing");
        assert_eq!(mistake(r"'a\qb'"), r"\q|there is no escape `\q`");
        assert_eq!(mistake(r"'a\480'"), r"\4|there is no escape `\4`");
        assert_eq!(mistake(r"b'\u0041'"), r"\u|bytes have no escape `\u`");
        assert_eq!(
            mistake(r"'\x4'"),
            r"\x4|the escape `\x4` is too short: it needs 2 hexadecimal digits"
        );
        assert_eq!(
            mistake(r"'\08'"),
            r"\0|the escape `\0` is too short: it needs 3 octal digits"
        );
        assert_eq!(mistake(r"'\ud800'"), r"\ud800|`\ud800` is not a character");
    }

    #[test]
    fn other_texts_are_no_literals() {
        for text in ["", "a", "r", "b", "br", "rb'a'", "bb'a'", "`a`", "é'a'"] {
            assert!(quoted(text).is_none(), "{text}");
        }
    }
}
