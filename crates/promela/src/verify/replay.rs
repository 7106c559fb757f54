//! Replays counterexamples with the plain interpreter before they are shown.
//!
//! A path of the compiled form is a list of statements, with the processes that execute them. The
//! plain interpreter, which shares no code with the compiled form, must be able to execute
//! them in that order. Statements are named by their place in the text. One place may stand
//! for several statements of a process (an inline that was expanded twice), so all
//! that fit are tried; the first path that reaches the end is shown.

use super::causes::add_causes;
use super::checked::ShownStep;
use super::exchange::Exchanges;
use super::same::same;
use super::step_id::StepId;
use crate::RuntimeError;
use crate::ir::Program;
use crate::model::Model;
use crate::plain::{Failure, Interpreter, Pid, State, Step as PlainStep};
use crate::run::Step;
use crate::source::Span;
use crate::system::ModelSystem;
use mazurka_core::System;
use std::collections::HashSet;

/// The number of statements after which the plain interpreter gives up a `d_step` that the compiled form found endless. The
/// plain interpreter is slow, and more statements would tell nothing new.
const ENDLESS: u32 = 100_000;

/// A statement that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Executed {
    pid: u8,
    span: Span,
    partner: Option<(u8, Span)>,
    /// The state after it, if it is the last of a transition.
    after: Option<Vec<u8>>,
}

/// How the last statement of a path ends.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    /// In a state.
    State(Box<State>),
    /// In an error.
    Error(Failure),
}

/// A path as the plain interpreter sees it.
#[derive(Debug)]
pub(super) struct Replayed {
    pub(super) steps: Vec<ShownStep>,
    /// The steps of the interpreter.
    pub(super) way: Vec<PlainStep>,
    /// The initial state, and the state after each step that does not fail.
    pub(super) states: Vec<State>,
    pub(super) ending: Ending,
}

/// The statements of a path of transitions.
#[derive(Debug)]
pub(super) struct Statements {
    executed: Vec<Executed>,
    /// For each transition the number of statements up to its end.
    pub(super) marks: Vec<usize>,
    /// The state after them in the compiled form. It is meaningless if the last one fails.
    pub(super) last: Vec<u8>,
    goal: Goal,
}

/// How a path must end. One place in the text may stand for several steps, such as the choices of a `select`, and they may
/// change variables in the same way, so not every way to execute the statements ends as required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// The last statement ends in an error.
    Error,
    /// The last statement is a `d_step` that does not end.
    Endless,
    /// Nothing can be executed.
    Stuck,
    /// In a state.
    State,
}

impl Statements {
    /// Requires that nothing can be executed after the statements.
    pub(super) fn and_stuck(self) -> Self {
        Self {
            goal: Goal::Stuck,
            ..self
        }
    }

    /// The place of the last statement.
    pub(super) fn last_span(&self) -> Option<Span> {
        self.executed.last().map(|executed| executed.span)
    }

    /// The number of statements.
    pub(super) fn len(&self) -> usize {
        self.executed.len()
    }
}

/// Executes a path again, to find its statements.
pub(super) fn statements(system: &ModelSystem<'_>, path: &[Step]) -> Statements {
    let mut state = system.program.initial.clone();
    let mut executed: Vec<Executed> = Vec::new();
    let mut marks = Vec::new();
    let mut goal = Goal::State;
    let mut scratch = system.scratch();
    for step in path {
        let result = system.advance(&mut scratch, &mut state, *step, |step, edge| {
            // The second half of a rendezvous is told with the same step.
            match executed.last_mut() {
                Some(last) if last.partner == Some((step.partner, Span::default())) && last.pid == step.pid => {
                    last.partner = Some((step.partner, edge.span));
                }
                _ => executed.push(Executed {
                    pid: step.pid,
                    span: edge.span,
                    partner: step.has_partner().then_some((step.partner, Span::default())),
                    after: None,
                }),
            }
        });
        marks.push(executed.len());
        if let Err(failure) = result {
            goal = match failure.error {
                RuntimeError::EndlessDStep => Goal::Endless,
                _ => Goal::Error,
            };
            break;
        }
        if let Some(last) = executed.last_mut() {
            last.after = Some(state.clone());
        }
    }
    Statements {
        executed,
        marks,
        last: state,
        goal,
    }
}

/// Replays statements. Returns `None` if they cannot be executed in this order.
pub(super) fn replay(
    model: &Model,
    program: &Program,
    interpreter: &Interpreter<'_>,
    statements: &Statements,
) -> Option<Replayed> {
    let initial = match interpreter.initial() {
        Ok(state) => state,
        Err(error) => {
            return statements.executed.is_empty().then_some(Replayed {
                steps: Vec::new(),
                way: Vec::new(),
                states: Vec::new(),
                ending: Ending::Error(error),
            });
        }
    };
    let given_up;
    let last = match statements.goal {
        Goal::Endless => {
            given_up = interpreter.clone().giving_up_after(ENDLESS);
            &given_up
        }
        Goal::Error | Goal::Stuck | Goal::State => interpreter,
    };
    let mut search = Search {
        model,
        program,
        interpreter,
        last,
        executed: &statements.executed,
        goal: statements.goal,
        dead: HashSet::new(),
        way: Vec::new(),
    };
    let ending = search.from(0, &initial)?;
    let way = search.way;
    let (mut steps, states) = shown(model, interpreter, last, initial, &way);
    add_causes(program, interpreter, &way, &states, &mut steps);
    Some(Replayed {
        steps,
        way,
        states,
        ending,
    })
}

/// Executes these steps of the plain interpreter. Returns `None` if they cannot be executed.
pub(super) fn replay_way(
    model: &Model,
    program: &Program,
    interpreter: &Interpreter<'_>,
    way: Vec<PlainStep>,
) -> Option<Replayed> {
    let initial = interpreter.initial().ok()?;
    let mut state = initial.clone();
    for step in &way {
        if !interpreter.steps(&state).contains(step) {
            return None;
        }
        state = interpreter.execute(&state, step).ok()?;
    }
    let (mut steps, states) = shown(model, interpreter, interpreter, initial, &way);
    add_causes(program, interpreter, &way, &states, &mut steps);
    Some(Replayed {
        steps,
        way,
        states,
        ending: Ending::State(Box::new(state)),
    })
}

/// Follows all steps that fit, depth first.
struct Search<'a, 'm> {
    model: &'a Model,
    program: &'a Program,
    interpreter: &'a Interpreter<'m>,
    /// The interpreter for the last statement.
    last: &'a Interpreter<'m>,
    executed: &'a [Executed],
    goal: Goal,
    /// States from which the rest cannot be executed.
    dead: HashSet<(usize, State)>,
    way: Vec<PlainStep>,
}

impl Search<'_, '_> {
    fn from(&mut self, at: usize, state: &State) -> Option<Ending> {
        // A loop rather than recursion, as paths may be long: the alternatives that
        // were not tried are remembered.
        let mut alternatives: Vec<(usize, State, Vec<PlainStep>)> = Vec::new();
        let (mut at, mut state) = (at, state.clone());
        let mut candidates = self.fitting(at, &state);
        loop {
            let is_end = at == self.executed.len();
            if is_end && (self.goal != Goal::Stuck || self.interpreter.steps(&state).is_empty()) {
                return Some(Ending::State(Box::new(state)));
            }
            let Some(step) = candidates.pop() else {
                self.dead.insert((at, state));
                (at, state, candidates) = alternatives.pop()?;
                self.way.truncate(at);
                continue;
            };
            let is_last = at + 1 == self.executed.len();
            let must_fail = is_last && matches!(self.goal, Goal::Error | Goal::Endless);
            let interpreter = if is_last { self.last } else { self.interpreter };
            match interpreter.execute(&state, &step) {
                Ok(_) if must_fail => {}
                Ok(next) => {
                    let after = self.executed[at].after.as_ref();
                    let strays = after.is_some_and(|bytes| !same(self.model, self.program, bytes, &next));
                    if strays || (!self.dead.is_empty() && self.dead.contains(&(at + 1, next.clone()))) {
                        continue;
                    }
                    if !candidates.is_empty() {
                        alternatives.push((at, state, candidates));
                    }
                    self.way.push(step);
                    at += 1;
                    state = next;
                    candidates = self.fitting(at, &state);
                }
                Err(error) if must_fail => {
                    self.way.push(step);
                    return Some(Ending::Error(error));
                }
                Err(_) => {}
            }
        }
    }

    /// The steps that execute the statement number `at`.
    fn fitting(&self, at: usize, state: &State) -> Vec<PlainStep> {
        let Some(wanted) = self.executed.get(at) else {
            return Vec::new();
        };
        let fits = |step: &PlainStep| {
            let partner = step.partner.as_ref().map(|p| (p.process.0, p.span));
            step.process.0 == wanted.pid && step.span == wanted.span && partner == wanted.partner
        };
        let steps = self.interpreter.steps_by(state, Pid(wanted.pid));
        steps.into_iter().filter(fits).collect()
    }
}

/// The steps as text.
fn shown(
    model: &Model,
    interpreter: &Interpreter<'_>,
    last: &Interpreter<'_>,
    initial: State,
    way: &[PlainStep],
) -> (Vec<ShownStep>, Vec<State>) {
    let mut states = vec![initial];
    let mut exchanges = Exchanges::new(model);
    let mut steps = Vec::new();
    for step in way {
        let state = states.last().expect("there is the initial one");
        let process = state.process(step.process);
        let name = process.map_or(String::new(), |p| model.proctypes[p.proctype.0 as usize].name.clone());
        let statement = one_line(interpreter.text(state, step));
        let mut shown = ShownStep::new(step.process, name, step.span, statement);
        let is_last = steps.len() + 1 == way.len();
        let executing = if is_last { last } else { interpreter };
        if let Ok((next, printed)) = executing.execute_and_print(state, step) {
            let changes = interpreter.changes(state, &next).into_iter();
            shown.changes = changes
                .map(|c| (c.name, c.after.unwrap_or_else(|| "(ended)".to_string())))
                .collect();
            shown.printed = printed;
            let partner = step.partner.as_ref().map(|p| p.process);
            let id = StepId::new(steps.len());
            shown.exchange = exchanges.of_step(id, &shown.statement, partner, state, &next);
            states.push(next);
        }
        steps.push(shown);
    }
    (steps, states)
}

/// A text in which each run of white space is replaced by one space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
