//! Small random models and formulas with snapshots.

use fastrand::Rng;
use std::fmt::Write;

/// What a model may use besides shared variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Processes that only meet: the setting of the paper.
    Rendezvous,
    /// Shared variables and channels that hold messages.
    Shared,
    /// Everything: `atomic`, `d_step`, `else`, `unless`, `timeout`, arrays, processes that are started.
    Wild,
}

struct Writer<'a> {
    random: &'a mut Rng,
    flavour: Flavour,
    /// The process that is written.
    process: usize,
    processes: usize,
    labels: usize,
}

/// A model as text; its processes are `P0`, `P1`, …, each with labels `L0` and `L1`.
pub fn model(random: &mut Rng, flavour: Flavour) -> String {
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
            Flavour::Wild => 14,
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
        match self.random.u32(..if self.flavour == Flavour::Wild { 7 } else { 2 }) {
            0 | 1 => format!("if :: {one} :: {two} fi"),
            2 => format!("if :: {one} :: else -> {} fi", self.simple()),
            3 => format!("atomic {{ {one}; {two} }}"),
            4 => {
                let quiet = ["x = 1 - x", "i = 1 - i", "a[i] = x", "y = a[0]", "a[1] = 1"];
                format!("d_step {{ {}; {} }}", self.pick(&quiet), self.pick(&quiet))
            }
            5 => format!("{{ {one}; {} }} unless {{ {} }}", self.simple(), self.simple()),
            _ => format!("if :: {one} :: timeout fi"),
        }
    }
}

/// A proposition about one component.
fn atom(random: &mut Rng, flavour: Flavour, processes: usize) -> String {
    let process = random.usize(..processes);
    let bit = random.u8(..2);
    // Where a process is makes all its steps visible, so that there is less to reduce.
    let kind = match flavour {
        Flavour::Rendezvous => random.u32(..3),
        Flavour::Shared => random.u32(1..10).min(7),
        Flavour::Wild => random.u32(..8),
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

fn q(random: &mut Rng, flavour: Flavour, processes: usize, depth: usize) -> String {
    if depth == 0 || random.u32(..5) == 0 {
        return atom(random, flavour, processes);
    }
    let (one, two) = (
        q(random, flavour, processes, depth - 1),
        q(random, flavour, processes, depth - 1),
    );
    match random.u32(..6) {
        0 => format!("!({one})"),
        1 => format!("({one} || {two})"),
        2 => format!("({one} <-> {two})"),
        _ => format!("({one} && {two})"),
    }
}

/// A formula with snapshots.
pub fn formula(random: &mut Rng, flavour: Flavour, text: &str) -> String {
    let processes = text.matches("active proctype").count();
    let snapshot = |random: &mut Rng| {
        let depth = random.usize(1..=2);
        format!("snapshot({})", q(random, flavour, processes, depth))
    };
    let (s, t, p) = (snapshot(random), snapshot(random), atom(random, flavour, processes));
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
