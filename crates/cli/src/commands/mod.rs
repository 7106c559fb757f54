//! The subcommands: this file lists them. A new one is a file beside it, and its lines here.

mod check;
mod completions;
mod detect;
mod export;
mod generate;
mod man;
mod reproduce;
mod simulate;
mod trace;

use crate::exit::{Error, Exit};
use clap::Subcommand;

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Verify a model written in Promela
    Check(Box<check::Options>),
    /// Run a model written in Promela, at random or step by step
    Simulate(simulate::Options),
    /// Write the state graph of a model, or the automata of its formulas, for other tools
    Export(export::Options),
    /// Ask whether a recorded run could have passed through a global state
    Detect(Box<detect::Options>),
    /// Print the trace of a simulated run of a protocol
    Generate(generate::Options),
    /// Check traces for mistakes
    Trace(trace::Options),
    /// Run published experiments again
    Reproduce(reproduce::Options),
    /// Print shell completions
    Completions(completions::Options),
    /// Print the manual page
    Man(man::Options),
}

impl Command {
    /// Runs it.
    pub(crate) fn run(self) -> Result<Exit, Error> {
        match self {
            Self::Check(options) => check::run(*options),
            Self::Simulate(options) => simulate::run(&options),
            Self::Export(options) => export::run(&options),
            Self::Detect(options) => detect::run(&options),
            Self::Generate(options) => generate::run(&options),
            Self::Trace(options) => trace::run(&options),
            Self::Reproduce(options) => reproduce::run(&options),
            Self::Completions(options) => completions::run(&options),
            Self::Man(options) => man::run(&options),
        }
    }
}
