//! The `mazurka` binary: arguments in, text and an exit code out.
//!
//! Each subcommand is one file; what it computes and how that looks is done by
//! the other crates.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod arguments;
mod atomic_files;
mod check;
mod completions;
mod detect;
mod diagnostic;
mod exit;
mod export;
mod generate;
mod input;
mod interrupt;
mod man;
mod model;
mod out_of_memory;
mod output;
mod progress;
mod properties;
mod reduction;
mod reproduce;
mod simulate;
mod speaker;
mod trace;
mod watchdog;

use arguments::{Arguments, Command};
use clap::Parser;
use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Check(options) => check::run(*options),
        Command::Simulate(options) => simulate::run(&options),
        Command::Export(options) => export::run(&options),
        Command::Detect(options) => detect::run(&options),
        Command::Generate(options) => generate::run(&options),
        Command::Trace(options) => trace::run(&options),
        Command::Reproduce(options) => reproduce::run(&options),
        Command::Completions(options) => completions::run(&options),
        Command::Man(options) => man::run(&options),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(error) if error.is_closed_pipe() => Exit::Success.into(),
        Err(error) => {
            output::remark(&diagnostic::shown(&error));
            error.exit().into()
        }
    }
}
