//! `mazurka check`: does a model do what it should?

mod properties;
mod store;

use crate::atomic_files;
use crate::diagnostic::Diagnostic;
use crate::exit::{Error, Exit};
use crate::interrupt;
use crate::model::{ModelOptions, refused};
use crate::output::{Format, OutputOptions, print, print_styled};
use crate::progress::Activity;
use crate::reduction::Reduction;
use clap::{Args, ValueEnum};
use mazurka_core::{End, Limit, Limits, Progress, Statistics, Storage};
use mazurka_promela::Model;
use mazurka_promela::plain::Interpreter;
use mazurka_promela::verify::{self, Checked, Kind, PropertyResult, ReductionUsed, Verdict};
use mazurka_report::check::{
    CheckedModel, checked_html, checked_json, checked_text, counterexample_trace, progress_text,
};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Without --property and --ltl everything that the model states is checked: assertions and invalid end states \
(`safety`), then each `ltl` block and the `never` claim.

Examples:
  Everything, with a page that shows the counterexample as a message sequence chart:
    mazurka check model.pml --report model.html
  A property that is not written in the model:
    mazurka check model.pml --ltl '[] (sent -> <> received)'
  Only deadlocks, at most a minute and 2 GB:
    mazurka check model.pml --property deadlock --timeout 1min --max-memory 2GB
  A larger instance, in less memory:
    mazurka check model.pml -DN=6 --store collapse

Exit codes: 0 everything holds; 1 a property is violated; 2 the model or the command line is wrong; 3 \
inconclusive, a limit was reached; 130 interrupted.";

/// Options of `mazurka check`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    model: ModelOptions,

    /// Check this: `safety`, `assertions`, `deadlock`, `progress`, `acceptance`, `never`, or an `ltl` block by its name
    #[arg(long = "property", value_name = "NAME", help_heading = "Properties")]
    properties: Vec<String>,

    /// Check that this formula holds of every execution
    #[arg(
        long = "ltl",
        value_name = "FORMULA",
        allow_hyphen_values = true,
        help_heading = "Properties"
    )]
    formulas: Vec<String>,

    /// Weak fairness: a process that can always move does so at some time
    #[arg(long, help_heading = "Properties")]
    fair: bool,

    /// What to leave out of the search; verdicts are the same
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Reduction::Full, help_heading = "Search")]
    reduction: Reduction,

    /// Which algorithm for persistent sets
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Persistent::Conditional, help_heading = "Search")]
    persistent: Persistent,

    /// How `snapshot(…)` is found: `tracker` allows propositions about several components, at exponential cost
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = SnapshotMethod::Basis, help_heading = "Search")]
    snapshot_method: SnapshotMethod,

    /// What to remember: `exact`, `collapse`, `cache=N` states, or hashes in `bitstate=SIZE`
    #[arg(long, value_name = "STORE", default_value = "exact", value_parser = store::store, help_heading = "Search")]
    store: Storage,

    /// How many properties to check at a time
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024),
        help_heading = "Search"
    )]
    threads: usize,

    /// Which hash functions `--store bitstate` uses: others miss other states
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Search")]
    seed: u64,

    /// Find all violations rather than the first
    #[arg(long, help_heading = "Search")]
    all: bool,

    /// Find a shortest counterexample; searches breadth first and without reduction
    #[arg(long, help_heading = "Search")]
    shortest: bool,

    /// Give up after this many states
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_states: Option<u64>,

    /// Go no deeper than this many transitions
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<usize>,

    /// Give up when this much memory is used, such as `512MiB` or `2GB`
    #[arg(long, value_name = "SIZE", value_parser = store::size, help_heading = "Limits")]
    max_memory: Option<usize>,

    /// Give up after this long, such as `30s` or `5min`
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration, help_heading = "Limits")]
    timeout: Option<Duration>,

    /// Write a page with the verdicts, and counterexamples as message sequence charts
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Write the first counterexample as a trace, which `mazurka detect` reads
    #[arg(long, value_name = "FILE")]
    trace_out: Option<PathBuf>,

    /// Everything: all steps, the statements that are never executed, how it was reduced
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    output: OutputOptions,
}

/// Ways to find snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SnapshotMethod {
    /// Freeze sets in their basis form
    Basis,
    /// All states that were passed
    Tracker,
}

impl From<SnapshotMethod> for verify::SnapshotMethod {
    fn from(method: SnapshotMethod) -> Self {
        match method {
            SnapshotMethod::Basis => Self::Basis,
            SnapshotMethod::Tracker => Self::Tracker,
        }
    }
}

/// Algorithms for persistent sets (Godefroid's thesis, chapter 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Persistent {
    /// Algorithm 1, conflicting transitions
    Conflicting,
    /// Algorithm 2, after Overman
    Overman,
    /// Algorithm 3, stubborn sets
    Stubborn,
    /// Algorithm 4, stubborn sets with conditional dependency
    Conditional,
}

impl From<Persistent> for verify::PersistentAlgorithm {
    fn from(persistent: Persistent) -> Self {
        match persistent {
            Persistent::Conflicting => Self::Conflicting,
            Persistent::Overman => Self::Overman,
            Persistent::Stubborn => Self::Stubborn,
            Persistent::Conditional => Self::Conditional,
        }
    }
}

pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    // Before anything takes long: from now on Ctrl-C asks.
    interrupt::flag();
    let start = Instant::now();
    for path in [&options.report, &options.trace_out].into_iter().flatten() {
        atomic_files::check(path)?;
    }
    let mut model = options.model.load(options.output.quiet)?.model;
    let properties = properties::asked(&mut model, options)?;
    let checked = check(options, &model, &properties, start)?;
    let name = options.model.name();
    let initial = initial_values(&model);
    let view = CheckedModel {
        model: &name,
        sources: &model.sources,
        initial: &initial,
        checked: &checked,
    };
    match options.output.format {
        Format::Json => print(&checked_json(&view))?,
        Format::Text => print_styled(&checked_text(&view, &options.output.text(options.verbose)))?,
    }
    write_files(options, &view)?;
    Ok(exit(&checked))
}

/// Checks the properties, on as many threads as are asked for. The first that cannot be checked is
/// the answer; after Ctrl-C, the others are begun no more.
fn check(options: &Options, model: &Model, properties: &[verify::Property], start: Instant) -> Result<Checked, Error> {
    let line = Activity::new("", options.output.quiet);
    let next = AtomicUsize::new(0);
    let answers: Vec<OnceLock<_>> = properties.iter().map(|_| OnceLock::new()).collect();
    let work = || {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(property) = properties.get(k) else { return };
            let name = &properties::name(property);
            let answer = match interrupt::flag().load(Ordering::Relaxed) {
                true => Ok(unanswered(name, properties::kind(property))),
                false => {
                    line.say(|| name.clone());
                    let show = |so_far: &Statistics| line.say(|| progress_text(name, so_far));
                    verify::check(model, property, &options.settings(start, Progress(&show)))
                }
            };
            if answer.is_err() {
                next.store(properties.len(), Ordering::Relaxed);
            }
            answers[k].set(answer).expect("each is answered once");
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..options.threads.min(properties.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut checked = Checked { properties: Vec::new() };
    for (property, answer) in properties.iter().zip(answers) {
        // Those that were not begun come after one that cannot be checked.
        let Some(answer) = answer.into_inner() else { continue };
        let name = properties::name(property);
        checked
            .properties
            .push(answer.map_err(|error| not_checked(model, &name, error))?);
    }
    Ok(checked)
}

/// Why a property cannot be checked, with the place in its formula if there is one.
fn not_checked(model: &Model, name: &str, error: verify::CheckError) -> Error {
    match error {
        verify::CheckError::Snapshot(diagnostic) => {
            let errors = mazurka_promela::Errors {
                sources: model.sources.clone(),
                diagnostics: vec![*diagnostic],
            };
            refused(&format!("the formula `{name}`"), &errors).into()
        }
        error => Diagnostic::error(error).into(),
    }
}

impl Options {
    fn settings<'a>(&self, start: Instant, progress: Progress<'a>) -> verify::Options<'a> {
        verify::Options {
            reduction: self.reduction.into(),
            persistent: self.persistent.into(),
            storage: match self.store {
                Storage::Bitstate { bytes, .. } => Storage::Bitstate { bytes, seed: self.seed },
                store => store,
            },
            limits: Limits {
                states: self.max_states,
                depth: self.max_depth,
                bytes: self.max_memory,
                time: self.timeout.map(|time| time.saturating_sub(start.elapsed())),
                interrupt: Some(interrupt::flag()),
                progress: Some(progress),
            },
            all: self.all,
            shortest: self.shortest,
            fair: self.fair,
            snapshots: self.snapshot_method.into(),
        }
    }
}

/// What there is to say about a property after Ctrl-C.
fn unanswered(name: &str, kind: Kind) -> PropertyResult {
    PropertyResult {
        name: name.to_owned(),
        kind,
        verdict: Verdict::Inconclusive,
        end: End::Limit(Limit::Interrupt),
        statistics: Statistics::default(),
        reduction: ReductionUsed::default(),
        violations: Vec::new(),
        unreached: Vec::new(),
        untrue: Vec::new(),
    }
}

/// The values of all variables in the first state; none, if there is no such state.
fn initial_values(model: &Model) -> Vec<(String, String)> {
    let interpreter = Interpreter::new(model);
    let state = interpreter.initial();
    state.map_or_else(|_| Vec::new(), |state| interpreter.describe(&state))
}

fn write_files(options: &Options, view: &CheckedModel<'_>) -> Result<(), Error> {
    let say = |words: &str, path: &Path| {
        if !options.output.quiet {
            eprintln!("{words} {}", path.display());
        }
    };
    if let Some(path) = &options.report {
        atomic_files::write_file(path, checked_html(view))?;
        say("wrote", path);
    }
    if let Some(path) = &options.trace_out {
        match view.checked.properties.iter().flat_map(|p| &p.violations).next() {
            Some(violation) => {
                atomic_files::write_file(path, counterexample_trace(view, violation))?;
                say("wrote", path);
            }
            None => say("there is no counterexample to write to", path),
        }
    }
    Ok(())
}

fn exit(checked: &Checked) -> Exit {
    let interrupted = |p: &PropertyResult| p.end == End::Limit(Limit::Interrupt);
    match checked.verdict() {
        _ if checked.properties.iter().any(interrupted) => Exit::Interrupted,
        Verdict::Violated => Exit::Violation,
        Verdict::Holds => Exit::Success,
        Verdict::Inconclusive => Exit::Inconclusive,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(results: &[(Verdict, End)]) -> Checked {
        let property = |(verdict, end): &(Verdict, End)| PropertyResult {
            verdict: *verdict,
            end: *end,
            ..unanswered("p", Kind::Safety)
        };
        Checked {
            properties: results.iter().map(property).collect(),
        }
    }

    #[test]
    fn the_worst_verdict_is_the_exit_code() {
        let holds = (Verdict::Holds, End::Complete);
        let violated = (Verdict::Violated, End::Stopped);
        let limited = (Verdict::Inconclusive, End::Limit(Limit::States));
        let interrupted = (Verdict::Inconclusive, End::Limit(Limit::Interrupt));
        assert_eq!(exit(&with(&[holds, holds])), Exit::Success);
        assert_eq!(exit(&with(&[holds, limited])), Exit::Inconclusive);
        assert_eq!(exit(&with(&[limited, violated])), Exit::Violation);
        assert_eq!(exit(&with(&[violated, interrupted])), Exit::Interrupted);
    }
}
