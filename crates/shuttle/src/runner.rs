//! Running a test under a scheduler.

use crate::config::{Config, MaxSteps};
use crate::rand::Seeds;
use crate::scheduler::{Plan, Scheduler};
use mazurka::{Checker, Doubt, Limit, Report, Verdict};

/// Runs a test under a scheduler.
#[derive(Debug)]
pub struct Runner<S: ?Sized> {
    config: Config,
    scheduler: Box<S>,
}

impl<S: Scheduler> Runner<S> {
    /// A run with this scheduler and these settings.
    pub fn new(scheduler: S, config: Config) -> Runner<S> {
        Runner {
            config,
            scheduler: Box::new(scheduler),
        }
    }
}

impl<S: Scheduler + ?Sized> Runner<S> {
    /// Runs the test, and returns in how many executions.
    ///
    /// # Panics
    /// With the report, if something is wrong.
    #[track_caller]
    pub fn run<F: Fn()>(self, test: F) -> usize {
        let plan = self.scheduler.plan();
        let _seeds = Seeds::drawn(plan.is_drawn());
        let report = checker(&plan, &self.config).run(test);
        judge(&report, &self.config);
        usize::try_from(report.executions).unwrap_or(usize::MAX)
    }
}

/// The plan of a scheduler, with the settings of a run.
fn checker(plan: &Plan, config: &Config) -> Checker {
    let mut checker = plan
        .checker()
        .stack_size(config.stack_size)
        .quiet(config.silence_warnings);
    checker = checker.max_depth(match config.max_steps {
        MaxSteps::None => usize::MAX,
        MaxSteps::FailAfter(steps) | MaxSteps::ContinueAfter(steps) => steps,
    });
    match config.max_time {
        Some(time) => checker.max_duration(time),
        None => checker,
    }
}

/// Panics if something is wrong. A bound that was asked for is nothing wrong.
#[track_caller]
fn judge(report: &Report, config: &Config) {
    match (report.verdict, config.max_steps) {
        (Verdict::Inconclusive(Doubt::Limit(Limit::Depth)), MaxSteps::FailAfter(steps)) => {
            panic!("exceeded max_steps bound {steps}. this might be caused by an unfair schedule. {report}")
        }
        (Verdict::Holds | Verdict::Inconclusive(Doubt::Limit(_) | Doubt::Sample | Doubt::Replay), _) => {}
        _ => panic!("{report}"),
    }
}

/// Runs a test under several schedulers, one after the other.
#[derive(Debug)]
pub struct PortfolioRunner {
    config: Config,
    schedulers: Vec<Box<dyn Scheduler>>,
}

impl PortfolioRunner {
    /// Runs with these settings. The first failure ends all of them, as the panic that it is.
    pub fn new(_stop_on_first_failure: bool, config: Config) -> PortfolioRunner {
        PortfolioRunner {
            config,
            schedulers: Vec::new(),
        }
    }

    /// Adds a scheduler.
    pub fn add(&mut self, scheduler: impl Scheduler + 'static) {
        self.schedulers.push(Box::new(scheduler));
    }

    /// Runs the test under all schedulers.
    ///
    /// # Panics
    /// With the report, if something is wrong.
    #[track_caller]
    pub fn run<F: Fn()>(self, test: F) {
        for scheduler in self.schedulers {
            let config = self.config.clone();
            Runner { config, scheduler }.run(&test);
        }
    }
}
