//! The wait-for graph of a cut (paper, section 4).
//!
//! A process waits for another if its next event has a direct cause there that
//! has not happened. The graph is not stored: the direct causes of the next event
//! are its edges, so it is up to date in every cut at no cost, where the paper
//! maintains it in O(N) per transition.

use crate::causality::Causality;
use mazurka_core::ProcessId;

/// A process whose next event is enabled and must happen before the next event of
/// `process`, itself if that is enabled; `None` if `process` has no next event.
#[inline]
pub(crate) fn follow(order: &Causality, cut: &[u32], process: ProcessId) -> Option<ProcessId> {
    if cut[process.index()] == order.events(process) {
        return None;
    }
    let mut at = process;
    loop {
        let missing = order
            .causes(at, cut[at.index()] + 1)
            .iter()
            .find(|c| c.index > cut[c.process.index()]);
        match missing {
            Some(cause) => at = cause.process,
            None => return Some(at),
        }
    }
}
