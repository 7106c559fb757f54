//! `mazurka completions`: completions for a shell.

use crate::arguments::Arguments;
use crate::exit::{Error, Exit};
use crate::output::produce;
use clap::{Args, CommandFactory, ValueEnum};

/// Options of `mazurka completions`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// The shells that we test with; `clap_complete` knows others.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let shell = match options.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    // Into memory first: `generate` panics if its writer fails.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "mazurka", &mut script);
    produce(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}
