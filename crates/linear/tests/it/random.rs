//! Random histories, most of them almost right.

use fastrand::Rng;
use mazurka_linear::{History, OperationId, Specification};

/// What random histories of an object are made of.
pub struct Material<S: Specification> {
    pub specification: S,
    pub operations: Vec<S::Operation>,
    pub responses: Vec<S::Response>,
}

/// How large a history is, and how odd.
#[derive(Clone, Copy)]
pub struct Shape {
    pub processes: usize,
    pub operations: usize,
    /// Of a hundred operations, so many never return, so many fail, and so many answer wrongly.
    pub unknown: u32,
    pub failed: u32,
    pub wrong: u32,
}

impl Shape {
    /// A small history.
    pub fn small(random: &mut Rng) -> Self {
        Self {
            processes: random.usize(1..=4),
            operations: random.usize(0..=6),
            unknown: random.u32(0..30),
            failed: random.u32(0..20),
            wrong: random.u32(0..25),
        }
    }
}

/// An operation that was invoked and has not returned.
struct Open<R> {
    process: u64,
    id: OperationId,
    /// Once it has taken effect.
    response: Option<R>,
    fails: bool,
}

/// A history of an object whose operations take effect at random times, with some wrong answers.
pub fn history<S: Specification>(
    material: &Material<S>,
    shape: Shape,
    random: &mut Rng,
) -> History<S::Operation, S::Response> {
    let (mut history, mut state) = (History::new(), material.specification.initial());
    let mut open: Vec<Open<S::Response>> = Vec::new();
    let mut process = 0;
    let mut busy = vec![None; shape.processes];
    let of_hundred = |random: &mut Rng, part: u32| random.u32(0..100) < part;
    while history.len() < shape.operations || !open.is_empty() {
        let free: Vec<usize> = (0..busy.len()).filter(|p| busy[*p].is_none()).collect();
        if history.len() < shape.operations && !free.is_empty() && (open.is_empty() || random.bool()) {
            let at = *random.choice(&free).unwrap();
            let id = history.invoke(process, random.choice(&material.operations).unwrap().clone());
            busy[at] = Some(process);
            open.push(Open {
                process,
                id,
                response: None,
                fails: of_hundred(random, shape.failed),
            });
            process += 1;
            continue;
        }
        let at = random.usize(0..open.len());
        let this = &mut open[at];
        if this.response.is_none() && !this.fails {
            let operation = history.get(this.id).operation.clone();
            let (response, next) = effect(material, &state, &operation, random);
            (this.response, state) = (response.clone(), next);
            if response.is_some() && random.bool() {
                continue;
            }
        }
        let this = open.swap_remove(at);
        busy.iter_mut()
            .filter(|b| **b == Some(this.process))
            .for_each(|b| *b = None);
        match this.response {
            _ if this.fails => history.failed(this.id),
            Some(_) if of_hundred(random, shape.unknown) => {}
            Some(_) if of_hundred(random, shape.wrong) => {
                history.returned(this.id, random.choice(&material.responses).unwrap().clone());
            }
            Some(response) => history.returned(this.id, response),
            None => {}
        }
    }
    history
}

/// Something that an operation may answer now, and the state after it. None if it is impossible now: then it never returns.
fn effect<S: Specification>(
    material: &Material<S>,
    state: &S::State,
    operation: &S::Operation,
    random: &mut Rng,
) -> (Option<S::Response>, S::State) {
    let mut possible = Vec::new();
    for response in &material.responses {
        let mut next = Vec::new();
        material.specification.step(state, operation, Some(response), &mut next);
        possible.extend(next.into_iter().map(|state| (Some(response.clone()), state)));
    }
    random.choice(&possible).cloned().unwrap_or((None, state.clone()))
}
