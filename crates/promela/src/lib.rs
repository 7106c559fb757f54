//! Promela, the language of SPIN: from text to a concurrent system.
//!
//! A file becomes tokens, a syntax tree with spans, and a [`Model`]: the same tree
//! with every name resolved and every expression typed. What executes a model starts
//! from there.

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
pub use model::*;
pub use runtime_error::RuntimeError;
pub use source::{FileId, LineColumn, Sources, Span};
