//! Statement merging: what nobody notices is one step, and what somebody notices is not.

use mazurka_core::ProvisoKind;
use mazurka_promela::load;
use mazurka_promela::verify::{Options, Property, PropertyResult, Reduction, Verdict, check};

fn options(merge: bool) -> Options<'static> {
    Options {
        reduction: Reduction::None,
        all: true,
        merge,
        ..Options::default()
    }
}

fn checked(text: &str, property: Option<Property>, options: &Options<'_>) -> PropertyResult {
    let model = load("m.pml", text, &Default::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
        .model;
    let of_the_model = match (model.ltl.first(), &model.never) {
        (Some(ltl), _) => Property::Ltl(ltl.clone()),
        (None, Some(_)) => Property::Never,
        (None, None) => Property::Safety,
    };
    check(&model, &property.unwrap_or(of_the_model), options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The numbers of states and transitions, merged and not.
fn sizes(text: &str) -> [(u64, u64); 2] {
    [true, false].map(|merge| {
        let found = checked(text, Some(Property::Safety), &options(merge));
        assert_eq!(found.verdict, Verdict::Holds, "{text}");
        (found.statistics.states, found.statistics.transitions)
    })
}

#[test]
fn what_concerns_nobody_else_is_one_step() {
    for (private, merged) in [
        ("l = 1; l = l + 1; assert(l < 9)", 2),
        ("printf(\"%d\", l); skip; assert(true)", 2),
        ("a[l] = 1; l = a[1]; l = a[l]", 2),
        ("l = 1; l = 2; l = x", 3),
        ("l = 1; l = 2; l == 2", 3),
        ("l = 1; l = 2; end: l = 3", 2),
    ] {
        let text =
            format!("byte x; active proctype P() {{ byte l; byte a[2]; x = 1; {private}; end_: x == 9 && l == a[0] }}");
        let [(states, transitions), (all, every)] = sizes(&text);
        assert_eq!((states, all), (merged, 5), "{private}");
        // Each statement counts.
        assert_eq!((transitions, every), (4, 4), "{private}");
    }
}

#[test]
fn both_partners_of_a_rendezvous_go_on() {
    let text = "chan c = [0] of { byte }; byte x;
        active proctype P() { byte l; c!1; l = 1; l++; end: x == l }
        active proctype Q() { byte l; c?l; l = 1; l++; end: x == l }";
    let [(states, transitions), (all, every)] = sizes(text);
    assert_eq!((states, transitions), (2, 5));
    assert_eq!((all, every), (10, 13));
}

/// Each of these is violated, and would not be if too much was merged.
#[test]
fn what_somebody_notices_is_not_merged() {
    let alone = "byte x, y; chan c = [0] of { byte };";
    for text in [
        // Who is ready for a rendezvous.
        "active proctype P() { byte l; x = 1; l = 1; end: c?l }
         active proctype Q() { x == 1; if :: c!1 :: else -> assert(false) fi }",
        "active proctype P() { byte l; x = 1; l = 1; end: c?l }
         active proctype Q() { x == 1; { assert(false) } unless { c!1 } }",
        "active proctype P() { byte l; x = 1; l = 1; c?l; assert(l == 0) }
         active proctype Q() { atomic { x == 1 && y == 0; c!y } } active proctype R() { y = 1 }",
        "active proctype P() { byte l; x = 1; l = 1; end: d_step { c?l; l++ } }
         active proctype Q() { x == 1; if :: c!1 :: else -> assert(false) fi }",
        // Where a process is, and what is in its variables.
        "active proctype P() { byte l; x = 1; here: l = 1; x = 2 } active proctype Q() { P@here -> assert(false) }",
        "active proctype P() { byte l; x = 1; l = 1; here: x == 2 } active proctype Q() { x == 1 && !P@here -> assert(false) }",
        "active proctype P() { byte l; x = 1; l = 1; l = 0; x = 2 } active proctype Q() { assert(P[0]:l == 0) }",
        "active proctype P() { byte a[2]; x = 1; a[1] = 1; a[1] = 0; x = 2 } active proctype Q() { assert(P[0]:a[1] == 0) }",
        "active proctype P() { byte l; x = 1; l = 1; end: x == 2 } active proctype Q() { x == 1 && enabled(0) -> assert(false) }",
        "active proctype P() { byte l; y = 1; l = 1; end: false }
         active proctype Q() { y == 1; x = 2; _last == 0 -> assert(false) }",
        "active proctype P() provided (x == 0) { byte l; x = 1; l = 1; end: false }",
        "active proctype P() { byte l; x = 1; here: l = 1; x = 2 } active proctype Q() provided (P@here) { assert(false) }",
        "active proctype P() { byte l; x = 1; l = 1; l = 0; x = 2 } active proctype Q() provided (P[0]:l == 1) { assert(false) }",
        // What is inside `atomic` comes after what others do.
        "active proctype P() { byte l; x = 1; atomic { l = 1; y = 1 } } active proctype Q() { x == 1 -> assert(y == 1) }",
        // Global variables.
        "active proctype P() { byte l; x = 1; l = x; assert(l == 1) } active proctype Q() { x = 2 }",
        "active proctype P() { byte l; byte a[3]; x = 1; a[x] = 1; assert(a[1] == 1) } active proctype Q() { x = 2 }",
        "active proctype P() { byte l; x = 1; assert(x == 1) } active proctype Q() { x = 2 }",
        "active proctype P() { byte l; x = 1; l = 1; x = 2 } active proctype Q() { assert(x != 1) }",
        // Private steps that never end.
        "active proctype P() { byte l; x = 1; do :: l = 1 - l od } active proctype Q() { x == 1 -> assert(false) }",
        "active proctype P() { byte l; x = 1; do :: l = 1 - l; l = 1 - l od } active proctype Q() { x == 1 -> assert(false) }",
        // Formulas and claims.
        "active proctype P() { byte l; x = 1; here: l = 1; x = 2 } ltl { [] !P@here }",
        "active proctype P() { byte l; x = 1; l = 1; l = 0; x = 2 } ltl { [] (P[0]:l == 0) }",
        "active proctype P() { byte l; x = 1; here: l = 1; x = 2 } ltl { <> [] (x != 2) || [] !P@here }",
        "active proctype P() { byte l; x = 1; l = 1; x = 2 } ltl { [] !(x == 1 && X (x == 1)) }",
        "active proctype P() { byte l; x = 1; l = 1; x = 2 } never { x == 0; x == 1; x == 1; x == 2 }",
        "active proctype P() { byte l; x = 1; here: l = 1; x = 2 } never { do :: !P@here :: P@here -> break od }",
        "active proctype P() { byte l; do :: x = 1 - x; accept: l = 1 od } never { do :: true od }",
    ] {
        for merge in [true, false] {
            // Other executions of some of them end in invalid end states.
            let is_about_errors = text.contains("assert");
            let property = is_about_errors.then_some(Property::Assertions);
            let found = checked(&format!("{alone} {text}"), property, &options(merge));
            assert_eq!(found.verdict, Verdict::Violated, "merge: {merge}\n{text}");
        }
    }
}

#[test]
fn labels_count_where_the_property_is_about_them() {
    let cycle =
        |label: &str| format!("byte x; active proctype P() {{ byte l; do :: x = 1 - x; {label} l = 1; x = x od }}");
    let verdict = |label, property| checked(&cycle(label), Some(property), &options(true)).verdict;
    assert_eq!(verdict("accept:", Property::Acceptance), Verdict::Violated);
    assert_eq!(verdict("", Property::Acceptance), Verdict::Holds);
    assert_eq!(verdict("progress:", Property::Progress), Verdict::Holds);
    assert_eq!(verdict("", Property::Progress), Verdict::Violated);
}

/// `Q` can send while `P` is at its loop, and cannot while `P` has something to do for itself. So weak fairness does not make it.
#[test]
fn fairness_sees_who_is_enabled_meanwhile() {
    let text = "chan c = [0] of { byte }; byte x;
        active proctype P() { byte l; do :: c?l :: x = 1 - x; l = 1 od }
        active proctype Q() { c!1; done: skip }
        ltl { <> Q@done }";
    for merge in [true, false] {
        let fair = Options {
            fair: true,
            ..options(merge)
        };
        assert_eq!(checked(text, None, &fair).verdict, Verdict::Violated, "merge: {merge}");
    }
}

/// A step that fails is not passed: what others do before it is explored, too.
#[test]
fn others_go_on_before_a_failure() {
    let text = "byte x; active proctype P() { byte l; x = 1; l = 1; assert(l == 0) }
        active proctype Q() { x == 1; assert(x == 2) }";
    for merge in [true, false] {
        let found = checked(text, None, &options(merge));
        assert_eq!(found.violations.len(), 2, "merge: {merge}");
        let unreached: Vec<_> = found.unreached.iter().map(|u| u.statement.as_str()).collect();
        assert_eq!(unreached, ["-end-", "-end-"], "merge: {merge}");
    }
}

#[test]
fn there_is_no_timeout_while_a_step_is_pending() {
    let text = "byte x; active proctype P() { byte l; x = 1; l = 1; l = 2; x = l }
        active proctype Q() { timeout -> assert(x == 2) }";
    let [(states, _), (all, _)] = sizes(text);
    assert!(states < all);
}

#[test]
fn counterexamples_have_every_statement() {
    let text = "byte x; active proctype P() { byte l; x = 1; l = 1; l = 2; x = l; assert(x == 1) }";
    let found = checked(text, None, &options(true));
    let steps: Vec<_> = found.violations[0].steps.iter().map(|s| s.statement.as_str()).collect();
    assert_eq!(steps, ["x = 1", "l = 1", "l = 2", "x = l", "assert(x == 1)"]);
    let formula = format!("{} ltl {{ <> [] (x == 1) }}", text.replace("; assert(x == 1)", ""));
    let found = checked(&formula, None, &options(true));
    assert_eq!(found.verdict, Verdict::Violated);
    assert!(found.statistics.states < checked(&formula, None, &options(false)).statistics.states);
    let steps: Vec<_> = found.violations[0].steps.iter().map(|s| s.statement.as_str()).collect();
    assert_eq!(steps[..4], ["x = 1", "l = 1", "l = 2", "x = l"]);
}

/// A shortest counterexample has the fewest statements, not the fewest transitions.
#[test]
fn lengths_are_numbers_of_statements() {
    let text = "byte x; active proctype P() {
        byte l;
        if :: x = 1; l = 1; l = 2; l = 3 :: x = 1; x = 2; l = 3 fi;
        assert(false) }";
    let shortest = Options {
        shortest: true,
        all: false,
        ..options(true)
    };
    assert_eq!(checked(text, None, &shortest).violations[0].steps.len(), 4);
}

/// A step that leads back to where it began ends there, however many statements it has. Otherwise it would seem to leave the path, and
/// the stack proviso would let it delay others for ever.
#[test]
fn a_step_that_comes_round_delays_nobody() {
    for round in ["skip", "l = 1; l = 0", "l = 1; skip; l = 0"] {
        let text = format!(
            "active proctype P() {{ byte l; do :: {round} od }}
             active proctype Q() {{ skip; do :: skip :: break od; assert(false) }}"
        );
        for (merge, reduction) in [true, false].into_iter().zip([Reduction::Persistent, Reduction::Full]) {
            let stack = Options {
                reduction,
                proviso: Some(ProvisoKind::Stack),
                ..options(merge)
            };
            let found = checked(&text, None, &stack);
            assert_eq!(
                found.verdict,
                Verdict::Violated,
                "{round}, {reduction:?}, merge: {merge}"
            );
        }
    }
}
