//! The importers: what they accept is a partial order, and what they refuse is refused with a place.

use super::{Target, fingerprint, magnitude};
use mazurka_trace::{
    Clocks, Computation, Event, Format, ImportError, ImportOptions, Input, ProcessBy, Recording, import, lint,
};
use std::collections::BTreeSet;

const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "false",
    "\n",
    " ",
    "\"process\"",
    "\"init\"",
    "\"event\"",
    "\"vars\"",
    "\"var\"",
    "\"send\"",
    "\"recv\"",
    "\"sends\"",
    "\"clock\"",
    "\"p1\"",
    "\"resourceSpans\"",
    "\"scopeSpans\"",
    "\"spans\"",
    "\"traceId\"",
    "\"spanId\"",
    "\"parentSpanId\"",
    "\"startTimeUnixNano\"",
    "\"endTimeUnixNano\"",
    "\"links\"",
    "\"events\"",
    "\"attributes\"",
    "\"key\"",
    "\"value\"",
    "\"stringValue\"",
    "\"intValue\"",
    "\"traceID\"",
    "\"spanID\"",
    "\"references\"",
    "\"refType\"",
    "\"CHILD_OF\"",
    "\"startTime\"",
    "\"duration\"",
    "\"logs\"",
    "\"fields\"",
    "\"processes\"",
    "\"processID\"",
    "\"serviceName\"",
    "\"localEndpoint\"",
    "\"annotations\"",
    "\"timestamp\"",
    "1e999",
    "1.5",
    "\\u0000",
];

const LOG: &[&str] = &[
    "{",
    "}",
    "\"",
    ":",
    ",",
    "\n",
    " ",
    "{\"a\":1}",
    "{\"a\":1, \"b\":2}",
    "a",
    "b",
    "\n\n",
    "=== run ===",
    "\t",
    "State 1:",
    "/\\",
    "INFO",
    "2020-01-01 00:00:00",
    "1609459200000000000",
];

pub fn targets() -> Vec<Target> {
    macro_rules! importer {
        ($name:literal, $about:literal, $format:ident, $words:expr, $($sample:literal),+) => {
            Target {
                name: $name,
                about: $about,
                samples: &[$(concat!("crates/trace/tests/samples/", $sample)),+],
                words: $words,
                generate: None,
                run: |bytes| read(Format::$format, bytes),
            }
        };
    }
    vec![
        importer!(
            "native",
            "traces in our own format",
            MAZURKA,
            JSON,
            "native.jsonl",
            "native-clocks.jsonl"
        ),
        importer!(
            "shiviz",
            "logs for ShiViz",
            SHIVIZ,
            LOG,
            "shiviz.log",
            "shiviz-executions.log",
            "tlc.txt"
        ),
        importer!(
            "govector",
            "logs of GoVector",
            GOVECTOR,
            LOG,
            "govector.log",
            "govector-times.log"
        ),
        importer!(
            "clocked",
            "JSON Lines with vector timestamps",
            CLOCKS,
            JSON,
            "clocked.jsonl"
        ),
        importer!("otlp", "spans of OpenTelemetry", OTLP, JSON, "otlp.json"),
        importer!("jaeger", "spans of Jaeger", JAEGER, JSON, "jaeger.json"),
        importer!("zipkin", "spans of Zipkin", ZIPKIN, JSON, "zipkin.json"),
    ]
}

fn read(format: Format, bytes: &[u8]) -> u64 {
    // Options follow from the input, so that it alone repeats a case.
    let options = ImportOptions {
        format: bytes.len().is_multiple_of(2).then_some(format),
        process_by: [ProcessBy::Span, ProcessBy::Service, ProcessBy::Instance][bytes.len() % 3],
        recording: Recording {
            holes: bytes.len().is_multiple_of(5),
            skew: bytes.len().is_multiple_of(7).then_some(5_000_000),
            ..Recording::default()
        },
        ..ImportOptions::default()
    };
    let input = Input::Text {
        name: "fuzz".into(),
        bytes: bytes.to_vec(),
    };
    let found: BTreeSet<String> = match lint(input.clone(), &options) {
        Ok(lint) => {
            let shown = lint.to_string();
            assert_eq!(shown.trim().is_empty(), lint.findings.is_empty(), "findings are shown");
            lint.findings.iter().map(|finding| finding.rule.to_owned()).collect()
        }
        Err(error) => BTreeSet::from([reason(&error).to_owned()]),
    };
    let read = match import(input, &options) {
        Ok(imported) => {
            imported
                .executions
                .iter()
                .for_each(|execution| is_an_order(&execution.computation));
            let events = |execution: &mazurka_trace::Execution| {
                let order = execution.computation.causality();
                order.process_ids().map(|p| order.events(p) as usize).sum::<usize>()
            };
            Some((imported.format, magnitude(imported.executions.iter().map(events).sum())))
        }
        Err(error) => {
            assert!(!error.to_string().trim().is_empty(), "a message without words");
            if let ImportError::Problems { sources, problems, .. } = &error {
                assert!(!problems.is_empty(), "refused without a problem");
                for problem in problems {
                    let (_, line, column) = sources.line_column(problem.place, problem.at.unwrap_or(0));
                    assert!(line >= 1 && column >= 1, "lines and columns count from 1");
                    assert!(
                        problem.expected.is_some(),
                        "`{}` does not say what to do",
                        problem.message
                    );
                }
            }
            None
        }
    };
    fingerprint((read, found))
}

fn reason(error: &ImportError) -> &'static str {
    match error {
        ImportError::Problems { .. } => "problems",
        ImportError::Unrecognised { .. } => "unrecognised",
        ImportError::BadRegex { .. } => "regex",
        error => panic!("{error}"),
    }
}

/// Computations with more events are not compared with the definition.
const MOST: usize = 2000;

/// What every computation must satisfy: no cycle, and clocks are the least consistent cuts of their events.
fn is_an_order(computation: &Computation) {
    let order = computation.causality();
    // By definition it takes quadratic time, and a clock may stand for many events that were not recorded.
    if order.last_cut().iter().map(|events| *events as usize).sum::<usize>() > MOST {
        return;
    }
    let mut cut = vec![0; order.processes()];
    order
        .in_order(|event| {
            assert!(order.is_enabled(event.process, &cut), "causes come first");
            cut[event.process.index()] += 1;
        })
        .expect("the order has no cycle");
    assert_eq!(cut, order.last_cut());
    let clocks = Clocks::of(order).expect("the order has no cycle");
    for p in order.process_ids() {
        for index in 1..=order.events(p) {
            let mut past = vec![0; order.processes()];
            past[p.index()] = index;
            order.close(&vec![0; order.processes()], &mut past);
            for (q, known) in order.process_ids().zip(&past) {
                assert_eq!(
                    clocks.known(p, index, q),
                    *known,
                    "the clock of {:?}",
                    Event::new(p, index)
                );
            }
        }
        computation.local_state(p, order.events(p));
    }
}
