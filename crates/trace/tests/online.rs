//! On-line detection where memory is short: what is forgotten must not matter.

use mazurka_trace::{
    ImportOptions, Input, Modality, Monitor, MonitorError, Part, Place, Predicate, Problem, Question, Rule, Settings,
    Watching, detect, import, native,
};

fn questions(asked: &[(Modality, &str)]) -> Vec<Question> {
    let question = |(modality, text): &(Modality, &str)| Question {
        modality: *modality,
        predicate: Predicate::parse(text).unwrap(),
    };
    asked.iter().map(question).collect()
}

/// The answers on-line, in the order of the questions; and the most that was held.
fn followed(lines: &[String], asked: &[(Modality, &str)]) -> (Vec<bool>, usize) {
    let mut monitor = Monitor::new(&questions(asked), &Watching::default()).unwrap();
    let mut announced = Vec::new();
    let mut most = 0;
    for line in lines {
        native::record(line.as_bytes(), Place::NOWHERE, &mut monitor);
        announced.extend(monitor.advance().unwrap_or_else(|e| panic!("{e:?}: {line}")));
        most = most.max(monitor.held());
    }
    announced.extend(monitor.finish().unwrap());
    announced.sort_by_key(|a| a.question);
    (announced.into_iter().map(|a| a.answer).collect(), most)
}

fn off_line(lines: &[String], asked: &[(Modality, &str)]) -> Vec<bool> {
    let input = Input::Text {
        name: "test".to_owned(),
        bytes: lines.join("\n").into_bytes(),
    };
    let imported = import(input, &ImportOptions::default()).unwrap();
    let computation = &imported.executions[0].computation;
    let answer = |q: &Question| detect(computation, q, &Settings::default()).unwrap().answer.unwrap();
    questions(asked).iter().map(answer).collect()
}

fn agree(lines: &[String], asked: &[(Modality, &str)]) {
    assert_eq!(followed(lines, asked).0, off_line(lines, asked), "{asked:?}");
}

/// r receives what q sent long ago, after p, whom another question reads, has moved on.
fn late_receive() -> Vec<String> {
    let mut lines: Vec<String> = [
        r#"{"process":"r","init":true,"vars":{"y":0}}"#,
        r#"{"process":"q","vars":{"x":1}}"#,
        r#"{"process":"q","vars":{"x":0},"send":["m"]}"#,
        r#"{"process":"p","recv":["m"],"vars":{"z":1}}"#,
    ]
    .map(str::to_owned)
    .into();
    lines.extend((0..3000).map(|i| format!(r#"{{"process":"p","vars":{{"z":{}}},"send":["n{i}"]}}"#, i + 2)));
    lines.push(r#"{"process":"r","recv":["m"],"vars":{"y":1}}"#.to_owned());
    lines
}

#[test]
fn one_question_does_not_make_another_forget() {
    use Modality::{Inevitably, Never};
    let lines = late_receive();
    agree(&lines, &[(Never, "q.x == 1 && r.y == 1"), (Never, "p.z == -1")]);
    agree(&lines, &[(Never, "(q.x == 1 && r.y == 1) || p.z == -1")]);
    agree(&lines, &[(Inevitably, "q.x == 0 && r.y == 0"), (Never, "p.z == -1")]);
}

#[test]
fn an_interval_remembers_its_beginning() {
    let mut lines = vec![
        r#"{"process":"b","init":true,"vars":{"y":1}}"#.to_owned(),
        r#"{"process":"a","vars":{"x":1},"send":["m"]}"#.to_owned(),
    ];
    lines.extend((0..3000).map(|i| format!(r#"{{"process":"a","vars":{{"x":{}}},"send":["n{i}"]}}"#, i + 2)));
    lines.push(r#"{"process":"b","recv":["m"],"vars":{"y":0}}"#.to_owned());
    agree(&lines, &[(Modality::Inevitably, "a.x >= 1 && b.y == 1")]);
    agree(&lines, &[(Modality::Inevitably, "a.x >= b.y")]);
}

#[test]
fn an_entry_of_zero_is_no_process() {
    let lines = [r#"{"process":"a","event":"e","vars":{"x":1},"clock":{"a":1,"b":0}}"#.to_owned()];
    agree(&lines, &[(Modality::Never, "processes.size() == 2")]);
    agree(&lines, &[(Modality::Always, "processes.all(p, p.x != 2)")]);
}

#[test]
fn processes_come_in_the_order_of_the_input() {
    let lines = [r#"{"process":"b","vars":{"x":2}}"#, r#"{"process":"a","vars":{"x":1}}"#].map(str::to_owned);
    agree(
        &lines,
        &[(Modality::Never, "processes[0].x == 1"), (Modality::Never, "a.x == 9")],
    );
}

#[test]
fn a_message_is_sent_once() {
    for lines in [
        &[r#"{"process":"a","send":["m","m"]}"#][..],
        &[
            r#"{"process":"a","recv":["z"],"send":["m"]}"#,
            r#"{"process":"b","recv":["z"],"send":["m"]}"#,
        ],
    ] {
        let mut monitor = Monitor::new(&questions(&[(Modality::Possibly, "a.x == 1")]), &Watching::default()).unwrap();
        let refused = lines.iter().any(|line| {
            native::record(line.as_bytes(), Place::NOWHERE, &mut monitor);
            monitor.advance().is_err()
        });
        assert!(refused, "{lines:?}");
    }
}

#[test]
fn memory_does_not_grow_with_the_run() {
    // Two processes that answer each other for ever.
    let round = |i: u32| {
        [
            format!(r#"{{"process":"a","vars":{{"x":{}}},"send":["p{i}"]}}"#, i % 7),
            format!(
                r#"{{"process":"b","vars":{{"x":{}}},"recv":["p{i}"],"send":["q{i}"]}}"#,
                i % 5
            ),
            format!(r#"{{"process":"a","recv":["q{i}"]}}"#),
        ]
    };
    let init = ["a", "b"].map(|p| format!(r#"{{"process":"{p}","init":true,"vars":{{"x":0}}}}"#));
    let lines = |rounds: u32| {
        init.iter()
            .cloned()
            .chain((0..rounds).flat_map(round))
            .collect::<Vec<_>>()
    };
    for asked in [
        (Modality::Possibly, "a.x == 6 && b.x == 9"),
        (Modality::Definitely, "a.x == 6 && b.x == 9"),
        (Modality::Possibly, "a.x + b.x == 99"),
        (Modality::Definitely, "a.x + b.x == 99"),
    ] {
        let (_, short) = followed(&lines(2_000), &[asked]);
        let (_, long) = followed(&lines(20_000), &[asked]);
        assert!(long < 2 * short, "{asked:?}: {short} states held, then {long}");
    }
}

/// What is wrong with a run that ends after these lines. The n-th line stands at byte n.
fn broken(lines: &[&str]) -> Vec<Problem> {
    let asked = questions(&[(Modality::Possibly, "a.x == 1")]);
    let mut monitor = Monitor::new(&asked, &Watching::default()).unwrap();
    for (k, line) in lines.iter().enumerate() {
        let place = Place {
            file: 0,
            offset: k as u64,
            length: line.len() as u32,
        };
        native::record(line.as_bytes(), place, &mut monitor);
        assert!(monitor.advance().unwrap().is_empty());
    }
    match monitor.finish() {
        Err(MonitorError::Problems(problems)) => problems,
        other => panic!("{other:?}"),
    }
}

fn rules(problems: &[Problem]) -> Vec<(Rule, u64)> {
    problems.iter().map(|p| (p.rule, p.place.offset)).collect()
}

#[test]
fn the_end_shows_which_rule_was_broken_and_where() {
    let lost = broken(&[
        r#"{"process":"a","send":["n"]}"#,
        r#"{"process":"b","recv":["n"]}"#,
        r#"{"process":"b","recv":["m"]}"#,
        r#"{"process":"b","recv":["k"]}"#,
    ]);
    assert_eq!(
        rules(&lost),
        [(Rule::SentBeforeReceived, 2), (Rule::SentBeforeReceived, 3)]
    );
    assert_eq!(lost[0].part, Some(Part::Receive("m".to_owned())));

    let unknown = broken(&[
        r#"{"process":"a","clock":{"a":1}}"#,
        r#"{"process":"b","clock":{"b":1,"a":2}}"#,
        r#"{"process":"c","clock":{"c":1,"b":1}}"#,
    ]);
    // That c waits for b is no fault of c.
    assert_eq!(rules(&unknown), [(Rule::KnownEvents, 1)]);
    assert_eq!(unknown[0].message, "the clock knows 2 events of `a`, which has only 1");
    assert_eq!(unknown[0].part, Some(Part::Clock("a".to_owned())));
}

#[test]
fn the_end_shows_what_happens_before_itself() {
    let cycle = broken(&[
        r#"{"process":"c","recv":["m"]}"#,
        r#"{"process":"a","recv":["n"]}"#,
        r#"{"process":"a","send":["m"]}"#,
        r#"{"process":"b","recv":["m"],"send":["n"]}"#,
    ]);
    assert_eq!(rules(&cycle), [(Rule::Acyclic, 1)]);
    assert_eq!(
        cycle[0].message,
        "these happen before one another: event 1 of `a` follows event 1 of `b`, \
         event 1 of `b` follows event 2 of `a`, which comes after event 1 of `a`"
    );
    assert_eq!(cycle[0].related.len(), 1);
    let own = broken(&[r#"{"process":"a","recv":["m"]}"#, r#"{"process":"a","send":["m"]}"#]);
    assert_eq!(rules(&own), [(Rule::Acyclic, 0)]);
    let clocks = broken(&[
        r#"{"process":"a","clock":{"a":1,"b":1}}"#,
        r#"{"process":"b","clock":{"a":1,"b":1}}"#,
    ]);
    assert_eq!(rules(&clocks), [(Rule::Acyclic, 0)]);
}

#[test]
fn a_witness_speaks_of_processes_that_were_not_heard_of() {
    let asked = questions(&[(Modality::Possibly, "a.x == 1"), (Modality::Possibly, "b.x == 1")]);
    let all = ["a", "b", "c"].map(str::to_owned).to_vec();
    for (processes, known) in [(None, 2), (Some(all), 3)] {
        let watching = Watching {
            processes,
            ..Watching::default()
        };
        let mut monitor = Monitor::new(&asked, &watching).unwrap();
        native::record(br#"{"process":"a","vars":{"x":1}}"#, Place::NOWHERE, &mut monitor);
        let announced = monitor.advance().unwrap();
        let cut = &announced[0].witness.as_ref().unwrap().cut;
        let cut: Vec<_> = cut.iter().map(|(name, events)| (name.as_str(), *events)).collect();
        assert_eq!(cut, [("a", 1), ("b", 0), ("c", 0)][..known]);
    }
}
