//! `mazurka check`: does a model do what it should?

mod accompany;
mod conclude;
mod store;

use crate::arguments::size;
use crate::atomic_files;
use crate::exit::{Error, Exit};
use crate::interrupt;
use crate::model::ModelOptions;
use crate::output::OutputOptions;
use crate::progress::Activity;
use crate::properties;
use crate::reduction::{Proviso, persistent, proviso, reduction};
use crate::watchdog::{self, Bounds, Watchdog};
use accompany::Accompany;
use clap::{Args, ValueEnum};
use mazurka_core::{Limit, Limits, Reduction, Storage};
use mazurka_promela::Model;
use mazurka_promela::verify::{self, PersistentAlgorithm, Property, Session};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

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
    mazurka check model.pml -DN=6 --store bitstate=1GiB

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

    /// Assume weak fairness: a process that can always move does so at some time
    #[arg(long, help_heading = "Properties")]
    fair: bool,

    /// What to leave out of the search; verdicts are the same
    #[arg(long, value_parser = reduction(), value_name = "WHICH", default_value_t = Reduction::Full, help_heading = "Search")]
    reduction: Reduction,

    /// Which algorithm for persistent sets
    #[arg(long, value_name = "WHICH", value_parser = persistent(), default_value_t, help_heading = "Search")]
    persistent: PersistentAlgorithm,

    /// Which proviso sees to it that assertions are not missed
    #[arg(long, value_name = "WHICH", value_parser = proviso(), default_value = "auto", help_heading = "Search")]
    proviso: Proviso,

    /// How `snapshot(…)` is found: `tracker` remembers all states that were passed, which allows any proposition and is exponential
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = SnapshotMethod::Basis, help_heading = "Search")]
    snapshot_method: SnapshotMethod,

    /// Who executes the model; states and verdicts are the same
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Engine::Auto, help_heading = "Search")]
    engine: Engine,

    /// What to remember: `exact` or `collapse`, `flat` without compression, `cache=N` states, or hashes in `bitstate=SIZE`
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

    /// The seed of the hash functions of `--store bitstate`: others miss other states
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Search")]
    seed: u64,

    /// Find all violations rather than the first
    #[arg(long, help_heading = "Search")]
    all: bool,

    /// Find a counterexample with the fewest steps, which are statements; reduces where that keeps lengths
    #[arg(long, help_heading = "Search")]
    shortest: bool,

    /// Give up after this many states
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_states: Option<u64>,

    /// Go no deeper than this many transitions
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<usize>,

    /// Give up when this much memory is used, such as `512MiB` or `2GB`
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Limits")]
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

    /// Show everything: all steps, the statements that are never executed, how it was reduced
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

/// Ways to execute a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// The native engine
    Auto,
    /// A translation for each process, with the interpreter for what is rare
    Native,
    /// The interpreter alone
    Interpreter,
}

impl From<Engine> for verify::Engine {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Auto | Engine::Native => Self::Native,
            Engine::Interpreter => Self::Interpreter,
        }
    }
}

pub(crate) fn run(options: Options) -> Result<Exit, Error> {
    let options = Arc::new(options);
    // What is known so far, for the watchdog: nothing before the model is read.
    let known = Arc::new(OnceLock::new());
    let dog = Watchdog::start(options.bounds(), {
        let (options, known) = (options.clone(), known.clone());
        move |stopped| conclude::in_time(&options, &known, &stopped)
    });
    atomic_files::check_outputs(options.outputs(), [options.model.model.as_path()])?;
    dog.phase("reading the model");
    let mut model = options.model.load(options.output.quiet)?.model;
    atomic_files::check_outputs(options.outputs(), model.sources.names().map(Path::new))?;
    let properties = options.asked(&mut model)?;
    let session = known.get_or_init(|| Session::new(model, properties));
    let end = options.timeout.and_then(|time| dog.started().checked_add(time));
    let accompany = Accompany {
        dog: &dog,
        line: Activity::new("", options.output.quiet),
    };
    session.check(&options.settings(), options.threads, end, &accompany);
    drop(accompany);
    let checked = session.checked(watchdog::reached(Limit::Interrupt));
    let exit = conclude::exit(&checked);
    dog.answered(exit);
    conclude::refusals(session);
    match session.is_answered() {
        true => conclude::conclude(&options, session, &checked).map(|()| exit),
        // There is nothing to say except why.
        false => Ok(exit),
    }
}

impl Options {
    /// The properties of the command line, or all that the model states.
    fn asked(&self, model: &mut Model) -> Result<Vec<Property>, Error> {
        if self.properties.is_empty() && self.formulas.is_empty() {
            return Ok(Property::all(model));
        }
        let known = Property::named(model);
        properties::asked(model, &known, "property", &self.properties, &self.formulas)
    }

    /// What the run may take.
    fn bounds(&self) -> Bounds {
        Bounds {
            time: self.timeout,
            memory: self.max_memory,
        }
    }

    /// The files to write.
    fn outputs(&self) -> impl Iterator<Item = &Path> {
        [&self.report, &self.trace_out]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
    }

    /// How to check a property.
    fn settings(&self) -> verify::Options<'static> {
        verify::Options {
            reduction: self.reduction,
            persistent: self.persistent,
            proviso: self.proviso,
            storage: self.store.with_seed(self.seed),
            limits: Limits {
                states: self.max_states,
                depth: self.max_depth,
                bytes: self.max_memory,
                interrupt: Some(interrupt::flag()),
                ..Limits::default()
            },
            all: self.all,
            shortest: self.shortest,
            fair: self.fair,
            merge: true,
            snapshots: self.snapshot_method.into(),
            engine: self.engine.into(),
        }
    }
}
