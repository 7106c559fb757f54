//! The contents of brackets: elements, entries, arguments, indices, expressions.

use super::lexer::Token;
use super::{Parsed, Parser, Part, node};
use crate::predicate::syntax::Kind;
use std::ops::Range;

impl Parser<'_> {
    /// Takes the symbol that closes a bracket, or reports that it is not there.
    fn close(&mut self, symbol: &str, open: &Range<usize>, others: &str) -> Parsed<()> {
        if self.takes(symbol) {
            return Ok(());
        }
        let mut error = self.expected(&format!("an operator{others} or `{symbol}`"));
        if *self.token() == Token::End {
            error.span = open.clone();
            error.message = format!("`{}` is not closed: {}", &self.text[open.clone()], error.message);
        }
        Err(error)
    }

    pub(super) fn index(&mut self, of: Part) -> Parsed<Part> {
        let open = self.place();
        self.at += 1;
        let index = self.expression()?;
        self.close("]", &open, "")?;
        let depth = 1 + of.depth.max(index.depth);
        let place = of.place.start..self.end();
        node(Kind::Index(Box::new([of.tree, index.tree])), depth, place)
    }

    /// The arguments of a call whose name was taken. `start` is where the whole call begins.
    pub(super) fn call(&mut self, start: usize, target: Option<Part>, name: &str, place: Range<usize>) -> Parsed<Part> {
        let mut depth = target.as_ref().map_or(0, |target| target.depth + 1);
        let open = self.place();
        self.at += 1;
        let mut arguments = Vec::new();
        if !self.takes(")") {
            loop {
                let argument = self.expression()?;
                depth = depth.max(argument.depth + 1);
                arguments.push(argument.tree);
                if !self.takes(",") {
                    break;
                }
            }
            self.close(")", &open, ", `,`")?;
        }
        let whole = start..self.end();
        let target = target.map(|target| target.tree);
        let kind = self.calls.function(name, place, target, arguments, whole.clone());
        node(kind, depth, whole)
    }

    pub(super) fn nested(&mut self) -> Parsed<Part> {
        let open = self.place();
        self.at += 1;
        let part = self.expression()?;
        self.close(")", &open, "")?;
        Ok(Part {
            place: open.start..self.end(),
            ..part
        })
    }

    /// Takes an opening bracket, and a comma if nothing else is in the brackets.
    fn opens(&mut self, close: &'static str) -> bool {
        self.at += 1;
        let comma = self.is(",") && matches!(self.tokens[self.at + 1].0, Token::Symbol(found) if found == close);
        self.at += usize::from(comma);
        !self.is(close)
    }

    pub(super) fn list(&mut self) -> Parsed<Part> {
        let open = self.place();
        let (mut elements, mut depth) = (Vec::new(), 0);
        let mut more = self.opens("]");
        while more {
            let element = self.expression()?;
            depth = depth.max(element.depth + 1);
            elements.push(element.tree);
            more = self.takes(",") && !self.is("]");
        }
        self.close("]", &open, ", `,`")?;
        node(Kind::List(elements), depth, open.start..self.end())
    }

    pub(super) fn map(&mut self) -> Parsed<Part> {
        let open = self.place();
        let (mut entries, mut depth) = (Vec::new(), 0);
        let mut more = self.opens("}");
        while more {
            let key = self.expression()?;
            if !self.takes(":") {
                return Err(self.expected("an operator or `:`"));
            }
            let value = self.expression()?;
            depth = depth.max(key.depth + 1).max(value.depth + 1);
            entries.push([key.tree, value.tree]);
            more = self.takes(",") && !self.is("}");
        }
        self.close("}", &open, ", `,`")?;
        node(Kind::Map(entries), depth, open.start..self.end())
    }
}
