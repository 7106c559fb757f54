//! Expands inlines: their bodies are parsed again at each call.
//!
//! As in SPIN, an inline is text. A call is replaced by the body of its definition, including the
//! braces, in which each parameter is replaced by the tokens of its argument,
//! even where no value could stand. Its declarations are local to the call.
//! As in SPIN, a name in an argument keeps its meaning at the call only if the body
//! does not declare the same name before.
//!
//! `x = f(…)` calls an inline in which `return e` becomes `x = e`.

use super::{Parsed, Parser, at};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Token, TokenKind};
use crate::preprocess::expansion::{At, Cause};
use crate::preprocess::macros::counted;
use crate::syntax::{Name, Reference, Statement};
use std::rc::Rc;

/// An inline.
pub(super) struct Inline {
    name: Name,
    parameters: Vec<Rc<str>>,
    /// The body, with its braces.
    body: Vec<Token>,
}

/// A call whose body is being parsed.
pub(super) struct Call {
    name: Rc<str>,
    /// The variable that `return` assigns to.
    result: Option<Reference>,
}

/// How deep calls of inlines may be nested.
const DEPTH: usize = 32;

impl Parser {
    /// `inline name(a, b) { … }`
    pub(super) fn inline_definition(&mut self) -> Parsed<()> {
        self.expect("inline")?;
        let name = self.name("the name of the inline")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            parameters.push(self.name("the name of a parameter")?.text);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        let body = self.braces()?;
        if let Some(before) = self.inlines.get(&name.text) {
            let message = format!("there is already an inline `{}`", name.text);
            let diagnostic = Diagnostic::error("promela::redeclared", name.at.span, message);
            let diagnostic = diagnostic.note(before.name.at.span, "declared here");
            self.report(diagnostic, name.at);
        }
        let inline = Inline {
            name: name.clone(),
            parameters,
            body,
        };
        self.inlines.insert(name.text, Rc::new(inline));
        Ok(())
    }

    /// Takes the tokens from a `{` to the matching `}`.
    pub(super) fn braces(&mut self) -> Parsed<Vec<Token>> {
        let open = self.here();
        if !self.is("{") {
            return Err(self.expected("`{`"));
        }
        let mut tokens = Vec::new();
        let mut nested = 0;
        loop {
            if self.at_end() {
                let diagnostic = Diagnostic::error("promela::syntax", self.here().span, "expected `}`");
                let place = self.here();
                return Err(self.report(diagnostic.note(open.span, "this `{` is not closed"), place));
            }
            let token = self.next();
            if token.is("{") {
                nested += 1;
            } else if token.is("}") {
                nested -= 1;
            }
            tokens.push(token);
            if nested == 0 {
                return Ok(tokens);
            }
        }
    }

    /// Whether a call of an inline begins `k` tokens ahead.
    pub(super) fn is_call(&self, k: usize) -> bool {
        let known = |name| self.inlines.contains_key(name);
        self.peek_at(k).word().is_some_and(known) && self.is_at(k + 1, "(")
    }

    /// Parses a call, which becomes a block.
    pub(super) fn call(&mut self, begin: At, result: Option<Reference>) -> Parsed<Statement> {
        let token = self.next();
        let name = token.word().cloned().unwrap_or_else(|| "".into());
        let inline = self.inlines[&name].clone();
        let arguments = self.call_arguments()?;
        let site = self.since(begin);
        if arguments.len() != inline.parameters.len() {
            let expected = counted(inline.parameters.len(), "argument");
            let message = format!("the inline `{name}` takes {expected}, not {}", arguments.len());
            let diagnostic = Diagnostic::error("promela::arity", site.span, message);
            let diagnostic = diagnostic.note(inline.name.at.span, "declared here");
            return Err(self.report(diagnostic, site));
        }
        if self.calls.iter().any(|call| call.name == name) {
            let message = format!("the inline `{name}` calls itself");
            return Err(self.error("promela::recursive-inline", site, message));
        }
        let tokens = self.substituted(&inline, &arguments, site);
        if self.calls.len() >= DEPTH || self.budget < tokens.len() {
            self.budget = 0;
            return Err(self.error(
                "promela::too-large",
                site,
                "inlines expand to more text than can be read",
            ));
        }
        self.budget -= tokens.len();
        let outer = (
            std::mem::replace(&mut self.tokens, tokens.into()),
            std::mem::take(&mut self.at),
        );
        let brackets = std::mem::take(&mut self.brackets);
        self.calls.push(Call { name, result });
        let block = self.nested(Self::block);
        self.calls.pop();
        self.brackets = brackets;
        (self.tokens, self.at) = outer;
        let mut block = block?;
        block.at = site;
        Ok(block)
    }

    /// The variable that `return` assigns to in the innermost inline.
    pub(super) fn result(&self) -> Option<Reference> {
        self.calls.last()?.result.clone()
    }

    /// Whether the body of an inline is being parsed.
    pub(super) fn in_inline(&self) -> bool {
        !self.calls.is_empty()
    }

    fn call_arguments(&mut self) -> Parsed<Vec<Vec<Token>>> {
        let open = self.expect("(")?;
        let mut arguments = vec![Vec::new()];
        let mut nested = 0;
        loop {
            if self.at_end() || self.is("{") || self.is("}") {
                let place = self.here();
                let diagnostic = Diagnostic::error("promela::syntax", place.span, "expected `)`");
                return Err(self.report(diagnostic.note(open.span, "this `(` is not closed"), place));
            }
            let token = self.next();
            if token.is("(") || token.is("[") {
                nested += 1;
            } else if token.is(")") && nested == 0 {
                break;
            } else if token.is(")") || token.is("]") {
                nested -= 1;
            } else if token.is(",") && nested == 0 {
                arguments.push(Vec::new());
                continue;
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
        if arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        Ok(arguments)
    }

    fn substituted(&mut self, inline: &Inline, arguments: &[Vec<Token>], site: At) -> Vec<Token> {
        let name = inline.name.text.clone();
        // The definition itself may come from a macro. That origin is lost;
        // only the call is remembered.
        let origin = self.expansions.add(Cause::Inline(name), site);
        let mut tokens = Vec::with_capacity(inline.body.len() + 1);
        for token in &inline.body {
            let read = Token {
                origin,
                ..token.clone()
            };
            let position = token
                .word()
                .and_then(|word| inline.parameters.iter().position(|name| name == word));
            let Some(argument) = position else {
                tokens.push(read);
                continue;
            };
            let cause = Cause::Parameter(inline.parameters[argument].clone());
            let inside = self.expansions.add(cause, at(&read));
            for (k, token) in arguments[argument].iter().enumerate() {
                tokens.push(Token {
                    origin: inside,
                    newline: k == 0 && read.newline,
                    first: false,
                    ..token.clone()
                });
            }
        }
        let last = tokens.last().cloned();
        tokens.extend(last.map(|last| Token {
            kind: TokenKind::End,
            newline: true,
            ..last
        }));
        tokens
    }
}
