//! Values that are not read any more are not part of the state.

use mazurka_promela::load;
use mazurka_promela::verify::{Options, Property, PropertyResult, Verdict, check};

fn checked(text: &str) -> PropertyResult {
    let model = load("m.pml", text, &Default::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
        .model;
    let property = match (model.ltl.first(), &model.never) {
        (Some(ltl), _) => Property::Ltl(ltl.clone()),
        (None, Some(_)) => Property::Never,
        (None, None) => Property::Safety,
    };
    check(&model, &property, &Options::default()).unwrap()
}

/// The number of states of a model in which a process assigns `n` and uses it, and then two others interfere.
fn states(uses: &str) -> u64 {
    let text = format!(
        "byte x; chan c = [1] of {{ byte, byte }}; chan r = [0] of {{ byte }};
         proctype T(byte n) {{ x = 1 }}
         active proctype P() {{ byte n, m; byte a[2]; {uses};
             do :: x == 0 -> x = 1 :: x == 1 -> x = 2 od }}
         active proctype Q() {{ byte n; end: do :: x == 2 -> x = 0 :: r?n -> n > 0; n = 0 od }}"
    );
    let found = checked(&text);
    assert_eq!(found.verdict, Verdict::Holds, "{uses}");
    found.statistics.states
}

#[test]
fn what_is_not_read_any_more_makes_no_difference() {
    let choice = |uses: &str| format!("if :: n = 1 :: n = 2 :: n = 3 fi; {uses}");
    for uses in [
        "n > 0",
        "n > 0; n = 0; n = 7; n == 7",
        "m = n; m > 0; m = 1; m > 0",
        "c!n,n; c?_,_",
        "c!n,0; c?n,m; n + m > 0",
        "d_step { n > 0; m = 1 }",
        "d_step { m = n; n = m }; m > 0",
        "r!n",
        "do :: n > 0 -> n-- :: else -> break od",
    ] {
        let same = states(&format!("n = 2; {uses}"));
        let several = states(&choice(uses));
        // Those in front of the choice, and between it and the use.
        assert!(several <= same + 2 * 6, "{uses}: {several} against {same}");
    }
    // A process reads it again and again.
    assert!(states(&choice("m = n; do :: x > n && m == n -> break :: x <= 3 -> break od")) > 0);
}

#[test]
fn what_is_read_later_is_kept() {
    let uses = [
        "assert(n < 3)",
        "a[n] = 1",
        "m = a[n]",
        "m = n; x = 1; assert(m < 3)",
        "m = 7 / (3 - n)",
        "if :: n > 2 -> assert(false) :: else fi",
        "if :: n < 3 :: else -> assert(false) fi",
        "do :: n < 3 -> break :: else -> assert(false) od",
        "c!n,0; c?m,_; assert(m < 3)",
        "c!0,3; if :: c?_,eval(n) -> assert(false) :: x == 9 fi",
        "c!3,0; if :: c?[eval(n),_] -> assert(false) :: else fi",
        "r!n; false",
        "run T(n)",
        "d_step { x = 1; assert(n < 3) }",
        "d_step { if :: x == 9 -> n = 0 :: else fi }; assert(n < 3)",
        "d_step { m = n; n = 0 }; assert(m < 3)",
        "atomic { x = 1; x = 2; assert(n < 3) }",
        "{ x == 9 } unless { n > 2 -> assert(false) }",
        "a[0] = n; x = 1; a[1] = 0; x = 2; assert(a[0] < 3)",
        "a[1] = n; x = 1; a[0] = 0; x = 2; assert(a[1] < 3)",
        "again: if :: x < 5 -> x++; goto again :: else fi; assert(n < 3)",
        "assert(x < 9 -> n < 3 : true)",
    ];
    for uses in uses {
        let text = format!(
            "byte x; chan c = [1] of {{ byte, byte }}; chan r = [0] of {{ byte }};
             proctype T(byte k) {{ x = 1; assert(k < 3) }}
             active proctype P() {{ byte n, m; byte a[3]; if :: n = 1 :: n = 3 fi; x = 1; x = 2; {uses} }}
             active proctype Q() {{ byte k; end: r?k; x = 1; assert(k < 3) }}"
        );
        assert_eq!(checked(&text).verdict, Verdict::Violated, "{uses}");
    }
}

#[test]
fn what_others_read_is_kept() {
    for others in [
        "active proctype Q() { x == 2 -> assert(P[0]:n < 3) }",
        "active proctype Q() { byte a[3]; x == 2 -> a[P[0]:n] = 1 }",
        "ltl { [] (x == 2 -> P[0]:n < 3) }",
        "ltl { <> (x == 2 && P[0]:n < 3) }",
        "never { do :: !(x == 2 && P[0]:n == 3) :: x == 2 && P[0]:n == 3 -> break od }",
        "active proctype Q() provided (P[0]:n > 2) { x == 2 -> assert(false) }",
        "proctype Q() { byte k = P[0]:n; assert(k < 3) } init { x == 2; run Q() }",
    ] {
        let text = format!(
            "byte x; active proctype P() {{ byte n; if :: n = 1 :: n = 3 fi; x = 1; x = 2; end: false }} {others}"
        );
        assert_eq!(checked(&text).verdict, Verdict::Violated, "{others}");
    }
    // A clause of its own is evaluated whatever the process does.
    let own = "byte x; proctype P(byte n) provided (n < 3) { x = 1; n = 3; x = 2; assert(false) } init { run P(1) }";
    let found = checked(own);
    assert_eq!(found.verdict, Verdict::Violated);
    assert!(
        found.violations[0].message.contains("cannot go on"),
        "{}",
        found.violations[0].message
    );
}

/// The plain interpreter forgets nothing.
#[test]
fn counterexamples_have_the_values() {
    let found = checked(
        "byte x; active proctype P() { byte n, m; if :: n = 5 :: n = 6 fi; m = n; m > 5; x = 1; x = 2; assert(x == 1) }",
    );
    assert_eq!(found.verdict, Verdict::Violated);
    let changes: Vec<_> = found.violations[0].steps.iter().flat_map(|s| &s.changes).collect();
    let values: Vec<&str> = changes.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(values, ["6", "6", "1", "2"]);
}

/// A value that is assigned before it is read makes no difference from the start, unless another begins with it.
#[test]
fn first_values_that_are_not_read_are_forgotten() {
    let states = |begin: &str| {
        let text = format!(
            "byte x; chan c = [1] of {{ byte }};
             proctype P(byte p) {{ byte n = {begin}; do :: x = 1 - x; c!x; c?n; c!n; c?p; x = x + p - p od }}
             init {{ if :: run P(1) :: run P(2) fi }}"
        );
        let found = checked(&text);
        assert_eq!(found.verdict, Verdict::Holds, "{begin}");
        found.statistics.states
    };
    assert_eq!(states("0"), states("5"));
    let begins = "proctype P() { byte n = 5; byte m = n + 1; x = m; n = x; assert(n == 5) }";
    for text in [
        format!("byte x; active {begins}"),
        format!("byte x; {begins} init {{ run P() }}"),
    ] {
        let found = checked(&text);
        let mut changes = found.violations[0].steps.iter().flat_map(|step| &step.changes);
        assert!(
            changes.any(|change| *change == ("x".to_string(), "6".to_string())),
            "{text}"
        );
    }
}
