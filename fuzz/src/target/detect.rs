//! Predicates and formulas about a trace: two methods that both have an answer agree.

use super::{Target, fingerprint, magnitude, text};
use mazurka_trace::{
    Computation, DetectError, ImportOptions, Input, Method, Modality, Predicate, Question, Settings, SltlFormula,
    detect, import,
};
use std::time::Duration;

const WORDS: &[&str] = &[
    "p1",
    "p2",
    "p3",
    ".x",
    ".y",
    ".leader",
    ".name",
    "processes",
    ".exists(p, ",
    ".all(q, ",
    ".exists_one(p, ",
    ".filter(p, ",
    ".map(p, ",
    ".sum()",
    ".min()",
    ".max()",
    ".size()",
    "size(",
    "process(\"p1\")",
    "has(",
    "p",
    "q",
    "p.x",
    "q.y",
    "==",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "&&",
    "||",
    "!",
    "?",
    ":",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "+",
    "-",
    "*",
    "/",
    "%",
    "1",
    "0",
    "1u",
    "1.5",
    "\"a\"",
    "'b'",
    "'''",
    "r\"\\\"",
    "b'",
    "\\u00e9",
    ".`a b`",
    "0xff",
    ".5e3",
    "//\n",
    "null",
    "true",
    "false",
    "in",
    "[1, 2]",
    ".startsWith(\"a\")",
    ".matches(\"a*\")",
    "int(",
    "string(",
    "double(",
    "[]",
    "<>",
    "U",
    "->",
    "snapshot(",
];

const TRACE: &str = r#"{"process":"p1","init":true,"vars":{"x":0,"y":1,"leader":false}}
{"process":"p2","init":true,"vars":{"x":2,"leader":false}}
{"process":"p1","event":"a","vars":{"x":1},"send":["m"]}
{"process":"p3","event":"b","vars":{"y":"text"}}
{"process":"p2","event":"c","vars":{"y":3.5,"leader":true},"recv":["m"]}
{"process":"p1","event":"d","vars":{"leader":true,"x":-4}}
{"process":"p3","event":"e","vars":{"x":null,"leader":true},"recv":["m"]}
{"process":"p2","event":"f","vars":{"x":[1,2],"leader":false}}
"#;

pub fn targets() -> Vec<Target> {
    vec![
        Target {
            name: "predicate",
            about: "predicates about a trace, asked in every modality by two methods",
            samples: &[],
            words: WORDS,
            generate: None,
            run: asked,
        },
        Target {
            name: "sltl",
            about: "formulas with snapshots about a trace",
            samples: &[],
            words: WORDS,
            generate: None,
            run: formula,
        },
    ]
}

fn computation() -> Computation {
    let input = Input::Text {
        name: "trace".into(),
        bytes: TRACE.as_bytes().to_vec(),
    };
    let imported = import(input, &ImportOptions::default()).expect("the trace is right");
    imported
        .executions
        .into_iter()
        .next()
        .expect("there is one execution")
        .computation
}

fn asked(bytes: &[u8]) -> u64 {
    let predicate = match Predicate::parse(&text(bytes)) {
        Ok(predicate) => predicate,
        Err(errors) => {
            assert!(!errors.to_string().trim().is_empty(), "a message without words");
            return fingerprint((0, magnitude(errors.errors.len())));
        }
    };
    let computation = computation();
    let modalities = [
        Modality::Possibly,
        Modality::Definitely,
        Modality::Never,
        Modality::Always,
        Modality::Inevitably,
    ];
    let answers = modalities.map(|modality| {
        let question = Question {
            modality,
            predicate: predicate.clone(),
        };
        let by = |method| {
            let mut settings = Settings {
                method,
                ..Settings::default()
            };
            settings.limits.time = Some(Duration::from_secs(4));
            settings.limits.states = Some(10_000);
            match detect(&computation, &question, &settings) {
                Ok(answer) => answer.verdict.truth(),
                Err(DetectError::Internal(why)) => panic!("internal error: {why}"),
                Err(error) => {
                    assert!(!error.to_string().trim().is_empty(), "a message without words");
                    None
                }
            }
        };
        let [found, counted] = [Method::Auto, Method::Enumerate].map(by);
        if let (Some(found), Some(counted)) = (found, counted) {
            assert_eq!(found, counted, "{modality:?}: the chosen method and enumeration");
        }
        found
    });
    fingerprint((1, answers))
}

fn formula(bytes: &[u8]) -> u64 {
    match SltlFormula::parse(&text(bytes)) {
        Ok(formula) => match formula.check(&computation(), Default::default()) {
            Ok(answer) => fingerprint((answer.verdict, magnitude(format!("{:?}", answer.found).len()))),
            Err(error) => {
                assert!(!error.to_string().trim().is_empty(), "a message without words");
                fingerprint("it does not fit")
            }
        },
        Err(error) => {
            assert!(!error.to_string().trim().is_empty(), "a message without words");
            fingerprint((false, magnitude(error.to_string().len())))
        }
    }
}
