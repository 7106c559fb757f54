//! Expansion of macros, on tokens.
//!
//! Prosser's algorithm, on which the C standard is based: each token carries the set of
//! macros that it came out of, and such a name is not expanded again, so that
//! expansion ends. Departure: what a call of a macro with arguments yields carries the
//! set of the macro's name, not its intersection with that of the closing bracket; the
//! two differ only where a call ends outside of the expansion in which it begins.
//!
//! What replaces a macro stands on one line, as in the output of `cpp`: this matters
//! because the end of a line can end a statement.

use super::Preprocessor;
use super::budget::Spent;
use super::expansion::{At, Cause};
use crate::diagnostic::Diagnostic;
use crate::lexer::{self, Token, TokenKind};
use crate::source::Span;
use std::rc::Rc;

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub(super) name: Rc<str>,
    /// The parameters, if it takes any; a last one of `...` takes what is left.
    pub(super) parameters: Option<Vec<Rc<str>>>,
    pub(super) body: Vec<Token>,
    pub(super) span: Span,
}

impl Macro {
    /// The line that defines it.
    pub(super) fn directive(&self) -> String {
        let parameters = self.parameters.as_ref().map(|names| format!("({})", names.join(", ")));
        let body: Vec<String> = self.body.iter().map(Token::text).collect();
        format!(
            "#define {}{} {}\n",
            self.name,
            parameters.unwrap_or_default(),
            body.join(" ")
        )
    }
}

/// The macros that a token came out of.
type Hidden = Option<Rc<HiddenBy>>;

#[derive(Debug)]
pub(super) struct HiddenBy {
    name: Rc<str>,
    next: Hidden,
    /// How many there are.
    count: usize,
}

fn hides(hidden: &Hidden, name: &str) -> bool {
    std::iter::successors(hidden.as_ref(), |by| by.next.as_ref()).any(|by| *by.name == *name)
}

fn hide(hidden: &Hidden, name: &Rc<str>) -> Hidden {
    if hides(hidden, name) {
        return hidden.clone();
    }
    Some(Rc::new(HiddenBy {
        name: name.clone(),
        next: hidden.clone(),
        count: count(hidden) + 1,
    }))
}

fn count(hidden: &Hidden) -> usize {
    hidden.as_ref().map_or(0, |by| by.count)
}

type Marked = (Token, Hidden);

/// How deep calls may be nested in the arguments of others, and macros in the bodies of others.
const DEPTH: usize = 64;
const HIDDEN: usize = 200;

impl Preprocessor<'_> {
    /// Expands all macros in a text.
    pub(super) fn expand(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        if self.macros.is_empty() {
            return tokens;
        }
        let marked = tokens.into_iter().map(|token| (token, None)).collect();
        self.expand_marked(marked, 0)
            .into_iter()
            .map(|(token, _)| token)
            .collect()
    }

    fn expand_marked(&mut self, mut input: Vec<Marked>, depth: usize) -> Vec<Marked> {
        input.reverse();
        let mut output = Vec::with_capacity(input.len());
        while let Some((token, hidden)) = input.pop() {
            let found = token.word().filter(|name| !hides(&hidden, name));
            let Some(definition) = found.and_then(|name| self.macros.get(name)).cloned() else {
                output.push((token, hidden));
                continue;
            };
            let deep = match (depth > DEPTH, count(&hidden) > HIDDEN) {
                (true, _) => Some(Spent::Depth(DEPTH)),
                (_, true) => Some(Spent::Depth(HIDDEN)),
                _ => None,
            };
            let spent = deep.or(self.budget.tokens(definition.body.len() + 1).err());
            if let Some(spent) = spent {
                self.too_large(token.span, token.origin, spent);
                return output;
            }
            let site = At {
                span: token.span,
                origin: token.origin,
            };
            let inner = hide(&hidden, &definition.name);
            let mut body = match &definition.parameters {
                None => {
                    let origin = self.expansions.add(Cause::Macro(definition.name.clone()), site);
                    let read = |token: &Token| Token {
                        origin,
                        ..token.clone()
                    };
                    let body = definition
                        .body
                        .iter()
                        .map(|token| (read(token), inner.clone()))
                        .collect();
                    self.paste(body)
                }
                Some(parameters) => {
                    if !input.last().is_some_and(|(next, _)| next.is("(")) {
                        output.push((token, hidden));
                        continue;
                    }
                    let Some((arguments, close)) = self.arguments(&token, &mut input, parameters) else {
                        continue;
                    };
                    let site = self.expansions.join(site, close);
                    self.substitute(&definition, parameters, arguments, &inner, site, depth)
                }
            };
            if self.stopped {
                return output;
            }
            for (k, (inside, _)) in body.iter_mut().enumerate() {
                inside.newline = k == 0 && token.newline;
                inside.first = false;
                inside.space = if k == 0 { token.space } else { inside.space };
            }
            // What follows an empty expansion stands where it would have.
            if body.is_empty()
                && token.newline
                && let Some((next, _)) = input.last_mut()
            {
                next.newline = true;
            }
            input.extend(body.into_iter().rev());
        }
        output
    }

    /// The arguments of a call, the name of which was read, and where its bracket closes.
    fn arguments(
        &mut self,
        name: &Token,
        input: &mut Vec<Marked>,
        parameters: &[Rc<str>],
    ) -> Option<(Vec<Vec<Marked>>, At)> {
        input.pop();
        let variadic = parameters.last().is_some_and(|last| &**last == "...");
        let mut arguments = vec![Vec::new()];
        let mut nested = 0;
        let close = loop {
            let Some((token, hidden)) = input.pop() else {
                let message = format!("the call of the macro `{}` has no closing `)`", name.text());
                self.report(
                    Diagnostic::error("promela::macro-call", name.span, message),
                    name.origin,
                );
                return None;
            };
            if token.is("(") {
                nested += 1;
            } else if token.is(")") && nested == 0 {
                break token;
            } else if token.is(")") {
                nested -= 1;
            } else if token.is(",") && nested == 0 && !(variadic && arguments.len() >= parameters.len()) {
                arguments.push(Vec::new());
                continue;
            }
            if let Some(last) = arguments.last_mut() {
                last.push((token, hidden));
            }
        };
        if parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if variadic && arguments.len() + 1 == parameters.len() {
            arguments.push(Vec::new());
        }
        if arguments.len() != parameters.len() {
            let message = format!(
                "the macro `{}` takes {}, not {}",
                name.text(),
                counted(parameters.len(), "argument"),
                arguments.len()
            );
            let declared = name
                .word()
                .and_then(|name| self.macros.get(name))
                .map(|found| found.span);
            let mut diagnostic = Diagnostic::error("promela::macro-call", name.span, message);
            if let Some(span) = declared {
                diagnostic = diagnostic.note(span, "defined here");
            }
            self.report(diagnostic, name.origin);
            return None;
        }
        let close = At {
            span: close.span,
            origin: close.origin,
        };
        Some((arguments, close))
    }

    /// The body of a macro with the arguments in place of the parameters.
    fn substitute(
        &mut self,
        definition: &Macro,
        parameters: &[Rc<str>],
        arguments: Vec<Vec<Marked>>,
        hidden: &Hidden,
        site: At,
        depth: usize,
    ) -> Vec<Marked> {
        let origin = self.expansions.add(Cause::Macro(definition.name.clone()), site);
        let position = |token: &Token| {
            let name = token.word()?;
            let name = if &**name == "__VA_ARGS__" { "..." } else { name };
            parameters.iter().position(|parameter| **parameter == *name)
        };
        let mut expanded: Vec<Option<Vec<Marked>>> = vec![None; arguments.len()];
        let mut result = Vec::new();
        let body = &definition.body;
        for (k, token) in body.iter().enumerate() {
            let read = Token {
                origin,
                ..token.clone()
            };
            if token.is("#") && body.get(k + 1).is_some_and(|next| position(next).is_some()) {
                continue;
            }
            let Some(argument) = position(token) else {
                result.push((read, hidden.clone()));
                continue;
            };
            if k > 0 && body[k - 1].is("#") {
                let text = stringified(&arguments[argument]);
                if let Err(spent) = self.budget.text(text.len()) {
                    self.too_large(token.span, origin, spent);
                    return result;
                }
                let kind = TokenKind::Text(text.into());
                let space = body[k - 1].space;
                result.push((Token { kind, space, ..read }, hidden.clone()));
                continue;
            }
            let pasted = body.get(k + 1).is_some_and(|next| next.is("##")) || k > 0 && body[k - 1].is("##");
            let tokens = if pasted {
                arguments[argument].clone()
            } else if let Some(tokens) = &expanded[argument] {
                tokens.clone()
            } else {
                let tokens = self.expand_marked(arguments[argument].clone(), depth + 1);
                expanded[argument] = Some(tokens.clone());
                tokens
            };
            if let Err(spent) = self.budget.tokens(tokens.len()) {
                self.too_large(token.span, origin, spent);
                return result;
            }
            let at = At {
                span: token.span,
                origin,
            };
            let cause = Cause::Parameter(parameters[argument].clone());
            let inside = self.expansions.add(cause, at);
            let own = |(token, by): Marked| {
                let all = std::iter::successors(by.as_ref(), |by| by.next.as_ref());
                let by = all.fold(hidden.clone(), |hidden, by| hide(&hidden, &by.name));
                (
                    Token {
                        origin: inside,
                        ..token
                    },
                    by,
                )
            };
            result.extend(tokens.into_iter().map(own));
        }
        self.paste(result)
    }

    /// Joins what stands on both sides of `##`.
    fn paste(&mut self, tokens: Vec<Marked>) -> Vec<Marked> {
        if !tokens.iter().any(|(token, _)| token.is("##")) {
            return tokens;
        }
        let mut result: Vec<Marked> = Vec::with_capacity(tokens.len());
        let mut tokens = tokens.into_iter().peekable();
        while let Some((token, hidden)) = tokens.next() {
            if !token.is("##") {
                result.push((token, hidden));
                continue;
            }
            let (Some((left, by)), Some((right, _))) = (result.pop(), tokens.next()) else {
                continue;
            };
            let text = left.text() + &right.text();
            if let Err(spent) = self.budget.text(text.len()) {
                self.too_large(left.span, left.origin, spent);
                return result;
            }
            let mut made = lexer::tokens(&text, left.span.file);
            made.pop();
            let read = |token: Token| Token {
                span: left.span,
                origin: left.origin,
                ..token
            };
            result.extend(made.into_iter().map(|token| (read(token), by.clone())));
        }
        result
    }
}

fn stringified(argument: &[Marked]) -> String {
    let mut text = String::new();
    for (k, (token, _)) in argument.iter().enumerate() {
        if k > 0 && token.space {
            text.push(' ');
        }
        text += &token.text().replace('\\', "\\\\").replace('"', "\\\"");
    }
    text
}

/// `1 argument`, `2 arguments`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
