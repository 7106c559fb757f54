//! A checked model: the syntax tree with every name resolved.
//!
//! The front end produces it; the interpreter and the compiler start
//! from it. Every name is resolved: ids are indices into the lists of the model, and
//! message patterns have the arity of their channel where that is known. Syntactic sugar is
//! removed:
//!
//! * inlines and macros are expanded; `for` and `select` become the loops that SPIN
//!   generates; `x++` becomes `x = x + 1`;
//! * as in SPIN, a declaration after the first statement of a body becomes an assignment
//!   (without an initialiser, of 0); declarations
//!   before it are evaluated when the process starts;
//! * variables of inner scopes become locals of their proctype;
//! * records in messages are replaced by their scalar fields, in sends and receives.

use crate::source::{Sources, Span};
use mazurka_logic::Formula;

/// An index into [`Model::proctypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProctypeId(pub u32);

/// An index into [`Model::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalId(pub u32);

/// An index into [`Proctype::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

/// An index into [`Model::records`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub u32);

/// An index into [`Model::mtypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MtypeId(pub u32);

/// An index into [`Proctype::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(pub u32);

/// A checked model.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The files it was read from.
    pub sources: Sources,
    /// The sets of symbolic names. The first is the one without a name.
    pub mtypes: Vec<Mtype>,
    /// The typedefs.
    pub records: Vec<Record>,
    /// Global variables, in the order of their declarations.
    pub globals: Vec<Variable>,
    /// Proctypes and `init`, in the order of their declarations, which is the order
    /// in which active ones are started.
    pub proctypes: Vec<Proctype>,
    /// The `never` claim.
    pub never: Option<Proctype>,
    /// The `trace` or `notrace` assertion.
    pub trace: Option<TraceAssertion>,
    /// Whether a message that is sent to a full channel is lost, as with `spin -m`. Otherwise the sender
    /// waits.
    pub lossy: bool,
    /// The `ltl` blocks.
    pub ltl: Vec<Ltl>,
    /// The macros that are defined at the end of the text, as directives. Formulas that
    /// are given separately may use them.
    pub definitions: String,
}

/// A set of symbolic names.
#[derive(Clone, Debug, Default)]
pub struct Mtype {
    /// Its own name, if it has one.
    pub name: Option<String>,
    /// Names with their values, which are positive.
    pub names: Vec<(String, i32)>,
}

/// A typedef.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<Variable>,
}

/// The type of a variable, or of one element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// 0 or 1.
    Bit,
    /// 0 or 1, printed as a truth value.
    Bool,
    /// 0 to 255.
    Byte,
    /// 0 to 255: the number of a process.
    Pid,
    /// A signed number of 16 bits.
    Short,
    /// A signed number of 32 bits.
    Int,
    /// An unsigned number of this many bits, 1 to 32.
    Unsigned(u8),
    /// A symbolic name (one byte, 0 if none was assigned).
    Mtype(MtypeId),
    /// The number of a channel (one byte, 0 for no channel).
    Chan,
    /// A typedef.
    Record(RecordId),
}

/// A variable, a parameter or a field.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, as it was written.
    pub name: String,
    /// Its type, or that of its elements.
    pub kind: Type,
    /// The number of elements, if it is an array.
    pub length: Option<u32>,
    /// Its initial value.
    pub initial: Initial,
    /// Whether it is declared `hidden` and never read. Then it is not part of the state.
    pub hidden: bool,
    /// The place of its name.
    pub span: Span,
}

/// The initial value of a variable.
#[derive(Clone, Debug)]
pub enum Initial {
    /// Zero.
    Zero,
    /// This value, for each element of an array.
    Value(Expr),
    /// These values, one for each element. The last is repeated for all further elements.
    List(Vec<Expr>),
    /// A new channel, one for each element.
    Channel {
        /// The number of messages it can hold, 0 for rendezvous.
        capacity: u32,
        /// The types of the fields of its messages. Records are replaced by their scalars.
        fields: Vec<Type>,
    },
}

/// A proctype, `init`, or a claim.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Its name. It is `init` or `never` for those.
    pub name: String,
    /// The number of parameters, which come first among the locals.
    pub parameters: u32,
    /// Parameters and variables.
    pub locals: Vec<Variable>,
    /// The number of processes that run from the beginning.
    pub active: u32,
    /// Whether it is `init`.
    pub is_init: bool,
    /// Whether it is a `D_proctype`, which is deterministic by assertion.
    pub deterministic: bool,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// `priority n`.
    pub priority: Option<u8>,
    /// `xr` and `xs` assertions.
    pub exclusive: Vec<Exclusive>,
    /// Its statements.
    pub body: Vec<Statement>,
    /// Its labels.
    pub labels: Vec<Label>,
    /// The place of its name.
    pub span: Span,
}

/// `xr c` or `xs c`: no other process receives from, or sends to, the channel.
#[derive(Clone, Debug)]
pub struct Exclusive {
    /// True for `xr`, false for `xs`.
    pub receive: bool,
    /// The channel.
    pub channel: Expr,
    /// The place of the assertion.
    pub span: Span,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// The place where it is defined.
    pub span: Span,
}

impl Label {
    /// Whether it marks a valid end state.
    pub fn is_end(&self) -> bool {
        self.name.starts_with("end")
    }

    /// Whether it marks acceptance.
    pub fn is_accept(&self) -> bool {
        self.name.starts_with("accept")
    }

    /// Whether it marks progress.
    pub fn is_progress(&self) -> bool {
        self.name.starts_with("progress")
    }
}

/// `trace { … }` or `notrace { … }`.
#[derive(Clone, Debug)]
pub struct TraceAssertion {
    /// True for `trace`, false for `notrace`.
    pub must_match: bool,
    /// An automaton over sends and receives, written as a body. A field of a send that
    /// may have any value reads [`Base::Scratch`].
    pub body: Proctype,
}

/// `ltl name { formula }`.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// Its name, or `ltl_0` and so on if it has none.
    pub name: String,
    /// The text of the formula on one line, with macros expanded.
    pub text: String,
    /// The formula. Its atoms are indices into `atoms`, and indices beyond that into `snapshots`.
    pub formula: Formula,
    /// The atoms: expressions that no process evaluates, so `_pid` has no meaning in them.
    pub atoms: Vec<Expr>,
    /// The texts of the atoms, with macros expanded.
    pub texts: Vec<String>,
    /// The snapshots. Atom number `atoms.len() + k` is snapshot number `k`.
    pub snapshots: Vec<Snapshot>,
    /// The place of the formula.
    pub span: Span,
}

/// `snapshot(q)`: whether the execution has passed through a state in which `q` holds, perhaps
/// in another order of independent steps.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The text `snapshot(q)`, on one line.
    pub text: String,
    /// `q`: a formula over `atoms` without temporal operators.
    pub q: Formula,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The labels in front of it.
    pub labels: Vec<LabelId>,
    /// What it is.
    pub kind: StatementKind,
    /// Where it is.
    pub span: Span,
}

/// Statements that are executed one after the other.
pub type Sequence = Vec<Statement>;

/// The kind of a statement.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// An expression, executable when it is not 0. `skip` is the expression `1`, and
    /// `run P()` as a statement is an expression too.
    Expression(Expr),
    /// `else`, the first statement of an option.
    Else,
    /// `place = value`.
    Assign {
        /// What is assigned.
        place: Place,
        /// The value, which is truncated to the type of the place.
        value: Expr,
    },
    /// `c!…` or `c!!…`.
    Send {
        /// The channel.
        channel: Expr,
        /// One for each field.
        message: Vec<Expr>,
        /// `!!`: the message is inserted in numerical order.
        sorted: bool,
    },
    /// `c?…`, `c??…`, `c?<…>`, `c??<…>`.
    Receive {
        /// The channel.
        channel: Expr,
        /// One for each field.
        patterns: Vec<Pattern>,
        /// `??`: the first message that matches, wherever it is.
        random: bool,
        /// `<…>`: the message stays in the channel.
        copy: bool,
    },
    /// `if … fi`.
    If(Vec<Sequence>),
    /// `do … od`.
    Do(Vec<Sequence>),
    /// Leaves the innermost loop.
    Break,
    /// Goes to a label of the proctype.
    Goto(LabelId),
    /// `atomic { … }`.
    Atomic(Sequence),
    /// `d_step { … }`.
    DStep(Sequence),
    /// `{ … }`.
    Block(Sequence),
    /// `{ main } unless { escape }`.
    Unless {
        /// The main sequence.
        main: Sequence,
        /// The escape: it is taken as soon as it is executable.
        escape: Sequence,
    },
    /// `assert(e)`.
    Assert(Expr),
    /// `printf`, always executable.
    Print {
        /// The format, with escapes resolved.
        format: String,
        /// The values that it prints.
        arguments: Vec<Expr>,
    },
}

/// What a receive does with a field of the message.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Stores it in a variable.
    Store(Place),
    /// Requires that it equals a constant or `eval(e)`.
    Match(Expr),
    /// `_`: accepts any value.
    Any(Span),
}

/// A place that holds a scalar value.
#[derive(Clone, Debug)]
pub struct Place {
    /// The variable.
    pub base: Base,
    /// The elements and fields that lead from the variable to the scalar. An array without an
    /// index stands for its first element, and has the index 0 here.
    pub path: Vec<Access>,
    /// The type of the scalar.
    pub kind: Type,
    /// Where it is.
    pub span: Span,
}

/// The variable that a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A global variable.
    Global(GlobalId),
    /// A local variable of the process that executes.
    Local(VariableId),
    /// `_`, which discards what it is assigned.
    Scratch,
}

/// A step from a variable to a part of it.
#[derive(Clone, Debug)]
pub enum Access {
    /// An element of an array.
    Index(Expr),
    /// A field of a record, by position.
    Field(u32),
}

/// An expression. All values are 32-bit integers.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is.
    pub span: Span,
}

/// The kind of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, a truth value, a symbolic name (see [`Expr::span`] for its text).
    Constant(i32),
    /// The value of a place.
    Read(Place),
    /// An operator on one value.
    Unary(Unary, Box<Expr>),
    /// An operator on two values. `&&` and `||` do not evaluate the second if the
    /// first decides.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `(condition -> then : otherwise)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(…)`: starts a process. Its value is the number of the process, or 0 if there are too many.
    Run {
        /// The proctype of the process.
        proctype: ProctypeId,
        /// The arguments, one for each parameter. A parameter that is a record has one
        /// for each of its scalars.
        arguments: Vec<Expr>,
        /// `priority n`.
        priority: Option<u8>,
    },
    /// `len(c)`: the number of messages in a channel.
    Len(Box<Expr>),
    /// `empty(c)`, `full(c)`, `nempty(c)`, `nfull(c)`.
    Poll(ChannelTest, Box<Expr>),
    /// `c?[…]`, `c??[…]`: whether the receive is executable.
    CanReceive {
        /// The channel.
        channel: Box<Expr>,
        /// One for each field.
        patterns: Vec<Pattern>,
        /// `??`.
        random: bool,
    },
    /// `timeout`: whether nothing else is executable in the whole system.
    Timeout,
    /// `np_`: whether no process is at a progress label.
    NonProgress,
    /// `_last`.
    Last,
    /// `_pid`.
    Pid,
    /// `_nr_pr`.
    ProcessCount,
    /// `enabled(p)`.
    Enabled(Box<Expr>),
    /// `get_priority(p)`.
    GetPriority(Box<Expr>),
    /// `set_priority(p, n)`.
    SetPriority(Box<Expr>, Box<Expr>),
    /// `P[e]@label`, `P@label`.
    AtLabel {
        /// The proctype.
        proctype: ProctypeId,
        /// The number of the process. If it is missing, the first process of the proctype is meant.
        process: Option<Box<Expr>>,
        /// A label of that proctype.
        label: LabelId,
    },
    /// `P[e]:x`, `P:x`.
    Remote {
        /// The proctype.
        proctype: ProctypeId,
        /// Which process.
        process: Option<Box<Expr>>,
        /// A place whose base is a local of that proctype.
        place: Place,
    },
}

/// Operators on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `!`
    Not,
    /// `-`
    Negate,
    /// `~`
    Complement,
}

/// Operators on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

impl Binary {
    /// A comparison with its operands exchanged; other operators as they are.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
            other => other,
        }
    }
}

/// A test of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ChannelTest {
    Empty,
    NotEmpty,
    Full,
    NotFull,
}
