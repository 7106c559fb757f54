//! Checks the properties, on as many threads as are asked for, and shares the time among them.
//!
//! A property gets its share of the time that is left when its turn comes. What it does not use goes to those that come
//! after it. One that cannot be checked is no reason not to check the others; after a signal, or when the time is over,
//! no other is begun.

use super::Options;
use super::known::{Asked, Question};
use crate::interrupt;
use crate::progress::Activity;
use crate::watchdog::Watchdog;
use mazurka_core::{Progress, Statistics};
use mazurka_promela::verify;
use mazurka_report::check::progress_text;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Checks all properties; those that are not begun have no answer afterwards.
pub(super) fn check(options: &Options, asked: &Asked, dog: &Watchdog) {
    let line = Activity::new("", options.output.quiet);
    let (questions, next) = (&asked.questions, AtomicUsize::new(0));
    let end = options.timeout.and_then(|time| dog.started().checked_add(time));
    let at_a_time = options.threads.min(questions.len());
    let work = || {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(question) = questions.get(k) else { return };
            // What took the memory before is gone.
            interrupt::forgive_memory();
            if interrupt::flag().load(Ordering::Relaxed) {
                return;
            }
            let name = question.name();
            dog.phase(format!("checking {name}"));
            line.say(|| name.clone());
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            let time = left.map(|left| share(left, questions.len() - k, at_a_time));
            question.answer(check_one(options, asked, question, time, &line));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..at_a_time {
            scope.spawn(work);
        }
        work();
    });
}

fn check_one(
    options: &Options,
    asked: &Asked,
    question: &Question,
    time: Option<Duration>,
    line: &Activity,
) -> Result<verify::PropertyResult, verify::CheckError> {
    let name = question.name();
    let show = |so_far: &Statistics| {
        question.note(so_far);
        line.say(|| progress_text(&name, so_far));
    };
    verify::check(
        &asked.model,
        &question.property,
        &options.settings(time, Progress(&show)),
    )
}

/// The time for one of so many properties, of which several are checked at a time.
fn share(left: Duration, properties: usize, at_a_time: usize) -> Duration {
    let factor = at_a_time as f64 / properties as f64;
    left.mul_f64(factor.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_time_that_is_left() {
        let seconds = Duration::from_secs;
        assert_eq!(share(seconds(12), 3, 1), seconds(4));
        assert_eq!(share(seconds(12), 1, 1), seconds(12));
        assert_eq!(share(seconds(12), 3, 2), seconds(8));
        assert_eq!(share(seconds(12), 1, 2), seconds(12));
    }
}
