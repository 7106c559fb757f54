//! Naive reachability: breadth first, every state, every step.

use std::collections::HashMap;

use super::error::Failure;
use super::interpreter::{Interpreter, Step};

/// The result of an exploration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explored {
    /// The number of states that were reached.
    pub states: usize,
    /// The number of these in which no process has exclusive control, inside `atomic`.
    /// These are the states that SPIN stores.
    pub stored: usize,
    /// The number of executed steps, including those that end in an error.
    pub transitions: usize,
    /// Whether every reachable state was visited.
    pub complete: bool,
    /// The number of states in which nothing can be executed.
    pub stopped: usize,
    /// Invalid end states and errors, in the order in which they were found, each with a
    /// shortest path to it.
    pub violations: Vec<Violation>,
}

/// An invalid end state or an error.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Violation {
    /// The steps from the initial state. If a step fails, it is the last.
    pub steps: Vec<Step>,
    /// What is wrong.
    pub kind: ViolationKind,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// No step is executable, and some process is not at a valid end.
    InvalidEnd,
    /// A step ends in an error.
    Error(Failure),
}

/// Visits the reachable states, breadth first, up to `limit` of them.
///
/// ```
/// use mazurka_promela::load;
/// use mazurka_promela::plain::{Interpreter, ViolationKind, explore};
///
/// let model = load("m.pml", "bit x; active proctype P() { x == 1 }", &Default::default())?.model;
/// let explored = explore(&Interpreter::new(&model), 1000)?;
/// assert_eq!((explored.states, explored.stopped), (1, 1));
/// assert_eq!(explored.violations[0].kind, ViolationKind::InvalidEnd);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explore(interpreter: &Interpreter<'_>, limit: usize) -> Result<Explored, Failure> {
    let initial = interpreter.initial()?;
    let mut numbers = HashMap::from([(initial.clone(), 0)]);
    let mut states = vec![initial];
    // How each state was reached first.
    let mut origins: Vec<Option<(usize, Step)>> = vec![None];
    let mut explored = Explored {
        states: 0,
        stored: 0,
        transitions: 0,
        complete: true,
        stopped: 0,
        violations: Vec::new(),
    };
    let mut visited = 0;
    while visited < states.len() {
        let state = states[visited].clone();
        let steps = interpreter.steps(&state);
        explored.stopped += usize::from(steps.is_empty());
        if steps.is_empty() && !interpreter.is_valid_end(&state) {
            explored.violations.push(Violation {
                steps: way(&origins, visited, None),
                kind: ViolationKind::InvalidEnd,
            });
        }
        for step in steps {
            explored.transitions += 1;
            match interpreter.execute(&state, &step) {
                Err(error) => explored.violations.push(Violation {
                    steps: way(&origins, visited, Some(step)),
                    kind: ViolationKind::Error(error),
                }),
                Ok(next) if numbers.contains_key(&next) => {}
                Ok(_) if states.len() >= limit => explored.complete = false,
                Ok(next) => {
                    numbers.insert(next.clone(), states.len());
                    states.push(next);
                    origins.push(Some((visited, step)));
                }
            }
        }
        visited += 1;
    }
    explored.states = states.len();
    explored.stored = states.iter().filter(|state| state.exclusive.is_none()).count();
    Ok(explored)
}

fn way(origins: &[Option<(usize, Step)>], mut state: usize, last: Option<Step>) -> Vec<Step> {
    let mut steps: Vec<Step> = last.into_iter().collect();
    while let Some((before, step)) = &origins[state] {
        steps.push(step.clone());
        state = *before;
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::super::builder::*;
    use super::*;
    use crate::RuntimeError;
    use crate::model::{Binary, Initial, Model, StatementKind, Type};

    fn byte(name: &str) -> crate::model::Variable {
        variable(name, Type::Byte, Initial::Zero)
    }

    fn run(model: &Model) -> Explored {
        explore(&Interpreter::new(model), 10_000).unwrap()
    }

    #[test]
    fn a_counter_wraps_and_has_256_values() {
        let count = assign(0, binary(Binary::Add, read(0), number(1)));
        let explored = run(&model(
            vec![byte("x")],
            vec![active("P", vec![repeat(vec![vec![count]])])],
        ));
        assert_eq!((explored.states, explored.transitions), (256, 256));
        assert!(explored.violations.is_empty() && explored.complete);
    }

    #[test]
    fn processes_end_in_the_reverse_order_of_their_creation() {
        // Two processes of one step each: the first can only go after the second.
        let explored = run(&model(
            Vec::new(),
            vec![active("P", vec![skip()]), active("Q", vec![skip()])],
        ));
        // 4 combinations of positions; Q gone with P before or after its step; none left.
        assert_eq!(explored.states, 7);
        assert!(explored.violations.is_empty());
    }

    #[test]
    fn a_rendezvous_is_one_step_of_two_processes() {
        let model = model(
            vec![channel("c", 0), byte("x")],
            vec![active("S", vec![send(0, 300)]), active("R", vec![receive(0, 1)])],
        );
        let interpreter = Interpreter::new(&model);
        let state = interpreter.initial().unwrap();
        let steps = interpreter.steps(&state);
        assert_eq!(steps.len(), 1);
        let next = interpreter.execute(&state, &steps[0]).unwrap();
        let changes = interpreter.changes(&state, &next);
        assert_eq!(changes.len(), 1);
        assert_eq!((&*changes[0].name, changes[0].after.as_deref()), ("x", Some("44")));
    }

    #[test]
    fn without_a_receiver_a_rendezvous_is_a_deadlock_unless_timeout_is_asked() {
        let alone = run(&model(vec![channel("c", 0)], vec![active("S", vec![send(0, 1)])]));
        assert_eq!(alone.violations[0].kind, ViolationKind::InvalidEnd);
        let waiting = choose(vec![vec![send(0, 1)], vec![timeout()]]);
        let explored = run(&model(vec![channel("c", 0)], vec![active("S", vec![waiting])]));
        assert!(explored.violations.is_empty());
    }

    #[test]
    fn errors_are_found_with_the_way_to_them() {
        let divide = assign(0, binary(Binary::Divide, number(1), read(0)));
        let explored = run(&model(vec![byte("x")], vec![active("P", vec![skip(), divide])]));
        let violation = &explored.violations[0];
        assert_eq!(violation.steps.len(), 2);
        let ViolationKind::Error(error) = &violation.kind else {
            panic!("{violation:?}");
        };
        assert_eq!(error.kind, RuntimeError::DivisionByZero);
    }

    #[test]
    fn inside_atomic_others_wait() {
        let two = || vec![assign(0, number(1)), assign(0, number(0))];
        let guard = statement(StatementKind::Assert(binary(Binary::Equal, read(0), number(0))));
        let open = model(
            vec![byte("x")],
            vec![active("P", two()), active("Q", vec![guard.clone()])],
        );
        assert!(!run(&open).violations.is_empty());
        let atomic = vec![statement(StatementKind::Atomic(two()))];
        let closed = model(
            vec![byte("x")],
            vec![active("P", atomic), active("Q", vec![guard.clone()])],
        );
        assert!(run(&closed).violations.is_empty());
        let d_step = vec![statement(StatementKind::DStep(two()))];
        let closed = model(vec![byte("x")], vec![active("P", d_step), active("Q", vec![guard])]);
        assert!(run(&closed).violations.is_empty());
    }

    #[test]
    fn nothing_may_block_inside_d_step_after_its_first_statement() {
        let body = |first, second| vec![statement(StatementKind::DStep(vec![first, second]))];
        let blocked = model(vec![byte("x")], vec![active("P", body(skip(), when(read(0))))]);
        let explored = run(&blocked);
        assert!(matches!(
            &explored.violations[0].kind,
            ViolationKind::Error(error) if error.kind == RuntimeError::BlockedInDStep
        ));
        let waiting = model(vec![byte("x")], vec![active("P", body(when(read(0)), skip()))]);
        assert_eq!(run(&waiting).violations[0].kind, ViolationKind::InvalidEnd);
    }

    #[test]
    fn a_limit_leaves_the_search_incomplete() {
        let count = assign(0, binary(Binary::Add, read(0), number(1)));
        let model = model(vec![byte("x")], vec![active("P", vec![repeat(vec![vec![count]])])]);
        let explored = explore(&Interpreter::new(&model), 100).unwrap();
        assert_eq!((explored.states, explored.complete), (100, false));
    }
}
