//! Small models, each about one rule of the language or of the reduction.

use super::{Plain, agrees, all_agree, explored, loaded};
use mazurka_promela::load;
use mazurka_promela::plain::Explored;
use mazurka_promela::verify::{Options, Property, Reduction, Verdict, check};

/// An offered value can fail whether or not a process waits for it; the value that it is compared with fails only once
/// there is an offer.
#[test]
fn a_rendezvous_can_fail_on_both_sides() {
    let declarations = "byte zero, a[2], i = 5; chan c = [0] of { byte }; chan d = [0] of { byte, byte };";
    for (processes, fails) in [
        ("active proctype P() { end: c!a[i] }", true),
        (
            "active proctype P() { end: c!(5 / zero) } active proctype Q() { end: c?1 }",
            true,
        ),
        (
            "active proctype P() { end: c!1 } active proctype Q() { end: c?eval(a[i]) }",
            true,
        ),
        (
            "active proctype P() { end: c!1 } active proctype Q() { end: d_step { c?eval(5 / zero); i = 0 } }",
            true,
        ),
        ("active proctype Q() { end: c?eval(5 / zero) }", false),
        ("proctype P(chan q) { end: q!1 } init { run P(d) }", true),
        ("proctype P(chan q) { byte x; end: q?x } init { run P(d); d!1,2 }", true),
        ("proctype P(chan q) { byte x; end: q?x } init { run P(d) }", false),
        ("active proctype P() provided (5 / zero == 1) { end: c?1 }", true),
    ] {
        let text = format!("{declarations} {processes}");
        let model = loaded(0, &text, false);
        let explored = explored(&model).unwrap();
        let errors = explored.violations.iter().any(|v| matches!(v.kind, Plain::Error(_)));
        assert_eq!(errors, fails, "{processes}");
        agrees(0, &text, &model, &explored);
    }
}

/// Two processes that ask whether the other is enabled would ask for ever, which is an error; asking about a process that
/// does not ask has an answer.
#[test]
fn processes_must_not_ask_about_each_other() {
    for (text, fails) in [
        (
            "active proctype P() { end: enabled(1) } active proctype Q() { end: enabled(0) }",
            true,
        ),
        ("active proctype P() { end: enabled(_pid) }", true),
        (
            "byte x; active proctype P() { end: enabled(1) } active proctype Q() { end: x == 1 }",
            false,
        ),
        ("active proctype P() priority 1 { set_priority(_pid, 0) }", true),
        ("active proctype P() priority 1 { set_priority(7, 0) }", false),
    ] {
        let model = loaded(0, text, false);
        let explored = explored(&model).unwrap();
        let errors = explored.violations.iter().any(|v| matches!(v.kind, Plain::Error(_)));
        assert_eq!(errors, fails, "{text}");
        agrees(0, text, &model, &explored);
    }
}

/// The point before a block that begins with a loop is not the head of the loop.
#[test]
fn a_label_of_a_block_does_not_belong_to_its_loop() {
    for (text, states, is_stuck) in [
        (
            "byte x; active proctype P() { end: { do :: x == 0 -> x = 1 od } }",
            3,
            true,
        ),
        (
            "byte x; active proctype P() { end: { do :: x == 0 -> x = 1 od } unless { x == 2 } }",
            3,
            true,
        ),
        (
            "byte x; active proctype P() { { do :: x == 0 -> x = 1 od } unless { end: x == 2 } }",
            3,
            true,
        ),
        (
            "byte x; active proctype P() { end: do :: x == 0 -> x = 1 od unless { x == 2 } }",
            3,
            false,
        ),
        ("byte x; active proctype P() { { do :: x == 0 od } }", 2, false),
        (
            "byte x; active proctype P() { L: { do :: x == 0 od } unless { x == 1 } }",
            2,
            false,
        ),
        (
            "byte x; active proctype P() { { do :: x == 0 od } unless { x == 1 } }",
            1,
            false,
        ),
    ] {
        let model = loaded(0, text, false);
        let explored = explored(&model).unwrap();
        let stuck = explored.violations.iter().any(|v| v.kind == Plain::InvalidEnd);
        assert_eq!((explored.states, stuck), (states, is_stuck), "{text}");
        agrees(0, text, &model, &explored);
    }
}

/// Whether the second message is lost depends on which process is faster.
#[test]
fn sending_to_a_full_channel_that_loses_messages_conflicts_with_receiving() {
    let text = "
        chan c = [1] of { byte };
        bool sent;
        active proctype P() { c!1; c!2; sent = true }
        active proctype Q() { byte x; c?x; sent; assert(nempty(c)) }
    ";
    let options = mazurka_promela::Options {
        lossy: true,
        ..mazurka_promela::Options::default()
    };
    let model = load("lossy.pml", text, &options).unwrap().model;
    let explored = explored(&model).unwrap();
    assert_eq!(explored.violations.len(), 1);
    agrees(0, text, &model, &explored);
}

/// An `atomic` that reaches a statement that is not executable lets other processes in, and a `d_step` fails. So a step that makes
/// the statement executable depends on them.
#[test]
fn it_shows_whether_an_atomic_has_to_wait() {
    for text in [
        "chan c = [1] of { byte }; byte x;
         active proctype Q() { c?_ }
         active proctype P() { c!1; atomic { x = 1; c!2; x = 0 } }
         active proctype R() { assert(x == 0) }",
        "chan c = [0] of { byte }; byte x;
         active proctype Q() { skip; c?_ }
         active proctype P() { atomic { x = 1; c!2; x = 0 } }
         active proctype R() { assert(x == 0) }",
        "chan c = [1] of { byte }; byte x;
         active proctype Q() { c!1 }
         active proctype P() { atomic { x = 1; nempty(c); x = 0 } }
         active proctype R() { assert(x == 0) }",
        "chan c = [1] of { byte }; byte x;
         active proctype Q() { c!1 }
         active proctype P() { d_step { x = 1; c?_; x = 0 } }",
        "chan c = [1] of { byte }; byte x;
         active proctype Q() { c!1; run P() }
         proctype P() { atomic { x = 1; c!1; x = 0 } }
         active proctype R() { c?_; do :: skip od }
         active proctype S() { assert(x == 0) }",
    ] {
        assert_eq!(all_agree_on(text).0, 1, "{text}");
    }
}

/// A send to a process's own channel in a model with rendezvous channels: what follows it in the `atomic` is part of the step.
#[test]
fn a_send_that_might_be_an_offer_keeps_control() {
    let text = "
        chan offered = [0] of { byte }; chan c = [2] of { byte };
        proctype Q(byte x) { chan own = [1] of { byte }; chan q; q = own; atomic { q!x; c?0 }; end: false }
        active proctype P0() { c!0; run Q(1) }
        active proctype P1() { run Q(0) }
        active proctype P2() { skip }";
    all_agree_on(text);
}

/// A wrong rule once reduced each of these models too much.
#[test]
fn models_that_were_reduced_too_much() {
    for text in [
        // A third process lets one past where it waits, to what conflicts with the first.
        "byte x, y, z, go;
         active proctype P() { x = 1; end: false }
         active proctype Q() { y = 1; go == 1; x = 2; end: false }
         active proctype R() { z = 1; go = 1; end: y == 5 && z == 5 }",
        "byte x, y; chan c = [1] of { bit };
         active proctype P() { x = 1; end: false }
         active proctype Q() { y = 1; c?_; x = 2; end: false }
         active proctype R() { y = 2; c!1; end: y == 5 }",
        "byte x, y; chan c = [1] of { bit };
         active proctype P() { x = 1; end: false }
         active proctype Q() { c!0; y = 1; c!1; x = 2; end: false }
         active proctype R() { c?_; end: y == 5 }",
        // The partner arrives, or is started.
        "byte x, y, z; chan c = [0] of { bit };
         active proctype P() { x = 1; end: false }
         active proctype Q() { y = 1; c!1; x = 2; end: false }
         active proctype R() { z = 1; c?1; end: y == 5 && z == 5 }",
        "byte x, y, z; chan c = [0] of { bit };
         active proctype P() { x = 1; end: false }
         active proctype Q() { y = 1; c?1; x = 2; end: false }
         active proctype R() { z = 1; c!1; end: y == 5 && z == 5 }",
        "byte x, y; chan c = [0] of { bit };
         proctype S() { c?1; end: y == 5 }
         active proctype P() { x = 1; end: false }
         active proctype Q() { y = 1; c!1; x = 2; end: false }
         active proctype R() { run S(); end: false }",
        // A copy of a message that is handed over fails without a partner.
        "byte b = 1, d = 1; chan c = [0] of { byte };
         active proctype P() { byte x; skip; x = _nr_pr; c?<x>; x = 1 }
         active proctype Q() { byte x;
             atomic { assert(d != x); if :: c?1 :: skip fi }; atomic { b--; c!b; false } }",
        "chan a = [0] of { byte }; chan b = [1] of { byte }; chan c = a; byte y;
         active proctype P() { c = b }
         active proctype Q() { byte p; y = 1; end: c?<p> }
         active proctype R() { end: y == 2 }",
        // Every way through an `atomic` fails. That does not excuse the others from being explored.
        "byte y;
         active proctype P() { byte x; atomic { skip; if :: assert(x == 1) :: assert(x == 2) fi } }
         active proctype Q() { byte x; if :: y == 1 :: else -> assert(x == 3) fi }",
        "byte y;
         active proctype P() { byte x; if :: y = 1 :: y = 2 fi; y == 3;
             atomic { skip; if :: assert(x == 1) :: assert(x == 2) fi } }
         active proctype Q() { byte x; y > 0; y = 3; if :: y == 1 :: else -> assert(x == 3) fi }",
        // Who asks for a partner notices a process that only moves.
        "chan c = [0] of { byte };
         active [2] proctype P() { if :: c!0 :: else fi }
         active proctype Q() { skip; c?0 }",
        "byte x, y; chan c = [0] of { byte };
         active proctype P() { skip; c?0 }
         active [2] proctype Q() { skip; atomic { x--; if :: c?eval(y) :: c!y fi } }",
        // The channel of a rendezvous becomes another one.
        "chan a = [0] of { byte }; chan b = [1] of { byte }; chan c = a; byte y;
         active proctype P() { y = 2 }
         active proctype Q() { byte p; p = y; c!1; assert(y == 2) }
         active proctype R() { c = b }",
        // A message is evaluated before there is a partner.
        "chan c = [0] of { byte }; byte a[2]; bool b = 1;
         active proctype P() { b = 0 }
         active proctype Q() { byte k; k = 5; end: c!(b -> a[k] : 0) }",
        // A condition fails because of what comes before the part that is false.
        "byte v, y = 1, z;
         active proctype P() { v = 1 }
         active proctype Q() { y = 0 }
         active proctype R() { end: (v == 0 && 5 / y == 5 && z == 1) }",
        "byte v, z, a[2];
         active proctype P() { v = 1 }
         active proctype Q() { byte k; k = 2; end: (v == 0 && a[k] == 0 && z == 1) }",
        // A process leaves, and comes back with another value.
        "byte x, y;
         active proctype P() { x = 1; end: false }
         active proctype Q() { byte k; do :: k == 1 -> x = 2; break :: k == 0 -> y = 1; k = 1 od; end: false }
         active proctype R() { end: y == 5 }",
        "byte x, y, go;
         active proctype P() { x = 1; end: false }
         active proctype Q() { byte k; go == 0; do :: k == 1 -> x = 2; break :: k == 0 -> y = 1; k = 1 od; end: false }
         active proctype R() { end: y == 5; go = 1 }",
        "byte x, y; bit b[2] = { 0, 1 };
         active proctype P() { x = 1; end: false }
         active proctype Q() { byte k; do :: b[k] == 1 -> x = 2; break :: k == 0 -> y = 1; k = 1 od; end: false }
         active proctype R() { end: y == 5 }",
        // A local variable that changes is no reason that lasts.
        "byte x, y;
         active proctype P() { x = 1; end: false }
         active proctype Q() { byte k; y = 1; k = 1; y = 2; k == 1; x = 2; end: false }
         active proctype R() { end: y == 5 }",
        // A sum and a difference do not commute.
        "byte x = 1;
         active proctype P() { x = 3 - x; end: x == 9 }
         active proctype Q() { x = x + 1; end: false }",
        // What is offered may change.
        "chan c = [0] of { byte }; byte b;
         active proctype P() { if :: c!b :: skip fi; end: false }
         active proctype Q() { end: c?1 }
         active proctype R() { b = 1; end: false }",
        // Any message enables a receive that takes any message.
        "chan c = [2] of { byte };
         active proctype P() { if :: c??1 :: skip fi; end: false }
         active proctype Q() { c!0; c!1; end: false }",
        // The channel of a process ends with it.
        "chan left;
         active proctype X() { left != 0; left!1; do :: skip od }
         active proctype A() { chan c = [1] of { byte }; left = c }",
        // A `d_step` takes the first option that it can.
        "chan c = [1] of { byte }; byte b;
         active proctype Q() { c!1 }
         active proctype P() { d_step { if :: c?1; b == 1 :: b == 0 fi; assert(b == 1) } }",
        // There is no offer for the escape yet, so it does not inhibit the send.
        "byte b0 = 1; chan c0 = [0] of { byte }; chan c1 = [0] of { byte };
         active proctype P0() { atomic { skip; skip; c0?0 }; c0?0; skip }
         active proctype P1() {
             byte x; atomic { skip; skip; skip }; atomic { c1!0; b0 = x };
             if :: c1!1 :: else -> c0!!x fi;
             end: false
         }
         active proctype P2() {
             byte x; { c0!0; c1!!0 } unless { c1?x };
             atomic { c0?eval(b0); if :: c1?0 :: c1?x fi };
             atomic { b0 != x; c1?eval(b0); x = len(c1) };
             false
         }",
        // A process that is started may have a priority of its own.
        "byte x; proctype Q() { x = 1 } active proctype P() { run Q() priority 3; assert(x == 1) }",
    ] {
        all_agree_on(text);
    }
}

/// All checks of [`all_agree`], on this model. Returns what it returns.
fn all_agree_on(text: &str) -> (usize, Explored) {
    let model = loaded(0, text, false);
    let explored = explored(&model).unwrap();
    (all_agree(0, text, &model, &explored), explored)
}

/// An offer does not depend on whether the escape of an `unless` is executable in the process that waits for it.
#[test]
fn an_offer_does_not_look_at_escapes() {
    let text = "
        chan c = [0] of { byte }; bit b;
        active proctype P() { byte x; { c?0; b = 1 } unless { x = 1 }; end: false }
        active proctype Q() { skip; c!0; end: false }";
    all_agree_on(text);
}

/// The number of a channel that ended is given to the next channel. A process that still uses it fails, if it is fast enough.
#[test]
fn the_number_of_a_closed_channel_is_reused() {
    let declarations = "
        chan left; chan mailbox = [1] of { chan }; bit go;
        proctype B() { chan d = [1] of { byte }; end: d?1 }
        init { run X(); run A(); _nr_pr == 2; go = 1; run B() }";
    for (processes, fails) in [
        (
            "proctype A() { chan c = [1] of { byte }; left = c }
             proctype X() { go == 1; left!1; do :: skip od }",
            true,
        ),
        (
            "proctype A() { chan c = [1] of { byte }; mailbox!c }
             proctype X() { chan c; mailbox?c; go == 1; c!1; do :: skip od }",
            true,
        ),
        (
            "proctype A() { chan c = [1] of { byte }; skip }
             proctype Y(chan c) { go == 1; c!1; do :: skip od }
             proctype X() { run Y(1 + 1); false }",
            true,
        ),
        (
            "proctype Y(chan c) { c!1; c?1 }
             proctype A() { chan c = [1] of { byte }; chan same = c; run Y(same); _nr_pr == 3 }
             proctype X() { end: false }",
            false,
        ),
    ] {
        let text = format!("{declarations} {processes}");
        let (_, explored) = all_agree_on(&text);
        let errors = explored.violations.iter().any(|v| matches!(v.kind, Plain::Error(_)));
        assert_eq!(errors, fails, "{processes}");
    }
}

/// A search for all violations does not end at the first failure: other processes could have moved before it, and the
/// same step could have failed elsewhere.
#[test]
fn all_that_fails_is_found() {
    for (text, failing) in [
        (
            "byte x; active proctype P() { x = 1; assert(x == 0) } active proctype Q() { x == 1; assert(x == 2) }",
            2,
        ),
        (
            "bit x; active proctype P() { d_step { assert(x == 0); assert(x == 1) } } active proctype Q() { x = 1 }",
            2,
        ),
        (
            "bit x; active proctype P() { atomic { skip; if :: x -> assert(x == 0) :: else -> assert(x == 1) fi } }
             active proctype Q() { x = 1 }",
            2,
        ),
    ] {
        assert_eq!(all_agree_on(text).0, failing, "{text}");
    }
}

/// A loop through `atomic`s that branch does not delay other processes for ever.
#[test]
fn a_loop_of_atomics_delays_no_process_for_ever() {
    // A choice, and more steps than are taken at once.
    for body in ["if :: s = 1 :: s = 2 fi".to_string(), "s = 1 - s; ".repeat(1_101)] {
        let text = format!(
            "byte y, z;
             active proctype P() {{ byte s = 3; do :: atomic {{ s = 0; {body}; assert(s < 3) }} od }}
             active proctype Q() {{ z = 1; y = 1; assert(y == 0) }}
             active proctype R() {{ z = 2; end: z == 1 }}"
        );
        let model = loaded(0, &text, false);
        for reduction in [
            Reduction::None,
            Reduction::Sleep,
            Reduction::Persistent,
            Reduction::Full,
        ] {
            let options = Options {
                reduction,
                ..Options::default()
            };
            let verdict = check(&model, &Property::Safety, &options).expect("an answer").verdict;
            assert_eq!(verdict, Verdict::Violated, "{reduction:?}\n{text}");
        }
    }
}

/// A loop of `atomic`s that branch has states inside the `atomic`s, where formulas are not evaluated, and states between
/// them, which a chain of steps could skip.
#[test]
fn formulas_are_evaluated_in_a_loop_of_atomics() {
    for (formula, holds) in [("[] (n == 0)", false), ("<> (n == 1)", true), ("[] <> (n == 0)", false)] {
        for body in ["if :: s = 1 :: s = 2 fi", "if :: c!0 :: s = 2 fi"] {
            let text = format!(
                "byte n; chan c = [1] of {{ byte }};
                 active proctype P() {{ byte s; n = 1; do :: atomic {{ s = 0; {body}; assert(s < 3) }} od }}
                 ltl {{ {formula} }}"
            );
            let model = loaded(0, &text, false);
            let property = Property::Ltl(model.ltl[0].clone());
            for reduction in [Reduction::None, Reduction::Persistent, Reduction::Full] {
                let options = Options {
                    reduction,
                    ..Options::default()
                };
                let verdict = check(&model, &property, &options).expect("an answer").verdict;
                assert_eq!(verdict == Verdict::Holds, holds, "{reduction:?}\n{text}");
            }
        }
    }
}
