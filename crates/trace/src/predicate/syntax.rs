//! Predicates as trees, before they are bound to a trace.
//!
//! Macros are nodes of their own, functions are resolved, and every node knows the
//! piece of text it comes from. Names are not resolved yet.

use super::error::Span;
use crate::value::Value;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// An expression for which an error was reported.
    Invalid,
    Constant(Value),
    /// A process, the list of them, or a variable of a macro.
    Name(String),
    /// `process(e)`.
    Process(Box<Expression>),
    /// `e.field`.
    Field(Box<Expression>, Arc<str>),
    /// `has(e.field)`.
    Has(Box<Expression>, Arc<str>),
    /// `a[b]`.
    Index(Box<[Expression; 2]>),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    /// `a && b && …`; members are not conjunctions themselves.
    And(Vec<Expression>),
    /// `a || b || …`; members are not disjunctions themselves.
    Or(Vec<Expression>),
    Compare(Comparison, Box<[Expression; 2]>),
    Arithmetic(Operator, Box<[Expression; 2]>),
    In(Box<[Expression; 2]>),
    /// `c ? a : b`.
    Conditional(Box<[Expression; 3]>),
    List(Vec<Expression>),
    Map(Vec<[Expression; 2]>),
    Call(Function, Vec<Expression>),
    /// `e.matches("…")`.
    Matches(Box<Expression>, Pattern),
    Comprehension(Box<Comprehension>),
}

/// `range.exists(variable, body)` and its like.
#[derive(Clone, Debug)]
pub(super) struct Comprehension {
    pub(super) quantifier: Quantifier,
    pub(super) range: Expression,
    pub(super) variable: Arc<str>,
    /// The middle one of the three arguments of `map`, if there are three.
    pub(super) guard: Option<Expression>,
    pub(super) body: Expression,
}

/// The macros over lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Quantifier {
    Exists,
    All,
    ExistsOne,
    Map,
    Filter,
}

impl Quantifier {
    pub(super) const NAMES: [(&'static str, Self); 6] = [
        ("exists", Self::Exists),
        ("all", Self::All),
        ("exists_one", Self::ExistsOne),
        ("existsOne", Self::ExistsOne),
        ("map", Self::Map),
        ("filter", Self::Filter),
    ];

    pub(super) fn name(self) -> &'static str {
        let entry = Self::NAMES.iter().find(|(_, quantifier)| *quantifier == self);
        entry.map_or("", |(name, _)| name)
    }
}

/// Comparisons. `!=` is not the negation of `==`: both are false if a value is null,
/// unless it is compared with the literal `null`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// The comparison that means the same with exchanged operands.
    pub(super) fn exchanged(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::Unequal => Self::Unequal,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }
}

/// Arithmetic with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}

/// Functions of values; the receiver of a method is the first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Function {
    Size,
    Sum,
    Min,
    Max,
    StartsWith,
    EndsWith,
    Contains,
    Int,
    Double,
    String,
}

/// How a function may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `f(x)`.
    Global,
    /// `x.f()`.
    Method,
    /// Either.
    Both,
}

impl Function {
    /// Name, number of arguments with the receiver, and form of each.
    pub(super) const TABLE: [(&'static str, Self, usize, Form); 10] = [
        ("size", Self::Size, 1, Form::Both),
        ("sum", Self::Sum, 1, Form::Method),
        ("min", Self::Min, 1, Form::Method),
        ("max", Self::Max, 1, Form::Method),
        ("startsWith", Self::StartsWith, 2, Form::Method),
        ("endsWith", Self::EndsWith, 2, Form::Method),
        ("contains", Self::Contains, 2, Form::Method),
        ("int", Self::Int, 1, Form::Global),
        ("double", Self::Double, 1, Form::Global),
        ("string", Self::String, 1, Form::Global),
    ];

    fn entry(self) -> (&'static str, Form) {
        let entry = Self::TABLE.iter().find(|(_, function, ..)| *function == self);
        entry.map_or(("", Form::Both), |(name, _, _, form)| (name, *form))
    }

    pub(super) fn name(self) -> &'static str {
        self.entry().0
    }

    /// Whether it is printed as `x.f(…)`.
    pub(super) fn is_method(self) -> bool {
        self.entry().1 != Form::Global
    }
}

/// A regular expression. Two are equal if their texts are.
#[derive(Clone, Debug)]
pub(super) struct Pattern(pub(super) regex::Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

impl Expression {
    /// The expressions it is made of.
    pub(super) fn children(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Invalid | Kind::Constant(_) | Kind::Name(_) => vec![],
            Kind::Process(e)
            | Kind::Field(e, _)
            | Kind::Has(e, _)
            | Kind::Not(e)
            | Kind::Negate(e)
            | Kind::Matches(e, _) => vec![e],
            Kind::Index(pair) | Kind::Compare(_, pair) | Kind::Arithmetic(_, pair) | Kind::In(pair) => {
                pair.iter().collect()
            }
            Kind::Conditional(three) => three.iter().collect(),
            Kind::And(members) | Kind::Or(members) | Kind::List(members) | Kind::Call(_, members) => {
                members.iter().collect()
            }
            Kind::Map(entries) => entries.iter().flatten().collect(),
            Kind::Comprehension(c) => {
                let all = [Some(&c.range), c.guard.as_ref(), Some(&c.body)];
                all.into_iter().flatten().collect()
            }
        }
    }

    /// Calls `visit` for the expression and all within it, outermost first, with
    /// the variables of the macros around each.
    pub(super) fn visit<'a>(&'a self, bound: &mut Vec<&'a str>, visit: &mut dyn FnMut(&'a Self, &[&'a str])) {
        visit(self, bound);
        if let Kind::Comprehension(c) = &self.kind {
            c.range.visit(bound, visit);
            bound.push(&c.variable);
            for part in c.guard.iter().chain([&c.body]) {
                part.visit(bound, visit);
            }
            bound.pop();
        } else {
            for child in self.children() {
                child.visit(bound, visit);
            }
        }
    }
}

/// The name of the list of all processes.
pub(super) const PROCESSES: &str = "processes";
/// The field that is a process's name.
pub(super) const NAME: &str = "name";

/// Whether `name` is an identifier, so that it needs no quotes.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut letters = name.bytes();
    letters.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && letters.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !is_reserved(name)
}

/// Whether a word cannot be a name. `in`, `true`, `false` and `null` cannot be fields either.
pub(super) fn is_reserved(word: &str) -> bool {
    const RESERVED: [&str; 21] = [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "namespace",
        "null",
        "package",
        "return",
        "true",
        "var",
        "void",
        "while",
    ];
    RESERVED.contains(&word)
}
