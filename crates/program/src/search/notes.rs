//! What one should know about a search: why it is not complete, and how far it is.

use super::driver::{DEPTH, Search, Stop};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// A progress line comes after this time, and then as often.
const PROGRESS: Duration = Duration::from_secs(2);

/// Fewer executions leak too little to be worth a note.
const MANY: u64 = 1000;

impl Search<'_> {
    pub(super) fn notes(&mut self, stop: &Option<Stop>) {
        self.report.estimate = if self.report.complete {
            Some(self.report.executions)
        } else {
            let part = self
                .strategy
                .progress()
                .filter(|part| *part > 0.0 && matches!(stop, Some(Stop::Limit(_))));
            #[expect(clippy::cast_possible_truncation, reason = "an estimate, at most the largest number")]
            part.map(|part| (self.report.executions as f64 / part).round() as u64)
        };
        let execution = self.runtime.execution.borrow();
        if let Some(Stop::Limit(reason)) = stop {
            self.report.notes.push(format!("not complete: {reason}"));
        }
        if self.cut {
            self.report.falls_short |= self.checker.max_depth.is_none();
            self.report.notes.push(format!(
                "not complete: executions were cut after {} steps (max_depth). A thread may be spinning for ever (livelock), or \
                 until another one has done something: such a loop must call thread::yield_now or \
                 hint::spin_loop, and read one atomic only",
                self.checker.max_depth.unwrap_or(DEPTH)
            ));
        }
        if stop.is_none() && !self.strategy.exhaustive() {
            self.report
                .notes
                .push("not complete: the strategy does not promise to see every execution".to_owned());
        }
        if let Some(survivor) = &self.survivor {
            self.report.falls_short = true;
            self.report.notes.push(format!(
                "not complete: {survivor} is changed by executions and keeps its value from one to the next. Make it in the closure \
                 of the check, or in a static LazyLock or OnceLock of mazurka::sync"
            ));
        }
        if execution.uninterleaved {
            self.report.falls_short = true;
            self.report.notes.push(
                "not complete: operations in destructors while a thread panicked were not interleaved with other threads".to_owned(),
            );
        }
        let forgotten = self.runtime.forgotten.get();
        if forgotten >= MANY {
            self.report.notes.push(format!(
                "{forgotten} executions ended while threads waited, and what these own is leaked: Checker::unwind gives it back"
            ));
        }
        if execution.crowded.get() {
            self.report.falls_short = true;
            self.report.notes.push(
                "not complete: too many operations of an object (mazurka::Shared), which do not depend on each other, may be in the way of another one"
                    .to_owned(),
            );
        }
        if execution.strayed {
            self.report.falls_short = true;
            self.report.notes.push(
                "not complete: a loop that seemed to wait for another thread did something else after some turns. It counts them on the heap: \
                 a counter that is a local variable is seen"
                    .to_owned(),
            );
        } else if execution.spinning {
            self.report.notes.push(
                "a thread that came round to the same state in a loop was taken to wait until the atomic that it reads has changed; what a \
                 loop of compare_exchange counts on the heap is not seen"
                    .to_owned(),
            );
        }
        if execution.weak_orderings {
            self.report
                .notes
                .push("atomics with orderings weaker than SeqCst were explored as SeqCst".to_owned());
        }
    }

    /// Says on a terminal that the search is still going on.
    pub(super) fn progress(&mut self) {
        if self.checker.quiet || self.report.executions & 0xff != 0 && self.report.depth < 1000 {
            return;
        }
        if self.shown.elapsed() >= PROGRESS {
            self.shown = Instant::now();
            let mut stderr = std::io::stderr();
            if stderr.is_terminal() {
                let seconds = self.start.elapsed().as_secs_f64();
                // The test harness does not capture this.
                let _ = writeln!(
                    stderr,
                    "mazurka: {} executions in {seconds:.0} s, {:.0} a second",
                    self.report.executions,
                    self.report.executions as f64 / seconds
                );
            }
        }
    }
}
