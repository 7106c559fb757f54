//! Running an execution again, to see whether the program is deterministic.
//!
//! A search relies on that: what a thread does next depends on what it did and saw before, and on nothing else. The steps
//! that two executions have in common are compared anyway. But the executions of a small program have few steps in common,
//! so some executions are run again as they were: the first one several times, the last one, the one that shows a
//! violation, and those in between whose number is a power of two. A branch that is taken at random goes unnoticed only
//! if it goes the same way each time.

use super::ExecutionEnd;
use super::driver::{Search, Stop};
use crate::fiber::Body;
use crate::ids::{ObjectId, ThreadId};
use crate::operation::Kind;
use crate::report::ViolationKind;
use crate::runtime::Runtime;
use crate::token;
use std::panic::Location;
use std::time::{Duration, Instant};

/// How often the first execution is run again, if it is short.
const TIMES: u32 = 8;

/// After this time, the first execution is not repeated any more.
const TIME: Duration = Duration::from_millis(50);

/// True if the execution with this number is run again.
pub(super) fn due(number: u64) -> bool {
    number.is_power_of_two()
}

/// How an execution ended.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Ending {
    /// No thread could go on: it was not cut.
    maximal: bool,
    stuck: Vec<ThreadId>,
    findings: usize,
}

impl Ending {
    pub(super) fn of(runtime: &Runtime, end: ExecutionEnd) -> Ending {
        Ending {
            maximal: end == ExecutionEnd::Maximal,
            stuck: runtime.execution.borrow().stuck(),
            findings: runtime.findings.borrow().len(),
        }
    }

    fn describe(&self) -> String {
        let waiting = match self.stuck.len() {
            0 => "no thread waits".to_owned(),
            1 => "1 thread waits".to_owned(),
            n => format!("{n} threads wait"),
        };
        match self.findings {
            0 => format!("{waiting} and nothing is wrong"),
            1 => format!("{waiting} and 1 thing is wrong"),
            n => format!("{waiting} and {n} things are wrong"),
        }
    }
}

impl Search<'_> {
    /// Runs the last execution, which has this number, again.
    pub(super) fn again(&mut self, number: u64, body: &dyn Fn() -> Body) -> Option<Stop> {
        let start = Instant::now();
        for _ in 0..if number == 1 { TIMES } else { 1 } {
            let different = self.differs(body);
            if let Some(message) = &different {
                self.nondeterminism(message.clone());
            }
            self.runtime.findings.borrow_mut().clear();
            self.runtime.abandon();
            if different.is_some() {
                return Some(Stop::Nondeterminism);
            }
            if start.elapsed() >= TIME {
                break;
            }
        }
        None
    }

    /// How the last execution differs when it is run again, if it does.
    fn differs(&mut self, body: &dyn Fn() -> Body) -> Option<String> {
        let steps = self.signatures.len();
        self.runtime.start(steps, body());
        for depth in 0..steps {
            let execution = self.runtime.execution.borrow();
            let (thread, choice, ..) = self.signatures[depth];
            let found = execution.threads.get(thread.index()).map(|t| t.pending);
            let possible = found.is_some() && execution.enabled(thread) && execution.ways(thread).has(choice);
            if possible {
                execution.enabled_threads(&mut self.enabled);
                token::note(&self.runtime.watch, &execution, &self.enabled, thread, choice);
            }
            drop(execution);
            let different = self.strays(depth, possible, found.map(|op| (op.kind, op.object, op.at)));
            if different.is_some() {
                return different;
            }
            self.runtime.step(thread, choice);
        }
        if !self.ending.maximal {
            return None;
        }
        let execution = self.runtime.execution.borrow();
        execution.enabled_threads(&mut self.enabled);
        if let Some(thread) = self.enabled.first() {
            let now = execution.threads[thread.index()].pending;
            return Some(different(&format!(
                "after step {steps} all threads had ended or waited, but now {} goes on with {} at {}",
                execution.label(*thread),
                now.kind.verb(),
                now.at
            )));
        }
        drop(execution);
        let ending = Ending::of(self.runtime, ExecutionEnd::Maximal);
        (ending != self.ending).then(|| {
            different(&format!(
                "at its end {}, but now {}",
                self.ending.describe(),
                ending.describe()
            ))
        })
    }

    pub(super) fn nondeterminism(&mut self, message: String) {
        self.violation(ViolationKind::Nondeterminism, message, None);
    }

    /// How a step differs from what it was, if it does.
    pub(super) fn strays(
        &self,
        depth: usize,
        possible: bool,
        found: Option<(Kind, ObjectId, &'static Location<'static>)>,
    ) -> Option<String> {
        let (thread, _, kind, object, at) = self.signatures[depth];
        if possible && found == Some((kind, object, at)) {
            return None;
        }
        let now = match found {
            Some((now, other, place)) if possible && (now, place) == (kind, at) => {
                let names = self.runtime.execution.borrow();
                format!(
                    "now concerns another object, {} instead of number {}",
                    names.object_name(other),
                    object.0
                )
            }
            Some((kind, _, at)) if possible => format!("is now {} at {at}", kind.verb()),
            _ => "is not possible now".to_owned(),
        };
        Some(different(&format!(
            "step {} ({thread}) was {} at {at} but {now}",
            depth + 1,
            kind.verb(),
        )))
    }
}

fn different(how: &str) -> String {
    format!(
        "run again with the same schedule, the program did something else: {how}. Possible reasons are time, random numbers, \
         addresses, the order of a hash map, a thread that is not under control, or a value that outlives the execution \
         (a static of std's)"
    )
}
