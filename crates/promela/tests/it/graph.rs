//! State graphs for export.

use mazurka_core::Strategy;
use mazurka_promela::verify::{GraphError, Options, Property, Reduction, StateGraph, StateKind, check, graph, measure};
use mazurka_promela::{Model, load};

fn model(text: &str) -> Model {
    load("m.pml", text, &Default::default()).unwrap().model
}

fn of(text: &str) -> StateGraph {
    graph(&model(text), 10_000).unwrap()
}

#[test]
fn a_rendezvous_and_an_atomic_are_one_edge_each() {
    let text = "chan c = [0] of { byte }; byte y;
        active proctype S() { c!3 }
        active proctype R() { byte x; c?x; atomic { y = x; y++; y = 0 } }";
    let graph = of(text);
    assert_eq!(graph.labels[0], "S[0]: c!3 -> R[1]: c?x");
    assert!(
        graph.labels.contains(&"R[1]: y = x; y++; y = 0".to_string()),
        "{:?}",
        graph.labels
    );
}

#[test]
fn kinds_of_states() {
    let kinds = |text| of(text).states;
    use StateKind::*;
    assert_eq!(kinds("bit x; active proctype P() { x == 1 }"), [InvalidEnd]);
    assert_eq!(kinds("bit x; active proctype P() { assert(x == 1) }"), [Live, Failed]);
    assert_eq!(kinds("active proctype P() { skip }"), [Live, Live, ValidEnd]);
}

/// The graph has the states and the transitions of a search where each statement is a step.
#[test]
fn it_is_what_a_full_search_explores() {
    let texts = [
        "byte x; active [3] proctype P() { byte t; t = x; x = t + 1; if :: x > 2 -> skip :: else fi }",
        "chan c = [2] of { byte }; active [2] proctype S() { c!_pid; atomic { c!2; c!3 } }
         active proctype R() { byte x; do :: c?x :: c?1 od }",
        "chan c = [0] of { byte }; active [2] proctype S() { c!_pid } active proctype R() { byte x; c?x; c?x; d_step { x++; x++ } }",
        "byte n; init { atomic { run P(); run P() } } proctype P() { n++; n--; do :: n < 3 -> n++ :: break od }",
    ];
    for text in texts {
        let options = Options {
            reduction: Reduction::None,
            all: true,
            ..Options::default()
        };
        let found = check(&model(text), &Property::Safety, &options).unwrap();
        let graph = of(text);
        let every = measure(&model(text), None, &Strategy::default()).unwrap().statistics;
        assert_eq!(graph.states.len() as u64, every.states, "{text}");
        assert_eq!(graph.edges.len() as u64, every.transitions, "{text}");
        assert!(found.statistics.states <= every.states, "{text}");
        let deadlocks = graph.states.contains(&StateKind::InvalidEnd);
        assert_eq!(deadlocks, !found.violations.is_empty(), "{text}");
    }
}

#[test]
fn too_many_states_are_refused() {
    let counter = model("byte x; active proctype P() { do :: x++ od }");
    assert_eq!(graph(&counter, 255), Err(GraphError::TooLarge(255)));
    assert_eq!(graph(&counter, 256).unwrap().states.len(), 256);
}

#[test]
fn quotation_marks_do_not_break_the_formats() {
    let graph = of("active proctype P() { printf(\"a\\n\") }");
    assert!(
        graph.to_aut().contains("(0, \"P[0]: printf('a\\n')\", 1)\n"),
        "{}",
        graph.to_aut()
    );
    let dot = graph.to_dot("m");
    assert!(dot.starts_with("digraph \"m\" {\n"));
    assert!(
        dot.contains("  0 -> 1 [label=\"P[0]: printf(\\\"a\\\\n\\\")\"];\n"),
        "{dot}"
    );
    assert!(dot.ends_with("}\n"));
}
