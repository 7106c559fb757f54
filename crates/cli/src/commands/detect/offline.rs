//! Detection on a run that is over.

use super::printer::Printer;
use super::undefined::refused;
use super::{Options, executions, formulas, patterns, warnings};
use crate::atomic_files;
use crate::diagnostic::{Diagnostic, shown};
use crate::exit::{Error, Exit};
use crate::output::{Format, print, print_styled, remark, wrote};
use crate::progress::Activity;
use mazurka_core::{Limit, Limits};
use mazurka_report::detection::{
    Detection, RecordedRun, answer_view, assumption, detection_json, executions_json, formula_views, pattern_view,
    unread_json, unread_text,
};
use mazurka_report::space_time::{AnswerView, SpaceTime, html};
use mazurka_trace::{
    Ended, ExecutionAnswers, Finding, ImportError, Imported, Misfit, Queries, Session, Settings, Supervisor, import,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// After the time is over, the page may take this fraction of it.
const FOR_THE_PAGE: u32 = 10;

pub(super) fn run(options: &Options) -> Result<Exit, Error> {
    let supervisor = Supervisor::new(options.budget());
    let queries = options.all_queries()?;
    let inputs = options.input.files();
    let report = options.report.iter().map(PathBuf::as_path);
    atomic_files::check_outputs(report, inputs.iter().map(PathBuf::as_path))?;
    let trace = options.input.name();
    let imported = match read(options, &supervisor, &queries)? {
        Ok(imported) => imported,
        Err(Limit::Interrupt) => return Err(Error::Interrupted),
        Err(limit) => return Ok(unread(options, &trace, &queries, limit)),
    };
    let chosen = executions::chosen(options, &imported, &trace)?;
    let mut general = imported.warnings.clone();
    general.extend(warnings::defaults(options, &queries));
    warnings::say(&general, options.output.quiet);
    let session = Session::new(imported, chosen, queries, options.settings(), supervisor);
    let mut printer = Printer::new(options, &trace, &session, &general);
    let found = session
        .run(&mut printer)
        .map_err(|misfit| does_not_fit(&printer, misfit))?;
    finish(options, &session, &general, &printer, &found)
}

impl Options {
    /// How to answer.
    fn settings(&self) -> Settings<'static> {
        Settings {
            method: self.method(),
            reduction: self.reduction,
            threads: self.threads,
            limits: Limits {
                states: self.max_states,
                ..Limits::default()
            },
            ..Settings::default()
        }
    }
}

/// Reads the input, unless a limit is reached.
fn read(options: &Options, supervisor: &Supervisor, queries: &Queries) -> Result<Result<Imported, Limit>, Error> {
    let _line = Activity::new(format!("reading {}", options.input.title()), options.output.quiet);
    let variables = Some(queries.variables()).filter(|_| options.report.is_none());
    let source = options.input.clone();
    let ended = supervisor.run(None, move |stop| -> Result<Result<Imported, ImportError>, Error> {
        let input = source.open()?;
        let mut settings = source.import(&input, variables);
        settings.interrupt = Some(stop.flag().clone());
        Ok(import(input, &settings))
    });
    match ended {
        Ended::LeftBehind(limit) => Ok(Err(limit)),
        Ended::Done(done, asked) => match done? {
            Ok(imported) => Ok(Ok(imported)),
            Err(ImportError::Interrupted) => Ok(Err(asked.unwrap_or(Limit::Interrupt))),
            Err(error) => Err(options.input.refused(error)),
        },
    }
}

/// A limit was reached before there was anything to ask about.
fn unread(options: &Options, trace: &str, queries: &Queries, limit: Limit) -> Exit {
    match options.output.format {
        Format::Text => print_styled(&unread_text(&options.input.title(), queries, limit)),
        Format::Json => print(&unread_json(trace, queries, limit)),
    }
    Exit::of_limit(limit)
}

/// What to say if something that is asked does not fit an execution.
fn does_not_fit(printer: &Printer<'_>, misfit: Misfit) -> Error {
    match misfit {
        Misfit::Question {
            execution,
            question,
            errors,
        } => refused(printer.run(execution), &question, &errors.into()),
        Misfit::Formula { formula, error, .. } => formulas::refused(formula.text(), &error),
        Misfit::Pattern {
            execution,
            pattern,
            error,
        } => patterns::refused(printer.run(execution), &pattern, &error),
        misfit => Diagnostic::error(misfit).into(),
    }
}

/// Prints what is left to be printed, and writes the page.
fn finish(
    options: &Options,
    session: &Session,
    general: &[Finding],
    printer: &Printer<'_>,
    found: &[ExecutionAnswers],
) -> Result<Exit, Error> {
    let mut errors: Vec<Error> = found
        .iter()
        .flat_map(|f| refusals(printer.run(f.execution), f))
        .collect();
    if !errors.is_empty() && !found.iter().any(ExecutionAnswers::is_answered) {
        return Err(errors.swap_remove(0));
    }
    let detections = found.iter().zip(printer.warnings());
    let detections: Vec<Detection<'_>> = detections
        .map(|(found, warnings)| Detection {
            run: printer.run(found.execution),
            found,
            warnings,
        })
        .collect();
    let is_one = session.imported().executions.len() == 1 || options.execution.is_some();
    if options.output.format == Format::Json {
        print(&match &detections[..] {
            [detection] if is_one => detection_json(detection),
            detections => executions_json(&options.input.name(), detections, general),
        });
    }
    if let (Some(report), [detection]) = (&options.report, &detections[..]) {
        write_report(options, session, report, detection)?;
    }
    for error in &errors {
        remark(&shown(error));
    }
    Ok(Exit::of(found.iter().flat_map(ExecutionAnswers::verdicts)))
}

/// Why there is no answer to some of what was asked about an execution.
fn refusals(run: RecordedRun<'_>, found: &ExecutionAnswers) -> Vec<Error> {
    let questions = found.answers.iter().filter_map(|(question, answer)| {
        let error = answer.refusal.as_ref()?;
        Some(refused(run, question, error))
    });
    let formulas = found.formulas.iter().filter_map(|(formula, answer)| {
        let error = answer.refusal.as_ref()?;
        Some(formulas::refused(formula.text(), error))
    });
    let patterns = found.patterns.iter().filter_map(|(pattern, answer)| {
        let error = answer.refusal.as_ref()?;
        Some(patterns::refused(run, pattern, error))
    });
    questions.chain(formulas).chain(patterns).collect()
}

fn write_report(options: &Options, session: &Session, path: &Path, detection: &Detection<'_>) -> Result<(), Error> {
    let Detection { run, found, warnings } = *detection;
    let mut answers: Vec<AnswerView> = found.answers.iter().map(|(q, a)| answer_view(q, a)).collect();
    let names = run.computation.names();
    let formulas = found.formulas.iter();
    answers.extend(formulas.flat_map(|(formula, answer)| formula_views(formula, answer, names)));
    answers.extend(
        found
            .patterns
            .iter()
            .map(|(pattern, answer)| pattern_view(pattern, answer)),
    );
    if let Some(assumption) = assumption(run.computation) {
        answers
            .iter_mut()
            .for_each(|answer| answer.summary += &format!(" {assumption}"));
    }
    let title = match run.execution {
        None => run.trace.to_owned(),
        Some((number, name)) => format!("{}, execution {}", run.trace, name.unwrap_or(&number.to_string())),
    };
    let (imported, warnings, execution) = (session.imported().clone(), warnings.to_vec(), found.execution);
    let more = options.timeout.map_or(Duration::ZERO, |time| time / FOR_THE_PAGE);
    let ended = session.supervisor().extended(more).run(None, move |_| {
        html(&SpaceTime {
            title: &title,
            computation: &imported.execution(execution).computation,
            answers: &answers,
            warnings: &warnings,
            record_text: &|place| imported.sources.text(place),
        })
    });
    match ended {
        Ended::Done(page, _) => atomic_files::write_file(path, page)?,
        Ended::LeftBehind(limit) => {
            let message = format!("{} was not written: {limit}", path.display());
            remark(&shown(&Diagnostic::error(message).into()));
            return Ok(());
        }
    }
    if !options.output.quiet {
        wrote(path);
    }
    Ok(())
}
