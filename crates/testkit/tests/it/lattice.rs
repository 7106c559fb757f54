//! The oracle itself: the paper's examples, known counts, and the definitions
//! implemented a second time.
//!
//! "Conference" is the CAV 2000 version of Stoller, Unnikrishnan and Liu, "long"
//! the technical report. The paper numbers local states from 1, cuts count from 0.

use mazurka_testkit::computations::{
    HappenedBefore, Predicate, Preset, Shape, Truth, all_cuts, avoiding_path, computation, definitely, disguised,
    edges, error, formula, holds, is_minimal, is_path_avoiding, least, minimal, possibly, smallest_size, successors,
};
use mazurka_testkit::seeds;
use mazurka_trace::{Clocks, Computation, Cut, Place, ProcessId, Recorder, Recording, Sink, Value};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// An event: its process and its number, both from 1.
type Number = (usize, usize);

/// The processes `p1`, `p2`, … with the values of `v` in their local states, and the
/// messages from event to event.
fn build(processes: &[&[Value]], messages: &[(Number, Number)]) -> Computation {
    let mut recorder = Recorder::new(Recording::default());
    for (p, values) in (1..).zip(processes) {
        let id = recorder.process(&format!("p{p}"));
        for (k, value) in values.iter().enumerate() {
            match k {
                0 => recorder.init(id, Place::NOWHERE),
                _ => drop(recorder.event(id, Place::NOWHERE)),
            }
            recorder.set("v", value.clone());
            for (number, (from, to)) in messages.iter().enumerate() {
                if k > 0 && *from == (p, k) {
                    recorder.send(&format!("m{number}"));
                }
                if k > 0 && *to == (p, k) {
                    recorder.receive(&format!("m{number}"));
                }
            }
        }
    }
    recorder.finish().expect("the rules are kept")
}

fn texts(all: &str) -> Vec<Value> {
    all.split(' ').map(Value::string).collect()
}

fn ints(all: impl IntoIterator<Item = i64>) -> Vec<Value> {
    all.into_iter().map(Value::Int).collect()
}

/// The value of `v` of process p, from 1, in a cut.
fn v<'a>(computation: &'a Computation, cut: &[u32], p: usize) -> &'a Value {
    let variable = computation.variable("v").expect("all processes assign it");
    computation.value(ProcessId::new(p - 1), variable, cut[p - 1])
}

/// p1 = a ∧ p2 = b.
fn both<'a>(computation: &'a Computation, a: &'a Value, b: &'a Value) -> impl Fn(&[u32]) -> Truth + 'a {
    move |cut| Truth::from(v(computation, cut, 1) == a && v(computation, cut, 2) == b)
}

/// Global states as the paper numbers them.
fn numbered_from_one(cuts: Vec<Cut>) -> BTreeSet<(u32, u32)> {
    cuts.into_iter().map(|cut| (cut[0] + 1, cut[1] + 1)).collect()
}

#[test]
fn c0_of_the_conference_version() {
    // Its transitions say: t_{2,1} waits for τ1 ≥ 2, t_{1,2} for τ2 ≥ 3. So the
    // first event of p1 sends to the first of p2, whose second sends back.
    let (p1, p2) = (texts("X Y Z"), texts("A B C D"));
    let c0 = build(&[&p1, &p2], &[((1, 1), (2, 1)), ((2, 2), (1, 2))]);
    let expected = BTreeSet::from([(1, 1), (2, 1), (2, 2), (2, 3), (3, 3), (2, 4), (3, 4)]);
    assert_eq!(numbered_from_one(all_cuts(&c0)), expected);
    assert_eq!(edges(&c0), 7);

    let [x, y, b, d] = ["X", "Y", "B", "D"].map(Value::string);
    assert_eq!(possibly(&c0, &both(&c0, &y, &d)), Some(vec![1, 3]));
    assert!(definitely(&c0, &both(&c0, &y, &b)));
    // Printed as "p1 = Y ∧ p2 = B" once more, which contradicts the line above.
    // Section 5 evaluates this one, and its search goes around s_{2,4}.
    let y_d = both(&c0, &y, &d);
    assert!(!definitely(&c0, &y_d));
    let path = avoiding_path(&c0, &y_d).unwrap();
    assert_eq!(path, [[0, 0], [1, 0], [1, 1], [1, 2], [2, 2], [2, 3]]);
    assert!(is_path_avoiding(&c0, &path, &y_d));
    assert_eq!(possibly(&c0, &both(&c0, &x, &b)), None);
}

#[test]
fn c0_of_the_long_version() {
    // t_{2,2} waits for τ1 ≥ 3: the second event of p1 sends to the second of p2.
    let (p1, p2) = (ints(1..=3), ints(1..=3));
    let c0 = build(&[&p1, &p2], &[((1, 2), (2, 2))]);
    let expected = BTreeSet::from([(1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (3, 2), (3, 3)]);
    assert_eq!(numbered_from_one(all_cuts(&c0)), expected);

    let [one, two, three] = [1, 2, 3].map(Value::Int);
    let sum_is = |n: i64| {
        let c0 = &c0;
        move |cut: &[u32]| match (v(c0, cut, 1), v(c0, cut, 2)) {
            (Value::Int(a), Value::Int(b)) => Truth::from(a + b == n),
            _ => Truth::Error,
        }
    };
    let two_two = both(&c0, &two, &two);
    assert_eq!(possibly(&c0, &two_two), Some(vec![1, 1]));
    assert!(definitely(&c0, &sum_is(2)));
    assert!(definitely(&c0, &sum_is(3)));
    assert!(!definitely(&c0, &two_two));
    assert!(is_path_avoiding(&c0, &avoiding_path(&c0, &two_two).unwrap(), &two_two));
    assert_eq!(possibly(&c0, &both(&c0, &one, &three)), None);
}

#[test]
fn c1_of_the_long_version() {
    // Processes 1 and 3 have S states each, process 2 has three and first waits for
    // all of process 1.
    for s in 2..=6 {
        let (p1, p2, p3) = (ints(0..s), ints(0..3), ints(0..s));
        let c1 = build(&[&p1, &p2, &p3], &[((1, s as usize - 1), (2, 1))]);
        let s = s as usize;
        // S states of p1 while p2 has done nothing, two more of p2 at the end of p1.
        assert_eq!(all_cuts(&c1).len(), (s + 2) * s);
        // Possibly Φ(p2, p3): p2 = 1 needs all of p1 and nothing of p3.
        let p2_moved = |cut: &[u32]| Truth::from(*v(&c1, cut, 2) == Value::Int(1));
        let least_cut = vec![s as u32 - 1, 1, 0];
        assert_eq!(least(&c1, &p2_moved), Some(least_cut.clone()));
        assert_eq!(smallest_size(&c1, &p2_moved), Some(s as u32));
        assert!(is_minimal(&c1, &least_cut, &p2_moved));
        assert!(definitely(&c1, &p2_moved));
    }
}

#[test]
fn each_false_then_true_is_definite_though_no_process_stays_false() {
    // The counterexample to Theorem 2 of the conference version: the predicate is
    // false at first, both transitions are enabled, and stayfalse(i, 1) holds of
    // no process, so PS_Def is not defined. Definitely holds, in the last cut.
    let values = [Value::Bool(false), Value::Bool(true)];
    let c = build(&[&values, &values], &[]);
    let yes = Value::Bool(true);
    let both_true = both(&c, &yes, &yes);
    assert_eq!(successors(&HappenedBefore::of(&c), &[0, 0]), [[1, 0], [0, 1]]);
    assert!(!holds(&both_true, &[0, 0]) && !holds(&both_true, &[1, 0]) && !holds(&both_true, &[0, 1]));
    assert!(definitely(&c, &both_true));
    assert_eq!(possibly(&c, &both_true), Some(vec![1, 1]));
}

#[test]
fn without_messages_every_cut_is_consistent() {
    for n in 1..=4 {
        for k in 0..=3 {
            let values = ints(0..=k);
            let c = build(&vec![&values[..]; n], &[]);
            let k = k as usize;
            assert_eq!(all_cuts(&c).len(), (k + 1).pow(n as u32));
            // Each of n processes can take each of its k steps wherever the others are.
            assert_eq!(edges(&c), n * k * (k + 1).pow(n as u32 - 1));
        }
    }
}

#[test]
fn a_chain_has_one_cut_more_than_events() {
    let values = ints(0..=2);
    let c = build(
        &[&values, &values],
        &[((1, 1), (2, 1)), ((2, 1), (1, 2)), ((1, 2), (2, 2))],
    );
    assert_eq!(all_cuts(&c), [[0, 0], [1, 0], [1, 1], [2, 1], [2, 2]]);
}

#[test]
fn an_event_that_receives_and_sends_passes_on_what_it_knows() {
    let values = ints(0..=1);
    let c = build(&[&values, &values, &values], &[((1, 1), (2, 1)), ((2, 1), (3, 1))]);
    assert_eq!(all_cuts(&c), [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]);
    assert_eq!(HappenedBefore::of(&c).timestamp(2, 1), [1, 1, 1]);
}

#[test]
fn checks_of_paths_say_no() {
    let values = ints(0..=1);
    let c = build(&[&values, &values], &[((1, 1), (2, 1))]);
    let nowhere = |_: &[u32]| Truth::False;
    let path = |cuts: &[[u32; 2]]| cuts.iter().map(|cut| cut.to_vec()).collect::<Vec<Cut>>();
    let good = path(&[[0, 0], [1, 0], [1, 1]]);
    assert!(is_path_avoiding(&c, &good, &nowhere));
    assert!(is_path_avoiding(&c, &good, &|_| Truth::Error), "an error is not true");
    assert!(!is_path_avoiding(&c, &good, &|cut| Truth::from(cut == [1, 0])));
    for (why, bad) in [
        ("it is empty", path(&[])),
        ("it starts late", path(&[[1, 0], [1, 1]])),
        ("it ends early", path(&[[0, 0], [1, 0]])),
        ("it leaps", path(&[[0, 0], [1, 1]])),
        ("it stands still", path(&[[0, 0], [1, 0], [1, 0], [1, 1]])),
        ("a cut is not consistent", path(&[[0, 0], [0, 1], [1, 1]])),
        ("there is no such state", path(&[[0, 0], [1, 0], [2, 0], [1, 1]])),
    ] {
        assert!(!is_path_avoiding(&c, &bad, &nowhere), "{why}");
    }
}

/// Whether every history contains a cut that satisfies the predicate, by looking
/// at every history.
fn every_history_hits(cuts: &[Cut], history: &mut Vec<Cut>, predicate: &Predicate) -> bool {
    let last = &history[history.len() - 1];
    let next: Vec<Cut> = cuts.iter().filter(|c| covers(cuts, last, c)).cloned().collect();
    if next.is_empty() {
        return history.iter().any(|cut| holds(predicate, cut));
    }
    next.into_iter().all(|cut| {
        history.push(cut);
        let hits = every_history_hits(cuts, history, predicate);
        history.pop();
        hits
    })
}

fn less(a: &[u32], b: &[u32]) -> bool {
    a != b && a.iter().zip(b).all(|(a, b)| a <= b)
}

/// Immediate successors as in the paper: nothing is strictly in between.
fn covers(cuts: &[Cut], a: &[u32], b: &[u32]) -> bool {
    less(a, b) && !cuts.iter().any(|c| less(a, c) && less(c, b))
}

#[test]
fn definitions_agree_with_themselves_on_random_computations() {
    seeds(400, |seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape {
            total: 7,
            ..Shape::any(&mut rng)
        };
        let c = computation(&mut rng, &shape);
        let cuts = all_cuts(&c);
        let relation = HappenedBefore::of(&c);
        for cut in &cuts {
            let covering: BTreeSet<Cut> = cuts.iter().filter(|next| covers(&cuts, cut, next)).cloned().collect();
            assert_eq!(BTreeSet::from_iter(successors(&relation, cut)), covering);
        }
        for preset in Preset::ALL {
            let phi = formula(&mut rng, &c, preset);
            let predicate = |cut: &[u32]| phi.evaluate(&c, cut);
            let hits = every_history_hits(&cuts, &mut vec![vec![0; c.processes()]], &predicate);
            assert_eq!(definitely(&c, &predicate), hits, "{}", phi.to_cel());
            match avoiding_path(&c, &predicate) {
                Some(path) => assert!(is_path_avoiding(&c, &path, &predicate)),
                None => assert!(possibly(&c, &predicate).is_some(), "a history exists, and it hits"),
            }
            let all = minimal(&c, &predicate);
            assert_eq!(all.is_empty(), possibly(&c, &predicate).is_none());
            assert!(all.iter().all(|cut| is_minimal(&c, cut, &predicate)));
            if preset == Preset::LocalConjunction && !all.is_empty() {
                assert_eq!(least(&c, &predicate), Some(all[0].clone()), "{}", phi.to_cel());
            }
        }
    });
}

#[test]
fn clocks_and_causes_agree_with_the_definition_of_consistency() {
    seeds(500, |seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape::any(&mut rng);
        let c = computation(&mut rng, &shape);
        let (relation, clocks) = (HappenedBefore::of(&c), Clocks::of(c.causality()).unwrap());
        let states: Vec<(ProcessId, u32)> = c
            .process_ids()
            .flat_map(|p| (0..=c.causality().events(p)).map(move |k| (p, k)))
            .collect();
        for &(p, k) in &states {
            for (q, known) in c.process_ids().zip(relation.timestamp(p.index(), k)) {
                assert_eq!(clocks.known(p, k, q), known);
            }
            for &(q, l) in states.iter().filter(|(q, _)| *q != p) {
                let expected = relation.concurrent((p.index(), k), (q.index(), l));
                assert_eq!(clocks.concurrent(p, k, q, l), expected);
            }
        }
        for cut in all_cuts(&c) {
            assert!(c.causality().is_consistent(&cut));
            let enabled = c.process_ids().filter(|&p| c.causality().is_enabled(p, &cut)).count();
            assert_eq!(successors(&relation, &cut).len(), enabled);
        }
    });
}

#[test]
fn random_inputs_are_of_all_kinds() {
    let mut rng = fastrand::Rng::with_seed(1);
    let [mut concurrent, mut total, mut idle, mut undecided] = [0; 4];
    let mut answers = BTreeSet::new();
    for _ in 0..400 {
        let shape = Shape::any(&mut rng);
        let c = computation(&mut rng, &shape);
        let (events, cuts) = (c.causality().total(), all_cuts(&c).len() as u64);
        match cuts.cmp(&(events + 1)) {
            Ordering::Less => panic!("each event leads to a new cut"),
            Ordering::Equal => total += 1,
            Ordering::Greater => concurrent += 1,
        }
        idle += usize::from(c.process_ids().any(|p| c.causality().events(p) == 0));
        for preset in Preset::ALL {
            let phi = formula(&mut rng, &c, preset);
            let other = disguised(&mut rng, &phi);
            let predicate = |cut: &[u32]| phi.evaluate(&c, cut);
            for cut in all_cuts(&c) {
                assert_eq!(phi.evaluate(&c, &cut), other.evaluate(&c, &cut), "{}", other.to_cel());
            }
            undecided += usize::from(error(&c, &predicate).is_some());
            answers.insert((
                preset as u8,
                possibly(&c, &predicate).is_some(),
                definitely(&c, &predicate),
                holds(&predicate, &vec![0; c.processes()]),
            ));
        }
    }
    assert!([concurrent, total, idle, undecided].iter().all(|n| *n > 20));
    // Impossible, possible, definite later on, true from the start: for each preset,
    // except that a disjunction of 1-local predicates that is possible is definite.
    assert_eq!(answers.len(), 4 * Preset::ALL.len() - 1, "{answers:?}");
}
