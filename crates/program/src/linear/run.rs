//! One scenario, explored: what each operation answered in each execution, and whether that can be explained.

use super::moments::{self, Moment, Phase};
use super::operation::{Call, Kind, Model, Response};
use super::report::{Called, explanation};
use super::scenario::Scenario;
use crate::search::Site;
use crate::token::Token;
use crate::{Checker, runtime, thread};
use mazurka_linear::partial::{Boundary, Contradiction, PartialOperation, check};
use std::cell::RefCell;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

/// What is done here is no step of the object.
pub(super) const FILE: &str = file!();

/// A call that has returned.
struct Done {
    call: usize,
    response: Response,
    invoked: Moment,
    returned: Moment,
}

/// The calls of a scenario, numbered, and where each belongs.
pub(super) struct Calls<T, M> {
    pub(super) calls: Vec<Call<T, M>>,
    places: Vec<(Phase, usize)>,
}

impl<T, M> Calls<T, M> {
    pub(super) fn new(scenario: &Scenario, kinds: &[Kind<T, M>]) -> Calls<T, M> {
        let mut all = Calls {
            calls: Vec::new(),
            places: Vec::new(),
        };
        let threads = scenario
            .threads
            .iter()
            .enumerate()
            .map(|(k, thread)| (Phase::During, k + 1, thread));
        let before = std::iter::once((Phase::Before, 0, &scenario.before));
        let after = std::iter::once((Phase::After, 0, &scenario.after));
        for (phase, thread, planned) in before.chain(threads).chain(after) {
            for planned in planned {
                all.calls.push(planned.call(kinds));
                all.places.push((phase, thread));
            }
        }
        all
    }

    /// The numbers of the calls in a place.
    fn at(&self, phase: Phase, thread: usize) -> impl Iterator<Item = usize> {
        (0..self.calls.len()).filter(move |k| self.places[*k] == (phase, thread))
    }
}

/// What no order of the operations explains, in one execution, and the token of an execution that has them in that order.
#[derive(Clone, Debug)]
pub(super) struct Unexplained {
    pub(super) message: String,
    pub(super) called: Vec<Called>,
    pub(super) token: String,
}

/// A scenario that is about to be run.
pub(super) struct Run<'a, T, M> {
    pub(super) make: &'a dyn Fn() -> T,
    pub(super) model: &'a dyn Fn() -> M,
    pub(super) calls: Calls<T, M>,
    pub(super) threads: usize,
    /// Only the very order of the execution counts, because it is run again from a token.
    pub(super) only_this: bool,
}

impl<T: Sync + 'static, M: Clone + Eq + Hash + 'static> Run<'_, T, M> {
    /// Explores the scenario. The search stops at the first execution that cannot be explained.
    pub(super) fn explore(&self, checker: &Checker, site: Site) -> (crate::Report, Option<Unexplained>) {
        let found = RefCell::new(None);
        let report = checker.run_at(
            || {
                let unexplained = self.execute();
                if let Some(unexplained) = unexplained {
                    let message = unexplained.message.clone();
                    *found.borrow_mut() = Some(unexplained);
                    panic!("{message}");
                }
            },
            site,
        );
        (report, found.into_inner())
    }

    /// The program that is explored.
    fn execute(&self) -> Option<Unexplained> {
        let object = (self.make)();
        let done = Mutex::new(Vec::new());
        let all = |phase, thread| {
            self.calls
                .at(phase, thread)
                .for_each(|call| self.call(call, &object, &done))
        };
        all(Phase::Before, 0);
        let (all, calls) = (&done, &self.calls);
        thread::scope(|scope| {
            for thread in 1..=self.threads {
                let object = &object;
                let mine: Vec<(usize, &Call<T, M>)> = (calls.at(Phase::During, thread))
                    .map(|k| (k, &calls.calls[k]))
                    .collect();
                scope.spawn(move || mine.into_iter().for_each(|(k, call)| perform(k, call, object, all)));
            }
        });
        self.calls
            .at(Phase::After, 0)
            .for_each(|call| self.call(call, &object, &done));
        // An operation that depends on nothing: the clock of the event before is known then.
        crate::choose(1);
        let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.judge(done)
    }

    fn call(&self, call: usize, object: &T, done: &Mutex<Vec<Done>>) {
        perform(call, &self.calls.calls[call], object, done);
    }

    /// Whether every execution of this trace can be explained.
    fn judge(&self, mut done: Vec<Done>) -> Option<Unexplained> {
        done.sort_by_key(|done| done.call);
        let operations: Vec<PartialOperation<usize, Response>> = (done.iter())
            .map(|done| PartialOperation {
                operation: done.call,
                response: Some(done.response.clone()),
            })
            .collect();
        let moments: Vec<(Moment, Moment)> = done.iter().map(|done| (done.invoked, done.returned)).collect();
        let rt = runtime::current()?;
        let execution = rt.execution.borrow();
        let phase = |boundary| match boundary {
            Boundary::Invocation(k) | Boundary::Return(k) => self.calls.places[done[k].call].0,
        };
        let before = |a, b| {
            let (first, second) = (moments::of(a, &moments), moments::of(b, &moments));
            phase(a) < phase(b) || phase(a) == phase(b) && first.is_before(&second, &execution, self.only_this)
        };
        let model = Model {
            initial: (self.model)(),
            calls: &self.calls.calls,
            object: PhantomData,
        };
        let Contradiction { order, end } = check(&model, &operations, before)?;
        let in_order: Vec<Moment> = order.iter().map(|b| moments::of(*b, &moments)).collect();
        let schedule = moments::schedule(&execution, &in_order);
        let called: Vec<Called> = (done.iter())
            .map(|done| {
                let (phase, thread) = self.calls.places[done.call];
                Called {
                    thread: (phase == Phase::During).then_some(thread),
                    call: self.calls.calls[done.call].text.clone(),
                    response: done.response.text.clone(),
                }
            })
            .collect();
        Some(Unexplained {
            message: explanation(&model, &operations, &order[..end], &called),
            called,
            token: Token::new(&execution.settings, 0, schedule).to_string(),
        })
    }
}

/// Performs a call, and notes when it was invoked and when it returned.
fn perform<T, M>(number: usize, call: &Call<T, M>, object: &T, done: &Mutex<Vec<Done>>) {
    // No operation of the search is between the lock and its release.
    let lock = || done.lock().unwrap_or_else(PoisonError::into_inner);
    let now = |order| {
        let rt = runtime::current().expect("a scenario runs inside a check");
        Moment::now(&rt.execution.borrow(), order)
    };
    let invoked = now(2 * number);
    let response = (call.on_object)(object);
    let returned = now(2 * number + 1);
    lock().push(Done {
        call: number,
        response,
        invoked,
        returned,
    });
}
