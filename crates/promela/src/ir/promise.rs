//! `xr` and `xs`: what a process says about the channels that it uses.

use super::Node;
use crate::source::Span;
use std::sync::atomic::{AtomicU16, Ordering};

/// `xr` or `xs`, compiled.
#[derive(Debug)]
pub(crate) struct Promise {
    /// `xr` if true, `xs` if not.
    pub(crate) receives: bool,
    /// The channel, as its process sees it.
    pub(crate) channel: Node,
    /// Where it is said.
    pub(crate) span: Span,
    /// The proctype of a process that broke it; [`KEPT`] if none did.
    broken_by: AtomicU16,
}

const KEPT: u16 = u16::MAX;

impl Promise {
    pub(crate) fn new(receives: bool, channel: Node, span: Span) -> Self {
        Self {
            receives,
            channel,
            span,
            broken_by: AtomicU16::new(KEPT),
        }
    }

    /// A process of this proctype uses the channel too.
    pub(crate) fn break_by(&self, proctype: usize) {
        self.broken_by.store(crate::narrow::place(proctype), Ordering::Relaxed);
    }

    /// The proctype of a process that broke it.
    pub(crate) fn broken_by(&self) -> Option<usize> {
        match self.broken_by.load(Ordering::Relaxed) {
            KEPT => None,
            proctype => Some(proctype as usize),
        }
    }
}
