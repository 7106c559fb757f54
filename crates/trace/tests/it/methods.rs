//! Which method `auto` takes, and that it does not insist.

use mazurka_trace::{
    Answer, Computation, Method, Modality, Place, Predicate, Question, Recorder, Recording, Settings, Sink, Value,
    detect,
};

/// Processes `p1`, `p2`, …. Each has events that set `x` to 1, 2, …. They hear nothing of each other; or else the second, fourth and so on
/// hear with their event 11 of the event 11 of the one before.
fn computation(processes: usize, events: i64, told: bool) -> Computation {
    let mut recorder = Recorder::new(Recording::default());
    for p in 1..=processes {
        let process = recorder.process(&format!("p{p}"));
        recorder.init(process, Place::NOWHERE);
        recorder.set("x", Value::Int(0));
        for k in 1..=events {
            recorder.event(process, Place::NOWHERE);
            recorder.set("x", Value::Int(k));
            match (told && k == 11, p % 2) {
                (true, 1) => recorder.send(&format!("m{p}")),
                (true, _) => recorder.receive(&format!("m{}", p - 1)),
                (false, _) => {}
            }
        }
    }
    recorder.finish().expect("a correct computation")
}

fn asked(computation: &Computation, modality: Modality, text: &str, method: Method) -> Answer {
    let question = Question {
        modality,
        predicate: Predicate::parse(text).unwrap(),
    };
    let settings = Settings {
        method,
        ..Settings::default()
    };
    detect(computation, &question, &settings).unwrap()
}

/// 3^4 * 2^3 conjunctions, all of which would have to be tried. The search tries those states of two processes that matter.
#[test]
fn many_conjunctions_are_searched() {
    let computation = computation(6, 40, false);
    let one_of_three =
        (1..=4).map(|p| format!("(p{p}.x == 4 || p{}.x == 5 || p{}.x == 6)", p % 4 + 1, (p + 1) % 4 + 1));
    let two_for_three = (1..=3).map(|k| format!("(p5.x == {k} || p6.x == {k})"));
    let text = one_of_three.chain(two_for_three).collect::<Vec<_>>().join(" && ");
    let auto = asked(&computation, Modality::Possibly, &text, Method::Auto);
    assert_eq!(
        (auto.method, auto.verdict.truth()),
        (Method::Search, Some(false)),
        "{:?}",
        auto.remarks
    );
    let linear = asked(&computation, Modality::Possibly, &text, Method::Conjunctive);
    assert_eq!(linear.verdict, auto.verdict);
    let states = [auto, linear].map(|answer| answer.statistics.states);
    assert!(20 * states[0] < states[1], "{states:?}");
}

/// A disjunction that reads four processes: the search goes through the combinations of their states. It is stopped, and the
/// linear algorithm goes through the events once for each disjunct.
#[test]
fn a_search_that_takes_long_gives_way_to_the_linear_algorithm() {
    let computation = computation(4, 30, true);
    let pairs = (1..=6).flat_map(|a| [11, 12].map(|b| (a, b)));
    let both = pairs.flat_map(|(a, b)| [1, 3].map(|p| format!("p{p}.x == {a} && p{}.x == {b}", p + 1)));
    let text = both.collect::<Vec<_>>().join(" || ");
    let auto = asked(&computation, Modality::Possibly, &text, Method::Auto);
    assert_eq!(
        (auto.method, auto.verdict.truth()),
        (Method::Conjunctive, Some(false)),
        "{:?}",
        auto.remarks
    );
    let search = asked(&computation, Modality::Possibly, &text, Method::Search);
    assert_eq!(search.verdict, auto.verdict);
}

/// Then its witness is a smallest one.
#[test]
fn few_conjunctions_go_to_the_linear_algorithm() {
    let computation = computation(3, 10, false);
    let text = "p1.x == 3 && p2.x == 4 || p2.x == 2 && p3.x == 9";
    let answer = asked(&computation, Modality::Never, text, Method::Auto);
    assert_eq!(
        (answer.method, answer.verdict.truth()),
        (Method::Conjunctive, Some(false))
    );
}
