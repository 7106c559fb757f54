//! Answers about small models, for tests. The tests in a browser use them too.

use crate::check::CheckedModel;
use mazurka_core::{End, Limit, Statistics};
use mazurka_promela::plain::Pid;
use mazurka_promela::verify::{
    Checked, Exchange, ExchangeKind, Kind, PropertyFindings, PropertyResult, ShownStep, StepId, Unreached, Verdict,
    Violation, ViolationKind,
};
use mazurka_promela::{FileId, Sources, Span};
use std::time::Duration;

/// A model with answers about it.
pub struct Sample {
    pub sources: Sources,
    pub initial: Vec<(String, String)>,
    pub checked: Checked,
}

const HANDSHAKE: &str = "\
chan c = [1] of { byte };
active proctype Sender() {
  byte n = 1;
  c!1;
  n++;
  printf(\"sent\\n\")
}
active proctype Receiver() { byte got;
  c?got;
  assert(got == 2);
  skip
}
";

impl Sample {
    pub fn view(&self) -> CheckedModel<'_> {
        CheckedModel {
            model: "handshake.pml",
            sources: &self.sources,
            initial: &self.initial,
            checked: &self.checked,
        }
    }

    fn of(property: PropertyResult) -> Self {
        let mut sources = Sources::default();
        sources.add("handshake.pml", HANDSHAKE);
        let checked = Checked::new(vec![property]);
        let initial = [
            ("c", "[]"),
            ("sum", "0"),
            ("Sender[0]:n", "1"),
            ("Receiver[1]:got", "0"),
        ];
        Self {
            sources,
            initial: initial.into_iter().map(owned).collect(),
            checked,
        }
    }

    /// A message with an unexpected value, and a formula that holds.
    pub fn handshake() -> Self {
        let steps = vec![
            send(step(0, "Sender", "c!1", &[("c", "[1]")]), "1"),
            step(0, "Sender", "n++", &[("Sender[0]:n", "2")]),
            receive(
                step(1, "Receiver", "c?got", &[("c", "[]"), ("Receiver[1]:got", "1")]),
                "1",
                StepId::FIRST,
            ),
            printing(step(0, "Sender", "printf(\"sent\\n\")", &[]), "sent\n"),
            step(1, "Receiver", "assert(got == 2)", &[]),
        ];
        let mut safety = property("safety", Kind::Safety, Verdict::Violated);
        let mut violation = Violation::new(ViolationKind::Assertion, "the assertion `got == 2` fails");
        violation.location = Some(span("assert(got == 2)"));
        violation.steps = steps;
        safety.violations.push(violation);
        let mut sample = Self::of(safety);
        let mut formula = property("p_sent", Kind::Ltl, Verdict::Holds);
        formula.statistics = Statistics {
            states: 1234,
            transitions: 2345,
            depth: 56,
            bytes: 3 << 20,
            time: Duration::from_millis(12),
            ..Statistics::default()
        };
        formula.reduction.note = Some("the formula is not stutter-invariant".to_owned());
        formula.unreached.push(Unreached::new("Receiver", span("skip"), "skip"));
        sample.checked.properties.push(formula);
        sample
    }

    /// A search that reached its limit.
    pub fn limited() -> Self {
        let mut property = property("safety", Kind::Safety, Verdict::Inconclusive(Limit::States.into()));
        property.end = End::Limit(Limit::States);
        Self::of(property)
    }

    /// An infinite execution, whose cycle begins with the second step.
    pub fn cycle() -> Self {
        let mut property = property("[]<> done", Kind::Ltl, Verdict::Violated);
        let message = "an infinite execution violates the formula";
        let mut violation = Violation::new(ViolationKind::AcceptanceCycle, message);
        violation.steps = vec![
            step(0, "Sender", "n++", &[("Sender[0]:n", "2")]),
            rendezvous(step(0, "Sender", "c!1", &[("Receiver[1]:got", "1")]), "1", 1),
            step(1, "Receiver", "skip", &[]),
        ];
        violation.cycle_start = Some(StepId::new(1));
        property.violations.push(violation);
        Self::of(property)
    }

    /// A counterexample of many steps.
    pub fn long(steps: usize) -> Self {
        let mut sample = Self::handshake();
        let step = |k: usize| match k % 2 {
            // There is room for one message.
            0 => {
                let mut sending = send(step(0, "Sender", "c!1", &[("c", "[1]")]), "1");
                sending.causes.extend(k.checked_sub(1).map(StepId::new));
                sending
            }
            _ => receive(
                step(
                    1,
                    "Receiver",
                    "c?got",
                    &[("c", "[]"), ("Receiver[1]:got", &k.to_string())],
                ),
                "1",
                StepId::new(k - 1),
            ),
        };
        sample.checked.properties[0].violations[0].steps = (0..steps).map(step).collect();
        sample
    }

    pub fn violation(&self) -> &Violation {
        &self.checked.properties[0].violations[0]
    }
}

fn property(name: &str, kind: Kind, verdict: Verdict) -> PropertyResult {
    let mut found = PropertyFindings::new(name, kind);
    found.reduction.persistent = Some("stubborn");
    found.reduction.sleep = true;
    PropertyResult {
        verdict,
        end: match verdict {
            Verdict::Violated => End::Stopped,
            _ => End::Complete,
        },
        statistics: Statistics {
            states: 13,
            transitions: 21,
            matched: 8,
            depth: 9,
            bytes: 4096,
            time: Duration::from_micros(1200),
            ..Statistics::default()
        },
        found,
    }
}

/// The place of a statement.
fn span(statement: &str) -> Span {
    let start = HANDSHAKE.rfind(statement).unwrap_or(0);
    Span {
        file: FileId(0),
        start: start as u32,
        end: (start + statement.len()) as u32,
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

pub fn step(pid: u8, process: &str, statement: &str, changes: &[(&str, &str)]) -> ShownStep {
    let mut step = ShownStep::new(Pid(pid), process, span(statement), statement);
    step.changes = changes.iter().copied().map(owned).collect();
    step
}

fn printing(mut step: ShownStep, text: &str) -> ShownStep {
    step.printed = text.to_owned();
    step
}

pub fn exchanging(mut step: ShownStep, kind: ExchangeKind, message: &str) -> ShownStep {
    step.exchange = Some(Exchange::new(kind, "c", 1, message));
    step
}

fn send(step: ShownStep, message: &str) -> ShownStep {
    exchanging(step, ExchangeKind::Send, message)
}

fn receive(step: ShownStep, message: &str, sent_by: StepId) -> ShownStep {
    let mut step = exchanging(step, ExchangeKind::Receive, message);
    step.exchange.as_mut().expect("just given").sent_by = Some(sent_by);
    step.causes = vec![sent_by];
    step
}

fn rendezvous(step: ShownStep, message: &str, partner: u8) -> ShownStep {
    let mut step = exchanging(step, ExchangeKind::Rendezvous, message);
    step.exchange.as_mut().expect("just given").partner = Some(Pid(partner));
    step
}
