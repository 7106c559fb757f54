//! The text between two directives, as far as it can be expanded.
//!
//! The arguments of a macro may go on after a directive, as in
//!
//! ```text
//! F(a,
//! #ifdef B
//!   b,
//! #endif
//!   c)
//! ```
//!
//! so that a call which is open where a directive comes waits for the rest of its arguments. As in `cpp`, the
//! directive is obeyed at once. What comes before the call is expanded before.

use super::macros::Macro;
use crate::lexer::Token;
use std::collections::HashMap;
use std::rc::Rc;

/// Tokens that were read and not yet expanded.
#[derive(Default)]
pub(super) struct Run {
    tokens: Vec<Token>,
    /// How many of them were looked at for calls.
    seen: usize,
    /// Where the call begins that is open after those, and how many brackets are.
    open: Option<(usize, usize)>,
}

impl Run {
    pub(super) fn push(&mut self, token: Token) {
        self.tokens.push(token);
    }

    /// Takes everything out.
    pub(super) fn all(&mut self) -> Vec<Token> {
        std::mem::take(self).tokens
    }

    /// Takes out what comes before a call of a macro whose bracket is not closed yet.
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
                // After a name without a bracket nothing is open.
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
