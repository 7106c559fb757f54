//! `mazurka export`: what other tools read.

use crate::scenario::Scenario;

const SWITCH: &str = "\
bool on;
active proctype P() { do :: !on -> on = true :: on -> on = false od }
ltl live { [] <> on }
ltl safe { [] (on || !on) }
";

#[test]
fn the_states_in_the_aldebaran_format() {
    let ended = Scenario::with("m.pml", SWITCH)
        .run(&["export", "m.pml", "--to", "aut"])
        .code(0);
    assert_eq!(
        ended.stdout,
        "des (0, 4, 4)
(0, \"P[0]: !on\", 1)
(1, \"P[0]: on = true\", 2)
(2, \"P[0]: on\", 3)
(3, \"P[0]: on = false\", 0)
"
    );
    assert_eq!(ended.stderr, "");
}

#[test]
fn the_states_for_graphviz() {
    let scenario = Scenario::with("m.pml", "bit x; active proctype P() { x = 1; x == 0 }");
    let ended = scenario.run(&["export", "m.pml", "--to", "dot"]).code(0);
    assert_eq!(
        ended.stdout,
        "digraph \"m.pml\" {
  node [shape=circle];
  0 [style=bold];
  1 [shape=doublecircle, color=red];
  0 -> 1 [label=\"P[0]: x = 1\"];
}
"
    );
}

#[test]
fn the_automata_of_the_negated_formulas() {
    let scenario = Scenario::with("m.pml", SWITCH);
    let all = scenario.run(&["export", "m.pml", "--to", "hoa"]).code(0).stdout;
    assert_eq!(all.matches("HOA: v1\n").count(), 2, "{all}");
    assert_eq!(all.matches("--END--\n").count(), 2, "{all}");
    let one = scenario
        .run(&["export", "m.pml", "--to", "hoa", "--property", "live"])
        .code(0)
        .stdout;
    assert!(one.starts_with("HOA: v1\nname: \"negation of live: "), "{one}");
    assert!(one.contains("AP: 1 \"on\"\n") && one.contains(" {0}\n[!0] "), "{one}");
    let given = scenario
        .run(&["export", "m.pml", "--to", "hoa", "--ltl", "<> [] !on"])
        .code(0)
        .stdout;
    assert!(
        given.starts_with("HOA: v1\nname: \"negation of <> [] !on\"\n"),
        "{given}"
    );
}

#[test]
fn too_many_states_leave_nothing_behind() {
    let scenario = Scenario::with("m.pml", SWITCH);
    let arguments = ["export", "m.pml", "--to", "aut", "-o", "m.aut", "--max-states"];
    let asked = |limit| scenario.run(&[&arguments[..], &[limit]].concat());
    asked("3")
        .code(3)
        .prints_nothing()
        .complains("the model has more than 3 states");
    assert_eq!(scenario.files(), ["m.pml"]);
    asked("4").code(0).prints_nothing().complains("wrote m.aut");
    assert!(
        std::fs::read_to_string(scenario.path("m.aut"))
            .unwrap()
            .starts_with("des (0, 4, 4)\n")
    );
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let scenario = Scenario::with("m.pml", SWITCH).and("plain.pml", "active proctype P() { skip }");
    let refused = |arguments: &[&str], why: &str| {
        scenario
            .run(&[&["export"], arguments].concat())
            .code(2)
            .complains(why)
            .prints_nothing();
    };
    refused(&["m.pml", "--to", "dot", "--property", "live"], "only `--to hoa`");
    refused(&["plain.pml", "--to", "hoa"], "no `ltl` block");
    refused(
        &["m.pml", "--to", "hoa", "--property", "lively"],
        "expected one of: live, safe",
    );
    refused(&["m.pml", "--to", "hoa", "--ltl", "[] of"], "the formula `[] of`");
    refused(&["m.pml", "--to", "pdf"], "[possible values: dot, aut, hoa]");
    refused(&["none.pml", "--to", "aut"], "cannot read none.pml");
}
