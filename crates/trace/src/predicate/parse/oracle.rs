//! The same trees from the `cel` crate, which says what a text means.
//!
//! ANTLR made its parser from the grammar of cel-go, so it has nothing in common with ours but the language. It does
//! not expand macros here, so `x.exists(v, e)` arrives as the call that was written. Both parsers leave the meaning of
//! calls to [`Calls`].

use crate::predicate::calls::Calls;
use crate::predicate::error::PredicateError;
use crate::predicate::syntax::{Comparison, Expression, Kind, Operator};
use crate::value::Value;
use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

/// The stack for the parser of the crate, which makes some ten nested calls per bracket or operator.
const STACK: usize = 64 << 20;

/// The error for a message, which our parser refuses at once.
pub(super) const MESSAGE: &str = "messages are not supported";

/// The tree of a text without spans, and the errors other than syntax errors; or the first syntax error.
///
/// # Panics
/// If the crate does.
pub(super) fn parse(text: &str) -> Result<(Expression, Vec<PredicateError>), String> {
    let work = || {
        let parser = cel::Env::default().parser().enable_ident_escape_syntax(true);
        let parser = parser.enable_optional_syntax(false).max_recursion_depth(1000);
        parser.parse(text).map_err(|errors| errors.errors[0].msg.clone())
    };
    let parsed = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.expect("there is memory for a thread").join()
    });
    let expression = parsed.unwrap_or_else(|_| panic!("the crate `cel` panics: {text:?}"))?;
    let mut calls = Calls::default();
    let tree = read(&expression, &mut calls);
    Ok((tree, calls.errors))
}

/// The tree of the crate as ours.
fn read(expression: &IdedExpr, calls: &mut Calls) -> Expression {
    let kind = match &expression.expr {
        Expr::Literal(literal) => constant(literal, calls),
        Expr::Ident(name) => Kind::Name(name.trim_start_matches('.').to_owned()),
        Expr::Select(select) => {
            let operand = read(&select.operand, calls);
            Kind::Field(Box::new(operand), select.field.as_str().into())
        }
        Expr::List(list) => Kind::List(list.elements.iter().map(|e| read(e, calls)).collect()),
        Expr::Map(map) => {
            let entries = map.entries.iter().map(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => [read(&entry.key, calls), read(&entry.value, calls)],
                EntryExpr::StructField(field) => panic!("a field in an object: {field:?}"),
            });
            Kind::Map(entries.collect())
        }
        Expr::Call(call) => called(call, calls),
        Expr::Struct(_) => calls.error(PredicateError::new(0..0, MESSAGE)),
        other @ (Expr::Comprehension(_) | Expr::Unspecified) => panic!("not without macros: {other:?}"),
    };
    Expression {
        kind,
        span: (0..0).into(),
    }
}

fn constant(literal: &LiteralValue, calls: &mut Calls) -> Kind {
    Kind::Constant(match literal {
        LiteralValue::Boolean(b) => Value::Bool(*b.inner()),
        LiteralValue::Int(n) => Value::Int(*n.inner()),
        LiteralValue::Double(x) => Value::Double(*x.inner()),
        LiteralValue::String(text) => Value::string(text.inner()),
        LiteralValue::Null => Value::Null,
        LiteralValue::UInt(n) => match i64::try_from(*n.inner()) {
            Ok(n) => Value::Int(n),
            Err(_) => return calls.error(PredicateError::new(0..0, "this number is too large")),
        },
        LiteralValue::Bytes(_) => {
            return calls.error(PredicateError::new(0..0, "values of variables are never bytes"));
        }
    })
}

/// A call. Operators are calls too, with names that cannot be written in a text.
fn called(call: &CallExpr, calls: &mut Calls) -> Kind {
    let target = call.target.as_ref().map(|target| read(target, calls));
    let arguments: Vec<_> = call.args.iter().map(|argument| read(argument, calls)).collect();
    let written = call.func_name.trim_start_matches('.');
    let is_written = written.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    // The operator `in` is called `@in`, others `_+_` and the like. A call `_()` was written in the text.
    match is_written {
        true => calls.function(written, 0..0, target, arguments, 0..0),
        false => operation(&call.func_name, arguments),
    }
}

/// The expression of an operator; conjunctions and disjunctions are flattened.
fn operation(name: &str, operands: Vec<Expression>) -> Kind {
    let flat = |and: bool, operands: Vec<Expression>| -> Vec<Expression> {
        let members = operands.into_iter().map(|operand| match operand.kind {
            Kind::And(members) if and => members,
            Kind::Or(members) if !and => members,
            _ => vec![operand],
        });
        members.flatten().collect()
    };
    let mut operands = operands;
    match (name, operands.len()) {
        (operators::LOGICAL_AND, _) => return Kind::And(flat(true, operands)),
        (operators::LOGICAL_OR, _) => return Kind::Or(flat(false, operands)),
        (operators::LOGICAL_NOT, 1) => return Kind::Not(Box::new(operands.remove(0))),
        (operators::NEGATE, 1) => return Kind::Negate(Box::new(operands.remove(0))),
        (operators::CONDITIONAL, 3) => {
            let three = <[Expression; 3]>::try_from(operands).expect("three");
            return Kind::Conditional(Box::new(three));
        }
        _ => {}
    }
    let pair = Box::new(<[Expression; 2]>::try_from(operands).expect("two operands"));
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
        other => panic!("an operator that there is none of: {other}"),
    }
}
