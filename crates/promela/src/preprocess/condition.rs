//! Evaluates the condition of `#if`: an integer constant expression, as in C.
//!
//! Names that are not macros have the value 0.

use crate::lexer::{Token, TokenKind};

/// Binary operators, by increasing precedence.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// How deep brackets and `? :` may be nested.
const DEPTH: usize = 100;

/// The value of a condition, or an error message.
pub(super) fn value(tokens: &[Token]) -> Result<i64, &'static str> {
    let mut reader = Reader { tokens, depth: 0 };
    let value = reader.conditional()?;
    match reader.tokens {
        [] => Ok(value),
        _ => Err("something follows the condition"),
    }
}

struct Reader<'a> {
    tokens: &'a [Token],
    depth: usize,
}

impl Reader<'_> {
    fn eat(&mut self, sign: &str) -> bool {
        let found = self.tokens.first().is_some_and(|token| token.is(sign));
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    /// Enters one more level of nesting, unless that is too deep.
    fn enter(&mut self) -> Result<(), &'static str> {
        self.depth += 1;
        match self.depth > DEPTH {
            true => Err("the condition is nested too deeply"),
            false => Ok(()),
        }
    }

    fn conditional(&mut self) -> Result<i64, &'static str> {
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        self.enter()?;
        let then = self.conditional()?;
        if !self.eat(":") {
            return Err("expected `:`");
        }
        let otherwise = self.conditional()?;
        self.depth -= 1;
        Ok(if condition != 0 { then } else { otherwise })
    }

    fn binary(&mut self, level: usize) -> Result<i64, &'static str> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.eat(operator)) {
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i64, &'static str> {
        self.enter()?;
        let value = if self.eat("!") {
            i64::from(self.unary()? == 0)
        } else if self.eat("-") {
            self.unary()?.wrapping_neg()
        } else if self.eat("+") {
            self.unary()?
        } else if self.eat("~") {
            !self.unary()?
        } else if self.eat("(") {
            let value = self.conditional()?;
            if !self.eat(")") {
                return Err("expected `)`");
            }
            value
        } else {
            let (first, rest) = self.tokens.split_first().ok_or("expected a value")?;
            self.tokens = rest;
            match &first.kind {
                TokenKind::Number(text) => number(text).ok_or("not a number")?,
                TokenKind::Character(c) => i64::from(u32::from(*c)),
                TokenKind::Word(_) => 0,
                _ => return Err("expected a value"),
            }
        };
        self.depth -= 1;
        Ok(value)
    }
}

fn number(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        i64::from_str_radix(digits, 16).ok()
    } else if text.len() > 1 && text.starts_with('0') {
        i64::from_str_radix(text, 8).ok()
    } else {
        text.parse().ok()
    }
}

fn apply(operator: &str, a: i64, b: i64) -> Result<i64, &'static str> {
    Ok(match operator {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<" => i64::from(a < b),
        "<=" => i64::from(a <= b),
        ">" => i64::from(a > b),
        ">=" => i64::from(a >= b),
        "<<" => shifted_left(a, b),
        ">>" => shifted_right(a, b),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 => return Err("division by zero"),
        "/" => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    })
}

/// Shifts as GCC's preprocessor does: all bits may be shifted out, and a negative count shifts in the other direction.
fn shifted_left(a: i64, by: i64) -> i64 {
    match by {
        ..0 => shifted_right(a, by.saturating_neg()),
        0..64 => a << by,
        64.. => 0,
    }
}

fn shifted_right(a: i64, by: i64) -> i64 {
    match by {
        ..0 => shifted_left(a, by.saturating_neg()),
        0.. => a >> by.min(63),
    }
}

#[cfg(test)]
mod tests {
    use crate::lexer::tokens;
    use crate::source::FileId;

    fn value(text: &str) -> Result<i64, &'static str> {
        let mut all = tokens(text, FileId(0));
        all.pop();
        super::value(&all)
    }

    #[test]
    fn operators_bind_as_in_c() {
        assert_eq!(value("1 + 2 * 3 == 7 && !0"), Ok(1));
        assert_eq!(value("0x10 >> 2 | 1"), Ok(5));
        assert_eq!(value("unknown ? 1 : (2)"), Ok(2));
    }

    #[test]
    fn shifts_by_any_number() {
        for (text, expected) in [
            ("1 << 3", 8),
            ("-8 >> 1", -4),
            ("1 << 64", 0),
            ("1 << 4294967296", 0),
            ("1 >> 64", 0),
            ("-1 >> 4294967297", -1),
            ("16 << -2", 4),
            ("1 >> -2", 4),
            ("1 << -4294967296", 0),
            ("1 << -64", 0),
            ("-1 << -9223372036854775807", -1),
            ("1 >> -64", 0),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(value("1 / 0"), Err("division by zero"));
        assert_eq!(value("(1"), Err("expected `)`"));
        assert_eq!(value(""), Err("expected a value"));
        for deep in ["(", "1 ? ", "1 ? 2 : ", "! "] {
            assert_eq!(
                value(&deep.repeat(200_000)),
                Err("the condition is nested too deeply"),
                "{deep}"
            );
        }
    }
}
