//! Persistent sets that are remembered, against sets that are worked out in each state.

use super::loaded;
use mazurka_promela::verify::{PersistentAlgorithm, compare_sets};
use mazurka_seeds::seeds;
use mazurka_testkit::promela::{Shape, random_program, random_races};
use std::sync::Mutex;

/// Compares up to this many states of each model.
const STATES: usize = 1_000;

/// Compares sets on random models.
fn random(cases: u64, lossy: bool, text_of: impl Fn(u64) -> String + Sync) {
    let counts = Mutex::new((0, 0, 0));
    seeds(cases, |seed| {
        let text = text_of(seed);
        let model = loaded(seed, &text, lossy);
        for algorithm in [PersistentAlgorithm::Conditional, PersistentAlgorithm::Stubborn] {
            let compared = compare_sets(&model, algorithm, STATES);
            let compared = compared.unwrap_or_else(|d| panic!("seed {seed}, {}: {d}\n{text}", algorithm.name()));
            let mut counts = counts.lock().unwrap();
            counts.0 += compared.states;
            counts.1 += compared.reduced;
            counts.2 += compared.remembered;
        }
    });
    let (states, reduced, remembered) = counts.into_inner().unwrap();
    println!("{states} states, {reduced} of them reduced, {remembered} sets remembered");
    assert!(mazurka_seeds::are_chosen() || (reduced > 0 && remembered > 0));
}

#[test]
fn remembered_sets_are_those_of_the_state() {
    random(300, false, |seed| random_program(seed, &Shape::safety()).to_string());
}

#[test]
fn remembered_sets_are_those_of_the_state_where_messages_are_lost() {
    random(100, true, |seed| random_program(seed, &Shape::safety()).to_string());
}

#[test]
fn remembered_sets_are_those_of_the_state_where_things_go_wrong() {
    random(300, false, |seed| random_program(seed, &Shape::faulty()).to_string());
}

#[test]
fn remembered_sets_are_those_of_the_state_in_races() {
    random(300, false, random_races);
}

/// Models with several processes of one kind, whose sets depend on data in many ways.
const SMALL: [&str; 6] = [
    // Interchangeable processes around semaphores and a buffer.
    "byte mutex = 1, free = 2, used; chan q = [2] of { byte };
     active [3] proctype P() { do :: d_step { mutex > 0 -> mutex-- }; if :: free > 0 -> free--; q!1; used++ :: else fi; mutex++ od }
     active [2] proctype C() { byte m; do :: d_step { used > 0 -> used-- }; q?m; free++ od }",
    // The same statements, but the number of the process decides on elements.
    "bit b[3]; byte x, y; active [3] proctype P() { do :: b[_pid] = 1; x = _pid; if :: y != 0 -> b[_pid] = 0; y == 0
        :: else -> y = _pid + 1; if :: x != _pid -> b[_pid] = 0; y = 0 :: x == _pid -> break fi fi od }",
    // Parameters that name channels, and others that name nothing.
    "chan c[3] = [1] of { byte, byte }; byte won;
     proctype P(chan in, out; byte me) { byte n, k; out!me,0; do :: in?n,k -> if :: n > me -> out!n,1 :: n == me -> won++; break :: else fi od }
     init { atomic { run P(c[0], c[1], 2); run P(c[1], c[2], 3); run P(c[2], c[0], 1) } }",
    // Indices in variables that change, shared and local.
    "byte a[3], at; active [2] proctype P() { byte k; do :: at < 2 -> at++ :: a[at] < 2 -> a[at]++ :: k < 2 -> k++; a[k] = a[at] :: a[k] == 2 -> break od }",
    // Rendezvous, inhibitors and partners that come and go.
    "chan r = [0] of { bit }; byte n; active [2] proctype S() { do :: r!0; n++ :: n > 1 -> { n = 0; n == 3 } unless { n == 0 } od }
     active [2] proctype R() { bit m; do :: r?m :: r?1 -> n = 0 :: n == 2 -> if :: r?m :: else -> n-- fi od }",
    // Processes that start and end.
    "byte n; proctype W(byte k) { byte t = n; n = t + k } active proctype M() { byte i; do :: i < 3 -> run W(i); i++ :: _nr_pr == 1 -> break od; assert(n < 9) }",
];

#[test]
fn remembered_sets_are_those_of_the_state_in_small_models() {
    let mut remembered = 0;
    for (k, text) in SMALL.into_iter().enumerate() {
        let model = loaded(k as u64, text, false);
        for algorithm in [PersistentAlgorithm::Conditional, PersistentAlgorithm::Stubborn] {
            let compared = compare_sets(&model, algorithm, 20_000).unwrap_or_else(|d| panic!("{d}\n{text}"));
            remembered += compared.remembered;
        }
    }
    assert!(remembered > 1000, "{remembered}");
}
