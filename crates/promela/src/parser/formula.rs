//! Parses formulas: operators of logic over expressions.
//!
//! [`mazurka_logic`] parses the operators and calls back for the atoms. These are
//! expressions without operators that bind less tightly than comparisons, except in brackets.
//! The lexer does not know formulas, so signs that only occur in formulas are joined
//! here.

use super::expression::{LOGIC, binary};
use super::{Parsed, Parser, Reported};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Token, TokenKind};
use crate::preprocess::expansion::At;
use crate::syntax::{Atom, AtomKind};
use mazurka_logic::{Formula, Operator, SyntaxError, Tokens, parse_tokens};

impl Parser {
    /// Parses these tokens as a formula. The last token is the end of the text.
    pub(super) fn formula(&mut self, tokens: &[Token]) -> Parsed<Formula<Atom>> {
        let tokens = put_together(tokens);
        if tokens.is_empty() {
            return Err(Reported);
        }
        let outer = (
            std::mem::replace(&mut self.tokens, tokens.into()),
            std::mem::take(&mut self.at),
        );
        // The end of a line has no meaning in a formula.
        self.brackets += 1;
        let formula = parse_tokens(&mut Cursor { parser: self });
        self.brackets -= 1;
        (self.tokens, self.at) = outer;
        formula.map_err(|wrong| match wrong {
            Wrong::Atom => Reported,
            Wrong::Formula(error, place) => self.report(
                Diagnostic::error("promela::formula", place.span, error.to_string()),
                place,
            ),
            Wrong::NoFunction(name, place) => {
                let message = format!("there is no function `{name}` in formulas");
                let diagnostic = Diagnostic::error("promela::formula", place.span, message);
                self.report(diagnostic.label("did you mean `snapshot`?"), place)
            }
        })
    }
}

struct Cursor<'a> {
    parser: &'a mut Parser,
}

enum Wrong {
    /// An error in an atom, which was reported.
    Atom,
    Formula(SyntaxError, At),
    /// A misspelling of `snapshot`.
    NoFunction(String, At),
}

impl Tokens for Cursor<'_> {
    type Atom = Atom;
    type Error = Wrong;

    fn token(&self, ahead: usize) -> mazurka_logic::Token {
        use mazurka_logic::Token as Logic;
        match &self.parser.peek_at(ahead).kind {
            TokenKind::End => Logic::End,
            TokenKind::Word(word) if matches!(&**word, "true" | "false") => Logic::Constant(&**word == "true"),
            TokenKind::Word(word) if &**word == "snapshot" && self.parser.peek_at(ahead + 1).is("(") => Logic::Snapshot,
            TokenKind::Word(word) => Operator::from_word(word).map_or(Logic::Other, Logic::Operator),
            TokenKind::Sign(sign) => match *sign {
                "!" => Logic::Operator(Operator::Not),
                "[]" => Logic::Operator(Operator::Always),
                "<>" => Logic::Operator(Operator::Eventually),
                "&&" => Logic::Operator(Operator::And),
                "||" => Logic::Operator(Operator::Or),
                "->" => Logic::Operator(Operator::Implies),
                "<->" => Logic::Operator(Operator::Equivalent),
                "(" => Logic::Open,
                ")" => Logic::Close,
                "[" => Logic::OpenIndex,
                "]" => Logic::CloseIndex,
                sign if binary(sign).is_some() => Logic::Tight,
                _ => Logic::Other,
            },
            _ => Logic::Other,
        }
    }

    fn advance(&mut self) {
        self.parser.next();
    }

    fn atom(&mut self) -> Result<Atom, Wrong> {
        let begin = self.parser.at;
        let value = self.parser.binary_above(LOGIC).map_err(|Reported| Wrong::Atom)?;
        let text = written(&self.parser.tokens[begin..self.parser.at]);
        let kind = AtomKind::Value(value);
        Ok(Atom { text, kind })
    }

    fn snapshot(&mut self, q: Formula<Atom>) -> Result<Atom, Wrong> {
        let text = format!("snapshot({q})");
        let kind = AtomKind::Snapshot(Box::new(q));
        Ok(Atom { text, kind })
    }

    fn error(&self, error: SyntaxError) -> Wrong {
        if let Some(before) = self.parser.at.checked_sub(1)
            && self.parser.peek_at(0).is("(")
            && let TokenKind::Word(word) = &self.parser.tokens[before].kind
            && strsim::damerau_levenshtein(word, "snapshot") <= 3
        {
            let place = At {
                span: self.parser.tokens[before].span,
                ..self.parser.here()
            };
            return Wrong::NoFunction(word.to_string(), place);
        }
        Wrong::Formula(error, self.parser.here())
    }
}

/// Joins signs that only formulas have, and splits `!!` into two negations.
fn put_together(tokens: &[Token]) -> Vec<Token> {
    const SIGNS: [(&[&str], &str); 5] = [
        (&["[", "]"], "[]"),
        (&["<", "->"], "<->"),
        (&["<", ">"], "<>"),
        (&["/", "\\"], "&&"),
        (&["\\", "/"], "||"),
    ];
    let mut result: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let Some(first) = rest.first() {
        let touching = |parts: &[&str]| {
            let all = parts.iter().zip(rest).all(|(part, token)| token.is(part));
            all && rest.len() >= parts.len() && rest[1..parts.len()].iter().all(|token| !token.space)
        };
        if let Some((parts, sign)) = SIGNS.iter().find(|(parts, _)| touching(parts)) {
            let span = first.span.to(rest[parts.len() - 1].span);
            let kind = TokenKind::Sign(sign);
            result.push(Token {
                kind,
                span,
                ..first.clone()
            });
            rest = &rest[parts.len()..];
        } else if first.is("!!") {
            let kind = TokenKind::Sign("!");
            result.extend([
                Token { kind, ..first.clone() },
                Token {
                    kind: TokenKind::Sign("!"),
                    ..first.clone()
                },
            ]);
            rest = &rest[1..];
        } else {
            result.push(first.clone());
            rest = &rest[1..];
        }
    }
    result
}

/// Tokens on one line, with spaces where the text has some.
pub(crate) fn written(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (k, token) in tokens.iter().enumerate() {
        if k > 0 && token.space && token.kind != TokenKind::End {
            text.push(' ');
        }
        text += &token.text();
    }
    text
}
