//! The syntax tree. Macros and inlines are expanded, names are not resolved.
//!
//! Operators are those of the [`model`](crate::model), since the checker keeps them.

use crate::lexer::Token;
use crate::model::{Binary, ChannelTest, Unary};
use crate::preprocess::expansion::At;
use mazurka_logic::Formula;
use std::rc::Rc;

/// A name and its place.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: Rc<str>,
    pub(crate) at: At,
}

/// A declaration at the top level.
#[derive(Debug)]
pub(crate) enum Unit {
    Variables(Declaration),
    Mtype { set: Option<Name>, names: Vec<Name> },
    Typedef { name: Name, fields: Vec<Declaration> },
    Process(Process),
    Never(Process),
    Trace { must_match: bool, body: Process },
    Ltl(Ltl),
}

/// A formula.
#[derive(Debug)]
pub(crate) struct Ltl {
    pub(crate) name: Option<Name>,
    pub(crate) at: At,
    /// The tokens of the formula, which are parsed when all proctypes are known.
    pub(crate) tokens: Vec<Token>,
    pub(crate) formula: Option<Formula<Atom>>,
}

/// An atom of a formula.
#[derive(Debug)]
pub(crate) struct Atom {
    /// The text. Atoms with the same text are the same atom.
    pub(crate) text: String,
    pub(crate) kind: AtomKind,
}

impl std::fmt::Display for Atom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// The kind of an atom.
#[derive(Debug)]
pub(crate) enum AtomKind {
    /// An expression, which holds if it is not 0.
    Value(Expr),
    /// `snapshot(q)`.
    Snapshot(Box<Formula<Atom>>),
}

/// A proctype, `init`, or a claim.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) name: Name,
    pub(crate) active: Option<Active>,
    pub(crate) is_init: bool,
    pub(crate) deterministic: bool,
    pub(crate) parameters: Vec<Declaration>,
    pub(crate) priority: Option<Expr>,
    pub(crate) provided: Option<Expr>,
    pub(crate) body: Sequence,
}

/// `active`, with the number of processes.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) count: Option<Expr>,
}

/// The name of a type.
#[derive(Clone, Debug)]
pub(crate) enum TypeName {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Mtype(Option<Name>),
    Chan,
    User(Name),
}

/// The visibility of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    Plain,
    Hidden,
    Show,
    Local,
}

/// `type a, b[3] = 1, c`.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) visibility: Visibility,
    pub(crate) kind: TypeName,
    pub(crate) variables: Vec<Declared>,
}

/// One of the variables of a declaration.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) name: Name,
    pub(crate) width: Option<Expr>,
    pub(crate) length: Option<Expr>,
    pub(crate) initial: Option<Initial>,
    pub(crate) at: At,
}

/// The initial value in a declaration.
#[derive(Debug)]
pub(crate) enum Initial {
    Value(Expr),
    List(Vec<Expr>, At),
    Channel {
        capacity: Expr,
        fields: Vec<(TypeName, At)>,
        at: At,
    },
}

/// Statements, one after the other.
pub(crate) type Sequence = Vec<Statement>;

/// A statement with its labels.
#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) labels: Vec<Name>,
    pub(crate) kind: StatementKind,
    pub(crate) at: At,
}

#[derive(Debug)]
pub(crate) enum StatementKind {
    Declaration(Declaration),
    Exclusive {
        receive: bool,
        channels: Vec<Reference>,
    },
    Expression(Expr),
    Else,
    Assign {
        place: Reference,
        value: Expr,
    },
    Send {
        channel: Reference,
        message: Vec<Expr>,
        sorted: bool,
    },
    Receive {
        channel: Reference,
        patterns: Vec<Pattern>,
        random: bool,
        copy: bool,
    },
    If(Vec<Sequence>),
    Do(Vec<Sequence>),
    /// `for (index : from .. to) { body }`
    For {
        index: Reference,
        from: Expr,
        to: Expr,
        body: Sequence,
    },
    /// `for (index in collection) { body }`
    ForIn {
        index: Reference,
        collection: Reference,
        body: Sequence,
    },
    /// `select (index : from .. to)`
    Select {
        index: Reference,
        from: Expr,
        to: Expr,
        /// Whether SPIN replaces it in the text before parsing, which gives other statements.
        textual: bool,
    },
    Break,
    Goto(Name),
    Atomic(Sequence),
    DStep(Sequence),
    Block(Sequence),
    Unless {
        main: Box<Statement>,
        escape: Box<Statement>,
    },
    Assert(Expr),
    Print {
        format: Rc<str>,
        at: At,
        arguments: Vec<Expr>,
    },
    /// `printm(name)`
    PrintName(Expr),
    /// A statement that could not be parsed. The error was reported.
    Wrong,
}

/// The pattern for one field of a received message.
#[derive(Debug)]
pub(crate) enum Pattern {
    /// A variable, or a name for a constant.
    Place(Reference),
    /// A constant.
    Constant(Expr),
    /// `eval(e)`.
    Eval(Expr),
}

/// `a`, `a[i].b`.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) parts: Vec<Part>,
    pub(crate) at: At,
}

/// A name with its index.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) name: Name,
    pub(crate) index: Option<Box<Expr>>,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) at: At,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Constant(i32),
    Reference(Reference),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        proctype: Name,
        arguments: Vec<Expr>,
        priority: Option<Box<Expr>>,
    },
    Len(Reference),
    Poll(ChannelTest, Reference),
    CanReceive {
        channel: Reference,
        patterns: Rc<Vec<Pattern>>,
        random: bool,
    },
    Timeout,
    NonProgress,
    Enabled(Box<Expr>),
    ProgramCounter(Box<Expr>),
    GetPriority(Box<Expr>),
    SetPriority(Box<Expr>, Box<Expr>),
    AtLabel {
        proctype: Name,
        process: Option<Box<Expr>>,
        label: Name,
    },
    Remote {
        proctype: Name,
        process: Option<Box<Expr>>,
        place: Reference,
    },
}
