//! A computation that is written in another way is the same computation.
//!
//! The lines are read here in the simplest way, with a general JSON parser.

use mazurka_testkit::computations::{Order, Shape, Words, computation, difference, linear_extension, tell, text};
use mazurka_testkit::seeds;
use mazurka_trace::{Computation, Event, Place, Recorder, Recording, Sink, Value};
use serde_json::Value as Json;

fn read(text: &str) -> Computation {
    let mut recorder = Recorder::new(Recording::default());
    for line in text.lines() {
        let line: Json = serde_json::from_str(line).unwrap();
        let process = recorder.process(line["process"].as_str().unwrap());
        match line.get("init") {
            Some(_) => recorder.init(process, Place::NOWHERE),
            None => drop(recorder.event(process, Place::NOWHERE)),
        }
        if let Some(label) = line.get("event") {
            recorder.label(label.as_str().unwrap());
        }
        for (variable, value) in line.get("vars").into_iter().flat_map(|v| v.as_object().unwrap()) {
            recorder.set(variable, Value::from(value.clone()));
        }
        let list = |field: &str| line.get(field).map_or(vec![], |l| l.as_array().unwrap().clone());
        for message in list("send") {
            recorder.send(message.as_str().unwrap());
        }
        for message in list("recv") {
            recorder.receive(message.as_str().unwrap());
        }
        for (process, known) in line.get("clock").into_iter().flat_map(|c| c.as_object().unwrap()) {
            recorder.clock(process, known.as_u64().unwrap() as u32);
        }
    }
    recorder
        .finish()
        .unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"))
}

#[test]
fn told_in_any_words_it_is_the_same() {
    seeds(500, |seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape::any(&mut rng);
        let c = computation(&mut rng, &shape);
        for order in [Order::PerProcess, Order::Causal, Order::InitialFirst] {
            for words in [Words::Messages, Words::Clocks] {
                let records = tell(&mut rng, &c, order, words);
                let lines = text(&records);
                assert_eq!(difference(&c, &read(&lines)), None, "{order:?} {words:?}\n{lines}");
                // Each record has the number of local states of its process up to it.
                let mut states = vec![0; c.processes()];
                for record in &records {
                    assert!(states[record.process] < record.states);
                    states[record.process] = record.states;
                }
                let all: Vec<u32> = c.causality().last_cut().iter().map(|k| k + 1).collect();
                assert_eq!(states, all);
            }
        }
        let mut events = linear_extension(&mut rng, &c);
        let position = |e: &Event| events.iter().position(|x| x == e).unwrap();
        for event in &events {
            for cause in c.causality().causes(event.process, event.index) {
                assert!(position(cause) < position(event));
            }
        }
        events.sort();
        events.dedup();
        assert_eq!(events.len() as u64, c.causality().total());
    });
}

#[test]
fn differences_are_seen() {
    let told = [
        r#"{"process":"p","vars":{"x":1},"send":["m"]}
           {"process":"q","recv":["m"]}"#,
        r#"{"process":"p","vars":{"x":2},"send":["m"]}
           {"process":"q","recv":["m"]}"#,
        r#"{"process":"p","vars":{"x":1},"send":["m"]}
           {"process":"q"}"#,
        r#"{"process":"p","vars":{"x":1},"send":["m"]}
           {"process":"q","recv":["m"]}
           {"process":"q"}"#,
        r#"{"process":"p","vars":{"x":1},"send":["m"]}
           {"process":"r","recv":["m"]}"#,
        r#"{"process":"p","event":"a","vars":{"x":1},"send":["m"]}
           {"process":"q","recv":["m"]}"#,
    ]
    .map(read);
    let swapped = read(
        r#"{"process":"q","clock":{"p":1,"q":1}}
           {"process":"p","clock":{"p":1},"vars":{"x":1}}"#,
    );
    assert_eq!(difference(&told[0], &swapped), None);
    for other in &told[1..] {
        assert!(difference(&told[0], other).is_some());
        assert!(difference(other, &told[0]).is_some());
    }
}
