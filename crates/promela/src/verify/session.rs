//! Sessions: several properties of one model, checked in turn or in parallel with one budget of time. At any moment there
//! is an answer for each.
//!
//! When its turn comes, a property gets its share of the remaining time. Time that it does not use goes to the properties
//! after it. If a property cannot be checked, the others still are. After a request to stop, no further
//! property is begun.

use super::checked::{Checked, PropertyFindings, PropertyResult};
use super::{CheckError, Options, Property, check};
use crate::model::Model;
use crate::plain::Interpreter;
use mazurka_core::{Doubt, Limit, Outcome, Progress, Statistics};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A model, the properties to check, and the answers so far.
///
/// ```
/// use mazurka_core::Limit;
/// use mazurka_promela::verify::{Options, Property, Session, Verdict};
/// use mazurka_promela::load;
///
/// let text = "bit x; active proctype P() { x = 1 } ltl rises { <> (x == 1) } ltl stays { [] (x == 0) }";
/// let model = load("m.pml", text, &Default::default())?.model;
/// let properties = Property::all(&model);
/// let session = Session::new(model, properties);
/// session.check(&Options::default(), 1, None, &());
/// let verdicts: Vec<_> = session.checked(Limit::Time).properties.iter().map(|p| p.verdict).collect();
/// assert_eq!(verdicts, [Verdict::Holds, Verdict::Holds, Verdict::Violated]);
/// # Ok::<(), mazurka_promela::Errors>(())
/// ```
#[derive(Debug)]
pub struct Session {
    model: Model,
    initial: Vec<(String, String)>,
    questions: Vec<Question>,
}

/// A property and the answer about it.
#[derive(Debug)]
pub struct Question {
    property: Property,
    answer: OnceLock<Result<PropertyResult, CheckError>>,
    so_far: Mutex<Statistics>,
}

/// An observer of a session, which may stop it.
pub trait Companion: Sync {
    /// Called before a property is checked. If it returns false, neither this one nor any other is checked.
    fn begin(&self, _property: &Property) -> bool {
        true
    }

    /// Called with the progress of a search.
    fn progress(&self, _property: &Property, _so_far: &Statistics) {}

    /// The limit that was really reached, if a search was only told to stop.
    fn reached(&self, limit: Limit) -> Limit {
        limit
    }
}

/// The companion that does nothing.
impl Companion for () {}

impl Session {
    /// A session without answers.
    pub fn new(model: Model, properties: Vec<Property>) -> Self {
        let interpreter = Interpreter::new(&model);
        let initial = interpreter.initial();
        let initial = initial.map_or_else(|_| Vec::new(), |state| interpreter.describe(&state));
        let question = |property| Question {
            property,
            answer: OnceLock::new(),
            so_far: Mutex::default(),
        };
        Self {
            initial,
            questions: properties.into_iter().map(question).collect(),
            model,
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The values of all variables in the initial state. Empty if that cannot be computed.
    pub fn initial(&self) -> &[(String, String)] {
        &self.initial
    }

    /// The properties and their answers, in order.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Checks all properties, `threads` at a time, until `end`. Properties that are not begun have no answer afterwards.
    pub fn check(&self, options: &Options<'_>, threads: usize, end: Option<Instant>, companion: &dyn Companion) {
        let next = AtomicUsize::new(0);
        let at_a_time = threads.clamp(1, self.questions.len().max(1));
        let work = || {
            loop {
                let k = next.fetch_add(1, Ordering::Relaxed);
                let Some(question) = self.questions.get(k) else { return };
                if !companion.begin(&question.property) {
                    return;
                }
                let left = end.map(|end| end.saturating_duration_since(Instant::now()));
                let time = left.map(|left| share(left, self.questions.len() - k, at_a_time));
                let time = [time, options.limits.time].into_iter().flatten().min();
                question.check(&self.model, options, time, companion);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..at_a_time {
                scope.spawn(work);
            }
            work();
        });
    }

    /// The answers. A property without one counts as having reached this limit.
    pub fn checked(&self, limit: Limit) -> Checked {
        Checked {
            properties: self.questions.iter().map(|question| question.result(limit)).collect(),
        }
    }

    /// Whether some property could be checked, even if without a definite verdict.
    pub fn is_answered(&self) -> bool {
        self.questions.iter().any(|question| question.refusal().is_none())
    }
}

impl Question {
    /// The property.
    pub fn property(&self) -> &Property {
        &self.property
    }

    /// Why the property cannot be checked, if it cannot.
    pub fn refusal(&self) -> Option<&CheckError> {
        match self.answer.get()? {
            Err(CheckError::Limit(_)) | Ok(_) => None,
            Err(error) => Some(error),
        }
    }

    fn check(&self, model: &Model, options: &Options<'_>, time: Option<Duration>, companion: &dyn Companion) {
        let show = |so_far: &Statistics| {
            *self.so_far.lock().unwrap_or_else(PoisonError::into_inner) = *so_far;
            companion.progress(&self.property, so_far);
        };
        let mut options = *options;
        options.limits.time = time;
        options.limits.progress = Some(Progress(&show));
        let answer = check(model, &self.property, &options);
        // Names the limit that stopped everything.
        let answer = answer.map(|result| match result.limit() {
            Some(limit) => result.stopped_by(companion.reached(limit)),
            None => result,
        });
        let answer = answer.map_err(|error| match error {
            CheckError::Limit(limit) => CheckError::Limit(companion.reached(limit)),
            error => error,
        });
        let _ = self.answer.set(answer);
    }

    fn result(&self, limit: Limit) -> PropertyResult {
        let limit = match self.answer.get() {
            Some(Ok(result)) => return result.clone(),
            Some(Err(CheckError::Limit(limit))) => *limit,
            _ => limit,
        };
        let refusal = self.refusal().map(ToString::to_string);
        let doubt = match refusal.is_some() {
            true => Doubt::Refused,
            false => limit.into(),
        };
        let found = PropertyFindings {
            refusal,
            ..PropertyFindings::new(self.property.name(), self.property.kind())
        };
        Outcome {
            statistics: *self.so_far.lock().unwrap_or_else(PoisonError::into_inner),
            ..Outcome::unanswered(doubt, found)
        }
    }
}

/// The time for one of several properties, when some are checked in parallel.
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
