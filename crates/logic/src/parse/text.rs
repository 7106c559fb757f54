//! Formulas as text, whose atoms stay text.
//!
//! For tests, documents and formulas of plain names. An atom is an expression over
//! names and numbers with parentheses, indexes and the usual operators; it is not
//! interpreted. Besides SPIN's word forms, `not`, `and` and `or` are understood.

use std::ops::Range;

use super::{Lexicon, Operator, SyntaxError, Token, Tokens, parse_tokens};
use crate::formula::Formula;

/// What is wrong with the text of a formula, and where.
///
/// ```
/// let error = mazurka_logic::parse("p U").unwrap_err();
/// assert_eq!(error.to_string(), "expected a formula at byte 3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error} at byte {at}")]
#[non_exhaustive]
pub struct ParseError {
    /// The first byte that does not fit.
    pub at: usize,
    /// What is wrong there.
    pub error: SyntaxError,
}

/// Reads a formula from text.
///
/// ```
/// let formula = mazurka_logic::parse("[] (request -> <> (grants > 0))").unwrap();
/// assert_eq!(formula.to_string(), "[](request -> <>(grants > 0))");
/// ```
pub fn parse(text: &str) -> Result<Formula<String>, ParseError> {
    let mut cursor = Cursor {
        text,
        tokens: LEXICON.tokens(text),
        at: 0,
    };
    parse_tokens(&mut cursor)
}

struct Cursor<'a> {
    text: &'a str,
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
}

/// Atoms with the operators of C. A character that is in no token becomes a token that nothing accepts.
const LEXICON: Lexicon = Lexicon {
    signs: &[
        ("<<", Token::Tight),
        (">>", Token::Tight),
        ("&", Token::Tight),
        ("|", Token::Tight),
        ("^", Token::Tight),
        ("~", Token::Other),
        ("@", Token::Other),
        (":", Token::Other),
        (".", Token::Other),
        ("?", Token::Other),
        (",", Token::Other),
    ],
    word: |word, _| match word {
        "not" => Some(Token::Operator(Operator::Not)),
        "and" => Some(Token::Operator(Operator::And)),
        "or" => Some(Token::Operator(Operator::Or)),
        _ => None,
    },
    literal: |_| 0,
    stray: Token::CloseIndex,
};

impl Cursor<'_> {
    /// The text of the next token.
    fn text(&self) -> &str {
        self.tokens
            .get(self.at)
            .map_or("", |(_, place)| &self.text[place.clone()])
    }

    /// Reads operands joined by tight operators; with `logic`, by any infix operator.
    fn expression(&mut self, logic: bool, depth: usize) -> Result<(), ParseError> {
        if depth == super::MAX_DEPTH {
            return Err(self.error(SyntaxError::TooLarge));
        }
        loop {
            while matches!(self.text(), "!" | "not" | "-" | "~") {
                self.at += 1;
            }
            match self.token(0) {
                Token::Open => self.group(Token::Close, depth)?,
                Token::Other | Token::Constant(_)
                    if self.text().starts_with(|c: char| c.is_alphanumeric() || c == '_') =>
                {
                    self.at += 1;
                }
                _ => return Err(self.error(SyntaxError::ExpectedFormula)),
            }
            loop {
                match self.token(0) {
                    Token::OpenIndex => self.group(Token::CloseIndex, depth)?,
                    // A remote reference, a field.
                    Token::Other if matches!(self.text(), "@" | ":" | ".") => {
                        self.at += 1;
                        if self.token(0) != Token::Other {
                            return Err(self.error(SyntaxError::ExpectedFormula));
                        }
                        self.at += 1;
                    }
                    _ => break,
                }
            }
            match self.token(0) {
                Token::Tight => self.at += 1,
                Token::Operator(operator) if logic && operator.level().is_some() => self.at += 1,
                _ => return Ok(()),
            }
        }
    }

    /// Reads an expression between the bracket at the cursor and `close`.
    fn group(&mut self, close: Token, depth: usize) -> Result<(), ParseError> {
        self.at += 1;
        self.expression(true, depth + 1)?;
        if self.token(0) != close {
            return Err(self.error(SyntaxError::ExpectedClose));
        }
        self.at += 1;
        Ok(())
    }
}

impl Tokens for Cursor<'_> {
    type Atom = String;
    type Error = ParseError;

    fn token(&self, ahead: usize) -> Token {
        self.tokens.get(self.at + ahead).map_or(Token::End, |(token, _)| *token)
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    fn atom(&mut self) -> Result<String, ParseError> {
        let start = self
            .tokens
            .get(self.at)
            .map_or(self.text.len(), |(_, place)| place.start);
        self.expression(false, 0)?;
        let end = self.tokens[self.at - 1].1.end;
        Ok(self.text[start..end].to_string())
    }

    fn snapshot(&mut self, q: Formula<String>) -> Result<String, ParseError> {
        Ok(format!("snapshot({q})"))
    }

    fn error(&self, error: SyntaxError) -> ParseError {
        let at = self
            .tokens
            .get(self.at)
            .map_or(self.text.len(), |(_, place)| place.start);
        ParseError { at, error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What SPIN 6.5.2 prints for the body of an `ltl` block, in our notation.
    #[test]
    fn operators_bind_as_in_ltl_blocks_of_spin() {
        for (text, meaning) in [
            ("p U q U r", "(p U q) U r"),
            ("p -> q -> r", "(p -> q) -> r"),
            ("p && q U r", "p && (q U r)"),
            ("p U q && r", "(p U q) && r"),
            ("p || q && r", "p || (q && r)"),
            ("! p U q", "(! p) U q"),
            ("[] p U q", "([] p) U q"),
            ("X p U q", "(X p) U q"),
            ("p -> q U r", "p -> (q U r)"),
            ("p <-> q -> r", "(p <-> q) -> r"),
            ("p -> q <-> r", "(p -> q) <-> r"),
            ("p W q U r", "(p W q) U r"),
            ("p U q V r", "(p U q) V r"),
            ("p U [] q U r", "(p U [] q) U r"),
            ("p -> [] q && r", "p -> (([] q) && r)"),
            ("p -> q -> r || s", "(p -> q) -> (r || s)"),
            ("always eventually p", "[] <> p"),
            ("eventually p implies q", "(<> p) -> q"),
            ("p stronguntil q equivalent p until q", "(p U q) <-> (p U q)"),
            ("p weakuntil q release next r", "(p W q) V (X r)"),
            ("not p and q or r", "((! p) && q) || r"),
            ("true U p", "(true) U (p)"),
        ] {
            assert_eq!(parse(text), parse(meaning), "{text}");
            assert!(parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn parentheses_belong_to_the_formula_or_to_an_atom() {
        let atoms = |text: &str| {
            let mut atoms = vec![];
            parse(text).unwrap().number_atoms(&mut atoms);
            atoms
        };
        assert_eq!(atoms("(x > 3) && p U q"), ["x > 3", "p", "q"]);
        assert_eq!(atoms("(x + 1) > 3 && p"), ["(x + 1) > 3", "p"]);
        assert_eq!(atoms("(a && b) == c U d"), ["(a && b) == c", "d"]);
        assert_eq!(atoms("((x) + 1 > 2)"), ["(x) + 1 > 2"]);
        assert_eq!(atoms("! x == 3 && !p"), ["! x == 3", "p"]);
        assert_eq!(atoms("!(x - 1) == 3"), ["!(x - 1) == 3"]);
        assert_eq!(atoms("!(x == 3)"), ["x == 3"]);
        assert_eq!(atoms("![] x > 3"), ["x > 3"]);
        assert_eq!(atoms("!a[i + 1] U -x == 3"), ["a[i + 1]", "-x == 3"]);
        assert_eq!(atoms("true == p || P[0]@L && P:x"), ["true == p", "P[0]@L", "P:x"]);
        assert_eq!(atoms("x | y U q"), ["x | y", "q"]);
    }

    #[test]
    fn snapshots_are_atoms() {
        let formula = parse("[] (recorded -> snapshot(P@done && !(x > 1)))").unwrap();
        let mut atoms = vec![];
        assert_eq!(formula.to_string(), "[](recorded -> (snapshot(P@done && !(x > 1))))");
        formula.number_atoms(&mut atoms);
        assert_eq!(atoms, ["recorded", "snapshot(P@done && !(x > 1))"]);
        assert!(parse("snapshot (a) U snapshot").is_ok());
        for text in [
            "snapshot(<> p)",
            "snapshot(p U q)",
            "snapshot(X p)",
            "snapshot(p && snapshot(q))",
        ] {
            assert_eq!(parse(text).unwrap_err().error, SyntaxError::NotAState, "{text}");
        }
    }

    #[test]
    fn errors_say_where() {
        use SyntaxError::*;
        for (text, at, error) in [
            ("", 0, ExpectedFormula),
            ("p U", 3, ExpectedFormula),
            ("p q", 2, ExpectedOperator),
            ("(p && q", 7, ExpectedClose),
            ("p && ) q", 5, ExpectedFormula),
            ("p)", 1, ExpectedOperator),
            ("([] p) == q", 1, ExpectedFormula),
            ("p # q", 2, ExpectedOperator),
            ("x +", 3, ExpectedFormula),
            ("a[1", 3, ExpectedClose),
        ] {
            assert_eq!(parse(text), Err(ParseError { at, error }), "{text}");
        }
    }

    #[test]
    fn large_formulas_are_refused_and_do_not_overflow_the_stack() {
        let deep = |n: usize| format!("{}p{}", "(".repeat(n), ")".repeat(n));
        assert!(parse(&deep(150)).is_ok());
        assert_eq!(parse(&deep(100_000)).unwrap_err().error, SyntaxError::TooLarge);
        assert_eq!(parse(&"!".repeat(100_000)).unwrap_err().error, SyntaxError::TooLarge);
        assert!(parse(&vec!["p"; 1001].join(" U ")).is_ok());
        assert_eq!(
            parse(&vec!["p"; 1002].join(" U ")).unwrap_err().error,
            SyntaxError::TooLarge
        );
        assert_eq!(
            parse(&format!("{} + 1", deep(10_000))).unwrap_err().error,
            SyntaxError::TooLarge
        );
    }

    #[test]
    fn no_text_panics() {
        let pieces = [
            "p", "q", "snapshot", "(", ")", "[", "]", "[]", "<>", "!", "U", "->", "+", "==", "true", "é", "#", ":", " ",
        ];
        for seed in 0..20_000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let text: String = (0..random.usize(..12))
                .map(|_| pieces[random.usize(..pieces.len())])
                .collect();
            if let Ok(formula) = parse(&text) {
                assert_eq!(parse(&formula.to_string()).as_ref(), Ok(&formula), "{text}");
            }
        }
    }
}
