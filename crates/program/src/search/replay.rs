//! Running one execution again, from its token.
//!
//! The program may have changed since the token was made. So the execution is compared with what the token expects: the operation at each
//! departure from the natural schedule, and sums over the steps in between. At the first difference the execution ends,
//! because from there on it would be another one.

use super::{ExecutionEnd, Pick, Strategy, natural};
use crate::execution::Execution;
use crate::execution::thread::Status;
use crate::ids::ThreadId;
use crate::token::{Expected, Schedule, Sum, Token, written};
use mazurka_outcome::Doubt;
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) struct Replay {
    schedule: Schedule,
    expected: Option<Expected>,
    /// How many departures there were, and how many steps before the last one.
    departures: usize,
    since: usize,
    /// The sum of the steps since then.
    sum: Sum,
    /// How the program differs from what the token expects, if it does.
    pub(crate) difference: Rc<RefCell<Option<String>>>,
}

impl Replay {
    pub(crate) fn new(token: &Token) -> Replay {
        Replay {
            schedule: token.schedule.clone(),
            expected: token.expected.clone(),
            departures: 0,
            since: 0,
            sum: Sum::default(),
            difference: Rc::default(),
        }
    }

    /// How the departure to a thread differs, which performs its operation in this way.
    fn departure(
        &self,
        execution: &Execution,
        enabled: &[ThreadId],
        (thread, choice): (ThreadId, u32),
    ) -> Option<String> {
        let depth = execution.events.len();
        let expected = self.expected.as_ref().and_then(|e| e.departures.get(self.departures));
        let changed = expected.is_some_and(|(_, sum)| *sum != self.sum.byte());
        let (verb, step) = (expected.map(|(verb, _)| verb), depth + 1);
        let wanted = match verb {
            Some(verb) => format!("at step {step} it expects `{verb}` of {}", name(execution, thread)),
            None => format!("at step {step} it expects {} to go on", name(execution, thread)),
        };
        let there = match execution.threads.get(thread.index()) {
            Some(there) if there.is_alive() => there,
            Some(there) if there.status == Status::Finished => return Some(format!("{wanted}, which has ended")),
            _ => return Some(format!("{wanted}, which does not exist")),
        };
        let object = execution.object_name(there.pending.object);
        let what = format!("{} {object}", there.pending.kind.verb());
        let found = format!("found `{}` at {}", what.trim_end(), there.pending.at);
        if verb.is_some_and(|verb| *verb != written(there.pending.kind.verb())) {
            Some(format!("{wanted}, and {found}"))
        } else if !enabled.contains(&thread) {
            Some(format!("{wanted}, which has to wait now: {found}"))
        } else if !execution.ways(thread).has(choice) {
            Some(format!("{wanted} with another outcome than is possible now: {found}"))
        } else {
            changed.then(|| self.between(depth))
        }
    }

    fn between(&self, end: usize) -> String {
        match end - self.since {
            0 | 1 => format!("step {} is not what it was", end.max(1)),
            _ => format!("one of the steps {} to {end} is not what it was", self.since + 1),
        }
    }

    /// How the end of the steps that the token knows differs.
    fn end(&self, execution: &Execution) -> Option<String> {
        let (steps, sum) = self.expected.as_ref()?.end;
        let depth = execution.events.len();
        if depth < steps {
            return Some(format!("it expects {steps} steps, and the execution has only {depth}"));
        }
        (depth == steps && sum != self.sum.byte()).then(|| self.between(depth))
    }

    fn differs(&self, how: Option<String>) -> bool {
        let mut difference = self.difference.borrow_mut();
        if difference.is_none() {
            *difference = how;
        }
        difference.is_some()
    }
}

fn name(execution: &Execution, thread: ThreadId) -> String {
    match execution.threads.get(thread.index()) {
        Some(there) => there.label(thread),
        None => thread.to_string(),
    }
}

impl Strategy for Replay {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick {
        let departs = self.schedule.at(depth);
        let how = match departs {
            Some(departure) => self.departure(execution, enabled, departure),
            None => None,
        };
        let last = self.expected.as_ref().is_some_and(|e| e.end.0 == depth);
        let how = how.or_else(|| self.end(execution).filter(|_| last));
        if self.differs(how) {
            return Pick::Redundant;
        }
        if departs.is_some() {
            (self.departures, self.since, self.sum) = (self.departures + 1, depth, Sum::default());
        }
        let (thread, choice) = departs.unwrap_or_else(|| {
            let thread = natural(execution, enabled);
            (thread, execution.ways(thread).at(0))
        });
        let operation = execution.threads[thread.index()].pending;
        self.sum.step(execution, thread, &operation);
        Pick::Run(thread, choice)
    }

    fn finished(&mut self, execution: &mut Execution, end: ExecutionEnd) {
        if end != ExecutionEnd::Redundant {
            let how = self.end(execution);
            self.differs(how);
        }
    }

    fn advance(&mut self, _: &Execution) -> Option<usize> {
        None
    }

    fn is_fixed(&self) -> bool {
        true
    }

    fn doubt(&self) -> Option<Doubt> {
        Some(Doubt::Replay)
    }
}
