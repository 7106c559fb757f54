//! The number of states for well-known formulas, ours and SPIN's.

use std::process::Command;

use crate::well_known::{DWYER, ETESSAMI_HOLZMANN, SLOW_FOR_SPIN, SOMENZI_BLOEM};
use mazurka_logic::{Buchi, parse};

fn formulas() -> impl Iterator<Item = &'static str> {
    ETESSAMI_HOLZMANN.into_iter().chain(SOMENZI_BLOEM).chain(DWYER)
}

/// States and transitions of the automaton of a formula and of its negation.
fn ours(text: &str) -> [(usize, usize); 2] {
    let formula = parse(text).unwrap().number_atoms(&mut vec![]);
    [formula.clone(), formula.negated()].map(|formula| {
        let automaton = Buchi::new(&formula).unwrap();
        let transitions = automaton.states().map(|q| automaton.edges(q).len()).sum();
        (automaton.states().len(), transitions)
    })
}

/// The states of the never claim that `spin -f` prints, or `None` where there is no SPIN.
fn states_of_spin(text: &str) -> Option<usize> {
    let output = Command::new("spin").args(["-f", text]).output().ok()?;
    let claim = String::from_utf8(output.stdout).unwrap();
    assert!(claim.contains("never"), "spin -f '{text}': {claim}");
    let state = |line: &&str| ["do", "if", "skip", "false;"].contains(&line.trim());
    Some(claim.lines().filter(state).count())
}

#[test]
fn automata_are_smaller_than_those_of_spin() {
    if Command::new("spin").arg("-V").output().is_err() {
        eprintln!("skipped: there is no spin to compare with");
        return;
    }
    let (mut sum, mut sum_of_spin) = (0, 0);
    // This SPIN is built without the operator X.
    for text in formulas().filter(|text| !text.contains('X')) {
        let negation = format!("!({text})");
        for (text, (states, transitions)) in [text, &negation].into_iter().zip(ours(text)) {
            let of_spin = states_of_spin(text).expect("spin ran a moment ago");
            println!("{states:4} {of_spin:4} {transitions:4}  {text}");
            assert!(states <= of_spin, "{states} states, SPIN has {of_spin}: {text}");
            sum += states;
            sum_of_spin += of_spin;
        }
    }
    println!("{sum:4} {sum_of_spin:4}");
    assert!(sum < sum_of_spin);
}

/// Pinned, so that a change of the construction shows. The formula with fairness on the left of an
/// implication is the one on which Gastin and Oddoux (CAV 2001) measure.
#[test]
fn some_automata_have_a_known_number_of_states() {
    for (text, states) in [
        ("true", 1),
        ("false", 1),
        ("[]<>p", 2),
        ("<>[]p", 2),
        ("[]<>p && []<>q", 3),
        ("[]<>p && []<>q && []<>r", 4),
        ("!([]<>p && []<>q && []<>r -> [](s -> <>t))", 5),
        ("X X X p", 5),
        (SLOW_FOR_SPIN[1], 8),
        (SLOW_FOR_SPIN[2], 6),
    ] {
        assert_eq!(ours(text)[0].0, states, "{text}");
    }
}
