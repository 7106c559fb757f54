//! The text between two directives, as far as it can be expanded.
//!
//! The arguments of a macro may continue after a directive, as in
//!
//! ```text
//! F(a,
//! #ifdef B
//!   b,
//! #endif
//!   c)
//! ```
//!
//! So a call that is open at a directive waits for the rest of its arguments. As in `cpp`, the
//! directive is executed at once. The text before the call is expanded first.

use super::macros::Macro;
use crate::lexer::Token;
use std::collections::HashMap;
use std::rc::Rc;

/// Tokens that are not yet expanded.
#[derive(Default)]
pub(super) struct Run {
    tokens: Vec<Token>,
    /// The number of tokens that were searched for calls.
    seen: usize,
    /// The beginning of the call that is open after those, and its number of open brackets.
    open: Option<(usize, usize)>,
}

impl Run {
    pub(super) fn push(&mut self, token: Token) {
        self.tokens.push(token);
    }

    /// Takes all tokens.
    pub(super) fn all(&mut self) -> Vec<Token> {
        std::mem::take(self).tokens
    }

    /// Takes the tokens before a call that is still open.
    pub(super) fn up_to_open_call(&mut self, macros: &HashMap<Rc<str>, Rc<Macro>>) -> Vec<Token> {
        let takes_arguments = |token: &Token| {
            let found = token.word().and_then(|name| macros.get(name));
            found.is_some_and(|found| found.parameters.is_some())
        };
        for at in self.seen..self.tokens.len() {
            let token = &self.tokens[at];
            self.open = match self.open {
                Some((begin, nested)) if token.is("(") => Some((begin, nested + 1)),
                Some((_, 1)) if token.is(")") => None,
                Some((begin, nested)) if token.is(")") && nested > 0 => Some((begin, nested - 1)),
                Some((begin, nested)) if nested > 0 => Some((begin, nested)),
                // A name without a bracket is not a call.
                _ => takes_arguments(token).then_some((at, 0)),
            };
        }
        self.seen = self.tokens.len();
        let Some((begin, nested)) = self.open else {
            return self.all();
        };
        let rest = self.tokens.split_off(begin);
        self.seen = rest.len();
        self.open = Some((0, nested));
        std::mem::replace(&mut self.tokens, rest)
    }
}
