//! The litmus tests, with the verdicts of the literature.

use std::collections::BTreeSet;

use mazurka_axioms::{Order, litmus_tests};

use super::random_programs::describe;

#[test]
fn verdicts_are_those_of_the_literature() {
    let wrong = |test: &mazurka_axioms::LitmusTest| {
        (test.is_found() != test.allowed).then(|| {
            let verdict = if test.allowed { "allowed" } else { "forbidden" };
            format!(
                "{} should be {verdict} because {}\n{}",
                test.name, test.reason, test.program
            )
        })
    };
    let wrong: Vec<_> = litmus_tests().iter().filter_map(wrong).collect();
    assert!(
        wrong.is_empty(),
        "{} verdicts differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn there_are_enough_and_names_are_unique() {
    let tests = litmus_tests();
    let names: BTreeSet<_> = tests.iter().map(|test| &test.name).collect();
    assert_eq!(names.len(), tests.len());
    assert!(tests.len() >= 170, "{}", tests.len());
}

/// Every kind of statement with every ordering that it may have.
pub fn everything() -> BTreeSet<String> {
    let mut all: BTreeSet<String> = [
        "cas, weak",
        "cas, strong",
        "if, alone",
        "if, else",
        "read",
        "write",
        "lock",
        "unlock",
    ]
    .map(String::from)
    .into();
    let mut with = |name: &str, orders: &[Order]| all.extend(orders.iter().map(|order| format!("{name} {order}")));
    with("load", &Order::LOADS);
    with("store", &Order::STORES);
    with("add", &Order::ALL);
    with("swap", &Order::ALL);
    with("cas, success", &Order::ALL);
    with("cas, failure", &Order::LOADS);
    with("fence", &Order::FENCES);
    all
}

#[test]
fn every_construct_occurs() {
    let mut seen = BTreeSet::new();
    for test in litmus_tests() {
        test.program
            .for_each_statement(&mut |statement| describe(statement, &mut seen));
    }
    let missing: Vec<_> = everything().difference(&seen).cloned().collect();
    assert!(missing.is_empty(), "no litmus test has: {missing:?}");
}

#[test]
fn every_file_is_registered() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/litmus");
    let mut expected = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        expected += mazurka_axioms::parse_litmus(&text).unwrap().len();
    }
    assert_eq!(litmus_tests().len(), expected);
}
