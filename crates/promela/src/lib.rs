//! Promela, the language of SPIN: from text to a concurrent system.
//!
//! A file becomes tokens, a syntax tree with spans, and a [`Model`]: the same tree
//! with every name resolved and every expression typed. What executes a model starts
//! from there.

mod compile;
mod ir;
mod model;
pub mod plain;
mod reduce;
mod run;
mod source;
mod system;
pub mod verify;

pub use model::*;
pub use run::RuntimeError;
pub use source::{FileId, LineColumn, Sources, Span};
