//! Random compound statements.

use super::program::Node;
use super::scope::{Channel, Place, Sort};
use super::statement::exchanges;
use super::writer::Writer;

impl Writer {
    pub(super) fn compound(&mut self, place: Place) -> Vec<Node> {
        let node = match self.rng.u8(..20) {
            // Two `else` in one choice are refused: none where another may follow.
            0..4 if !place.first => self.decision(place),
            4..8 => self.selection(place),
            // A loop inside `atomic` could go on for ever without a state in between.
            8..10 if !place.in_atomic => self.repetition(place),
            10..13 if self.shape.atomic && !place.in_atomic => self.atomic(place),
            13..15 if self.shape.d_step => {
                // SPIN refuses a `break` or a `goto` whose target is a `d_step`.
                let before = (!place.first).then(|| Node::line(self.assignment()));
                return before.into_iter().chain([self.d_step(place)]).collect();
            }
            15 if self.shape.unless && !place.in_atomic => self.unless(place),
            16 | 17 if self.counter.is_some() => self.counted_loop(place),
            18 if self.counter.is_some() => {
                let counter = self.counter.clone().expect("just seen");
                let place = self.place(|s| matches!(s, Sort::Number { .. }));
                let select = Node::line(format!("select({counter} : 0 .. {})", self.rng.u8(1..3)));
                let Some((text, Sort::Number { modulus, .. })) = place else {
                    return vec![select];
                };
                return vec![select, Node::line(format!("{text} = {counter} % {modulus}"))];
            }
            19 => self.scope(place),
            _ => self.selection(place),
        };
        vec![node]
    }

    /// `if :: condition -> … :: else -> … fi`.
    pub(super) fn decision(&mut self, place: Place) -> Node {
        let inner = Place {
            depth: place.depth + 1,
            first: false,
            ..place
        };
        let condition = Some(Node::line(self.condition(1))).filter(|c| !exchanges(c));
        let condition = condition.unwrap_or_else(|| Node::line(self.comparison()));
        let mut then = vec![condition];
        then.extend(self.sequence(1, inner));
        let mut otherwise = vec![Node::line("else")];
        if self.chance(60) {
            otherwise.extend(self.sequence(1, inner));
        }
        Node::options("if", "fi", vec![then, otherwise])
    }

    /// The options of a selection or a loop, and whether possibly none of them is executable.
    pub fn options(&mut self, count: usize, place: Place) -> (Vec<Vec<Node>>, bool) {
        let inner = Place {
            depth: place.depth + 1,
            first: true,
            ..place
        };
        let mut options = Vec::new();
        for _ in 0..count {
            let length = self.rng.usize(1..=2);
            let mut option = match self.rng.u8(..4) {
                0 => vec![Node::line(self.condition(1))],
                1 => self.receive(inner),
                2 if self.chance(50) => self.send(inner),
                _ => self.statement(inner),
            };
            option.extend(self.sequence(length - 1, Place { first: false, ..inner }));
            options.push(option);
        }
        let after = Place { first: false, ..inner };
        // SPIN refuses `else` beside a send or a receive.
        let exchanges = options.iter().any(|o| o.first().is_some_and(exchanges));
        let last = match self.rng.u8(..10) {
            0..3 if !place.first && !exchanges => "else",
            3 if self.shape.timeout => "timeout",
            _ => return (options, true),
        };
        let mut option = vec![Node::line(last)];
        let leaves = place.in_loop && self.chance(40);
        option.extend(if leaves {
            vec![Node::line("break")]
        } else {
            self.sequence(1, after)
        });
        options.push(option);
        (options, last != "else")
    }

    fn selection(&mut self, place: Place) -> Node {
        let count = self.rng.usize(1..=3);
        let (options, waits) = self.options(count, place);
        let node = Node::options("if", "fi", options);
        if waits { self.waiting(node, place) } else { node }
    }

    fn repetition(&mut self, place: Place) -> Node {
        let count = self.rng.usize(1..=2);
        let (mut options, waits) = self.options(count, Place { in_loop: true, ..place });
        if self.chance(85) {
            options.insert(0, vec![Node::line(self.condition(1)), Node::line("break")]);
        }
        let node = Node::options("do", "od", options);
        if waits { self.waiting(node, place) } else { node }
    }

    fn atomic(&mut self, place: Place) -> Node {
        let inner = Place {
            depth: place.depth + 1,
            in_atomic: true,
            first: true,
            in_loop: place.in_loop,
            ..place
        };
        let length = self.rng.usize(2..=3);
        let body = self.sequence(length, inner);
        let node = Node::braces("atomic {", body);
        self.waiting(node, place)
    }

    fn d_step(&mut self, place: Place) -> Node {
        let inner = Place {
            depth: place.depth + 1,
            in_d_step: true,
            in_loop: false,
            first: true,
            ..place
        };
        let mut body = Vec::new();
        match self.rng.u8(..10) {
            0..3 => body.push(Node::line(self.condition(1))),
            3 => body.extend(self.receive(inner)),
            // To offer a rendezvous fails.
            4 if self.faulty => body.extend(self.send(inner)),
            4 => {
                if let Some((name, channel)) = self.some_channel(Channel::always_buffered) {
                    body.extend(self.send_on(&name, &channel, inner));
                }
            }
            5 => {
                let options = (0..2).map(|_| self.receive(inner)).collect();
                body.push(Node::options("if", "fi", options));
            }
            _ => {}
        }
        let guarded = !body.is_empty();
        let length = self.rng.usize(1..=3);
        body.extend(self.sequence(length, inner));
        let node = Node::braces("d_step {", body);
        if guarded { self.waiting(node, place) } else { node }
    }

    fn unless(&mut self, place: Place) -> Node {
        let inner = Place {
            depth: place.depth + 1,
            first: true,
            ..place
        };
        let length = self.rng.usize(1..=3);
        let main = self.sequence(length, inner);
        let mut escape = match self.rng.u8(..3) {
            0 => self.receive(inner),
            _ => vec![Node::line(self.condition(1))],
        };
        let length = self.rng.usize(..=1);
        escape.extend(self.sequence(length, Place { first: false, ..inner }));
        let node = Node::unless(main, escape);
        self.waiting(node, place)
    }

    /// `for`, in one of its forms.
    pub(super) fn counted_loop(&mut self, place: Place) -> Node {
        let pair = self.pair.clone();
        let channel = Self::pick(&mut self.rng, &self.pair_channels).cloned();
        if let (Some(pair), Some(channel), false) = (pair, channel, place.in_d_step)
            && self.chance(60)
        {
            let body = vec![Node::line(self.assignment())];
            return Node::braces(format!("for ({pair} in {channel}) {{"), body);
        }
        let counter = self.counter.clone().expect("the caller looked");
        let array = Self::pick(&mut self.rng, &self.arrays).cloned();
        let inner = Place {
            depth: place.depth + 2,
            in_loop: !place.in_d_step,
            first: false,
            ..place
        };
        // The body must not use the counter for a loop of its own.
        self.counter = None;
        let mut body = self.sequence(1, inner);
        self.counter = Some(counter.clone());
        match array {
            Some((name, _)) if self.chance(50) => {
                body.push(Node::line(format!("{name}[{counter}] = {}", self.rng.u8(..2))));
                Node::braces(format!("for ({counter} in {name}) {{"), body)
            }
            _ => {
                let to = self.rng.u8(..3);
                Node::braces(format!("for ({counter} : 0 .. {to}) {{"), body)
            }
        }
    }

    /// A block with a variable of its own.
    fn scope(&mut self, place: Place) -> Node {
        let name = self.name("s");
        let (declaration, cell) = self.scalar(&name);
        self.locals.push(cell);
        let inner = Place {
            depth: place.depth + 1,
            first: false,
            ..place
        };
        let length = self.rng.usize(1..=2);
        let mut body = vec![Node::line(declaration)];
        body.extend(self.sequence(length, inner));
        // Values do not outlive their scope.
        body.push(Node::line(format!("{name} = 0")));
        self.locals.pop();
        Node::braces("{", body)
    }
}
