//! The command line as a whole.

use crate::{check, completions, detect, export, generate, man, reproduce, simulate, trace};
use clap::{Parser, Subcommand};

/// A workbench for concurrent and distributed systems, built on partial orders
#[derive(Debug, Parser)]
#[command(name = "mazurka", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 answered and nothing wrong; 1 a violation was found; 2 the input or the \
                          command line is wrong; 3 inconclusive, a limit was reached; 130 interrupted.";

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
    /// Look after traces
    Trace(trace::Options),
    /// Run published experiments again
    Reproduce(reproduce::Options),
    /// Print shell completions
    Completions(completions::Options),
    /// Print the manual page
    Man(man::Options),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
