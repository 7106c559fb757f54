//! `xr` and `xs`: promises of a process about the channels that it uses.

use super::Node;
use crate::source::Span;

/// `xr` or `xs`, compiled.
#[derive(Debug)]
pub(crate) struct Promise {
    /// True for `xr`, false for `xs`.
    pub(crate) receives: bool,
    /// The channel, as an expression of the process.
    pub(crate) channel: Node,
    /// The place of the promise.
    pub(crate) span: Span,
}
