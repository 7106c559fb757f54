//! Verification of Promela models, side by side with SPIN.
//!
//! Both tools run with their default settings, as processes of their own, one after the other, and
//! are measured in the same way. The models take SPIN seconds, so the time to generate and compile
//! its verifier is shown apart. SPIN's verifier is compiled as its manual recommends for speed
//! (`-O2 -DSAFETY`), and its stack is as deep as the model needs and not deeper.

mod instances;
mod measured;
pub mod small;
mod table;
mod tools;

use clap::Args;
use instances::Instance;
use mazurka_testkit::spin::Spin;
use std::io::Write;
use std::path::Path;
use std::time::Duration;
use table::{Row, Table};
use tools::{Bounds, Question};

/// What is compared.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "they are flags")]
pub struct Options {
    /// Small sizes, to see that it works.
    #[arg(long)]
    quick: bool,
    /// Only models whose name contains this.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// A table of searches without reduction too.
    #[arg(long)]
    unreduced: bool,
    /// A table of formulas of temporal logic too.
    #[arg(long)]
    ltl: bool,
    /// Small models instead: some of the corpus, and those that SPIN installs as examples.
    #[arg(long, conflicts_with_all = ["unreduced", "ltl"])]
    small: bool,
    /// The time limit of each search, in seconds of processor time.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

/// Prints the tables, line by line, each with its means.
pub fn run(options: &Options) {
    if options.small {
        return small::run(options.quick, options.only.as_deref());
    }
    let mazurka = match tools::find_ours() {
        Ok(path) => path,
        Err(reason) => {
            eprintln!("{reason}");
            std::process::exit(2);
        }
    };
    let bounds = Bounds {
        time: Duration::from_secs(options.seconds),
        megabytes: 2048,
    };
    println!(
        "at most {} s of processor time and {} MB for each search; `>` where that was not enough",
        bounds.time.as_secs(),
        bounds.megabytes
    );
    let has_spin = Spin::find().is_some();
    if !has_spin {
        println!("SPIN and gcc cannot be started: our side only");
    }
    let asked = |question| {
        instances::safety(options.quick)
            .into_iter()
            .map(move |i| (i, question))
            .collect()
    };
    let duel = Duel {
        mazurka: &mazurka,
        bounds,
        has_spin,
        only: options.only.as_deref(),
    };
    duel.table(
        "assertions and end states, default reduction of both",
        asked(Question::Safety),
    );
    if options.unreduced {
        duel.table("assertions and end states, no reduction", asked(Question::Unreduced));
    }
    if options.ltl {
        let formulas = instances::formulas(options.quick).into_iter();
        let formulas = formulas.map(|(instance, name)| (instance, Question::Formula(name)));
        duel.table("formulas, default settings of both", formulas.collect());
    }
    println!(
        "\nCPU s is user and system time of the search. \"All\" adds generating and compiling SPIN's verifier. SPIN's\n\
         bytes per state leave out its hash table and stack; ours include both. Peak MB is all resident memory of\n\
         the process, with SPIN's hash table at its default size."
    );
}

/// Two tools, and what is the same for all questions.
struct Duel<'a> {
    mazurka: &'a Path,
    bounds: Bounds,
    has_spin: bool,
    only: Option<&'a str>,
}

impl Duel<'_> {
    fn table(&self, title: &str, questions: Vec<(Instance, Question)>) {
        let stops = questions
            .iter()
            .any(|(_, question)| matches!(question, Question::Formula(_)));
        let mut table = Table::new(self.has_spin, stops);
        println!("\n{title}\n");
        print!("{}", table.heading());
        for (instance, question) in questions {
            if self.only.is_some_and(|only| !instance.name.contains(only)) {
                continue;
            }
            let row = Row {
                spin: self.has_spin.then(|| tools::spin(&instance, question, self.bounds)),
                ours: tools::ours(self.mazurka, &instance, question, self.bounds),
                name: instance.name,
            };
            println!("{}", table.line(&row));
            // Whoever waits wants to see it.
            let _ = std::io::stdout().flush();
            table.rows.push(row);
        }
        println!();
        print!("{}", table.summary());
    }
}
