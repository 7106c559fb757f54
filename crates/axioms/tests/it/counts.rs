//! Numbers of executions that can be counted by hand.

use mazurka_axioms::{Executions, Program, enumerate, parse_litmus};

/// Threads that all do the same.
fn threads(count: usize, body: &str) -> Executions {
    let thread = format!("thread {{ {body} }}\n");
    of(&thread.repeat(count))
}

fn of(threads: &str) -> Executions {
    enumerate(&program(threads))
}

fn program(threads: &str) -> Program {
    let text = format!("test T\n{threads}\nexists race\nforbidden because nobody asks");
    parse_litmus(&text)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
        .remove(0)
        .program
}

/// Graphs, classes of them, outcomes.
fn counts(executions: &Executions) -> (u64, u64, usize) {
    (executions.graphs, executions.rf_classes, executions.outcomes.len())
}

#[test]
fn stores_that_nobody_reads_are_in_any_order() {
    for (n, factorial) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
        assert_eq!(counts(&threads(n, "store(x, 1, rlx)")), (factorial, 1, 1));
    }
}

#[test]
fn updates_and_critical_sections_come_one_after_the_other() {
    for (n, factorial) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
        for order in ["rlx", "acqrel", "sc"] {
            let body = format!("r0 = add(x, 1, {order})");
            assert_eq!(
                counts(&threads(n, &body)),
                (factorial, factorial, usize::try_from(factorial).unwrap())
            );
        }
        assert_eq!(counts(&threads(n, "lock(m0); unlock(m0)")), (factorial, factorial, 1));
    }
}

#[test]
fn each_reader_sees_a_store_or_not() {
    let readers = "thread { r0 = load(x, rlx) }\n".repeat(3);
    assert_eq!(
        counts(&of(&format!("thread {{ store(x, 1, rlx) }}\n{readers}"))),
        (8, 8, 8)
    );
    // Two loads of a thread: both miss it, one does, none does. Two stores, one after the other: 3 + 2 + 1.
    assert_eq!(
        of("thread { store(x, 1, rlx) } thread { r0 = load(x, rlx); r1 = load(x, rlx) }").graphs,
        3
    );
    assert_eq!(
        of("thread { store(x, 1, rlx); store(x, 2, rlx) } thread { r0 = load(x, rlx); r1 = load(x, rlx) }").graphs,
        6
    );
}

/// Two loads see something or not, in four ways, less those that are forbidden.
#[test]
fn classics_have_three_or_four_executions() {
    let sb = |store: &str, load: &str| {
        of(&format!(
            "thread {{ store(x, 1, {store}); r0 = load(y, {load}) }} thread {{ store(y, 1, {store}); r0 = load(x, {load}) }}"
        ))
    };
    assert_eq!(counts(&sb("rlx", "rlx")), (4, 4, 4));
    assert_eq!(counts(&sb("rel", "acq")), (4, 4, 4));
    assert_eq!(counts(&sb("sc", "sc")), (3, 3, 3));
    let mp = |store: &str, load: &str| {
        of(&format!(
            "thread {{ store(x, 1, rlx); store(y, 1, {store}) }} thread {{ r0 = load(y, {load}); r1 = load(x, rlx) }}"
        ))
    };
    assert_eq!(counts(&mp("rlx", "acq")), (4, 4, 4));
    assert_eq!(counts(&mp("rel", "acq")), (3, 3, 3));
    let lb = "thread { r0 = load(x, rlx); store(y, 1, rlx) } thread { r0 = load(y, rlx); store(x, 1, rlx) }";
    assert_eq!(counts(&of(lb)), (3, 3, 3));
    let iriw = |order: &str| {
        let read = |a: &str, b: &str| format!("thread {{ r0 = load({a}, {order}); r1 = load({b}, {order}) }}\n");
        let (xy, yx) = (read("x", "y"), read("y", "x"));
        of(&format!(
            "thread {{ store(x, 1, sc) }} thread {{ store(y, 1, sc) }} {xy} {yx}"
        ))
    };
    assert_eq!((iriw("acq").graphs, iriw("sc").graphs), (16, 15));
}

/// Orders of stores multiply the graphs, not the classes.
#[test]
fn two_plus_two_writes_have_one_class() {
    let writes = |order: &str| {
        of(&format!(
            "thread {{ store(x, 1, {order}); store(y, 2, {order}) }} thread {{ store(y, 1, {order}); store(x, 2, {order}) }}"
        ))
    };
    assert_eq!(counts(&writes("rlx")), (4, 1, 4));
    assert_eq!(counts(&writes("sc")), (3, 1, 3));
}

#[test]
fn spurious_failure_is_an_execution_of_its_own() {
    assert_eq!(of("thread { r0, r1 = cas(x, 0, 1, sc, sc) }").graphs, 1);
    assert_eq!(of("thread { r0, r1 = weak_cas(x, 0, 1, sc, sc) }").graphs, 2);
    // One that reads something else fails in one way only.
    assert_eq!(of("thread { r0, r1 = weak_cas(x, 7, 1, sc, sc) }").graphs, 1);
    // Both fail; or one of two succeeds, and the other reads 1, or reads 0 and fails nevertheless.
    let two = threads(2, "r0, r1 = weak_cas(x, 0, 1, rlx, rlx)");
    assert_eq!(counts(&two), (5, 5, 5));
}

#[test]
fn graphs_with_races_are_counted() {
    let unguarded = of("thread { write(x, 1); store(y, 1, rel) } thread { r0 = load(y, acq); r1 = read(x) }");
    // The flag is seen, and then x is 1; or it is not, and x is 0 or 1, both in a race.
    assert_eq!(
        (unguarded.graphs, unguarded.racy_graphs, unguarded.racy()),
        (3, 2, true)
    );
}
