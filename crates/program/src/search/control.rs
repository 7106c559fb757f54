//! Whether anything was under control.
//!
//! A closure that uses threads and locks of std has one execution, in which the search sees nothing. That must not look like
//! success. If no controlled thread was started and no visible operation was performed, the program is run again, and the
//! kernel is asked whether its OS thread has waited for something meanwhile. If so, something else is at work, and that is
//! an error. Otherwise the search only says that there was nothing to search.

use super::driver::{Search, Stop};
use crate::fiber::Body;
use crate::report::ViolationKind;
use std::io::Write;

/// How often the program is run again, and how often it must wait. Another thread may end before anyone waits for it, and a
/// busy machine may make any thread wait once.
const TIMES: usize = 7;
const ENOUGH: usize = 3;

impl Search<'_> {
    /// Reports a search in which nothing was under control.
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
                let message = "the program started no mazurka thread and performed no operation on a mazurka primitive, but its OS thread \
                               waited for something: a thread, lock or channel of std, another executor, or input. The search sees \
                               none of these; use mazurka::thread and mazurka::sync";
                self.violation(ViolationKind::Uncontrolled, message.to_owned(), None);
                return Some(Stop::Violation);
            }
        }
        let note = "nothing was under control: the program started no mazurka thread and performed no operation on a mazurka primitive. \
                    The search does not see threads, locks and channels of std";
        if !self.checker.quiet {
            // The test harness does not capture this.
            let _ = writeln!(std::io::stderr(), "mazurka: the check at {}: {note}", self.at);
        }
        self.report.notes.push(note.to_owned());
        None
    }
}

/// How often this OS thread has given up the processor to wait for something; 0 if that is unknown.
fn waits() -> u64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let count = status.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"));
    count.and_then(|n| n.trim().parse().ok()).unwrap_or(0)
}
