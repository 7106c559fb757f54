//! Every JSON output fits its schema in `docs/schema`, and every property of a schema occurs in some output.

use crate::documents::console::Console;
use crate::documents::schema::Schemas;
use mazurka_core::Limit;
use mazurka_experiments::{Cached, Fit, Form, Setup, Spread, find};
use mazurka_report::detection::unread_json;
use mazurka_report::experiment_json;
use mazurka_trace::{Modality, Pattern, PatternModality, Predicate, Queries, Question, SltlFormula};
use serde_json::Value;
use std::time::Duration;

/// Commands, each with the schema of its output. The files are in `inputs`.
const COMMANDS: &[(&str, &str)] = &[
    ("check", "check messages.pml --all"),
    ("check", "check messages.pml --reduction none"),
    (
        "check",
        "check messages.pml --persistent overman --reduction persistent",
    ),
    ("check", "check ends.pml"),
    ("check", "check divides.pml"),
    ("check", "check stuck.pml"),
    ("check", "check claims.pml"),
    ("check", "check claims.pml --property acceptance --property progress"),
    ("check", "check claims.pml --store bitstate=1MiB"),
    ("check", "check never.pml"),
    ("check", "check order.pml"),
    ("check", "check examples/counter.pml --store cache=100 --max-states 2"),
    ("check", "check examples/counter.pml --timeout 1ns"),
    ("check", "check examples/transactions.pml -DEARLY"),
    ("check", "check apart.pml --ltl '[] !snapshot(x && y)'"),
    ("simulate", "simulate messages.pml --seed 1"),
    ("simulate", "simulate messages.pml --seed 2"),
    ("simulate", "simulate ends.pml"),
    ("simulate", "simulate loops.pml --steps 3"),
    ("simulate", "simulate divides.pml"),
    ("simulate", "simulate stuck.pml"),
    (
        "detect",
        "detect run.jsonl --possibly 'a.x == 1' --definitely 'a.x == 1 && b.x == 1' --never 'a.x == 1' \
         --always 'a.x == 1' --inevitably 'a.x == 7'",
    ),
    ("detect", "detect run.jsonl --possibly 'a.x == 1' --default y=1"),
    (
        "detect",
        "detect run.jsonl --possibly 'a.x == 1' --reduction none --max-states 1",
    ),
    ("detect", "detect run.jsonl --possibly 'a.x == 1' --method enumerate"),
    ("detect", "detect run.jsonl --method enumerate"),
    // Long enough to read the input on a busy machine, and much too short to count.
    ("detect", "detect large.jsonl --method enumerate --timeout 2s"),
    (
        "detect",
        "detect run.jsonl --sltl '[] !snapshot(a.x == 1 && b.x == 1)' --sltl '<> snapshot(a.x == 9)' \
         --sltl '[] (a.x >= 0)'",
    ),
    (
        "detect",
        "detect run.jsonl --possibly-sequence 'a.x == 1' 'b.x == 1' --never-sequence 'b.x == 7' 'a.x == 1' \
         --possibly-ltl '<> (a.x == 1)' --definitely-ltl '[] (a.x == 1)' --never-ltl '<> (a.x == 7)' \
         --always-ltl '[] (a.x == 1)'",
    ),
    (
        "detect",
        "detect run.jsonl --always-ltl '[] (a.x == 1)' --method enumerate --max-states 1",
    ),
    (
        "detect",
        "detect timed.jsonl --skew 5ms --possibly 'a.x == 1 && b.x == 1' --sltl '<> snapshot(a.x == 1)' \
         --possibly-sequence 'b.x == 1' 'a.x == 1'",
    ),
    ("detect", "detect gap.log --holes --possibly 'a.x == 2'"),
    (
        "detect",
        "detect two.log --shiviz-delimiter '^=== (?<trace>.*)$' --possibly 'a.x == 2'",
    ),
    (
        "detect",
        "detect two.log --shiviz-delimiter '^=== (?<trace>.*)$' --possibly 'a.x == 2' --execution second",
    ),
    (
        "follow",
        "detect run.jsonl --follow --never 'a.x == 1' --definitely 'a.x == 1' --sltl '[] !snapshot(a.x == 1)'",
    ),
    (
        "follow",
        "detect broken.jsonl --follow --never 'a.x == 1' --never 'a.x == 5' --sltl '<> (a.x == 5)'",
    ),
    ("linear", "detect stale.log --linearizable register"),
    ("linear", "detect keys.edn --linearizable kv"),
    ("linear", "detect keys.edn --linearizable kv --max-states 0"),
    ("lint", "trace lint examples/two-leaders.log"),
    ("lint", "trace lint gap.log"),
    ("lint", "trace lint gap.log --holes"),
    ("lint", "trace lint broken.jsonl"),
    ("reproduce", "reproduce"),
    ("reproduce", "reproduce producer-consumer --quick"),
    ("reproduce", "reproduce philosophers producer-consumer --quick"),
];

/// The problems of a text that should be JSON, or several lines of JSON.
fn problems(schemas: &Schemas, schema: &str, text: &str, lines: bool) -> Vec<String> {
    let texts: Vec<&str> = if lines { text.lines().collect() } else { vec![text] };
    assert!(!texts.is_empty(), "nothing was printed");
    let problems = texts.iter().flat_map(|text| {
        let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        schemas.problems(&format!("{schema}.json"), &value)
    });
    problems.collect()
}

/// An experiment with every optional part.
fn experiment() -> String {
    let entry = find("producer-consumer").expect("it is listed");
    let setup = Setup {
        quick: true,
        ..Setup::default()
    };
    let mut experiment = entry.run(&setup, &mut |_| ()).expect("it runs");
    let series = &mut experiment.series[0];
    series.family = Some("family".to_owned());
    series.fits = [Form::Linear, Form::Exponential, Form::Polynomial]
        .map(|form| Fit {
            form,
            a: 1.5,
            b: -2.0,
            squares: (form == Form::Linear).then_some(0.25),
            range: (1.0, 10.0),
        })
        .to_vec();
    series.points[0].spread = Some(Spread {
        least: 1,
        median: 2,
        most: 3,
    });
    series.points[0].cached = Some(Cached {
        stored: 4,
        cleared: 5,
        matched: 6,
    });
    series.points[0].time = Some(Duration::from_millis(7));
    experiment_json(&experiment)
}

/// The output if a limit is reached before the input is read.
fn unread() -> String {
    let question = Question {
        modality: Modality::Never,
        predicate: Predicate::parse("a.x").expect("it is one"),
    };
    let queries = Queries {
        questions: vec![question],
        formulas: vec![SltlFormula::parse("[] a.x").expect("it is one")],
        patterns: vec![Pattern::ltl(PatternModality::AlwaysLtl, "[] a.x").expect("it is one")],
    };
    unread_json("run.jsonl", &queries, Limit::Time)
}

#[test]
fn outputs_fit_their_schemas_and_schemas_their_outputs() {
    let schemas = Schemas::read();
    let mut console = Console::new();
    console.put("crates/cli/tests/it/documents/inputs");
    console.stdout("mazurka generate primary-secondary --processes 12 --states 60 --out large.jsonl --quiet");
    let mut wrong = Vec::new();
    for (schema, command) in COMMANDS {
        let printed = console.stdout(&format!("mazurka {command} --format json --quiet"));
        let problems = problems(&schemas, schema, &printed, *schema == "follow");
        wrong.extend(
            problems
                .into_iter()
                .map(|problem| format!("mazurka {command}: {problem}")),
        );
    }
    wrong.extend(problems(&schemas, "reproduce", &experiment(), false));
    wrong.extend(problems(&schemas, "detect", &unread(), false));
    for command in [
        "cat run.jsonl",
        "cat timed.jsonl",
        "mazurka generate database-partition --processes 3 --states 5",
        "mazurka check messages.pml --quiet --trace-out out.jsonl > /dev/null; cat out.jsonl",
    ] {
        wrong.extend(problems(&schemas, "trace-record", &console.stdout(command), true));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unseen = schemas.unseen();
    assert!(unseen.is_empty(), "in no output:\n{}", unseen.join("\n"));
}

#[test]
fn the_schema_of_records_refuses_what_the_importer_refuses() {
    let schemas = Schemas::read();
    let mut console = Console::new();
    for (record, is_right) in [
        (r#"{"process":"a"}"#, true),
        (
            r#"{"process":"a","event":null,"vars":null,"send":null,"recv":null,"clock":null,"init":null}"#,
            true,
        ),
        (r#"{"process":"a","vars":{"x":{"y":[1,"2",null]}},"send":["m"]}"#, true),
        (r#"{"process":"a","time":1.5}"#, true),
        (r#"{"process":"a","time":"2024-05-01T12:00:00Z"}"#, true),
        (r#"{"process":"a","time":-1}"#, false),
        (r#"{"process":"a","time":true}"#, false),
        (r#"{"event":"e"}"#, false),
        (r#"{"process":1}"#, false),
        (r#"{"process":"a","event":1}"#, false),
        (r#"{"process":"a","init":1}"#, false),
        (r#"{"process":"a","vars":[1]}"#, false),
        (r#"{"process":"a","var":{"x":1}}"#, false),
        (r#"{"process":"a","send":"m"}"#, false),
        (r#"{"process":"a","send":[1]}"#, false),
        (r#"{"process":"a","clock":{"a":"1"}}"#, false),
        (r#"{"process":"a","clock":{"a":-1}}"#, false),
    ] {
        let value = serde_json::from_str(record).expect("it is JSON");
        assert_eq!(
            schemas.problems("trace-record.json", &value).is_empty(),
            is_right,
            "{record}"
        );
        let printed = console.stdout(&format!(
            "echo '{record}' | mazurka trace lint - --input mazurka --format json"
        ));
        let lint: Value = serde_json::from_str(&printed).expect("it is JSON");
        assert_eq!(lint["errors"] == 0, is_right, "{record}: {printed}");
    }
}
