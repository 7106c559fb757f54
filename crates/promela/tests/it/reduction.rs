//! How much reduction leaves out, on models whose size can be chosen. Verdicts are compared elsewhere, on random models.

use mazurka_promela::verify::{Options, Property, Verdict, check};
use mazurka_promela::{Model, load};

fn read(text: &str) -> Model {
    load("m.pml", text, &Default::default()).unwrap().model
}

fn states(text: &str, property: &Property) -> (Verdict, u64) {
    let options = Options {
        all: true,
        ..Options::default()
    };
    let result = check(&read(text), property, &options).unwrap();
    (result.verdict, result.statistics.states)
}

/// The number of states for the formula of a model.
fn of_formula(text: &str) -> (Verdict, u64) {
    let model = read(text);
    let result = check(&model, &Property::Ltl(model.ltl[0].clone()), &Options::default()).unwrap();
    (result.verdict, result.statistics.states)
}

const CHANNELS: [&str; 2] = [
    "chan fork[N] = [1] of { bit };
    active [N] proctype P() { byte left = _pid, right = (_pid + 1) % N;
        do :: fork[left]!1; fork[right]!1; fork[right]?_; fork[left]?_ od }",
    "chan fork[N] = [1] of { bit };
    active [N] proctype P() { byte left = _pid, right = (_pid + 1) % N;
        do :: fork[left]!1; fork[right]!1; fork[left]?_; fork[right]?_ od }",
];

const BITS: [&str; 2] = [
    "bit fork[N];
    active [N] proctype P() { byte left = _pid, right = (_pid + 1) % N;
        do :: atomic { fork[left] == 0 -> fork[left] = 1 }; atomic { fork[right] == 0 -> fork[right] = 1 };
              fork[right] = 0; fork[left] = 0 od }",
    "bool fork[N];
    active [N] proctype P() {
        do :: atomic { !fork[_pid] -> fork[_pid] = true }; d_step { !fork[(_pid + 1) % N]; fork[(_pid + 1) % N] = true };
              fork[_pid] = false; fork[(_pid + 1) % N] = false od }",
];

const SERVERS: [&str; 2] = [
    "chan take[N] = [0] of { bit }; chan put[N] = [0] of { bit };
    active [N] proctype P() { byte left = _pid, right = (_pid + 1) % N;
        do :: take[left]!1; take[right]!1; put[right]!1; put[left]!1 od }
    active [N] proctype Fork() { byte me = _pid - N; do :: take[me]?_; put[me]?_ od }",
    "chan take[N] = [0] of { bit }; chan put[N] = [0] of { bit };
    active [N] proctype P() {
        do :: take[_pid]!1; take[(_pid + 1) % N]!1; put[_pid]!1; put[(_pid + 1) % N]!1 od }
    active [N] proctype Fork() { byte me = _pid - N; end: do :: take[me]?_; put[me]?_ od }",
];

/// Dining philosophers have 6n - 4 states in the engine (thesis 8.1), and so they have in Promela, however forks are written, and
/// in whichever order they are put back.
#[test]
fn philosophers_are_linear() {
    for forks in [CHANNELS, BITS, SERVERS].concat() {
        for n in [4, 8, 13] {
            let text = format!("#define N {n}\n{forks}");
            assert_eq!(
                states(&text, &Property::Deadlock),
                (Verdict::Violated, 6 * n - 4),
                "{text}"
            );
            assert!(states(&text, &Property::Safety).1 < n * n, "{text}");
        }
    }
}

#[test]
fn the_order_of_declaration_does_not_matter() {
    let producer = "active proctype P() { do :: q!1 od }";
    let consumer = "active proctype C() { do :: q?_ od }";
    for text in [[producer, consumer], [consumer, producer]] {
        let text = format!("chan q = [200] of {{ bit }}; {}", text.concat());
        assert_eq!(states(&text, &Property::Deadlock), (Verdict::Holds, 2), "{text}");
    }
}

/// A send does not conflict with a test for room while there is room for two, however the test is written.
#[test]
fn tests_for_room_do_not_conflict_with_sends() {
    for test in [
        "nfull(q)",
        "!full(q)",
        "len(q) < 100",
        "100 > len(q)",
        "!(len(q) >= 100)",
        "len(q) != 100",
    ] {
        let text = format!(
            "chan q = [100] of {{ bit }};
             active proctype S() {{ byte i; do :: i < 30 -> q!1; i++ :: else -> break od }}
             active proctype T() {{ byte i; do :: i < 30 -> {test}; i++ :: else -> break od }}"
        );
        let (verdict, states) = states(&text, &Property::Safety);
        assert_eq!((verdict, states < 10), (Verdict::Holds, true), "{test}: {states}");
    }
}

/// Updates of one kind commute. What they lead to is read by who waits for all of them.
#[test]
fn updates_commute() {
    for update in ["x++", "x = x + 3", "x = x | 4", "x = 7 & x", "x = x ^ 1"] {
        let text = format!(
            "byte x; bit go;
             active [2] proctype P() {{ byte i; do :: i < 20 -> {update}; i++ :: else -> break od }}
             active proctype Q() {{ end: (go); assert(x < 255) }}"
        );
        let (verdict, states) = states(&text, &Property::Safety);
        assert_eq!((verdict, states < 10), (Verdict::Holds, true), "{update}: {states}");
    }
    let text = "byte x; bit go;
        active [2] proctype P() { byte i; do :: i < 20 -> x = 2 * x; i++ :: else -> break od }
        active proctype Q() { end: (go); assert(x < 255) }";
    assert!(states(text, &Property::Safety).1 > 100);
}

/// An `atomic` with a choice depends on what it does, not on everything.
#[test]
fn an_atomic_may_branch() {
    let text = "byte x[4];
        active [4] proctype P() { byte i, v;
            do :: i < 6 -> atomic { v = x[_pid]; if :: v > 2 -> x[_pid] = 0 :: v > 1 -> x[_pid] = 1 :: else -> x[_pid]++ fi }; i++
            :: else -> break od }";
    let (verdict, states) = states(text, &Property::Safety);
    assert_eq!((verdict, states < 200), (Verdict::Holds, true), "{states}");
}

/// A formula about two of six processes does not notice the others.
#[test]
fn formulas_notice_the_processes_that_they_name() {
    let text = "active [6] proctype P() { byte x; x = 1; x = 2; cs: x = 3 } ltl { <> (P[0]@cs || P[1]:x == 3) }";
    let (verdict, states) = of_formula(text);
    assert_eq!((verdict, states < 100), (Verdict::Holds, true), "{states}");
}

#[test]
fn conjuncts_are_checked_one_by_one() {
    let text = |formula: &str| {
        format!(
            "byte x, y;
             active proctype A() {{ do :: x < 30 -> x++ :: else -> break od }}
             active proctype B() {{ do :: y < 30 -> y++ :: else -> break od }}
             ltl {{ {formula} }}"
        )
    };
    for formula in [
        "[] (x <= 30) && [] (y <= 30)",
        "[] (x <= 30 && y <= 30)",
        "!<> (x > 30 || y > 30)",
    ] {
        assert_eq!(of_formula(&text(formula)), (Verdict::Holds, 64), "{formula}");
    }
    assert_eq!(of_formula(&text("[] (x <= 30)")), (Verdict::Holds, 32));
    assert_eq!(of_formula(&text("[] (x <= 30) && [] (y < 30)")).0, Verdict::Violated);
}

/// However many states a model has, a violation that shows early is found early.
#[test]
fn early_violations_are_found_early() {
    let text = |formula: &str| {
        format!(
            "byte x[8];
             active [8] proctype P() {{ byte y; do :: x[_pid]++ :: x[(_pid + 1) % 8] > y -> y++ od }}
             ltl {{ {formula} }}"
        )
    };
    for formula in [
        "<> false",
        "[] (x[0] < 3)",
        "<> (x[0] == 300)",
        "[] <> (x[1] == 300)",
        "x[0] == 1",
    ] {
        let (verdict, states) = of_formula(&text(formula));
        assert_eq!(
            (verdict, states <= 10_000),
            (Verdict::Violated, true),
            "{formula}: {states}"
        );
    }
}
