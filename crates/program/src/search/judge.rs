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

/// What is wrong with an execution, and the thread that shows it.
pub(super) type Fault = (ViolationKind, String, Option<ThreadId>);

/// True if a thread waits that would go on in another execution: a timeout would end its wait, or its node crashes there.
fn is_interrupted(execution: &Execution, end: ExecutionEnd) -> bool {
    let stuck = execution.stuck();
    let waits = stuck.iter().any(|id| execution.waits_with_timeout(*id));
    end == ExecutionEnd::Maximal && (waits || execution.crashes_by_half())
}

/// True if how an execution ends is no end: threads would go on in another execution, or an assumption failed.
fn is_discarded(execution: &Execution, end: ExecutionEnd) -> bool {
    let interrupted = || is_interrupted(execution, end) || execution.waits_in_vain();
    execution.discarded || end == ExecutionEnd::Maximal && interrupted()
}

impl Search<'_> {
    /// Judges an execution that has ended.
    pub(super) fn judge(&mut self, end: ExecutionEnd) -> Option<Stop> {
        self.runtime.execution.borrow_mut().ends_with_classes();
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
        let discarded = is_discarded(&execution, end);
        match end {
            _ if self.probing => self.report.probes += 1,
            ExecutionEnd::Redundant => self.report.redundant += 1,
            _ if discarded => self.report.discarded += 1,
            _ => self.report.executions += 1,
        }
        drop(execution);
        for (kind, message, about) in self.faults(end) {
            self.violation(kind, message, about);
        }
        if let Some(observer) = &self.checker.observer
            && end == ExecutionEnd::Maximal
            && !discarded
            && !self.probing
        {
            observer.borrow_mut()(&Finished::new(&self.runtime.execution.borrow()));
        }
        self.enough()
    }

    /// What is wrong with an execution that has ended.
    pub(super) fn faults(&self, end: ExecutionEnd) -> Vec<Fault> {
        let execution = self.runtime.execution.borrow();
        let mut faults = Vec::new();
        if end == ExecutionEnd::Maximal && !is_discarded(&execution, end) {
            let left = match execution.stuck().is_empty() {
                false => Some((ViolationKind::Deadlock, execution.describe_deadlock())),
                true => self.left_over(&execution),
            };
            faults.extend(left.map(|(kind, message)| (kind, message, None)));
            let remarks = execution.remarks().into_iter();
            faults.extend(remarks.map(|message| (ViolationKind::Deadlock, message, None)));
        }
        if !is_interrupted(&execution, end) {
            let findings = std::mem::take(&mut *self.runtime.findings.borrow_mut()).into_iter();
            faults.extend(findings.map(|Finding { kind, message, thread }| (kind, message, Some(thread))));
        }
        faults
    }

    /// Settings that the program has turned out to need.
    pub(super) fn needs(&self) -> Option<(Settings, bool)> {
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
        let told = settings.symmetry && execution.symmetry.told.is_some();
        let clocked = execution.spinning && execution.looks_at_clock && !settings.clocked;
        let scarce = execution.scarce.get() && !settings.scarce;
        let strayed = execution.habits.strayed;
        let settings = Settings {
            visible_releases: settings.visible_releases || releases,
            weak: settings.weak || weak,
            // The order of critical sections that only read decides what they publish to each other.
            composition: settings.composition && !weak,
            cells_compose: settings.cells_compose && !apart,
            bounds: settings.bounds && !unbounded,
            polled: settings.polled | execution.polls,
            symmetry: settings.symmetry && !told,
            clocked: settings.clocked || clocked,
            scarce: settings.scarce || scarce,
            ..settings
        };
        let learned = apart || known || unbounded;
        let again = releases || cells || weak || learned || polls || told || clocked || scarce || strayed;
        again.then_some((settings, cells || weak))
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
        let known = &self.report.violations;
        // A panic or a race may be in most executions and is listed once. A deadlock is how one execution ends.
        let ends = kind == ViolationKind::Deadlock && known.len() < MOST_ALIKE;
        let message = self.message(kind, message, about);
        let mut alike = known
            .iter()
            .filter(|v| v.kind == kind && v.message == message)
            .peekable();
        if alike.peek().is_some() && !ends {
            return;
        }
        let token = self.token();
        if alike.any(|v| v.token == token) {
            return;
        }
        let violation = self.with_steps(kind, message, token, about);
        self.runtime.watch.found(&violation.to_string());
        self.report.violations.push(violation);
    }

    /// A violation that the last execution shows.
    pub(super) fn described(&self, kind: ViolationKind, message: String, about: Option<ThreadId>) -> Violation {
        let message = self.message(kind, message, about);
        self.with_steps(kind, message, self.token(), about)
    }

    fn message(&self, kind: ViolationKind, message: String, about: Option<ThreadId>) -> String {
        match about {
            Some(thread) if kind == ViolationKind::Panic => {
                format!("{} {message}", self.runtime.execution.borrow().label(thread))
            }
            _ => message,
        }
    }

    fn token(&self) -> String {
        let schedule = self.runtime.watch.situation().schedule.clone();
        Token::of(&self.runtime.execution.borrow(), self.site, schedule).to_string()
    }

    fn with_steps(&self, kind: ViolationKind, message: String, token: String, about: Option<ThreadId>) -> Violation {
        let execution = self.runtime.execution.borrow();
        Violation {
            kind,
            message,
            token,
            threads: execution.thread_names(),
            steps: execution.steps(about),
        }
    }
}
