//! Times order events in every format that has them, if a skew is given.

use mazurka_trace::{Computation, Event, Format, ImportError, ImportOptions, Input, Rule, import};

fn read(text: &str, format: Format, expression: Option<&str>, skew: u128) -> Result<Computation, ImportError> {
    let input = Input::Text {
        name: "input".into(),
        bytes: text.into(),
    };
    let mut options = ImportOptions {
        format: Some(format),
        shiviz_regex: expression.map(str::to_owned),
        ..ImportOptions::default()
    };
    options.recording.skew = Some(skew);
    let mut imported = import(input, &options)?;
    Ok(imported.executions.swap_remove(0).computation)
}

/// Whether the first event of a process has the first one of another as its cause.
fn follows(computation: &Computation, later: &str, earlier: &str) -> bool {
    let process = |name: &str| computation.process(name).unwrap_or_else(|| panic!("{name}"));
    let cause = Event::new(process(earlier), 1);
    computation.causality().causes(process(later), 1).contains(&cause)
}

const MS: u128 = 1_000_000;

#[test]
fn native_records_have_times_in_all_forms() {
    let text = "{\"process\":\"a\",\"event\":\"e\",\"time\":1.000}\n\
                {\"process\":\"b\",\"event\":\"f\",\"time\":\"1007ms,3\"}\n\
                {\"process\":\"c\",\"event\":\"g\",\"time\":\"1970-01-01T00:00:01.012Z\"}\n\
                {\"process\":\"d\",\"event\":\"h\"}\n";
    let with = |skew| read(text, Format::MAZURKA, None, skew).unwrap();
    let ordered = |skew| {
        let computation = with(skew);
        [("b", "a"), ("c", "b"), ("c", "a"), ("d", "a")].map(|(later, earlier)| follows(&computation, later, earlier))
    };
    // Exactly as far apart as the skew is not enough. What follows from others is not said again.
    assert_eq!(ordered(7 * MS), [false, false, true, false]);
    assert_eq!(ordered(6 * MS), [true, false, true, false]);
    assert_eq!(ordered(4 * MS), [true, true, false, false]);
    let used = with(4 * MS).skew().expect("it was given");
    assert_eq!((used.bound(), used.timed, used.ordered), ("4 ms".to_owned(), 3, 2));
}

#[test]
fn times_that_contradict_the_order_are_refused_with_both_places() {
    let text = "{\"process\":\"a\",\"event\":\"e\",\"send\":[\"m\"],\"time\":1.010}\n\
                {\"process\":\"b\",\"event\":\"f\",\"recv\":[\"m\"],\"time\":1.000}\n";
    assert!(follows(&read(text, Format::MAZURKA, None, 10 * MS).unwrap(), "b", "a"));
    let Err(ImportError::Problems { problems, .. }) = read(text, Format::MAZURKA, None, 9 * MS) else {
        panic!("it is a contradiction");
    };
    let [problem] = &problems[..] else {
        panic!("one problem: {problems:?}");
    };
    assert_eq!((problem.rule, problem.related.len()), (Rule::Skew, 1));
    let line = text.lines().nth(1).expect("it has two");
    assert_eq!(problem.at.map(|at| &line[at as usize..]), Some("1.000}"));
    // Hybrid clocks must grow, however large the skew is.
    let hybrid = |counter: u32| {
        let first = text.replace("1.010", "\"1.0,2\"");
        first.replace("1.000}", &format!("\"1.0,{counter}\"}}"))
    };
    assert!(read(&hybrid(2), Format::MAZURKA, None, 9 * MS).is_err());
    assert!(read(&hybrid(3), Format::MAZURKA, None, 9 * MS).is_ok());
}

#[test]
fn logs_with_clocks_have_times_besides() {
    let lines = "{\"host\":\"a\",\"VectorClock\":{\"a\":1},\"msg\":\"e\",\"ts\":5}\n\
                 {\"host\":\"b\",\"VectorClock\":{\"b\":1},\"msg\":\"f\",\"ts\":\"6s\"}\n";
    assert!(follows(&read(lines, Format::CLOCKS, None, 500 * MS).unwrap(), "b", "a"));
    assert!(!follows(
        &read(lines, Format::CLOCKS, None, 2_000 * MS).unwrap(),
        "b",
        "a"
    ));
    let log = "5.0 a {\"a\":1} e\n6.0 b {\"b\":1} f\n";
    let expression = r"(?<time>\S+) (?<host>\S+) (?<clock>\{.*\}) (?<event>.*)";
    assert!(follows(
        &read(log, Format::SHIVIZ, Some(expression), 500 * MS).unwrap(),
        "b",
        "a"
    ));
    assert!(read(&log.replace("6.0", "noon"), Format::SHIVIZ, Some(expression), 500 * MS).is_err());
}

#[test]
fn spans_that_are_not_related_are_ordered_by_their_times() {
    let spans = r#"[{"traceId":"1","id":"a","name":"first","timestamp":100,"duration":10,"localEndpoint":{"serviceName":"web"}},
                    {"traceId":"1","id":"b","name":"second","timestamp":5000,"duration":10,"localEndpoint":{"serviceName":"api"}}]"#;
    let names = ("api/second#b", "web/first#a");
    let computation = read(spans, Format::ZIPKIN, None, MS).unwrap();
    let cause = |index| Event::new(computation.process(names.1).unwrap(), index);
    let causes = computation.causality().causes(computation.process(names.0).unwrap(), 1);
    // The end of the first span.
    assert_eq!(causes, [cause(2)]);
    let computation = read(spans, Format::ZIPKIN, None, 10 * MS).unwrap();
    assert!(!follows(&computation, names.0, names.1));
}
