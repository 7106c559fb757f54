//! Random typed models, with footprints that are true by construction, or have a deliberate mistake.

use mazurka_core::typed::{Footprint, Model, Obstacles, Parts};
use std::collections::{BTreeMap, VecDeque};

mazurka_core::encode! {
    /// States of several lengths.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub(crate) struct State {
        pub(crate) at: Vec<u8>,
        pub(crate) variables: Vec<u8>,
        pub(crate) queue: VecDeque<u8>,
        pub(crate) bag: BTreeMap<u8, u8>,
    }
}

/// A step of a process. A guess has a value, other rules have 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Action {
    pub(crate) rule: usize,
    pub(crate) value: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    At(usize),
    Variable(usize),
    Queue,
    Bag,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Guard {
    None,
    Variable(usize, u8),
    Bag(u8),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Effect {
    None,
    Set(usize, u8),
    Copy {
        from: usize,
        to: usize,
    },
    /// Modulo 3: increments commute.
    Increment(usize),
    /// If there is room.
    Send(u8),
    Receive(usize),
    /// Up to two of a sort: this commutes, too.
    Put(u8),
    /// Any value.
    Guess(usize),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) process: usize,
    from: u8,
    to: u8,
    guard: Guard,
    effect: Effect,
}

/// A deliberate mistake in the footprints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    None,
    /// The footprint of this rule omits this part.
    Touch {
        rule: usize,
        which: usize,
    },
    /// The footprint says that this rule only reads what it writes.
    Reads(usize),
    /// The footprint says that this rule adds to what it writes.
    Adds(usize),
    /// This rule is not in the alphabet.
    Alphabet(usize),
    /// This part is stated as an obstacle of everything.
    Obstacle(Part),
}

#[derive(Clone, Debug)]
pub(crate) struct World {
    processes: usize,
    variables: usize,
    rules: Vec<Rule>,
    /// Whether to state obstacles.
    reasons: bool,
    /// Processes may end here.
    end: u8,
    pub(crate) lie: Lie,
}

enum Touch {
    Reads,
    Adds,
    Writes,
}

impl World {
    pub(crate) fn random(rng: &mut fastrand::Rng) -> Self {
        let (processes, variables) = (rng.usize(1..5), rng.usize(1..5));
        let mut rules = Vec::new();
        for process in 0..processes {
            for k in 0..rng.usize(1..4) {
                // Often its own.
                let variable = if rng.bool() {
                    process % variables
                } else {
                    rng.usize(0..variables)
                };
                rules.push(Rule {
                    process,
                    from: if k == 0 { 0 } else { rng.u8(0..3) },
                    to: rng.u8(0..3),
                    guard: match rng.u8(0..6) {
                        0 => Guard::Variable(rng.usize(0..variables), rng.u8(0..3)),
                        1 => Guard::Bag(rng.u8(0..2)),
                        _ => Guard::None,
                    },
                    effect: match rng.u8(0..12) {
                        0 | 1 => Effect::Set(variable, rng.u8(0..3)),
                        2 => Effect::Copy {
                            from: rng.usize(0..variables),
                            to: variable,
                        },
                        3 => Effect::Increment(variable),
                        4 => Effect::Send(rng.u8(0..2)),
                        5 => Effect::Receive(variable),
                        6 => Effect::Put(rng.u8(0..2)),
                        7 => Effect::Guess(variable),
                        _ => Effect::None,
                    },
                });
            }
        }
        Self {
            processes,
            variables,
            rules,
            reasons: rng.bool(),
            end: rng.u8(0..3),
            lie: Lie::None,
        }
    }

    pub(crate) fn rules(&self) -> usize {
        self.rules.len()
    }

    pub(crate) fn processes(&self) -> usize {
        self.processes
    }

    pub(crate) fn variables(&self) -> usize {
        self.variables
    }

    fn guard_holds(state: &State, guard: Guard) -> bool {
        match guard {
            Guard::None => true,
            Guard::Variable(variable, value) => state.variables[variable] == value,
            Guard::Bag(sort) => state.bag.contains_key(&sort),
        }
    }

    fn is_possible(state: &State, effect: Effect) -> bool {
        match effect {
            Effect::Send(_) => state.queue.len() < 2,
            Effect::Receive(_) => !state.queue.is_empty(),
            _ => true,
        }
    }

    fn touched(rule: Rule) -> Vec<(Part, Touch)> {
        let mut touched = vec![(Part::At(rule.process), Touch::Writes)];
        match rule.guard {
            Guard::None => {}
            Guard::Variable(variable, _) => touched.push((Part::Variable(variable), Touch::Reads)),
            Guard::Bag(_) => touched.push((Part::Bag, Touch::Reads)),
        }
        match rule.effect {
            Effect::None => {}
            Effect::Set(variable, _) | Effect::Guess(variable) => {
                touched.push((Part::Variable(variable), Touch::Writes));
            }
            Effect::Copy { from, to } => {
                touched.push((Part::Variable(from), Touch::Reads));
                touched.push((Part::Variable(to), Touch::Writes));
            }
            Effect::Increment(variable) => touched.push((Part::Variable(variable), Touch::Adds)),
            Effect::Send(_) => touched.push((Part::Queue, Touch::Writes)),
            Effect::Receive(variable) => {
                touched.push((Part::Queue, Touch::Writes));
                touched.push((Part::Variable(variable), Touch::Writes));
            }
            Effect::Put(_) => touched.push((Part::Bag, Touch::Adds)),
        }
        touched
    }
}

impl Model for World {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        State {
            at: vec![0; self.processes],
            variables: vec![0; self.variables],
            queue: VecDeque::new(),
            bag: BTreeMap::new(),
        }
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (k, rule) in self.rules.iter().enumerate() {
            let ready = state.at[rule.process] == rule.from;
            if ready && Self::guard_holds(state, rule.guard) && Self::is_possible(state, rule.effect) {
                let values = if let Effect::Guess(_) = rule.effect { 3 } else { 1 };
                actions.extend((0..values).map(|value| Action { rule: k, value }));
            }
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        let rule = self.rules[action.rule];
        state.at[rule.process] = rule.to;
        match rule.effect {
            Effect::None => {}
            Effect::Set(variable, value) => state.variables[variable] = value,
            Effect::Copy { from, to } => state.variables[to] = state.variables[from],
            Effect::Increment(variable) => state.variables[variable] = (state.variables[variable] + 1) % 3,
            Effect::Send(value) => state.queue.push_back(value),
            Effect::Receive(variable) => {
                state.variables[variable] = state.queue.pop_front().expect("there is a message");
            }
            Effect::Put(sort) => {
                let count = state.bag.entry(sort).or_insert(0);
                *count = (*count + 1).min(2);
            }
            Effect::Guess(variable) => state.variables[variable] = action.value,
        }
    }

    fn may_end(&self, state: &State) -> bool {
        state.at.iter().all(|at| *at == self.end)
    }
}

impl Footprint for World {
    type Part = Part;

    fn alphabet(&self) -> Vec<Action> {
        let all = (0..self.rules.len()).filter(|rule| self.lie != Lie::Alphabet(*rule));
        all.map(|rule| Action { rule, value: 0 }).collect()
    }

    fn representative(&self, action: Action) -> Action {
        Action { value: 0, ..action }
    }

    fn touches(&self, action: Action, parts: &mut Parts<Part>) {
        for (k, (part, touch)) in Self::touched(self.rules[action.rule]).into_iter().enumerate() {
            match touch {
                _ if matches!(self.lie, Lie::Touch { rule, which } if rule == action.rule && which == k) => {}
                Touch::Writes if self.lie == Lie::Reads(action.rule) => parts.reads(part),
                Touch::Writes if self.lie == Lie::Adds(action.rule) => parts.adds(part),
                Touch::Reads => parts.reads(part),
                Touch::Adds => parts.adds(part),
                Touch::Writes => parts.writes(part),
            }
        }
    }

    fn obstacles(&self, state: &State, action: Action, obstacles: &mut Obstacles<Part>) {
        let rule = self.rules[action.rule];
        if let Lie::Obstacle(part) = self.lie {
            return obstacles.change([part]);
        }
        if !self.reasons {
            return;
        }
        if state.at[rule.process] != rule.from {
            obstacles.change([Part::At(rule.process)]);
        }
        match rule.guard {
            guard if Self::guard_holds(state, guard) => {}
            Guard::None => {}
            Guard::Variable(variable, _) => obstacles.change([Part::Variable(variable)]),
            Guard::Bag(_) => obstacles.change([Part::Bag]),
        }
        if !Self::is_possible(state, rule.effect) {
            obstacles.change([Part::Queue]);
        }
    }
}

/// A condition on two processes or variables, and the parts that it reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicate {
    process: usize,
    at: u8,
    variable: Option<(usize, u8)>,
}

impl Predicate {
    pub(crate) fn random(world: &World, rng: &mut fastrand::Rng) -> Self {
        let variable = (rng.usize(0..world.variables), rng.u8(0..3));
        Self {
            process: rng.usize(0..world.processes),
            at: rng.u8(0..3),
            variable: rng.bool().then_some(variable),
        }
    }

    pub(crate) fn holds(self, state: &State) -> bool {
        let variable = self
            .variable
            .is_none_or(|(variable, value)| state.variables[variable] == value);
        state.at[self.process] == self.at && variable
    }

    pub(crate) fn parts(self) -> Vec<Part> {
        let variable = self.variable.map(|(variable, _)| Part::Variable(variable));
        std::iter::once(Part::At(self.process)).chain(variable).collect()
    }
}
