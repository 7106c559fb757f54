//! Several questions with one budget: when answers are told, and how limits and mistakes affect the other questions.

use mazurka_core::{Doubt, End, Limit, Limits, Verdict};
use mazurka_trace::{
    Answer, Asked, Budget, Companion, CutCount, ExecutionId, ImportOptions, Input, Misfit, Modality, Predicate,
    Queries, Question, Session, Settings, SltlAnswer, SltlFormula, Supervisor, import,
};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Two processes that do not communicate: three states by two.
const RUN: &str = r#"{"process":"a","init":true,"vars":{"x":0,"z":"text"}}
{"process":"a","vars":{"x":1}}
{"process":"a","vars":{"x":2}}
{"process":"b","vars":{"y":1}}
"#;

fn queries(questions: &[&str], formulas: &[&str]) -> Queries {
    let question = |text: &&str| Question {
        modality: Modality::Never,
        predicate: Predicate::parse(text).unwrap(),
    };
    Queries {
        questions: questions.iter().map(question).collect(),
        formulas: (formulas.iter().map(|text| SltlFormula::parse(text).unwrap())).collect(),
        ..Queries::default()
    }
}

fn session(queries: Queries, settings: Settings<'static>, budget: Budget) -> Session {
    let input = Input::Text {
        name: "run.jsonl".into(),
        bytes: RUN.into(),
    };
    let imported = import(input, &ImportOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let executions = imported.execution_ids().collect();
    Session::new(imported, executions, queries, settings, Supervisor::new(budget))
}

/// Records what it is told.
#[derive(Default)]
struct Log(Vec<String>);

impl Companion for Log {
    fn execution(&mut self, execution: ExecutionId) {
        self.0.push(format!("execution {}", execution.index()));
    }

    fn asking(&mut self, asked: Asked<'_>) {
        self.0.push(format!("? {}", asked.text()));
    }

    fn counting(&mut self) {
        self.0.push("counting".to_owned());
    }

    fn answered(&mut self, _: &Question, answer: &Answer) {
        self.0.push(answer.verdict.to_string());
    }

    fn checked(&mut self, _: &SltlFormula, answer: &SltlAnswer) {
        self.0.push(answer.verdict.to_string());
    }

    fn counted(&mut self, cuts: CutCount) {
        self.0.push(cuts.counted.to_string());
    }
}

#[test]
fn each_answer_is_told_when_it_is_there() {
    let asked = queries(&["a.x == 1 && b.y == 1", "a.x == 3"], &["<> snapshot(a.x == 2)"]);
    let session = session(asked, Settings::default(), Budget::default());
    let mut log = Log::default();
    let found = session.run(&mut log).unwrap();
    let expected = [
        "execution 0",
        "? never a.x == 1 && b.y == 1",
        "violated",
        "? never a.x == 3",
        "holds",
        "? sltl <> snapshot(a.x == 2)",
        "holds",
    ];
    assert_eq!(log.0, expected);
    let verdicts: Vec<Verdict> = found[0].verdicts().map(|(verdict, _)| verdict).collect();
    assert_eq!(verdicts, [Verdict::Violated, Verdict::Holds, Verdict::Holds]);
}

#[test]
fn what_cannot_be_answered_does_not_cost_the_others_their_answers() {
    let asked = queries(
        &["a.z + a.x == 1", "a.x == 3"],
        &["[] (1 / (2 - a.x) >= 0)", "<> a.x == 2"],
    );
    let session = session(asked, Settings::default(), Budget::default());
    let found = session.run(&mut ()).unwrap().remove(0);
    let verdicts: Vec<Verdict> = found.verdicts().map(|(verdict, _)| verdict).collect();
    let refused = Verdict::Inconclusive(Doubt::Refused);
    assert_eq!(verdicts, [refused, Verdict::Holds, refused, Verdict::Holds]);
    assert!(found.answers[0].1.refusal.is_some() && found.formulas[0].1.refusal.is_some());
    assert!(found.is_answered());
}

#[test]
fn what_does_not_fit_is_reported_before_anything_is_answered() {
    let mut log = Log::default();
    let question = session(
        queries(&["a.x == 1", "c.x == 1"], &[]),
        Settings::default(),
        Budget::default(),
    );
    let Misfit::Question { question, .. } = question.run(&mut log).unwrap_err() else {
        panic!("the question does not fit");
    };
    assert_eq!(question.predicate.text(), "c.x == 1");
    let formula = session(queries(&[], &["<> c.x == 1"]), Settings::default(), Budget::default());
    assert!(matches!(formula.run(&mut log), Err(Misfit::Formula { .. })));
    assert!(log.0.is_empty());
}

#[test]
fn a_limit_that_is_reached_is_the_answer() {
    let interrupt = Some(Arc::new(AtomicBool::new(true)));
    let interrupted = Budget {
        interrupt,
        ..Budget::default()
    };
    let late = Budget {
        time: Some(Duration::ZERO),
        ..Budget::default()
    };
    for (budget, limit) in [(interrupted, Limit::Interrupt), (late, Limit::Time)] {
        for asked in [queries(&["a.x == 3"], &["<> a.x == 3"]), queries(&[], &[])] {
            let session = session(asked, Settings::default(), budget.clone());
            let found = session.run(&mut ()).unwrap().remove(0);
            assert!(found.verdicts().all(|(_, end)| end == End::Limit(limit)), "{found:?}");
        }
    }
}

#[test]
fn cuts_are_counted_up_to_the_limit_on_states() {
    for threads in [1, 3] {
        for (states, limit) in [
            (None, None),
            (Some(6), None),
            (Some(5), Some(Limit::States)),
            (Some(0), Some(Limit::States)),
        ] {
            let limits = Limits {
                states,
                ..Limits::default()
            };
            let settings = Settings {
                threads,
                limits,
                ..Settings::default()
            };
            let session = session(queries(&[], &[]), settings, Budget::default());
            let cuts = session.run(&mut ()).unwrap()[0].cuts.unwrap();
            assert_eq!(cuts.limit, limit, "{states:?}");
            assert!(match limit {
                None => cuts.counted == 6,
                Some(_) => cuts.counted > states.unwrap(),
            });
        }
    }
}
