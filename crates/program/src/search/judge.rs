//! What an execution that has ended means: a violation, or a reason to end the search or to start it again.

use super::ExecutionEnd;
use super::driver::{Search, Stop};
use crate::execution::thread::Status;
use crate::execution::{Execution, Settings};
use crate::finished::Finished;
use crate::ids::ThreadId;
use crate::memory::Memory;
use crate::report::{Violation, ViolationKind};
use crate::runtime::Finding;
use crate::token::Token;

/// Beyond this many violations, deadlocks with the same message are no longer listed each.
const MOST_ALIKE: usize = 1000;

impl Search<'_> {
    /// Judges an execution that has ended.
    pub(super) fn judge(&mut self, end: ExecutionEnd) -> Option<Stop> {
        if let Some((settings, cells)) = self.needs() {
            return Some(Stop::Again(settings, cells));
        }
        if let Some(intruder) = self.runtime.watch.intruder() {
            self.violation(ViolationKind::Uncontrolled, intruder, None);
        }
        let execution = self.runtime.execution.borrow();
        if self.survivor.is_none() && !execution.survivors.is_empty() {
            self.survivor = execution.changed_survivor();
        }
        self.report.depth = self.report.depth.max(execution.events.len());
        let stuck = execution.stuck();
        // A timeout would end the wait, and that is another execution.
        let waits = stuck.iter().any(|id| execution.waits_with_timeout(*id));
        let goes_on = end == ExecutionEnd::Maximal && execution.waits_in_vain();
        let discarded = execution.discarded || goes_on || end == ExecutionEnd::Maximal && waits;
        match end {
            ExecutionEnd::Redundant => self.report.redundant += 1,
            _ if discarded => self.report.discarded += 1,
            _ => self.report.executions += 1,
        }
        drop(execution);
        if end == ExecutionEnd::Maximal && !discarded {
            self.judge_end(!stuck.is_empty());
        }
        if !(end == ExecutionEnd::Maximal && waits) {
            let findings = std::mem::take(&mut *self.runtime.findings.borrow_mut());
            for Finding { kind, message, thread } in findings {
                self.violation(kind, message, Some(thread));
            }
        }
        if let Some(observer) = &self.checker.observer
            && end == ExecutionEnd::Maximal
            && !discarded
        {
            observer.borrow_mut()(&Finished::new(&self.runtime.execution.borrow()));
        }
        self.enough()
    }

    /// Judges the end of an execution in which no thread can go on, because some are `stuck` or all have ended.
    fn judge_end(&mut self, stuck: bool) {
        let execution = self.runtime.execution.borrow();
        let found = if stuck {
            Some((ViolationKind::Deadlock, execution.describe_deadlock()))
        } else {
            self.left_over(&execution)
        };
        let remarks = execution.remarks();
        drop(execution);
        if let Some((kind, message)) = found {
            self.violation(kind, message, None);
        }
        for message in remarks {
            self.violation(ViolationKind::Deadlock, message, None);
        }
    }

    /// Settings that the program has turned out to need.
    fn needs(&self) -> Option<(Settings, bool)> {
        let execution = self.runtime.execution.borrow();
        let settings = execution.settings;
        let releases = execution.notices_releases && !settings.visible_releases;
        let cells = execution.detectors.wanted && !execution.detectors.active;
        let weak = execution.weak_orderings && !settings.weak && self.checker.memory == Memory::Rc11;
        let apart = execution.evidence_broken && settings.cells_compose;
        let bounds = execution.detectors.bounds.as_ref().filter(|_| execution.bounded.get());
        // Lock sets of the first execution are worth more than the rest of the search without them.
        let known = bounds.is_some_and(|b| b.know_something()) && !self.bounds_known;
        let unbounded = bounds.is_some_and(|b| b.broken);
        let polls = execution.polls & !settings.polled != 0;
        let clocked = execution.spinning && execution.looks_at_clock && !settings.clocked;
        let strayed = execution.habits.strayed;
        let settings = Settings {
            visible_releases: settings.visible_releases || releases,
            weak: settings.weak || weak,
            // The order of critical sections that only read decides what they publish to each other.
            composition: settings.composition && !weak,
            cells_compose: settings.cells_compose && !apart,
            bounds: settings.bounds && !unbounded,
            polled: settings.polled | execution.polls,
            clocked: settings.clocked || clocked,
            ..settings
        };
        let learned = apart || known || unbounded;
        (releases || cells || weak || learned || polls || clocked || strayed).then_some((settings, cells || weak))
    }

    /// What should no longer exist when all threads have ended.
    fn left_over(&self, execution: &Execution) -> Option<(ViolationKind, String)> {
        if self.checker.leaks
            && let Some((what, made)) = self.runtime.owned.borrow().left_over()
        {
            return Some((ViolationKind::Leak, format!("{what} made at {made} is never dropped")));
        }
        if self.checker.joins {
            let lost = execution
                .threads
                .iter()
                .enumerate()
                .skip(1)
                .find(|(_, t)| t.status == Status::Finished && !t.joined);
            if let Some((i, thread)) = lost {
                let name = thread.label(ThreadId::new(i));
                return Some((
                    ViolationKind::NotJoined,
                    format!("{name}, spawned at {}, was never joined", thread.spawned_at),
                ));
            }
        }
        None
    }

    /// Adds a violation to the report, unless it is known already. `about` is the thread that shows it.
    pub(super) fn violation(&mut self, kind: ViolationKind, message: String, about: Option<ThreadId>) {
        let execution = self.runtime.execution.borrow();
        let message = match about {
            Some(thread) if kind == ViolationKind::Panic => format!("{} {message}", execution.label(thread)),
            _ => message,
        };
        let known = &self.report.violations;
        let token = Token::new(
            &execution.settings,
            self.site,
            self.runtime.watch.situation().schedule.clone(),
        )
        .to_string();
        // A panic or a race may be in most executions and is listed once. A deadlock is how one execution ends.
        let ends = kind == ViolationKind::Deadlock && known.len() < MOST_ALIKE;
        if known
            .iter()
            .any(|v| v.kind == kind && v.message == message && (!ends || v.token == token))
        {
            return;
        }
        let violation = Violation {
            kind,
            message,
            token,
            threads: execution.thread_names(),
            steps: execution.steps(about),
        };
        self.runtime.watch.found(&violation.to_string());
        self.report.violations.push(violation);
    }
}
