//! What answers rest on besides the records: that clocks differ by no more than was said.

use super::RecordedRun;
use crate::amounts::counted;
use crate::style::{FAINT, styled};
use mazurka_trace::{Computation, SkewUse};
use serde::Serialize;

/// The assumption behind all answers about a run, in a sentence, if there is one.
pub fn assumption(computation: &Computation) -> Option<String> {
    let skew = computation.skew().filter(|skew| skew.timed > 0)?;
    Some(format!(
        "This assumes that clocks differ by at most {}: {} of {} have a time.",
        skew.bound(),
        skew.timed,
        counted(computation.causality().total(), "event", "events"),
    ))
}

/// The line below an answer that says what it assumes.
pub fn assumption_text(run: RecordedRun<'_>) -> String {
    assumption(run.computation).map_or(String::new(), |text| format!("  {}\n", styled(FAINT, &text)))
}

/// The assumption for scripts.
#[derive(Clone, Copy, Serialize)]
pub(super) struct AssumptionView {
    kind: &'static str,
    seconds: f64,
    timed: u64,
    ordered: u64,
}

impl AssumptionView {
    pub(super) fn of(computation: &Computation) -> Option<Self> {
        let SkewUse {
            nanoseconds,
            timed,
            ordered,
            ..
        } = computation.skew().filter(|skew| skew.timed > 0)?;
        Some(Self {
            kind: "clock-skew",
            seconds: seconds(nanoseconds),
            timed,
            ordered,
        })
    }
}

#[allow(clippy::cast_precision_loss, reason = "a duration is shown")]
fn seconds(nanoseconds: u128) -> f64 {
    nanoseconds as f64 / 1e9
}
