//! The driver: runs the executions that a strategy asks for.

use super::again::{self, Ending};
use super::{ExecutionEnd, Pick, Strategy, natural, notes};
use crate::checker::Checker;
use crate::detect::Bounds;
use crate::execution::spinning::Habits;
use crate::execution::{Execution, Settings};
use crate::fiber::Body;
use crate::ids::{Family, ObjectId, ThreadId};
use crate::operation::Kind;
use crate::report::Report;
use crate::runtime::Runtime;
use crate::token;
use crate::watch::{Patience, Watching};
use mazurka_outcome::{Limit, Limits};
use std::io::IsTerminal;
use std::panic::Location;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A step, to be compared when it is run again.
pub(super) type Signature = (ThreadId, u32, Kind, ObjectId, &'static Location<'static>);

/// Where a check is, and the number that its tokens have.
pub(crate) type Site = (&'static Location<'static>, u16);

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
    (at, site): Site,
    strategy: &mut dyn FnMut(bool) -> Box<dyn Strategy>,
    body: &dyn Fn() -> Body,
) -> Report {
    let start = Instant::now();
    let mut settings = checker.settings();
    let mut cells = checker.discipline.is_some() || settings.weak;
    let limits = checker.limits().from_now();
    let mut bounds = Bounds::default();
    let patience = Patience {
        step: checker.max_step_duration.unwrap_or(Patience::STEP),
        deadline: limits.deadline,
    };
    let mut told = None;
    let mut habits = Habits::default();
    loop {
        let watching = Watching::new(settings, patience, checker.threads().1, at, site);
        let mut execution = Execution::new(settings);
        execution.family = Family::of(&checker.parents);
        execution.detectors.active = cells;
        execution.detectors.graph.active = settings.weak;
        execution.detectors.discipline = checker.discipline;
        let bounds_known = bounds.know_something();
        execution.detectors.bounds = settings.bounds.then(|| std::mem::take(&mut bounds));
        habits.strayed = false;
        execution.habits = std::mem::take(&mut habits);
        let (report, stop, kept, learned) = Runtime::with(execution, checker.threads(), &watching.0, |runtime| {
            let mut search = Search {
                checker,
                at,
                site,
                runtime,
                strategy: strategy(settings.weak),
                report: Report::new(),
                limits,
                start,
                due: notes::next_line(Duration::ZERO, std::io::stderr().is_terminal()),
                signatures: Vec::new(),
                ending: Ending::default(),
                enabled: Vec::new(),
                cut: false,
                probing: false,
                survivor: None,
                bounds_known,
            };
            let stop = search.run(body);
            search.conclude(stop.as_ref());
            search.notes(stop.as_ref());
            told = told.take().or(runtime.execution.borrow_mut().symmetry.told.take());
            let kept = runtime.execution.borrow_mut().detectors.bounds.take();
            let habits = std::mem::take(&mut runtime.execution.borrow_mut().habits);
            (search.report, stop, kept, habits)
        });
        habits = learned;
        match stop {
            Some(Stop::Again(needed, wanted)) => {
                // Objects that become visible change the numbers of others.
                let same = (cells || !wanted) && needed.visible_releases == settings.visible_releases;
                bounds = kept.filter(|_| same).unwrap_or_default();
                settings = needed;
                cells |= wanted;
            }
            _ => {
                let mut report = report;
                report.notes.extend(told.map(|how: String| {
                    format!("threads that are alike were told apart, so symmetry was not used: {how}")
                }));
                report.duration = start.elapsed();
                return report;
            }
        }
    }
}

/// A superfluous execution is run to its end for so many steps. What its threads own then is leaked.
const RUN_ON: u32 = 100;

pub(super) struct Search<'a> {
    pub(super) checker: &'a Checker,
    pub(super) at: &'static Location<'static>,
    pub(super) site: u16,
    pub(super) runtime: &'a Rc<Runtime>,
    pub(super) strategy: Box<dyn Strategy>,
    pub(super) report: Report,
    pub(super) limits: Limits<'static>,
    pub(super) start: Instant,
    /// When the next progress line is due.
    pub(super) due: Duration,
    /// The steps of the last execution.
    pub(super) signatures: Vec<Signature>,
    /// How it ended.
    pub(super) ending: Ending,
    pub(super) enabled: Vec<ThreadId>,
    /// An execution was cut short by the depth bound.
    pub(super) cut: bool,
    /// The execution is a probe, see `probe.rs`.
    pub(super) probing: bool,
    /// A primitive that keeps its value from one execution to the next.
    pub(super) survivor: Option<String>,
    /// What MLD allows was known before the first execution.
    pub(super) bounds_known: bool,
}

impl Search<'_> {
    fn run(&mut self, body: &dyn Fn() -> Body) -> Option<Stop> {
        let mut repeated = 0;
        for number in 1.. {
            let mut stop = self.execution(repeated, body);
            if !matches!(stop, Some(Stop::Again(..) | Stop::Nondeterminism)) && (stop.is_some() || again::due(number)) {
                stop = self.again(number, body).or(stop);
            }
            if matches!(stop, Some(Stop::Violation)) {
                self.shrink(body);
            }
            self.progress();
            if stop.is_some() {
                return stop;
            }
            let next = self.strategy.advance(&self.runtime.execution.borrow());
            match next {
                Some(next) => {
                    repeated = next;
                    if let Some(stop) = self.probe(number, body) {
                        return Some(stop);
                    }
                }
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
    pub(super) fn execution(&mut self, repeated: usize, body: &dyn Fn() -> Body) -> Option<Stop> {
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
            let possible = self.enabled.contains(&thread) && execution.ways(thread).has(choice);
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
        let goes_on = end == ExecutionEnd::Maximal && self.runtime.execution.borrow().waits_in_vain();
        if (end == ExecutionEnd::Redundant || goes_on) && !self.checker.unwind && !self.probing {
            self.run_on();
        }
        self.runtime.abandon();
        stop
    }

    /// Runs a redundant execution to its end, so that its threads own nothing that would have to be leaked.
    fn run_on(&mut self) {
        let events = self.runtime.execution.borrow().events.len();
        self.runtime.execution.borrow_mut().runs_on = true;
        let mut random = fastrand::Rng::with_seed(0);
        for _ in 0..RUN_ON {
            let execution = self.runtime.execution.borrow();
            execution.enabled_threads(&mut self.enabled);
            if self.enabled.is_empty() || self.too_deep(execution.events.len()) {
                break;
            }
            let thread = natural(&execution, &self.enabled);
            // Not always the same way, with which a loop may never end.
            let ways = execution.ways(thread);
            let way = ways.at(random.u32(..ways.len()));
            drop(execution);
            self.runtime.step(thread, way);
        }
        self.runtime.findings.borrow_mut().clear();
        // The strategy looks only at what it has asked for.
        self.runtime.execution.borrow_mut().events.truncate(events);
    }

    /// Why no other execution is run, if enough was seen or a limit is reached.
    pub(super) fn enough(&self) -> Option<Stop> {
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
    pub(super) fn too_deep(&self, steps: usize) -> bool {
        self.limits.depth.is_some_and(|most| steps >= most)
    }
}
