//! A generated test: its operations, its size, and running it.

use super::operation::{Arguments, Kind};
use super::report::{Called, Failure, Report, table};
use super::run::{Calls, Run, Unexplained};
use super::scenario::{Scenario, Size};
use crate::search::Site;
use crate::{Checker, ViolationKind, token};
use fastrand::Rng;
use mazurka_outcome::{Doubt, Verdict};
use std::fmt::Debug;
use std::hash::Hash;
use std::panic::Location;

/// A generated test of an object of type `T`, compared with a model of type `M`.
///
/// ```
/// use mazurka::{Verdict, ViolationKind};
/// use mazurka::linear::Test;
/// use mazurka::sync::atomic::{AtomicU64, Ordering::SeqCst};
///
/// // A counter that loads and stores.
/// let add = |n: &AtomicU64, more: &u64| n.store(n.load(SeqCst) + more, SeqCst);
/// let report = Test::new(|| AtomicU64::new(0), || 0)
///     .operation("add", |g| 1 + g.below(3), add, |n: &mut u64, more| *n += more)
///     .operation("get", |_| (), |n, ()| n.load(SeqCst), |n, ()| *n)
///     .run();
/// assert_eq!(report.verdict, Verdict::Violated);
/// let failure = report.failure.unwrap();
/// // One addition is lost; three operations show it.
/// assert_eq!(failure.called.len(), 3);
/// assert_eq!(failure.violation.kind, ViolationKind::NotLinearizable);
/// assert!(failure.violation.message.starts_with("no order of the operations explains that "));
/// ```
pub struct Test<T, M> {
    make: Box<dyn Fn() -> T>,
    model: Box<dyn Fn() -> M>,
    kinds: Vec<Kind<T, M>>,
    size: Size,
    scenarios: u64,
    seed: u64,
    configure: Box<dyn Fn() -> Checker>,
    max_executions: u64,
}

/// After this many executions a scenario is given up, unless the user says otherwise.
const MAX_EXECUTIONS: u64 = 20_000;

impl<T: Sync + 'static, M: Clone + Eq + Hash + 'static> Test<T, M> {
    /// A test of what `object` makes, which has to behave like what `model` makes.
    pub fn new(object: impl Fn() -> T + 'static, model: impl Fn() -> M + 'static) -> Test<T, M> {
        Test {
            make: Box::new(object),
            model: Box::new(model),
            kinds: Vec::new(),
            size: Size {
                threads: 2,
                operations: 2,
                before: 2,
                after: 1,
            },
            scenarios: 100,
            seed: 0,
            configure: Box::new(Checker::new),
            max_executions: MAX_EXECUTIONS,
        }
    }

    /// Adds an operation: its name, where its argument comes from, what it does to the object, and what it does to the model. The
    /// responses are compared.
    pub fn operation<A, R>(
        mut self,
        name: &str,
        argument: impl Fn(&mut Arguments) -> A + 'static,
        object: impl Fn(&T, &A) -> R + Send + Sync + 'static,
        model: impl Fn(&mut M, &A) -> R + Send + Sync + 'static,
    ) -> Test<T, M>
    where
        A: Debug + Send + Sync + 'static,
        R: PartialEq + Debug + Send + Sync + 'static,
    {
        self.kinds.push(Kind::new(name, argument, object, model));
        self
    }

    /// Sets how many threads a random scenario has. The default is 2.
    pub fn threads(mut self, threads: usize) -> Test<T, M> {
        self.size.threads = threads;
        self
    }

    /// Sets how many operations each thread calls. The default is 2.
    pub fn operations(mut self, operations: usize) -> Test<T, M> {
        self.size.operations = operations;
        self
    }

    /// Sets how many operations are called at most before the threads start. The default is 2.
    pub fn before(mut self, operations: usize) -> Test<T, M> {
        self.size.before = operations;
        self
    }

    /// Sets how many operations are called at most after the threads have ended. The default is 1.
    pub fn after(mut self, operations: usize) -> Test<T, M> {
        self.size.after = operations;
        self
    }

    /// Sets how many random scenarios there are. The default is 100. All the smallest ones come first.
    pub fn scenarios(mut self, scenarios: u64) -> Test<T, M> {
        self.scenarios = scenarios;
        self
    }

    /// Sets the seed of the scenarios. The default is 0.
    pub fn seed(mut self, seed: u64) -> Test<T, M> {
        self.seed = seed;
        self
    }

    /// Gives up a scenario after this many executions. The default is 20,000.
    pub fn max_executions(mut self, executions: u64) -> Test<T, M> {
        self.max_executions = executions;
        self
    }

    /// Sets how scenarios are explored. The default is [`Checker::new`].
    pub fn checker(mut self, checker: impl Fn() -> Checker + 'static) -> Test<T, M> {
        self.configure = Box::new(checker);
        self
    }

    /// Explores the scenarios, and panics with a report if one of them fails, or is not explored completely although no
    /// bound was set.
    ///
    /// # Panics
    /// If a scenario fails.
    #[track_caller]
    pub fn check(&self) {
        let report = self.run_at(Location::caller());
        match report.verdict {
            Verdict::Violated => panic!("{report}"),
            Verdict::Inconclusive(doubt) if doubt != Doubt::Replay && self.max_executions == MAX_EXECUTIONS => {
                panic!("nothing wrong was found, but not everything was seen. {report}")
            }
            _ => {}
        }
    }

    /// Explores the scenarios until one fails.
    ///
    /// If `MAZURKA_SCENARIO` is set, only that scenario is explored, or, with `MAZURKA_REPLAY`, one execution of it.
    ///
    /// # Panics
    /// If there are no operations, too many for one scenario, or `MAZURKA_SCENARIO` is not a scenario of this test.
    #[track_caller]
    pub fn run(&self) -> Report {
        self.run_at(Location::caller())
    }

    fn run_at(&self, at: &'static Location<'static>) -> Report {
        let site = (at, token::site(std::any::type_name::<(T, M)>()));
        assert!(!self.kinds.is_empty(), "a test needs operations");
        let most = self.size.before + self.size.threads * self.size.operations + self.size.after;
        let limit = mazurka_linear::partial::MOST;
        assert!(
            most <= limit,
            "a scenario has at most {limit} operations, and not {most}"
        );
        let mut report = Report {
            verdict: Verdict::Holds,
            scenarios: 0,
            executions: 0,
            seed: self.seed,
            incomplete: 0,
            failure: None,
        };
        for scenario in self.all_scenarios() {
            report.scenarios += 1;
            if let Some(found) = self.explore(&scenario, site, &mut report) {
                let (scenario, found) = self.smallest(scenario, found, site, &mut report);
                report.failure = Some(self.failure(&scenario, found, site, &mut report));
                report.verdict = Verdict::Violated;
                return report;
            }
        }
        report
    }

    fn all_scenarios(&self) -> Vec<Scenario> {
        if let Ok(text) = std::env::var("MAZURKA_SCENARIO") {
            let scenario = Scenario::parse(&text, self.kinds.len());
            return vec![
                scenario.unwrap_or_else(|| panic!("MAZURKA_SCENARIO: {text:?} is not a scenario of this test")),
            ];
        }
        let mut random = Rng::with_seed(self.seed);
        let mut all = Scenario::smallest(self.kinds.len(), &mut random);
        all.extend((0..self.scenarios).map(|_| Scenario::random(self.kinds.len(), self.size, &mut random)));
        all
    }

    fn prepared(&self, scenario: &Scenario, only_this: bool) -> Run<'_, T, M> {
        Run {
            make: &*self.make,
            model: &*self.model,
            calls: Calls::new(scenario, &self.kinds),
            threads: scenario.threads.len(),
            only_this,
        }
    }

    /// Explores a scenario; returns the first execution that is wrong.
    fn explore(&self, scenario: &Scenario, site: Site, report: &mut Report) -> Option<Found> {
        let replayed = is_run_again();
        let checker = (self.configure)().max_executions(self.max_executions).quiet(true);
        let (seen, unexplained) = self.prepared(scenario, replayed).explore(&checker, site);
        report.executions += seen.executions;
        if let Verdict::Inconclusive(doubt) = seen.verdict {
            report.incomplete += u64::from(doubt != Doubt::Replay);
            report.verdict = report.verdict.max(Verdict::Inconclusive(doubt));
        }
        let violation = seen.violations.into_iter().next()?;
        Some((violation, unexplained))
    }

    /// Leaves out operations as long as what is left fails.
    fn smallest(&self, mut scenario: Scenario, mut found: Found, site: Site, report: &mut Report) -> (Scenario, Found) {
        if is_run_again() {
            return (scenario, found);
        }
        let (before, incomplete) = (report.verdict, report.incomplete);
        let kind = |found: &Found| (found.0.kind, found.1.is_some());
        'again: loop {
            for smaller in scenario.smaller() {
                if let Some(other) = self.explore(&smaller, site, report)
                    && kind(&other) == kind(&found)
                {
                    (scenario, found) = (smaller, other);
                    continue 'again;
                }
            }
            (report.verdict, report.incomplete) = (before, incomplete);
            return (scenario, found);
        }
    }

    /// Runs the execution in which operations are in the order that nothing explains, and describes it.
    fn failure(
        &self,
        scenario: &Scenario,
        (mut violation, unexplained): Found,
        site: Site,
        report: &mut Report,
    ) -> Failure {
        let mut called = Vec::new();
        if let Some(unexplained) = unexplained {
            let checker = (self.configure)().quiet(true).replay(unexplained.token);
            let (seen, again) = self.prepared(scenario, true).explore(&checker, site);
            report.executions += seen.executions;
            // That execution exists by the theory, and was run now.
            if let (Some(again), Some(shown)) = (again, seen.violations.into_iter().next())
                && again.called == unexplained.called
            {
                violation = shown;
            }
            called = unexplained.called;
            (violation.kind, violation.message) = (ViolationKind::NotLinearizable, unexplained.message);
            violation.steps.retain(|step| !step.at.contains(super::run::FILE));
        }
        let table = match called.is_empty() {
            false => table(&called),
            true => table(&self.unanswered(scenario)),
        };
        Failure {
            scenario: scenario.to_string(),
            table,
            called,
            violation,
        }
    }

    /// The operations of a scenario, without responses.
    fn unanswered(&self, scenario: &Scenario) -> Vec<Called> {
        let call = |thread, planned: &super::scenario::Planned| Called {
            thread,
            call: planned.call(&self.kinds).text,
            response: String::new(),
        };
        let before = scenario.before.iter().map(|p| call(None, p));
        let threads = scenario.threads.iter().enumerate();
        let during = threads.flat_map(|(k, thread)| thread.iter().map(move |p| call(Some(k + 1), p)));
        before
            .chain(during)
            .chain(scenario.after.iter().map(|p| call(None, p)))
            .collect()
    }
}

/// Whether one execution of one scenario is run again.
fn is_run_again() -> bool {
    let is_set = |name| std::env::var_os(name).is_some();
    is_set("MAZURKA_SCENARIO") && is_set("MAZURKA_REPLAY")
}

/// An execution that is wrong; and what cannot be explained, if that is what is wrong.
type Found = (crate::Violation, Option<Unexplained>);
