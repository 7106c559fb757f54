//! Schedulers of shuttle, as strategies of mazurka.

use mazurka::{Checker, Strategy};
use std::fmt::Debug;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

/// Which executions are run. Schedulers of one's own are not supported.
pub trait Scheduler: Debug + sealed::Sealed {
    #[doc(hidden)]
    fn plan(&self) -> Plan;
}

mod sealed {
    pub trait Sealed {}
}

/// Which executions are run.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct Plan {
    strategy: Option<Strategy>,
    executions: Option<u64>,
    token: Option<String>,
}

impl Plan {
    /// True if executions are drawn at random, or if one is repeated that may have been.
    pub(crate) fn is_drawn(&self) -> bool {
        let drawn = matches!(self.strategy, Some(Strategy::Random { .. } | Strategy::Pct { .. }));
        drawn || self.token.is_some()
    }

    pub(crate) fn checker(&self) -> Checker {
        let mut checker = Checker::new();
        if let Some(strategy) = &self.strategy {
            checker = checker.strategy(strategy.clone());
        }
        if let Some(executions) = self.executions {
            checker = checker.max_executions(executions);
        }
        match &self.token {
            Some(token) => checker.replay(token),
            None => checker,
        }
    }
}

impl From<Strategy> for Plan {
    fn from(strategy: Strategy) -> Plan {
        Plan {
            strategy: Some(strategy),
            ..Plan::default()
        }
    }
}

/// The seed in the environment variable `SHUTTLE_RANDOM_SEED`, or else another one each time.
fn seed() -> u64 {
    let given = std::env::var("SHUTTLE_RANDOM_SEED").ok();
    let given = given.map(|text| text.parse().expect("SHUTTLE_RANDOM_SEED is a number"));
    given.unwrap_or_else(|| RandomState::new().hash_one(0))
}

/// Implements [`Scheduler`].
macro_rules! schedulers {
    ($($name:ty: $self:ident => $plan:expr),+ $(,)?) => {
        $(
            impl sealed::Sealed for $name {}
            impl Scheduler for $name {
                fn plan(&$self) -> Plan {
                    $plan
                }
            }
        )+
    };
}

schedulers!(
    RandomScheduler: self => Strategy::Random {
        seed: self.seed,
        executions: self.executions,
    }.into(),
    UrwRandomScheduler: self => self.0.plan(),
    PctScheduler: self => Strategy::Pct {
        seed: self.seed,
        executions: self.executions,
        depth: self.depth,
    }.into(),
    DfsScheduler: self => Plan {
        executions: self.executions,
        ..Plan::default()
    },
    RoundRobinScheduler: self => Plan {
        executions: Some(self.executions),
        ..Plan::default()
    },
    ReplayScheduler: self => Plan {
        token: Some(self.token.clone()),
        ..Plan::default()
    },
);

/// Random executions.
#[derive(Clone, Debug)]
pub struct RandomScheduler {
    seed: u64,
    executions: u64,
}

impl RandomScheduler {
    /// This many executions, with a seed from `SHUTTLE_RANDOM_SEED` or another one each time.
    pub fn new(executions: usize) -> RandomScheduler {
        RandomScheduler::new_from_seed(seed(), executions)
    }

    /// This many executions with this seed.
    pub fn new_from_seed(seed: u64, executions: usize) -> RandomScheduler {
        RandomScheduler {
            seed,
            executions: executions as u64,
        }
    }
}

/// Random executions: mazurka does not weigh threads by what they are expected to do.
#[derive(Clone, Debug)]
pub struct UrwRandomScheduler(RandomScheduler);

impl UrwRandomScheduler {
    /// This many executions, with a seed from `SHUTTLE_RANDOM_SEED` or another one each time.
    pub fn new(executions: usize) -> UrwRandomScheduler {
        UrwRandomScheduler(RandomScheduler::new(executions))
    }

    /// This many executions with this seed.
    pub fn new_from_seed(seed: u64, executions: usize) -> UrwRandomScheduler {
        UrwRandomScheduler(RandomScheduler::new_from_seed(seed, executions))
    }
}

/// Executions with random priorities.
#[derive(Clone, Debug)]
pub struct PctScheduler {
    seed: u64,
    executions: u64,
    depth: u32,
}

impl PctScheduler {
    /// This many executions for bugs of this depth, with a seed from `SHUTTLE_RANDOM_SEED` or another one each time.
    pub fn new(depth: usize, executions: usize) -> PctScheduler {
        PctScheduler::new_from_seed(seed(), depth, executions)
    }

    /// This many executions for bugs of this depth, with this seed.
    ///
    /// # Panics
    /// If the depth is 0, or more than a `u32` can count.
    pub fn new_from_seed(seed: u64, depth: usize, executions: usize) -> PctScheduler {
        assert!(depth > 0, "the depth is at least 1");
        PctScheduler {
            seed,
            executions: executions as u64,
            depth: u32::try_from(depth).expect("a small depth"),
        }
    }
}

/// Every inequivalent execution, once. shuttle runs every schedule.
#[derive(Clone, Debug)]
pub struct DfsScheduler {
    executions: Option<u64>,
}

impl DfsScheduler {
    /// All executions, or at most this many. Random numbers are [explored](crate::rand) or drawn from a fixed seed.
    pub fn new(max_executions: Option<usize>, _allow_random_data: bool) -> DfsScheduler {
        DfsScheduler {
            executions: max_executions.map(|n| n as u64),
        }
    }
}

/// The first executions of the complete search.
#[derive(Clone, Debug)]
pub struct RoundRobinScheduler {
    executions: u64,
}

impl RoundRobinScheduler {
    /// This many executions at most.
    pub fn new(executions: usize) -> RoundRobinScheduler {
        RoundRobinScheduler {
            executions: executions as u64,
        }
    }
}

/// The execution of a token.
#[derive(Clone, Debug)]
pub struct ReplayScheduler {
    token: String,
}

impl ReplayScheduler {
    /// The execution of the token at the end of a report.
    pub fn new_from_encoded(token: &str) -> ReplayScheduler {
        ReplayScheduler {
            token: token.trim().to_owned(),
        }
    }

    /// The execution of the token in a file.
    pub fn new_from_file(path: impl AsRef<Path>) -> std::io::Result<ReplayScheduler> {
        let token = std::fs::read_to_string(path)?;
        Ok(ReplayScheduler::new_from_encoded(&token))
    }
}

/// Another scheduler: mazurka always looks for nondeterminism that it does not control.
#[derive(Clone, Debug)]
pub struct UncontrolledNondeterminismCheckScheduler<S>(S);

impl<S: Scheduler> UncontrolledNondeterminismCheckScheduler<S> {
    /// The executions of another scheduler.
    pub fn new(scheduler: S) -> UncontrolledNondeterminismCheckScheduler<S> {
        UncontrolledNondeterminismCheckScheduler(scheduler)
    }
}

impl<S: Scheduler> sealed::Sealed for UncontrolledNondeterminismCheckScheduler<S> {}

impl<S: Scheduler> Scheduler for UncontrolledNondeterminismCheckScheduler<S> {
    fn plan(&self) -> Plan {
        self.0.plan()
    }
}
