//! Broken inputs: the rule that each breaks, with line and column.

use mazurka_trace::{Format, ImportError, ImportOptions, Input, Lint, ProcessBy, Rule, import, lint};
use std::collections::BTreeSet;

fn text(bytes: impl Into<Vec<u8>>) -> Input {
    Input::Text {
        name: "t".into(),
        bytes: bytes.into(),
    }
}

/// The problems of an input: rule, line and column of each.
fn wrong_with(bytes: impl Into<Vec<u8>>, options: &ImportOptions) -> Vec<(&'static str, u64, u64)> {
    let error = import(text(bytes), options).expect_err("this is broken");
    let ImportError::Problems { sources, problems, .. } = error else {
        panic!("{error}")
    };
    let where_ = |p: &mazurka_trace::Problem| {
        let (_, line, column) = sources.line_column(p.place, p.at.unwrap_or(0));
        (p.rule.id(), line, column)
    };
    problems.iter().map(where_).collect()
}

fn wrong(format: Format, bytes: impl Into<Vec<u8>>) -> Vec<(&'static str, u64, u64)> {
    let options = ImportOptions {
        format: Some(format),
        ..ImportOptions::default()
    };
    wrong_with(bytes, &options)
}

/// Native inputs. `¦` stands before the place of the first problem and is not part of the input.
const NATIVE: &[(&str, &str)] = &[
    ("syntax", "{\"process\":\"p\"}\n¦[1]\n"),
    ("syntax", "{\"process\":\"p\"}\n  ¦nonsense\n"),
    ("syntax", "{\"process\":\"p\",\"vars\":{\"x\":¦}}\n"),
    ("syntax", "{\"process\":\"p\"} ¦x\n"),
    ("syntax", "{\"process\":\"p\",\"event\":¦\"\\ud800\"}\n"),
    ("syntax", "{\"process\":\"p\",\"event\":\"a¦\u{0}b\"}\n"),
    ("field", "{\"process\":\"p\",¦\"process\":\"q\"}\n"),
    ("field", "{\"process\":¦7}\n"),
    ("field", "¦{\"event\":\"e\"}\n"),
    ("field", "{\"process\":\"p\",\"event\":¦true}\n"),
    ("field", "{\"process\":\"p\",\"init\":¦1}\n"),
    ("field", "{\"process\":\"p\",\"vars\":¦[]}\n"),
    ("field", "{\"process\":\"p\",\"send\":¦\"m\"}\n"),
    ("field", "{\"process\":\"p\",\"recv\":[\"m\",¦5]}\n"),
    ("field", "{\"process\":\"p\",\"clock\":¦[1]}\n"),
    ("field", "{\"process\":\"p\",\"clock\":{\"p\":¦1.5}}\n"),
    ("field", "{\"process\":\"p\",\"clock\":{\"p\":1,\"q\":¦-1}}\n"),
    ("field", "{\"process\":\"p\",\"clock\":{\"p\":1,\"q\":¦4294967296}}\n"),
    ("field", "{\"process\":\"p\",\"clock\":{\"p\":1,\"p\":¦1}}\n"),
    ("field", "{\"process\":\"p\",\"init\":true,\"event\":¦\"e\"}\n"),
    ("field", "{\"process\":\"p\",\"init\":true,\"send\":[¦\"m\"]}\n"),
    ("field", "{\"process\":\"p\",\"init\":true,\"clock\":{\"p\":¦1}}\n"),
    (
        "init-first",
        "{\"process\":\"p\"}\n¦{\"process\":\"p\",\"init\":true}\n",
    ),
    (
        "init-first",
        "{\"process\":\"p\",\"init\":true}\n¦{\"process\":\"p\",\"init\":true}\n",
    ),
    (
        "sent-once",
        "{\"process\":\"p\",\"send\":[\"m\"]}\n{\"process\":\"q\",\"send\":[\"n\",¦\"m\"]}\n",
    ),
    (
        "receive-without-send",
        "{\"process\":\"p\",\"send\":[\"m\"],\"recv\":[¦\"n\"]}\n",
    ),
    (
        "own-entry",
        "{\"process\":\"p\",\"clock\":{\"p\":1}}\n{\"process\":\"p\",\"clock\":{\"p\":¦3}}\n",
    ),
    ("own-entry", "{\"process\":\"p\",\"clock\":¦{}}\n"),
    (
        "clock-goes-back",
        "{\"process\":\"q\",\"clock\":{\"q\":1}}\n{\"process\":\"p\",\"clock\":{\"p\":1,\"q\":1}}\n\
         {\"process\":\"p\",\"clock\":{\"p\":2,\"q\":¦0}}\n",
    ),
    (
        "unknown-event",
        "{\"process\":\"p\",\"clock\":{\"p\":1,\"q\":¦2}}\n{\"process\":\"q\"}\n",
    ),
    (
        "not-transitive",
        "{\"process\":\"p\",\"clock\":{\"p\":1}}\n{\"process\":\"q\",\"clock\":{\"q\":1,\"p\":1}}\n\
         {\"process\":\"r\",\"clock\":¦{\"r\":1,\"q\":1}}\n",
    ),
    (
        "cycle",
        "¦{\"process\":\"p\",\"send\":[\"a\"],\"recv\":[\"b\"]}\n{\"process\":\"q\",\"send\":[\"b\"],\"recv\":[\"a\"]}\n",
    ),
];

#[test]
fn native_problems_have_their_place() {
    for (rule, marked) in NATIVE {
        let at = marked.find('¦').unwrap();
        let line = marked[..at].matches('\n').count() as u64 + 1;
        let column = marked[..at].rsplit('\n').next().unwrap().chars().count() as u64 + 1;
        let found = wrong(Format::MAZURKA, marked.replace('¦', ""));
        assert_eq!(found[0], (*rule, line, column), "{marked}");
    }
}

#[test]
fn every_rule_is_broken_by_some_input() {
    let broken: BTreeSet<&str> = NATIVE.iter().map(|(rule, _)| *rule).collect();
    let all = [
        Rule::Syntax,
        Rule::Field,
        Rule::InitFirst,
        Rule::SentOnce,
        Rule::SentBeforeReceived,
        Rule::OwnEntry,
        Rule::Monotone,
        Rule::KnownEvents,
        Rule::Transitive,
        Rule::Acyclic,
    ];
    assert_eq!(broken, all.iter().map(|rule| rule.id()).collect());
}

#[test]
fn a_cut_off_last_line_is_called_so() {
    let input = text("{\"process\":\"p\"}\n{\"process\":\"p\",\"ev");
    let found = lint(input, &ImportOptions::default()).unwrap();
    assert_eq!(found.findings[0].rule, "syntax");
    assert!(
        found.findings[0].message.starts_with("the last line is cut off"),
        "{found}"
    );
    let spot = found.findings[0].spot.clone().unwrap();
    assert_eq!((spot.line, spot.column), (2, 19));
}

#[test]
fn bytes_that_are_not_utf8_are_found() {
    let found = wrong(Format::MAZURKA, b"{\"process\":\"p\xff\"}\n".to_vec());
    assert_eq!(found, [("syntax", 1, 14)]);
    let found = wrong(Format::SHIVIZ, b"event\np {\"p\":1}\nx\xfe\n".to_vec());
    assert_eq!(found, [("syntax", 3, 2)]);
}

#[test]
fn long_lines_are_read_and_shown_in_part() {
    let long = format!("{{\"process\":\"p\",\"vars\":{{\"x\":\"{}\"}}}}\n", "x".repeat(1 << 20));
    assert!(import(text(long.clone()), &ImportOptions::default()).is_ok());
    let broken = long.replace("\"}}", "\"}");
    let found = lint(text(broken), &ImportOptions::default()).unwrap();
    let spot = found.findings[0].spot.as_ref().unwrap();
    assert!(spot.column > 1 << 20 && spot.text.chars().count() < 400);
}

#[test]
fn reading_is_given_up_after_twenty_problems() {
    assert_eq!(wrong(Format::MAZURKA, "{\n".repeat(100)).len(), 20);
    let receives = "{\"process\":\"p\",\"recv\":[\"m\"]}\n".repeat(100);
    assert_eq!(wrong(Format::MAZURKA, receives).len(), 20);
}

#[test]
fn shiviz_problems() {
    let shiviz = |log: &str| wrong(Format::SHIVIZ, log);
    assert_eq!(shiviz("a\np {\"p\":1}\nb\np {\"p\":3}\n"), [("own-entry", 4, 8)]);
    assert_eq!(shiviz("a\np {\"p\":1}\nb\np {\"p\":1}\n"), [("own-entry", 4, 8)]);
    assert_eq!(shiviz("a\np {\"q\":1}\nb\nq {\"q\":1}\n"), [("own-entry", 2, 3)]);
    assert_eq!(shiviz("a\np {\"p\":1, \"q\":7}\n"), [("unknown-event", 2, 15)]);
    assert_eq!(shiviz("a\np {\"p\":1,}\n"), [("syntax", 2, 10)]);
    assert_eq!(shiviz("a\np {\"p\":\"one\"}\n"), [("field", 2, 8)]);
    assert_eq!(shiviz("a\np {\"p\":1}\nb\np {\"p\":2\n"), [("syntax", 3, 1)]);
    assert_eq!(shiviz("a\n {\"p\":1}\n"), [("field", 2, 1)]);
}

#[test]
fn tlc_problems_are_found_behind_escaped_quotes() {
    let log = "State 2: <A line 1>\n/\\ Host = p1\n/\\ Clock = \"{\\\"p1\\\":2}\"\n";
    let found = wrong_with(log, &ImportOptions::default());
    assert_eq!(found, [("own-entry", 3, 21)]);
}

#[test]
fn wrong_expressions_are_refused() {
    for (expression, why) in [
        ("(?<host>.*)", "has no group `(?<clock>…)`"),
        ("(?<host>a)(?<clock>b)(?=c)", "is wrong"),
    ] {
        let options = ImportOptions {
            shiviz_regex: Some(expression.into()),
            ..ImportOptions::default()
        };
        let error = import(text("a"), &options).unwrap_err();
        assert!(matches!(error, ImportError::BadRegex { .. }));
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn govector_problems() {
    let govector = |log: &str| wrong(Format::GOVECTOR, log);
    assert_eq!(govector("p {\"p\":1}\nup\n  nothing\n"), [("syntax", 3, 3)]);
    assert_eq!(govector("p {\"p\":1}\nup\np {\"p\":2}\n"), [("syntax", 3, 10)]);
    assert_eq!(govector("p {\"p\":1}\nup\np {\"p\":1}\nup\n"), [("own-entry", 3, 8)]);
    assert_eq!(govector("p {\"p\":x}\nup\n"), [("syntax", 1, 8)]);
    assert_eq!(govector("17 p {\"p\":1, \"q\":1}\nup\n"), [("unknown-event", 1, 18)]);
    assert_eq!(
        govector("p {\"p\":1, \"q\":1}\na\nq {\"q\":1, \"p\":1}\nb\n"),
        [("cycle", 1, 1)]
    );
}

#[test]
fn clocked_problems() {
    let clocked = |log: &str| wrong(Format::CLOCKS, log);
    assert_eq!(clocked("{\"host\":\"a\"}\n"), [("field", 1, 1)]);
    assert_eq!(clocked("{\"clock\":{\"a\":1}}\n"), [("field", 1, 1)]);
    assert_eq!(clocked("{\"host\":[],\"clock\":{\"a\":1}}\n"), [("field", 1, 9)]);
    assert_eq!(clocked("{\"host\":\"a\",\"clock\":3}\n"), [("field", 1, 21)]);
    assert_eq!(
        clocked("{\"host\":\"a\",\"vclock\":{\"a\":2}}\n"),
        [("own-entry", 1, 27)]
    );
    assert_eq!(clocked("{\"host\":\"a\",\"vclock\":{\"a\":1}\n"), [("syntax", 1, 29)]);
    assert_eq!(
        clocked("{\"host\":\"a\",\"vclock\":{\"a\":1},\"x\":1e999}\n"),
        [("syntax", 1, 38)]
    );
}

#[test]
fn span_problems() {
    let otlp = |spans: &str| {
        wrong(
            Format::OTLP,
            format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[\n{spans}\n]}}]}}]}}"),
        )
    };
    assert_eq!(otlp("{\"spanId\":\"1\"}"), [("field", 2, 1)]);
    assert_eq!(otlp("{\"traceId\":\"1\"}"), [("field", 2, 1)]);
    assert_eq!(otlp("{\"traceId\":\"1\",\"spanId\":2}"), [("field", 2, 25)]);
    assert_eq!(otlp("{\"traceId\":\"1\",}"), [("syntax", 2, 16)]);
    assert_eq!(wrong(Format::OTLP, "{\"resourceSpans\":[\n"), [("syntax", 2, 1)]);
    assert_eq!(
        wrong(
            Format::JAEGER,
            "{\"data\":[{\"spans\":[\n{\"traceID\":\"1\",\"spanID\":true}]}]}"
        ),
        [("field", 2, 28)]
    );
    assert_eq!(wrong(Format::JAEGER, "{\"data\":[{\"spans\":[\n"), [("syntax", 2, 1)]);
    assert_eq!(
        wrong(
            Format::ZIPKIN,
            "[\n{\"traceId\":\"1\",\"id\":\"1\",\"duration\":\"long\"}]"
        ),
        [("field", 2, 41)]
    );
    assert_eq!(wrong(Format::ZIPKIN, "{}"), [("field", 1, 1)]);
    // A span that is its own ancestor.
    let loops =
        "[\n{\"traceId\":\"1\",\"id\":\"a\",\"parentId\":\"b\"},\n{\"traceId\":\"1\",\"id\":\"b\",\"parentId\":\"a\"}]";
    assert_eq!(wrong(Format::ZIPKIN, loops), [("cycle", 2, 1)]);
}

#[test]
fn clocks_that_disagree_make_a_cycle_that_is_told_by_the_names_of_spans() {
    // The server's clock is ahead of the client's, so it seems to serve after the client has finished.
    let spans = "[\n\
        {\"traceId\":\"1\",\"id\":\"a\",\"name\":\"call\",\"kind\":\"CLIENT\",\"timestamp\":100,\"duration\":10,\"localEndpoint\":{\"serviceName\":\"web\"}},\n\
        {\"traceId\":\"1\",\"id\":\"b\",\"parentId\":\"a\",\"name\":\"serve\",\"kind\":\"SERVER\",\"timestamp\":205,\"duration\":2,\"localEndpoint\":{\"serviceName\":\"api\"}},\n\
        {\"traceId\":\"1\",\"id\":\"c\",\"parentId\":\"b\",\"name\":\"back\",\"kind\":\"CLIENT\",\"timestamp\":204,\"duration\":9,\"localEndpoint\":{\"serviceName\":\"api\"}}]";
    let options = ImportOptions {
        process_by: ProcessBy::Service,
        ..ImportOptions::default()
    };
    let error = import(text(spans), &options).unwrap_err();
    let ImportError::Problems { problems, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(problems[0].rule, Rule::Acyclic);
    assert_eq!(
        problems[0].message,
        "these happen before one another: the start of span `back` (c of `api` at 0.000204000 s) follows \
         the start of span `serve` (b of `api` at 0.000205000 s), which comes after \
         the start of span `back` (c of `api` at 0.000204000 s)"
    );
    assert!(import(text(spans), &ImportOptions::default()).is_ok());
    let no_time = spans.replace("\"timestamp\":100,", "");
    assert_eq!(wrong_with(no_time, &options), [("field", 2, 1)]);
}

#[test]
fn findings_are_drawn_like_a_compiler_draws_them() {
    let log = "{\"process\":\"p\",\"send\":[\"m\"]}\n{\"process\":\"q\",\"send\":[\"m\"]}\n";
    let ImportError::Problems {
        format,
        sources,
        problems,
        count,
    } = import(text(log), &ImportOptions::default()).unwrap_err()
    else {
        panic!()
    };
    let drawn = Lint::of_problems(format, &sources, &problems, count).to_string();
    let expected = r#"error[sent-once]: message `m` is sent a second time
 --> t:2:24
  |
2 | {"process":"q","send":["m"]}
  |                        ^ expected a name of its own for every message
 ::: t:1:1
  |
1 | {"process":"p","send":["m"]}
  | - it was sent here
"#;
    assert_eq!(drawn, expected);
    assert_eq!(
        lint(text(log), &ImportOptions::default()).unwrap().to_string(),
        expected
    );
}
