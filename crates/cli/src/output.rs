//! Options that say what to print, and printing.

use crate::exit::Error;
use clap::{Args, ValueEnum};
use mazurka_report::{TextOptions, printable};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to print.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct OutputOptions {
    /// What to print on standard output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// Print no progress and no remarks on standard error
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
    /// How text should look: as wide as the terminal.
    pub(crate) fn text(&self, verbose: bool) -> TextOptions {
        let columns = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
        TextOptions {
            width: columns.unwrap_or(COLUMNS).max(40),
            verbose,
        }
    }
}

/// Prints an answer as styled text; the styles are left out where nobody sees them.
///
/// Neither the exit code nor other outputs depend on whether this succeeds. If standard output cannot be written to,
/// standard error says so, unless its reader is gone, as with `head`.
pub(crate) fn print_styled(text: &str) {
    unread(write(anstream::stdout().lock(), text));
}

/// Prints an answer, like [`print_styled`].
pub(crate) fn print(text: &str) {
    unread(write(io::stdout().lock(), text));
}

/// Prints what was asked for, where it is the only result.
///
/// # Errors
/// If standard output cannot be written to.
pub(crate) fn produce(text: &str) -> Result<(), Error> {
    write(io::stdout().lock(), text).map_err(Error::Output)
}

/// Says something on standard error, which may be styled. Failures are ignored.
pub(crate) fn remark(text: &str) {
    let _ = write(anstream::stderr().lock(), text);
}

/// Says on standard error that a file was written.
pub(crate) fn wrote(path: &Path) {
    remark(&format!("wrote {}\n", shown(path)));
}

/// The name of a file as it can be printed.
pub(crate) fn shown(path: &Path) -> String {
    printable(&path.display().to_string()).into_owned()
}

fn write(mut out: impl Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn unread(written: io::Result<()>) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
        && !SAID.swap(true, Ordering::Relaxed)
    {
        remark(&format!("cannot write to standard output: {error}\n"));
    }
}
