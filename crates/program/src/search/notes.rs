//! What users should know about a search: why it is not complete, and how far it is.

use super::driver::{Search, Stop};
use mazurka_outcome::Limit;
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// The time between two progress lines on a terminal.
const TERMINAL: Duration = Duration::from_secs(2);
/// After how many seconds other logs have a progress line; from then on, as often as the last one says.
const LOG: [u64; 6] = [10, 30, 60, 120, 300, 600];
/// After so many executions there is something to estimate from.
const ENOUGH: u64 = 100;

const DAY: f64 = 24.0 * 3600.0;
const YEAR: f64 = 365.25 * DAY;

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
        let alike = (execution.settings.symmetry && execution.symmetry.used).then(|| {
            "of executions that differ only in which of several threads that are alike does what, one was run \
             (Checker::symmetry)"
                .to_owned()
        });
        [leaked, waiting_loop, strayed, orderings, alike]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Says now and then that the search is still going on, and how far it is.
    pub(super) fn progress(&mut self) {
        if self.checker.quiet || self.report.executions & 0xff != 0 && self.report.depth < 1000 {
            return;
        }
        let elapsed = self.start.elapsed();
        if elapsed < self.due {
            return;
        }
        let mut stderr = std::io::stderr();
        self.due = next_line(elapsed, stderr.is_terminal());
        let part = self.strategy.progress();
        // The test harness does not capture this.
        let _ = writeln!(
            stderr,
            "mazurka: the check at {}: {}",
            self.at,
            so_far(self.report.executions, elapsed, part)
        );
    }
}

/// When the next progress line is due. A log that is no terminal has few of them.
pub(super) fn next_line(elapsed: Duration, terminal: bool) -> Duration {
    if terminal {
        return elapsed + TERMINAL;
    }
    let steps = LOG.into_iter().map(Duration::from_secs);
    let rare = LOG[LOG.len() - 1];
    steps
        .into_iter()
        .find(|due| *due > elapsed)
        .unwrap_or_else(|| Duration::from_secs((elapsed.as_secs() / rare + 1) * rare))
}

/// A progress line: what was seen, and perhaps an estimate of what is left.
fn so_far(executions: u64, elapsed: Duration, part: Option<f64>) -> String {
    let seconds = elapsed.as_secs_f64();
    let rate = executions as f64 / seconds;
    let seen = format!("{executions} executions in {}, {rate:.0} a second", time(seconds));
    match part.and_then(|part| outlook(executions, elapsed, part)) {
        Some(outlook) => format!("{seen}; {outlook}"),
        None => seen,
    }
}

/// How far a search is that has seen this part of all executions, as an estimate; none if too few of them were run to tell.
pub(crate) fn outlook(executions: u64, elapsed: Duration, part: f64) -> Option<String> {
    if executions < ENOUGH || !(part > 0.0 && part < 1.0) {
        return None;
    }
    let percent = match part * 100.0 {
        percent if percent < 0.1 => "less than 0.1".to_owned(),
        percent if percent < 9.95 => format!("{percent:.1}"),
        percent => format!("{:.0}", percent.min(99.0)),
    };
    let left = elapsed.as_secs_f64() * (1.0 - part) / part;
    Some(format!(
        "estimated: {} in all, {percent} % done, {} left at this rate",
        rounded(executions as f64 / part),
        about(left)
    ))
}

/// A number with two digits that count.
fn rounded(number: f64) -> String {
    let (unit, name) = match number {
        n if n < 1e6 => (1.0, ""),
        n if n < 1e9 => (1e6, " million"),
        n if n < 1e12 => (1e9, " billion"),
        n if n < 1e15 => (1e12, " trillion"),
        _ => return format!("{number:.0e}"),
    };
    let number = number / unit;
    let digits = 10f64.powf(number.log10().floor() - 1.0).max(0.1);
    let number = (number / digits).round() * digits;
    match unit > 1.0 && number < 10.0 {
        true => format!("{number:.1}{name}"),
        false => format!("{number:.0}{name}"),
    }
}

fn about(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "less than a second".to_owned(),
        s if s > 1000.0 * YEAR => "more than 1000 years".to_owned(),
        s => format!("about {}", time(s)),
    }
}

fn time(seconds: f64) -> String {
    let units = [(YEAR, "years"), (DAY, "days"), (3600.0, "h"), (60.0, "min")];
    match units.into_iter().find(|(unit, _)| seconds >= 2.0 * unit) {
        Some((unit, name)) => format!("{:.0} {name}", seconds / unit),
        None => format!("{seconds:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_few_lines() {
        let mut lines = vec![next_line(Duration::ZERO, false)];
        while lines.len() < 8 {
            lines.push(next_line(lines[lines.len() - 1] + Duration::from_millis(70), false));
        }
        let seconds: Vec<u64> = lines.iter().map(Duration::as_secs).collect();
        assert_eq!(seconds, [10, 30, 60, 120, 300, 600, 1200, 1800]);
        let late = next_line(Duration::from_secs(4000), false);
        assert_eq!(late, Duration::from_secs(4200));
        assert_eq!(next_line(Duration::from_secs(7), true), Duration::from_secs(9));
    }

    #[test]
    fn a_line_says_what_is_known() {
        let ten = Duration::from_secs(10);
        assert_eq!(so_far(50_000, ten, None), "50000 executions in 10 s, 5000 a second");
        assert_eq!(so_far(99, ten, Some(0.5)), "99 executions in 10 s, 10 a second");
        assert_eq!(
            so_far(50_000, ten, Some(0.25)),
            "50000 executions in 10 s, 5000 a second; estimated: 200000 in all, 25 % done, about 30 s left at this rate"
        );
        assert_eq!(
            outlook(50_000, ten, 0.0004).unwrap(),
            "estimated: 130 million in all, less than 0.1 % done, about 7 h left at this rate"
        );
        assert_eq!(
            outlook(50_000, ten, 0.012_345).unwrap(),
            "estimated: 4.1 million in all, 1.2 % done, about 13 min left at this rate"
        );
        assert_eq!(
            outlook(1_000, ten, 1e-17).unwrap(),
            "estimated: 1e20 in all, less than 0.1 % done, more than 1000 years left at this rate"
        );
        assert_eq!(outlook(1_000, ten, 1.0), None);
        let nearly = outlook(123_456, ten, 0.9999).unwrap();
        assert_eq!(
            nearly,
            "estimated: 120000 in all, 99 % done, less than a second left at this rate"
        );
    }
}
