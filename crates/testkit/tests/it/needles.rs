//! Needles in haystacks: predicates that hold in a single cut, or in all cuts of a level
//! but one. A search that leaves out anything it needs misses them.
//!
//! Every event increments a variable `n`, so that the values of a cut identify it.

use fastrand::Rng;
use mazurka_testkit::computations::{Shape, all_cuts, computation};
use mazurka_testkit::seeds;
use mazurka_trace::{
    Computation, Method, Modality, Place, Predicate, Question, Recorder, Recording, Reduction, Settings, Sink, Value,
    Witness, detect,
};

/// The same order of events, each of which increments `n`.
fn counting(order: &Computation) -> Computation {
    let mut recorder = Recorder::new(Recording::default());
    let ids: Vec<_> = order.names().iter().map(|name| recorder.process(name)).collect();
    for (p, id) in order.process_ids().zip(&ids) {
        recorder.init(*id, Place::NOWHERE);
        recorder.set("n", Value::Int(0));
        for k in 1..=order.causality().events(p) {
            recorder.event(*id, Place::NOWHERE);
            recorder.set("n", Value::Int(k.into()));
            for cause in order.causality().causes(p, k) {
                recorder.after(*cause);
            }
        }
    }
    recorder.finish().expect("the same order")
}

fn settings() -> Vec<Settings<'static>> {
    let by = |method| Settings {
        method,
        ..Settings::default()
    };
    let mut all = vec![
        by(Method::Auto),
        by(Method::Search),
        by(Method::Enumerate),
        by(Method::Decompose),
    ];
    for reduction in Reduction::ALL {
        all.push(Settings {
            reduction: Some(reduction),
            ..by(Method::Search)
        });
        all.push(Settings {
            reduction: Some(reduction),
            ..by(Method::Stubborn)
        });
    }
    all
}

/// A predicate that puts pairs of processes at their places in the cut. It cannot be split
/// into predicates about one process.
fn pairs(rng: &mut Rng, names: &[String], cut: &[u32]) -> String {
    let n = |p: usize| format!("process(\"{}\").n", names[p]);
    let mut order: Vec<usize> = (0..cut.len()).collect();
    rng.shuffle(&mut order);
    let pair = |w: &[usize]| {
        let (p, q) = (w[0], w[1]);
        format!("{} * 100 + {} == {}", n(p), n(q), cut[p] * 100 + cut[q])
    };
    order.windows(2).map(pair).collect::<Vec<_>>().join(" && ")
}

fn ask(computation: &Computation, modality: Modality, text: &str, settings: &Settings<'_>) -> mazurka_trace::Answer {
    let predicate = Predicate::parse(text).unwrap();
    detect(computation, &Question { modality, predicate }, settings).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn a_single_cut_is_found_if_it_is_consistent() {
    seeds(500, |seed| {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape::any(&mut rng);
        let computation = counting(&computation(&mut rng, &shape));
        let cuts = all_cuts(&computation);
        // In half of the cases any cut, which may be inconsistent.
        let needle = match rng.bool() {
            true => cuts[rng.usize(..cuts.len())].clone(),
            false => computation
                .causality()
                .last_cut()
                .iter()
                .map(|&k| rng.u32(..=k))
                .collect(),
        };
        let text = pairs(&mut rng, computation.names(), &needle);
        for settings in settings() {
            let answer = ask(&computation, Modality::Possibly, &text, &settings);
            assert_eq!(
                answer.verdict.truth(),
                Some(cuts.contains(&needle)),
                "{text} {settings:?}"
            );
            if let Some(Witness::Cut { cut, .. }) = answer.found.witness {
                assert_eq!(cut, needle);
            }
        }
    });
}

/// One consistent cut that satisfies the predicate, among several that are inconsistent: a process that has left its
/// place in the needle may still reach one in a decoy, so no branch can be given up early.
#[test]
fn a_cut_among_decoys_is_found() {
    seeds(500, |seed| {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape::any(&mut rng);
        let computation = counting(&computation(&mut rng, &shape));
        let cuts = all_cuts(&computation);
        let last = computation.causality().last_cut();
        let mut wanted: Vec<Vec<u32>> = (0..6)
            .map(|_| last.iter().map(|&k| rng.u32(..=k)).collect())
            .filter(|cut| !cuts.contains(cut))
            .collect();
        let needle = rng.bool().then(|| cuts[rng.usize(..cuts.len())].clone());
        wanted.extend(needle.clone());
        if wanted.is_empty() {
            return;
        }
        rng.shuffle(&mut wanted);
        let weighed = |values: Vec<String>| {
            let weights = (0..values.len()).map(|k| 100_u64.pow(k as u32));
            let terms: Vec<String> = values.iter().zip(weights).map(|(v, w)| format!("{v} * {w}")).collect();
            terms.join(" + ")
        };
        let names = computation.names().iter();
        let place = weighed(names.map(|name| format!("process(\"{name}\").n")).collect());
        let is_one = |cut: &Vec<u32>| format!("{place} == {}", weighed(cut.iter().map(u32::to_string).collect()));
        let text = wanted.iter().map(is_one).collect::<Vec<_>>().join(" || ");
        for settings in settings() {
            let answer = ask(&computation, Modality::Possibly, &text, &settings);
            assert_eq!(answer.verdict.truth(), Some(needle.is_some()), "{text} {settings:?}");
            if let Some(Witness::Cut { cut, .. }) = answer.found.witness {
                assert_eq!(Some(cut), needle);
            }
        }
    });
}

#[test]
fn a_hole_in_a_level_is_found() {
    seeds(400, |seed| {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape::any(&mut rng);
        let computation = counting(&computation(&mut rng, &shape));
        let cuts = all_cuts(&computation);
        let needle = cuts[rng.usize(..cuts.len())].clone();
        let level: u32 = needle.iter().sum();
        let sum = format!("processes.map(p, p.n).sum() == {level}");
        let hole = format!("{sum} && !({})", pairs(&mut rng, computation.names(), &needle));
        for settings in settings() {
            if matches!(settings.method, Method::Decompose | Method::Stubborn) {
                continue;
            }
            let whole = ask(&computation, Modality::Definitely, &sum, &settings);
            assert_eq!(
                whole.verdict.truth(),
                Some(true),
                "every history has a cut of each size: {settings:?}"
            );
            let answer = ask(&computation, Modality::Definitely, &hole, &settings);
            assert_eq!(answer.verdict.truth(), Some(false), "{hole} {settings:?}");
            let Some(Witness::Path(path)) = answer.found.witness else {
                panic!("a history through the hole")
            };
            assert!(path.contains(&needle), "{hole} {settings:?}");
        }
    });
}
