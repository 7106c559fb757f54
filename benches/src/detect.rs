//! Detection: speed of the search, of the linear algorithms, of loading and counting.

use mazurka_experiments::Protocol;
use mazurka_trace::{Computation, Method, Modality, Predicate, Question, Reduction, Settings, detect};
use std::time::Instant;

/// Runs all of it.
pub fn run() {
    levels(Protocol::DatabasePartition, 5, 80);
    levels(Protocol::PrimarySecondary, 9, 60);
}

fn levels(protocol: Protocol, processes: usize, states: u32) {
    println!("{}, N = {processes}, S = {states}", protocol.name());
    let runs: Vec<Computation> = (0..20)
        .map(|seed| {
            protocol
                .run(processes, states, seed)
                .expect("enough processes")
                .computation()
        })
        .collect();
    let question = Question {
        modality: Modality::Always,
        predicate: Predicate::parse(protocol.invariant()).expect("a correct predicate"),
    };
    for reduction in [
        None,
        Some(Reduction::None),
        Some(Reduction::Sleep),
        Some(Reduction::Persistent),
        Some(Reduction::Full),
    ] {
        let settings = Settings {
            method: Method::Search,
            reduction,
            ..Settings::default()
        };
        let start = Instant::now();
        let (mut n_s, mut n_t) = (0, 0);
        for run in &runs {
            let answer = detect(run, &question, &settings).expect("an answer");
            assert_eq!(answer.answer, Some(true));
            n_s += answer.states;
            n_t += answer.transitions;
        }
        let time = start.elapsed();
        println!(
            "  {reduction:?}: N_T {} N_S {}  {:.2} Mtrans/s",
            n_t / 20,
            n_s / 20,
            n_t as f64 / time.as_secs_f64() / 1e6
        );
    }
}
