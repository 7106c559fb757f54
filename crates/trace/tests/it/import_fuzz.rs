//! Importers terminate on any input, and what they accept is an order.
//!
//! The samples of each format are changed at random: bytes are flipped; pieces are
//! deleted, doubled and moved; odd text is inserted. `MAZURKA_CASES=100000` tries more.
//! A failure prints its seed, and `MAZURKA_SEED=17` tries just that one.

use mazurka_seeds::seeds;
use mazurka_trace::{
    Clocks, Computation, Event, Format, ImportError, ImportOptions, Input, ProcessBy, Recording, import, lint,
};

const ODD: [&str; 14] = [
    "\u{0}",
    "\u{feff}",
    "\u{fffd}",
    "é",
    "😀",
    "\\ud800",
    "{",
    "}",
    "\"",
    "[[[[",
    "99999999999999999999",
    "-1",
    "\n",
    "null",
];

/// Changes a text a few times.
fn mutate(rng: &mut fastrand::Rng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.usize(1..5) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.usize(..bytes.len());
        let to = (at + rng.usize(..40)).min(bytes.len());
        match rng.u32(0..8) {
            0 => bytes[at] ^= 1 << rng.u32(0..8),
            1 => drop(bytes.drain(at..to)),
            2 => {
                let piece = bytes[at..to].to_vec();
                bytes.splice(at..at, piece);
            }
            3 => {
                let piece: Vec<u8> = bytes.drain(at..to).collect();
                let at = rng.usize(..=bytes.len());
                bytes.splice(at..at, piece);
            }
            4 => drop(bytes.splice(at..at, ODD[rng.usize(..ODD.len())].bytes())),
            5 => bytes[at] = rng.u8(..),
            6 => {
                // Clocks go wrong at numbers.
                let digit = bytes.iter().skip(at).position(u8::is_ascii_digit);
                if let Some(k) = digit {
                    bytes[at + k] = rng.u8(b'0'..=b'9');
                }
            }
            _ => {
                // Two lines change places.
                let mut lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
                let (a, b) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
                lines.swap(a, b);
                *bytes = lines.concat();
            }
        }
    }
}

/// What every computation must satisfy.
fn check(computation: &Computation) {
    let order = computation.causality();
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
            for cause in order.causes(p, index) {
                assert!(clocks.happens_before(*cause, Event::new(p, index)));
            }
            // The least consistent cut with this event is its timestamp.
            let mut past = vec![0; order.processes()];
            past[p.index()] = index;
            order.close(&vec![0; order.processes()], &mut past);
            for (q, known) in order.process_ids().zip(&past) {
                assert_eq!(clocks.known(p, index, q), *known);
            }
        }
        computation.local_state(p, order.events(p));
    }
}

fn try_one(format: Format, samples: &[&str], seed: u64) {
    let rng = &mut fastrand::Rng::with_seed(seed);
    let mut bytes = samples[rng.usize(..samples.len())].as_bytes().to_vec();
    mutate(rng, &mut bytes);
    let options = ImportOptions {
        format: rng.bool().then_some(format),
        process_by: [ProcessBy::Span, ProcessBy::Service, ProcessBy::Instance][rng.usize(..3)],
        recording: Recording {
            holes: rng.bool(),
            ..Recording::default()
        },
        ..ImportOptions::default()
    };
    let input = Input::Text {
        name: "fuzz".into(),
        bytes,
    };
    match import(input.clone(), &options) {
        Ok(imported) => imported.executions.iter().for_each(|e| check(&e.computation)),
        Err(ImportError::Problems { sources, problems, .. }) => {
            assert!(!problems.is_empty());
            for problem in &problems {
                let (_, line, column) = sources.line_column(problem.place, problem.at.unwrap_or(0));
                assert!(line >= 1 && column >= 1);
            }
        }
        Err(ImportError::Unrecognised { .. } | ImportError::BadRegex { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    if let Ok(lint) = lint(input, &options) {
        let _ = lint.to_string();
    }
}

fn fuzz(format: Format, samples: &[&str]) {
    seeds(1000, |seed| try_one(format, samples, seed));
}

#[test]
fn mazurka() {
    let samples = [
        include_str!("../samples/native.jsonl"),
        include_str!("../samples/native-clocks.jsonl"),
    ];
    fuzz(Format::MAZURKA, &samples);
}

#[test]
fn shiviz() {
    let samples = [
        include_str!("../samples/shiviz.log"),
        include_str!("../samples/shiviz-executions.log"),
        include_str!("../samples/tlc.txt"),
    ];
    fuzz(Format::SHIVIZ, &samples);
}

#[test]
fn govector() {
    let samples = [
        include_str!("../samples/govector.log"),
        include_str!("../samples/govector-times.log"),
    ];
    fuzz(Format::GOVECTOR, &samples);
}

#[test]
fn clocked() {
    fuzz(Format::CLOCKS, &[include_str!("../samples/clocked.jsonl")]);
}

#[test]
fn otlp() {
    fuzz(Format::OTLP, &[include_str!("../samples/otlp.json")]);
}

#[test]
fn jaeger() {
    fuzz(Format::JAEGER, &[include_str!("../samples/jaeger.json")]);
}

#[test]
fn zipkin() {
    fuzz(Format::ZIPKIN, &[include_str!("../samples/zipkin.json")]);
}
