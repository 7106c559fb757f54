//! The driver: runs executions as a strategy asks for, and judges how they end.

use super::{End, Pick, Strategy};
use crate::checker::Checker;
use crate::execution::{Execution, Settings};
use crate::fiber::Body;
use crate::ids::{ObjectId, ThreadId};
use crate::operation::Kind;
use crate::report::{Report, Violation, ViolationKind};
use crate::runtime::{Finding, Runtime};
use crate::token::{self, Schedule, Token};
use std::io::{IsTerminal, Write};
use std::panic::Location;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// With more violations than this, executions that end in the same way as another are no longer kept.
const MOST_ALIKE: usize = 1000;

/// A progress line comes after this time, and then as often.
const PROGRESS: Duration = Duration::from_secs(2);

/// What a step was, to see that it is the same when it is run again.
type Signature = (ThreadId, u32, Kind, ObjectId, &'static Location<'static>);

/// Why a search was ended before its strategy had nothing left.
enum Stop {
    Violation,
    Limit(String),
    /// The program has shown a need that settings must meet: start again.
    Again(Settings, bool),
    /// The program did something else when it was run again. That may be because the first execution has initialised a
    /// static: start again, once.
    Warm,
}

/// Goes through the executions of a program. `body` makes the body of its first thread.
pub(crate) fn drive(
    checker: &Checker,
    site: u16,
    strategy: &mut dyn FnMut() -> Box<dyn Strategy>,
    body: &dyn Fn() -> Body,
) -> Report {
    let start = Instant::now();
    let mut settings = checker.settings();
    let mut cells = checker.discipline.is_some();
    let mut warm = false;
    loop {
        let mut execution = Execution::new(settings);
        execution.detectors.active = cells;
        execution.detectors.discipline = checker.discipline;
        let (report, stop) = Runtime::with(execution, |runtime| {
            let mut search = Search {
                checker,
                site,
                runtime,
                strategy: strategy(),
                report: Report {
                    executions: 0,
                    redundant: 0,
                    discarded: 0,
                    transitions: 0,
                    depth: 0,
                    violations: Vec::new(),
                    complete: false,
                    notes: Vec::new(),
                    duration: Duration::ZERO,
                },
                start,
                shown: start,
                signatures: Vec::new(),
                enabled: Vec::new(),
                schedule: Schedule::default(),
                cut: false,
                warm,
            };
            let stop = search.run(body);
            search.notes(&stop);
            (search.report, stop)
        });
        match stop {
            Some(Stop::Warm) => warm = true,
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

struct Search<'a> {
    checker: &'a Checker,
    site: u16,
    runtime: &'a Rc<Runtime>,
    strategy: Box<dyn Strategy>,
    report: Report,
    start: Instant,
    shown: Instant,
    /// The steps of the last execution.
    signatures: Vec<Signature>,
    enabled: Vec<ThreadId>,
    schedule: Schedule,
    /// An execution was cut short by the depth bound.
    cut: bool,
    /// The search has started again after the program did something else.
    warm: bool,
}

impl Search<'_> {
    fn run(&mut self, body: &dyn Fn() -> Body) -> Option<Stop> {
        let mut repeated = 0;
        loop {
            let first = self.report.executions + self.report.redundant + self.report.discarded == 0;
            let mut stop = self.execution(repeated, body);
            if first && stop.is_none() {
                stop = self.first_again(body);
            }
            self.progress();
            if stop.is_some() {
                return stop;
            }
            let execution = self.runtime.execution.borrow();
            match self.strategy.advance(&execution) {
                Some(next) => repeated = next,
                None => {
                    self.report.complete = self.strategy.exhaustive() && !self.cut && !execution.uninterleaved;
                    return None;
                }
            }
        }
    }

    /// Runs the first execution once more, to see whether the program is deterministic.
    fn first_again(&mut self, body: &dyn Fn() -> Body) -> Option<Stop> {
        let steps = self.signatures.len();
        self.runtime.start(steps, body());
        for depth in 0..steps {
            let execution = self.runtime.execution.borrow();
            let (thread, choice, ..) = self.signatures[depth];
            let found = execution.threads.get(thread.index()).map(|t| t.pending);
            let possible = found.is_some() && execution.enabled(thread) && choice < execution.choices(thread);
            drop(execution);
            if let Some(message) = self.strays(depth, possible, found.map(|op| (op.kind, op.object, op.at))) {
                return Some(self.nondeterminism(message));
            }
            self.runtime.step(thread, choice);
        }
        self.runtime.abandon();
        None
    }

    fn nondeterminism(&mut self, message: String) -> Stop {
        self.runtime.abandon();
        if !self.warm {
            return Stop::Warm;
        }
        self.violation(ViolationKind::Nondeterminism, message, None);
        Stop::Violation
    }

    /// If a step is not what it was: how it differs.
    fn strays(
        &self,
        depth: usize,
        possible: bool,
        found: Option<(Kind, ObjectId, &'static Location<'static>)>,
    ) -> Option<String> {
        let (_, _, kind, object, at) = self.signatures[depth];
        if possible && found == Some((kind, object, at)) {
            return None;
        }
        let now = match found {
            Some((kind, _, at)) if possible => format!("is now {} at {at}", kind.verb()),
            _ => "is not possible now".to_owned(),
        };
        Some(format!(
            "run again the same way, the program did something else: step {} was {} at {at} and {now}. Time, addresses, \
             the order of a hash map, or a value that outlives the execution (a static) can be the reason",
            depth + 1,
            kind.verb(),
        ))
    }

    /// Runs one execution, whose first `repeated` steps are those of the one before.
    fn execution(&mut self, repeated: usize, body: &dyn Fn() -> Body) -> Option<Stop> {
        self.schedule = Schedule::default();
        self.runtime.start(repeated, body());
        let mut end = End::Maximal;
        loop {
            if !self.runtime.findings.borrow().is_empty() && !self.checker.all_violations {
                end = End::Cut;
                break;
            }
            let execution = self.runtime.execution.borrow();
            execution.enabled_threads(&mut self.enabled);
            if self.enabled.is_empty() {
                break;
            }
            let depth = execution.events.len();
            if depth >= self.checker.max_depth {
                end = End::Cut;
                self.cut = true;
                break;
            }
            let Pick::Run(thread, choice) = self.strategy.pick(&execution, &self.enabled, depth) else {
                end = End::Redundant;
                break;
            };
            let operation = execution.threads[thread.index()].pending;
            let signature = (thread, choice, operation.kind, operation.object, operation.at);
            let possible = self.enabled.contains(&thread) && choice < execution.choices(thread);
            if depth < repeated {
                let found = Some((operation.kind, operation.object, operation.at));
                if let Some(message) = self.strays(depth, possible, found) {
                    drop(execution);
                    return Some(self.nondeterminism(message));
                }
            } else {
                self.signatures.truncate(depth);
                self.signatures.push(signature);
            }
            token::note(&mut self.schedule, &execution, &self.enabled, thread, choice);
            drop(execution);
            self.runtime.step(thread, choice);
            self.report.transitions += 1;
        }
        self.signatures.truncate(self.runtime.execution.borrow().events.len());
        let stop = self.judge(end);
        self.strategy.finished(&mut self.runtime.execution.borrow_mut(), end);
        self.runtime.abandon();
        stop
    }

    /// What an execution that has ended means.
    fn judge(&mut self, end: End) -> Option<Stop> {
        if let Some((settings, cells)) = self.needs() {
            return Some(Stop::Again(settings, cells));
        }
        let execution = self.runtime.execution.borrow();
        self.report.depth = self.report.depth.max(execution.events.len());
        let stuck = execution.stuck();
        // A timeout would end it, and that is another execution.
        let waits = stuck.iter().any(|id| execution.waits_with_timeout(*id));
        let discarded = execution.discarded || end == End::Maximal && waits;
        match end {
            End::Redundant => self.report.redundant += 1,
            _ if discarded => self.report.discarded += 1,
            _ => self.report.executions += 1,
        }
        if end == End::Maximal && !discarded {
            if !stuck.is_empty() {
                let message = execution.describe_deadlock();
                drop(execution);
                self.violation(ViolationKind::Deadlock, message, None);
            } else {
                let message = self.left_over(&execution);
                drop(execution);
                if let Some((kind, message)) = message {
                    self.violation(kind, message, None);
                }
            }
            let second = self.runtime.execution.borrow().describe_second_read();
            if let Some(message) = second {
                self.violation(ViolationKind::Deadlock, message, None);
            }
        } else {
            drop(execution);
        }
        if !(end == End::Maximal && waits) {
            let findings = std::mem::take(&mut *self.runtime.findings.borrow_mut());
            for Finding {
                kind, message, thread, ..
            } in findings
            {
                self.violation(kind, message, Some(thread));
            }
        }
        if let Some(observer) = &self.checker.observer
            && end == End::Maximal
            && !discarded
        {
            observer.borrow_mut()(&crate::checker::Finished::new(&self.runtime.execution.borrow()));
        }
        if !self.report.violations.is_empty() && !self.checker.all_violations {
            return Some(Stop::Violation);
        }
        if self
            .checker
            .max_executions
            .is_some_and(|max| self.report.executions >= max)
        {
            return Some(Stop::Limit(format!("{} executions were run", self.report.executions)));
        }
        if self.checker.max_duration.is_some_and(|max| self.start.elapsed() >= max) {
            return Some(Stop::Limit("the time was up".to_owned()));
        }
        None
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

    /// What should not be there any more when all threads have ended.
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
                let name = thread.label(ThreadId(i as u32));
                return Some((
                    ViolationKind::NotJoined,
                    format!("{name}, spawned at {}, was never joined", thread.spawned_at),
                ));
            }
        }
        None
    }

    fn violation(&mut self, kind: ViolationKind, message: String, about: Option<ThreadId>) {
        let execution = self.runtime.execution.borrow();
        let message = match about {
            Some(thread) if kind == ViolationKind::Panic => format!("{} {message}", execution.label(thread)),
            _ => message,
        };
        let known = &self.report.violations;
        let token = Token::new(&execution.settings, self.site, self.schedule.clone()).to_string();
        // A panic or a race may be in most executions. A deadlock is how one of them ends.
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
        Runtime::prepare_last_words(&violation.to_string());
        self.report.violations.push(violation);
    }

    fn notes(&mut self, stop: &Option<Stop>) {
        let execution = self.runtime.execution.borrow();
        if let Some(Stop::Limit(reason)) = stop {
            self.report.notes.push(format!("stopped: {reason}"));
        }
        if self.cut {
            self.report.notes.push(format!(
                "executions were cut after {} steps (max_depth): a thread may be spinning for ever (livelock)",
                self.checker.max_depth
            ));
        }
        if execution.uninterleaved {
            self.report.notes.push(
                "operations in destructors while a thread panicked were not interleaved with other threads".to_owned(),
            );
        }
        if self.warm {
            self.report.notes.push(
                "the first execution was different, and the search has started again: something outlives executions (a static)"
                    .to_owned(),
            );
        }
        if execution.weak_orderings {
            self.report
                .notes
                .push("atomics with orderings weaker than SeqCst were explored as SeqCst".to_owned());
        }
    }

    /// Says on a terminal that the search is still going on.
    fn progress(&mut self) {
        if self.checker.quiet || self.report.executions & 0xff != 0 && self.report.depth < 1000 {
            return;
        }
        if self.shown.elapsed() >= PROGRESS {
            self.shown = Instant::now();
            let mut stderr = std::io::stderr();
            if stderr.is_terminal() {
                let seconds = self.start.elapsed().as_secs_f64();
                // The test harness does not capture this.
                let _ = writeln!(
                    stderr,
                    "mazurka: {} executions in {seconds:.0} s, {:.0} a second",
                    self.report.executions,
                    self.report.executions as f64 / seconds
                );
            }
        }
    }
}
