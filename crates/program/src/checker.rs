//! The settings of a search.

use crate::detect::Discipline;
use crate::execution::Settings;
use crate::faults::Faults;
use crate::fiber::{self, Body, region};
use crate::finished::Finished;
use crate::memory::Memory;
use crate::report::Report;
use crate::search::{self, Site};
use crate::strategy::{Granularity, Strategy};
use crate::token::{self, Token};
use mazurka_outcome::{Doubt, Limit, Limits, Verdict};
use std::cell::RefCell;
use std::io::Write as _;
use std::panic::Location;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// An execution is cut after this many steps, unless the user says otherwise.
const DEPTH: usize = 20_000;

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
    pub(crate) strategy: Option<Strategy>,
    granularity: Option<Granularity>,
    pub(crate) all_violations: bool,
    pub(crate) max_executions: Option<u64>,
    pub(crate) max_duration: Option<Duration>,
    pub(crate) max_depth: Option<usize>,
    pub(crate) leaks: bool,
    pub(crate) joins: bool,
    pub(crate) probes: bool,
    pub(crate) quiet: bool,
    pub(crate) unwind: bool,
    pub(crate) stack_size: usize,
    pub(crate) max_step_duration: Option<Duration>,
    pub(crate) discipline: Option<Discipline>,
    spurious_wakeups: u32,
    spurious_failures: Option<u32>,
    /// With weak memory from the start, as a token asks for it.
    weak: bool,
    pub(crate) memory: Memory,
    faults: Faults,
    early_timers: bool,
    symmetry: bool,
    /// The parents of threads, as a token has them.
    pub(crate) parents: Vec<u32>,
    /// Classes of places whose objects are polled.
    polled: u64,
    html: Option<PathBuf>,
    replay: Option<String>,
    pub(crate) observer: Option<RefCell<Observer>>,
}

type Observer = Box<dyn FnMut(&Finished)>;

impl Checker {
    /// A complete search with optimal reduction. Its only limit is the length of an execution.
    pub fn new() -> Checker {
        Checker {
            leaks: true,
            probes: true,
            ..Checker::default()
        }
    }

    /// Sets which executions are run, and in which order. The default is [`Strategy::Optimal`].
    pub fn strategy(mut self, strategy: Strategy) -> Checker {
        self.strategy = Some(strategy);
        self
    }

    /// Sets what counts as one transition. The default is [`Granularity::Fine`] for [`Strategy::Exhaustive`] and
    /// [`Strategy::Selective`], and [`Granularity::Composed`] for all others.
    pub fn granularity(mut self, granularity: Granularity) -> Checker {
        self.granularity = Some(granularity);
        self
    }

    /// Makes the search go on after a violation, and report all.
    pub fn all_violations(mut self, all: bool) -> Checker {
        self.all_violations = all;
        self
    }

    /// Lets a long search with [`Strategy::Optimal`] or [`Strategy::SourceSets`] run some executions at random as well, a quarter of the others at
    /// most. They find early what backtracking would find late, and change nothing else. On by default. A search for all
    /// violations runs none.
    pub fn probes(mut self, probes: bool) -> Checker {
        self.probes = probes;
        self
    }

    /// Ends the search after this many executions.
    pub fn max_executions(mut self, executions: u64) -> Checker {
        self.max_executions = Some(executions);
        self
    }

    /// Ends the search after this time.
    pub fn max_duration(mut self, duration: Duration) -> Checker {
        self.max_duration = Some(duration);
        self
    }

    /// Ends the process if a thread has run for this time without a visible operation. The default is 60 s. Such a
    /// thread loops, or waits for something that is not under control, and cannot be stopped in any other way. Standard
    /// error then has everything that is known about it. The limit does not hold for an execution that is run again from its
    /// token, nor under a debugger.
    pub fn max_step_duration(mut self, duration: Duration) -> Checker {
        self.max_step_duration = Some(duration);
        self
    }

    /// Sets the size of each thread's stack, unless the thread asks for more. The least is two mebibytes.
    pub fn stack_size(mut self, bytes: usize) -> Checker {
        self.stack_size = bytes;
        self
    }

    /// Unwinds the stacks of an execution that ends early, in a deadlock for instance, so that destructors run. Otherwise
    /// what its threads own is leaked, because destructors might find data half done. A search that meets millions of
    /// deadlocks or failed assumptions may need this. Waiting in a destructor then fails.
    pub fn unwind(mut self, unwind: bool) -> Checker {
        self.unwind = unwind;
        self
    }

    /// Cuts an execution after this many steps. The default is 20,000. If you set it, [`Checker::check`]
    /// does not fail when an execution is cut.
    pub fn max_depth(mut self, steps: usize) -> Checker {
        self.max_depth = Some(steps);
        self
    }

    /// Lets each thread wake up without a notification, at most this many times in an execution.
    pub fn spurious_wakeups(mut self, times: u32) -> Checker {
        self.spurious_wakeups = times;
        self
    }

    /// Lets a `compare_exchange_weak` of each thread fail for no reason, at most this many times in an execution. The default
    /// is once. It does not concern programs in which all atomics are sequentially consistent.
    pub fn spurious_failures(mut self, times: u32) -> Checker {
        self.spurious_failures = Some(times);
        self
    }

    /// Sets which values atomics may have. The default is [`Memory::Rc11`].
    pub fn memory(mut self, memory: Memory) -> Checker {
        self.memory = memory;
        self
    }

    /// Sets which faults the network, nodes, disks and clocks may have, and how many of each. By default there are none.
    pub fn faults(mut self, faults: Faults) -> Checker {
        self.faults = faults;
        self
    }

    /// Makes every poll of an asynchronous primitive a step of its own. Otherwise an await of one thing alone is one step, which is
    /// possible when that thing is there; see the guide for what this cannot notice.
    pub fn every_poll(mut self, every: bool) -> Checker {
        self.polled = if every { u64::MAX } else { 0 };
        self
    }

    /// Lets the timers of [`future`](crate::future) fire at any moment at which a task waits for them, as if everything else could take
    /// any time. Otherwise virtual time passes only when nothing else can happen.
    pub fn early_timers(mut self, early: bool) -> Checker {
        self.early_timers = early;
        self
    }

    /// Runs only one of the executions that differ in nothing but which of several threads that are alike does what. Threads
    /// are alike if one thread starts them in a row, with the same closure and the same captured data, and nothing in the program tells them
    /// apart. If something does, all executions are run. Off by default; [`Strategy::Selective`] ignores it.
    ///
    /// Data are the same if their bytes are: clones of an `Arc` are, and numbers that are equal. Threads with their index are not alike.
    ///
    /// ```
    /// use mazurka::{Checker, sync::Mutex, thread};
    ///
    /// let five_threads = || {
    ///     let sum = Mutex::new(0);
    ///     thread::scope(|s| {
    ///         for _ in 0..5 {
    ///             s.spawn(|| *sum.lock().unwrap() += 1);
    ///         }
    ///     });
    ///     assert_eq!(*sum.lock().unwrap(), 5);
    /// };
    /// assert_eq!(Checker::new().run(five_threads).executions, 120);
    /// assert_eq!(Checker::new().symmetry(true).run(five_threads).executions, 1);
    /// ```
    pub fn symmetry(mut self, symmetry: bool) -> Checker {
        self.symmetry = symmetry;
        self
    }

    /// Checks that some lock protects each tracked cell. By default, only data races are reported.
    pub fn locking_discipline(mut self, discipline: Discipline) -> Checker {
        self.discipline = Some(discipline);
        self
    }

    /// Reports each [`sync::Arc`](crate::sync::Arc) that is alive at the end. On by default.
    pub fn leaks(mut self, report: bool) -> Checker {
        self.leaks = report;
        self
    }

    /// Reports threads that were not joined. Off by default.
    pub fn require_joins(mut self, require: bool) -> Checker {
        self.joins = require;
        self
    }

    /// Writes the report to this file, as an HTML page.
    pub fn report_html(mut self, path: impl Into<PathBuf>) -> Checker {
        self.html = Some(path.into());
        self
    }

    /// Silences the progress line, and the line that says that a search is not complete.
    pub fn quiet(mut self, quiet: bool) -> Checker {
        self.quiet = quiet;
        self
    }

    /// Runs only the execution that this token stands for.
    pub fn replay(mut self, token: impl Into<String>) -> Checker {
        self.replay = Some(token.into());
        self
    }

    /// Calls `observer` with every execution that is run to its end.
    ///
    /// ```
    /// use mazurka::{Checker, ThreadNumber, choose};
    /// use std::{cell::RefCell, rc::Rc};
    ///
    /// let chosen = Rc::new(RefCell::new(Vec::new()));
    /// let seen = Rc::clone(&chosen);
    /// let checker = Checker::new().on_execution(move |execution| {
    ///     let event = &execution.events[0];
    ///     assert_eq!((event.thread, event.operation), (ThreadNumber(0), "choose"));
    ///     seen.borrow_mut().push(event.choice);
    /// });
    /// checker.run(|| _ = choose(3));
    /// assert_eq!(*chosen.borrow(), [0, 1, 2]);
    /// ```
    pub fn on_execution(mut self, observer: impl FnMut(&Finished) + 'static) -> Checker {
        self.observer = Some(RefCell::new(Box::new(observer)));
        self
    }

    /// The bounds that hold for every strategy, without the number of executions.
    pub(crate) fn limits(&self) -> Limits<'static> {
        Limits {
            depth: Some(self.max_depth.unwrap_or(DEPTH)),
            time: self.max_duration,
            ..Limits::default()
        }
    }

    /// Whether a thread that waits in a loop may go on in the same execution, because the search does not see every other one.
    fn resumes(strategy: &Strategy) -> bool {
        matches!(
            strategy,
            Strategy::Random { .. } | Strategy::Pct { .. } | Strategy::PreemptionBound(_)
        )
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
            bounds: strategy == Strategy::Selective && granularity != Granularity::Fine,
            cells_compose: granularity == Granularity::Composed,
            spurious_wakeups: self.spurious_wakeups,
            weak: self.weak,
            spurious_failures: self.spurious_failures.unwrap_or(1),
            faults: self.faults,
            polled: self.polled,
            early_timers: self.early_timers,
            symmetry: self.symmetry && !matches!(strategy, Strategy::Selective),
            resumes: Self::resumes(&strategy),
            draws: matches!(strategy, Strategy::Random { .. } | Strategy::Pct { .. }),
            clocked: false,
            scarce: !matches!(strategy, Strategy::Optimal | Strategy::SourceSets),
        }
    }

    /// Runs `program` under every schedule that the strategy asks for.
    ///
    /// If `MAZURKA_REPLAY` is set to a token of this call, only that execution is run.
    ///
    /// ```
    /// use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
    /// use mazurka::{Checker, Verdict, thread};
    ///
    /// let report = Checker::new().run(|| {
    ///     let n = AtomicU32::new(0);
    ///     thread::scope(|s| {
    ///         s.spawn(|| n.fetch_add(1, SeqCst));
    ///         s.spawn(|| n.fetch_add(1, SeqCst));
    ///     });
    ///     assert_eq!(n.load(SeqCst), 2);
    /// });
    /// assert_eq!((report.verdict, report.executions), (Verdict::Holds, 2));
    /// ```
    #[track_caller]
    pub fn run(&self, program: impl Fn()) -> Report {
        let site = token::site(std::any::type_name_of_val(&program));
        self.run_at(program, (Location::caller(), site))
    }

    /// Runs `program` under every schedule that the strategy asks for. Panics with the report on a violation, and also if not
    /// everything was seen, unless a setting or the strategy asked for less.
    ///
    /// ```
    /// use mazurka::{Checker, thread};
    ///
    /// Checker::new().spurious_wakeups(1).check(|| {
    ///     let parked = thread::spawn(|| thread::park());
    ///     parked.thread().unpark();
    ///     parked.join().unwrap();
    /// });
    /// ```
    #[track_caller]
    pub fn check(&self, program: impl Fn()) {
        let site = token::site(std::any::type_name_of_val(&program));
        self.check_at(program, (Location::caller(), site));
    }

    pub(crate) fn check_at(&self, program: impl Fn(), site: Site) {
        let report = self.run_at(program, site);
        match report.verdict {
            Verdict::Holds => {}
            Verdict::Violated => panic!("{report}"),
            Verdict::Inconclusive(doubt) if self.asked_for(doubt) => {}
            Verdict::Inconclusive(_) if report.misfit => panic!("{report}"),
            Verdict::Inconclusive(_) => panic!(
                "nothing wrong was found, but not everything was seen. {report}\nIf a partial search is enough, set a bound with a Checker."
            ),
        }
    }

    /// True if the user has set the bound, or chosen the strategy, that leaves this doubt.
    fn asked_for(&self, doubt: Doubt) -> bool {
        match doubt {
            Doubt::Limit(Limit::Depth) => self.max_depth.is_some(),
            Doubt::Limit(_) | Doubt::Sample | Doubt::Replay => true,
            _ => false,
        }
    }

    pub(crate) fn run_at(&self, program: impl Fn(), (at, site): Site) -> Report {
        assert!(!crate::runtime::inside(), "a check cannot run inside another check");
        let program: &dyn Fn() = &program;
        let report = match self.wanted((at, site)) {
            Some(token) => region(|region| self.again(token, at, &|| region.body(Box::new(program)))),
            None => {
                let strategy = self.strategy.clone().unwrap_or(Strategy::Optimal);
                region(|region| {
                    let body = || region.body(Box::new(program));
                    search::drive(self, (at, site), &mut |weak| search::strategy(&strategy, weak), &body)
                })
            }
        };
        if !report.verdict.is_conclusive() && !self.quiet {
            eprintln!("mazurka: the search at {at} is not complete: {report}");
        }
        if let Some(path) = &self.html
            && let Err(error) = std::fs::write(path, crate::html::page(&report))
        {
            eprintln!("mazurka: cannot write {}: {error}", path.display());
        }
        report
    }

    /// The token of the execution that is to be run again, if only one is.
    fn wanted(&self, (at, site): Site) -> Option<Token> {
        let from_environment = || std::env::var("MAZURKA_REPLAY").ok();
        let text = self.replay.clone().or_else(from_environment)?;
        let token = Token::parse(&text).unwrap_or_else(|why| panic!("MAZURKA_REPLAY: {text:?}: {why}"));
        if self.replay.is_some() || token.site == site {
            return Some(token);
        }
        if !self.quiet {
            // The test harness does not capture this.
            let _ = writeln!(
                std::io::stderr(),
                "mazurka: MAZURKA_REPLAY belongs to another check than the one at {at}, which is searched as usual"
            );
        }
        None
    }

    /// Whether cut executions are unwound, and the size of stacks.
    pub(crate) fn threads(&self) -> (bool, usize) {
        (self.unwind, self.stack_size.max(fiber::STACK))
    }

    fn again(&self, token: Token, at: &'static Location<'static>, body: &dyn Fn() -> Body) -> Report {
        let checker = Checker {
            strategy: self.strategy.clone(),
            granularity: Some(match (token.visible_cells, token.composition) {
                (true, _) => Granularity::Fine,
                (_, true) => Granularity::Composed,
                _ => Granularity::InvisibleFirst,
            }),
            spurious_wakeups: self.spurious_wakeups,
            spurious_failures: self.spurious_failures,
            memory: self.memory,
            weak: token.weak,
            parents: token.schedule.parents.clone(),
            faults: self.faults,
            early_timers: self.early_timers,
            polled: token.polled,
            discipline: self.discipline,
            leaks: self.leaks,
            joins: self.joins,
            unwind: self.unwind,
            stack_size: self.stack_size,
            // The user may be looking at it with a debugger.
            max_step_duration: Some(Duration::MAX),
            ..Checker::new()
        };
        let mut difference = None;
        let mut report = search::drive(
            &checker,
            (at, token.site),
            &mut |_| {
                let replay = search::Replay::new(&token);
                difference = Some(Rc::clone(&replay.difference));
                Box::new(replay)
            },
            body,
        );
        let difference = difference.and_then(|difference| difference.take());
        if !report.verdict.is_conclusive() {
            // Nobody has asked for another execution than that of the token.
            report.verdict = Verdict::Inconclusive(match difference {
                Some(_) => Doubt::Unexplored,
                None => Doubt::Replay,
            });
        }
        report
            .notes
            .push("one execution was run again from its token".to_owned());
        if let Some(how) = difference {
            report.misfit = true;
            report.notes.push(format!(
                "the token does not fit the program: {how}. The program has changed since the token was made, or it is not \
                 deterministic; run the search again"
            ));
        }
        report
    }
}
