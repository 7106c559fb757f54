//! What would be lost without a word.

use super::*;

/// `a` says `var` for `vars`.
const MISSPELT: &str = "{\"process\":\"a\",\"var\":{\"x\":1}}\n{\"process\":\"b\",\"vars\":{\"x\":0}}\n";

#[test]
fn a_misspelt_key_is_an_error_with_a_suggestion() {
    let scenario = Scenario::with("run.jsonl", MISSPELT);
    scenario
        .run(&["detect", "run.jsonl", "--never", "a.x == 1"])
        .code(2)
        .prints_nothing()
        .complains("error[field]: a record has no field `var`; did you mean `vars`?")
        .complains("--> run.jsonl:1:16\n")
        .complains("run.jsonl cannot be used (read as mazurka): it has an error");
    for (key, meant) in [
        ("sends", "send"),
        ("recvs", "recv"),
        ("Clock", "clock"),
        ("receive", "recv"),
    ] {
        let trace = format!("{{\"process\":\"a\",\"vars\":{{\"x\":0}}}}\n{{\"process\":\"a\",\"{key}\":[]}}\n");
        for follow in [&["--follow"][..], &[]] {
            let scenario = Scenario::with("run.jsonl", &trace);
            let arguments = [&["detect", "run.jsonl", "--never", "a.x == 1"], follow].concat();
            scenario
                .run(&arguments)
                .code(2)
                .complains(&format!("a record has no field `{key}`; did you mean `{meant}`?"));
        }
    }
}

#[test]
fn two_values_for_one_name_are_an_error() {
    for (record, said) in [
        (
            r#"{"process":"a","vars":{"x":1},"vars":{"x":0}}"#,
            "the record has two fields `vars`",
        ),
        (
            r#"{"process":"a","vars":{"x":1,"x":0}}"#,
            "the record assigns `x` twice",
        ),
        (
            r#"{"process":"a","vars":{"x":{"y":1,"y":0}}}"#,
            "an object has two entries `y`",
        ),
    ] {
        let scenario = Scenario::with("run.jsonl", format!("{record}\n"));
        scenario
            .run(&["detect", "run.jsonl", "--never", "a.x == 1"])
            .code(2)
            .complains(said);
    }
}

#[test]
fn a_process_that_never_assigns_what_is_read_of_it_is_said() {
    let trace = "{\"process\":\"a\",\"vars\":{\"y\":1}}\n{\"process\":\"b\",\"vars\":{\"x\":0}}\n";
    let scenario = Scenario::with("run.jsonl", trace);
    let said = "`a` never assigns `x`, which `never a.x == 1` reads; b does";
    for follow in [&["--follow"][..], &[]] {
        let arguments = [&["detect", "run.jsonl", "--never", "a.x == 1"], follow].concat();
        let ended = scenario.run(&arguments).code(0);
        ended.complains("warning[never-assigned]: ").says("holds");
        scenario.run(&arguments).complains(said);
        let quiet = scenario.run(&[&arguments[..], &["--quiet"]].concat()).code(0);
        assert_eq!(quiet.stderr, "");
        let json = scenario.run(&[&arguments[..], &["--format", "json"]].concat()).code(0);
        let last = json.stdout.lines().last().filter(|_| !follow.is_empty());
        let all: Value = serde_json::from_str(last.unwrap_or(&json.stdout)).expect("JSON");
        assert_eq!(all["warnings"][0]["rule"], "never-assigned");
        assert_eq!(all["warnings"][0]["message"], said);
    }
    let report = ["detect", "run.jsonl", "--never", "a.x == 1", "--report", "run.html"];
    scenario.run(&report).code(0);
    let page = std::fs::read_to_string(scenario.path("run.html")).expect("it was written");
    assert!(page.contains("`a` never assigns `x`"));
    // Nobody expects it of all processes, nor of one that has a default.
    for fine in [
        &["--never", "processes.exists(p, p.x == 1)"][..],
        &["--never", "has(a.x) && b.x == 1"],
        &["--never", "a.x == 1", "--default", "x=0"],
    ] {
        let ended = scenario.run(&[&["detect", "run.jsonl"], fine].concat()).code(0);
        assert_eq!(ended.stderr, "", "{fine:?}");
    }
    scenario
        .run(&["detect", "run.jsonl", "--sltl", "[] !(a.x == 1)"])
        .code(0)
        .complains("`a` never assigns `x`, which `sltl [] !(a.x == 1)` reads");
}

#[test]
fn a_default_that_nothing_reads_is_said() {
    let scenario = Scenario::with("run.jsonl", COUNTERS);
    scenario
        .run(&["detect", "run.jsonl", "--never", "p1.x == 9", "--default", "xx=0"])
        .code(0)
        .complains("warning[unread-default]: no query reads `xx`")
        .complains("did you mean `x`?");
}

#[test]
fn lines_that_an_expression_passes_over_are_said() {
    let log = "a {\"a\":1} x=1\nnonsense\nb: {\"b\":1} x=2\n";
    let scenario = Scenario::with("run.log", log);
    let expression = r"^(?<host>\S+) (?<clock>\{.*?\}) (?<event>.*)$";
    let ask = ["detect", "run.log", "--never", "a.x == 9", "--shiviz-regex"];
    scenario
        .run(&[&ask[..], &["^(?<host>a) (?<clock>{.*}) (?<event>.*)$"]].concat())
        .code(0)
        .complains("warning[passed-over]: 2 lines are not part of a record")
        .complains("--> run.log:2:1\n");
    scenario
        .run(&[&ask[..], &["^(?<host>zzz) (?<clock>{.*})$"]].concat())
        .code(2)
        .complains("matches nothing in this file");
    scenario.run(&[&ask[..], &[expression]].concat()).code(2);
}

#[test]
fn spans_that_lose_their_order_are_said() {
    let span = |id: &str, more: &str| format!("{{\"traceId\":\"1\",\"id\":\"{id}\",\"tags\":{{\"x\":\"1\"}}{more}}}");
    let ask = ["detect", "run.json", "--never", "processes.exists(p, p.x == 9)"];
    for (spans, rule) in [
        (vec![span("a", ",\"parentId\":\"z\"")], "unknown-parent"),
        (vec![span("a", ""), span("a", "")], "doubled-span"),
        (vec![span("a", ",\"kind\":\"SERVR\"")], "unknown-kind"),
    ] {
        let scenario = Scenario::with("run.json", format!("[{}]", spans.join(",\n")));
        scenario.run(&ask).code(0).complains(&format!("warning[{rule}]"));
    }
    let no_spans = "{\"resourceSpans\":[]}\n";
    let scenario = Scenario::with("run.json", no_spans);
    scenario
        .run(&ask)
        .code(2)
        .complains("there is no span in this file, which was read as otlp")
        .complains("--> run.json:1:1\n");
}

#[test]
fn options_that_say_nothing_about_an_input_are_said() {
    let scenario = Scenario::with("run.jsonl", COUNTERS);
    scenario
        .run(&["detect", "run.jsonl", "--never", "p1.x == 9", "--process-by", "service"])
        .code(0)
        .complains("warning[option-without-effect]: `--process-by` is for spans");
}

#[test]
fn as_many_errors_are_counted_as_there_are() {
    let receives = "{\"process\":\"p\",\"recv\":[\"m\"]}\n".repeat(100);
    let scenario = Scenario::with("run.jsonl", receives).and("more.jsonl", "{\n".repeat(100));
    let ask = ["--never", "p.x == 9", "--input", "mazurka"];
    scenario
        .run(&[&["detect", "run.jsonl"], &ask[..]].concat())
        .code(2)
        .complains("it has 100 errors; the first 20 are shown");
    scenario
        .run(&[&["detect", "more.jsonl"], &ask[..]].concat())
        .code(2)
        .complains("it has at least 20 errors; reading was given up");
    let all = scenario
        .run(&["trace", "lint", "run.jsonl", "--format", "json"])
        .code(2)
        .json();
    assert_eq!((&all["errors"], &all["gave_up"]), (&json!(100), &json!(false)));
}
