//! Parses statements and sequences of them.

use super::{Parsed, Parser, Reported};
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::model::Binary;
use crate::preprocess::expansion::At;
use crate::syntax::{Expr, ExprKind, Name, Sequence, Statement, StatementKind};

impl Parser {
    /// Expects the sign that closes what was opened.
    pub(super) fn close(&mut self, close: &str, open: At, opened: &str) -> Parsed<()> {
        if self.eat(close) {
            return Ok(());
        }
        let token = self.peek();
        let found = match &token.kind {
            TokenKind::End => "the text ends".to_owned(),
            TokenKind::Word(word) if word.starts_with("c_") && super::is_keyword(word) => {
                return Err(self.expected(close));
            }
            TokenKind::Other(_) | TokenKind::Unterminated | TokenKind::OpenComment => return Err(self.expected(close)),
            _ => format!("found `{}`", token.text()),
        };
        let place = self.here();
        let message = format!("expected `{close}`, {found}");
        let message = if found.starts_with("the") {
            message.replace(", the", ", but the")
        } else {
            message
        };
        let diagnostic = Diagnostic::error("promela::syntax", place.span, message);
        let diagnostic = diagnostic.note(open.span, format!("this `{opened}` is not closed"));
        Err(self.report(diagnostic, place))
    }

    /// Parses statements up to one of these words, which is not consumed.
    pub(super) fn sequence(&mut self, ends: &[&str]) -> Sequence {
        let mut sequence = Vec::new();
        loop {
            while self.eat(";") || self.eat("->") {}
            if self.at_end() || ends.iter().any(|end| self.is(end)) || self.closes() {
                return sequence;
            }
            let begin = self.at;
            match self.step() {
                Ok(step) => {
                    sequence.push(step);
                    if !self.separated(ends) {
                        self.expected("`;`");
                        self.next_statement(begin);
                    }
                }
                Err(Reported) => {
                    sequence.push(Statement {
                        labels: Vec::new(),
                        kind: StatementKind::Wrong,
                        at: self.here(),
                    });
                    self.next_statement(begin);
                }
            }
        }
    }

    /// Whether the next token closes something.
    fn closes(&self) -> bool {
        ["fi", "od", "}", "::"].iter().any(|word| self.is(word))
            || self.peek().first
                && ["proctype", "active", "init", "never", "ltl", "typedef"]
                    .iter()
                    .any(|word| self.is(word))
    }

    /// Whether a statement may end here.
    fn separated(&self, ends: &[&str]) -> bool {
        let before = &self.tokens[self.at.saturating_sub(1)];
        let closed = ["}", "fi", "od", "else", ":"].iter().any(|word| before.is(word));
        self.is(";")
            || self.is("->")
            || self.at_end()
            || self.peek().newline
            || closed
            || ends.iter().any(|end| self.is(end))
            || self.closes()
    }

    /// After an error, skips to the next separator, or to where something closes.
    fn next_statement(&mut self, begin: usize) {
        if self.at == begin {
            self.next();
        }
        let mut nested = 0;
        while !self.at_end() {
            let token = self.peek();
            if nested == 0 && (self.closes() || token.is(";") || token.is("->") || token.newline) {
                return;
            }
            let opens = ["{", "if", "do"].iter().any(|word| token.is(word));
            let closes = ["}", "fi", "od"].iter().any(|word| token.is(word));
            nested += i32::from(opens) - i32::from(closes);
            self.next();
        }
    }

    /// Parses a statement or a declaration, perhaps with `unless`.
    fn step(&mut self) -> Parsed<Statement> {
        let begin = self.here();
        if self.is("xr") || self.is("xs") {
            let receive = self.next().is("xr");
            let mut channels = vec![self.reference()?];
            while self.eat(",") {
                channels.push(self.reference()?);
            }
            return Ok(self.made(begin, StatementKind::Exclusive { receive, channels }));
        }
        if self.is_declaration() && !self.is_label() {
            let declaration = self.declaration()?;
            return Ok(self.made(begin, StatementKind::Declaration(declaration)));
        }
        let main = self.statement()?;
        if !self.eat("unless") {
            return Ok(main);
        }
        let escape = self.statement()?;
        let kind = StatementKind::Unless {
            main: Box::new(main),
            escape: Box::new(escape),
        };
        Ok(self.made(begin, kind))
    }

    fn made(&self, begin: At, kind: StatementKind) -> Statement {
        Statement {
            labels: Vec::new(),
            kind,
            at: self.since(begin),
        }
    }

    /// Whether a label begins here: a name before a single colon. The name of a
    /// proctype before a colon begins a remote reference.
    fn is_label(&self) -> bool {
        let word = self.peek().word();
        let free = |word: &std::rc::Rc<str>| !super::is_keyword(word) && !self.proctypes.contains(word);
        self.is_at(1, ":") && word.is_some_and(free)
    }

    /// Parses a statement with its labels.
    fn statement(&mut self) -> Parsed<Statement> {
        let around = self.statement_depth;
        self.statement_depth = self.depth + 1;
        let statement = self.labelled();
        self.statement_depth = around;
        statement
    }

    fn labelled(&mut self) -> Parsed<Statement> {
        self.nested(|parser| {
            let mut labels: Vec<Name> = Vec::new();
            while parser.is_label() {
                labels.push(parser.name("a label")?);
                parser.next();
            }
            if labels.is_empty() {
                return parser.unlabelled();
            }
            let begin = parser.here();
            let ends = parser.closes() || parser.at_end() || parser.is(";") || parser.is("->");
            let mut statement = if ends {
                // A label at the end of a sequence labels a `skip`.
                let at = labels.last().map_or(begin, |label| label.at);
                let kind = StatementKind::Expression(Expr {
                    kind: ExprKind::Constant(1),
                    at,
                });
                Statement {
                    labels: Vec::new(),
                    kind,
                    at,
                }
            } else if parser.is_declaration() {
                let message = "a label must stand before a statement, not a declaration";
                return Err(parser.error("promela::syntax", begin, message));
            } else {
                parser.unlabelled()?
            };
            statement.labels = labels;
            Ok(statement)
        })
    }

    fn unlabelled(&mut self) -> Parsed<Statement> {
        let begin = self.here();
        let TokenKind::Word(word) = self.peek().kind.clone() else {
            if self.is("{") {
                return self.block();
            }
            return self.expression_statement(begin);
        };
        let kind = match &*word {
            "if" | "do" => self.options(&word)?,
            "for" => self.for_loop()?,
            "select" => self.select()?,
            "atomic" => {
                self.next();
                StatementKind::Atomic(self.braced()?)
            }
            "d_step" => {
                self.next();
                StatementKind::DStep(self.braced()?)
            }
            "break" => {
                self.next();
                StatementKind::Break
            }
            "else" => {
                self.next();
                StatementKind::Else
            }
            "goto" => {
                self.next();
                StatementKind::Goto(self.name("the name of a label")?)
            }
            "assert" => {
                self.next();
                StatementKind::Assert(self.expression()?)
            }
            "printf" => self.printf()?,
            "printm" => {
                self.next();
                let open = self.expect("(")?;
                let name = self.bracketed(Self::expression)?;
                self.close(")", open, "(")?;
                StatementKind::PrintName(name)
            }
            "return" => {
                self.next();
                let value = self.expression()?;
                let at = self.since(begin);
                let Some(place) = self.result() else {
                    let message = "`return` is for inlines that are called as in `x = name(…)`";
                    return Err(self.error("promela::syntax", at, message));
                };
                StatementKind::Assign { place, value }
            }
            word if word.starts_with("c_") && super::is_keyword(word) => return Err(self.embedded(begin, word)),
            _ if self.is_call(0) => return self.call(begin, None),
            _ => return self.expression_statement(begin),
        };
        Ok(self.made(begin, kind))
    }

    /// Parses `{ … }`, with at least one statement.
    fn braced(&mut self) -> Parsed<Sequence> {
        let open = self.expect("{")?;
        let sequence = self.sequence(&["}"]);
        self.close("}", open, "{")?;
        if sequence.is_empty() {
            return Err(self.without_statement(open));
        }
        Ok(sequence)
    }

    /// Reports empty braces.
    pub(super) fn without_statement(&mut self, open: At) -> Reported {
        let at = self.since(open);
        let message = "there is no statement between these braces";
        let diagnostic = Diagnostic::error("promela::syntax", at.span, message);
        self.report(diagnostic.help("`skip` does nothing"), at)
    }

    pub(super) fn block(&mut self) -> Parsed<Statement> {
        let begin = self.here();
        let sequence = self.braced()?;
        Ok(self.made(begin, StatementKind::Block(sequence)))
    }

    /// `if :: … fi`, `do :: … od`
    fn options(&mut self, word: &str) -> Parsed<StatementKind> {
        let open = self.here();
        self.next();
        let end = if word == "if" { "fi" } else { "od" };
        if !self.is("::") {
            return Err(self.expected("`::`"));
        }
        let mut options = Vec::new();
        while self.is("::") {
            let sign = self.here();
            self.next();
            let option = self.sequence(&["::", end]);
            if option.is_empty() {
                let diagnostic = Diagnostic::error("promela::syntax", sign.span, "this option has no statement");
                self.report(diagnostic.help("`skip` does nothing"), sign);
            } else {
                options.push(option);
            }
        }
        // After the error, the selection counts as closed here, so the rest can be parsed.
        let _ = self.close(end, open, word);
        Ok(match word {
            "if" => StatementKind::If(options),
            _ => StatementKind::Do(options),
        })
    }

    fn for_loop(&mut self) -> Parsed<StatementKind> {
        self.expect("for")?;
        let open = self.expect("(")?;
        let index = self.bracketed(Self::reference)?;
        if self.eat("in") {
            let collection = self.bracketed(Self::reference)?;
            self.close(")", open, "(")?;
            self.eat(";");
            let body = self.braced()?;
            return Ok(StatementKind::ForIn {
                index,
                collection,
                body,
            });
        }
        if !self.is(":") {
            return Err(self.expected("`:` or `in`"));
        }
        self.next();
        let (from, to) = self.bracketed(Self::range)?;
        self.close(")", open, "(")?;
        self.eat(";");
        let body = self.braced()?;
        Ok(StatementKind::For { index, from, to, body })
    }

    fn range(&mut self) -> Parsed<(Expr, Expr)> {
        let from = self.expression()?;
        self.expect("..")?;
        let to = self.expression()?;
        Ok((from, to))
    }

    fn select(&mut self) -> Parsed<StatementKind> {
        self.expect("select")?;
        let open = self.expect("(")?;
        // SPIN's lexer replaces `select (x : 1 .. 9)` if it has only letters
        // and digits, and is not in an inline.
        let name = self.peek().word().is_some_and(|word| !word.contains('_'));
        let digits = |k| matches!(&self.peek_at(k).kind, TokenKind::Number(_));
        let textual = name && self.is_at(1, ":") && digits(2) && self.is_at(3, "..") && digits(4) && self.is_at(5, ")");
        let textual = textual && !self.in_inline();
        let index = self.bracketed(Self::reference)?;
        self.expect(":")?;
        let (from, to) = self.bracketed(Self::range)?;
        self.close(")", open, "(")?;
        Ok(StatementKind::Select {
            index,
            from,
            to,
            textual,
        })
    }

    fn printf(&mut self) -> Parsed<StatementKind> {
        self.expect("printf")?;
        let open = self.expect("(")?;
        let at = self.here();
        let TokenKind::Text(format) = self.peek().kind.clone() else {
            return Err(self.expected("a string"));
        };
        self.next();
        let mut arguments = Vec::new();
        while self.eat(",") {
            arguments.push(self.bracketed(Self::expression)?);
        }
        self.close(")", open, "(")?;
        Ok(StatementKind::Print { format, at, arguments })
    }

    /// Parses an assignment, a send or receive, or an expression.
    fn expression_statement(&mut self, begin: At) -> Parsed<Statement> {
        let start = self.at;
        let named = self
            .peek()
            .word()
            .is_some_and(|word| !super::is_keyword(word) || word.starts_with('_'));
        if !named || self.is_at(1, "@") {
            let value = self.expression()?;
            return Ok(self.made(begin, StatementKind::Expression(value)));
        }
        let place = self.reference()?;
        let TokenKind::Sign(sign) = self.peek().kind else {
            self.at = start;
            let value = self.expression()?;
            return Ok(self.made(begin, StatementKind::Expression(value)));
        };
        // A line that begins with `!` begins a statement.
        let same_line = !self.peek().newline;
        let kind = match sign {
            "=" if self.is_call(1) => {
                self.next();
                return self.call(begin, Some(place));
            }
            "=" => {
                self.next();
                let value = self.expression()?;
                StatementKind::Assign { place, value }
            }
            "++" | "--" => {
                self.next();
                let operator = if sign == "++" { Binary::Add } else { Binary::Subtract };
                let at = self.since(begin);
                let one = |kind, at| Box::new(Expr { kind, at });
                let read = one(ExprKind::Reference(place.clone()), place.at);
                let kind = ExprKind::Binary(operator, read, one(ExprKind::Constant(1), at));
                let value = Expr { kind, at };
                StatementKind::Assign { place, value }
            }
            "!" | "!!" if same_line => self.send(place)?,
            "?" | "??" if !self.is_at(1, "[") => self.receive(place)?,
            _ => {
                self.at = start;
                let value = self.expression()?;
                StatementKind::Expression(value)
            }
        };
        Ok(self.made(begin, kind))
    }
}
