//! Variables that nothing reads are not part of the state.

use mazurka_promela::load;
use mazurka_promela::verify::{Options, Property, Verdict, check};

fn verdict(text: &str, property: Option<Property>) -> Verdict {
    let model = load("m.pml", text, &Default::default()).unwrap().model;
    let property = property.unwrap_or_else(|| match model.ltl.first() {
        Some(ltl) => Property::Ltl(ltl.clone()),
        None => Property::Safety,
    });
    let mut options = Options::default();
    options.limits.states = Some(1_000);
    check(&model, &property, &options).unwrap().verdict
}

#[test]
fn a_counter_that_nobody_reads_does_not_make_a_model_infinite() {
    let model = "int n, sum[3]; byte i; active proctype P() {
        do :: n++; sum[_pid] = sum[_pid] + 2 * n; printf(\"%d\\n\", n) :: skip od }";
    assert_eq!(verdict(model, None), Verdict::Holds);
    // Local variables, and received values.
    let model = "chan c = [1] of { int }; active proctype S() { int k; do :: k = -k - 1; c!1 od }
        active proctype R() { int x, y; do :: c?x; y = y + x od }";
    assert_eq!(verdict(model, None), Verdict::Holds);
}

#[test]
fn what_somebody_reads_is_kept() {
    for asked in [
        "active proctype Q() { assert(n < 3) }",
        "active proctype Q() { byte a[2]; a[n] = 1 }",
        "byte m; active proctype Q() { m = n; assert(m < 3) }",
        "active proctype Q() { do :: n > 2 -> assert(false) :: else od }",
        "chan c = [1] of { byte }; active proctype Q() { byte x; c!n; c?x; assert(x < 3) }",
        "proctype R(byte x) { assert(x < 3) } active proctype Q() { run R(n) }",
        "ltl { [] (n < 3) }",
        "never { do :: n < 3 :: else -> break od }",
    ] {
        let text = format!("byte n; active proctype P() {{ n++; n++; n++ }} {asked}");
        let property = asked.starts_with("never").then_some(Property::Never);
        assert_eq!(verdict(&text, property), Verdict::Violated, "{asked}");
    }
    let remote = "active proctype P() { byte n; n++; n++; n++ } active proctype Q() { assert(P[0]:n < 3) }";
    assert_eq!(verdict(remote, None), Verdict::Violated);
}

#[test]
fn what_fails_goes_on_to_fail() {
    for statement in ["a[i] = 1", "a[0] = a[i]", "a[0] = 1 / (i - 3)", "c!1; c?a[i]"] {
        let text = format!("byte a[3], i; chan c = [1] of {{ byte }}; active proctype P() {{ i = 3; {statement} }}");
        assert_eq!(verdict(&text, None), Verdict::Violated, "{statement}");
    }
}
