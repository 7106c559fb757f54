//! Options that say what to print, and printing.

use crate::exit::Error;
use clap::{Args, ValueEnum};
use mazurka_report::TextOptions;
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

/// Columns where there is no terminal to ask.
const COLUMNS: usize = 120;

impl OutputOptions {
    /// How text is to look: as wide as the terminal.
    pub(crate) fn text(&self, verbose: bool) -> TextOptions {
        let columns = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
        TextOptions {
            width: columns.unwrap_or(COLUMNS).max(40),
            verbose,
        }
    }
}

/// Prints styled text to standard output; the styles are left out where nobody sees them.
pub(crate) fn print_styled(text: &str) -> Result<(), Error> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Error::Output)
}

/// Prints to standard output.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Error::Output)
}
