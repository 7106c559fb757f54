//! `mazurka simulate`: one run of a model, chosen at random or by hand.

use crate::exit::{Error, Exit};
use crate::interrupt;
use crate::model::ModelOptions;
use crate::output::{Format, OutputOptions, print, print_styled, remark};
use clap::Args;
use mazurka_promela::Model;
use mazurka_promela::plain::{Event, Failure, Interpreter, Simulation, Step};
use mazurka_promela::verify::{ShownStep, StepId};
use mazurka_report::check::{SimulationEnd, simulation_json, simulation_step, simulation_summary};
use mazurka_report::printable;
use std::io::{self, BufRead};
use std::sync::atomic::Ordering;

const EXAMPLES: &str = "\
Examples:
  mazurka simulate model.pml --seed 7
  mazurka simulate model.pml --interactive

The same seed gives the same run. With --interactive, each step is chosen from a list: by its number, or with \
an empty line at random; `v` shows the variables, `q` ends.

Exit codes: 0 the run ended, or there were enough steps; 1 it came to an error of the model or to an invalid \
end state; 2 the model or the command line is wrong; 130 interrupted.";

/// Options of `mazurka simulate`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    model: ModelOptions,

    /// The seed of the random run
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    steps: usize,

    /// Choose each step
    #[arg(long, short)]
    interactive: bool,

    /// Show everything that a step changes, however long that is
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    output: OutputOptions,
}

pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    interrupt::flag();
    let model = options.model.load(options.output.quiet)?.model;
    let interpreter = Interpreter::new(&model);
    let mut run = Run {
        options,
        model: &model,
        interpreter: &interpreter,
        steps: Vec::new(),
    };
    let end = match Simulation::new(&interpreter, options.seed) {
        Ok(simulation) => run.follow(simulation)?,
        Err(error) => failed(&error),
    };
    match options.output.format {
        Format::Text => print_styled(&simulation_summary(&model.sources, run.steps.len(), &end)),
        Format::Json => {
            let name = options.model.name();
            print(&simulation_json(&name, &model.sources, options.seed, &run.steps, &end));
        }
    }
    Ok(match end {
        end if end.is_violation() => Exit::Violation,
        SimulationEnd::Stopped if interrupt::flag().load(Ordering::Relaxed) => Exit::Interrupted,
        _ => Exit::Success,
    })
}

/// A run in progress.
struct Run<'a> {
    options: &'a Options,
    model: &'a Model,
    interpreter: &'a Interpreter<'a>,
    steps: Vec<ShownStep>,
}

/// What was chosen.
enum Choice {
    Random,
    Step(Step),
    End,
}

impl Run<'_> {
    fn follow(&mut self, mut simulation: Simulation<'_, '_>) -> Result<SimulationEnd, Error> {
        while self.steps.len() < self.options.steps {
            if interrupt::flag().load(Ordering::Relaxed) {
                return Ok(SimulationEnd::Stopped);
            }
            let steps = simulation.steps();
            if steps.is_empty() {
                return Ok(match self.interpreter.is_valid_end(simulation.state()) {
                    true => SimulationEnd::Finished,
                    false => SimulationEnd::Deadlock,
                });
            }
            let choice = match self.options.interactive {
                true => self.ask(&simulation, steps)?,
                false => Choice::Random,
            };
            let before = simulation.state().clone();
            let event = match choice {
                Choice::End => return Ok(SimulationEnd::Stopped),
                // With the name of the type, since a simulation is an iterator too.
                Choice::Step(step) => Simulation::take(&mut simulation, step),
                Choice::Random => match simulation.next_random() {
                    Some(event) => event,
                    None => continue,
                },
            };
            match event {
                Ok(event) => self.show(&before, event)?,
                Err(error) => return Ok(failed(&error)),
            }
        }
        Ok(SimulationEnd::Steps)
    }

    /// Notes a step, and prints it unless the output is JSON.
    fn show(&mut self, before: &mazurka_promela::plain::State, event: Event) -> Result<(), Error> {
        let name = |pid| self.interpreter.name_of(before, pid);
        let full = name(event.step.process).unwrap_or_default();
        let partner = event.step.partner.as_ref().and_then(|partner| name(partner.process));
        let ended = || "(ended)".to_owned();
        let process = full.rsplit_once('[').map_or(&*full, |(name, _)| name);
        let words: Vec<&str> = self.interpreter.text(before, &event.step).split_whitespace().collect();
        // A run is shown as it goes; dependencies between steps are not needed.
        let mut step = ShownStep::new(event.step.process, process, event.step.span, words.join(" "));
        step.changes = (event.changes.into_iter())
            .map(|change| (change.name, change.after.unwrap_or_else(ended)))
            .collect();
        step.printed = event.printed;
        if self.options.output.format == Format::Text {
            let same = (self.steps.last()).is_some_and(|last| (last.pid, &last.process) == (step.pid, &step.process));
            let options = self.options.output.text(self.options.verbose);
            let id = StepId::new(self.steps.len());
            let sources = &self.model.sources;
            print_styled(&simulation_step(
                sources,
                (id, &step),
                partner.as_deref(),
                same && !self.options.interactive,
                &options,
            ));
        }
        self.steps.push(step);
        Ok(())
    }

    /// Lets the user choose. The list is on standard error, so that the run can be kept.
    fn ask(&self, simulation: &Simulation<'_, '_>, steps: Vec<Step>) -> Result<Choice, Error> {
        let state = simulation.state();
        let name = |pid| self.interpreter.name_of(state, pid).unwrap_or_default();
        for (k, step) in steps.iter().enumerate() {
            let partner = step.partner.as_ref().map(|p| format!(" with {}", name(p.process)));
            remark(&format!(
                "  {:>3}  {} line {}: {}{}\n",
                k + 1,
                name(step.process),
                self.model.sources.place(step.span).line,
                printable(self.interpreter.text(state, step)),
                partner.unwrap_or_default(),
            ));
        }
        loop {
            remark(&format!("step (1-{}, Enter at random, v, q)? ", steps.len()));
            let mut line = String::new();
            // A line that cannot be read ends the input.
            if io::stdin().lock().read_line(&mut line).unwrap_or(0) == 0 {
                return Ok(Choice::End);
            }
            match line.trim() {
                "" => return Ok(Choice::Random),
                "q" => return Ok(Choice::End),
                "v" => {
                    for (name, value) in self.interpreter.describe(state) {
                        remark(&format!("       {name} = {value}\n"));
                    }
                }
                number => match number.parse::<usize>().ok().and_then(|n| n.checked_sub(1)) {
                    Some(at) if at < steps.len() => return Ok(Choice::Step(steps[at].clone())),
                    _ => remark(&format!("there is no step `{}`\n", printable(number))),
                },
            }
        }
    }
}

fn failed(error: &Failure) -> SimulationEnd {
    SimulationEnd::Error {
        message: error.to_string(),
        span: error.span,
    }
}
