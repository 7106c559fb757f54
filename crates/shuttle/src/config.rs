//! The settings of a run, with shuttle's names.

use std::path::PathBuf;
use std::time::Duration;

/// The settings of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The size of a thread's stack. The least is two mebibytes.
    pub stack_size: usize,
    /// Not used: a report ends with a token that runs the execution again.
    pub failure_persistence: FailurePersistence,
    /// How many steps an execution may have, and what happens then.
    pub max_steps: MaxSteps,
    /// How long the run may take.
    pub max_time: Option<Duration>,
    /// Silences the line that says that a search is not complete.
    pub silence_warnings: bool,
    /// Not used.
    pub record_steps_in_span: bool,
    /// Not used: see `mazurka::Checker::unwind`.
    pub ungraceful_shutdown_config: UngracefulShutdownConfig,
}

impl Config {
    /// The settings that shuttle begins with.
    pub fn new() -> Config {
        Config {
            stack_size: 0xf000,
            failure_persistence: FailurePersistence::Print,
            max_steps: MaxSteps::FailAfter(1_000_000),
            max_time: None,
            silence_warnings: false,
            record_steps_in_span: false,
            ungraceful_shutdown_config: UngracefulShutdownConfig::default(),
        }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config::new()
    }
}

/// Where shuttle leaves the schedule of a failure. Here it is always in the report.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailurePersistence {
    /// Nowhere.
    None,
    /// On standard error.
    Print,
    /// In a file.
    File(Option<PathBuf>),
}

/// How many steps an execution may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaxSteps {
    /// Any number.
    None,
    /// This many; more are a failure.
    FailAfter(usize),
    /// This many; then the execution is cut.
    ContinueAfter(usize),
}

/// What shuttle does with executions that are cut.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct UngracefulShutdownConfig {
    /// Not used.
    pub immediately_return_on_panic: bool,
    /// Not used.
    pub continuation_function_behavior: ContinuationFunctionBehavior,
}

/// What shuttle does with the stacks of executions that are cut.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub enum ContinuationFunctionBehavior {
    /// Drops what is on them.
    Drop,
    /// Leaks it, as mazurka does.
    #[default]
    Leak,
}
