//! Every format: a good sample, and what is read from it.

use mazurka_trace::{
    Clocks, Computation, Event, Execution, Format, ImportError, ImportOptions, Imported, Input, Keep, ProcessBy,
    ProcessId, Recording, import, lint,
};
use std::path::{Path, PathBuf};

fn id(process: usize) -> ProcessId {
    ProcessId::new(process)
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name)
}

fn read_with(name: &str, options: &ImportOptions) -> Imported {
    import(Input::Paths(vec![sample(name)]), options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The only execution of a sample that is recognised as being in this format.
fn read(name: &str, format: Format) -> Computation {
    let imported = read_with(name, &ImportOptions::default());
    assert_eq!(imported.format, format);
    let [Execution { computation, .. }] = <[Execution; 1]>::try_from(imported.executions).unwrap();
    computation
}

/// The variables of a local state as one text.
fn state(computation: &Computation, process: &str, state: u32) -> String {
    let p = computation.process(process).unwrap();
    let all = computation.local_state(p, state);
    let all: Vec<_> = all.iter().map(|(name, value)| format!("{name}={value}")).collect();
    all.join(" ")
}

/// The causes of an event by the names of their processes.
fn causes(computation: &Computation, process: &str, index: u32) -> Vec<(String, u32)> {
    let p = computation.process(process).unwrap();
    let name = |e: &Event| (computation.name(e.process).to_owned(), e.index);
    let mut all: Vec<_> = computation.causality().causes(p, index).iter().map(name).collect();
    all.sort();
    all
}

fn after(process: &str, index: u32) -> Vec<(String, u32)> {
    vec![(process.to_owned(), index)]
}

fn text(bytes: &str) -> Input {
    Input::Text {
        name: "text".into(),
        bytes: bytes.into(),
    }
}

#[test]
fn native_messages() {
    let c = read("native.jsonl", Format::MAZURKA);
    assert_eq!(c.names(), ["p1", "p2", "p3"]);
    assert_eq!(causes(&c, "p2", 1), after("p1", 1));
    assert_eq!(causes(&c, "p1", 2), after("p2", 1));
    assert_eq!(causes(&c, "p3", 1), after("p2", 1));
    assert_eq!(state(&c, "p1", 0), r#"state="idle" x=0"#);
    assert_eq!(state(&c, "p1", 2), r#"state="done" x=2"#);
    assert_eq!(state(&c, "p2", 1), r#"list=[1,{"a":null}] x=1.8446744073709552e+19"#);
    assert_eq!(c.label(id(0), 2), "done");
}

#[test]
fn native_clocks() {
    let c = read("native-clocks.jsonl", Format::MAZURKA);
    assert_eq!(causes(&c, "p2", 2), after("p1", 1));
    assert_eq!(causes(&c, "p1", 2), after("p2", 2));
    assert_eq!(c.causality().total(), 4);
}

#[test]
fn only_what_is_wanted_is_kept() {
    let recording = Recording {
        keep: Keep::Only(["x".to_owned()].into()),
        ..Recording::default()
    };
    let options = ImportOptions {
        recording,
        ..ImportOptions::default()
    };
    let imported = read_with("native.jsonl", &options);
    let c = &imported.executions[0].computation;
    assert_eq!(c.variables(), ["x"]);
    assert_eq!(state(c, "p1", 2), "x=2");
    assert_eq!(c.label(id(0), 1), "");
}

#[test]
fn a_place_leads_back_to_the_record() {
    let imported = read_with("native.jsonl", &ImportOptions::default());
    let place = imported.executions[0].computation.place(id(2), 1).unwrap();
    assert!(
        imported
            .sources
            .text(place)
            .unwrap()
            .starts_with(r#"{"process":"p3","event":"overhear""#)
    );
    let (file, line, column) = imported.sources.line_column(place, 1);
    assert!(file.ends_with("native.jsonl"));
    assert_eq!((line, column), (6, 2));
}

#[test]
fn shiviz_sorts_the_events_of_a_host() {
    let c = read("shiviz.log", Format::SHIVIZ);
    assert_eq!(c.names(), ["client", "server"]);
    assert_eq!(
        [c.label(id(1), 1), c.label(id(1), 2)],
        ["start", r#"handle {"key": "alpha", "hits": 1}"#]
    );
    assert_eq!(causes(&c, "server", 2), after("client", 1));
    assert_eq!(causes(&c, "client", 2), after("server", 2));
    assert_eq!(state(&c, "client", 2), r#"key="alpha" ok=true size=3"#);
    assert_eq!(state(&c, "server", 2), r#"hits=1 key="alpha""#);
}

#[test]
fn shiviz_reads_its_expression_and_executions_from_the_file() {
    let imported = read_with("shiviz-executions.log", &ImportOptions::default());
    assert_eq!(imported.format, Format::SHIVIZ);
    let names: Vec<_> = imported.executions.iter().map(|e| e.name.as_deref()).collect();
    assert_eq!(names, [Some("first run"), Some("second run")]);
    let [first, second] = &imported.executions[..] else {
        panic!()
    };
    assert_eq!(first.computation.names(), ["a", "b"]);
    assert_eq!(causes(&first.computation, "b", 1), after("a", 1));
    assert_eq!(
        state(&second.computation, "a", 1),
        r#"date="2024-01-03" level="WARN" term=7"#
    );
}

#[test]
fn shiviz_takes_a_given_expression() {
    let options = ImportOptions {
        shiviz_regex: Some(r"(?<host>\w+)\|(?<clock>{.*})\|(?<event>.*)".into()),
        ..ImportOptions::default()
    };
    let imported = import(text("a|{\"a\":1}|up\nb|{\"b\":1,\"a\":1}|down x=-2.5\n"), &options).unwrap();
    let c = &imported.executions[0].computation;
    assert_eq!(causes(c, "b", 1), after("a", 1));
    assert_eq!(state(c, "b", 1), "x=-2.5");
}

#[test]
fn tlc_prints_clocks_with_escaped_quotes() {
    let c = read("tlc.txt", Format::SHIVIZ);
    assert_eq!(c.names(), ["p1", "p2"]);
    assert_eq!(c.causality().total(), 2);
    assert_eq!(causes(&c, "p2", 1), after("p1", 1));
    assert!(c.label(id(0), 1).starts_with("Enter line 12"));
}

#[test]
fn govector() {
    let c = read("govector.log", Format::GOVECTOR);
    assert_eq!(c.names(), ["client", "server"]);
    assert_eq!(causes(&c, "server", 2), after("client", 2));
    assert_eq!(c.label(id(0), 1), "INFO Initialization Complete");
    assert_eq!(state(&c, "client", 2), "id=7");
    assert_eq!(state(&c, "server", 3), "length=4");
}

#[test]
fn govector_with_times_and_executions() {
    let imported = read_with("govector-times.log", &ImportOptions::default());
    assert_eq!(imported.format, Format::GOVECTOR);
    let names: Vec<_> = imported.executions.iter().map(|e| e.name.as_deref()).collect();
    assert_eq!(names, [Some("Execution #0"), Some("Execution #1")]);
    let total = |k: usize| imported.executions[k].computation.causality().total();
    assert_eq!((total(0), total(1)), (2, 1));
}

#[test]
fn json_lines_with_clocks() {
    let c = read("clocked.jsonl", Format::CLOCKS);
    assert_eq!(c.names(), ["db-1", "db-2"]);
    assert_eq!(causes(&c, "db-2", 1), after("db-1", 1));
    assert_eq!(causes(&c, "db-1", 2), after("db-2", 1));
    assert_eq!(c.label(id(0), 2), "elect");
    assert_eq!(state(&c, "db-1", 2), "leader=true pid=17 ts=1.7");
    assert_eq!(state(&c, "db-2", 1), r#"leader="db-1" term=3 ts=1.6"#);
}

#[test]
fn otlp_spans() {
    let imported = read_with("otlp.json", &ImportOptions::default());
    assert_eq!(imported.format, Format::OTLP);
    assert_eq!(imported.executions.len(), 2);
    let c = &imported.executions[0].computation;
    let [get, query, select, vacuum] = [
        "shop/GET /cart#eee19b7e",
        "shop/query#00000000",
        "db/SELECT#00000000",
        "db/vacuum#00000000",
    ];
    assert_eq!(c.names(), [get, query, select, vacuum]);
    assert_eq!(causes(c, query, 1), after(get, 1));
    assert_eq!(causes(c, select, 1), after(query, 1));
    assert_eq!(
        causes(c, query, 2),
        after(select, 2),
        "the server answers before the client's span ends"
    );
    assert_eq!(
        causes(c, vacuum, 1),
        after(select, 1),
        "a link, and a parent that is not in the file"
    );
    assert_eq!(c.causality().events(id(0)), 3);
    assert_eq!(
        state(c, get, 3),
        r#"http.status=200 items=[1,true] otel.status_code="OK" service.instance.id="shop-1" service.name="shop""#
    );
    assert_eq!(
        [1, 2, 3].map(|k| c.label(id(0), k)),
        ["start GET /cart", "cache miss", "end GET /cart"]
    );
}

#[test]
fn spans_by_service_and_instance() {
    for (process_by, names) in [
        (ProcessBy::Service, ["shop", "db"]),
        (ProcessBy::Instance, ["shop@shop-1", "db"]),
    ] {
        let options = ImportOptions {
            process_by,
            ..ImportOptions::default()
        };
        let imported = read_with("otlp.json", &options);
        let c = &imported.executions[0].computation;
        assert_eq!(c.names(), names);
        let labels: Vec<_> = (1..=c.causality().events(id(0))).map(|k| c.label(id(0), k)).collect();
        assert_eq!(
            labels,
            [
                "start GET /cart",
                "cache miss",
                "start query",
                "end query",
                "end GET /cart"
            ]
        );
        assert_eq!(causes(c, names[0], 4), after("db", 2));
    }
}

#[test]
fn jaeger_spans() {
    let c = read("jaeger.json", Format::JAEGER);
    let [call, serve, later] = ["front/call#s1", "back/serve#s2", "back/later#s3"];
    assert_eq!(c.names(), [call, serve, later]);
    assert_eq!(causes(&c, serve, 1), after(call, 1));
    assert_eq!(causes(&c, call, 3), after(serve, 2));
    assert_eq!(causes(&c, later, 1), after(serve, 1));
    assert_eq!(
        state(&c, call, 3),
        r#"attempt=2 event="retry" hostname="h1" pid=7 span.kind="client""#
    );
}

#[test]
fn zipkin_spans() {
    let c = read("zipkin.json", Format::ZIPKIN);
    let [client, server, read] = ["web/get#a", "api/get#a", "disk/read#b"];
    assert_eq!(c.names(), [client, server, read]);
    assert_eq!(causes(&c, server, 1), after(client, 1));
    assert_eq!(causes(&c, client, 2), after(server, 3));
    assert_eq!(causes(&c, read, 1), after(server, 1), "the server's half is the parent");
}

#[test]
fn a_directory_of_logs_is_one_trace() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("b.log", "b {\"b\":1, \"a\":1}\nhear\n");
    write("a.log", "a {\"a\":1}\nsay\n");
    write(".hidden", "nothing of interest");
    let imported = import(Input::Paths(vec![folder.path().into()]), &ImportOptions::default()).unwrap();
    let c = &imported.executions[0].computation;
    assert_eq!(c.names(), ["a", "b"]);
    assert_eq!(causes(c, "b", 1), after("a", 1));
    assert_eq!(c.place(id(1), 1).unwrap().file, 1);

    let empty = tempfile::tempdir().unwrap();
    let error = import(Input::Paths(vec![empty.path().into()]), &ImportOptions::default()).unwrap_err();
    assert!(matches!(error, ImportError::EmptyDirectory(_)));
    let missing = import(Input::Paths(vec![empty.path().join("x")]), &ImportOptions::default()).unwrap_err();
    assert!(matches!(missing, ImportError::Io { .. }));
}

#[test]
fn what_is_not_recognised_is_explained() {
    let error = import(text("hello\nworld\n"), &ImportOptions::default()).unwrap_err();
    let ImportError::Unrecognised { tried, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(tried.len(), 7);
    assert!(
        error
            .to_string()
            .contains("not otlp: there is no object with a field `resourceSpans`")
    );
    let empty = import(text(" \n"), &ImportOptions::default()).unwrap_err();
    assert!(empty.to_string().contains("not mazurka: it is empty"));
}

#[test]
fn reading_is_interrupted() {
    let options = ImportOptions {
        interrupt: Some(std::sync::Arc::new(true.into())),
        ..ImportOptions::default()
    };
    let error = import(Input::Paths(vec![sample("otlp.json")]), &options).unwrap_err();
    assert!(matches!(error, ImportError::Interrupted));
}

#[test]
fn holes_are_put_in_and_reported() {
    let log = "{\"process\":\"a\",\"event\":\"x\",\"clock\":{\"a\":2,\"b\":1,\"c\":1}}\n\
               {\"process\":\"b\",\"event\":\"y\",\"clock\":{\"b\":1},\"vars\":{\"v\":1}}\n\
               {\"process\":\"b\",\"event\":\"z\",\"clock\":{\"b\":2},\"vars\":{\"v\":\"one\"},\"recv\":[\"m\"]}\n\
               {\"process\":\"d\",\"event\":\"alone\"}\n";
    let options = ImportOptions {
        recording: Recording {
            holes: true,
            ..Recording::default()
        },
        ..ImportOptions::default()
    };
    let imported = import(text(log), &options).unwrap();
    let c = &imported.executions[0].computation;
    assert_eq!(c.holes(), [Event::new(id(0), 1), Event::new(id(2), 1)]);
    assert!(Clocks::of(c.causality()).is_ok());
    let lint = lint(text(log), &options).unwrap();
    let found: Vec<_> = lint
        .findings
        .iter()
        .map(|f| (f.rule, f.spot.as_ref().map(|s| s.line)))
        .collect();
    assert_eq!(
        found,
        [
            ("missing-events", Some(1)),
            ("silent-process", None),
            ("receive-without-send", Some(3)),
            ("never-ordered", Some(4)),
            ("type-change", Some(3)),
        ]
    );
    assert!(!lint.has_errors());
    assert_eq!(lint.findings[4].related[0].0.line, 2);
}
