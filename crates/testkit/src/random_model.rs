//! Random small models, the same for the same seed.
//!
//! Everything that the builder allows and that a reduction could get wrong turns
//! up: all types of objects, bounded and unbounded; guards with one or several
//! conditions; commands that read, modify and assert; transitions of one, two or
//! three processes; cycles and processes that stop; invariants and safety
//! automata. Values are taken modulo the size of their domain, so that no
//! transition ever fails. Models with too many states are thrown away, which
//! also disposes of those whose counters grow without end.

use crate::StateSpace;
use fastrand::Rng;
use mazurka_core::{
    Action, Builder, Channel, ChannelType, Command, Configuration, Expr, Local, LocalId, Lock, Model, Prop,
    SafetyAutomaton, Semaphore, SemaphoreType, Variable, VariableType, assert,
};
use std::ops::RangeInclusive;

/// How large the models are.
#[derive(Clone, Debug)]
pub struct Shape {
    /// How many processes.
    pub processes: RangeInclusive<usize>,
    /// How many control points each.
    pub points: RangeInclusive<usize>,
    /// How many objects.
    pub objects: RangeInclusive<usize>,
    /// At most this many states.
    pub states: usize,
    /// Whether the model may state properties.
    pub properties: bool,
}

impl Shape {
    /// For comparisons that look at each state a few times.
    pub fn small() -> Self {
        Self {
            processes: 2..=4,
            points: 2..=4,
            objects: 1..=4,
            states: 400,
            properties: true,
        }
    }

    /// For definitions that speak of all states, pairs and paths.
    pub fn tiny() -> Self {
        Self {
            processes: 2..=3,
            points: 2..=3,
            objects: 1..=3,
            states: 60,
            properties: false,
        }
    }
}

/// A model, all of its states, and its invariants once more.
#[derive(Debug)]
pub struct RandomModel {
    /// The model.
    pub model: Model,
    /// All of its states.
    pub space: StateSpace,
    /// Each invariant's name, and the formula that it states.
    pub invariants: Vec<(String, Formula)>,
}

/// The model of a seed.
pub fn random_model(seed: u64, shape: &Shape) -> RandomModel {
    let mut rng = Rng::with_seed(seed);
    loop {
        let mut writer = Writer::new(rng.fork(), shape);
        let invariants = writer.write(shape);
        let model = writer.m.build().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let Some(space) = StateSpace::explore(&model, shape.states) else {
            continue;
        };
        // A model that gets stuck at once tests little; a few are enough.
        if space.states.len() >= 6 || rng.u8(..10) == 0 {
            return RandomModel {
                model,
                space,
                invariants,
            };
        }
    }
}

/// A property of states that can be evaluated without the engine.
#[derive(Clone, Debug)]
pub enum Formula {
    /// The process with this index is at this control point.
    At(usize, LocalId, Local),
    /// The variable with this object index has this value.
    Is(usize, i64, Variable),
    /// Not.
    Not(Box<Formula>),
    /// Both.
    And(Box<Formula>, Box<Formula>),
    /// One or both.
    Or(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Whether it holds in a state.
    pub fn holds(&self, state: &Configuration) -> bool {
        match self {
            Self::At(process, local, _) => state.control[*process] == *local,
            Self::Is(object, value, _) => state.values[*object] == [*value],
            Self::Not(f) => !f.holds(state),
            Self::And(f, g) => f.holds(state) && g.holds(state),
            Self::Or(f, g) => f.holds(state) || g.holds(state),
        }
    }

    fn prop(&self) -> Prop {
        match self {
            Self::At(_, _, local) => local.reached(),
            Self::Is(_, value, variable) => variable.is(*value).into(),
            Self::Not(f) => !f.prop(),
            Self::And(f, g) => f.prop() & g.prop(),
            Self::Or(f, g) => f.prop() | g.prop(),
        }
    }
}

#[derive(Clone, Copy)]
enum Handle {
    /// With the size of its domain, which starts at 0.
    Variable(Variable, i64),
    Channel(Channel),
    Semaphore(Semaphore),
    Lock(Lock),
}

struct Writer {
    rng: Rng,
    m: Builder,
    /// The control points of each process.
    points: Vec<Vec<Local>>,
    objects: Vec<Handle>,
    transitions: usize,
    assertions: usize,
}

/// Messages are 0 or 1; every variable can hold them.
const MESSAGES: i64 = 2;

impl Writer {
    fn new(rng: Rng, shape: &Shape) -> Self {
        let mut this = Self {
            rng,
            m: Builder::new("random"),
            points: Vec::new(),
            objects: Vec::new(),
            transitions: 0,
            assertions: 0,
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

    fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    fn object(&mut self, name: String) -> Handle {
        match self.rng.u8(..10) {
            0..=3 => {
                let size = self.rng.i64(2..=3);
                let kind = VariableType::range(0..=size - 1).initially(self.rng.i64(..size));
                Handle::Variable(self.m.variable(name, kind), size)
            }
            4..=6 => {
                let capacity = self.rng.usize(1..=4);
                let kind = match capacity {
                    4 => ChannelType::unbounded(),
                    c => ChannelType::bounded(c),
                };
                let filled = self.rng.usize(..=capacity.min(3));
                let initial: Vec<i64> = (0..filled).map(|_| self.rng.i64(..MESSAGES)).collect();
                Handle::Channel(self.m.channel(name, kind.messages(0..=MESSAGES - 1).containing(initial)))
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

    fn write(&mut self, shape: &Shape) -> Vec<(String, Formula)> {
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
            5..=8 => vec![self.condition()],
            _ => vec![self.condition(), self.condition()],
        };
        let command = self.command(&pre);
        let name = format!("t{}", self.transitions);
        self.transitions += 1;
        let label = self.chance(25).then(|| ["a", "b"][self.rng.usize(..2)]);
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

    fn condition(&mut self) -> Expr {
        let object = self.objects[self.rng.usize(..self.objects.len())];
        let condition = match object {
            Handle::Variable(x, size) => match self.rng.u8(..6) {
                0..=2 => x.is(self.rng.i64(..size)),
                3 => x.read().lt(self.rng.i64(1..=size)),
                4 => self.readable(&[]).map_or(x.read(), |y| x.is(y)),
                // A division by zero makes the guard false.
                _ => (x.read() / x.read()).is(1),
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
            return condition.or(self.condition());
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
        let constant = self.rng.i64(..size);
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
                command.push(assert(self.condition(), format!("assertion {}", self.assertions)).into());
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

    /// An operation that only looks, its output ignored.
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
                    return Formula::Is(o, self.rng.i64(..size), x);
                }
                let process = self.rng.usize(..self.points.len());
                let k = self.rng.usize(..self.points[process].len());
                // Control points are numbered in the order of their creation.
                let before: usize = self.points[..process].iter().map(Vec::len).sum();
                Formula::At(process, LocalId::new(before + k), self.points[process][k])
            }
        }
    }

    fn automaton(&mut self) {
        let states = ["q0", "q1"];
        let labels = ["a", "b", "t0", "t1"];
        let mut automaton = SafetyAutomaton::new("automaton", states);
        let alphabet = &labels[..self.rng.usize(1..=4)];
        for from in states {
            for label in alphabet {
                if self.chance(70) {
                    automaton = automaton.edge(from, *label, states[self.rng.usize(..2)]);
                }
            }
        }
        self.m.safety_automaton(automaton);
    }
}
