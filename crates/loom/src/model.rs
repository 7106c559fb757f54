//! Checking a model: every inequivalent execution of a closure.

use mazurka::{Checker, Doubt, Limit, Strategy, Verdict};
use std::path::PathBuf;
use std::time::Duration;

/// The number of branches that loom allows by default.
const MAX_BRANCHES: usize = 1_000;

/// An execution is cut after this many steps, at the earliest.
const DEPTH: usize = 20_000;

/// The settings of a check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Builder {
    /// How many threads there may be. Here there is no limit.
    pub max_threads: usize,
    /// How many steps an execution may have. Executions of 20,000 steps are always allowed.
    pub max_branches: usize,
    /// How many executions are run at most.
    pub max_permutations: Option<usize>,
    /// How long the check may take.
    pub max_duration: Option<Duration>,
    /// How many preemptions an execution may have. None is more than any number, and quicker: see
    /// `mazurka::Strategy::PreemptionBound`.
    pub preemption_bound: Option<usize>,
    /// Not used: a report ends with a token that runs the execution again.
    pub checkpoint_file: Option<PathBuf>,
    /// Not used.
    pub checkpoint_interval: usize,
    /// Not used: everything is explored.
    pub expect_explicit_explore: bool,
    /// Not used: reports always have places.
    pub location: bool,
    /// Not used: reports always have all steps.
    pub log: bool,
}

impl Builder {
    /// The default settings, and those of the environment variables `LOOM_MAX_BRANCHES`, `LOOM_MAX_PERMUTATIONS`,
    /// `LOOM_MAX_DURATION` and `LOOM_MAX_PREEMPTIONS`.
    ///
    /// # Panics
    /// If a variable is not a number.
    pub fn new() -> Builder {
        Builder {
            max_threads: crate::MAX_THREADS,
            max_branches: number("LOOM_MAX_BRANCHES").unwrap_or(MAX_BRANCHES),
            max_permutations: number("LOOM_MAX_PERMUTATIONS"),
            max_duration: number("LOOM_MAX_DURATION").map(|seconds| Duration::from_secs(seconds as u64)),
            preemption_bound: number("LOOM_MAX_PREEMPTIONS"),
            checkpoint_file: None,
            checkpoint_interval: 20_000,
            expect_explicit_explore: false,
            location: false,
            log: false,
        }
    }

    /// Not used: a report ends with a token that runs the execution again.
    pub fn checkpoint_file(&mut self, file: &str) -> &mut Builder {
        self.checkpoint_file = Some(file.into());
        self
    }

    /// The same settings for mazurka.
    ///
    /// # Panics
    /// If there are more preemptions than a `u32` can count.
    pub fn checker(&self) -> Checker {
        let mut checker = Checker::new().max_depth(self.max_branches.max(DEPTH));
        if let Some(executions) = self.max_permutations {
            checker = checker.max_executions(executions as u64);
        }
        if let Some(duration) = self.max_duration {
            checker = checker.max_duration(duration);
        }
        if let Some(preemptions) = self.preemption_bound {
            let bound = u32::try_from(preemptions).expect("a small number of preemptions");
            checker = checker.strategy(Strategy::PreemptionBound(bound));
        }
        checker
    }

    /// Runs every inequivalent execution of `model`.
    ///
    /// # Panics
    /// With the report, if something is wrong or if an execution is too long. A bound that was asked for is no failure.
    #[track_caller]
    pub fn check<F: Fn()>(&self, model: F) {
        let report = self.checker().run(model);
        match report.verdict {
            Verdict::Holds => {}
            Verdict::Inconclusive(Doubt::Limit(limit)) if limit != Limit::Depth => {}
            Verdict::Inconclusive(Doubt::Sample | Doubt::Replay) => {}
            Verdict::Inconclusive(Doubt::Limit(_)) => {
                panic!("Model exceeded maximum number of branches. {report}")
            }
            _ => panic!("{report}"),
        }
    }
}

impl Default for Builder {
    fn default() -> Builder {
        Builder::new()
    }
}

fn number(variable: &str) -> Option<usize> {
    let text = std::env::var(variable).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("invalid value for `{variable}`")))
}

/// Runs every inequivalent execution of `model` with the default settings.
///
/// # Panics
/// With the report, if something is wrong.
#[track_caller]
pub fn model<F: Fn()>(model: F) {
    Builder::new().check(model);
}
