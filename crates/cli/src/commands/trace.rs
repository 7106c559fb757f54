//! `mazurka trace`: work on traces themselves.

use crate::diagnostic::finding_text;
use crate::exit::{Error, Exit};
use crate::input::InputOptions;
use crate::interrupt;
use crate::output::{Format, OutputOptions, print, print_styled};
use crate::progress::Activity;
use clap::{Args, Subcommand};
use mazurka_report::{lint_json, lint_summary};
use mazurka_trace::lint;

/// Options of `mazurka trace`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say which records break which rule, and what was expected
    Lint(LintOptions),
}

const EXAMPLES: &str = "\
Examples:
  mazurka trace lint run.log
  mazurka trace lint logs/ --input govector

Rules that are broken are errors (exit code 2): such an input cannot be used. What is allowed and seldom \
meant, such as a variable that changes its type, is a warning.";

/// Options of `mazurka trace lint`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
struct LintOptions {
    #[command(flatten)]
    input: InputOptions,

    #[command(flatten)]
    output: OutputOptions,
}

pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    interrupt::flag();
    let Command::Lint(options) = &options.command;
    let name = options.input.name();
    let line = Activity::new(format!("reading {}", options.input.title()), options.output.quiet);
    let input = options.input.open()?;
    let settings = options.input.import(&input, None);
    let found = lint(input, &settings).map_err(|error| options.input.refused(error))?;
    drop(line);
    match options.output.format {
        Format::Json => print(&lint_json(&name, &found)),
        Format::Text => {
            for finding in &found.findings {
                print_styled(&format!("{}\n", finding_text(finding)));
            }
            print_styled(&lint_summary(&options.input.title(), &found));
        }
    }
    Ok(match found.has_errors() {
        true => Exit::Usage,
        false => Exit::Success,
    })
}
