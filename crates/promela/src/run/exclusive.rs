//! Whether `xr` and `xs` are true.
//!
//! A process that says `xr c` promises that no other process receives from the channel, and
//! with `xs c` that no other sends. SPIN's reduction believes it; ours finds out for itself who
//! uses which channel, so a false promise changes no verdict here. It is still
//! a mistake in the model, and it is noticed in passing: whenever a step sends or receives,
//! the promises of the other processes are looked at.

use super::{ProcessRef, Processes};
use crate::ir::{Action, Edge, Program};

impl Program {
    /// Looks at what a process is about to do.
    pub(super) fn check_promises(&self, state: &[u8], process: ProcessRef<'_>, edge: &Edge) {
        let (receives, channel) = match &edge.action {
            Action::Send { channel, .. } => (false, channel),
            Action::Receive {
                channel, copy: false, ..
            } => (true, channel),
            Action::DStep(inner) => {
                for edge in &inner.edges {
                    self.check_promises(state, process, edge);
                }
                return;
            }
            _ => return,
        };
        let Ok(number) = self.view(state, process, false).value(channel) else {
            return;
        };
        for other in Processes::new(self, state).filter(|other| other.pid != process.pid) {
            for promise in &other.automaton.promises {
                let is_about = promise.receives == receives
                    && self.view(state, other, false).value(&promise.channel) == Ok(number);
                if is_about {
                    promise.break_by(process.proctype.0 as usize);
                }
            }
        }
    }
}
