//! On-line detection in bounded memory: what is forgotten must not matter.

use mazurka_core::Reduction;
use mazurka_trace::{
    DetectError, ImportOptions, Input, Method, Modality, Monitor, MonitorError, Part, Place, Predicate, Problem,
    Question, Rule, Settings, Verdict, Watching, detect, import, native,
};

fn questions(asked: &[(Modality, &str)]) -> Vec<Question> {
    let question = |(modality, text): &(Modality, &str)| Question {
        modality: *modality,
        predicate: Predicate::parse(text).unwrap(),
    };
    asked.iter().map(question).collect()
}

/// The answers on-line, in the order of the questions, and the most that was held.
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
    (announced.iter().map(|a| a.verdict == Verdict::Holds).collect(), most)
}

fn off_line(lines: &[String], asked: &[(Modality, &str)]) -> Vec<bool> {
    let input = Input::Text {
        name: "test".to_owned(),
        bytes: lines.join("\n").into_bytes(),
    };
    let imported = import(input, &ImportOptions::default()).unwrap();
    let computation = &imported.executions[0].computation;
    let answer = |q: &Question| {
        detect(computation, q, &Settings::default())
            .unwrap()
            .verdict
            .truth()
            .unwrap()
    };
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

/// The order in which the records of a run arrive. Those of each process arrive in order.
#[derive(Clone, Copy, Debug)]
enum Told {
    /// Effects right after their causes.
    Causes,
    /// Processes one after the other, the first one first: all sends before all receives.
    Forwards,
    /// The last one first: all receives before all sends.
    Backwards,
    /// Every process half a run behind the one that it hears from, in the wrong direction.
    Shifted,
}

/// A chain of processes `p1`, `p2`, …: each tells the next one with every event, and is told nothing in return. So
/// there are as many cuts as pairs of events, or more. An event sets `x` to what `value` says of its process and
/// number.
fn chain(processes: usize, events: usize, told: Told, value: impl Fn(usize, usize) -> String) -> Vec<String> {
    let event = |p: usize, k: usize| {
        let hears = if p == 0 {
            String::new()
        } else {
            format!(r#","recv":["m{}-{k}"]"#, p - 1)
        };
        let value = value(p, k);
        let name = p + 1;
        format!(r#"{{"process":"p{name}","vars":{{"x":{value}}},"send":["m{p}-{k}"]{hears}}}"#)
    };
    let mut all: Vec<(usize, usize)> = (0..processes).flat_map(|p| (1..=events).map(move |k| (p, k))).collect();
    match told {
        Told::Causes => all.sort_by_key(|(p, k)| (*k, *p)),
        Told::Forwards => {}
        Told::Backwards => all.sort_by_key(|(p, k)| (processes - p, *k)),
        Told::Shifted => all.sort_by_key(|(p, k)| (k + (processes - p) * events / 2, *p)),
    }
    let mut lines: Vec<String> = (1..=processes)
        .map(|p| format!(r#"{{"process":"p{p}","init":true,"vars":{{"x":0}}}}"#))
        .collect();
    lines.extend(all.into_iter().map(|(p, k)| event(p, k)));
    lines
}

/// How many global states are looked at.
fn looks(lines: &[String], (modality, text): (Modality, &str)) -> u64 {
    let watching = Watching {
        processes: Some(
            (1..)
                .map(|p| format!("p{p}"))
                .take_while(|name| lines.iter().any(|l| l.contains(name.as_str())))
                .collect(),
        ),
        ..Watching::default()
    };
    let mut monitor = Monitor::new(&questions(&[(modality, text)]), &watching).unwrap();
    for line in lines {
        native::record(line.as_bytes(), Place::NOWHERE, &mut monitor);
        assert!(monitor.advance().unwrap().is_empty(), "{modality} {text}");
    }
    let last = monitor.finish().unwrap();
    let no = matches!(modality, Modality::Never | Modality::Always);
    assert_eq!(last[0].verdict.truth(), Some(no), "{modality} {text}");
    last[0].statistics.states
}

/// There are many more cuts than records, whatever comes first. A comparison of sums does not look at all of them.
#[test]
fn sums_take_as_many_looks_as_there_are_records() {
    use Modality::{Always, Definitely, Inevitably, Never, Possibly};
    let counts = |_: usize, k: usize| k.to_string();
    let cycles = |p: usize, k: usize| ((k + p) % 7).to_string();
    let halves = |p: usize, k: usize| format!("{}.5", (k * (p + 1)) % 1000);
    let asked_of_two = [
        (Possibly, "p1.x + p2.x == 99999"),
        (Possibly, "2 * p1.x + 2 * p2.x == 1001.25"),
        (Never, "p1.x < p2.x - 1000"),
        (Never, "p1.x + p2.x < 0"),
        (Always, "processes.map(p, p.x).sum() < 99999"),
        (
            Never,
            "processes.exists(p, processes.exists(q, p != q && p.x + q.x > 99999))",
        ),
        (Definitely, "p1.x + p2.x == 99999"),
        (Inevitably, "p1.x + 2000 < p2.x"),
        (Inevitably, "p1.x * p2.x == 7"),
    ];
    let asked_of_three = [
        (Never, "processes.map(p, p.x).sum() > 99999"),
        (Never, "p1.x + p2.x + p3.x < 0"),
        (Possibly, "processes.map(p, p.x).sum() == 99999"),
        (Always, "p1.x + p2.x <= p3.x + 99999"),
        (
            Never,
            "processes.filter(p, p.x > 2000).size() > 1 && p1.x + p2.x + p3.x < 5",
        ),
        (Definitely, "processes.map(p, p.x).sum() == 99999"),
        (Inevitably, "p1.x + p2.x < p3.x - 2000"),
    ];
    const EVENTS: usize = 1000;
    for told in [Told::Causes, Told::Forwards, Told::Backwards, Told::Shifted] {
        for (processes, asked) in [(2, &asked_of_two[..]), (3, &asked_of_three[..])] {
            let runs = [
                chain(processes, EVENTS, told, counts),
                chain(processes, EVENTS, told, cycles),
                chain(processes, EVENTS, told, halves),
            ];
            for lines in runs {
                for asked in asked {
                    let looks = looks(&lines, *asked);
                    let records = lines.len() as u64;
                    assert!(
                        looks <= 10 * records,
                        "{looks} looks, {records} records: {asked:?} {told:?}"
                    );
                }
            }
        }
    }
}

/// Processes that do not hear of each other, so that every combination of states is a cut. The predicate holds in the last
/// one only, or nowhere. Long version, section 6: with persistent sets few cuts are looked at; all 11^7 would take hours.
#[test]
fn definitely_takes_about_as_few_states_as_off_line() {
    const PROCESSES: usize = 7;
    const EVENTS: usize = 10;
    let event = |p: usize, k: usize| format!(r#"{{"process":"p{p}","vars":{{"x":{k}}}}}"#);
    let init = (1..=PROCESSES).map(|p| format!(r#"{{"process":"p{p}","init":true,"vars":{{"x":0}}}}"#));
    let init: Vec<String> = init.collect();
    let rest: Vec<String> = (3..=PROCESSES).map(|p| format!(" && p{p}.x >= {EVENTS}")).collect();
    let places = |p| (1..=EVENTS).map(move |k| (p, k));
    let mut told: Vec<(usize, usize)> = (1..=PROCESSES).flat_map(places).collect();
    for order in 0..3 {
        match order {
            0 => {}
            1 => told.reverse(),
            _ => told.sort_by_key(|(p, k)| (*k, *p)),
        }
        // Each process in its order, whatever the order of the processes.
        let mut next = [0; PROCESSES + 1];
        let events = told.iter().map(|(p, _)| {
            next[*p] += 1;
            event(*p, next[*p])
        });
        let lines: Vec<String> = init.iter().cloned().chain(events).collect();
        for pair in ["p1.x + p2.x == 20", "p1.x + p2.x == 99", "p1.x - p2.x == 5"] {
            let asked = [(Modality::Definitely, &*format!("{pair}{}", rest.concat()))];
            let mut monitor = Monitor::new(&questions(&asked), &Watching::default()).unwrap();
            for line in &lines {
                native::record(line.as_bytes(), Place::NOWHERE, &mut monitor);
                assert!(monitor.advance().unwrap().is_empty(), "the end can always be avoided");
            }
            let on_line = monitor.finish().unwrap().remove(0);
            let input = Input::Text {
                name: "test".to_owned(),
                bytes: lines.join("\n").into_bytes(),
            };
            let imported = import(input, &ImportOptions::default()).unwrap();
            // As the paper measures it, and without the events that cannot change the predicate.
            for (reduction, most) in [(Some(Reduction::Full), 1), (None, 10)] {
                let settings = Settings {
                    method: Method::Search,
                    reduction,
                    ..Settings::default()
                };
                let off_line = detect(&imported.executions[0].computation, &questions(&asked)[0], &settings).unwrap();
                assert_eq!(on_line.verdict, off_line.verdict, "{pair}");
                let (on_line, off_line) = (on_line.statistics.states, off_line.statistics.states);
                assert!(
                    on_line <= most * off_line,
                    "{on_line} on-line, {off_line} off-line: {pair}"
                );
            }
        }
    }
}

/// Two processes whose variables have few values, with any question.
#[test]
fn few_values_take_few_looks() {
    for told in [Told::Causes, Told::Forwards, Told::Backwards, Told::Shifted] {
        let lines = chain(2, 1000, told, |p, k| ((k + p) % 7).to_string());
        for asked in [
            (Modality::Never, "p1.x * p2.x == 49"),
            (Modality::Never, "p1.x > 3 && p1.x + p2.x > 12 || p1.x % 3 == p2.x + 3"),
        ] {
            assert!(looks(&lines, asked) <= 20 * lines.len() as u64, "{asked:?} {told:?}");
        }
    }
}

/// Doubles, large ints, strings and null, in all orders.
#[test]
fn sums_of_all_kinds_of_values_are_those_of_the_definition() {
    let mut rng = fastrand::Rng::with_seed(1);
    let kinds: [&[&str]; 7] = [
        &["0.1", "0.2", "0.3", "-0.3", "1e10", "-1e10", "0"],
        &["0.1", "0.2", "0.3", "0.6", "0"],
        &["0.1", "0.7", "1e15", "-1e15", "0"],
        &["1", "2", "-3", "9223372036854775807", "-9223372036854775808"],
        &["1", "null", "2", "3"],
        &["1", "\"a\"", "\"b\"", "null"],
        &["0.5", "1", "2", "3", "1e300", "-1e300"],
    ];
    let asked = [
        "p1.x + p2.x > 1.0",
        "p1.x + p2.x == 0.3",
        "p1.x + p2.x != 0.30000000000000004",
        "p1.x < p2.x",
        "!(p1.x <= p2.x)",
        "!(p1.x == p2.x) && p1.x != 1",
        "p1.x + p2.x + p3.x > 0.5",
        "p1.x + p2.x + p3.x == 0.6",
        "!(p1.x + p2.x < p3.x)",
        "p1.x == p2.x + p3.x && p2.x > 0",
        "p1.x + p2.x == \"ab\"",
        "p1.x + p2.x + p3.x < 0",
        "p1.x + p2.x - p1.x > 0.2",
        "p1.x - p2.x + p3.x >= 1.2",
        "p1.x + 0.1 + p2.x > p3.x + 0.3",
    ];
    for _ in 0..400 {
        let kind = rng.choice(kinds).unwrap();
        let told = rng
            .choice([Told::Causes, Told::Forwards, Told::Backwards, Told::Shifted])
            .unwrap();
        let values: Vec<&str> = (0..30).map(|_| rng.choice(kind.iter()).copied().unwrap()).collect();
        let lines = chain(3, 5, told, |p, k| values[p * 10 + k].to_owned());
        for text in asked {
            for modality in [Modality::Possibly, Modality::Definitely] {
                let asked = [(modality, text)];
                let lines = &lines[..];
                assert_eq!(
                    outcome(lines, &asked),
                    off_line_outcome(lines, &asked),
                    "{asked:?}\n{lines:#?}"
                );
            }
        }
    }
}

/// A sum of doubles is rounded as it is written, not as weights are added. Nothing may be ruled out by a margin that
/// rounding could explain.
#[test]
fn what_rounding_makes_up_for_is_not_ruled_out() {
    // The value of each process after its first event, after its second one, and so on.
    let runs: [(&[&[&str]], &str); 4] = [
        (&[&["0.1"], &["0.2"]], "p1.x + p2.x == 0.30000000000000004"),
        (
            &[&["10000000000.1"], &["0.3"], &["-10000000000.1"]],
            "p1.x + p2.x + p3.x < 0.2999995",
        ),
        // The cut with the least weight is not the one with the least sum.
        (
            &[&["0", "10000000000.1"], &["0.2999998", "0.3"], &["0", "-10000000000.1"]],
            "p1.x + p2.x + p3.x < 0.2999995",
        ),
        (&[&["10000000000.1"], &["0.3"]], "p1.x + p2.x - p1.x < 0.2999995"),
    ];
    for (values, text) in runs {
        for told in [Told::Causes, Told::Forwards, Told::Backwards] {
            let lines = chain(values.len(), values[0].len(), told, |p, k| values[p][k - 1].to_owned());
            let lines = &lines[values.len()..];
            let asked = [(Modality::Possibly, text)];
            assert_eq!(off_line_outcome(lines, &asked), Some(true), "{text}");
            assert_eq!(outcome(lines, &asked), Some(true), "{text} {told:?}");
        }
    }
}

/// The answer on-line; none if the predicate has no value where it matters.
fn outcome(lines: &[String], asked: &[(Modality, &str)]) -> Option<bool> {
    let mut monitor = Monitor::new(&questions(asked), &Watching::default()).unwrap();
    let mut announced = Vec::new();
    for line in lines {
        native::record(line.as_bytes(), Place::NOWHERE, &mut monitor);
        announced.extend(monitor.advance().unwrap());
    }
    match monitor.finish() {
        Ok(last) => announced.into_iter().chain(last).next().unwrap().verdict.truth(),
        Err(MonitorError::Undefined { .. }) => None,
        Err(other) => panic!("{other:?}"),
    }
}

fn off_line_outcome(lines: &[String], asked: &[(Modality, &str)]) -> Option<bool> {
    let input = Input::Text {
        name: "test".to_owned(),
        bytes: lines.join("\n").into_bytes(),
    };
    let imported = import(input, &ImportOptions::default()).unwrap();
    let settings = Settings::default();
    match detect(&imported.executions[0].computation, &questions(asked)[0], &settings) {
        Ok(answer) => Some(answer.verdict.truth().unwrap()),
        Err(DetectError::Undefined { .. }) => None,
        Err(other) => panic!("{other:?}"),
    }
}

/// The problems of a run that ends after these lines. The n-th line is at byte n.
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
    // c is not to blame for waiting for b.
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
