//! Models through `check`: random ones, changed, with and without reduction.
//!
//! Two searches that both have an answer agree, and every counterexample can be replayed.

use super::promela::WORDS;
use super::{Target, fingerprint, text};
use mazurka_promela::verify::{self, CheckError, Property, PropertyResult, Reduction};
use mazurka_promela::{Model, Options, load};
use mazurka_testkit::promela::{
    Shape, random_loops, random_loops_with_claim, random_program, random_races, random_races_with_formulas,
};
use std::time::Duration;

pub fn target() -> Target {
    Target {
        name: "check",
        about: "models through every search: reduced and full searches agree",
        samples: &["corpus/promela"],
        words: WORDS,
        generate: Some(generated),
        run: searched,
    }
}

fn generated(seed: u64) -> Vec<u8> {
    let random = seed >> 3;
    let text = match seed % 8 {
        0 => random_loops(random),
        1 => random_loops_with_claim(random),
        2 => random_races(random),
        3 => random_races_with_formulas(random),
        4 => random_program(random, &Shape::faulty()).to_string(),
        5 => random_program(
            random,
            &Shape {
                ltl: true,
                ..Shape::safety()
            },
        )
        .to_string(),
        6 => random_program(
            random,
            &Shape {
                never: true,
                ..Shape::safety()
            },
        )
        .to_string(),
        _ => random_program(
            random,
            &Shape {
                cycles: true,
                trace: true,
                ..Shape::safety()
            },
        )
        .to_string(),
    };
    text.into_bytes()
}

fn searched(bytes: &[u8]) -> u64 {
    let Ok(loaded) = load("fuzz.pml", text(bytes), &Options::default()) else {
        return 0;
    };
    let model = loaded.model;
    let answers: Vec<u64> = Property::all(&model)
        .iter()
        .map(|property| {
            let full = answer(&model, property, Reduction::None);
            let reduced = answer(&model, property, Reduction::Full);
            if let (Some(full), Some(reduced)) = (&full, &reduced) {
                let both = [full, reduced].map(|result| result.verdict);
                let settled = both.iter().all(|verdict| verdict.is_conclusive());
                assert!(
                    !settled || both[0] == both[1],
                    "{property:?}: {:?} in full, {:?} reduced",
                    both[0],
                    both[1]
                );
            }
            fingerprint(reduced.map(|result| {
                let kinds: Vec<_> = result
                    .violations
                    .iter()
                    .map(|found| format!("{:?}", found.kind))
                    .collect();
                (format!("{:?}", result.kind), format!("{:?}", result.verdict), kinds)
            }))
        })
        .collect();
    fingerprint(answers)
}

/// The answer of one search, if there is one.
fn answer(model: &Model, property: &Property, reduction: Reduction) -> Option<PropertyResult> {
    let mut options = verify::Options {
        reduction,
        ..verify::Options::default()
    };
    options.limits.states = Some(3000);
    options.limits.depth = Some(20_000);
    options.limits.bytes = Some(256 << 20);
    options.limits.time = Some(Duration::from_secs(4));
    match verify::check(model, property, &options) {
        Ok(result) => Some(result),
        Err(CheckError::Replay) => panic!("{property:?} with {reduction:?}: a counterexample cannot be replayed"),
        Err(_) => None,
    }
}
