//! A computation that is written and read back is the same: order, variables, labels.
//!
//! `MAZURKA_CASES=100000` tries more, `MAZURKA_SEED=17` just that one.

use mazurka_trace::{
    Clocks, Computation, ImportOptions, Input, Place, Recorder, Recording, Sink, Value, import, native,
};

fn random_value(rng: &mut fastrand::Rng, depth: u32) -> Value {
    match rng.u32(0..if depth == 0 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => Value::Bool(rng.bool()),
        2 => Value::Int(rng.i64(..)),
        // JSON has no text for infinities and NaN.
        3 => Value::Double(
            Some(f64::from_bits(rng.u64(..)))
                .filter(|x| x.is_finite())
                .unwrap_or(0.5),
        ),
        4 => Value::Int(rng.i64(0..3)),
        5 => Value::string(&(0..rng.usize(0..4)).map(|_| rng.char(..)).collect::<String>()),
        6 => Value::List((0..rng.usize(0..3)).map(|_| random_value(rng, depth - 1)).collect()),
        _ => {
            let entry = |rng: &mut fastrand::Rng| (rng.alphabetic().to_string(), random_value(rng, depth - 1));
            Value::Map(std::sync::Arc::new((0..rng.usize(0..3)).map(|_| entry(rng)).collect()))
        }
    }
}

/// Events in a random interleaving. Each may follow events that were told before.
fn random_computation(rng: &mut fastrand::Rng) -> Computation {
    let mut recorder = Recorder::new(Recording::default());
    let names: Vec<String> = (0..rng.usize(1..6)).map(|k| format!("p{k}\"\u{e9}\n")).collect();
    let processes: Vec<_> = names.iter().map(|name| recorder.process(name)).collect();
    let mut told = Vec::new();
    for &p in &processes {
        if rng.bool() {
            let nowhere = Place {
                file: 0,
                offset: 0,
                length: 0,
            };
            recorder.init(p, nowhere);
            recorder.set("x", random_value(rng, 1));
        }
    }
    for _ in 0..rng.usize(0..40) {
        let event = recorder.event(processes[rng.usize(..processes.len())], Place::NOWHERE);
        if rng.bool() {
            recorder.label(["", "enter", "le\"ave"][rng.usize(..3)]);
        }
        for variable in ["x", "y", "a.b"] {
            if rng.bool() {
                recorder.set(variable, random_value(rng, 2));
            }
        }
        for _ in 0..rng.usize(0..3) {
            if let Some(&cause) = rng.choice(&told) {
                recorder.after(cause);
            }
        }
        told.push(event);
    }
    recorder.finish().unwrap()
}

#[test]
fn writing_and_reading_again_changes_nothing() {
    for seed in mazurka_seeds::range(500) {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let computation = random_computation(rng);
        let mut bytes = Vec::new();
        native::write(&computation, &mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let input = Input::Text {
            name: "again".into(),
            bytes,
        };
        let imported = import(input, &ImportOptions::default()).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        let again = &imported.executions[0].computation;
        assert_eq!(again.names(), computation.names(), "seed {seed}");
        assert_eq!(
            again.causality().last_cut(),
            computation.causality().last_cut(),
            "seed {seed}"
        );
        let clocks = [&computation, again].map(|c| Clocks::of(c.causality()).unwrap());
        for p in computation.process_ids() {
            for k in 0..=computation.causality().events(p) {
                assert_eq!(
                    again.local_state(p, k),
                    computation.local_state(p, k),
                    "seed {seed}: {p:?}, {k}\n{text}"
                );
                assert_eq!(again.label(p, k), computation.label(p, k), "seed {seed}");
                for q in computation.process_ids() {
                    let [before, now] = [0, 1].map(|c: usize| clocks[c].known(p, k, q));
                    assert_eq!(before, now, "seed {seed}: {p:?}, {k}, {q:?}\n{text}");
                }
            }
        }
    }
}
