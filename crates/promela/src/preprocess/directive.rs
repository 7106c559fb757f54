//! Executes directives: lines that begin with `#`.

use super::macros::Macro;
use super::{Conditional, INCLUDES, Preprocessor, condition};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Origin, Token, TokenKind};
use crate::source::Span;
use std::rc::Rc;

impl Preprocessor<'_> {
    /// Executes a directive. Its `#` is at `span`, and `line` is the rest of the line.
    pub(super) fn directive(&mut self, span: Span, line: &[Token], active: bool, conditionals: &mut Vec<Conditional>) {
        let Some((first, rest)) = line.split_first() else {
            return;
        };
        let span = span.to(first.span);
        let Some(name) = first.word().cloned() else {
            if active && !matches!(first.kind, TokenKind::Number(_)) {
                self.error(span, "this is not a preprocessor directive");
            }
            return;
        };
        match &*name {
            "if" | "ifdef" | "ifndef" => {
                let holds = active && self.holds(&name, span, rest);
                conditionals.push(Conditional {
                    span,
                    outside: active,
                    active: holds,
                    taken: holds,
                    otherwise: None,
                });
            }
            "elif" | "else" | "endif" => self.branch(&name, span, rest, conditionals),
            _ if !active => {}
            "define" => self.define(span, rest),
            "undef" => match rest.first().and_then(Token::word) {
                Some(name) => {
                    self.macros.remove(name);
                }
                None => self.error(span, "`#undef` needs the name of a macro"),
            },
            "include" => self.include(span, rest),
            "error" | "warning" => {
                let text = self.rest_of_line(rest);
                let message = format!("#{name} {text}").trim_end().to_owned();
                let diagnostic = match &*name {
                    "error" => Diagnostic::error("promela::error", span, message),
                    _ => Diagnostic::warning("promela::warning", span, message),
                };
                self.report(diagnostic, Origin::default());
            }
            "line" | "ident" | "pragma" => {}
            _ => self.error(span, format!("there is no directive `#{name}`")),
        }
    }

    fn rest_of_line(&self, rest: &[Token]) -> String {
        match rest {
            [first, .., last] => self.sources.one_line(first.span.to(last.span)),
            [only] => only.text(),
            [] => String::new(),
        }
    }

    /// Whether the condition of `#if`, `#ifdef` or `#ifndef` holds.
    fn holds(&mut self, directive: &str, span: Span, rest: &[Token]) -> bool {
        if directive != "if" && directive != "elif" {
            let Some(name) = rest.first().and_then(Token::word) else {
                self.error(span, format!("`#{directive}` needs the name of a macro"));
                return false;
            };
            return self.macros.contains_key(name) == (directive == "ifdef");
        }
        let mut tokens = Vec::new();
        let mut rest = rest.iter().peekable();
        while let Some(token) = rest.next() {
            if !token.is("defined") {
                tokens.push(token.clone());
                continue;
            }
            let bracket = rest.next_if(|token| token.is("(")).is_some();
            let name = rest.next().and_then(Token::word).cloned();
            if bracket && rest.next_if(|token| token.is(")")).is_none() || name.is_none() {
                self.error(token.span, "`defined` needs the name of a macro");
                return false;
            }
            let known = name.is_some_and(|name| self.macros.contains_key(&name));
            let kind = TokenKind::Number(if known { "1" } else { "0" }.into());
            tokens.push(Token { kind, ..token.clone() });
        }
        let tokens = self.expand(tokens);
        match condition::value(&tokens) {
            Ok(value) => value != 0,
            Err(message) => {
                self.error(span, format!("the condition cannot be evaluated: {message}"));
                false
            }
        }
    }

    fn branch(&mut self, name: &str, span: Span, rest: &[Token], conditionals: &mut Vec<Conditional>) {
        let Some(mut conditional) = conditionals.pop() else {
            self.error(span, format!("`#{name}` without an `#if`"));
            return;
        };
        if name == "endif" {
            return;
        }
        if let Some(before) = conditional.otherwise {
            let message = format!("`#{name}` after the `#else`");
            let diagnostic = Diagnostic::error("promela::preprocessor", span, message);
            self.report(diagnostic.note(before, "the `#else` is here"), Origin::default());
        }
        let open = conditional.outside && !conditional.taken;
        conditional.active = if name == "else" {
            conditional.otherwise = Some(span);
            open
        } else {
            open && self.holds("elif", span, rest)
        };
        conditional.taken |= conditional.active;
        conditionals.push(conditional);
    }

    fn define(&mut self, span: Span, rest: &[Token]) {
        let Some((first, mut body)) = rest.split_first() else {
            self.error(span, "`#define` needs a name");
            return;
        };
        let Some(name) = first.word().cloned() else {
            self.error(first.span, "the name of a macro begins with a letter or `_`");
            return;
        };
        let mut parameters = None;
        if body.first().is_some_and(|next| next.is("(") && !next.space) {
            let Some(close) = body.iter().position(|token| token.is(")")) else {
                self.error(first.span, format!("the parameters of `{name}` have no closing `)`"));
                return;
            };
            let inside = body[1..close].split(|token| token.is(","));
            let names: Option<Vec<Rc<str>>> = match close {
                1 => Some(Vec::new()),
                _ => inside.map(parameter).collect(),
            };
            let Some(names) = names else {
                self.error(
                    first.span,
                    format!("the parameters of `{name}` are not a list of names"),
                );
                return;
            };
            parameters = Some(names);
            body = &body[close + 1..];
        }
        let definition = Macro {
            name: name.clone(),
            parameters,
            body: body.to_vec(),
            span: first.span,
        };
        let before = self.macros.insert(name.clone(), Rc::new(definition));
        let same = |before: &Macro| {
            let now = &self.macros[&name];
            now.parameters == before.parameters
                && now.body.len() == before.body.len()
                && now.body.iter().zip(&before.body).all(|(a, b)| a.kind == b.kind)
        };
        if let Some(before) = before.filter(|before| !same(before)) {
            let message = format!("the macro `{name}` is redefined with another meaning");
            let diagnostic = Diagnostic::warning("promela::macro-redefined", first.span, message);
            self.report(diagnostic.note(before.span, "defined here before"), Origin::default());
        }
    }

    fn include(&mut self, span: Span, rest: &[Token]) {
        let expanded;
        let rest = match rest.first().map(|token| &token.kind) {
            Some(TokenKind::Word(_)) => {
                expanded = self.expand(rest.to_vec());
                &expanded
            }
            _ => rest,
        };
        let name = match rest {
            [first, ..] if matches!(first.kind, TokenKind::Text(_)) => match &first.kind {
                TokenKind::Text(name) => name.to_string(),
                _ => String::new(),
            },
            [first, .., last] if first.is("<") && last.is(">") && first.span.file == last.span.file => {
                let inside = Span {
                    start: first.span.end,
                    end: last.span.start.max(first.span.end),
                    ..first.span
                };
                self.sources.slice(inside).to_owned()
            }
            _ => {
                self.error(span, "`#include` needs the name of a file, `\"name\"`");
                return;
            }
        };
        let span = rest.iter().fold(span, |span, token| span.to(token.span));
        let around = self.open.last().map(|(path, _)| path.clone()).unwrap_or_default();
        let path = around
            .parent()
            .map_or_else(|| (&*name).into(), |folder| folder.join(&name));
        if self.open.len() > INCLUDES {
            self.error(
                span,
                format!("`{name}` is included too deeply: does it include itself?"),
            );
            self.stopped = true;
            return;
        }
        match (self.reader)(&path) {
            Ok(bytes) => {
                let text = super::decoded(&bytes);
                if let Err(spent) = self.budget.file(text.len()) {
                    return self.too_large(span, Origin::default(), spent);
                }
                let file = self.sources.add(path.display().to_string(), text);
                self.open.push((path, span));
                self.file(file);
                self.open.pop();
            }
            Err(error) => {
                let message = format!("the file `{}` cannot be read", path.display());
                let diagnostic = Diagnostic::error("promela::include", span, message);
                self.report(diagnostic.label(error.to_string()), Origin::default());
            }
        }
    }
}

fn parameter(tokens: &[Token]) -> Option<Rc<str>> {
    match tokens {
        [one] => one.word().cloned(),
        [a, b] if a.is("..") && b.is(".") => Some("...".into()),
        _ => None,
    }
}
