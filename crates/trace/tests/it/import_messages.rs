//! Every message of the importers, with an input that causes it.
//!
//! A message says what is wrong, where, and what to do. `¦` stands before the place and is
//! not part of the input. The list is complete: a new message of an importer is added
//! here as well.

use mazurka_trace::{Format, ImportError, ImportOptions, Input, ProcessBy, import};

fn options(format: Format) -> ImportOptions {
    ImportOptions {
        format: Some(format),
        ..ImportOptions::default()
    }
}

/// The first problem of a marked input: message, expectation, and whether it is at the mark.
fn said(marked: &str, options: &ImportOptions) -> (String, String, (u64, u64), (u64, u64)) {
    let at = marked.find('¦').unwrap_or_else(|| panic!("no mark in {marked}"));
    let line = marked[..at].matches('\n').count() as u64 + 1;
    let column = marked[..at].rsplit('\n').next().unwrap().chars().count() as u64 + 1;
    let input = Input::Text {
        name: "t".into(),
        bytes: marked.replace('¦', "").into_bytes(),
    };
    let error = import(input, options).expect_err(marked);
    let ImportError::Problems { sources, problems, .. } = error else {
        panic!("{error}\n{marked}")
    };
    let first = &problems[0];
    let (_, found_line, found_column) = sources.line_column(first.place, first.at.unwrap_or(0));
    let expected = first.expected.clone();
    let expected = expected.unwrap_or_else(|| panic!("`{}` does not say what was expected", first.message));
    (
        first.message.clone(),
        expected,
        (line, column),
        (found_line, found_column),
    )
}

/// The messages that differ from the list.
fn differences(cases: &[(&str, &str, &str)], options: &ImportOptions) -> String {
    let mut wrong = String::new();
    for (marked, message, expected) in cases {
        let (now, now_expected, mark, found) = said(marked, options);
        if (now.as_str(), now_expected.as_str(), found) != (*message, *expected, mark) {
            wrong += &format!("(\n    {marked:?},\n    {now:?},\n    {now_expected:?},\n), // found at {found:?}\n");
        }
    }
    wrong
}

#[test]
fn native_records() {
    let mut wrong = String::new();
    wrong += &differences(
        &[
            (
                "{\"process\":\"p\"}\n¦[1]\n",
                "the line is not a JSON object",
                "`{`, the beginning of a record",
            ),
            (
                "{\"process\":\"p\"} ¦x\n",
                "not JSON: trailing characters",
                "valid JSON",
            ),
            (
                "{\"process\":\"p\",\"vars\":{\"x\":¦}}\n",
                "not JSON: expected value",
                "valid JSON",
            ),
            (
                "{\"process\":\"p\"¦\n{\"process\":\"p\"}\n",
                "the text ends too early (EOF while parsing an object)",
                "the rest of the record on the same line",
            ),
            (
                "{\"process\":\"p\"}\n{\"process\":\"p\"¦",
                "the last line is cut off (EOF while parsing an object)",
                "the rest of the record and an end of line",
            ),
            (
                "{\"process\":\"p\",\"event\":¦\"\\ud800\"}\n",
                "`event` has an escape that stands for no character",
                "what the event is called, a text",
            ),
            (
                "¦{\"event\":\"e\"}\n",
                "the record has no `process`",
                "the name of a process, such as `\"process\": \"p1\"`",
            ),
            (
                "{\"process\":¦7}\n",
                "`process` is a number",
                "the name of a process, a text",
            ),
            (
                "{\"process\":\"p\",¦\"process\":\"q\"}\n",
                "the record has two fields `process`",
                "each field once",
            ),
            (
                "{\"process\":\"p\",¦\"var\":{}}\n",
                "a record has no field `var`; did you mean `vars`?",
                "`process`, `init`, `event`, `vars`, `send`, `recv`, `clock` or `time`; other values belong into `vars`",
            ),
            (
                "{\"process\":\"p\",¦\"zzz\":{}}\n",
                "a record has no field `zzz`",
                "`process`, `init`, `event`, `vars`, `send`, `recv`, `clock` or `time`; other values belong into `vars`",
            ),
            (
                "{\"process\":\"p\",\"init\":¦1}\n",
                "`init` is a number",
                "`true` or `false`",
            ),
            (
                "{\"process\":\"p\",\"event\":¦true}\n",
                "`event` is a truth value",
                "what the event is called, a text",
            ),
            (
                "{\"process\":\"p\",\"vars\":¦[]}\n",
                "`vars` is a list",
                "an object of variables and their values",
            ),
            (
                "{\"process\":\"p\",\"vars\":{\"x\":1,\"x\":2¦}}\n",
                "the record assigns `x` twice",
                "one value for each variable",
            ),
            (
                "{\"process\":\"p\",\"vars\":{\"x\":{\"y\":1,\"y\":2¦}}}\n",
                "an object has two entries `y`",
                "one of them",
            ),
            (
                "{\"process\":\"p\",\"send\":¦\"m\"}\n",
                "`send` is a text",
                "a list of names of messages",
            ),
            (
                "{\"process\":\"p\",\"recv\":[\"m\",¦5]}\n",
                "`the message` is a number",
                "its name, a text",
            ),
            (
                "{\"process\":\"p\",\"clock\":¦[1]}\n",
                "`clock` is a list",
                "an object of processes and numbers of events",
            ),
            (
                "{\"process\":\"p\",\"clock\":{\"p\":¦1.5}}\n",
                "the clock's entry for `p` is `1.5`",
                "an object of whole numbers from 0 to 4294967295, such as `{\"p1\": 3, \"p2\": 1}`",
            ),
            (
                "{\"process\":\"p\",\"clock\":{\"p\":1,\"p\":¦1}}\n",
                "the clock has two entries for `p`",
                "one entry for each process",
            ),
            (
                "{\"process\":\"p\",\"init\":true,\"event\":¦\"e\"}\n",
                "an initial state is not an event",
                "either `init` or `event`",
            ),
            (
                "{\"process\":\"p\",\"init\":true,\"send\":[¦\"m\"]}\n",
                "an initial state sends a message",
                "`vars` alone; only events send, receive and have clocks",
            ),
            (
                "{\"process\":\"p\",\"init\":true,\"recv\":[¦\"m\"]}\n",
                "an initial state receives a message",
                "`vars` alone; only events send, receive and have clocks",
            ),
            (
                "{\"process\":\"p\",\"init\":true,\"clock\":{\"p\":¦1}}\n",
                "an initial state has a clock",
                "`vars` alone; only events send, receive and have clocks",
            ),
            (
                "{\"process\":\"p\",\"init\":true,\"time\":¦1}\n",
                "an initial state has a time",
                "`vars` alone; only events send, receive and have clocks",
            ),
            (
                "¦\n\n",
                "there is no record in the input, which was read as mazurka",
                "the records of a run; `--input` says what they are written in, `mazurka generate` prints an example",
            ),
        ],
        &options(Format::MAZURKA),
    );
    assert!(wrong.is_empty(), "these say something else:\n{wrong}");
}

#[test]
fn rules_of_all_formats() {
    let mut wrong = String::new();
    wrong += &differences(
        &[
            (
                "{\"process\":\"p\"}\n¦{\"process\":\"p\",\"init\":true}\n",
                "the initial state of `p` comes after another record of it",
                "an `init` record before all events of its process, and only one",
            ),
            (
                "{\"process\":\"p\",\"send\":[\"m\"]}\n{\"process\":\"q\",\"send\":[\"n\",¦\"m\"]}\n",
                "message `m` is sent a second time",
                "a name of its own for every message",
            ),
            (
                "{\"process\":\"p\",\"send\":[\"m\"],\"recv\":[¦\"n\"]}\n",
                "message `n` is received, but no event sends it",
                "a record with `\"send\": [\"n\"]`",
            ),
            (
                "{\"process\":\"p\",\"clock\":{\"p\":¦2}}\n",
                "the clock says `p: 2`, but event 1 is missing",
                "`p: 1`, or records of what is missing; `--holes` does without them",
            ),
            (
                "{\"process\":\"p\",\"clock\":{\"p\":¦4}}\n",
                "the clock says `p: 4`, but events 1 to 3 are missing",
                "`p: 1`, or records of what is missing; `--holes` does without them",
            ),
            (
                "{\"process\":\"p\",\"clock\":¦{}}\n",
                "the clock has no entry for its own process `p`",
                "`p: 1`",
            ),
            (
                "{\"process\":\"p\",\"clock\":{\"p\":1}}\n{\"process\":\"p\",\"clock\":{\"p\":¦1}}\n",
                "the clock says `p: 1`, but this is event 2 of `p`",
                "`p: 2`",
            ),
            (
                "{\"process\":\"q\",\"clock\":{\"q\":1}}\n{\"process\":\"p\",\"clock\":{\"p\":1,\"q\":1}}\n{\"process\":\"p\",\"clock\":{\"p\":2,\"q\":¦0}}\n",
                "the clock of `p` goes back: it knew 1 events of `q`, now 0",
                "`q: 1` or more",
            ),
            (
                "{\"process\":\"p\",\"clock\":{\"p\":1,\"q\":¦2}}\n{\"process\":\"q\"}\n",
                "the clock knows 2 events of `q`, which has only 1",
                "at most `q: 1`, or records of the others; `--holes` does without them",
            ),
            (
                "{\"process\":\"p\",\"clock\":{\"p\":1,\"q\":¦2}}\n",
                "the clock knows 2 events of `q`, of which there is no record",
                "at most `q: 0`, or records of the others; `--holes` does without them",
            ),
            (
                "{\"process\":\"p\",\"clock\":{\"p\":1}}\n{\"process\":\"q\",\"clock\":{\"q\":1,\"p\":1}}\n{\"process\":\"r\",\"clock\":¦{\"r\":1,\"q\":1}}\n",
                "the clock knows 0 events of `p`, but an event that it knows knew 1",
                "`p: 1` or more",
            ),
            (
                "{\"process\":\"q\",\"send\":[\"m\"]}\n{\"process\":\"p\",\"clock\":{\"p\":1},\"recv\":[¦\"m\"]}\n",
                "message `m` is received, which event 1 of `q` sends, but the clock knows 0 of them",
                "`q: 1` or more",
            ),
            (
                "{\"process\":\"p\",\"clock\":{\"p\":1},\"recv\":[¦\"m\"]}\n{\"process\":\"p\",\"send\":[\"m\"]}\n",
                "message `m` is received by the process that sends it, before it does",
                "`p: 2` or more",
            ),
            (
                "¦{\"process\":\"p\",\"send\":[\"a\"],\"recv\":[\"b\"]}\n{\"process\":\"q\",\"send\":[\"b\"],\"recv\":[\"a\"]}\n",
                "these happen before one another: event 1 of `p` follows event 1 of `q`, event 1 of `q` follows event 1 of `p`",
                "an order in which nothing happens before itself",
            ),
        ],
        &options(Format::MAZURKA),
    );
    assert!(wrong.is_empty(), "these say something else:\n{wrong}");
}

#[test]
fn records_with_vector_clocks() {
    let mut wrong = String::new();
    wrong += &differences(
        &[
            (
                "¦{\"clock\":{\"a\":1}}\n",
                "the record does not say whose event it is",
                "a field `host`, `process`, `node` or `pid`",
            ),
            (
                "¦{\"host\":\"a\"}\n",
                "the record has no vector clock",
                "a field `VectorClock`, `vclock` or `clock`",
            ),
            (
                "{\"host\":¦[],\"clock\":{\"a\":1}}\n",
                "`host` is a list",
                "the name of a process, a text or a number",
            ),
            (
                "{\"host\":\"a\",\"clock\":¦3}\n",
                "`clock` is a number",
                "an object of processes and numbers of events",
            ),
            (
                "{\"host\":\"a\",\"clock\":{\"a\":1},\"x\":1,\"x\":¦2}\n",
                "the record has two fields `x` with different values",
                "one value for each field",
            ),
            (
                "{\"host\":\"a\",\"clock\":{\"a\":1},\"vars\":¦[]}\n",
                "`vars` is a list",
                "an object of variables and their values",
            ),
            (
                "{\"host\":\"a\",\"vclock\":{\"a\":1},\"x\":1e99¦9}\n",
                "not JSON: number out of range",
                "valid JSON",
            ),
        ],
        &options(Format::CLOCKS),
    );
    assert!(wrong.is_empty(), "these say something else:\n{wrong}");
}

#[test]
fn text_logs() {
    let mut wrong = String::new();
    wrong += &differences(
        &[
            (
                "a\np {\"p\":1}\n¦b\np {\"p\":2\n",
                "this is not part of a record",
                "two lines for each event: its text, then its host and clock, such as `p1 {\"p1\": 3}`",
            ),
            (
                "a\n¦ {\"p\":1}\n",
                "the record has no host",
                "the name of a host before its clock, such as `p1 {\"p1\": 3}`",
            ),
            (
                "a\np {\"p\":1,¦}\n",
                "not JSON: trailing comma",
                "an object of whole numbers from 0 to 4294967295, such as `{\"p1\": 3, \"p2\": 1}`",
            ),
            (
                "a\np {\"p\":¦\"one\"}\n",
                "the clock's entry for `p` is `\"one\"`",
                "an object of whole numbers from 0 to 4294967295, such as `{\"p1\": 3, \"p2\": 1}`",
            ),
        ],
        &options(Format::SHIVIZ),
    );
    wrong += &differences(
        &[
            (
                "p {\"p\":1}\nup\n  ¦nothing\n",
                "this is not the host and clock of an event",
                "a line such as `p1 {\"p1\": 3}`, then one with the text of the event",
            ),
            (
                "p {\"p\":1}\nup\np {\"p\":2}¦\n",
                "the last record is cut off: its event has no text",
                "a line with the text of the event",
            ),
        ],
        &options(Format::GOVECTOR),
    );
    let given = ImportOptions {
        shiviz_regex: Some("^(?<host>z) (?<clock>{.*})$".into()),
        ..options(Format::SHIVIZ)
    };
    wrong += &differences(
        &[(
            "\n ¦a {\"a\":1}\n",
            "the regular expression `^(?<host>z) (?<clock>\\{.*\\})$` matches nothing in this file",
            "a record from here on; `--shiviz-regex` says what one looks like",
        )],
        &given,
    );
    assert!(wrong.is_empty(), "these say something else:\n{wrong}");
}

#[test]
fn spans() {
    let mut wrong = String::new();
    wrong += &differences(
        &[
            (
                "¦{\"resourceSpans\":[]}",
                "there is no span in this file, which was read as otlp",
                "`{\"resourceSpans\": [{\"scopeSpans\": [{\"spans\": [ … ]}]}]}` with a span in it",
            ),
            (
                "¦{}",
                "there is no span in this file, which was read as otlp",
                "`{\"resourceSpans\": [{\"scopeSpans\": [{\"spans\": [ … ]}]}]}` with a span in it",
            ),
            (
                "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[¦{\"spanId\":\"1\"}]}]}]}",
                "the span has no `traceId`",
                "a field `traceId` with the id of the trace, a text",
            ),
            (
                "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[¦{\"traceId\":\"1\"}]}]}]}",
                "the span has no `spanId`",
                "a field `spanId` with the id of the span, a text",
            ),
            (
                "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"1\",\"spanId\":¦2}]}]}]}",
                "`spanId` is wrong: it is integer `2`",
                "a text",
            ),
            (
                "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"1\",\"spanId\":\"2\",\"startTimeUnixNano\":\"noon¦\"}]}]}]}",
                "`startTimeUnixNano` is wrong: `noon` is not a time",
                "a text of digits",
            ),
            (
                "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"1\",\"spanId\":\"2\",\"startTimeUnixNano\":-¦1}]}]}]}",
                "`startTimeUnixNano` is wrong: the time `-1` is before all others",
                "a number that is not negative",
            ),
            (
                "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"1\",\"spanId\":\"2\",\"attributes\":[{¦}]}]}]}]}",
                "`attributes[0]` is wrong: it has no field `key`",
                "a field `key`",
            ),
            (
                "{\"resourceSpans\":¦7}",
                "`resourceSpans` is wrong: it is integer `7`",
                "a list",
            ),
            (
                "{\"resourceSpans\":[¦",
                "the text is cut off (EOF while parsing a list)",
                "the rest of the document, in valid JSON",
            ),
            ("{\"resourceSpans\":[¦x]}", "not JSON: expected value", "valid JSON"),
        ],
        &options(Format::OTLP),
    );
    wrong += &differences(
        &[
            (
                "¦{\"data\":[]}",
                "there is no span in this file, which was read as jaeger",
                "`{\"data\": [{\"spans\": [ … ]}]}` with a span in it",
            ),
            (
                "{\"data\":[{\"spans\":[¦{\"traceID\":\"1\"}]}]}",
                "the span has no `spanID`",
                "a field `spanID` with the id of the span, a text",
            ),
            (
                "{\"data\":[{\"spans\":[{\"traceID\":\"1\",\"spanID\":\"1\",\"duration\":\"long¦\"}]}]}",
                "`duration` is wrong: it is string \"long\"",
                "u64",
            ),
        ],
        &options(Format::JAEGER),
    );
    wrong += &differences(
        &[
            (
                "¦[]",
                "there is no span in this file, which was read as zipkin",
                "`[ … ]`, a list with a span in it",
            ),
            ("¦{}", "this is not a zipkin document: it is an object", "a list"),
            (
                "[¦{\"traceId\":\"1\"}]",
                "the span has no `id`",
                "a field `id` with the id of the span, a text",
            ),
            (
                "[\n¦{\"traceId\":\"1\",\"id\":\"a\",\"parentId\":\"b\"},\n{\"traceId\":\"1\",\"id\":\"b\",\"parentId\":\"a\"}]",
                "these happen before one another: the start of span `` (a of `unknown`) follows the start of span `` (b of `unknown`), the start of span `` (b of `unknown`) follows the start of span `` (a of `unknown`)",
                "an order in which nothing happens before itself",
            ),
        ],
        &options(Format::ZIPKIN),
    );
    let by_service = ImportOptions {
        process_by: ProcessBy::Service,
        ..options(Format::ZIPKIN)
    };
    wrong += &differences(
        &[(
            "[¦{\"traceId\":\"1\",\"id\":\"a\",\"name\":\"s\"}]",
            "the span `s` has no time, so it has no place among the others of its service",
            "a time, or `--process-by span`, which needs none",
        )],
        &by_service,
    );
    assert!(wrong.is_empty(), "these say something else:\n{wrong}");
}

#[test]
fn whole_inputs() {
    let said = |bytes: &[u8]| {
        let input = Input::Text {
            name: "t".into(),
            bytes: bytes.to_vec(),
        };
        import(input, &ImportOptions::default()).unwrap_err().to_string()
    };
    assert_eq!(said(b"hello\n").lines().next(), Some("the format of t is not known:"));
    assert!(said(b"").contains("it is empty"));
    assert_eq!(said(b"{\"process\":\"p\xff\"}\n"), "t:1:14: byte 0xff is not UTF-8");
    let missing = Input::Paths(vec!["/no/such/file".into()]);
    let error = import(missing, &ImportOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("cannot read /no/such/file: "), "{error}");
    let empty = tempfile::tempdir().unwrap();
    let directory = Input::Paths(vec![empty.path().to_path_buf()]);
    let error = import(directory, &ImportOptions::default()).unwrap_err().to_string();
    assert!(error.contains("expected the files of a run"), "{error}");
}
