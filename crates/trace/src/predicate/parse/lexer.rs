//! Tokens: what the text of a predicate is made of.
//!
//! As in CEL, the longest possible token is taken: `1.5` is one number, `1.e5` is a field of 1, `.5` is a number and
//! `. 5` is not. Blanks and comments (`// …` to the end of the line) only separate tokens.
//!
//! The lexer never fails. Text that is not a token becomes [`Token::Stray`] or [`Token::Wrong`], which no rule of the
//! grammar allows, so that the parser reports whichever error comes first. Every byte is read a bounded number of
//! times.

use super::quoted::quoted;
use crate::predicate::error::PredicateError;
use crate::value::Value;
use std::ops::Range;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A word that stands for itself; reserved words too.
    Name(&'a str),
    /// `` `a name between backticks` ``.
    Escaped(&'a str),
    /// An int without its sign. Whether it fits depends on the sign: -9223372036854775808 does, 9223372036854775808
    /// does not.
    Int(u64),
    /// `1u`.
    Unsigned(u64),
    /// A double without its sign.
    Double(f64),
    /// `true`, `false`, `null` or a string.
    Literal(Value),
    /// `b"…"`. Its value is not kept, since no operation takes it.
    Bytes,
    /// An operator, a bracket, or another symbol of [`SYMBOLS`].
    Symbol(&'static str),
    /// A character that begins no token.
    Stray,
    /// A literal with a mistake in it. Only the end follows.
    Wrong(PredicateError),
    /// The end of the text.
    End,
}

/// Symbols; a longer one comes before its prefixes.
pub(super) const SYMBOLS: [&str; 24] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":", "+", "*",
    "/", "%",
];

/// All tokens of a text and their places. The last is the end.
pub(super) fn tokens(text: &str) -> Vec<(Token<'_>, Range<usize>)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at = after_blanks(text, at);
        if at == text.len() {
            break;
        }
        let (token, end) = token(text, at);
        let stop = matches!(token, Token::Wrong(_));
        tokens.push((token, at..end));
        if stop {
            break;
        }
        at = end;
    }
    tokens.push((Token::End, text.len()..text.len()));
    tokens
}

/// Where blanks and comments end.
fn after_blanks(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = text[at..].find('\n').map_or(bytes.len(), |length| at + length);
            }
            _ => break,
        }
    }
    at
}

/// The token at a place before the end, and its end.
fn token(text: &str, at: usize) -> (Token<'_>, usize) {
    let rest = &text[at..];
    if let Some(found) = quoted(rest) {
        return match found {
            Ok((token, length)) => (token, at + length),
            Err(error) => {
                let span = at + error.span.start..at + error.span.end;
                let end = span.end;
                (Token::Wrong(PredicateError { span, ..error }), end)
            }
        };
    }
    let bytes = rest.as_bytes();
    let digit = |k: usize| bytes.get(k).is_some_and(u8::is_ascii_digit);
    match bytes[0] {
        b if b.is_ascii_alphabetic() || b == b'_' => {
            let length = run(rest, |b| b.is_ascii_alphanumeric() || b == b'_');
            (word(&rest[..length]), at + length)
        }
        b'`' => escaped(rest, at),
        b if b.is_ascii_digit() || b == b'.' && digit(1) => number(rest, at),
        _ => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            Some(symbol) => (Token::Symbol(symbol), at + symbol.len()),
            None => (Token::Stray, at + rest.chars().next().map_or(0, char::len_utf8)),
        },
    }
}

/// How many bytes at the beginning of a text satisfy a condition.
fn run(text: &str, condition: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(|b| !condition(b)).unwrap_or(text.len())
}

fn word(word: &str) -> Token<'_> {
    match word {
        "in" => Token::Symbol("in"),
        "true" => Token::Literal(Value::Bool(true)),
        "false" => Token::Literal(Value::Bool(false)),
        "null" => Token::Literal(Value::Null),
        _ => Token::Name(word),
    }
}

/// A name between backticks.
fn escaped(rest: &str, at: usize) -> (Token<'_>, usize) {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"_.-/ ".contains(&b);
    let length = run(&rest[1..], allowed);
    let end = 1 + length;
    if length > 0 && rest[end..].starts_with('`') {
        return (Token::Escaped(&rest[1..end]), at + end + 1);
    }
    let message = match rest[end..].chars().next() {
        None => "the name after this backtick has no end".to_owned(),
        Some('`') => "there is no name between these backticks".to_owned(),
        Some(other) => format!("a name between backticks cannot contain {other:?}"),
    };
    let hint = "it consists of letters, digits, `_`, `.`, `-`, `/` and spaces; write `p[\"…\"]` for others";
    let end = at + end + rest[end..].chars().next().map_or(0, char::len_utf8);
    (Token::Wrong(PredicateError::new(at..end, message).hint(hint)), end)
}

/// A number without sign.
fn number(rest: &str, at: usize) -> (Token<'_>, usize) {
    let bytes = rest.as_bytes();
    let digits_from = |k: usize| k + run(&rest[k..], |b| b.is_ascii_digit());
    let hexadecimal = rest.starts_with("0x") && bytes.get(2).is_some_and(u8::is_ascii_hexdigit);
    let mut end = match hexadecimal {
        true => 2 + run(&rest[2..], |b| b.is_ascii_hexdigit()),
        false => digits_from(0),
    };
    let whole = end;
    if !hexadecimal {
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
            end = digits_from(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let digits = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if bytes.get(digits).is_some_and(u8::is_ascii_digit) {
                end = digits_from(digits);
            }
        }
    }
    if end > whole {
        return match rest[..end].parse::<f64>() {
            Ok(x) if x.is_finite() => (Token::Double(x), at + end),
            _ => (Token::Wrong(too_large(at..at + end)), at + end),
        };
    }
    let value = match hexadecimal {
        true => u64::from_str_radix(&rest[2..end], 16),
        false => rest[..end].parse(),
    };
    let unsigned = matches!(bytes.get(end), Some(b'u' | b'U'));
    let end = at + end + usize::from(unsigned);
    let token = match value {
        Ok(n) if unsigned => Token::Unsigned(n),
        Ok(n) => Token::Int(n),
        Err(_) => Token::Wrong(too_large(at..end)),
    };
    (token, end)
}

/// The error for a number that no value can represent.
pub(super) fn too_large(span: Range<usize>) -> PredicateError {
    PredicateError::new(span, "this number is too large").hint(format!(
        "ints go from {} to {}, doubles to about 1.8e308",
        i64::MIN,
        i64::MAX
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text without the end, each as it is written.
    fn written(text: &str) -> Vec<&str> {
        let mut tokens = tokens(text);
        assert_eq!(tokens.pop(), Some((Token::End, text.len()..text.len())));
        tokens.into_iter().map(|(_, place)| &text[place]).collect()
    }

    fn only(text: &str) -> Token<'_> {
        let mut tokens = tokens(text);
        assert_eq!(tokens.len(), 2, "{text}: {tokens:?}");
        tokens.swap_remove(0).0
    }

    #[test]
    fn the_longest_token_wins() {
        assert_eq!(written("1.5.e5"), ["1.5", ".", "e5"]);
        assert_eq!(written("1.e5+.5e-1u"), ["1", ".", "e5", "+", ".5e-1", "u"]);
        assert_eq!(written("0x1f.0x"), ["0x1f", ".0", "x"]);
        assert_eq!(written("00x1 0xe+1 1e+"), ["00", "x1", "0xe", "+", "1", "1", "e", "+"]);
        assert_eq!(written("a<=b<==!=!a"), ["a", "<=", "b", "<=", "=", "!=", "!", "a"]);
        assert_eq!(written("inn in trueé"), ["inn", "in", "true", "é"]);
        assert_eq!(written("a//b\r c\n/ d // e"), ["a", "/", "d"]);
        assert_eq!(
            written("rb'' br'' b`a-b/c.d e`"),
            ["rb", "''", "br''", "b", "`a-b/c.d e`"]
        );
    }

    #[test]
    fn numbers_have_values() {
        assert_eq!(only("007"), Token::Int(7));
        assert_eq!(only("0xFf"), Token::Int(255));
        assert_eq!(only("18446744073709551615"), Token::Int(u64::MAX));
        assert_eq!(only("0x10U"), Token::Unsigned(16));
        assert_eq!(only(".5E+1"), Token::Double(5.0));
        assert_eq!(only("1e308"), Token::Double(1e308));
        for text in ["18446744073709551616", "0x10000000000000000u", "1e309"] {
            assert!(
                matches!(only(text), Token::Wrong(error) if error.span == (0..text.len())),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_token_has_a_place() {
        assert_eq!(only("é"), Token::Stray);
        let mistake = |text: &str| match tokens(text).swap_remove(1) {
            (Token::Wrong(error), _) => format!("{}|{}", &text[error.span.clone()], error.message),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(mistake("a `b c"), "`b c|the name after this backtick has no end");
        assert_eq!(mistake("a `` b"), "``|there is no name between these backticks");
        assert_eq!(mistake("a `é` b"), "`é|a name between backticks cannot contain 'é'");
        assert_eq!(mistake("a '\\q'"), "\\q|there is no escape `\\q`");
    }
}
