//! Whether anything was under control.
//!
//! A closure that uses threads and locks of std's has one execution, in which nothing is to be seen: it must not look as if all
//! was well. If no controlled thread was started and no visible operation was performed, the program is run again and the kernel is
//! asked whether its OS thread has waited for something meanwhile. That is proof of something else at work, and an
//! error; otherwise the search only says that there was nothing to search.

use super::driver::{Search, Stop};
use crate::fiber::Body;
use crate::report::ViolationKind;
use std::io::Write;

/// How often the program is run again, and how often it must wait: another thread may be done before somebody waits for it, and a
/// busy machine may make anybody wait once.
const TIMES: usize = 7;
const ENOUGH: usize = 3;

impl Search<'_> {
    /// Ends a search in which nothing was under control.
    pub(super) fn control(&mut self, body: &dyn Fn() -> Body) -> Option<Stop> {
        if self.report.transitions > 0 || self.runtime.execution.borrow().threads.len() > 1 {
            return None;
        }
        let mut waited = 0;
        for _ in 0..TIMES {
            let before = waits();
            self.runtime.start(0, body());
            self.runtime.abandon();
            self.runtime.findings.borrow_mut().clear();
            waited += usize::from(waits() > before);
            if waited >= ENOUGH {
                let message = "no thread of mazurka's was started and no operation of its primitives was performed, but the OS thread \
                               has waited for something: threads, locks or channels of std, another executor, or input. Nothing of \
                               that is seen; use mazurka::thread and mazurka::sync";
                self.violation(ViolationKind::Uncontrolled, message.to_owned(), None);
                return Some(Stop::Violation);
            }
        }
        let note = "nothing was under control: no thread of mazurka's was started and no operation of its primitives was performed. \
                    Threads, locks and channels of std are not seen";
        if !self.checker.quiet {
            // The test harness does not capture this.
            let _ = writeln!(std::io::stderr(), "mazurka: the check at {}: {note}", self.at);
        }
        self.report.notes.push(note.to_owned());
        None
    }
}

/// How often this OS thread has given the processor away to wait for something; 0 if nobody knows.
fn waits() -> u64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let count = status.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"));
    count.and_then(|n| n.trim().parse().ok()).unwrap_or(0)
}
