//! Parses expressions, by precedence climbing.

use super::{CHAIN, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::model::{Binary, ChannelTest, Unary};
use crate::syntax::{Expr, ExprKind, Part, Reference};
use std::rc::Rc;

/// The precedence of `&&`. Atoms of formulas consist of operators that bind more tightly.
pub(super) const LOGIC: u8 = 2;

/// The precedence of an operator.
pub(super) fn binary(sign: &str) -> Option<(Binary, u8)> {
    Some(match sign {
        "||" => (Binary::Or, 1),
        "&&" => (Binary::And, 2),
        "|" => (Binary::BitOr, 3),
        "^" => (Binary::BitXor, 4),
        "&" => (Binary::BitAnd, 5),
        "==" => (Binary::Equal, 6),
        "!=" => (Binary::NotEqual, 6),
        "<" => (Binary::Less, 7),
        "<=" => (Binary::LessEqual, 7),
        ">" => (Binary::Greater, 7),
        ">=" => (Binary::GreaterEqual, 7),
        "<<" => (Binary::ShiftLeft, 8),
        ">>" => (Binary::ShiftRight, 8),
        "+" => (Binary::Add, 9),
        "-" => (Binary::Subtract, 9),
        "*" => (Binary::Multiply, 10),
        "/" => (Binary::Divide, 10),
        "%" => (Binary::Remainder, 10),
        _ => return None,
    })
}

impl Parser {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.binary_above(0)
    }

    /// Parses something inside brackets, where the end of a line has no meaning.
    pub(super) fn bracketed<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.brackets += 1;
        let result = read(self);
        self.brackets -= 1;
        result
    }

    /// Parses operands joined by operators that bind more tightly than this.
    pub(super) fn binary_above(&mut self, least: u8) -> Parsed<Expr> {
        // The operators inside brackets count for the expression around them, since both are levels of one tree.
        if self.depth == self.statement_depth {
            self.operators = 0;
        }
        let mut left = self.nested(Self::unary)?;
        loop {
            let token = self.peek();
            let TokenKind::Sign(sign) = token.kind else { break };
            let Some((operator, level)) = binary(sign) else { break };
            // SPIN ends the statement at the end of a line. If the next line begins with an
            // operator that cannot begin a statement, we continue the statement instead.
            if level <= least || token.newline && self.brackets == 0 && sign == "-" {
                break;
            }
            // In `c?<x>` the `>` closes the pattern.
            if sign == ">" && self.in_copy {
                break;
            }
            self.next();
            let right = self.nested(|parser| parser.binary_above(level))?;
            let at = self.expansions.join(left.at, right.at);
            self.operators += 1;
            if self.operators > CHAIN {
                let message = format!("this expression has more than {CHAIN} operators");
                return Err(self.error("promela::too-deep", at, message));
            }
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expr { kind, at };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let begin = self.here();
        let (first, second) = match self.peek().kind {
            TokenKind::Sign("!") => (Unary::Not, None),
            TokenKind::Sign("!!") => (Unary::Not, Some(Unary::Not)),
            TokenKind::Sign("-") => (Unary::Negate, None),
            TokenKind::Sign("--") => (Unary::Negate, Some(Unary::Negate)),
            TokenKind::Sign("~") => (Unary::Complement, None),
            _ => return self.primary(),
        };
        self.next();
        let mut operand = self.nested(Self::unary)?;
        for operator in second.into_iter().chain([first]) {
            let at = self.expansions.join(begin, operand.at);
            let kind = ExprKind::Unary(operator, Box::new(operand));
            operand = Expr { kind, at };
        }
        Ok(operand)
    }

    /// Parses a constant, a variable, something in brackets, or a function.
    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let begin = self.here();
        let kind = match self.peek().kind.clone() {
            TokenKind::Number(digits) => {
                self.next();
                ExprKind::Constant(self.number(&digits)?)
            }
            TokenKind::Character(c) => {
                self.next();
                ExprKind::Constant(u32::from(c) as i32)
            }
            TokenKind::Sign("(") => {
                self.next();
                let kind = self.bracketed(Self::in_brackets)?;
                self.close(")", begin, "(")?;
                kind
            }
            TokenKind::Word(word) => self.word_expression(&word)?,
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expr {
            kind,
            at: self.since(begin),
        })
    }

    /// `e`, `c -> a : b`
    fn in_brackets(&mut self) -> Parsed<ExprKind> {
        let in_copy = std::mem::take(&mut self.in_copy);
        let condition = self.expression()?;
        let result = if self.eat("->") {
            let then = self.expression()?;
            self.expect(":")?;
            let otherwise = self.expression()?;
            ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise))
        } else {
            condition.kind
        };
        self.in_copy = in_copy;
        Ok(result)
    }

    fn number(&mut self, digits: &str) -> Parsed<i32> {
        let place = self.before();
        if digits.chars().any(|c| !c.is_ascii_digit()) {
            let message = format!("`{digits}` is not a number: Promela has only decimal numbers");
            return Err(self.error("promela::number", place, message));
        }
        let value = digits.parse::<i64>().unwrap_or(i64::MAX);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "SPIN reads a long and keeps its lower half"
        )]
        let kept = value as i32;
        if i64::from(kept) != value {
            let message = format!("{digits} does not fit in 32 bits and is read as {kept}");
            self.report(Diagnostic::warning("promela::truncated", place.span, message), place);
        }
        Ok(kept)
    }

    fn word_expression(&mut self, word: &Rc<str>) -> Parsed<ExprKind> {
        match &**word {
            "true" | "skip" => self.alone(ExprKind::Constant(1)),
            "false" => self.alone(ExprKind::Constant(0)),
            "timeout" => self.alone(ExprKind::Timeout),
            "np_" => self.alone(ExprKind::NonProgress),
            "len" => self.function(Self::reference, ExprKind::Len),
            "empty" => self.poll(ChannelTest::Empty),
            "nempty" => self.poll(ChannelTest::NotEmpty),
            "full" => self.poll(ChannelTest::Full),
            "nfull" => self.poll(ChannelTest::NotFull),
            "enabled" => self.function(Self::boxed, ExprKind::Enabled),
            "pc_value" => self.function(Self::boxed, ExprKind::ProgramCounter),
            "get_priority" => self.function(Self::boxed, ExprKind::GetPriority),
            "set_priority" => {
                let both = |parser: &mut Self| {
                    let process = parser.boxed()?;
                    parser.expect(",")?;
                    Ok((process, parser.boxed()?))
                };
                self.function(both, |(process, priority)| ExprKind::SetPriority(process, priority))
            }
            "run" => self.run(),
            "eval" => {
                let place = self.here();
                let message = "`eval` is only allowed in receives, around a value to compare with";
                Err(self.error("promela::syntax", place, message))
            }
            "_" | "_pid" | "_last" | "_nr_pr" | "_priority" => Ok(ExprKind::Reference(self.reference()?)),
            word if super::is_keyword(word) => Err(self.expected("an expression")),
            _ => self.name_expression(),
        }
    }

    /// A word that is an expression by itself.
    fn alone(&mut self, kind: ExprKind) -> Parsed<ExprKind> {
        self.next();
        Ok(kind)
    }

    /// The name of a function with its argument in brackets.
    fn function<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
        make: impl FnOnce(T) -> ExprKind,
    ) -> Parsed<ExprKind> {
        self.next();
        self.argument(read).map(make)
    }

    fn poll(&mut self, test: ChannelTest) -> Parsed<ExprKind> {
        self.function(Self::reference, |channel| ExprKind::Poll(test, channel))
    }

    fn boxed(&mut self) -> Parsed<Box<Expr>> {
        self.expression().map(Box::new)
    }

    /// The argument in brackets after the name of a function.
    fn argument<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let open = self.expect("(")?;
        let in_copy = std::mem::take(&mut self.in_copy);
        let result = self.bracketed(read)?;
        self.in_copy = in_copy;
        self.close(")", open, "(")?;
        Ok(result)
    }

    fn run(&mut self) -> Parsed<ExprKind> {
        self.expect("run")?;
        let proctype = self.name("the name of a proctype")?;
        let arguments = self.argument(|parser| {
            let mut arguments = Vec::new();
            while !parser.is(")") {
                arguments.push(parser.expression()?);
                if !parser.eat(",") {
                    break;
                }
            }
            Ok(arguments)
        })?;
        let priority = self.priority()?.map(Box::new);
        Ok(ExprKind::Run {
            proctype,
            arguments,
            priority,
        })
    }

    /// A variable, a remote reference or the poll of a channel.
    fn name_expression(&mut self) -> Parsed<ExprKind> {
        let is_process = self.peek().word().is_some_and(|word| self.proctypes.contains(word));
        if self.is_at(1, "@") || is_process && self.is_at(1, ":") {
            let proctype = self.name("the name of a proctype")?;
            return self.remote(proctype, None);
        }
        let reference = self.reference()?;
        // `P[e]@label` and `P[e]:x` look like an element of an array at first.
        let is_element = matches!(&reference.parts[..], [part] if part.index.is_some());
        if is_element && (self.is("@") || is_process && self.is(":")) {
            let Some(part) = reference.parts.into_iter().next() else {
                return Err(self.expected("the name of a proctype"));
            };
            return self.remote(part.name, part.index);
        }
        if (self.is("?") || self.is("??")) && self.is_at(1, "[") {
            let random = self.next().is("??");
            let open = self.expect("[")?;
            let patterns = self.bracketed(|parser| parser.patterns("]"))?;
            self.close("]", open, "[")?;
            return Ok(ExprKind::CanReceive {
                channel: reference,
                patterns: Rc::new(patterns),
                random,
            });
        }
        Ok(ExprKind::Reference(reference))
    }

    fn remote(&mut self, proctype: crate::syntax::Name, process: Option<Box<Expr>>) -> Parsed<ExprKind> {
        if self.eat("@") {
            let label = self.name("the name of a label")?;
            return Ok(ExprKind::AtLabel {
                proctype,
                process,
                label,
            });
        }
        self.expect(":")?;
        let place = self.reference()?;
        Ok(ExprKind::Remote {
            proctype,
            process,
            place,
        })
    }

    /// `a`, `a[i].b`
    pub(super) fn reference(&mut self) -> Parsed<Reference> {
        let begin = self.here();
        let mut parts = Vec::new();
        loop {
            let special = matches!(
                self.peek().word().map(|word| &**word),
                Some("_" | "_pid" | "_last" | "_nr_pr" | "_priority")
            );
            let name = if special {
                let token = self.next();
                crate::syntax::Name {
                    at: super::at(&token),
                    text: token.word().cloned().unwrap_or_else(|| "_".into()),
                }
            } else {
                self.name("the name of a variable")?
            };
            let mut index = None;
            if self.is("[") && !self.is_at(1, "]") {
                let open = self.here();
                self.next();
                let in_copy = std::mem::take(&mut self.in_copy);
                let inside = self.bracketed(|parser| parser.nested(Self::expression))?;
                self.in_copy = in_copy;
                self.close("]", open, "[")?;
                index = Some(Box::new(inside));
            }
            parts.push(Part { name, index });
            if parts.len() > super::DEPTH {
                return Err(self.error("promela::too-deep", begin, "this is nested too deeply"));
            }
            if !self.eat(".") {
                break;
            }
        }
        Ok(Reference {
            parts,
            at: self.since(begin),
        })
    }
}
