//! Hostile input: every parser and importer, and generated models through `check`.
//!
//! Each [target](target::Target) takes bytes and must return without a panic, a stack overflow, a hang, an internal
//! error, more memory than allowed, or two answers that contradict each other. Inputs are the files of a corpus,
//! changed at random ([`mutate`]); an input to which a target reacts in a new way becomes part of the corpus of that run ([`campaign`]). Cases run in a process of their own, so that a crash is
//! found and its input kept ([`supervise`]).
//!
//! ```text
//! cargo run --release -p mazurka-fuzz                          # some seconds for every target
//! cargo run --release -p mazurka-fuzz -- --seconds 3600        # an hour each
//! cargo run --release -p mazurka-fuzz -- promela --seed 7      # one target, other inputs
//! cargo run --release -p mazurka-fuzz -- promela --replay FILE # one input again
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod campaign;
mod corpus;
mod mutate;
mod supervise;
mod target;

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use target::Target;

/// Feeds hostile input to every parser, importer and search.
#[derive(Parser)]
struct Arguments {
    /// The targets; all of them if none is named. `--list` shows their names.
    targets: Vec<String>,
    /// List the targets and exit.
    #[arg(long)]
    list: bool,
    /// How many seconds to try each target.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// The seed of the random changes.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seconds a case may take; after that, it counts as hanging.
    #[arg(long, default_value_t = 20)]
    hang: u64,
    /// How many MiB of memory the cases may use.
    #[arg(long, default_value_t = 2048)]
    memory: u64,
    /// The folder where inputs that show a fault are kept.
    #[arg(long, default_value = "target/fuzz")]
    out: PathBuf,
    /// Run one input again, in this process.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// For the process that runs the cases: the file that holds the current one.
    #[arg(long, hide = true, value_name = "FILE")]
    worker: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let all = target::all();
    if arguments.list {
        for target in &all {
            println!("{:<12} {}", target.name, target.about);
        }
        return ExitCode::SUCCESS;
    }
    let mut chosen: Vec<&Target> = Vec::new();
    for name in &arguments.targets {
        match all.iter().find(|target| target.name == name) {
            Some(target) => chosen.push(target),
            None => {
                eprintln!("there is no target `{name}`; `--list` shows the names");
                return ExitCode::from(2);
            }
        }
    }
    if chosen.is_empty() {
        chosen = all.iter().collect();
    }
    match run(&arguments, &chosen) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments, chosen: &[&Target]) -> std::io::Result<ExitCode> {
    if let Some(file) = &arguments.replay {
        let [target] = chosen else {
            eprintln!("--replay needs exactly one target");
            return Ok(ExitCode::from(2));
        };
        supervise::limit_memory(arguments.memory)?;
        let input = std::fs::read(file)?;
        campaign::on_a_small_stack(|| (target.run)(&input));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(file) = &arguments.worker {
        supervise::limit_memory(arguments.memory)?;
        let [target] = chosen else {
            return Ok(ExitCode::from(2));
        };
        let cases = campaign::run(target, arguments.seed, arguments.seconds, file)?;
        println!("{cases}");
        return Ok(ExitCode::SUCCESS);
    }
    let mut faults = 0;
    for target in chosen {
        let limits = supervise::Limits {
            seconds: arguments.seconds,
            hang: arguments.hang,
            memory: arguments.memory,
        };
        match supervise::supervise(target, arguments.seed, &limits, &arguments.out)? {
            Ok(cases) => println!("{:<12} {cases} cases", target.name),
            Err(fault) => {
                faults += 1;
                println!("{:<12} {fault}", target.name);
            }
        }
    }
    Ok(ExitCode::from(u8::from(faults > 0)))
}
