//! From text to trees, by way of the parser of the `cel` crate.
//!
//! The parser is asked to expand no macros, so `x.exists(v, e)` arrives as the
//! call that was written. It tells for each expression where one token of it
//! stands (the operator, the dot, the opening bracket); an expression's piece of
//! text is that token and the pieces of its parts, grown until brackets match.
//!
//! Errors of syntax end the matter. Other errors that need no trace to be seen
//! (unknown functions, wrong numbers of arguments) are handed over with the tree,
//! in order to be reported together with those that do need one.

use super::brackets::Brackets;
use super::error::{PredicateError, PredicateErrors};
use super::syntax::{Comparison, Expression, Kind, Operator};
use super::wording::syntax_errors;
use crate::value::Value;
use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, SourceInfo, operators};
use std::ops::Range;

/// How deep a tree may be. Everything after parsing recurses once per level.
const MAX_DEPTH: usize = 400;
/// Stack for the parser, which recurses some ten calls per bracket or operator.
const STACK: usize = 64 << 20;

/// The tree of a text, and what is wrong with it apart from syntax.
pub(super) fn parse(text: &str) -> Result<(Expression, Vec<PredicateError>), PredicateErrors> {
    let brackets = Brackets::scan(text)?;
    // On a thread of its own, for its stack; should the parser panic, that is an
    // error of the text and not the end of the program.
    let parsed = std::thread::scope(|scope| {
        let work = || {
            let parser = cel::Env::default().parser().enable_ident_escape_syntax(true);
            let (expression, source) = parser
                .parse_with_source_info(text)
                .map_err(|e| syntax_errors(text, e))?;
            let mut reader = Reader {
                text,
                brackets: &brackets,
                source: &source,
                errors: Vec::new(),
            };
            let tree = reader.read(&expression, 0)?;
            Ok((tree, reader.errors))
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.map(|thread| thread.join())
    });
    match parsed {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(PredicateError::new(0..text.len(), "the parser cannot read this predicate").into()),
        Err(error) => Err(PredicateError::new(0..0, format!("no memory to read the predicate: {error}")).into()),
    }
}

/// Turns the parser's tree into ours.
pub(super) struct Reader<'a> {
    text: &'a str,
    brackets: &'a Brackets,
    source: &'a SourceInfo,
    errors: Vec<PredicateError>,
}

impl Reader<'_> {
    /// The place of the token that the parser remembers for an expression.
    fn token(&self, id: u64) -> Range<usize> {
        match self.source.offset_for(id) {
            Some((start, last)) if (start as usize) < self.text.len() => {
                // The last character of the token may take several bytes.
                let last = last as usize;
                let length = self.text.get(last..).and_then(|rest| rest.chars().next());
                start as usize..(last + length.map_or(1, char::len_utf8)).min(self.text.len())
            }
            _ => 0..0,
        }
    }

    /// The place of the name before the opening bracket of a call.
    fn name_before(&self, bracket: usize, name: &str) -> Range<usize> {
        let before = self.text[..bracket].trim_end();
        match before.strip_suffix(name) {
            Some(rest) => rest.len()..before.len(),
            None => bracket..bracket,
        }
    }

    /// Takes down an error that is no error of syntax.
    pub(super) fn error(&mut self, error: PredicateError) -> Kind {
        self.errors.push(error);
        Kind::Invalid
    }

    /// Reads an expression; its span excludes brackets around it.
    fn read(&mut self, expression: &IdedExpr, depth: usize) -> Result<Expression, PredicateErrors> {
        let token = self.token(expression.id);
        if depth > MAX_DEPTH {
            let message = format!("the predicate is nested more than {MAX_DEPTH} deep");
            return Err(PredicateError::new(token, message).into());
        }
        let mut span = token.clone();
        let kind = match &expression.expr {
            Expr::Literal(literal) => {
                let kind = self.literal(literal, &token);
                let negative = matches!(&kind, Kind::Constant(Value::Int(n)) if *n < 0)
                    || matches!(&kind, Kind::Constant(Value::Double(x)) if x.is_sign_negative());
                let before = self.text[..span.start].trim_end();
                if negative && before.ends_with('-') {
                    span.start = before.len() - 1;
                }
                kind
            }
            Expr::Ident(name) => Kind::Name(name.trim_start_matches('.').to_owned()),
            Expr::Select(select) => {
                let operand = self.part(&select.operand, depth, &mut span)?;
                let after = &self.text[span.end..];
                let blank = after.len() - after.trim_start().len();
                let escaped = after.trim_start().starts_with('`');
                let length = select.field.len() + if escaped { 2 } else { 0 };
                if after[blank..].trim_start_matches('`').starts_with(&select.field) {
                    span.end = (span.end + blank + length).min(self.text.len());
                }
                Kind::Field(Box::new(operand), select.field.as_str().into())
            }
            Expr::List(list) => {
                let elements = list.elements.iter().map(|e| self.part(e, depth, &mut span));
                Kind::List(elements.collect::<Result<_, _>>()?)
            }
            Expr::Map(map) => {
                let mut entries = Vec::new();
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        let key = self.part(&entry.key, depth, &mut span)?;
                        entries.push([key, self.part(&entry.value, depth, &mut span)?]);
                    }
                }
                Kind::Map(entries)
            }
            Expr::Call(call) => self.call(call, depth, &mut span)?,
            Expr::Struct(_) => self.error(PredicateError::new(token, "messages are not supported")),
            Expr::Comprehension(_) | Expr::Unspecified => {
                self.error(PredicateError::new(token, "this expression is not supported"))
            }
        };
        let span = self.brackets.balance(span).into();
        Ok(Expression { kind, span })
    }

    /// Reads a part of an expression and makes the whole's span contain it.
    fn part(
        &mut self,
        expression: &IdedExpr,
        depth: usize,
        span: &mut Range<usize>,
    ) -> Result<Expression, PredicateErrors> {
        let part = self.read(expression, depth + 1)?;
        let place: Range<usize> = part.span.into();
        *span = span.start.min(place.start)..span.end.max(place.end);
        *span = self.brackets.balance(span.clone());
        Ok(part)
    }

    fn literal(&mut self, literal: &LiteralValue, token: &Range<usize>) -> Kind {
        Kind::Constant(match literal {
            LiteralValue::Boolean(b) => Value::Bool(*b.inner()),
            LiteralValue::Int(n) => Value::Int(*n.inner()),
            LiteralValue::Double(x) => Value::Double(*x.inner()),
            LiteralValue::String(text) => Value::string(text.inner()),
            LiteralValue::Null => Value::Null,
            LiteralValue::UInt(n) => match i64::try_from(*n.inner()) {
                Ok(n) => Value::Int(n),
                Err(_) => return self.error(PredicateError::new(token.clone(), "this number is too large")),
            },
            LiteralValue::Bytes(_) => {
                return self.error(PredicateError::new(
                    token.clone(),
                    "values of variables are never bytes",
                ));
            }
        })
    }

    fn call(&mut self, call: &CallExpr, depth: usize, span: &mut Range<usize>) -> Result<Kind, PredicateErrors> {
        let bracket = span.start;
        let written = call.func_name.trim_start_matches('.');
        // The token of an operator is never a round bracket.
        if !self.text[bracket..].starts_with('(') {
            let mut operands = Vec::new();
            for operand in &call.args {
                operands.push(self.part(operand, depth, span)?);
            }
            return Ok(operator(&call.func_name, operands));
        }
        let name = self.name_before(bracket, written);
        span.start = span.start.min(name.start);
        let target = match &call.target {
            Some(target) => Some(self.part(target, depth, span)?),
            None => None,
        };
        let mut arguments = Vec::new();
        for argument in &call.args {
            arguments.push(self.part(argument, depth, span)?);
        }
        *span = self.brackets.balance(span.clone());
        Ok(self.function(written, name, target, arguments, span.clone()))
    }
}

/// The expression of an operator; conjunctions and disjunctions are flattened.
fn operator(name: &str, operands: Vec<Expression>) -> Kind {
    let flatten = |and: bool, operands: Vec<Expression>| {
        let mut members = Vec::new();
        for operand in operands {
            match operand.kind {
                Kind::And(inner) if and => members.extend(inner),
                Kind::Or(inner) if !and => members.extend(inner),
                kind => members.push(Expression { kind, ..operand }),
            }
        }
        members
    };
    match name {
        operators::LOGICAL_AND => return Kind::And(flatten(true, operands)),
        operators::LOGICAL_OR => return Kind::Or(flatten(false, operands)),
        _ => {}
    }
    let operands = match <[Expression; 1]>::try_from(operands) {
        Ok([operand]) => {
            return match name {
                operators::LOGICAL_NOT => Kind::Not(Box::new(operand)),
                operators::NEGATE => Kind::Negate(Box::new(operand)),
                _ => Kind::Invalid,
            };
        }
        Err(operands) => operands,
    };
    let operands = match <[Expression; 3]>::try_from(operands) {
        Ok(three) => return Kind::Conditional(Box::new(three)),
        Err(operands) => operands,
    };
    let Ok(pair) = <[Expression; 2]>::try_from(operands) else {
        return Kind::Invalid;
    };
    let pair = Box::new(pair);
    match name {
        operators::EQUALS => Kind::Compare(Comparison::Equal, pair),
        operators::NOT_EQUALS => Kind::Compare(Comparison::Unequal, pair),
        operators::LESS => Kind::Compare(Comparison::Less, pair),
        operators::LESS_EQUALS => Kind::Compare(Comparison::LessOrEqual, pair),
        operators::GREATER => Kind::Compare(Comparison::Greater, pair),
        operators::GREATER_EQUALS => Kind::Compare(Comparison::GreaterOrEqual, pair),
        operators::ADD => Kind::Arithmetic(Operator::Add, pair),
        operators::SUBSTRACT => Kind::Arithmetic(Operator::Subtract, pair),
        operators::MULTIPLY => Kind::Arithmetic(Operator::Multiply, pair),
        operators::DIVIDE => Kind::Arithmetic(Operator::Divide, pair),
        operators::MODULO => Kind::Arithmetic(Operator::Remainder, pair),
        operators::IN => Kind::In(pair),
        operators::INDEX => Kind::Index(pair),
        _ => Kind::Invalid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of text of all expressions, outermost first.
    fn pieces(text: &str) -> Vec<&str> {
        let (tree, errors) = parse(text).unwrap();
        assert_eq!(errors, vec![]);
        let mut pieces = Vec::new();
        tree.visit(&mut Vec::new(), &mut |e, _| pieces.push(&text[Range::from(e.span)]));
        pieces
    }

    /// The first error: its piece of text, message and hint.
    fn first_error(text: &str) -> (String, String, String) {
        let error = match parse(text) {
            Err(errors) => errors.errors[0].clone(),
            Ok((_, errors)) => errors[0].clone(),
        };
        (
            text[error.span].to_owned(),
            error.message,
            error.hint.unwrap_or_default(),
        )
    }

    #[test]
    fn every_expression_knows_its_text() {
        assert_eq!(
            pieces("(p1.x + -1) * 2 == size(\"é\")"),
            [
                "(p1.x + -1) * 2 == size(\"é\")",
                "(p1.x + -1) * 2",
                "p1.x + -1",
                "p1.x",
                "p1",
                "-1",
                "2",
                "size(\"é\")",
                "\"é\""
            ]
        );
        assert_eq!(
            pieces("processes . exists(p, p.`a b` [0])"),
            [
                "processes . exists(p, p.`a b` [0])",
                "processes",
                "p.`a b` [0]",
                "p.`a b`",
                "p",
                "0"
            ]
        );
        assert_eq!(pieces("!(a.b)"), ["!(a.b)", "a.b", "a"]);
        assert_eq!(pieces("has(p.x) ? process('q').y : {'k': [1]}.k == 1").len(), 13);
    }

    #[test]
    fn errors_of_syntax_have_a_place_and_a_hint() {
        let error = |text| {
            let (piece, message, hint) = first_error(text);
            format!("{piece}|{message}|{hint}")
        };
        assert_eq!(error("p1.x = 1"), "=|unexpected `=`|equality is written `==`");
        assert_eq!(
            error("p1.x and p2.y"),
            "and|unexpected `and`|conjunction is written `&&`"
        );
        assert_eq!(error("p1.x == "), "|the predicate ends too early|a value is missing");
        assert_eq!(error("(p1.x"), "|`)` is missing here|");
        assert_eq!(
            error("p1.x\n == 'é' & 1"),
            "&|unexpected `&`|conjunction is written `&&`"
        );
        assert_eq!(error("for.x == 1"), "for|reserved identifier: for|");
        assert_eq!(
            error("'abc"),
            "'abc|unexpected `'abc`|the string has no end, or an unknown escape"
        );
        assert_eq!(error(""), "|the predicate ends too early|a value is missing");
    }

    #[test]
    fn errors_of_calls_have_a_place_and_a_hint() {
        let error = |text| {
            let (piece, message, hint) = first_error(text);
            format!("{piece}|{message}|{hint}")
        };
        assert_eq!(
            error("p1.x.startWith('a')"),
            "startWith|there is no function `startWith`|did you mean `startsWith`?"
        );
        assert_eq!(
            error("p1.x.size(1) > 1"),
            "p1.x.size(1)|`size` takes no argument, not 1|"
        );
        assert_eq!(error("sum(p1.x) > 1"), "sum|`sum` is a method|write `x.sum(…)`");
        assert_eq!(error("p1.x.int() > 1"), "int|`int` is no method|write `int(x)`");
        assert_eq!(
            error("exists(p, p.x)"),
            "exists|`exists` is called on a list|write `processes.exists(p, …)`"
        );
        assert_eq!(error("processes.all(p.x)").split('|').next(), Some("all"));
        assert_eq!(error("processes.all(p.x, true)").split('|').next(), Some("p.x"));
        assert_eq!(error("p1.x.matches('(')").split('|').next(), Some("'('"));
        assert_eq!(error("has(p1)"), "has(p1)|`has` needs one field, as in `has(p.x)`|");
    }

    #[test]
    fn deep_text_is_an_error() {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("{1:", "}"),
            ("!(", ")"),
            ("f(", ")"),
            ("-(", ")"),
            ("", "?1:1"),
        ] {
            let text = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
            assert!(parse(&text).is_err(), "{open}");
        }
        // Right at the limits.
        for text in [
            format!("1{}", "+1".repeat(999)),
            format!("1{}", ".a".repeat(999)),
            format!("1{}", "<1".repeat(999)),
            format!("1{}", "[0]".repeat(999)),
            format!("{}1{}", "(1+".repeat(64), ")".repeat(64)),
            format!("{}1{}", "[".repeat(64), "]".repeat(64)),
            format!("true{}", "?1:1".repeat(2000)),
        ] {
            let _ = parse(&text);
        }
    }
}
