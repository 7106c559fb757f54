//! `mazurka man`: the manual page, and those of the subcommands.

use crate::arguments::Arguments;
use crate::exit::{Error, Exit};
use crate::output::produce;
use clap::{Args, CommandFactory};

/// Options of `mazurka man`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The page of this subcommand, such as `detect` or `trace lint`; if not given, that of mazurka itself
    subcommand: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let mut command = Arguments::command();
    // Gives the subcommands their full names, which the page shows.
    command.build();
    for name in &options.subcommand {
        let found = command.find_subcommand(name).cloned();
        command = found.ok_or_else(|| Error::NoSubcommand(name.clone()))?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .source(concat!("mazurka ", env!("CARGO_PKG_VERSION")))
        .render(&mut page)
        .map_err(Error::Output)?;
    produce(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Success)
}
