//! Checks `xr` and `xs`.
//!
//! With `xr c` a process promises that no other process receives from the channel, and
//! with `xs c` that no other sends to it. SPIN's reduction relies on this. Ours determines which processes
//! use which channels, so a broken promise changes no verdict. It is still
//! a mistake in the model, so whenever a step sends or receives,
//! the promises of the other processes are checked.

use super::{ProcessRef, Processes, Step};
use crate::ir::{Action, Edge, Program};

/// A broken promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Broken {
    /// The proctype that makes the promise.
    pub(crate) proctype: usize,
    /// The index of the promise.
    pub(crate) promise: usize,
    /// The proctype of another process that uses the channel.
    pub(crate) by: usize,
}

impl Program {
    /// Appends the promises that a step breaks.
    pub(crate) fn broken_promises(&self, state: &[u8], step: Step, broken: &mut Vec<Broken>) {
        let partner = step.has_partner().then_some((step.partner, step.partner_edge));
        for (pid, edge) in [(step.pid, step.edge)].into_iter().chain(partner) {
            if let Some(process) = Processes::new(self, state).nth(usize::from(pid)) {
                let edge = &process.automaton.graph.edges[edge as usize];
                self.broken_by(state, process, edge, broken);
            }
        }
    }

    /// Appends the promises that a process breaks by what it is about to do.
    fn broken_by(&self, state: &[u8], process: ProcessRef<'_>, edge: &Edge, broken: &mut Vec<Broken>) {
        let (receives, channel) = match &edge.action {
            Action::Send { channel, .. } => (false, channel),
            Action::Receive {
                channel, copy: false, ..
            } => (true, channel),
            Action::DStep(inner) => {
                for edge in &inner.edges {
                    self.broken_by(state, process, edge, broken);
                }
                return;
            }
            _ => return,
        };
        let Ok(number) = self.view(state, process, false).value(channel) else {
            return;
        };
        for other in Processes::new(self, state).filter(|other| other.pid != process.pid) {
            for (k, promise) in other.automaton.promises.iter().enumerate() {
                let is_about = promise.receives == receives
                    && self.view(state, other, false).value(&promise.channel) == Ok(number);
                if is_about {
                    broken.push(Broken {
                        proctype: other.proctype.0 as usize,
                        promise: k,
                        by: process.proctype.0 as usize,
                    });
                }
            }
        }
    }
}
