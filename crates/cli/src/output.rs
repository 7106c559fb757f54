//! Options that say what to print, and printing.

use crate::exit::Error;
use clap::{Args, ValueEnum};
use std::io::{self, Write};

/// What to print.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct OutputOptions {
    /// What to print on standard output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// No progress and no remarks on standard error
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// Forms of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    Text,
    /// One JSON object
    Json,
}

/// Prints to standard output.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Error::Output)
}
