//! Random formulas, claims and trace assertions.

use super::program::Node;
use super::scope::{Field, Sort};
use super::writer::Writer;

impl Writer {
    pub fn properties(&mut self) {
        if self.shape.ltl {
            for k in 0..self.rng.usize(1..=2) {
                // SPIN takes minutes for some formulas that are only a little deeper.
                let depth = if self.chance(20) { 3 } else { 2 };
                let formula = self.formula(depth);
                self.items.push(Node::line(format!("ltl f{k} {{ {formula} }}")));
            }
        }
        if self.shape.never {
            self.claim();
        }
        if self.shape.trace {
            self.trace();
        }
    }

    /// What can be said of a state from outside.
    fn atom(&mut self) -> String {
        match self.rng.u8(..10) {
            0 if !self.remotes.is_empty() => format!("({})", self.remote()),
            2 if self.progresses => ["np_", "(!np_)"][self.rng.usize(..2)].to_string(),
            1 if !self.channels.is_empty() => {
                let (name, _) = self
                    .some_channel(|c| c.length == 1)
                    .unwrap_or_else(|| self.first_channel());
                format!("(len({name}) == {})", self.rng.u8(..2))
            }
            _ => match self.place(Sort::is_number) {
                Some((text, _)) if !text.contains("_pid") => {
                    let operator = ["==", "!=", "<", ">="][self.rng.usize(..4)];
                    format!("({text} {operator} {})", self.rng.u8(..3))
                }
                _ => "true".to_string(),
            },
        }
    }

    fn first_channel(&mut self) -> (String, super::scope::Channel) {
        let channel = self.channels[0].clone();
        (channel.text.replace('#', "0"), channel)
    }

    /// A formula of linear temporal logic.
    fn formula(&mut self, depth: usize) -> String {
        if depth == 0 || self.chance(15) {
            return self.atom();
        }
        let f = self.formula(depth - 1);
        match self.rng.u8(..17) {
            0..3 => format!("([] {f})"),
            3..6 => format!("(<> {f})"),
            6 => format!("(always {f})"),
            7 => format!("(eventually {f})"),
            8 => format!("(!{f})"),
            9 | 10 => format!("({f} U {})", self.formula(depth - 1)),
            11 => format!("({f} V {})", self.formula(depth - 1)),
            12 => format!("({f} W {})", self.formula(depth - 1)),
            13 if self.shape.next => format!("(X {f})"),
            14 => format!("({f} -> {})", self.formula(depth - 1)),
            15 => format!("({f} && {})", self.formula(depth - 1)),
            _ => format!("({f} || {})", self.formula(depth - 1)),
        }
    }

    /// What a claim can also say.
    fn observation(&mut self) -> String {
        match self.rng.u8(..14) {
            0 => "_last == 0".to_string(),
            2 if self.channels.iter().all(|c| c.buffered) => "enabled(0)".to_string(),
            _ => self.atom(),
        }
    }

    fn claim(&mut self) {
        let (wait, first) = (self.observation(), self.observation());
        let go = |text: &str, target: &str| vec![Node::line(text.to_string()), Node::line(format!("goto {target}"))];
        let start = vec![
            go(&first, "accept_seen"),
            go(if self.rng.bool() { "true" } else { &wait }, "T0"),
        ];
        let stay = self.observation();
        let mut second = vec![go(&stay, "accept_seen")];
        match self.rng.u8(..3) {
            0 => second.push(go(&self.observation(), "T0")),
            1 => second.push(vec![Node::line(self.observation()), Node::line("goto done")]),
            _ => {}
        }
        let done = second.iter().flatten().any(|n| *n == Node::line("goto done"));
        let mut body = vec![
            Node::options("if", "fi", start).labelled("T0"),
            Node::options("if", "fi", second).labelled("accept_seen"),
        ];
        if done {
            body.push(Node::line("done: skip"));
        }
        self.items.push(Node::braces("never {", body));
    }

    /// A new channel with a process that uses it in every order.
    fn lively_channel(&mut self) -> super::scope::Channel {
        self.items.push(Node::line("chan events = [2] of { bit }"));
        let options = vec![vec![Node::line("events!1")], vec![Node::line("events?_")]];
        let body = Node::options("do", "od", options);
        self.items.push(Node::braces("active proctype lively() {", vec![body]));
        super::scope::Channel {
            text: "events".to_string(),
            length: 1,
            fields: vec![Field::Number {
                kind: "bit",
                modulus: 2,
            }],
            buffered: true,
        }
    }

    /// Sends and receives on one channel, in an order that may or may not be kept.
    fn trace(&mut self) {
        let plain = |c: &super::scope::Channel| {
            c.length == 1
                && c.buffered
                && c.fields
                    .iter()
                    .all(|f| matches!(f, Field::Number { .. } | Field::Mtype))
        };
        let used = self
            .channels
            .iter()
            .find(|c| plain(c))
            .cloned()
            .filter(|_| self.rng.bool());
        let channel = used.unwrap_or_else(|| self.lively_channel());
        let any = vec!["_"; channel.fields.len()].join(",");
        let name = &channel.text;
        let send = Node::line(format!("{name}!{any}"));
        let receive = Node::line(format!("{name}?{any}"));
        // Which event comes next is always determined, as SPIN demands.
        let cycle = |events: Vec<Node>| vec![Node::options("do", "od", vec![events])];
        let body = match self.rng.u8(..8) {
            0 => cycle(vec![send, receive]),
            1 => vec![Node::options("do", "od", vec![vec![send], vec![receive]])],
            2 => cycle(vec![send.clone(), send, receive.clone(), receive]),
            3 => vec![send, Node::options("do", "od", vec![vec![receive]])],
            4 | 5 => cycle(vec![receive, send]),
            _ => vec![send, receive],
        };
        let kind = if self.chance(70) { "trace {" } else { "notrace {" };
        self.items.push(Node::braces(kind, body));
    }
}
