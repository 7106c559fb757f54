//! The knobs of a search.

use crate::detect::Discipline;
use crate::execution::{Execution, Faults, Settings};
use crate::fiber::{Body, region};
use crate::ids::ObjectId;
use crate::report::Report;
use crate::search;
use crate::strategy::{Granularity, Strategy};
use crate::token::{self, Token};
use std::cell::RefCell;
use std::panic::Location;
use std::path::PathBuf;
use std::time::Duration;

/// Configures a search and runs it.
///
/// ```
/// use mazurka::sync::Mutex;
/// use mazurka::{Checker, ViolationKind, thread};
/// use std::sync::Arc;
///
/// let report = Checker::new().run(|| {
///     let locks = Arc::new((Mutex::new(()), Mutex::new(())));
///     let other = Arc::clone(&locks);
///     let t = thread::spawn(move || {
///         let _a = other.0.lock().unwrap();
///         let _b = other.1.lock().unwrap();
///     });
///     let b = locks.1.lock().unwrap();
///     let a = locks.0.lock().unwrap();
///     drop((a, b));
///     t.join().unwrap();
/// });
/// assert_eq!(report.violations[0].kind, ViolationKind::Deadlock);
/// assert!(!report.complete); // it stopped there
/// ```
#[derive(Default)]
pub struct Checker {
    strategy: Option<Strategy>,
    granularity: Option<Granularity>,
    pub(crate) all_violations: bool,
    pub(crate) max_executions: Option<u64>,
    pub(crate) max_duration: Option<Duration>,
    pub(crate) max_depth: usize,
    pub(crate) leaks: bool,
    pub(crate) joins: bool,
    pub(crate) quiet: bool,
    pub(crate) discipline: Option<Discipline>,
    spurious_wakeups: u32,
    faults: Faults,
    html: Option<PathBuf>,
    replay: Option<String>,
    pub(crate) observer: Option<RefCell<Observer>>,
}

type Observer = Box<dyn FnMut(&Finished)>;

/// An execution that has ended, for [`Checker::on_execution`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Finished {
    /// What happened, in order.
    pub events: Vec<FinishedEvent>,
    /// True if threads were left waiting.
    pub deadlock: bool,
}

/// An event of an execution that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FinishedEvent {
    /// The thread, by number.
    pub thread: u32,
    /// What it did.
    pub operation: &'static str,
    /// To which object, by number in this execution.
    pub object: Option<u32>,
    /// For messages, which one.
    pub number: u32,
    /// In which of several ways.
    pub choice: u32,
}

impl Finished {
    pub(crate) fn new(execution: &Execution) -> Finished {
        let events = execution.events.iter().map(|e| FinishedEvent {
            thread: e.thread.0,
            operation: match e.footprint.deed.kind {
                crate::operation::Kind::Peek => "peek",
                kind => kind.verb(),
            },
            object: (e.footprint.object != ObjectId::NONE).then_some(e.footprint.object.0),
            number: e.footprint.deed.arg,
            choice: e.choice,
        });
        Finished {
            events: events.collect(),
            deadlock: !execution.stuck().is_empty(),
        }
    }
}

impl Checker {
    /// The strongest exhaustive search, with no limit but on the length of an execution.
    pub fn new() -> Checker {
        Checker {
            max_depth: 20_000,
            leaks: true,
            ..Checker::default()
        }
    }

    /// How executions are gone through; [`Strategy::Optimal`] unless said otherwise.
    pub fn strategy(mut self, strategy: Strategy) -> Checker {
        self.strategy = Some(strategy);
        self
    }

    /// What counts as one transition. [`Granularity::Fine`] for [`Strategy::Exhaustive`] and
    /// [`Strategy::Selective`], else [`Granularity::Composed`].
    pub fn granularity(mut self, granularity: Granularity) -> Checker {
        self.granularity = Some(granularity);
        self
    }

    /// Goes on after a violation, and reports all.
    pub fn all_violations(mut self, all: bool) -> Checker {
        self.all_violations = all;
        self
    }

    /// Ends the search after so many executions.
    pub fn max_executions(mut self, executions: u64) -> Checker {
        self.max_executions = Some(executions);
        self
    }

    /// Ends the search after such a time.
    pub fn max_duration(mut self, duration: Duration) -> Checker {
        self.max_duration = Some(duration);
        self
    }

    /// Cuts an execution after so many steps; 20,000 unless said otherwise.
    pub fn max_depth(mut self, steps: usize) -> Checker {
        self.max_depth = steps;
        self
    }

    /// Lets each thread wake up from a wait that nobody ended, so many times in an execution.
    pub fn spurious_wakeups(mut self, times: u32) -> Checker {
        self.spurious_wakeups = times;
        self
    }

    /// Lets things go wrong in the network, each so many times; nothing does unless asked for.
    pub fn faults(mut self, faults: Faults) -> Checker {
        self.faults = faults;
        self
    }

    /// Checks that some lock protects each tracked cell.
    pub fn locking_discipline(mut self, discipline: Discipline) -> Checker {
        self.discipline = Some(discipline);
        self
    }

    /// Reports [`sync::Arc`](crate::sync::Arc)s that are alive at the end; on unless switched off.
    pub fn leaks(mut self, report: bool) -> Checker {
        self.leaks = report;
        self
    }

    /// Reports threads that nobody has joined.
    pub fn require_joins(mut self, require: bool) -> Checker {
        self.joins = require;
        self
    }

    /// Writes a page with what was found.
    pub fn report_html(mut self, path: impl Into<PathBuf>) -> Checker {
        self.html = Some(path.into());
        self
    }

    /// No progress line.
    pub fn quiet(mut self, quiet: bool) -> Checker {
        self.quiet = quiet;
        self
    }

    /// Runs only the execution of a token.
    pub fn replay(mut self, token: impl Into<String>) -> Checker {
        self.replay = Some(token.into());
        self
    }

    /// Calls `observer` with every execution that was run to its end.
    pub fn on_execution(mut self, observer: impl FnMut(&Finished) + 'static) -> Checker {
        self.observer = Some(RefCell::new(Box::new(observer)));
        self
    }

    pub(crate) fn settings(&self) -> Settings {
        let strategy = self.strategy.clone().unwrap_or(Strategy::Optimal);
        let granularity = self.granularity.unwrap_or(match strategy {
            Strategy::Exhaustive | Strategy::Selective => Granularity::Fine,
            _ => Granularity::Composed,
        });
        Settings {
            order: true,
            visible_releases: granularity == Granularity::Fine,
            visible_cells: granularity == Granularity::Fine,
            composition: granularity == Granularity::Composed,
            spurious_wakeups: self.spurious_wakeups,
            faults: self.faults,
        }
    }

    /// Runs `program` as often as it takes.
    ///
    /// With `MAZURKA_REPLAY` set to a token that belongs to this call, only that execution.
    #[track_caller]
    pub fn run(&self, program: impl Fn()) -> Report {
        self.run_at(program, Location::caller())
    }

    pub(crate) fn run_at(&self, program: impl Fn(), at: &'static Location<'static>) -> Report {
        assert!(!crate::runtime::inside(), "a check inside a check");
        let program: &dyn Fn() = &program;
        let site = token::site(at);
        let from_environment = std::env::var("MAZURKA_REPLAY").ok();
        let wanted = match &self.replay {
            Some(text) => Some((text.clone(), Token::parse(text))),
            None => from_environment.map(|text| (text.clone(), Token::parse(&text))),
        };
        let report = match wanted {
            Some((text, None)) => panic!("MAZURKA_REPLAY: {text:?} is not a token"),
            Some((_, Some(token))) if self.replay.is_some() || token.site == site => {
                region(|region| self.again(token, site, &|| region.body(Box::new(program))))
            }
            _ => {
                let strategy = self.strategy.clone().unwrap_or(Strategy::Optimal);
                region(|region| {
                    let body = || region.body(Box::new(program));
                    search::drive(self, site, &mut || search::strategy(&strategy), &body)
                })
            }
        };
        if let Some(path) = &self.html
            && let Err(error) = std::fs::write(path, crate::html::page(&report))
        {
            eprintln!("mazurka: cannot write {}: {error}", path.display());
        }
        report
    }

    fn again(&self, token: Token, site: u16, body: &dyn Fn() -> Body) -> Report {
        let checker = Checker {
            granularity: Some(match (token.visible_cells, token.composition) {
                (true, _) => Granularity::Fine,
                (_, true) => Granularity::Composed,
                _ => Granularity::InvisibleFirst,
            }),
            spurious_wakeups: self.spurious_wakeups,
            faults: self.faults,
            discipline: self.discipline,
            leaks: self.leaks,
            joins: self.joins,
            ..Checker::new()
        };
        let mut strayed = None;
        let mut report = search::drive(
            &checker,
            site,
            &mut || {
                let replay = search::Replay::new(token.schedule.clone());
                strayed = Some(std::rc::Rc::clone(&replay.strayed));
                Box::new(replay)
            },
            body,
        );
        report
            .notes
            .push("one execution was run again from its token".to_owned());
        if let Some(depth) = strayed.and_then(|s| s.get()) {
            report.notes.push(format!(
                "the program did not follow the token after step {depth}: it has changed, or it is not deterministic"
            ));
        }
        report
    }
}
