//! Small random models and formulas with snapshots.

use fastrand::Rng;
use std::fmt::Write;

/// What a model may use besides shared variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Processes that only synchronise: the setting of the paper.
    Rendezvous,
    /// Shared variables and channels that hold messages.
    Shared,
    /// Everything: `atomic`, `d_step`, `else`, `unless`, `timeout`, arrays, processes that are started.
    Wild,
    /// Steps that commute and yet touch a common object, before steps that a formula sees: [`meeting`].
    Meeting,
}

struct Writer<'a> {
    random: &'a mut Rng,
    flavour: Flavour,
    /// The process that is being written.
    process: usize,
    processes: usize,
    labels: usize,
}

/// A model as text. Its processes are `P0`, `P1`, …, each with labels `L0` and `L1`.
pub fn model(random: &mut Rng, flavour: Flavour) -> String {
    if flavour == Flavour::Meeting {
        return meeting(random);
    }
    let processes = if flavour == Flavour::Wild {
        2
    } else {
        random.usize(2..=3)
    };
    let mut text = String::from("byte x;\nbyte y;\nbyte a[2];\nchan c = [1] of { byte };\nchan r = [0] of { byte };\n");
    let starts = flavour == Flavour::Wild && random.u32(..4) == 0;
    if starts {
        let first = ["x", "a[1]", "2"][random.usize(..3)];
        let _ = writeln!(
            text,
            "proctype Q(byte k) {{ byte z = {first}; (y == k % 2); x = z % 2 }}"
        );
    }
    for process in 0..processes {
        let mut writer = Writer {
            random,
            flavour,
            process,
            processes,
            labels: 0,
        };
        let mut body: Vec<String> = (0..writer.random.usize(2..=3)).map(|_| writer.labelled()).collect();
        while writer.labels < 2 {
            body.push(writer.labelled());
        }
        if starts && process == 0 {
            let at = writer.random.usize(..=body.len());
            body.insert(at, "run Q(1)".to_string());
        }
        let body = body.join("; ");
        let body = match writer.random.u32(..3) {
            0 => format!("do :: {body} od"),
            _ => body,
        };
        let _ = writeln!(text, "active proctype P{process}() {{ byte i; {body} }}");
    }
    text
}

/// Operations on an object that commute with those of other processes, or that depend on every process.
const MEETINGS: [&[&str]; 6] = [
    &[
        "(x == 0)",
        "i = x",
        "if :: (x == 1) :: else fi",
        "atomic { i = x; i = 1 }",
        "d_step { i = x; i = 1 }",
    ],
    &["i = a[0]", "i = a[i]", "(a[0] == 0)", "d_step { i = 0; i = a[i] }"],
    &["(nfull(c))", "(len(c) < 3)", "i = len(c)", "c!0", "c?i"],
    &[
        "(_nr_pr > 0)",
        "i = _nr_pr",
        "if :: (_nr_pr == 0) :: else fi",
        "run Q()",
    ],
    &["(timeout || x == 0)", "if :: timeout :: else fi", "i = 1"],
    &["atomic { w = 1; r!1 }", "if :: r!1 :: else fi", "i = 1"],
];

/// Two or three processes, each of which sets a variable of its own that a formula sees. One process touches an object
/// after that, another one before, or both do so at once. If other processes are in between, there are more such
/// touches. Which states are passed depends on the process that touches an object first, although the states themselves
/// do not. On such models, a reduction is wrong that takes all commuting steps for independent.
fn meeting(random: &mut Rng) -> String {
    let mut text = String::from(
        "byte x;\nbyte w;\nbyte a[2];\nbyte y0;\nbyte y1;\nbyte y2;\nchan c = [3] of { byte };\nchan r = [0] of { byte };\n",
    );
    let meet = |random: &mut Rng, object: usize| {
        let ways = MEETINGS[object];
        ways[random.usize(..ways.len())].to_string()
    };
    let (first, second) = (random.usize(..MEETINGS.len()), random.usize(..MEETINGS.len()));
    let mut bodies = vec![
        vec![meet(random, first), "y0 = 1".to_string()],
        vec!["y1 = 1".to_string(), meet(random, first)],
    ];
    match random.u32(..4) {
        0 => {}
        1 => bodies.push(vec![meet(random, second), "y2 = 1".to_string()]),
        2 => bodies.push(vec!["y2 = 1".to_string(), meet(random, second)]),
        // The two depend on each other through a third one.
        _ => {
            bodies[1][1] = meet(random, second);
            bodies.push(vec![meet(random, second), meet(random, first)]);
        }
    }
    if random.u32(..3) == 0 && bodies[1][1].starts_with(['i', '(']) && !bodies[1][1].contains('{') {
        bodies[1] = vec![format!("d_step {{ {}; y1 = 1 }}", bodies[1][1])];
    }
    if random.u32(..3) == 0 {
        let body = random.usize(..bodies.len());
        let at = random.usize(..=bodies[body].len());
        let object = random.usize(..MEETINGS.len());
        bodies[body].insert(at, meet(random, object));
    }
    // A variable that is never assigned is no object. These assignments do not change the values.
    let writer = random.usize(..bodies.len());
    bodies[writer].push("x = 0; a[0] = 0".to_string());
    random.shuffle(&mut bodies);
    if bodies.iter().flatten().any(|statement| statement.contains("run Q")) {
        text += "proctype Q() { (false) }\n";
    }
    for (k, body) in bodies.iter().enumerate() {
        let receives = ["", "; r?eval(x)"][random.usize(..2)];
        let body = body.join("; ");
        let _ = writeln!(text, "active proctype P{k}() {{ byte i; {body}; (false){receives} }}");
    }
    text
}

impl Writer<'_> {
    fn labelled(&mut self) -> String {
        let statement = self.statement(2);
        if self.labels < 2 && (self.random.bool() || self.labels == 0) {
            self.labels += 1;
            return format!("L{}: {statement}", self.labels - 1);
        }
        statement
    }

    fn pick<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.random.usize(..all.len())]
    }

    fn bit(&mut self) -> u8 {
        self.random.u8(..2)
    }

    fn simple(&mut self) -> String {
        let bit = self.bit();
        let kinds = match self.flavour {
            Flavour::Rendezvous => 4,
            Flavour::Shared => 11,
            Flavour::Wild | Flavour::Meeting => 15,
        };
        match self.random.u32(..kinds) {
            0 => format!("i = {bit}"),
            1 => "i = 1 - i".to_string(),
            2 => format!("r!{bit}"),
            3 => self.pick(&["r?i", "r?_"]).to_string(),
            4 | 5 => format!("{} = {bit}", self.pick(&["x", "y"])),
            6 => format!("({} == {bit})", self.pick(&["x", "y"])),
            7 => format!("c!{bit}"),
            8 => self.pick(&["c?i", "c?_", "c?1"]).to_string(),
            9 => self.pick(&["x = y", "i = x", "y = i", "(len(c) == 0)"]).to_string(),
            10 => self.pick(&["x = 1 - x", "y = 1 - y", "skip"]).to_string(),
            11 => self
                .pick(&["a[i] = 1", "a[0] = i", "i = a[i]", "a[x] = i", "(a[1] == 0)"])
                .to_string(),
            12 => self
                .pick(&["c?a[i]", "(nempty(c))", "x = _nr_pr % 2", "assert(x == y)"])
                .to_string(),
            13 => self
                .pick(&["r?eval(x)", "(timeout || x == 1)", "c?eval(y)"])
                .to_string(),
            _ => {
                let other = (self.process + 1) % self.processes;
                format!("(P{other}@L{} || x == {bit})", self.random.u8(..2))
            }
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.u32(..3) > 0 {
            return self.simple();
        }
        let (one, two) = (self.statement(depth - 1), self.statement(depth - 1));
        match self.random.u32(..if self.flavour == Flavour::Wild { 8 } else { 2 }) {
            0 | 1 => format!("if :: {one} :: {two} fi"),
            2 => format!("if :: {one} :: else -> {} fi", self.simple()),
            3 => format!("atomic {{ {one}; {two} }}"),
            4 => {
                let quiet = ["x = 1 - x", "i = 1 - i", "a[i] = x", "y = a[0]", "a[1] = 1"];
                format!("d_step {{ {}; {} }}", self.pick(&quiet), self.pick(&quiet))
            }
            5 => format!("{{ {one}; {} }} unless {{ {} }}", self.simple(), self.simple()),
            6 => format!("if :: {one} :: timeout fi"),
            _ => format!("if :: timeout -> {one} :: else -> {two} fi"),
        }
    }
}

/// A proposition about one component.
fn atom(random: &mut Rng, flavour: Flavour, processes: usize) -> String {
    let process = random.usize(..processes);
    let bit = random.u8(..2);
    // A proposition about the place of a process makes all its steps visible, so there is less to reduce.
    let kind = match flavour {
        Flavour::Rendezvous => random.u32(..3),
        Flavour::Shared => random.u32(1..10).min(7),
        Flavour::Wild => random.u32(..8),
        Flavour::Meeting => unreachable!("it has formulas of its own"),
    };
    match kind {
        0 | 1 => format!("P{process}@L{}", random.u8(..2)),
        2 => format!("(P{process}:i == {bit})"),
        3 | 4 => format!("(x == {bit})"),
        5 => format!("(y == {bit})"),
        6 => format!("(len(c) == {bit})"),
        _ => format!("(a[{}] == {bit})", random.u8(..2)),
    }
}

/// A proposition that relates several components.
fn relation(random: &mut Rng, flavour: Flavour, processes: usize) -> String {
    let mut term = || {
        let process = random.usize(..processes);
        match flavour {
            Flavour::Meeting => format!("y{}", random.usize(..3)),
            Flavour::Rendezvous if random.bool() => format!("P{process}@L{}", random.u8(..2)),
            Flavour::Rendezvous => format!("P{process}:i"),
            _ => match random.u32(..7) {
                0 => format!("P{process}@L{}", random.u8(..2)),
                1 | 2 => format!("P{process}:i"),
                3 => "x".to_string(),
                4 => "y".to_string(),
                5 => "len(c)".to_string(),
                _ => format!("a[{}]", random.u8(..2)),
            },
        }
    };
    let (s, t, u) = (term(), term(), term());
    let compare = ["==", "!=", ">", "<="][random.usize(..4)];
    let k = random.u8(..3);
    match random.u32(..9) {
        0..=2 => format!("({s} + {t} {compare} {k})"),
        3 => format!("({s} + {t} + {u} {compare} {k})"),
        4 => format!("(2 * {s} - {t} {compare} {k})"),
        5 => format!("({s} {compare} {t})"),
        6 => format!("({s} * {t} + {u} {compare} {k})"),
        7 => format!("({s} / {t} {compare} {k} && {u} == {t})"),
        _ => format!("(({s} -> {t} : {u}) {compare} {k})"),
    }
}

fn q(random: &mut Rng, flavour: Flavour, processes: usize, depth: usize, related: bool) -> String {
    if depth == 0 || random.u32(..5) == 0 {
        return match related && (flavour == Flavour::Meeting || random.u32(..3) > 0) {
            true => relation(random, flavour, processes),
            false => atom(random, flavour, processes),
        };
    }
    let (one, two) = (
        q(random, flavour, processes, depth - 1, related),
        q(random, flavour, processes, depth - 1, related),
    );
    match random.u32(..6) {
        0 => format!("!({one})"),
        1 => format!("({one} || {two})"),
        2 => format!("({one} <-> {two})"),
        _ => format!("({one} && {two})"),
    }
}

/// A formula with snapshots of propositions that read one component each.
pub fn formula(random: &mut Rng, flavour: Flavour, text: &str) -> String {
    match flavour {
        Flavour::Meeting => meeting_formula(random),
        _ => formula_with(random, flavour, text, false),
    }
}

/// A formula with snapshots of propositions that relate several components.
pub fn related_formula(random: &mut Rng, flavour: Flavour, text: &str) -> String {
    formula_with(random, flavour, text, true)
}

fn formula_with(random: &mut Rng, flavour: Flavour, text: &str, related: bool) -> String {
    let processes = text.matches("active proctype").count();
    let snapshot = |random: &mut Rng| {
        let depth = random.usize(usize::from(!related)..=2);
        format!("snapshot({})", q(random, flavour, processes, depth, related))
    };
    let p = match flavour {
        Flavour::Meeting => format!("(y{} == {})", random.u8(..3), random.u8(..2)),
        _ => atom(random, flavour, processes),
    };
    let (s, t) = (snapshot(random), snapshot(random));
    match random.u32(..12) {
        0 | 1 => format!("[] !{s}"),
        2 | 3 => format!("<> {s}"),
        4 => format!("[] ({p} -> {s})"),
        5 => format!("(!{s}) U {t}"),
        6 => format!("[] ({s} -> <> {p})"),
        7 => format!("<> ({s} && !{p})"),
        8 => format!("(!{s}) W {t}"),
        9 => format!("[] ({s} -> {t})"),
        10 => format!("<> {s} -> <> ({s} && !{t})"),
        _ => format!("X X {s} || [] ({p} -> X {s})"),
    }
}

/// Two processes that never stop, and one that waits for something that they do and undo. Whether it has to go on depends on
/// the order in which they do that: with weak fairness only if it is not disabled again and again.
pub fn waiting(random: &mut Rng) -> String {
    const STEPS: [&str; 10] = [
        "x = 1 - x",
        "y = 1 - y",
        "x = 1; x = 0",
        "y = 0; y = 1",
        "c!0",
        "c?_",
        "i = 1 - i",
        "x = y",
        "if :: x = 1 :: y = 1 fi",
        "if :: c!1 :: y = 1 - y fi",
    ];
    const CONDITIONS: [&str; 9] = [
        "(x == 1)",
        "(x == y)",
        "(x == 1 || y == 1)",
        "(x == 1 && y == 1)",
        "(empty(c))",
        "(full(c))",
        "(len(c) == 1 || x == 1)",
        "(nempty(c) && y == 1)",
        "c?_",
    ];
    let mut text = String::from("byte x;\nbyte y;\nbyte z;\nchan c = [2] of { byte };\n");
    for process in 0..2 {
        let mut pick = || STEPS[random.usize(..STEPS.len())];
        let body = [pick(), pick()].join("; ");
        let _ = writeln!(text, "active proctype P{process}() {{ byte i; do :: {body} od }}");
    }
    let condition = CONDITIONS[random.usize(..CONDITIONS.len())];
    let _ = writeln!(text, "active proctype P2() {{ {condition}; z = 1; (false) }}");
    text
}

/// A formula for such a model.
pub fn waiting_formula(random: &mut Rng) -> String {
    let other = ["x == 0", "x == 1", "y == 0", "y == 1", "len(c) == 0"][random.usize(..5)];
    match random.u32(..6) {
        0 | 1 => "<> snapshot(z == 1)".to_string(),
        2 => format!("<> snapshot(z == 1 && {other})"),
        3 => format!("[] (({other}) -> <> snapshot(z == 1 && {other}))"),
        4 => format!("<> snapshot({other} && z == 0) && <> (z == 1)"),
        _ => format!("(<> [] !({other})) || <> snapshot(z == 1)"),
    }
}

/// Whether one variable is set before another in some order.
fn meeting_formula(random: &mut Rng) -> String {
    let mut of = [0, 1, 2];
    if random.u32(..8) == 0 {
        random.shuffle(&mut of);
    }
    let [i, j, k] = of;
    match random.u32(..7) {
        0..=2 => format!("<> snapshot(y{i} == 1 && y{j} == 0)"),
        3 | 4 => format!("[] ((y{i} == 1 && y{j} == 1) -> snapshot(y{i} == 1 && y{j} == 0))"),
        5 => format!("<> snapshot(y{i} == 1 && (y{j} == 0 || y{k} == 1))"),
        _ => format!("[] (y{i} == 1 -> (snapshot(y{i} == 1 && y{j} == 0) || snapshot(y{i} == 0 && y{k} == 1)))"),
    }
}
