//! Writing one random model, within the rules of the builder.
//!
//! The rules: no operation on an object after one that modified it, in the same
//! command; inputs within their domains; in a joint transition, an operation on a
//! lock names its process.

use super::{Formula, Shape};
use fastrand::Rng;
use mazurka_core::{
    Action, BuildErrors, Builder, Channel, ChannelType, Command, Expr, Local, LocalId, Lock, Model, SafetyAutomaton,
    Semaphore, SemaphoreType, Variable, VariableType, assert,
};
use std::collections::BTreeSet;

#[derive(Clone, Copy)]
enum Handle {
    /// With the size of its domain, which starts at 0.
    Variable(Variable, i64),
    Channel(Channel),
    Semaphore(Semaphore),
    Lock(Lock),
}

/// A model under construction, one random part after the other.
pub(super) struct Writer {
    rng: Rng,
    m: Builder,
    /// The control points of each process.
    points: Vec<Vec<Local>>,
    objects: Vec<Handle>,
    transitions: usize,
    assertions: usize,
    /// The labels of the transitions so far.
    labels: BTreeSet<String>,
}

/// Messages are 0 or 1; every variable can hold them.
const MESSAGES: i64 = 2;

impl Writer {
    /// Processes and objects, without transitions.
    pub(super) fn new(rng: Rng, shape: &Shape) -> Self {
        let mut this = Self {
            rng,
            m: Builder::new("random"),
            points: Vec::new(),
            objects: Vec::new(),
            transitions: 0,
            assertions: 0,
            labels: BTreeSet::new(),
        };
        for p in 0..this.rng.usize(shape.processes.clone()) {
            let names = (0..this.rng.usize(shape.points.clone())).map(|k| format!("p{p}.{k}"));
            let points = this.m.process_of(format!("P{p}"), names.collect::<Vec<_>>());
            this.points.push(points);
        }
        for o in 0..this.rng.usize(shape.objects.clone()) {
            let object = this.object(format!("o{o}"));
            this.objects.push(object);
        }
        this
    }

    /// The model. The builder accepts whatever was written.
    pub(super) fn build(self) -> Result<Model, BuildErrors> {
        self.m.build()
    }

    fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    fn object(&mut self, name: String) -> Handle {
        match self.rng.u8(..10) {
            0..=3 => {
                let size = self.rng.i64(2..=3);
                let kind = VariableType::range(0..=size - 1).initially(self.rng.i64(0..size));
                Handle::Variable(self.m.variable(name, kind), size)
            }
            4..=6 => {
                let capacity = self.rng.usize(1..=4);
                let kind = match capacity {
                    4 => ChannelType::unbounded(),
                    c => ChannelType::bounded(c),
                };
                let filled = self.rng.usize(..=capacity.min(3));
                let initial: Vec<i64> = (0..filled).map(|_| self.rng.i64(0..MESSAGES)).collect();
                Handle::Channel(
                    self.m
                        .channel(name, kind.messages(0..=MESSAGES - 1).containing(initial)),
                )
            }
            7..=8 => {
                let initial = self.rng.u32(..=2);
                let kind = SemaphoreType::counting(initial);
                let max = self.rng.u32(initial.max(1)..=4);
                let kind = if max < 4 { kind.at_most(max) } else { kind };
                Handle::Semaphore(self.m.semaphore(name, kind))
            }
            _ => Handle::Lock(self.m.lock(name)),
        }
    }

    /// Adds transitions and properties; the invariants as formulas.
    pub(super) fn write(&mut self, shape: &Shape) -> Vec<(String, Formula)> {
        for p in 0..self.points.len() {
            // The last control point of some processes is where they stop.
            let stops = self.chance(40);
            let leaving = self.points[p].len() - usize::from(stops);
            for from in 0..leaving {
                for _ in 0..self.rng.usize(1..=2) {
                    let pre = self.points[p][from];
                    let post = self.point_of(p);
                    self.transition(vec![pre], vec![post]);
                }
            }
        }
        for _ in 0..self.rng.usize(..=2) {
            let mut who: Vec<usize> = (0..self.points.len()).collect();
            self.rng.shuffle(&mut who);
            who.truncate(self.rng.usize(2..=3));
            let pre = who.iter().map(|p| self.point_of(*p)).collect();
            let post = who.iter().map(|p| self.point_of(*p)).collect();
            self.transition(pre, post);
        }
        let mut invariants = Vec::new();
        if shape.properties {
            for k in 0..[0, 0, 1, 2][self.rng.usize(..4)] {
                let formula = self.formula(2);
                let name = format!("inv{k}");
                self.m.invariant(name.clone(), formula.prop());
                invariants.push((name, formula));
            }
            if self.chance(20) {
                self.automaton();
            }
        }
        invariants
    }

    fn point_of(&mut self, process: usize) -> Local {
        let points = &self.points[process];
        points[self.rng.usize(..points.len())]
    }

    fn transition(&mut self, pre: Vec<Local>, post: Vec<Local>) {
        let guard: Vec<Expr> = match self.rng.u8(..10) {
            0..=4 => Vec::new(),
            5..=8 => vec![self.condition(true)],
            _ => vec![self.condition(true), self.condition(true)],
        };
        let command = self.command(&pre);
        let name = format!("t{}", self.transitions);
        self.transitions += 1;
        let label = self.chance(25).then(|| ["a", "b"][self.rng.usize(..2)]);
        self.labels.insert(label.map_or_else(|| name.clone(), Into::into));
        let draft = self.m.transition(name, pre, post);
        if let Some(all) = guard.into_iter().reduce(Expr::and) {
            draft.when(all);
        }
        for part in command {
            draft.then(part);
        }
        if let Some(label) = label {
            draft.label(label);
        }
    }

    /// A condition. A guard may divide by zero, which makes it false; in an
    /// assertion that would be a fault.
    fn condition(&mut self, divides: bool) -> Expr {
        let object = self.objects[self.rng.usize(..self.objects.len())];
        let condition = match object {
            Handle::Variable(x, size) => match self.rng.u8(..6) {
                0..=2 => x.is(self.rng.i64(0..size)),
                3 => x.read().lt(self.rng.i64(1..=size)),
                4 => self.readable(&[]).map_or(x.read(), |y| x.is(y)),
                _ if divides => (x.read() / x.read()).is(1),
                _ => x.read(),
            },
            Handle::Channel(q) => match self.rng.u8(..3) {
                0 => q.is_empty(),
                1 => q.is_full(),
                _ => q.length().ge(self.rng.i64(1..=2)),
            },
            Handle::Semaphore(s) => s.value().ge(self.rng.i64(1..=2)),
            Handle::Lock(l) => l.is_held(),
        };
        let condition = if self.chance(40) { !condition } else { condition };
        if self.chance(10) {
            return condition.or(self.condition(divides));
        }
        condition
    }

    /// The value of some variable that is not among these objects.
    fn readable(&mut self, modified: &[usize]) -> Option<Expr> {
        let o = self.rng.usize(..self.objects.len());
        match self.objects[o] {
            Handle::Variable(x, _) if !modified.contains(&o) => Some(x.read()),
            _ => None,
        }
    }

    /// A value below `size`: a constant, or made from a variable.
    fn value(&mut self, size: i64, modified: &[usize]) -> Expr {
        let constant = self.rng.i64(0..size);
        match self.readable(modified) {
            Some(y) if self.chance(60) => (y + constant) % size,
            _ => constant.into(),
        }
    }

    fn command(&mut self, movers: &[Local]) -> Vec<Command> {
        let mut command: Vec<Command> = Vec::new();
        let mut modified: Vec<usize> = Vec::new();
        for _ in 0..[0, 1, 1, 1, 2, 3][self.rng.usize(..6)] {
            let o = self.rng.usize(..self.objects.len());
            if modified.contains(&o) {
                continue;
            }
            if self.chance(8) {
                if let Some(look) = self.look(o, movers) {
                    command.push(look.into());
                }
            } else if self.chance(8) && modified.is_empty() {
                self.assertions += 1;
                command.push(assert(self.condition(false), format!("assertion {}", self.assertions)).into());
            } else if let Handle::Channel(q) = self.objects[o]
                && self.chance(35)
                && let Some((x, to)) = self.unmodified_variable(&modified)
            {
                command.push(q.receive_into(x));
                modified.extend([o, to]);
            } else {
                command.push(self.operation(o, movers, &modified).into());
                modified.push(o);
            }
        }
        command
    }

    /// An operation that only reads, its output ignored.
    fn look(&mut self, o: usize, movers: &[Local]) -> Option<Action> {
        Some(match self.objects[o] {
            Handle::Variable(x, _) => x.object().operate(0),
            Handle::Channel(q) => q.object().operate(self.rng.u8(2..=4)),
            Handle::Semaphore(s) => s.object().operate(2),
            Handle::Lock(l) if movers.len() == 1 => l.object().operate(2),
            // Who looks at a lock in a joint transition cannot be said.
            Handle::Lock(_) => return None,
        })
    }

    fn unmodified_variable(&mut self, modified: &[usize]) -> Option<(Variable, usize)> {
        let o = self.rng.usize(..self.objects.len());
        match self.objects[o] {
            Handle::Variable(x, _) if !modified.contains(&o) => Some((x, o)),
            _ => None,
        }
    }

    fn operation(&mut self, o: usize, movers: &[Local], modified: &[usize]) -> Action {
        let who = movers[self.rng.usize(..movers.len())];
        match self.objects[o] {
            Handle::Variable(x, size) => match self.rng.u8(..6) {
                0..=2 => x.write(self.value(size, modified)),
                3 => x.complement(),
                _ => x.add(self.value(size, modified)),
            },
            Handle::Channel(q) => {
                if self.rng.bool() {
                    q.send(self.value(MESSAGES, modified))
                } else {
                    q.receive()
                }
            }
            Handle::Semaphore(s) => {
                if self.rng.bool() {
                    s.acquire()
                } else {
                    s.release()
                }
            }
            Handle::Lock(l) => {
                if self.rng.bool() {
                    l.acquire_by(who)
                } else {
                    l.release_by(who)
                }
            }
        }
    }

    fn formula(&mut self, depth: usize) -> Formula {
        let inner = |this: &mut Self| Box::new(this.formula(depth - 1));
        match self.rng.u8(..if depth == 0 { 4 } else { 10 }) {
            4..=5 => Formula::Not(inner(self)),
            6..=7 => Formula::And(inner(self), inner(self)),
            8..=9 => Formula::Or(inner(self), inner(self)),
            _ => {
                let o = self.rng.usize(..self.objects.len());
                if let Handle::Variable(x, size) = self.objects[o] {
                    return Formula::Is(o, self.rng.i64(0..size), x);
                }
                let process = self.rng.usize(..self.points.len());
                let k = self.rng.usize(..self.points[process].len());
                // Control points are numbered in the order of their creation.
                let before: usize = self.points[..process].iter().map(Vec::len).sum();
                Formula::At(process, LocalId::new(before + k), self.points[process][k])
            }
        }
    }

    /// A property of states for a temporal formula.
    pub(super) fn atom(&mut self) -> Formula {
        let o = self.rng.usize(..self.objects.len());
        let length = self.rng.usize(..=3);
        match self.objects[o] {
            Handle::Channel(q) if length > 0 => Formula::AtLeast(o, length, q),
            _ => self.formula(1),
        }
    }

    fn automaton(&mut self) {
        let states = ["q0", "q1"];
        let mut automaton = SafetyAutomaton::new("automaton", states);
        let count = self.rng.usize(1..=self.labels.len().min(4));
        let alphabet: Vec<String> = self.labels.iter().take(count).cloned().collect();
        for from in states {
            for label in &alphabet {
                if self.chance(70) {
                    automaton = automaton.edge(from, label, states[self.rng.usize(..2)]);
                }
            }
        }
        self.m.safety_automaton(automaton);
    }
}
