//! Small models in which processes end quickly, and whose final state shows which was first.
//!
//! They test the states in which nothing can be executed any more. They have few statements, all of them about the
//! same few variables and channels, and keep values to the end, so almost every order of two dependent steps leads to
//! a different final state. Random models of the whole language do more, and show less of it in the end.

use fastrand::Rng;
use std::fmt::Write;

const BYTES: usize = 2;
const CHANNELS: usize = 2;

/// The model of a seed.
pub fn random_races(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let mut text = String::new();
    for k in 0..BYTES {
        let _ = writeln!(text, "byte b{k} = {};", rng.u8(..2));
    }
    for k in 0..CHANNELS {
        let capacity = [0, 0, 1, 1, 2, 3][rng.usize(..6)];
        let _ = writeln!(text, "chan c{k} = [{capacity}] of {{ byte }};");
    }
    let arrays = rng.u8(..3) == 0;
    if arrays {
        let capacity = [0, 1, 1, 2][rng.usize(..4)];
        let _ = writeln!(text, "byte a[2];\nchan d[2] = [{capacity}] of {{ byte }};");
        let _ = writeln!(text, "chan e = [{}] of {{ byte, byte }};", rng.u8(..2));
    }
    let is_started = rng.bool();
    let own_channels = is_started && rng.bool();
    let context = Context {
        is_started,
        own_channels,
        timeout: rng.u8(..8) == 0,
        arrays,
        remote: rng.u8(..6) == 0,
        changing: rng.u8(..4) == 0,
    };
    if context.changing {
        let _ = writeln!(text, "chan v = c{};", rng.usize(..CHANNELS));
    }
    if own_channels {
        text.push_str("chan left;\n");
    }
    if is_started {
        let _ = writeln!(text, "proctype Q(byte x) {{ byte z = {};", value(rng));
        if own_channels {
            text.push_str("  chan own = [1] of { byte };\n");
        }
        body(
            &mut text,
            rng,
            &Context {
                remote: false,
                ..context
            },
            true,
        );
    }
    for k in 0..rng.usize(2..=3) {
        let many = if k == 1 && rng.u8(..5) == 0 { " [2]" } else { "" };
        let _ = writeln!(text, "active{many} proctype P{k}() {{ byte x;");
        // Who looks at itself inside `d_step` is nowhere.
        let remote = context.remote && k > 0;
        body(&mut text, rng, &Context { remote, ..context }, false);
    }
    text
}

/// The model of a seed, with formulas about the states before the end.
pub fn random_races_with_formulas(seed: u64) -> String {
    let mut text = random_races(seed);
    let mut rng = Rng::with_seed(!seed);
    let rng = &mut rng;
    for k in 0..3 {
        let (a, b, c) = (atom(rng), atom(rng), atom(rng));
        let formula = match rng.u8(..6) {
            0 => format!("[] !({a} && {b})"),
            1 => format!("<> ({a} && {b})"),
            2 => format!("{a} U {b}"),
            3 => format!("[] ({a} -> <> {b})"),
            4 => format!("<> [] {a}"),
            _ => format!("[] ({a} -> ({b} U {c}))"),
        };
        let _ = writeln!(text, "ltl f{k} {{ {formula} }}");
    }
    text
}

fn atom(rng: &mut Rng) -> String {
    match rng.u8(..5) {
        0 => "P0@here".to_string(),
        1 => format!("(len(c{}) == {})", rng.usize(..CHANNELS), rng.u8(..2)),
        _ => format!("(b{} == {})", rng.usize(..BYTES), rng.u8(..3)),
    }
}

/// Which features a model has.
#[derive(Clone, Copy)]
struct Context {
    /// Processes that others start.
    is_started: bool,
    /// They have channels.
    own_channels: bool,
    /// There are timeouts.
    timeout: bool,
    /// There are arrays, of variables and of channels.
    arrays: bool,
    /// Processes look at each other.
    remote: bool,
    /// A variable names now one channel, now another.
    changing: bool,
}

/// The statements of a process, and its end: it terminates, or waits and keeps its values.
fn body(text: &mut String, rng: &mut Rng, context: &Context, is_started: bool) {
    let statements = rng.usize(1..=4);
    for k in 1..=statements {
        let label = if k == statements { "here: " } else { "" };
        let _ = writeln!(text, "  {label}{};", compound(rng, context, is_started));
    }
    let _ = writeln!(
        text,
        "  {}\n}}",
        ["skip", "skip", "end: false", "end: false", "false", "do :: skip od"][rng.usize(..6)]
    );
}

fn compound(rng: &mut Rng, context: &Context, is_started: bool) -> String {
    let mut one = || match rng.u8(..12) {
        0 => choice(rng, context, is_started),
        _ => statement(rng, context, is_started),
    };
    let (a, b, c) = (one(), one(), one());
    let has = |word: &str| [&a, &b, &c].iter().any(|s| s.contains(word));
    match rng.u8(..16) {
        0 | 1 => format!("atomic {{ {a}; {b} }}"),
        2 => format!("atomic {{ {a}; {b}; {c} }}"),
        3 if !has("run") && !has("unless") => format!("d_step {{ {a}; {b}; {c} }}"),
        4 => format!("atomic {{ {a}; if :: {b} :: {c} fi }}"),
        9 => {
            let [yes, no] = EXCLUSIVE[rng.usize(..EXCLUSIVE.len())];
            format!("atomic {{ {a}; if :: {yes} -> {b} :: {no} -> {c} fi }}")
        }
        5 if !has("run") => format!("do :: {a}; break :: {b}; {c} od"),
        6..9 => choice(rng, context, is_started),
        _ => a,
    }
}

/// Guards of which never both hold.
const EXCLUSIVE: [[&str; 2]; 6] = [
    ["b0 == 0", "b0 != 0"],
    ["x == 1", "x == 0"],
    ["x < 1", "x >= 1"],
    ["(b0 == 1 && x > 0)", "b0 == 0"],
    ["(b1 == 1 || b1 > 2)", "!(b1 == 1 || b1 > 1)"],
    ["b1 > 1", "b1 == 1"],
];

const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

/// One thing or the other.
fn choice(rng: &mut Rng, context: &Context, is_started: bool) -> String {
    let mut one = || statement(rng, context, is_started);
    let (a, b, c) = (one(), one(), one());
    match rng.u8(..3) {
        0 => format!("if :: {a}; {b} :: {c} fi"),
        1 => format!("if :: {a} :: else -> {c} fi"),
        _ => format!("{{ {a}; {b} }} unless {{ {c} }}"),
    }
}

fn statement(rng: &mut Rng, context: &Context, is_started: bool) -> String {
    let element = ["0", "1", "b0 & 1", "x & 1"][rng.usize(..4)];
    let byte = match context.arrays && rng.bool() {
        true => format!("a[{element}]"),
        false => format!("b{}", rng.usize(..BYTES)),
    };
    let channel = match context.arrays && rng.bool() {
        true => format!("d[{element}]"),
        false if context.changing && rng.u8(..3) == 0 => "v".to_string(),
        false => format!("c{}", rng.usize(..CHANNELS)),
    };
    match rng.u8(..45) {
        0 => format!("{byte} = {}", value(rng)),
        1 => format!("{byte} = (2 * {byte} + 1) % 8"),
        2 => format!("x = {}", value(rng)),
        3 => format!("{byte} == {}", rng.u8(..2)),
        4 => format!("{byte} != x"),
        5 => format!("x = len({channel})"),
        6 => format!("{}({channel})", ["empty", "nempty", "full", "nfull"][rng.usize(..4)]),
        7 => format!("{channel}!!{}", value(rng)),
        8..13 => format!("{channel}!{}", value(rng)),
        13 => format!("{channel}?<x>"),
        14 => format!("{channel}??{}", rng.u8(..2)),
        15..18 => format!("{channel}?{}", rng.u8(..2)),
        18 | 19 => format!("{channel}?eval({byte})"),
        20 | 21 => format!("{channel}?x"),
        22 if context.timeout => ["timeout", "timeout", "x = timeout"][rng.usize(..3)].to_string(),
        23 => "x = _nr_pr".to_string(),
        24 | 25 if context.is_started && !is_started => format!("run Q({})", value(rng)),
        26 if is_started && context.own_channels => ["left = own", "own!x", "own?x"][rng.usize(..3)].to_string(),
        27 if context.own_channels => ["left!1", "left?x", "x = len(left)"][rng.usize(..3)].to_string(),
        28 => format!("assert({byte} != x)"),
        29 if context.arrays => [
            "e!x,b0",
            "e!1,b1",
            "e?x,b1",
            "e?x,a[x & 1]",
            "e?eval(b0),x",
            "e??1,x",
            "e!!b0,x",
            "e?[1,b0]",
        ][rng.usize(..8)]
        .to_string(),
        // Only of a proctype that was declared before.
        30 if context.remote => "x = P0:x".to_string(),
        31 if context.remote => ["P0@here", "!P0@here"][rng.usize(..2)].to_string(),
        32 => format!("{byte}{}", ["++", "--"][rng.usize(..2)]),
        33 => format!(
            "{byte} = {byte} {} {}",
            ["+", "-", "|", "&", "^"][rng.usize(..5)],
            value(rng)
        ),
        34 => format!(
            "{byte} = {} {} {byte}",
            value(rng),
            ["+", "-", "|", "&", "^"][rng.usize(..5)]
        ),
        35 => format!("len({channel}) {} {}", COMPARISONS[rng.usize(..6)], rng.u8(..4)),
        36 => format!("{} {} len({channel})", rng.u8(..4), COMPARISONS[rng.usize(..6)]),
        37 => format!("!(len({channel}) {} {})", COMPARISONS[rng.usize(..6)], rng.u8(..4)),
        38 => format!(
            "(len({channel}) > 0 {} {byte} == {})",
            ["&&", "||"][rng.usize(..2)],
            rng.u8(..2)
        ),
        39 => format!(
            "!({}({channel}) {} len({channel}) == {})",
            ["empty", "nempty", "full", "nfull"][rng.usize(..4)],
            ["&&", "||"][rng.usize(..2)],
            rng.u8(..2)
        ),
        // A condition or a message that may fail.
        40 | 41 => {
            let fails = partial(rng, context);
            match rng.u8(..3) {
                0 => format!("({fails} && {byte} == {})", rng.u8(..3)),
                1 => format!("({byte} == {} && {fails})", rng.u8(..3)),
                _ => format!("(b0 == {} && {fails} && b1 == {})", rng.u8(..2), rng.u8(..3)),
            }
        }
        42 => format!("{channel}!{}", partial(rng, context)),
        43 if context.changing => format!("v = c{}", rng.usize(..CHANNELS)),
        _ => "skip".to_string(),
    }
}

/// An expression that fails in some states.
fn partial(rng: &mut Rng, context: &Context) -> String {
    let by = ["b0", "b1", "x"][rng.usize(..3)];
    match context.arrays && rng.bool() {
        true => format!("a[{by}]"),
        false => format!("(2 {} {by})", ["/", "%"][rng.usize(..2)]),
    }
}

fn value(rng: &mut Rng) -> String {
    match rng.u8(..5) {
        0 => format!("b{}", rng.usize(..BYTES)),
        1 => "x".to_string(),
        k => (k - 2).to_string(),
    }
}
