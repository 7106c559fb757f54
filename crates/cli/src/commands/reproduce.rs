//! `mazurka reproduce`: published experiments, run again.

use crate::atomic_files;
use crate::exit::{Error, Exit};
use crate::interrupt;
use crate::output::{Format, OutputOptions, print, wrote};
use crate::progress::ProgressLine;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use mazurka_experiments::{Entry, Experiment, Setup, all, find};
use mazurka_report::{
    experiment_csv, experiment_json, experiment_svg, experiment_text, experiments_json, listing_json, listing_text,
};
use std::path::{Path, PathBuf};

/// Options of `mazurka reproduce`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// What to run; if nothing is given, the experiments are listed
    #[arg(value_name = "EXPERIMENT", value_parser = names())]
    experiments: Vec<String>,

    /// Write JSON, CSV and SVG files into this directory
    #[arg(long, value_name = "DIR", requires = "experiments")]
    out: Option<PathBuf>,

    /// Run only the small sizes, which take seconds
    #[arg(long, requires = "experiments")]
    quick: bool,

    #[command(flatten)]
    output: OutputOptions,
}

fn names() -> PossibleValuesParser {
    let value = |e: &'static Entry| PossibleValue::new(e.name).help(e.description);
    PossibleValuesParser::new(all().iter().map(value))
}

pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let format = options.output.format;
    let entries = chosen(&options.experiments);
    if entries.is_empty() {
        print(&match format {
            Format::Text => listing_text(all()),
            Format::Json => listing_json(all()),
        });
        return Ok(Exit::Success);
    }
    if let Some(out) = &options.out {
        // Now, so that a wrong directory is reported before the searches.
        atomic_files::directory(out)?;
    }
    let setup = Setup {
        quick: options.quick,
        interrupt: Some(interrupt::flag()),
    };
    let several = entries.len() > 1;
    let mut done = Vec::new();
    for (k, entry) in entries.into_iter().enumerate() {
        let experiment = measure(entry, &setup, options.output.quiet)?;
        if let Some(out) = options.out.as_deref().filter(|_| !experiment.interrupted) {
            save(out, &experiment, options.output.quiet)?;
        }
        if format == Format::Text {
            let gap = if k > 0 { "\n" } else { "" };
            print(&format!("{gap}{}", experiment_text(&experiment)));
        }
        let interrupted = experiment.interrupted;
        done.push(experiment);
        if interrupted {
            break;
        }
    }
    if format == Format::Json {
        print(&match &done[..] {
            [experiment] if !several => experiment_json(experiment),
            experiments => experiments_json(experiments),
        });
    }
    Ok(match done.last() {
        Some(experiment) if experiment.interrupted => Exit::Interrupted,
        _ => Exit::Success,
    })
}

/// The experiments of these names, each once.
fn chosen(names: &[String]) -> Vec<&'static Entry> {
    let mut chosen: Vec<&'static Entry> = Vec::new();
    for entry in names.iter().filter_map(|name| find(name)) {
        if !chosen.iter().any(|e| e.name == entry.name) {
            chosen.push(entry);
        }
    }
    chosen
}

fn measure(entry: &'static Entry, setup: &Setup<'_>, quiet: bool) -> Result<Experiment, Error> {
    let line = ProgressLine::new(entry.name, quiet);
    entry
        .run(setup, &mut |progress| line.show(progress))
        .map_err(|failure| Error::Experiment {
            name: entry.name,
            failure,
        })
}

fn save(out: &Path, experiment: &Experiment, quiet: bool) -> Result<(), Error> {
    let files = [
        (format!("{}.json", experiment.name), experiment_json(experiment)),
        (format!("{}.csv", experiment.name), experiment_csv(experiment)),
        (format!("{}.svg", experiment.name), experiment_svg(experiment)),
    ];
    atomic_files::write(out, &files)?;
    if !quiet {
        for (name, _) in &files {
            wrote(&out.join(name));
        }
    }
    Ok(())
}
