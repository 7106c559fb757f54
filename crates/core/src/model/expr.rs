//! Expressions over what transitions read, and properties over control points.

use crate::ids::{LocalId, ObjectId};
use std::ops;

/// An integer expression; 0 is false, anything else true.
///
/// Its leaves are constants and outputs of operations that do not modify, so an
/// expression tells which operations a transition uses. Arithmetic is that of
/// `i64`; an overflow or a division by zero has no value. A guard without a
/// value is false, a command without one is a fault of the model.
///
/// ```
/// # use mazurka_core::{Builder, Search, VariableType};
/// let mut m = Builder::new("counter");
/// let [a] = m.process("A", ["a"]);
/// let n = m.variable("n", VariableType::range(0..=9));
/// m.transition("step", a, a).when(n.read().lt(7)).then(n.write((n.read() + 2) % 10));
/// let outcome = Search::full(&m.build()?).run()?;
/// assert_eq!(outcome.deadlocks[0].state.values, [[8]]); // 0, 2, 4, 6, 8
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Expr(pub(crate) Node);

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Const(i64),
    Query(Query),
    /// The output of the operation just before, within one command.
    Output,
    Not(Box<Node>),
    Neg(Box<Node>),
    /// Whether the expression has a value.
    HasValue(Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
}

/// An operation that does not modify, as a leaf of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    pub object: ObjectId,
    pub kind: u8,
    /// Which model the handle came from.
    pub model: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    And,
    Or,
}

impl Binary {
    /// `None` where the operation has no value.
    #[inline]
    pub(crate) fn apply(self, a: i64, b: i64) -> Option<i64> {
        Some(match self {
            Self::Add => a.checked_add(b)?,
            Self::Sub => a.checked_sub(b)?,
            Self::Mul => a.checked_mul(b)?,
            Self::Div => a.checked_div(b)?,
            Self::Rem => a.checked_rem(b)?,
            Self::Eq => (a == b).into(),
            Self::Ne => (a != b).into(),
            Self::Lt => (a < b).into(),
            Self::Le => (a <= b).into(),
            Self::And => (a != 0 && b != 0).into(),
            Self::Or => (a != 0 || b != 0).into(),
        })
    }
}

impl Node {
    /// Evaluates, asking `query` for outputs; `None` if there is no value.
    #[inline]
    pub(crate) fn eval(&self, output: i64, query: &mut impl FnMut(&Query) -> i64) -> Option<i64> {
        Some(match self {
            Self::Const(c) => *c,
            Self::Query(q) => query(q),
            Self::Output => output,
            Self::Not(e) => (e.eval(output, query)? == 0).into(),
            Self::Neg(e) => e.eval(output, query)?.checked_neg()?,
            Self::HasValue(e) => e.eval(output, query).is_some().into(),
            Self::Binary(op, a, b) => {
                let a = a.eval(output, query)?;
                match op {
                    Binary::And if a == 0 => 0,
                    Binary::Or if a != 0 => 1,
                    _ => op.apply(a, b.eval(output, query)?)?,
                }
            }
        })
    }

    /// Calls `f` with each query.
    pub(crate) fn queries(&self, f: &mut impl FnMut(&Query)) {
        match self {
            Self::Const(_) | Self::Output => {}
            Self::Query(q) => f(q),
            Self::Not(e) | Self::Neg(e) | Self::HasValue(e) => e.queries(f),
            Self::Binary(_, a, b) => {
                a.queries(f);
                b.queries(f);
            }
        }
    }

    /// The query and the answer that make the expression true, if it is that simple.
    pub(crate) fn asks(&self) -> Option<(Query, bool)> {
        match self {
            Self::Query(q) => Some((*q, true)),
            Self::Not(e) => e.asks().map(|(q, answer)| (q, !answer)),
            Self::Binary(Binary::Eq, a, b) => match (&**a, &**b) {
                (Self::Query(q), Self::Const(0)) | (Self::Const(0), Self::Query(q)) => Some((*q, false)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Splits a conjunction into its conjuncts: a guard's conditions `c_j`.
    pub(crate) fn conjuncts(self, out: &mut Vec<Node>) {
        match self {
            Self::Binary(Binary::And, a, b) => {
                a.conjuncts(out);
                b.conjuncts(out);
            }
            Self::Const(c) if c != 0 => {}
            other => out.push(other),
        }
    }
}

impl Expr {
    fn binary(self, op: Binary, other: impl Into<Expr>) -> Expr {
        Expr(Node::Binary(op, Box::new(self.0), Box::new(other.into().0)))
    }

    /// `self = other`
    pub fn is(self, other: impl Into<Expr>) -> Expr {
        self.binary(Binary::Eq, other)
    }

    /// `self ≠ other`
    pub fn is_not(self, other: impl Into<Expr>) -> Expr {
        self.binary(Binary::Ne, other)
    }

    /// `self < other`
    pub fn lt(self, other: impl Into<Expr>) -> Expr {
        self.binary(Binary::Lt, other)
    }

    /// `self ≤ other`
    pub fn le(self, other: impl Into<Expr>) -> Expr {
        self.binary(Binary::Le, other)
    }

    /// `self > other`
    pub fn gt(self, other: impl Into<Expr>) -> Expr {
        other.into().binary(Binary::Lt, self)
    }

    /// `self ≥ other`
    pub fn ge(self, other: impl Into<Expr>) -> Expr {
        other.into().binary(Binary::Le, self)
    }

    /// Both are true. A guard made with `and` has two conditions.
    pub fn and(self, other: impl Into<Expr>) -> Expr {
        self.binary(Binary::And, other)
    }

    /// One of them is true.
    pub fn or(self, other: impl Into<Expr>) -> Expr {
        self.binary(Binary::Or, other)
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        Self(Node::Const(value))
    }
}

macro_rules! small_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Expr {
            fn from(value: $integer) -> Self {
                Self(Node::Const(value.into()))
            }
        }
    )*};
}
small_integers! { i8 i16 i32 u8 u16 u32 }

impl From<bool> for Expr {
    fn from(value: bool) -> Self {
        Self(Node::Const(value.into()))
    }
}

impl ops::Not for Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        Expr(Node::Not(Box::new(self.0)))
    }
}

impl ops::Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        Expr(Node::Neg(Box::new(self.0)))
    }
}

macro_rules! arithmetic {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        impl<E: Into<Expr>> ops::$trait<E> for Expr {
            type Output = Expr;
            fn $method(self, other: E) -> Expr {
                self.binary(Binary::$op, other)
            }
        }
    )*};
}
arithmetic! { Add add Add; Sub sub Sub; Mul mul Mul; Div div Div; Rem rem Rem; }

/// A control point of a process, as [`Builder::process`](crate::Builder::process) returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    pub(crate) id: LocalId,
    pub(crate) model: u32,
}

/// A property of a global state: control points and data.
///
/// ```
/// # use mazurka_core::{Builder, Prop, Search};
/// # let mut m = Builder::new("m");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// let x = m.boolean("x");
/// m.transition("t", a0, a1);
/// let set_at_end: Prop = !a1.reached() | x.is(1);
/// m.invariant("x is set at the end", set_at_end);
/// assert_eq!(Search::new(&m.build()?).run()?.violations.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum Prop {
    /// The process of this control point is there.
    At(Local),
    /// This expression over objects is true.
    Data(Expr),
    /// The property does not hold.
    Not(Box<Prop>),
    /// Both properties hold.
    And(Box<Prop>, Box<Prop>),
    /// At least one of them holds.
    Or(Box<Prop>, Box<Prop>),
}

impl Local {
    /// The property that the process is at this control point.
    pub fn reached(self) -> Prop {
        Prop::At(self)
    }
}

impl From<Local> for Prop {
    fn from(local: Local) -> Self {
        Self::At(local)
    }
}

impl From<Expr> for Prop {
    fn from(expr: Expr) -> Self {
        Self::Data(expr)
    }
}

impl ops::Not for Prop {
    type Output = Prop;
    fn not(self) -> Prop {
        Prop::Not(Box::new(self))
    }
}

impl ops::Not for Local {
    type Output = Prop;
    fn not(self) -> Prop {
        !Prop::At(self)
    }
}

macro_rules! connectives {
    ($($left:ty)*) => {$(
        impl<P: Into<Prop>> ops::BitAnd<P> for $left {
            type Output = Prop;
            fn bitand(self, other: P) -> Prop {
                Prop::And(Box::new(self.into()), Box::new(other.into()))
            }
        }

        impl<P: Into<Prop>> ops::BitOr<P> for $left {
            type Output = Prop;
            fn bitor(self, other: P) -> Prop {
                Prop::Or(Box::new(self.into()), Box::new(other.into()))
            }
        }
    )*};
}
connectives! { Prop Local Expr }
