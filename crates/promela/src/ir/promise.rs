//! `xr` and `xs`: what a process says about the channels that it uses.

use super::Node;
use crate::source::Span;

/// `xr` or `xs`, compiled.
#[derive(Debug)]
pub(crate) struct Promise {
    /// `xr` if true, `xs` if not.
    pub(crate) receives: bool,
    /// The channel, as its process sees it.
    pub(crate) channel: Node,
    /// Where it is said.
    pub(crate) span: Span,
}
