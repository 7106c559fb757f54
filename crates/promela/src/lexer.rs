//! The lexer: from text to tokens.
//!
//! One lexer serves the preprocessor and the parser. Directives are ordinary tokens
//! whose first, `#`, begins a line. The lexer refuses nothing. Characters that Promela does not use
//! become [`TokenKind::Other`], so text that the preprocessor drops may
//! contain anything, and the parser reports the rest.

use crate::narrow::index;
use crate::source::{FileId, Span};
use std::rc::Rc;

/// The expansion that a token comes from: an index into the
/// table of expansions, or 0 for text of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Origin(pub(crate) u32);

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name or a keyword.
    Word(Rc<str>),
    /// Digits, and whatever letters follow them.
    Number(Rc<str>),
    /// A character between quotes.
    Character(char),
    /// A string, without its quotes and with its escapes.
    Text(Rc<str>),
    /// An operator or a bracket.
    Sign(&'static str),
    /// Anything else.
    Other(char),
    /// A string that does not end on its line.
    Unterminated,
    /// A comment that does not end, with the rest of the text.
    OpenComment,
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// Its kind.
    pub(crate) kind: TokenKind,
    /// Where it was written.
    pub(crate) span: Span,
    /// The expansion that it comes from.
    pub(crate) origin: Origin,
    /// Whether it is the first of its line, as the preprocessor counts lines: a
    /// comment does not end one.
    pub(crate) first: bool,
    /// Whether a line ends between the token before and this one.
    pub(crate) newline: bool,
    /// Whether there is a space or a comment before it.
    pub(crate) space: bool,
}

impl Token {
    /// The text of a word.
    pub(crate) fn word(&self) -> Option<&Rc<str>> {
        match &self.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether the token is this sign or word.
    pub(crate) fn is(&self, text: &str) -> bool {
        match &self.kind {
            TokenKind::Word(word) => **word == *text,
            TokenKind::Sign(sign) => *sign == text,
            _ => false,
        }
    }

    /// A text that gives this token.
    pub(crate) fn text(&self) -> String {
        match &self.kind {
            TokenKind::Word(text) | TokenKind::Number(text) => text.to_string(),
            TokenKind::Character(c) => format!("'{}'", c.escape_default()),
            TokenKind::Text(text) => format!("\"{text}\""),
            TokenKind::Sign(sign) => (*sign).to_owned(),
            TokenKind::Other(c) => c.to_string(),
            TokenKind::Unterminated => "\"".to_owned(),
            TokenKind::OpenComment => "/*".to_owned(),
            TokenKind::End => String::new(),
        }
    }
}

/// Operators and brackets, longest first. The parser of formulas joins `[]`, `<>`, `<->`, `/\` and `\/`,
/// since the same characters have other meanings elsewhere, as in `a[]` and `c?<>`.
const SIGNS: [&str; 44] = [
    "..", "::", "->", "--", "++", "<<", "<=", ">>", ">=", "==", "!=", "!!", "??", "&&", "||", "##", "+", "-", "*", "/",
    "%", "<", ">", "=", "!", "?", "&", "|", "^", "~", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "@", "#", "$",
    "\\",
];

/// The tokens of a text. The last is [`TokenKind::End`].
pub(crate) fn tokens(text: &str, file: FileId) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        let blank = lexer.blank();
        let start = lexer.at;
        let kind = lexer.token();
        let end = kind == TokenKind::End;
        tokens.push(Token {
            kind,
            span: Span {
                file,
                start: index(start),
                end: index(lexer.at),
            },
            origin: Origin::default(),
            first: blank.line || start == 0 || tokens.is_empty(),
            newline: blank.line || blank.comment_line || tokens.is_empty(),
            space: blank.any || tokens.is_empty(),
        });
        if end {
            return tokens;
        }
    }
}

/// What stands between two tokens.
#[derive(Default)]
struct Blank {
    any: bool,
    line: bool,
    comment_line: bool,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blank(&mut self) -> Blank {
        let mut blank = Blank::default();
        loop {
            let rest = &self.text[self.at..];
            let length = if rest.starts_with('\n') {
                blank.line = true;
                1
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else { return blank };
                let length = end + 4;
                blank.comment_line |= rest[..length].contains('\n');
                length
            } else if rest.starts_with("*/") {
                // SPIN ignores the end of a comment that was not opened.
                2
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("\\\n") {
                2
            } else if rest.starts_with("\\\r\n") {
                3
            } else {
                match rest.chars().next() {
                    Some(c) if c.is_whitespace() || c == '\0' || c == '\u{feff}' => c.len_utf8(),
                    _ => return blank,
                }
            };
            blank.any = true;
            self.at += length;
        }
    }

    fn token(&mut self) -> TokenKind {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return TokenKind::End;
        };
        let while_ = |test: fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
        let (kind, length) = match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                let length = while_(|c| c.is_ascii_alphanumeric() || c == '_');
                (TokenKind::Word(rest[..length].into()), length)
            }
            '0'..='9' => {
                let length = while_(|c| c.is_ascii_alphanumeric() || c == '_');
                (TokenKind::Number(rest[..length].into()), length)
            }
            '"' => string(rest),
            '\'' => character(rest),
            '/' if rest.starts_with("/*") => (TokenKind::OpenComment, rest.len()),
            // SPIN's lexer looks for `--` first, and then for a `>`.
            '-' if rest.starts_with("-->") => (TokenKind::Sign("->"), 3),
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (TokenKind::Sign(sign), sign.len()),
                None => (TokenKind::Other(first), first.len_utf8()),
            },
        };
        self.at += length;
        kind
    }
}

fn string(rest: &str) -> (TokenKind, usize) {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return (TokenKind::Text(rest[1..at].into()), at + 1),
            '\n' => return (TokenKind::Unterminated, at),
            _ => {}
        }
    }
    (TokenKind::Unterminated, rest.len())
}

fn character(rest: &str) -> (TokenKind, usize) {
    let mut chars = rest.char_indices().skip(1);
    let mut next = || chars.next().filter(|(_, c)| *c != '\n');
    let value = match next() {
        Some((_, '\\')) => next().map(|(_, c)| escape(c)),
        Some((_, c)) => Some(c),
        None => None,
    };
    match (value, next()) {
        (Some(c), Some((at, '\''))) => (TokenKind::Character(c), at + 1),
        _ => (TokenKind::Other('\''), 1),
    }
}

/// The character that an escape stands for.
pub(crate) fn escape(c: char) -> char {
    match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'f' => '\x0c',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let texts: Vec<_> = tokens(text, FileId(0)).iter().map(Token::text).collect();
        texts.join(" ").trim_end().to_owned()
    }

    #[test]
    fn the_longest_sign_wins() {
        assert_eq!(shown("a!!b!=c--->d..1"), "a !! b != c -- -> d .. 1");
        assert_eq!(shown("::x?<y>??[z]"), ":: x ? < y > ?? [ z ]");
    }

    #[test]
    fn comments_and_continued_lines_are_blank() {
        assert_eq!(shown("a /* b \n c */ d // e\n f \\\n g"), "a d f g");
        let all = tokens("a /*\n*/ b\nc", FileId(0));
        assert_eq!((all[1].first, all[1].newline), (false, true));
        assert_eq!((all[2].first, all[2].newline), (true, true));
    }

    #[test]
    fn strings_and_characters() {
        let kinds: Vec<_> = tokens(r#""a\"b" '\n' 'x' ' "open"#, FileId(0))
            .into_iter()
            .map(|token| token.kind)
            .collect();
        assert_eq!(kinds[0], TokenKind::Text(r#"a\"b"#.into()));
        assert_eq!(kinds[1], TokenKind::Character('\n'));
        assert_eq!(kinds[2], TokenKind::Character('x'));
        assert_eq!(kinds[3], TokenKind::Other('\''));
        assert_eq!(kinds[4], TokenKind::Unterminated);
    }

    #[test]
    fn an_arrow_may_be_longer_and_a_comment_may_end_twice() {
        assert_eq!(shown("x-->y --> z -- > w"), "x -> y -> z -- > w");
        assert_eq!(shown("a /* b */ */ c */d"), "a c d");
        assert_eq!(
            tokens("a /* b", FileId(0))
                .iter()
                .map(|token| token.kind.clone())
                .nth(1),
            Some(TokenKind::OpenComment)
        );
    }

    #[test]
    fn spans_are_where_the_text_is() {
        for token in tokens("ab ≠ 12\n\"s\"", FileId(0)) {
            assert_eq!(
                &"ab ≠ 12\n\"s\""[token.span.start as usize..token.span.end as usize],
                token.text()
            );
        }
    }
}
