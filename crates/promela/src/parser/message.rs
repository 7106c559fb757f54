//! Parses sends and receives.

use super::{Parsed, Parser};
use crate::lexer::TokenKind;
use crate::model::Unary;
use crate::syntax::{Expr, ExprKind, Pattern, Reference, StatementKind};

impl Parser {
    /// Parses `c!a,b` or `c!a(b)`, after the channel.
    pub(super) fn send(&mut self, channel: Reference) -> Parsed<StatementKind> {
        let sorted = self.next().is("!!");
        let mut message = vec![self.expression()?];
        if self.is("(") && !self.peek().newline {
            let open = self.here();
            self.next();
            self.bracketed(|parser| {
                while !parser.is(")") {
                    message.push(parser.expression()?);
                    if !parser.eat(",") {
                        break;
                    }
                }
                Ok(())
            })?;
            self.close(")", open, "(")?;
        } else {
            while self.eat(",") {
                message.push(self.expression()?);
            }
        }
        Ok(StatementKind::Send {
            channel,
            message,
            sorted,
        })
    }

    /// Parses `c?a,b`, `c?<a>` and so on, after the channel.
    pub(super) fn receive(&mut self, channel: Reference) -> Parsed<StatementKind> {
        let random = self.next().is("??");
        let copy = self.is("<");
        let patterns = if copy {
            let open = self.here();
            self.next();
            self.in_copy = true;
            let patterns = self.patterns(">");
            self.in_copy = false;
            let patterns = patterns?;
            self.close(">", open, "<")?;
            patterns
        } else {
            self.patterns("")?
        };
        Ok(StatementKind::Receive {
            channel,
            patterns,
            random,
            copy,
        })
    }

    /// Parses patterns such as `a, eval(b), 3` or `a(b, c)`, up to the closing sign.
    pub(super) fn patterns(&mut self, close: &str) -> Parsed<Vec<Pattern>> {
        let mut patterns = Vec::new();
        loop {
            if self.is("(") {
                let open = self.here();
                self.next();
                let inside = self.bracketed(|parser| parser.nested(|parser| parser.patterns(")")))?;
                self.close(")", open, "(")?;
                patterns.extend(inside);
            } else {
                patterns.push(self.pattern()?);
            }
            // In `type(a, b)` the bracket stands for a comma.
            let list = self.is("(") && (self.brackets > 0 || !self.peek().newline);
            if !list && !self.eat(",") {
                break;
            }
            if !close.is_empty() && self.is(close) {
                break;
            }
        }
        Ok(patterns)
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        let begin = self.here();
        match self.peek().kind.clone() {
            TokenKind::Word(word) if &*word == "eval" => {
                self.next();
                let open = self.expect("(")?;
                let in_copy = std::mem::take(&mut self.in_copy);
                let inside = self.bracketed(Self::expression)?;
                self.in_copy = in_copy;
                self.close(")", open, "(")?;
                Ok(Pattern::Eval(inside))
            }
            TokenKind::Word(word) if matches!(&*word, "true" | "false" | "skip") => {
                self.primary().map(Pattern::Constant)
            }
            TokenKind::Word(_) => self.reference().map(Pattern::Place),
            TokenKind::Number(_) | TokenKind::Character(_) => self.primary().map(Pattern::Constant),
            TokenKind::Sign("-") => {
                self.next();
                let constant = self.primary()?;
                let at = self.expansions.join(begin, constant.at);
                let kind = ExprKind::Unary(Unary::Negate, Box::new(constant));
                Ok(Pattern::Constant(Expr { kind, at }))
            }
            _ => Err(self.expected("a variable, a constant or `eval(…)`")),
        }
    }
}
