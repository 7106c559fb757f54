//! Small models in which processes loop for ever and wait for each other.
//!
//! They test infinite executions: fairness, and orders of independent steps that decide
//! whether a process is enabled. Random models of the whole language rarely have these; here
//! hardly anything else happens.

use fastrand::Rng;
use std::fmt::Write;

/// The model of a seed, with a formula.
pub fn random_loops(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut text = loops(&mut rng);
    let bit = bit(&mut rng);
    let formula = match rng.u8(..6) {
        0..3 => "<> I@done".to_string(),
        3 => "[] <> I@done".to_string(),
        4 => format!("<> [] {bit}"),
        _ => format!("[] ({bit} -> <> I@done)"),
    };
    let _ = writeln!(text, "ltl {{ {formula} }}");
    text
}

/// The model of a seed, with a claim: one like those of formulas, or one that no formula has.
pub fn random_loops_with_claim(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let mut text = loops(rng);
    let states = rng.usize(1..4);
    text.push_str("never {\n");
    for k in 0..states {
        let label = if rng.bool() { "accept" } else { "other" };
        let _ = writeln!(text, "T{k}: {label}_{k}: do");
        for _ in 0..rng.usize(1..3) {
            let condition = match rng.u8(..5) {
                0 => "true".to_string(),
                1 => "I@done".to_string(),
                2 => format!("!{}", bit(rng)),
                3 => format!("{} && !{}", bit(rng), bit(rng)),
                _ => bit(rng),
            };
            let next = match rng.usize(..states + 2) {
                to if to < states => format!(" -> goto T{to}"),
                _ if rng.u8(..8) == 0 => " -> break".to_string(),
                _ => String::new(),
            };
            let _ = writeln!(text, "  :: {condition}{next}");
        }
        text.push_str("  od;\n");
    }
    text.push_str("}\n");
    text
}

fn loops(rng: &mut Rng) -> String {
    let mut text = String::new();
    for k in 0..BITS {
        let _ = writeln!(text, "bit b{k} = {};", rng.u8(..2));
    }
    for k in 0..CHANNELS {
        let capacity = [1, 2, 2, 0][rng.usize(..4)];
        let _ = writeln!(text, "chan c{k} = [{capacity}] of {{ bit }};");
    }
    let processes = rng.usize(2..4);
    for k in 0..processes {
        let _ = writeln!(text, "active proctype P{k}() {{ byte own; do");
        for _ in 0..rng.usize(1..3) {
            let statements: Vec<_> = (0..rng.usize(1..3)).map(|_| statement(rng)).collect();
            let _ = writeln!(text, "  :: {}", statements.join("; "));
        }
        text.push_str("  od }\n");
    }
    // Somebody who waits, once or again and again.
    let _ = match rng.u8(..3) {
        0 => writeln!(text, "active proctype I() {{ do :: {}; done: skip od }}", wait(rng)),
        1 => writeln!(
            text,
            "active proctype I() {{ if :: {} :: {} fi; done: skip }}",
            wait(rng),
            wait(rng)
        ),
        _ => writeln!(text, "active proctype I() {{ {}; done: skip }}", wait(rng)),
    };
    text
}

const BITS: usize = 3;
const CHANNELS: usize = 2;

fn bit(rng: &mut Rng) -> String {
    format!("b{}", rng.usize(..BITS))
}

fn statement(rng: &mut Rng) -> String {
    let bit = bit(rng);
    match rng.u8(..10) {
        0 => format!("{bit} = 0"),
        1 => format!("{bit} = 1"),
        2 => format!("{bit} = 1 - {bit}"),
        3 | 4 => format!("c{}!{}", rng.usize(..CHANNELS), rng.u8(..2)),
        5 => format!("atomic {{ {}; {bit} = {} }}", wait(rng), rng.u8(..2)),
        6 => format!("atomic {{ own = 0; if :: own = 1 :: {bit} = {} fi }}", rng.u8(..2)),
        7 => format!("atomic {{ own = 0; if :: own = 1 :: {} :: own = 2 fi }}", wait(rng)),
        8 => format!("atomic {{ {bit} = {}; {}; {bit} = 0 }}", rng.u8(..2), wait(rng)),
        _ => wait(rng),
    }
}

/// A statement that is not always executable.
fn wait(rng: &mut Rng) -> String {
    let channel = rng.usize(..CHANNELS);
    match rng.u8(..6) {
        0 => bit(rng),
        1 => format!("{} || {}", bit(rng), bit(rng)),
        2 => format!("{} && !{}", bit(rng), bit(rng)),
        3 => format!("c{channel}?{}", rng.u8(..2)),
        4 => format!("c{channel}?eval({})", bit(rng)),
        _ => format!("c{channel}?_"),
    }
}
