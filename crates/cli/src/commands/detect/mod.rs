//! `mazurka detect`: could a recorded run have gone wrong?

mod board;
mod executions;
mod follow;
mod followable;
mod formulas;
mod linearizable;
mod offline;
mod patterns;
mod printer;
mod queries;
mod undefined;
mod warnings;

use crate::diagnostic::Diagnostic;
use crate::exit::{Error, Exit};
use crate::input::InputOptions;
use crate::output::OutputOptions;
use crate::reduction::reduction;
use clap::{Args, ValueEnum};
use mazurka_core::Reduction;
use mazurka_linear::formats::Object;
use mazurka_trace::Budget;
use patterns::Patterns;
use queries::Queries;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
E is a CEL expression over the variables of the processes: `p1.x == 1 && p2.y > 3`, \
`process(\"node-1\").leader`, `processes.all(p, p.term >= 1)`, `processes.map(p, p.balance).sum() < 0`.

Examples:
  Could two leaders have coexisted?
    mazurka detect run.log --never 'processes.exists(p, processes.exists(q, p.name != q.name && p.leader && q.leader))'
  The same while the system runs, each answer as soon as it is certain:
    my-system | mazurka detect - --follow --never 'a.leader && b.leader'
  How many global states could it have been in?
    mazurka detect run.log --method enumerate
  Did a register behave like one, although its operations overlapped?
    mazurka detect history.edn --linearizable register

Exit codes: 0 answered and no requirement violated; 1 a requirement is violated; 2 the input, a predicate \
or the command line is wrong; 3 inconclusive, a limit was reached; 130 interrupted.";

/// Options of `mazurka detect`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    queries: Queries,

    /// Require that this formula holds of the observed order; `snapshot(q)` means that the run could have been in q so far
    #[arg(
        long = "sltl",
        value_name = "FORMULA",
        allow_hyphen_values = true,
        help_heading = "Queries"
    )]
    formulas: Vec<String>,

    #[command(flatten)]
    patterns: Patterns,

    /// Require that the input, a history of invocations and returns, is linearizable as this object
    #[arg(long, value_name = "SPEC", value_parser = linearizable::objects(), help_heading = "Queries")]
    linearizable: Option<Object>,

    #[command(flatten)]
    input: InputOptions,

    /// Ask about this execution of the input only: its name, or its number from 1
    #[arg(long, value_name = "NAME|N", help_heading = "Input")]
    execution: Option<String>,

    /// Answer while the run goes on, each question as soon as the records read so far imply it
    #[arg(long, help_heading = "On-line")]
    follow: bool,

    /// With --follow: all processes of the run, so that less has to be remembered
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        requires = "follow",
        help_heading = "On-line"
    )]
    processes: Option<Vec<String>>,

    /// With --follow: how long to wait for more at the end of a file
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "0s",
        value_parser = humantime::parse_duration,
        requires = "follow",
        help_heading = "On-line"
    )]
    wait: Duration,

    /// How to find the answer
    #[arg(long, value_enum, default_value_t = Method::Auto, help_heading = "Search")]
    method: Method,

    /// Search with exactly this reduction, one event at a time, as in the publications
    #[arg(long, value_parser = reduction(), value_name = "WHICH", help_heading = "Search")]
    reduction: Option<Reduction>,

    /// Threads for counting global states
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024),
        help_heading = "Search"
    )]
    threads: usize,

    /// Give up a question after this many global states
    #[arg(long, value_name = "N", help_heading = "Search")]
    max_states: Option<u64>,

    /// Give up after this long, such as `30s` or `5min`
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration, help_heading = "Search")]
    timeout: Option<Duration>,

    /// Give up when this much memory is used, such as `512MiB` or `2GB`
    #[arg(long, value_name = "SIZE", value_parser = crate::arguments::size, help_heading = "Search")]
    max_memory: Option<usize>,

    /// Write a page with the space-time diagram and the answers
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Show everything: all processes, all events of a witness, how the method was chosen
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    output: OutputOptions,
}

/// How to find the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Whatever is best for the predicate
    Auto,
    /// Selective search
    Search,
    /// Look at every global state; without a query, count them
    Enumerate,
    /// Linear algorithms for conjunctions of conditions on one process each
    Conjunctive,
    /// Fix some processes and solve the rest; for possibly, never and always
    Decompose,
    /// Search with conditional stubborn sets, one event at a time; for possibly, never and always
    Stubborn,
    /// Search with the conference version's persistent sets, one event at a time; for definitely and inevitably, of
    /// conditions on one process each
    Conference,
}

impl From<Method> for mazurka_trace::Method {
    fn from(method: Method) -> Self {
        match method {
            Method::Auto => Self::Auto,
            Method::Search => Self::Search,
            Method::Enumerate => Self::Enumerate,
            Method::Conjunctive => Self::Conjunctive,
            Method::Decompose => Self::Decompose,
            Method::Stubborn => Self::Stubborn,
            Method::Conference => Self::Conference,
        }
    }
}

pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    // Before anything takes long: from now on Ctrl-C sets the flag.
    crate::interrupt::flag();
    if let Some(object) = options.linearizable {
        return linearizable::run(options, object);
    }
    options.check()?;
    match options.follow {
        true => follow::run(options),
        false => offline::run(options),
    }
}

impl Options {
    /// Whether the options go together.
    fn check(&self) -> Result<(), Error> {
        let counts = self.method == Method::Enumerate && !self.follow;
        if self.asks_nothing() && !counts {
            let mut wrong = Diagnostic::error("nothing is asked");
            wrong
                .note("expected --possibly, --definitely, --never, --always or --inevitably with an expression, --sltl, or a question about orders of events such as --possibly-sequence")
                .note("`--method enumerate` without a query counts the global states");
            return Err(wrong.into());
        }
        let reduces = matches!(
            self.method,
            Method::Auto | Method::Search | Method::Stubborn | Method::Conference
        );
        if self.reduction.is_some() && !reduces {
            return Err(Diagnostic::error("--reduction is for --method search, stubborn and conference only").into());
        }
        Ok(())
    }

    /// Whether there is no query.
    fn asks_nothing(&self) -> bool {
        self.queries.is_empty() && self.formulas.is_empty() && self.patterns.is_empty()
    }

    /// What may be used, counted from now on.
    fn budget(&self) -> Budget {
        Budget {
            time: self.timeout,
            memory: self.max_memory,
            memory_used: crate::watchdog::memory,
            interrupt: Some(crate::interrupt::shared().clone()),
        }
    }

    /// Everything that is asked.
    fn all_queries(&self) -> Result<mazurka_trace::Queries, Error> {
        Ok(mazurka_trace::Queries {
            questions: self.queries.questions()?,
            formulas: formulas::parse(&self.formulas)?,
            patterns: self.patterns.questions()?,
        })
    }

    /// The method; a reduction implies the search.
    fn method(&self) -> mazurka_trace::Method {
        match (self.reduction, self.method) {
            (Some(_), Method::Auto) => mazurka_trace::Method::Search,
            (_, method) => method.into(),
        }
    }
}
