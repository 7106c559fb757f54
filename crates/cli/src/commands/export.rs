//! `mazurka export`: a model in the formats of other tools.

use crate::atomic_files;
use crate::diagnostic::Diagnostic;
use crate::exit::{Error, Exit};
use crate::model::ModelOptions;
use crate::output::{produce, remark, wrote};
use crate::properties;
use clap::{Args, ValueEnum};
use mazurka_logic::Buchi;
use mazurka_promela::Model;
use mazurka_promela::verify::{GraphError, Property, graph};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  The reachable states, for CADP or mCRL2:
    mazurka export model.pml --to aut -o model.aut
  A picture of them, for Graphviz:
    mazurka export model.pml --to dot | dot -Tsvg > model.svg
  The automaton that a search for violations of a formula uses, for Spot:
    mazurka export model.pml --to hoa --ltl '[] <> ready'

The states are those of a search without reduction; what happens inside `atomic` without a choice is one edge.

Exit codes: 0 written; 2 the model or the command line is wrong; 3 there are more states than --max-states, \
and nothing is written.";

/// Options of `mazurka export`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    model: ModelOptions,

    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Target,

    /// Write into this file rather than to standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Give up when there are more states than this
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    max_states: usize,

    /// The automaton of this `ltl` block rather than those of all, for `hoa`
    #[arg(long = "property", value_name = "NAME")]
    properties: Vec<String>,

    /// The automaton of this formula, for `hoa`
    #[arg(long = "ltl", value_name = "FORMULA", allow_hyphen_values = true)]
    formulas: Vec<String>,

    /// Print no remarks on standard error
    #[arg(long)]
    quiet: bool,
}

/// Formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// The reachable states, for Graphviz
    Dot,
    /// The reachable states, in the Aldebaran format
    Aut,
    /// The Büchi automata of the negations of `ltl` formulas, in the Hanoi format
    Hoa,
}

pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let outputs = || options.out.iter().map(PathBuf::as_path);
    atomic_files::check_outputs(outputs(), [options.model.model.as_path()])?;
    let asks = !options.properties.is_empty() || !options.formulas.is_empty();
    if options.to != Target::Hoa && asks {
        return Err(Diagnostic::error("--property and --ltl choose formulas, which only `--to hoa` writes").into());
    }
    let mut model = options.model.load(options.quiet)?.model;
    atomic_files::check_outputs(outputs(), model.sources.names().map(Path::new))?;
    let text = match options.to {
        Target::Hoa => automata(&mut model, options)?,
        Target::Dot | Target::Aut => match graph(&model, options.max_states) {
            Ok(graph) if options.to == Target::Aut => graph.to_aut(),
            Ok(graph) => graph.to_dot(&options.model.name()),
            Err(error @ GraphError::TooLarge(_)) => {
                let mut said = Diagnostic::error(error);
                said.note("nothing is written; see --max-states");
                remark(&said.to_string());
                return Ok(Exit::Inconclusive);
            }
            Err(error) => return Err(Diagnostic::error(error).into()),
        },
    };
    match &options.out {
        None => produce(&text)?,
        Some(path) => {
            atomic_files::write_file(path, text)?;
            if !options.quiet {
                wrote(path);
            }
        }
    }
    Ok(Exit::Success)
}

/// An automaton for each formula, one after the other, as the format allows.
fn automata(model: &mut Model, options: &Options) -> Result<String, Error> {
    let mut text = String::new();
    for property in formulas(model, options)? {
        let Property::Ltl(ltl) = property else { continue };
        // A search looks for an execution for which the negation holds.
        let automaton = Buchi::new(&ltl.formula.clone().negated()).map_err(Diagnostic::error)?;
        let atoms = ltl.atoms.iter().map(|atom| {
            let words: Vec<&str> = model.sources.slice(atom.span).split_whitespace().collect();
            words.join(" ")
        });
        let atoms = atoms.chain(ltl.snapshots.iter().map(|snapshot| snapshot.text.clone()));
        let name = match ltl.name == ltl.text {
            true => format!("negation of {}", ltl.text),
            false => format!("negation of {}: {}", ltl.name, ltl.text),
        };
        text.push_str(&automaton.to_hoa(&name, &atoms.collect::<Vec<_>>()));
    }
    Ok(text)
}

/// The formulas that are asked for: all of the model, if none is named.
fn formulas(model: &mut Model, options: &Options) -> Result<Vec<Property>, Error> {
    let known: Vec<Property> = model.ltl.iter().cloned().map(Property::Ltl).collect();
    if options.properties.is_empty() && options.formulas.is_empty() {
        return match known.is_empty() {
            true => Err(Diagnostic::error("the model has no `ltl` block; give a formula with --ltl").into()),
            false => Ok(known),
        };
    }
    properties::asked(model, &known, "`ltl` block", &options.properties, &options.formulas)
}
