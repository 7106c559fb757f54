//! What users should know about a search: why it is not complete, and how far it is.

use super::driver::{Search, Stop};
use mazurka_outcome::Limit;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// The time between two progress lines.
const PROGRESS: Duration = Duration::from_secs(2);

/// Fewer executions leak too little to be worth a note.
const MANY: u64 = 1000;

impl Search<'_> {
    /// Adds the notes and the estimate to the report.
    pub(super) fn notes(&mut self, stop: Option<&Stop>) {
        self.report.estimate = self.estimate(stop);
        let mut notes = self.missing(stop);
        notes.extend(self.remarks());
        self.report.notes.extend(notes);
    }

    /// About how many executions there are, if that is known.
    fn estimate(&self, stop: Option<&Stop>) -> Option<u64> {
        let executions = self.report.executions;
        if self.report.complete {
            return Some(executions);
        }
        if !matches!(stop, Some(Stop::Limit(_))) {
            return None;
        }
        let part = self.strategy.progress().filter(|part| *part > 0.0)?;
        #[expect(clippy::cast_possible_truncation, reason = "an estimate, at most the largest number")]
        Some((executions as f64 / part).round() as u64)
    }

    /// Every reason why executions may be missing.
    fn missing(&self, stop: Option<&Stop>) -> Vec<String> {
        let execution = self.runtime.execution.borrow();
        let by_limit = match stop {
            Some(Stop::Limit(Limit::Executions)) => Some(match self.report.executions {
                1 => "1 execution was run".to_owned(),
                n => format!("{n} executions were run"),
            }),
            Some(Stop::Limit(Limit::Time)) => Some("the time was up".to_owned()),
            Some(Stop::Limit(limit)) => Some(limit.to_string()),
            _ => None,
        };
        let by_depth = self.cut.then(|| {
            format!(
                "executions were cut after {} steps (max_depth). A thread may be spinning for ever (livelock), or \
                 until another thread has done something. A loop counts as waiting only if its turns change nothing",
                self.limits.depth.unwrap_or_default()
            )
        });
        let by_strategy = (stop.is_none() && self.strategy.doubt().is_some())
            .then(|| "the strategy does not promise to see every execution".to_owned());
        let by_survivor = self.survivor.as_ref().map(|survivor| {
            format!(
                "executions change {survivor}, which keeps its value from one execution to the next. Make it in the \
                 closure of the check, or in a static LazyLock or OnceLock of mazurka::sync"
            )
        });
        let by_panics = execution
            .uninterleaved
            .then_some("operations of destructors that ran during a panic were not interleaved with other threads");
        let by_rivals = execution.crowded.get().then_some(
            "too many independent operations of an object (mazurka::Shared) may block another operation: not all \
             combinations were tried",
        );
        let plain = [by_panics, by_rivals].into_iter().flatten();
        [by_limit, by_depth, by_strategy, by_survivor]
            .into_iter()
            .flatten()
            .chain(plain.map(str::to_owned))
            .map(|reason| format!("not complete: {reason}"))
            .collect()
    }

    /// What else is worth knowing.
    fn remarks(&self) -> Vec<String> {
        let execution = self.runtime.execution.borrow();
        let forgotten = self.runtime.forgotten.get();
        let leaked = (forgotten >= MANY).then(|| {
            format!(
                "{forgotten} executions ended while threads waited, and what these threads own is leaked; \
                 Checker::unwind frees it"
            )
        });
        let waiting_loop = execution.spinning.then(|| {
            "a thread that came round to the same state in a loop, and had changed nothing, was taken to wait until what it \
             looks at changes"
                .to_owned()
        });
        let strayed = execution.habits.distrusts().then(|| {
            "a loop that seemed to wait for another thread did something else after some turns, so its turns were \
             searched one by one. It probably counts them on the heap; the search sees a counter only in a local variable"
                .to_owned()
        });
        let orderings = (execution.weak_orderings && !execution.settings.weak)
            .then(|| "atomics with orderings weaker than SeqCst were explored as SeqCst".to_owned());
        [leaked, waiting_loop, strayed, orderings]
            .into_iter()
            .flatten()
            .collect()
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
