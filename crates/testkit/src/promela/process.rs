//! Random processes.

use super::program::Node;
use super::scope::{ANY, Cell, Channel, Creatable, Field, Parameter, Place, Remote, Sort};
use super::writer::Writer;

/// At the top of a process.
const TOP: Place = Place {
    depth: 0,
    in_loop: false,
    in_d_step: false,
    in_atomic: false,
    first: false,
};

impl Writer {
    pub fn processes(&mut self) {
        let count = self.rng.usize(self.shape.proctypes.clone());
        let created = if self.shape.creation && self.chance(40) { 1 } else { 0 };
        // SPIN refuses priorities together with rendezvous.
        self.priorities = self.shape.scheduling && self.chance(5) && self.channels.iter().all(|c| c.buffered);
        // One process asks who can move: two of them could ask each other.
        let asks_enabled = std::mem::take(&mut self.asks_enabled);
        for _ in 0..created {
            self.created_process();
        }
        for k in created..count {
            self.asks_enabled = asks_enabled && k == created;
            self.active_process();
            self.asks_enabled = false;
        }
        if !self.creatable.is_empty() {
            self.init();
        }
    }

    fn active_process(&mut self) {
        let name = self.name("P");
        let instances = if !self.asks_enabled && self.chance(if self.instances == 0 { 30 } else { 5 }) {
            2
        } else {
            1
        };
        self.instances += instances;
        let active = match instances {
            1 => "active ".to_string(),
            n => format!("active [{n}] "),
        };
        let mut after = String::new();
        if self.priorities {
            after.push_str(&format!(" priority {}", self.rng.u8(1..3)));
        } else if self.shape.scheduling && self.chance(3) {
            let condition = self.comparison();
            // A local name would not be known there.
            after.push_str(&format!(" provided ({condition})"));
        }
        let loops = !self.shape.ends || self.chance(60);
        // Without a number, the first of several processes is meant.
        let label = (loops && self.shape.remote).then(|| self.name("at"));
        let (body, variable) = self.body(loops, label.as_deref());
        self.items
            .push(Node::braces(format!("{active}proctype {name}(){after} {{"), body));
        if let Some(label) = label {
            self.remotes.push(Remote { name, label, variable });
        }
    }

    fn created_process(&mut self) {
        let name = self.name("Q");
        let mut parameters = Vec::new();
        let mut declared = Vec::new();
        let mut locals = Vec::new();
        if self.chance(60) {
            parameters.push(Parameter::Number(2));
            declared.push(format!("{} v", ["byte", "bit", "short"][self.rng.usize(..3)]));
            let sort = Sort::Number {
                modulus: 2,
                wraps: false,
            };
            locals.push(Cell {
                text: "v".to_string(),
                sort,
                length: 1,
            });
        }
        if self.has_mtype && self.chance(30) {
            parameters.push(Parameter::Mtype);
            declared.push("mtype m".to_string());
            locals.push(Cell {
                text: "m".to_string(),
                sort: Sort::Mtype,
                length: 1,
            });
        }
        let channel = self
            .channels
            .iter()
            .find(|c| matches!(c.fields[..], [Field::Number { .. }]))
            .cloned();
        let mut channels = Vec::new();
        if let Some(channel) = channel.filter(|_| self.chance(50)) {
            parameters.push(Parameter::Channel);
            declared.push("chan q".to_string());
            channels.push(Channel {
                text: "q".to_string(),
                length: 1,
                fields: vec![Field::Number { kind: ANY, modulus: 3 }],
                ..channel
            });
        }
        self.locals = locals;
        self.local_channels = channels;
        let loops = !self.shape.ends || self.chance(35);
        let (body, _) = self.body(loops, None);
        let text = format!("proctype {name}({}) {{", declared.join("; "));
        self.items.push(Node::braces(text, body));
        self.creatable.push(Creatable { name, parameters });
    }

    /// Declarations and statements of a process, and a variable that others may look at.
    fn body(&mut self, loops: bool, label: Option<&str>) -> (Vec<Node>, Option<String>) {
        let mut nodes = Vec::new();
        let mut variable = None;
        for _ in 0..self.rng.usize(..=1) {
            let name = self.name("l");
            let (text, cell) = self.scalar(&name);
            nodes.push(Node::line(text));
            if cell.sort.is_number() {
                variable = Some(name);
            }
            self.locals.push(cell);
        }
        if self.chance(30) {
            let name = self.name("i");
            nodes.push(Node::line(format!("byte {name}")));
            self.counter = Some(name);
        }
        if self.channels.iter().any(|c| c.fields == [Field::Pair]) {
            let name = self.name("p");
            nodes.push(Node::line(format!("Pair {name}")));
            for (field, modulus) in [("b", 2), ("n", 3)] {
                self.locals.push(Cell {
                    text: format!("{name}.{field}"),
                    sort: Sort::Number { modulus, wraps: false },
                    length: 1,
                });
            }
            self.pair = Some(name);
        }
        if self.channels.iter().any(|c| c.fields == [Field::Channel]) {
            let name = self.name("h");
            nodes.push(Node::line(format!("chan {name}")));
            self.received = Some(name);
        }
        nodes.extend(self.statements(loops, label));
        self.locals.clear();
        self.local_channels.clear();
        self.counter = None;
        self.pair = None;
        self.received = None;
        self.labels.clear();
        (nodes, variable)
    }

    fn statements(&mut self, loops: bool, label: Option<&str>) -> Vec<Node> {
        let mut nodes = Vec::new();
        // Some processes jump about.
        let jumped = self.chance(25).then(|| self.name("again"));
        self.labels.extend(jumped.clone());
        if let Some(jumped) = jumped {
            // SPIN refuses a `skip` that is jumped to from the next statement.
            let target = self.assignment();
            nodes.push(Node::line(target).labelled(&jumped));
        }
        let length = self.rng.usize(self.shape.statements.clone());
        if !loops || self.chance(25) {
            nodes.extend(self.sequence(length, TOP));
        }
        if !loops {
            return nodes;
        }
        let count = self.rng.usize(2..=3);
        let (options, waits) = self.options(count, TOP);
        let mut main = Node::options("do", "od", options);
        if self.shape.cycles && self.chance(60) {
            let prefix = ["accept_", "progress_"][self.rng.usize(..2)];
            let name = self.name(prefix);
            main = main.labelled(&name);
        } else if (self.shape.ltl || self.shape.never) && self.chance(20) {
            self.progresses = true;
            let name = self.name("progress_");
            main = main.labelled(&name);
        }
        if let Some(label) = label {
            main = main.labelled(label);
        }
        if waits {
            main = self.waiting(main, TOP);
        }
        nodes.push(main);
        nodes
    }

    fn init(&mut self) {
        let mut calls = Vec::new();
        for _ in 0..self.rng.usize(1..=2) {
            let Some(call) = self.run_call() else { continue };
            let counted = self
                .globals
                .iter()
                .find(|c| c.sort.is_number() && c.length == 1)
                .cloned();
            match counted {
                Some(cell) if self.chance(15) => calls.push(Node::line(format!("{} = {call}", cell.text))),
                _ => calls.push(Node::line(call)),
            }
        }
        let mut nodes = match self.shape.atomic && self.chance(60) {
            true => vec![Node::braces("atomic {", calls)],
            false => calls,
        };
        if !self.shape.ends {
            // It stays where it is.
            nodes.push(Node::line("end_init: false"));
        } else if self.chance(40) && !self.claimed() {
            nodes.push(Node::line("end_init: _nr_pr == 1"));
        }
        self.items.push(Node::braces("init {", nodes));
    }
}
