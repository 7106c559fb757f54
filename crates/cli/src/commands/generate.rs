//! `mazurka generate`: traces of simulated protocols.

use crate::atomic_files;
use crate::exit::{Error, Exit};
use crate::output::wrote;
use clap::{Args, ValueEnum};
use mazurka_experiments::{database_partition, primary_secondary};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Example:
  mazurka generate primary-secondary --processes 4 --states 20 --seed 7 --out run.jsonl
  mazurka detect run.jsonl --never 'processes.all(p, !p.isPrimary)'

The variables of `database-partition` are `partn`, and `chg` of all processes but p1; those of \
`primary-secondary` are `isPrimary`, `isSecondary`, `primary` and `secondary`.";

/// Options of `mazurka generate`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Which protocol
    #[arg(value_enum)]
    protocol: Protocol,

    /// How many processes
    #[arg(
        long,
        value_name = "N",
        default_value_t = 5,
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(..=100_000)
    )]
    processes: usize,

    /// End the run when a process has this many local states, including the initial one
    #[arg(long, value_name = "S", default_value_t = 20)]
    states: u32,

    /// The seed of the random run
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,

    /// Write the trace into this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print no remarks on standard error
    #[arg(long)]
    quiet: bool,
}

/// Protocols of Stoller, Unnikrishnan and Liu (CAV 2000).
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Protocol {
    /// A coordinator changes the partition of a database that all processes know
    DatabasePartition,
    /// A primary and a secondary server, which look for successors
    PrimarySecondary,
}

pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    if let Some(path) = &options.out {
        atomic_files::check(path)?;
    }
    let simulate = match options.protocol {
        Protocol::DatabasePartition => database_partition,
        Protocol::PrimarySecondary => primary_secondary,
    };
    let run = simulate(options.processes, options.states, options.seed)?;
    let Some(path) = &options.out else {
        let mut out = BufWriter::new(io::stdout().lock());
        let written = run.write_jsonl(&mut out).and_then(|()| out.flush());
        written.map_err(Error::Output)?;
        return Ok(Exit::Success);
    };
    let mut trace = Vec::new();
    run.write_jsonl(&mut trace).expect("memory takes everything");
    atomic_files::write_file(path, String::from_utf8(trace).expect("JSON is UTF-8"))?;
    if !options.quiet {
        wrote(path);
    }
    Ok(Exit::Success)
}
