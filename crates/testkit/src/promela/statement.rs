//! Random simple statements; [`compound`](super::compound) ones are made of them.

use super::program::Node;
use super::scope::{ANY, Channel, Field, Place, Sort};
use super::writer::Writer;

impl Writer {
    /// A sequence of about that many statements.
    pub fn sequence(&mut self, length: usize, place: Place) -> Vec<Node> {
        let mut nodes = Vec::new();
        for k in 0..length {
            let place = Place {
                first: place.first && k == 0,
                ..place
            };
            nodes.extend(self.statement(place));
        }
        nodes
    }

    /// In models that never get stuck, a statement that waits has an end label where that is allowed.
    pub fn waiting(&mut self, node: Node, place: Place) -> Node {
        if place.first || place.in_d_step || !self.forgiving {
            return node;
        }
        let label = self.name("end_");
        node.labelled(&label)
    }

    /// A statement that waits, or half of the time is skipped if it would have to wait:
    /// otherwise most processes would wait for ever.
    fn optional(&mut self, node: Node, place: Place) -> Node {
        if place.first || self.chance(40) {
            return self.waiting(node, place);
        }
        let otherwise = match self.rng.u8(..4) {
            0 if self.shape.timeout => "timeout".to_string(),
            1..3 if !exchanges(&node) => "else".to_string(),
            _ => self.assignment(),
        };
        let waits = otherwise == "timeout";
        let node = Node::options("if", "fi", vec![vec![node], vec![Node::line(otherwise)]]);
        if waits { self.waiting(node, place) } else { node }
    }

    pub(super) fn statement(&mut self, place: Place) -> Vec<Node> {
        if place.in_d_step {
            return self.step(place);
        }
        if place.depth < 3 && self.chance(38 - 8 * place.depth) {
            return self.compound(place);
        }
        let line = match self.rng.u8(..40) {
            0..10 => self.assignment(),
            10 | 11 => return self.guarded_increment(place),
            12..14 => {
                let condition = Node::line(self.condition(1));
                return vec![self.optional(condition, place)];
            }
            14..20 => return self.send(place),
            20..27 => return self.receive(place),
            27..30 => self.assertion(),
            30 if !self.labels.is_empty() => {
                let label = Self::pick(&mut self.rng, &self.labels).expect("some").clone();
                format!("goto {label}")
            }
            31 if self.has_inlines && !place.first => self.inline_call(),
            32 if !place.first => "skip".to_string(),
            33 if self.chance(40) => return self.carried(place),
            33 if place.in_loop => "break".to_string(),
            34 if self.shape.creation && !self.claimed() && self.chance(25) => return self.creation(place),
            35 => "printf(\"%d\\n\", _pid)".to_string(),
            _ => self.assignment(),
        };
        vec![Node::line(line)]
    }

    /// A statement that can be part of a `d_step`.
    pub(super) fn step(&mut self, place: Place) -> Vec<Node> {
        match self.rng.u8(..12) {
            0 if place.depth < 3 && !place.first => vec![self.decision(place)],
            1 if self.has_inlines && !place.first => vec![Node::line(self.inline_call())],
            2 => vec![Node::line(self.assertion())],
            3 if place.depth < 2 && !place.first && self.counter.is_some() => vec![self.counted_loop(place)],
            4 if self.faulty => vec![Node::line(self.condition(1))],
            5 if self.faulty => self.send(place),
            6 if self.faulty => self.receive(place),
            7 if !place.first => match self.some_channel(Channel::always_buffered) {
                Some((name, channel)) => {
                    let send = self.send_on(&name, &channel, Place { first: true, ..place });
                    let room = Node::line(format!("nfull({name})"));
                    let options = vec![vec![room].into_iter().chain(send).collect(), vec![Node::line("else")]];
                    vec![Node::options("if", "fi", options)]
                }
                None => vec![Node::line(self.assignment())],
            },
            _ => vec![Node::line(self.assignment())],
        }
    }

    pub fn assignment(&mut self) -> String {
        if self.has_hidden && self.chance(10) {
            return format!("unseen = {}", self.number(1));
        }
        if self.priorities && self.chance(10) {
            return format!("set_priority(_pid, {})", self.rng.u8(1..4));
        }
        let Some((place, sort)) = self.place(|_| true) else {
            return "skip".to_string();
        };
        match sort {
            Sort::Mtype => format!("{place} = {}", self.mtype()),
            Sort::Colour => format!("{place} = {}", ["red", "green"][self.rng.usize(..2)]),
            Sort::Number { modulus, wraps } => match self.rng.u8(..16) {
                0..3 => format!("{place} = {}", self.rng.u32(..modulus)),
                3..6 => format!("{place} = ({place} + 1) % {modulus}"),
                6 if self.has_macros => format!("TURN({place}, {modulus})"),
                7 if wraps => format!("{place}{}", ["++", "--"][self.rng.usize(..2)]),
                8 => format!("{place} = ({})", self.comparison()),
                9 if self.chance(10) => format!(
                    "{place} = {}",
                    ["300", "-1", "70000", "2147483647"][self.rng.usize(..4)]
                ),
                _ => format!("{place} = {} % {modulus}", self.number(2)),
            },
        }
    }

    pub(super) fn guarded_increment(&mut self, place: Place) -> Vec<Node> {
        let Some((cell, _)) = self.place(Sort::is_number) else {
            return vec![Node::line("skip")];
        };
        let (guard, change) = if self.rng.bool() {
            (format!("{cell} < 2"), format!("{cell}++"))
        } else {
            (format!("{cell} > 0"), format!("{cell}--"))
        };
        // The index may depend on what other processes do in between; what leaves its
        // usual range that way comes back by the next assignment.
        vec![self.waiting(Node::line(guard), place), Node::line(change)]
    }

    fn assertion(&mut self) -> String {
        match self.place(Sort::is_number) {
            Some((text, _)) if self.careful => match self.rng.u8(..4) {
                0 => format!("assert({text} != 97)"),
                1 => format!("assert({text} <= 2 || {text} > 2)"),
                2 if !self.claimed() => "assert(_nr_pr > 0)".to_string(),
                _ => "assert(true)".to_string(),
            },
            _ if self.careful => "assert(_pid >= 0)".to_string(),
            _ => format!("assert({})", self.condition(1)),
        }
    }

    fn inline_call(&mut self) -> String {
        let number = |w: &mut Self| w.place(Sort::is_number).map(|(text, _)| text);
        let Some(first) = number(self) else {
            return "skip".to_string();
        };
        match self.rng.u8(..3) {
            0 => format!("bump({first}, {})", self.rng.u8(1..3)),
            1 => format!("lower({first})"),
            _ => match number(self) {
                Some(second) if second != first => format!("swap({first}, {second})"),
                _ => format!("lower({first})"),
            },
        }
    }

    pub fn send(&mut self, place: Place) -> Vec<Node> {
        let Some((name, channel)) = self.some_channel(|_| true) else {
            return vec![Node::line(self.assignment())];
        };
        self.send_on(&name, &channel, place)
    }

    pub(super) fn send_on(&mut self, name: &str, channel: &Channel, place: Place) -> Vec<Node> {
        let values: Option<Vec<_>> = channel.fields.iter().map(|f| self.sent(f)).collect();
        let Some(values) = values else {
            return vec![Node::line(self.assignment())];
        };
        let sorted = if channel.buffered && self.chance(12) { "!!" } else { "!" };
        let text = match &values[..] {
            [first, second] if self.chance(25) => format!("{name}{sorted}{first}({second})"),
            _ => format!("{name}{sorted}{}", values.join(",")),
        };
        vec![self.optional(Node::line(text), place)]
    }

    pub fn receive(&mut self, place: Place) -> Vec<Node> {
        let Some((name, channel)) = self.some_channel(|_| true) else {
            return vec![Node::line(self.assignment())];
        };
        self.receive_on(&name, &channel, place)
    }

    pub(super) fn receive_on(&mut self, name: &str, channel: &Channel, place: Place) -> Vec<Node> {
        // SPIN looks for the channel again after the message has been stored, so that must
        // not change which channel it is.
        let indices = name.split(|c: char| !c.is_alphanumeric() && c != '_');
        let mut used: Vec<String> = indices.map(str::to_string).collect();
        let patterns: Option<Vec<_>> = channel.fields.iter().map(|f| self.received(f, &mut used)).collect();
        let Some(patterns) = patterns else {
            return vec![Node::line(self.assignment())];
        };
        let operator = if channel.buffered && self.chance(20) { "??" } else { "?" };
        let text = match &patterns[..] {
            _ if channel.buffered && self.chance(10) => format!("{name}{operator}<{}>", patterns.join(",")),
            [first, second] if self.chance(25) => format!("{name}{operator}{first}({second})"),
            _ => format!("{name}{operator}{}", patterns.join(",")),
        };
        vec![self.optional(Node::line(text), place)]
    }

    /// Receives a channel, and uses it.
    fn carried(&mut self, place: Place) -> Vec<Node> {
        let carrier = self.some_channel(|c| c.fields == [Field::Channel]);
        let (Some((carrier, channel)), Some(variable)) = (carrier, self.received.clone()) else {
            return vec![Node::line(self.assignment())];
        };
        let carried = Channel {
            text: variable.clone(),
            length: 1,
            fields: vec![Field::Number { kind: ANY, modulus: 3 }],
            buffered: true,
        };
        let mut nodes = self.receive_on(&carrier, &channel, place);
        let later = Place { first: false, ..place };
        // A polled or random receive may leave the variable as it was: no channel yet.
        if nodes.len() == 1 && matches!(&nodes[0], Node::Line(text) if text.ends_with(&format!("?{variable}"))) {
            nodes.extend(if self.rng.bool() {
                self.send_on(&variable, &carried, later)
            } else {
                self.receive_on(&variable, &carried, later)
            });
        }
        nodes
    }

    /// Creates a process if there are few.
    fn creation(&mut self, place: Place) -> Vec<Node> {
        let Some(call) = self.run_call() else {
            return vec![Node::line(self.assignment())];
        };
        let guard = Node::line("_nr_pr < 4");
        if self.shape.atomic && !place.in_atomic {
            let both = vec![guard, Node::line(call)];
            return vec![self.waiting(Node::braces("atomic {", both), place)];
        }
        vec![self.waiting(guard, place), Node::line(call)]
    }

    /// `run P(…)`, if there is anything to run.
    pub fn run_call(&mut self) -> Option<String> {
        use super::scope::Parameter;
        let process = Self::pick(&mut self.rng, &self.creatable)?.clone();
        let mut arguments = Vec::new();
        for parameter in &process.parameters {
            arguments.push(match parameter {
                Parameter::Number(modulus) => self.rng.u32(..*modulus).to_string(),
                Parameter::Mtype => ["A", "B", "C"][self.rng.usize(..3)].to_string(),
                Parameter::Channel => {
                    let fits = |c: &Channel| matches!(c.fields[..], [Field::Number { .. }]);
                    let mixed_up = self.faulty && self.chance(20);
                    let fits = |c: &Channel| mixed_up || fits(c);
                    let name = self.some_channel(|c| fits(c) && c.buffered);
                    name.or_else(|| self.some_channel(fits))?.0
                }
            });
        }
        let priority = match self.priorities && self.chance(50) {
            true => format!(" priority {}", self.rng.u8(1..4)),
            false => String::new(),
        };
        Some(format!("run {}({}){priority}", process.name, arguments.join(", ")))
    }
}

/// Whether a statement may begin with a send or a receive.
pub(super) fn exchanges(node: &Node) -> bool {
    match node {
        // A question about a channel counts for SPIN too.
        Node::Line(text) => text.contains(['!', '?']) || text.contains("empty(") || text.contains("full("),
        Node::Group { branches, .. } => branches.iter().any(|b| b.body.first().is_some_and(exchanges)),
    }
}
