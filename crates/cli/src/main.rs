//! The `mazurka` binary: arguments in, text and an exit code out.
//!
//! Each subcommand is one file in `commands`; what it computes and how that looks is done by
//! the other crates.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod arguments;
mod arriving;
mod atomic_files;
mod commands;
mod diagnostic;
mod exit;
mod input;
mod interrupt;
mod model;
mod out_of_memory;
mod output;
mod progress;
mod properties;
mod reduction;
mod same_file;
mod speaker;
mod watchdog;

use arguments::Arguments;
use clap::Parser;
use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Arguments::parse().command.run() {
        Ok(exit) => exit.into(),
        Err(error) if error.is_closed_pipe() => Exit::Success.into(),
        Err(error) => {
            output::remark(&diagnostic::shown(&error));
            error.exit().into()
        }
    }
}
