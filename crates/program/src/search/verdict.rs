//! What a search proves: its verdict, and how it ended.

use super::driver::{Search, Stop};
use mazurka_outcome::{Doubt, End, Limit, Verdict};

impl Search<'_> {
    /// Settles the verdict of a search that has ended. `stop` says why it did not go on to the end of its strategy.
    pub(super) fn conclude(&mut self, stop: Option<&Stop>) {
        let doubt = self.doubt(stop);
        self.report.end = match (stop, doubt) {
            (Some(Stop::Limit(limit)), _) => End::Limit(*limit),
            (Some(_), _) => End::Stopped,
            (None, None) => End::Complete,
            (None, Some(Doubt::Limit(limit))) => End::Limit(limit),
            (None, Some(_)) => End::Stopped,
        };
        self.report.complete = self.report.end == End::Complete;
        self.report.verdict = match doubt {
            _ if !self.report.violations.is_empty() => Verdict::Violated,
            Some(doubt) => Verdict::Inconclusive(doubt),
            None => Verdict::Holds,
        };
    }

    /// Why executions may be missing, apart from a violation at which the search stopped.
    ///
    /// [`Checker::check`](crate::Checker::check) fails on doubts that the user did not ask for, so a bound that the user set
    /// must not hide them: they come first. The bound on the depth has a default and comes before the other bounds.
    fn doubt(&self, stop: Option<&Stop>) -> Option<Doubt> {
        let execution = self.runtime.execution.borrow();
        if self.survivor.is_some() {
            return Some(Doubt::Uncontrolled);
        }
        if execution.uninterleaved || execution.crowded.get() {
            return Some(Doubt::Unexplored);
        }
        if self.cut {
            return Some(Doubt::Limit(Limit::Depth));
        }
        match stop {
            Some(Stop::Limit(limit)) => Some(Doubt::Limit(*limit)),
            Some(_) => None,
            None => self.strategy.doubt(),
        }
    }
}
