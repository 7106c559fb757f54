//! Extensible data notation, as Clojure writes it (<https://github.com/edn-format/edn>).
//!
//! Read are maps, sets, vectors, lists, texts, characters, numbers, keywords, symbols, comments and what is discarded with `#_`.
//! The tag of a tagged value is left out: `#jepsen.history.Op{…}` is a map.

use super::datum::Datum;
use super::record::Fault;

/// Values may be nested this deeply.
const DEEPEST: usize = 100;

pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// Where the next value begins, if there is one.
    pub(super) fn next_value(&mut self) -> Result<Option<usize>, Fault> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',').len();
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with(';') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("#_") {
                let start = self.at;
                self.at += 2;
                if self.next_value()?.is_none() {
                    return Err(Fault::new(start, "nothing follows `#_`"));
                }
                self.deeper(Self::value)?;
            } else {
                return Ok((!rest.is_empty()).then_some(self.at));
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth == DEEPEST {
            return Err(Fault::new(
                self.at,
                format!("values are nested more than {DEEPEST} deep"),
            ));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// Whether the next thing is this bracket; then it is taken.
    pub(super) fn takes(&mut self, bracket: char) -> bool {
        let there = self.rest().starts_with(bracket);
        self.at += usize::from(there);
        there
    }

    /// The value that begins here.
    pub(super) fn value(&mut self) -> Result<Datum, Fault> {
        let start = self.at;
        let mut chars = self.rest().chars();
        match chars.next() {
            None => Err(Fault::new(start, "the text ends where a value is expected")),
            Some('{') => self.map(),
            Some('[') => Ok(Datum::List(self.sequence(1, ']')?)),
            Some('(') => Ok(Datum::List(self.sequence(1, ')')?)),
            Some('"') => self.text(),
            Some('\\') => self.character(),
            Some('#') if chars.next() == Some('{') => {
                let mut all = self.sequence(2, '}')?;
                all.sort();
                Ok(Datum::Set(all))
            }
            Some('#') => {
                self.at += 1;
                if self.word().is_empty() {
                    return Err(Fault::new(start, "expected a tag after `#`"));
                }
                match self.next_value()? {
                    Some(_) => self.deeper(Self::value),
                    None => Err(Fault::new(start, "nothing follows the tag")),
                }
            }
            Some(_) => self.atom(),
        }
    }

    fn sequence(&mut self, opening: usize, closing: char) -> Result<Vec<Datum>, Fault> {
        let start = self.at;
        self.at += opening;
        let mut all = Vec::new();
        loop {
            if self.next_value()?.is_none() {
                return Err(Fault::new(start, format!("`{closing}` is missing")));
            }
            if self.takes(closing) {
                return Ok(all);
            }
            all.push(self.deeper(Self::value)?);
        }
    }

    fn map(&mut self) -> Result<Datum, Fault> {
        let start = self.at;
        let mut all = self.sequence(1, '}')?.into_iter();
        let mut pairs = Vec::new();
        while let Some(key) = all.next() {
            let value = all.next();
            let value = value.ok_or_else(|| Fault::new(start, format!("the key {key} of this map has no value")))?;
            pairs.push((key, value));
        }
        Ok(Datum::Map(pairs))
    }

    fn text(&mut self) -> Result<Datum, Fault> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(Datum::Text(text));
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    Some((at, 'u')) => {
                        let digits = self.rest().get(at + 1..at + 5);
                        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                        let c = code.and_then(char::from_u32);
                        text.push(c.ok_or_else(|| Fault::new(start + at, "expected four hexadecimal digits"))?);
                        chars.nth(3);
                    }
                    _ => return Err(Fault::new(start + at, "there is no such escape")),
                },
                c => text.push(c),
            }
        }
        Err(Fault::new(start, "the text that begins here has no end"))
    }

    fn character(&mut self) -> Result<Datum, Fault> {
        let start = self.at;
        self.at += 1;
        let first = self.rest().chars().next();
        let first = first.ok_or_else(|| Fault::new(start, "expected a character"))?;
        self.at += first.len_utf8();
        let more = self.word();
        let text = match (first, more) {
            ('n', "ewline") => "\n".to_owned(),
            ('s', "pace") => " ".to_owned(),
            ('t', "ab") => "\t".to_owned(),
            ('r', "eturn") => "\r".to_owned(),
            (first, more) => format!("{first}{more}"),
        };
        Ok(Datum::Text(text))
    }

    /// Everything up to what ends a number or a name.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || ",;\"()[]{}".contains(c);
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn atom(&mut self) -> Result<Datum, Fault> {
        let start = self.at;
        let word = self.word();
        let number = word.trim_start_matches(['+', '-']);
        if number.starts_with(|c: char| c.is_ascii_digit()) {
            let plain = word.strip_suffix('N').unwrap_or(word);
            let of_number = |c: char| c.is_ascii_digit() || "+-.eEMN/".contains(c);
            return match plain.parse() {
                Ok(value) => Ok(Datum::Integer(value)),
                Err(_) if word.chars().all(of_number) => Ok(Datum::Number(word.to_owned())),
                Err(_) => Err(Fault::new(start, format!("`{word}` is no number"))),
            };
        }
        match word {
            "nil" => Ok(Datum::Nil),
            "true" => Ok(Datum::Bool(true)),
            "false" => Ok(Datum::Bool(false)),
            "" => Err(Fault::new(start, "expected a value")),
            _ => {
                let name = word.strip_prefix(':').unwrap_or(word);
                match name {
                    "" => Err(Fault::new(start, "expected a name after `:`")),
                    name => Ok(Datum::Keyword(name.to_owned())),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<String, String> {
        let mut reader = Reader::new(text);
        let read = reader.next_value().and_then(|_| reader.value());
        read.map(|value| value.to_string())
            .map_err(|fault| format!("{}: {}", fault.offset, fault.message))
    }

    #[test]
    fn values_are_read() {
        let read = |text: &str| value(text).unwrap();
        assert_eq!(read(r#"{:a 1, :b [nil true "x\n"]}"#), "{a: 1, b: [nil true \"x\\n\"]}");
        assert_eq!(read("#jepsen.history.Op{:f :read}"), "{f: read}");
        assert_eq!(read("#_ skipped ; comment\n #{2 1}"), "{1 2}");
        assert_eq!(read("(1.5 -3 7N \\a \\newline)"), "[1.5 -3 7 \"a\" \"\\n\"]");
        assert_eq!(read("\"\\u00e9\""), "\"é\"");
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        assert_eq!(value("{:a 1 :b}").unwrap_err(), "0: the key b of this map has no value");
        assert_eq!(value("[1 2").unwrap_err(), "0: `]` is missing");
        assert_eq!(value(" \"abc").unwrap_err(), "1: the text that begins here has no end");
        assert_eq!(value("12ab").unwrap_err(), "0: `12ab` is no number");
        assert!(value(&"[".repeat(1000)).unwrap_err().contains("nested"));
        assert!(value("]").is_err());
    }
}
