//! A simulated run: as text while it goes on, as JSON when it is over.

use super::json::{Location, StepView};
use super::steps::{Columns, effects_of};
use super::{excerpt, line};
use crate::TextOptions;
use crate::amounts::counted;
use crate::json::pretty;
use crate::style::{BAD, NAME, styled};
use mazurka_promela::verify::{ShownStep, StepId};
use mazurka_promela::{Sources, Span};
use serde::Serialize;

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimulationEnd {
    /// Every process is at a valid end.
    Finished,
    /// No process can go on, and some process is not at a valid end.
    Deadlock,
    /// A step fails.
    Error {
        /// What is wrong.
        message: String,
        /// Where.
        span: Span,
    },
    /// The limit on steps was reached.
    Steps,
    /// The user stopped it.
    Stopped,
}

impl SimulationEnd {
    /// Whether something is wrong with the model.
    pub fn is_violation(&self) -> bool {
        matches!(self, Self::Deadlock | Self::Error { .. })
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Deadlock => "deadlock",
            Self::Error { .. } => "error",
            Self::Steps => "steps",
            Self::Stopped => "stopped",
        }
    }
}

/// The line of a step. The name of its process is omitted if it is the `same` as in the step before. In a rendezvous,
/// `partner` is the receiver.
pub fn simulation_step(
    sources: &Sources,
    (id, step): (StepId, &ShownStep),
    partner: Option<&str>,
    same: bool,
    options: &TextOptions,
) -> String {
    let message = partner.map(|name| format!("received by {name}"));
    Columns::unknown(options).line(line(sources, step.span), (id, step), &effects_of(step, message), !same)
}

/// How the run ended.
pub fn simulation_summary(sources: &Sources, steps: usize, end: &SimulationEnd) -> String {
    let count = counted(steps as u64, "step", "steps");
    match end {
        SimulationEnd::Finished => format!("{} after {count}\n", styled(NAME, "finished")),
        SimulationEnd::Deadlock => format!(
            "{} after {count}: no process can go on, and not all of them may end here\n",
            styled(BAD, "deadlock")
        ),
        SimulationEnd::Error { message, span } => {
            format!(
                "{} after {count}: {message}\n{}",
                styled(BAD, "error"),
                excerpt(sources, *span)
            )
        }
        SimulationEnd::Steps => format!("stopped after {count}; --steps sets how many\n"),
        SimulationEnd::Stopped => format!("stopped after {count}\n"),
    }
}

/// The run as one JSON object.
pub fn simulation_json(model: &str, sources: &Sources, seed: u64, steps: &[ShownStep], end: &SimulationEnd) -> String {
    #[derive(Serialize)]
    struct View<'a> {
        model: &'a str,
        seed: u64,
        end: &'static str,
        message: Option<&'a str>,
        location: Option<Location<'a>>,
        steps: Vec<StepView<'a>>,
    }
    let (message, span) = match end {
        SimulationEnd::Error { message, span } => (Some(message.as_str()), Some(*span)),
        _ => (None, None),
    };
    pretty(&View {
        model,
        seed,
        end: end.word(),
        message,
        location: span.map(|span| Location::new(sources, span)),
        steps: steps.iter().map(|step| StepView::new(sources, step)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use crate::style::plain;

    #[test]
    fn a_step_on_a_line() {
        let sample = Sample::handshake();
        let third = StepId::new(2);
        let step = (third, sample.violation().step(third));
        let options = TextOptions {
            width: 100,
            verbose: false,
        };
        let line = |partner, same| plain(&simulation_step(&sample.sources, step, partner, same, &options));
        let expected = "        3  Receiver[1]     line 9    c?got                     c = [], got = 1\n";
        assert_eq!(line(None, false), expected);
        assert!(line(Some("Q[2]"), true).starts_with("        3                  line 9 "));
        assert!(line(Some("Q[2]"), true).ends_with("received by Q[2]; c = [], got = 1\n"));
    }

    #[test]
    fn how_it_ended() {
        let sample = Sample::handshake();
        let violation = sample.violation();
        let end = SimulationEnd::Error {
            message: "assertion violated".to_owned(),
            span: violation.location.unwrap(),
        };
        let text = plain(&simulation_summary(&sample.sources, 5, &end));
        let expected = "error after 5 steps: assertion violated\n  --> handshake.pml:10:3\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(end.is_violation() && SimulationEnd::Deadlock.is_violation());
        assert!(!SimulationEnd::Steps.is_violation());
        let json = simulation_json("m.pml", &sample.sources, 7, &violation.steps, &end);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["end"], &json["seed"]), (&"error".into(), &7.into()));
        assert_eq!(json["location"]["line"], 10);
        assert_eq!(json["steps"][2]["statement"], "c?got");
    }
}
