//! The answers that a prefix settles: examples, and two more implementations of the definition.

use mazurka_testkit::computations::{
    Arrived, Preset, Shape, Truth, certain_after, computation, continuation, definitely, definitely_after, formula,
    holds, possibly,
};
use mazurka_testkit::seeds;
use mazurka_trace::{Computation, Event, Place, ProcessId, Recorder, Recording, Sink};

fn event(process: usize, index: u32) -> Event {
    Event::new(ProcessId::new(process), index)
}

/// Processes with these numbers of events. For each pair, event `to` follows event `from`.
fn build(events: &[u32], orders: &[(Event, Event)]) -> Computation {
    let mut recorder = Recorder::new(Recording::default());
    for (p, &events) in events.iter().enumerate() {
        let id = recorder.process(&format!("p{}", p + 1));
        for _ in 0..events {
            let event = recorder.event(id, Place::NOWHERE);
            for (from, _) in orders.iter().filter(|(_, to)| *to == event) {
                recorder.after(*from);
            }
        }
    }
    recorder.finish().expect("the rules are kept")
}

/// A predicate that holds in these cuts.
fn in_cuts<const N: usize>(cuts: &[[u32; N]]) -> impl Fn(&[u32]) -> Truth {
    move |cut| Truth::from(cuts.iter().any(|c| c == cut))
}

#[test]
fn a_longer_run_bypasses_the_end_of_a_prefix() {
    let phi = in_cuts(&[[1, 1]]);
    // As a complete computation, the prefix satisfies Definitely.
    let prefix = build(&[1, 1], &[]);
    assert!(definitely(&prefix, &phi));
    // It is not complete: p1 may go on before p2 moves.
    let longer = build(&[2, 1], &[]);
    assert!(!definitely(&longer, &phi));
    for c in [&prefix, &longer] {
        let certain = certain_after(c, &Arrived::events(&[1, 1]), &phi);
        assert_eq!(certain.possibly, Some(vec![1, 1]));
        assert!(!certain.definitely);
    }
    // At the end of the input, it is complete.
    assert!(certain_after(&prefix, &Arrived::events(&[1, 1]).then_end(), &phi).definitely);
}

#[test]
fn it_is_certain_once_nobody_can_go_around() {
    // p1 tells p2, p2 answers: all histories pass through [1, 0], [1, 1] and [2, 1].
    let c = build(&[3, 2], &[(event(0, 1), event(1, 1)), (event(1, 1), event(0, 2))]);
    let phi = in_cuts(&[[1, 1]]);
    let certain = |events: [u32; 2]| certain_after(&c, &Arrived::events(&events), &phi).definitely;
    assert!(!certain([0, 0]));
    assert!(!certain([1, 0]), "p1 may do something else next");
    assert!(!certain([1, 1]), "p1 may do something else before p2 hears of it");
    assert!(certain([2, 1]), "p1 waits for the answer, and p2 for p1");
    assert!(certain([2, 2]));
    // If the predicate is true at the start, the answer is certain at once.
    assert!(certain_after(&c, &Arrived::events(&[0, 0]), &in_cuts(&[[0, 0]])).definitely);
}

#[test]
fn nothing_is_certain_before_all_initial_states() {
    let c = build(&[0, 0], &[]);
    let always = |_: &[u32]| Truth::True;
    let mut arrived = Arrived::events(&[0, 0]);
    let certain = certain_after(&c, &arrived, &always);
    assert_eq!((certain.possibly, certain.definitely), (Some(vec![0, 0]), true));
    arrived.states[1] = 0;
    let certain = certain_after(&c, &arrived, &always);
    assert_eq!((certain.possibly, certain.definitely), (None, false));
    // Unless the predicate does not look at that process.
    assert!(definitely_after(&c, &arrived, &[0], &always));
    assert!(!definitely_after(&c, &arrived, &[1], &always));
}

#[test]
fn what_arrives_before_its_causes_is_in_no_cut_yet() {
    let c = build(&[1, 1], &[(event(0, 1), event(1, 1))]);
    let phi = in_cuts(&[[1, 1]]);
    assert_eq!(Arrived::events(&[0, 1]).known(&c), [1, 1]);
    assert_eq!(certain_after(&c, &Arrived::events(&[0, 1]), &phi).possibly, None);
    assert_eq!(
        certain_after(&c, &Arrived::events(&[1, 1]), &phi).possibly,
        Some(vec![1, 1])
    );
    // But p2 will come to its state 1 whatever p1 does, if that is all that matters.
    let p2_moved = |cut: &[u32]| Truth::from(cut[1] == 1);
    assert!(!certain_after(&c, &Arrived::events(&[0, 1]), &p2_moved).definitely);
    assert!(definitely_after(&c, &Arrived::events(&[0, 1]), &[1], &p2_moved));
}

#[test]
fn a_process_that_has_ended_cannot_go_around() {
    let c = build(&[1, 1], &[]);
    let phi = in_cuts(&[[1, 0], [1, 1]]);
    let mut arrived = Arrived::events(&[1, 1]);
    assert!(
        !certain_after(&c, &arrived, &phi).definitely,
        "p2 may go on while p1 is at its start"
    );
    arrived.ended[0] = true;
    assert!(!certain_after(&c, &arrived, &phi).definitely, "still");
    arrived.ended[1] = true;
    assert!(certain_after(&c, &arrived, &phi).definitely);
}

#[test]
fn certain_means_true_in_every_continuation() {
    seeds(1500, |seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape {
            total: 12,
            ..Shape::any(&mut rng)
        };
        let c = computation(&mut rng, &shape);
        let arrived = Arrived::random(&mut rng, &c);
        let phi = formula(&mut rng, &c, Preset::ALL[seed as usize % Preset::ALL.len()]);
        let predicate = |cut: &[u32]| phi.evaluate(&c, cut);
        let certain = certain_after(&c, &arrived, &predicate);
        let for_support = definitely_after(&c, &arrived, &phi.support(&c), &predicate);
        assert!(for_support || !certain.definitely, "to know more is no loss");
        for _ in 0..5 {
            let other = continuation(&mut rng, &c, &arrived, &shape);
            let there = |cut: &[u32]| phi.evaluate(&other, cut);
            if let Some(cut) = &certain.possibly {
                assert!(holds(&there, cut) && possibly(&other, &there).is_some());
            }
            if for_support {
                assert!(definitely(&other, &there), "{} {arrived:?}", phi.to_cel());
            }
        }
    });
}

#[test]
fn certain_is_definite_in_the_continuation_with_the_most_histories() {
    let certain = std::sync::atomic::AtomicU64::new(0);
    seeds(1500, |seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape {
            total: 12,
            ..Shape::any(&mut rng)
        };
        let c = computation(&mut rng, &shape);
        let arrived = Arrived::random(&mut rng, &c);
        let everybody: Vec<usize> = (0..c.processes()).collect();
        for preset in Preset::ALL {
            let phi = formula(&mut rng, &c, preset);
            let predicate = |cut: &[u32]| phi.evaluate(&c, cut);
            let after = certain_after(&c, &arrived, &predicate).definitely;
            assert_eq!(
                after,
                definitely_after(&c, &arrived, &everybody, &predicate),
                "{}",
                phi.to_cel()
            );
            let late = !holds(&predicate, &vec![0; c.processes()]);
            certain.fetch_add(u64::from(after && late), std::sync::atomic::Ordering::Relaxed);
        }
    });
    // A single seed may have no certain answer.
    if std::env::var_os("MAZURKA_SEED").is_none() {
        assert!(certain.into_inner() > 0, "something becomes certain after the start");
    }
}

#[test]
fn when_all_has_arrived_and_ended_the_answers_are_those_of_the_computation() {
    seeds(500, |seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape::any(&mut rng);
        let c = computation(&mut rng, &shape);
        let phi = formula(&mut rng, &c, Preset::ALL[seed as usize % Preset::ALL.len()]);
        let predicate = |cut: &[u32]| phi.evaluate(&c, cut);
        let all = Arrived::events(&c.causality().last_cut()).then_end();
        let certain = certain_after(&c, &all, &predicate);
        assert_eq!(certain.possibly, possibly(&c, &predicate));
        assert_eq!(certain.definitely, definitely(&c, &predicate));
    });
}
