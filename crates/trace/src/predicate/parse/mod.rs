//! From tokens to trees: a Pratt parser (Pratt, POPL 1973).
//!
//! ```text
//! expression = binary [ "?" binary ":" expression ]
//! binary     = unary { operator unary }          by power: || < && < comparison, in < + - < * / %
//! unary      = member | "!" { "!" } member | "-" { "-" } member
//! member     = primary { "." name [ "(" arguments ")" ] | "[" expression "]" }
//! primary    = [ "." ] name [ "(" arguments ")" ] | "(" expression ")" | [ "-" ] number | literal
//!            | "[" { expression "," } "]" | "{" { expression ":" expression "," } "}"
//! ```
//!
//! All operators group to the left. `-1` is a number wherever a `primary` is allowed, so `!-1` is correct and `!-a` is
//! not. Lists and objects, but not arguments, may end with a comma, and may even consist of a single comma.
//!
//! Every token is taken once, without backtracking, so parsing takes linear time. Only brackets and the last part
//! of `?:` recurse, at most [`MAX_NESTING`] deep. Trees are at most [`MAX_DEPTH`] deep, since everything after
//! parsing recurses once per level. So no text makes the stack overflow.
//!
//! Parsing ends at the first syntax error. Other errors that can be found without a trace (unknown functions, wrong
//! numbers of arguments) are returned with the tree, and reported together with those that need a trace.

mod brackets;
#[cfg(test)]
mod compared;
mod infix;
mod lexer;
#[cfg(test)]
mod oracle;
mod quoted;
#[cfg(test)]
mod shape;
mod slips;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod texts;

use super::calls::Calls;
use super::error::{PredicateError, PredicateErrors};
use super::syntax::{Expression, Kind, is_reserved};
use crate::value::Value;
use infix::{infix, join};
use lexer::{Token, tokens, too_large};
use slips::FIELD;
use std::ops::Range;

/// The longest text, in bytes.
const MAX_LENGTH: usize = 1 << 16;
/// How deep brackets and `?:` may be nested.
const MAX_NESTING: usize = 100;
/// How deep a tree may be. A single name has depth 0.
const MAX_DEPTH: usize = 400;

/// The tree of a text, and its errors other than syntax errors.
pub(super) fn parse(text: &str) -> Result<(Expression, Vec<PredicateError>), PredicateErrors> {
    if text.len() > MAX_LENGTH {
        let message = format!("the predicate is longer than {MAX_LENGTH} bytes");
        return Err(PredicateError::new(0..0, message).into());
    }
    let mut parser = Parser {
        text,
        tokens: tokens(text),
        at: 0,
        nesting: 0,
        calls: Calls::default(),
    };
    match parser.whole() {
        Ok(tree) => Ok((tree, parser.calls.errors)),
        Err(error) => Err((*error).into()),
    }
}

/// The first syntax error. It is boxed to keep the results small that recursion passes on.
type Parsed<T> = Result<T, Box<PredicateError>>;

/// An expression that was read.
struct Part {
    tree: Expression,
    /// How deep the tree is.
    depth: usize,
    /// Where it is in the text. Unlike the span of the tree, this includes the brackets around it.
    place: Range<usize>,
}

/// An expression that has no brackets around it.
fn node(kind: Kind, depth: usize, place: Range<usize>) -> Parsed<Part> {
    if depth > MAX_DEPTH {
        let message = format!("more than {MAX_DEPTH} operators apply to each other's results");
        let error = PredicateError::new(place, message);
        return Err(error
            .hint("use `processes.map(p, …).sum()`, or divide it with `&&`")
            .into());
    }
    let span = place.clone().into();
    let tree = Expression { kind, span };
    Ok(Part { tree, depth, place })
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token<'a>, Range<usize>)>,
    /// The next token. After the last one, which is the end, it stays there.
    at: usize,
    nesting: usize,
    calls: Calls,
}

impl<'a> Parser<'a> {
    fn token(&self) -> &Token<'a> {
        &self.tokens[self.at].0
    }

    fn place(&self) -> Range<usize> {
        self.tokens[self.at].1.clone()
    }

    /// Where the token before the next one ends.
    fn end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |before| self.tokens[before].1.end)
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.token(), Token::Symbol(found) if *found == symbol)
    }

    /// Takes a symbol if it is the next token.
    fn takes(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    fn whole(&mut self) -> Parsed<Expression> {
        let part = self.expression()?;
        match self.token() {
            Token::End => Ok(part.tree),
            _ => Err(self.expected("an operator or the end of the predicate")),
        }
    }

    fn expression(&mut self) -> Parsed<Part> {
        if self.nesting == MAX_NESTING {
            let message = format!("brackets and `?:` are nested more than {MAX_NESTING} deep");
            return Err(PredicateError::new(self.place(), message).into());
        }
        self.nesting += 1;
        let mut part = self.binary(0)?;
        if self.takes("?") {
            let yes = self.binary(0)?;
            if !self.takes(":") {
                return Err(self.expected("an operator or `:`"));
            }
            let no = self.expression()?;
            let place = part.place.start..no.place.end;
            let depth = 1 + part.depth.max(yes.depth).max(no.depth);
            let three = Box::new([part.tree, yes.tree, no.tree]);
            part = node(Kind::Conditional(three), depth, place)?;
        }
        self.nesting -= 1;
        Ok(part)
    }

    /// Operators that bind at least as tightly as `power`, and their operands.
    fn binary(&mut self, power: u8) -> Parsed<Part> {
        let mut left = self.unary()?;
        while let Some((operator, found)) = infix(self.token())
            && found >= power
        {
            self.at += 1;
            let right = self.binary(found + 1)?;
            left = join(operator, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Part> {
        let start = self.place().start;
        let sign = match self.token() {
            Token::Symbol("!") => "!",
            Token::Symbol("-") if !self.signs_number() => "-",
            _ => return self.member(),
        };
        let mut odd = false;
        while self.takes(sign) {
            odd = !odd;
        }
        let operand = self.member()?;
        let place = start..operand.place.end;
        if !odd {
            return Ok(Part { place, ..operand });
        }
        let inner = Box::new(operand.tree);
        let kind = match sign {
            "!" => Kind::Not(inner),
            _ => Kind::Negate(inner),
        };
        node(kind, operand.depth + 1, place)
    }

    /// Whether the next token, a minus, forms a negative number with the one after it.
    fn signs_number(&self) -> bool {
        matches!(
            self.tokens.get(self.at + 1),
            Some((Token::Int(_) | Token::Double(_), _))
        )
    }

    fn member(&mut self) -> Parsed<Part> {
        let first = self.at;
        let mut part = self.primary()?;
        // Whether there are only names and dots so far: then `{` would begin a message.
        let mut dotted = matches!(part.tree.kind, Kind::Name(_)) && !matches!(self.tokens[first].0, Token::Symbol("("));
        loop {
            if self.takes(".") {
                let name = self.place();
                let escaped = matches!(self.token(), Token::Escaped(_));
                let (Token::Name(field) | Token::Escaped(field)) = *self.token() else {
                    return Err(self.expected(FIELD));
                };
                self.at += 1;
                let called = !escaped && self.is("(");
                dotted &= !escaped && !called;
                part = match called {
                    true => self.call(part.place.start, Some(part), field, name)?,
                    false => {
                        let place = part.place.start..name.end;
                        node(Kind::Field(Box::new(part.tree), field.into()), part.depth + 1, place)?
                    }
                };
            } else if self.is("[") {
                dotted = false;
                part = self.index(part)?;
            } else if dotted && self.is("{") {
                let place = part.place.start..self.place().end;
                let error = PredicateError::new(place, "messages are not supported");
                return Err(error.hint("an object is written `{\"x\": 1}`").into());
            } else {
                return Ok(part);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Part> {
        let place = self.place();
        let negative = self.is("-") && self.signs_number();
        let dot = !negative && self.takes(".");
        self.at += usize::from(negative);
        let kind = match self.token() {
            Token::Name(name) => return self.name(name, place.start),
            _ if dot => return Err(self.expected("a name")),
            Token::Symbol("(") => return self.nested(),
            Token::Symbol("[") => return self.list(),
            Token::Symbol("{") => return self.map(),
            Token::Literal(value) => Kind::Constant(value.clone()),
            Token::Double(x) => Kind::Constant(Value::Double(if negative { -x } else { *x })),
            Token::Int(n) => match int(*n, negative) {
                Some(n) => Kind::Constant(Value::Int(n)),
                None => return Err(too_large(place.start..self.place().end).into()),
            },
            Token::Unsigned(n) => match i64::try_from(*n) {
                Ok(n) => Kind::Constant(Value::Int(n)),
                Err(_) => self.calls.error(too_large(place.clone())),
            },
            Token::Bytes => {
                let message = "values of variables are never bytes";
                self.calls.error(PredicateError::new(place.clone(), message))
            }
            _ => return Err(self.expected("a value")),
        };
        self.at += 1;
        node(kind, 0, place.start..self.end())
    }

    /// A name that stands alone, or is called. `start` is the place of the dot before it, if there is one.
    fn name(&mut self, name: &'a str, start: usize) -> Parsed<Part> {
        let place = self.place();
        let called = matches!(self.tokens[self.at + 1].0, Token::Symbol("("));
        if is_reserved(name) {
            let error = PredicateError::new(place, format!("`{name}` is a reserved word"));
            let hint = format!("a process of that name is written `process(\"{name}\")`");
            return Err(error.perhaps((!called).then_some(hint)).into());
        }
        self.at += 1;
        if called {
            return self.call(start, None, name, place);
        }
        node(Kind::Name(name.to_owned()), 0, start..place.end)
    }
}

/// An int with its sign, if it fits.
fn int(magnitude: u64, negative: bool) -> Option<i64> {
    match negative {
        true => 0i64.checked_sub_unsigned(magnitude),
        false => i64::try_from(magnitude).ok(),
    }
}
