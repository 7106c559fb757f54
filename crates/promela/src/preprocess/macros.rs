//! Expansion of macros, on tokens.
//!
//! Prosser's algorithm, on which the C standard is based: each token carries the set of
//! macros that it came from, and the names in that set are not expanded again, so
//! expansion ends. Departure: the result of a call with arguments carries the
//! set of the macro's name, not its intersection with the set of the closing bracket. The
//! two differ only if a call ends outside the expansion in which it begins.
//!
//! An expansion stands on one line, as in the output of `cpp`. This matters
//! because the end of a line can end a statement.

use super::Preprocessor;
use super::budget::Spent;
use super::expansion::{At, Cause};
use crate::diagnostic::Diagnostic;
use crate::lexer::{self, Origin, Token, TokenKind};
use crate::source::Span;
use std::rc::Rc;

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub(super) name: Rc<str>,
    /// The parameters, if it takes arguments. The last may be `...`, which takes all remaining arguments.
    pub(super) parameters: Option<Vec<Rc<str>>>,
    pub(super) body: Vec<Token>,
    pub(super) span: Span,
}

impl Macro {
    /// The `#define` line of the macro.
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

/// The macros that a token came from, which are not expanded in it again.
type Hidden = Option<Rc<HiddenBy>>;

#[derive(Debug)]
pub(super) struct HiddenBy {
    name: Rc<str>,
    next: Hidden,
    /// The length of the list from here on.
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

/// How deep calls may be nested in the arguments of others.
const DEPTH: usize = 64;
/// How deep macros may be nested in the bodies of others.
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
            if let Err(spent) = self.afford(&definition, &hidden, depth) {
                self.too_large(token.span, token.origin, spent);
                return output;
            }
            let site = At {
                span: token.span,
                origin: token.origin,
            };
            let inner = hide(&hidden, &definition.name);
            let body = match &definition.parameters {
                None => {
                    let origin = self.expansions.add(Cause::Macro(definition.name.clone()), site);
                    let marked = |token: &Token| (from(token, origin), inner.clone());
                    self.paste(definition.body.iter().map(marked).collect())
                }
                Some(_) if !input.last().is_some_and(|(next, _)| next.is("(")) => {
                    output.push((token, hidden));
                    continue;
                }
                Some(parameters) => {
                    let Some((arguments, close)) = self.arguments(&token, &mut input, parameters) else {
                        continue;
                    };
                    let site = self.expansions.join(site, close);
                    let origin = self.expansions.add(Cause::Macro(definition.name.clone()), site);
                    self.substitute(Call {
                        body: &definition.body,
                        parameters,
                        expanded: vec![None; arguments.len()],
                        arguments,
                        hidden: inner,
                        origin,
                        depth,
                    })
                }
            };
            if self.stopped {
                return output;
            }
            replace(&token, body, &mut input);
        }
        output
    }

    /// Whether the budget allows to expand a macro once more.
    fn afford(&mut self, definition: &Macro, hidden: &Hidden, depth: usize) -> Result<(), Spent> {
        if depth > DEPTH {
            return Err(Spent::Depth(DEPTH));
        }
        if count(hidden) > HIDDEN {
            return Err(Spent::Depth(HIDDEN));
        }
        self.budget.tokens(definition.body.len() + 1)
    }

    /// The arguments of a call whose name was read, and the place of its closing bracket.
    fn arguments(
        &mut self,
        name: &Token,
        input: &mut Vec<Marked>,
        parameters: &[Rc<str>],
    ) -> Option<(Vec<Vec<Marked>>, At)> {
        input.pop();
        let variadic = parameters.last().is_some_and(|last| &**last == "...");
        let most = if variadic { parameters.len() } else { usize::MAX };
        let Some((mut arguments, close)) = bracketed(input, most) else {
            let message = format!("the call of the macro `{}` has no closing `)`", name.text());
            let diagnostic = Diagnostic::error("promela::macro-call", name.span, message);
            self.report(diagnostic, name.origin);
            return None;
        };
        if parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if variadic && arguments.len() + 1 == parameters.len() {
            arguments.push(Vec::new());
        }
        if arguments.len() != parameters.len() {
            self.wrong_arity(name, parameters.len(), arguments.len());
            return None;
        }
        Some((arguments, close))
    }

    fn wrong_arity(&mut self, name: &Token, expected: usize, given: usize) {
        let expected = counted(expected, "argument");
        let message = format!("the macro `{}` takes {expected}, not {given}", name.text());
        let mut diagnostic = Diagnostic::error("promela::macro-call", name.span, message);
        if let Some(definition) = name.word().and_then(|name| self.macros.get(name)) {
            diagnostic = diagnostic.note(definition.span, "defined here");
        }
        self.report(diagnostic, name.origin);
    }

    /// The body of a macro with the arguments in place of the parameters.
    fn substitute(&mut self, mut call: Call<'_>) -> Vec<Marked> {
        let mut result = Vec::new();
        for (k, token) in call.body.iter().enumerate() {
            if token.is("#") && call.body.get(k + 1).is_some_and(|next| call.parameter(next).is_some()) {
                continue;
            }
            let Some(parameter) = call.parameter(token) else {
                result.push((from(token, call.origin), call.hidden.clone()));
                continue;
            };
            let substituted = match call.is_at(k, -1, "#") {
                true => self.stringify(&call, k, parameter).map(|token| vec![token]),
                false => self.insert(&mut call, k, parameter),
            };
            match substituted {
                Ok(tokens) => result.extend(tokens),
                Err(spent) => {
                    self.too_large(token.span, call.origin, spent);
                    return result;
                }
            }
        }
        self.paste(result)
    }

    /// The text of an argument, for `#` before the parameter at position `k` of the body.
    fn stringify(&mut self, call: &Call<'_>, k: usize, parameter: usize) -> Result<Marked, Spent> {
        let text = stringified(&call.arguments[parameter]);
        self.budget.text(text.len())?;
        let token = Token {
            kind: TokenKind::Text(text.into()),
            space: call.body[k - 1].space,
            ..from(&call.body[k], call.origin)
        };
        Ok((token, call.hidden.clone()))
    }

    /// The argument for the parameter at position `k` of the body. Its macros are expanded unless it is pasted.
    fn insert(&mut self, call: &mut Call<'_>, k: usize, parameter: usize) -> Result<Vec<Marked>, Spent> {
        let tokens = if call.is_at(k, 1, "##") || call.is_at(k, -1, "##") {
            call.arguments[parameter].clone()
        } else if let Some(tokens) = &call.expanded[parameter] {
            tokens.clone()
        } else {
            let tokens = self.expand_marked(call.arguments[parameter].clone(), call.depth + 1);
            call.expanded[parameter] = Some(tokens.clone());
            tokens
        };
        self.budget.tokens(tokens.len())?;
        let at = At {
            span: call.body[k].span,
            origin: call.origin,
        };
        let cause = Cause::Parameter(call.parameters[parameter].clone());
        let origin = self.expansions.add(cause, at);
        let own = |(token, by): Marked| {
            let all = std::iter::successors(by.as_ref(), |by| by.next.as_ref());
            let by = all.fold(call.hidden.clone(), |hidden, by| hide(&hidden, &by.name));
            (Token { origin, ..token }, by)
        };
        Ok(tokens.into_iter().map(own).collect())
    }

    /// Joins the tokens on both sides of `##`.
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

/// A call of a macro that takes arguments.
struct Call<'a> {
    body: &'a [Token],
    parameters: &'a [Rc<str>],
    arguments: Vec<Vec<Marked>>,
    /// The arguments with all macros expanded, as far as they were needed.
    expanded: Vec<Option<Vec<Marked>>>,
    hidden: Hidden,
    origin: Origin,
    depth: usize,
}

impl Call<'_> {
    /// The number of the parameter that a token of the body names.
    fn parameter(&self, token: &Token) -> Option<usize> {
        let name = token.word()?;
        let name = if &**name == "__VA_ARGS__" { "..." } else { name };
        self.parameters.iter().position(|parameter| **parameter == *name)
    }

    /// Whether the token `offset` positions after number `k` of the body is `text`.
    fn is_at(&self, k: usize, offset: isize, text: &str) -> bool {
        let token = k.checked_add_signed(offset).and_then(|k| self.body.get(k));
        token.is_some_and(|token| token.is(text))
    }
}

/// A token of a macro's body, as it is read in an expansion.
fn from(token: &Token, origin: Origin) -> Token {
    Token {
        origin,
        ..token.clone()
    }
}

/// Takes the tokens up to the closing bracket, separated at commas into at most `most` arguments.
fn bracketed(input: &mut Vec<Marked>, most: usize) -> Option<(Vec<Vec<Marked>>, At)> {
    let mut arguments = Vec::new();
    let mut argument = Vec::new();
    let mut nested = 0;
    loop {
        let (token, hidden) = input.pop()?;
        if token.is("(") {
            nested += 1;
        } else if token.is(")") && nested == 0 {
            arguments.push(argument);
            let close = At {
                span: token.span,
                origin: token.origin,
            };
            return Some((arguments, close));
        } else if token.is(")") {
            nested -= 1;
        } else if token.is(",") && nested == 0 && arguments.len() + 1 < most {
            arguments.push(std::mem::take(&mut argument));
            continue;
        }
        argument.push((token, hidden));
    }
}

/// Puts an expansion in the place of `token`, on the same line.
fn replace(token: &Token, mut body: Vec<Marked>, input: &mut Vec<Marked>) {
    for (k, (inside, _)) in body.iter_mut().enumerate() {
        inside.newline = k == 0 && token.newline;
        inside.first = false;
        inside.space = if k == 0 { token.space } else { inside.space };
    }
    // After an empty expansion, the next token begins the line.
    if body.is_empty()
        && token.newline
        && let Some((next, _)) = input.last_mut()
    {
        next.newline = true;
    }
    input.extend(body.into_iter().rev());
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
