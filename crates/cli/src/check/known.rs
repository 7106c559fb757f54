//! What is known of a run of `check` so far: whoever answers, and whenever, says this.

use super::properties;
use crate::watchdog;
use mazurka_core::{End, Limit, Statistics};
use mazurka_promela::Model;
use mazurka_promela::plain::Interpreter;
use mazurka_promela::verify::{CheckError, Checked, Property, PropertyResult, ReductionUsed, Verdict};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Nothing before the model is read, then what is asked of it.
#[derive(Default)]
pub(super) struct Known(OnceLock<Asked>);

impl Known {
    /// The model is read.
    pub(super) fn asked(&self, asked: Asked) -> &Asked {
        self.0.get_or_init(|| asked)
    }

    /// What is asked, once it is known.
    pub(super) fn get(&self) -> Option<&Asked> {
        self.0.get()
    }
}

/// A model, what is asked of it, and the answers as far as there are any.
pub(super) struct Asked {
    pub(super) model: Model,
    /// The values of all variables in the first state; none, if there is no such state.
    pub(super) initial: Vec<(String, String)>,
    pub(super) questions: Vec<Question>,
}

/// A property and the answer about it.
pub(super) struct Question {
    pub(super) property: Property,
    answer: OnceLock<Result<PropertyResult, CheckError>>,
    so_far: Mutex<Statistics>,
}

impl Asked {
    pub(super) fn new(model: Model, properties: Vec<Property>) -> Self {
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

    /// The answers; what has none yet has met a limit: that which is given, or the one that stopped the run.
    pub(super) fn checked(&self, limit: Option<Limit>) -> Checked {
        let limit = limit.unwrap_or(watchdog::reached(Limit::Interrupt));
        Checked {
            properties: self.questions.iter().map(|question| question.result(limit)).collect(),
        }
    }

    /// Whether some property could be checked, be it without success.
    pub(super) fn is_answered(&self) -> bool {
        self.questions.iter().any(|question| question.refusal().is_none())
    }
}

impl Question {
    /// What the property is called.
    pub(super) fn name(&self) -> String {
        properties::name(&self.property)
    }

    /// How far the search is.
    pub(super) fn note(&self, so_far: &Statistics) {
        *self.so_far.lock().unwrap_or_else(PoisonError::into_inner) = *so_far;
    }

    /// There is an answer.
    pub(super) fn answer(&self, answer: Result<PropertyResult, CheckError>) {
        // A limit that everything was stopped by is said as what it is.
        let answer = answer.map(|mut result| {
            if let End::Limit(limit) = result.end {
                result.end = End::Limit(watchdog::reached(limit));
            }
            result
        });
        let _ = self.answer.set(answer);
    }

    /// Why the property cannot be checked, if it cannot.
    pub(super) fn refusal(&self) -> Option<&CheckError> {
        match self.answer.get()? {
            Err(CheckError::Limit(_)) | Ok(_) => None,
            Err(error) => Some(error),
        }
    }

    fn result(&self, limit: Limit) -> PropertyResult {
        let limit = match self.answer.get() {
            Some(Ok(result)) => return result.clone(),
            Some(Err(CheckError::Limit(limit))) => watchdog::reached(*limit),
            _ => limit,
        };
        PropertyResult {
            name: self.name(),
            kind: properties::kind(&self.property),
            verdict: Verdict::Inconclusive,
            end: End::Limit(limit),
            statistics: *self.so_far.lock().unwrap_or_else(PoisonError::into_inner),
            reduction: ReductionUsed::default(),
            violations: Vec::new(),
            unreached: Vec::new(),
            untrue: Vec::new(),
            refusal: self.refusal().map(ToString::to_string),
        }
    }
}
