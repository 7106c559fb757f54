//! The driver: runs the executions that a strategy asks for, and judges how they end.

use super::again::{self, Ending};
use super::{ExecutionEnd, Pick, Strategy, natural};
use crate::checker::Checker;
use crate::execution::{Execution, Settings};
use crate::fiber::Body;
use crate::ids::{ObjectId, ThreadId};
use crate::operation::Kind;
use crate::report::{Report, Violation, ViolationKind};
use crate::runtime::{Finding, Runtime};
use crate::token::{self, Token};
use crate::watch::{Patience, Watching};
use mazurka_outcome::{Limit, Limits};
use std::panic::Location;
use std::rc::Rc;
use std::time::Instant;

/// Beyond this many violations, deadlocks with the same message are no longer listed each.
const MOST_ALIKE: usize = 1000;

/// A step, to be compared when it is run again.
pub(super) type Signature = (ThreadId, u32, Kind, ObjectId, &'static Location<'static>);

/// Why a search ended before its strategy was done.
pub(super) enum Stop {
    Violation,
    /// The program did something else when it was run again.
    Nondeterminism,
    Limit(Limit),
    /// The program needs these settings, and perhaps tracked cells: the search starts again.
    Again(Settings, bool),
}

/// Explores the executions of a program. `body` makes the body of its first thread.
pub(crate) fn drive(
    checker: &Checker,
    (at, site): (&'static Location<'static>, u16),
    strategy: &mut dyn FnMut() -> Box<dyn Strategy>,
    body: &dyn Fn() -> Body,
) -> Report {
    let start = Instant::now();
    let mut settings = checker.settings();
    let mut cells = checker.discipline.is_some();
    let limits = checker.limits().from_now();
    let patience = Patience {
        step: checker.max_step_duration.unwrap_or(Patience::STEP),
        deadline: limits.deadline,
    };
    loop {
        let watching = Watching::new(settings, patience, checker.threads().1, at, site);
        let mut execution = Execution::new(settings);
        execution.detectors.active = cells;
        execution.detectors.discipline = checker.discipline;
        let (report, stop) = Runtime::with(execution, checker.threads(), &watching.0, |runtime| {
            let mut search = Search {
                checker,
                at,
                site,
                runtime,
                strategy: strategy(),
                report: Report::new(),
                limits,
                start,
                shown: start,
                signatures: Vec::new(),
                ending: Ending::default(),
                enabled: Vec::new(),
                cut: false,
                survivor: None,
            };
            let stop = search.run(body);
            search.conclude(stop.as_ref());
            search.notes(stop.as_ref());
            (search.report, stop)
        });
        match stop {
            Some(Stop::Again(needed, wanted)) => {
                settings = needed;
                cells |= wanted;
            }
            _ => {
                let mut report = report;
                report.duration = start.elapsed();
                return report;
            }
        }
    }
}

pub(super) struct Search<'a> {
    pub(super) checker: &'a Checker,
    pub(super) at: &'static Location<'static>,
    site: u16,
    pub(super) runtime: &'a Rc<Runtime>,
    pub(super) strategy: Box<dyn Strategy>,
    pub(super) report: Report,
    pub(super) limits: Limits<'static>,
    pub(super) start: Instant,
    pub(super) shown: Instant,
    /// The steps of the last execution.
    pub(super) signatures: Vec<Signature>,
    /// How it ended.
    pub(super) ending: Ending,
    pub(super) enabled: Vec<ThreadId>,
    /// An execution was cut short by the depth bound.
    pub(super) cut: bool,
    /// A primitive that keeps its value from one execution to the next.
    pub(super) survivor: Option<String>,
}

impl Search<'_> {
    fn run(&mut self, body: &dyn Fn() -> Body) -> Option<Stop> {
        let mut repeated = 0;
        for number in 1.. {
            let mut stop = self.execution(repeated, body);
            if !matches!(stop, Some(Stop::Again(..) | Stop::Nondeterminism)) && (stop.is_some() || again::due(number)) {
                stop = self.again(number, body).or(stop);
            }
            self.progress();
            if stop.is_some() {
                return stop;
            }
            let next = self.strategy.advance(&self.runtime.execution.borrow());
            match next {
                Some(next) => repeated = next,
                None => {
                    let stop = if again::due(number) {
                        None
                    } else {
                        self.again(number, body)
                    };
                    return stop.or_else(|| self.control(body));
                }
            }
        }
        None
    }

    /// Runs one execution, whose first `repeated` steps are those of the one before.
    fn execution(&mut self, repeated: usize, body: &dyn Fn() -> Body) -> Option<Stop> {
        self.runtime.start(repeated, body());
        let mut end = ExecutionEnd::Maximal;
        loop {
            if !self.runtime.findings.borrow().is_empty() && !self.checker.all_violations {
                end = ExecutionEnd::Cut;
                break;
            }
            let execution = self.runtime.execution.borrow();
            execution.enabled_threads(&mut self.enabled);
            if self.enabled.is_empty() {
                break;
            }
            let depth = execution.events.len();
            if self.too_deep(depth) {
                end = ExecutionEnd::Cut;
                self.cut = true;
                break;
            }
            let Pick::Run(thread, choice) = self.strategy.pick(&execution, &self.enabled, depth) else {
                end = ExecutionEnd::Redundant;
                break;
            };
            let operation = execution.threads[thread.index()].pending;
            let signature = (thread, choice, operation.kind, operation.object, operation.at);
            let possible = self.enabled.contains(&thread) && choice < execution.choices(thread);
            if depth < repeated {
                let found = Some((operation.kind, operation.object, operation.at));
                if let Some(message) = self.strays(depth, possible, found) {
                    drop(execution);
                    self.nondeterminism(message);
                    self.runtime.abandon();
                    return Some(Stop::Nondeterminism);
                }
            } else {
                self.signatures.truncate(depth);
                self.signatures.push(signature);
            }
            token::note(&self.runtime.watch, &execution, &self.enabled, thread, choice);
            drop(execution);
            self.runtime.step(thread, choice);
            self.report.transitions += 1;
        }
        self.signatures.truncate(self.runtime.execution.borrow().events.len());
        self.ending = Ending::of(self.runtime, end);
        let stop = self.judge(end);
        self.strategy.finished(&mut self.runtime.execution.borrow_mut(), end);
        if end == ExecutionEnd::Redundant && !self.checker.unwind {
            self.run_on();
        }
        self.runtime.abandon();
        stop
    }

    /// Runs a redundant execution to its end, so that its threads own nothing that would have to be leaked.
    fn run_on(&mut self) {
        let events = self.runtime.execution.borrow().events.len();
        loop {
            let execution = self.runtime.execution.borrow();
            execution.enabled_threads(&mut self.enabled);
            if self.enabled.is_empty() || self.too_deep(execution.events.len()) {
                break;
            }
            let thread = natural(&execution, &self.enabled);
            drop(execution);
            self.runtime.step(thread, 0);
        }
        self.runtime.findings.borrow_mut().clear();
        // The strategy looks only at what it has asked for.
        self.runtime.execution.borrow_mut().events.truncate(events);
    }

    /// Judges an execution that has ended.
    fn judge(&mut self, end: ExecutionEnd) -> Option<Stop> {
        if let Some((settings, cells)) = self.needs() {
            return Some(Stop::Again(settings, cells));
        }
        if let Some(stranger) = self.runtime.watch.stranger() {
            self.violation(ViolationKind::Uncontrolled, stranger, None);
        }
        let execution = self.runtime.execution.borrow();
        if self.survivor.is_none() && !execution.survivors.is_empty() {
            self.survivor = execution.changed_survivor();
        }
        self.report.depth = self.report.depth.max(execution.events.len());
        let stuck = execution.stuck();
        // A timeout would end the wait, and that is another execution.
        let waits = stuck.iter().any(|id| execution.waits_with_timeout(*id));
        let discarded = execution.discarded || end == ExecutionEnd::Maximal && waits;
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
            for Finding {
                kind, message, thread, ..
            } in findings
            {
                self.violation(kind, message, Some(thread));
            }
        }
        if let Some(observer) = &self.checker.observer
            && end == ExecutionEnd::Maximal
            && !discarded
        {
            observer.borrow_mut()(&crate::checker::Finished::new(&self.runtime.execution.borrow()));
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

    /// Why no other execution is run, if enough was seen or a limit is reached.
    fn enough(&self) -> Option<Stop> {
        if !self.report.violations.is_empty() && !self.checker.all_violations {
            return Some(Stop::Violation);
        }
        if self
            .checker
            .max_executions
            .is_some_and(|max| self.report.executions >= max)
        {
            return Some(Stop::Limit(Limit::Executions));
        }
        self.limits.stop().map(Stop::Limit)
    }

    /// True if an execution with this many steps is to be cut.
    fn too_deep(&self, steps: usize) -> bool {
        self.limits.depth.is_some_and(|most| steps >= most)
    }

    /// Settings that the program has turned out to need.
    fn needs(&self) -> Option<(Settings, bool)> {
        let execution = self.runtime.execution.borrow();
        let settings = execution.settings;
        let releases = execution.notices_releases && !settings.visible_releases;
        let cells = execution.detectors.wanted && !execution.detectors.active;
        let settings = Settings {
            visible_releases: settings.visible_releases || releases,
            ..settings
        };
        (releases || cells).then_some((settings, cells))
    }

    /// What should no longer exist when all threads have ended.
    fn left_over(&self, execution: &Execution) -> Option<(ViolationKind, String)> {
        if self.checker.leaks
            && let Some(made) = self.runtime.alive.borrow().first()
        {
            return Some((ViolationKind::Leak, format!("an Arc made at {made} is never dropped")));
        }
        if self.checker.joins {
            let lost = execution
                .threads
                .iter()
                .enumerate()
                .skip(1)
                .find(|(_, t)| t.status == crate::execution::thread::Status::Finished && !t.joined);
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
