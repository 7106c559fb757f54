//! Formulas with snapshots: verdicts against a naive product on random models, and examples.
//!
//! `MAZURKA_CASES=<n>` changes how many models there are; a failure prints its seed.

mod snapshots {
    pub mod models;
    pub mod naive;
}

use fastrand::Rng;
use mazurka_core::Limits;
use mazurka_promela::verify::{Options, Property, Reduction, SnapshotMethod, Verdict, check};
use mazurka_promela::{Model, load, parse_ltl};
use snapshots::models::{self, Flavour};
use snapshots::naive::{self, Answer};

fn cases(default: u64) -> u64 {
    let wanted = std::env::var("MAZURKA_CASES").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn read(text: &str) -> Model {
    let loaded = load("m.pml", text, &mazurka_promela::Options::default());
    loaded.unwrap_or_else(|errors| panic!("{errors}\n{text}")).model
}

fn compare(flavour: Flavour, default: u64) {
    let (mut compared, mut violated) = (0, 0);
    let only = std::env::var("MAZURKA_SEED").ok().and_then(|text| text.parse().ok());
    let seeds = only.map_or(0..cases(default), |seed: u64| seed..seed + 1);
    for seed in seeds.clone() {
        let mut random = Rng::with_seed(seed);
        let text = models::model(&mut random, flavour);
        let mut model = read(&text);
        let formula = models::formula(&mut random, flavour, &text);
        let ltl = parse_ltl(&mut model, "f", &formula).unwrap_or_else(|errors| panic!("{errors}\n{formula}"));
        let expected = match naive::check(&model, &ltl) {
            Answer::Holds => Verdict::Holds,
            Answer::Violated => Verdict::Violated,
            Answer::TooLarge | Answer::Error => continue,
        };
        compared += 1;
        violated += u64::from(expected == Verdict::Violated);
        for (reduction, snapshots) in [
            (Reduction::None, SnapshotMethod::Basis),
            (Reduction::Full, SnapshotMethod::Basis),
            (Reduction::None, SnapshotMethod::Tracker),
            (Reduction::Full, SnapshotMethod::Tracker),
        ] {
            let options = Options {
                reduction,
                snapshots,
                limits: Limits::default(),
                ..Options::default()
            };
            let found = check(&model, &Property::Ltl(ltl.clone()), &options);
            let found = found.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}{formula}"));
            assert_eq!(
                found.verdict, expected,
                "MAZURKA_SEED={seed}, {flavour:?}, {reduction:?}, {snapshots:?}\n{text}{formula}"
            );
        }
    }
    if seeds.end - seeds.start >= 200 {
        let all = seeds.end - seeds.start;
        assert!(compared * 2 > all, "{compared} of {all}");
        assert!(
            violated * 5 > compared && violated * 10 < 9 * compared,
            "{violated} of {compared}"
        );
    }
}

#[test]
fn verdicts_agree_with_the_naive_product_where_processes_meet() {
    compare(Flavour::Rendezvous, 300);
}

#[test]
fn verdicts_agree_with_the_naive_product_where_objects_are_shared() {
    compare(Flavour::Shared, 300);
}

#[test]
fn verdicts_agree_with_the_naive_product_whatever_is_used() {
    compare(Flavour::Wild, 300);
}
