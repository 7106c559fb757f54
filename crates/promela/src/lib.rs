//! Promela, the language of SPIN: from text to verdicts.
//!
//! [`load()`] turns a text into tokens, a syntax tree, and a [`Model`]: the tree
//! with every name resolved and every expression typed. [`verify`] checks properties of a model, and
//! [`plain`] executes it step by step.
//!
//! ```
//! use mazurka_promela::verify::{self, Property, Verdict};
//! use mazurka_promela::{Options, load};
//!
//! let text = "byte x; active [2] proctype P() { byte t = x; x = t + 1 } ltl { [] (x < 2) }";
//! let model = load("counter.pml", text, &Options::default())?.model;
//! let formula = Property::Ltl(model.ltl[0].clone());
//! let result = verify::check(&model, &formula, &verify::Options::default())?;
//! assert_eq!(result.verdict, Verdict::Holds);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod arithmetic;
mod check;
mod compile;
mod diagnostic;
mod ir;
mod lexer;
mod load;
mod model;
mod narrow;
mod native;
mod parser;
pub mod plain;
mod preprocess;
mod reduce;
mod run;
mod runtime_error;
mod source;
mod syntax;
mod system;
pub mod verify;

pub use diagnostic::{Diagnostic, Errors, Note, Severity, render};
pub use load::{Loaded, Options, load, load_path, load_with, parse_ltl};
pub use model::{
    Access, Base, Binary, ChannelTest, Exclusive, Expr, ExprKind, GlobalId, Initial, Label, LabelId, Ltl, Model, Mtype,
    MtypeId, Pattern, Place, Proctype, ProctypeId, Record, RecordId, Sequence, Snapshot, Statement, StatementKind,
    TraceAssertion, Type, Unary, Variable, VariableId,
};
pub use runtime_error::RuntimeError;
pub use source::{FileId, LineColumn, Sources, Span};
