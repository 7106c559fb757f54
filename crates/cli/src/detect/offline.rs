//! Detection on a run that is over.

use super::undefined::refused;
use super::{Options, exit, formulas};
use crate::atomic_files;
use crate::diagnostic::Diagnostic;
use crate::exit::{Error, Exit};
use crate::output::{Format, print, print_styled, wrote};
use crate::progress::Activity;
use mazurka_core::Limit;
use mazurka_report::detection::{
    Detection, FormulaAnswer, RecordedRun, answer_text, answer_view, cuts_text, detection_json, executions_json,
    formula_text, formula_views, run_text,
};
use mazurka_report::space_time::{SpaceTime, html};
use mazurka_trace::{
    Answer, Computation, CutCount, DetectError, Execution, Imported, Question, Settings, SltlFormula, count_cuts,
    detect, import,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What was found out about an execution.
struct Found<'a> {
    run: RecordedRun<'a>,
    answers: Vec<(Question, Answer)>,
    formulas: Vec<FormulaAnswer>,
    cuts: Option<CutCount>,
}

pub(super) fn run(options: &Options) -> Result<Exit, Error> {
    let start = Instant::now();
    let questions = options.queries.questions()?;
    let formulas = formulas::parse(&options.formulas)?;
    let inputs = options.input.files();
    let report = options.report.iter().map(PathBuf::as_path);
    atomic_files::check_outputs(report, inputs.iter().map(PathBuf::as_path))?;
    let trace = options.input.name();
    let imported = read(options, &questions, &formulas)?;
    if imported.executions.iter().all(|e| e.computation.processes() == 0) {
        let message = format!("{trace} has no records; expected the records of a run");
        return Err(Diagnostic::error(message).into());
    }
    let several = imported.executions.len() > 1;
    let runs = chosen(options, &imported, &trace)?;
    if options.report.is_some() && runs.len() > 1 {
        let message = format!("{trace} has {} executions, and a report shows one", runs.len());
        let mut wrong = Diagnostic::error(message);
        list(&mut wrong, &imported.executions);
        return Err(wrong.into());
    }
    for run in &runs {
        check(*run, &questions)?;
        for formula in &formulas {
            let fits = formula.fits(run.computation);
            fits.map_err(|error| formulas::refused(formula.text(), &error))?;
        }
    }
    let mut found = Vec::new();
    for run in runs {
        let is_first = found.is_empty();
        let mut one = answer(options, run, (&questions, &formulas), start, is_first)?;
        check_formulas(options, &mut one, &formulas, is_first)?;
        found.push(one);
    }
    if options.output.format == Format::Json {
        let detections: Vec<Detection<'_>> = found.iter().map(Found::detection).collect();
        print(&match &detections[..] {
            [detection] if !several || options.execution.is_some() => detection_json(detection),
            detections => executions_json(&trace, detections),
        });
    }
    if let (Some(report), [found]) = (&options.report, &found[..]) {
        write_report(report, found, options.output.quiet)?;
    }
    let answers = || found.iter().flat_map(|f| &f.answers);
    let fails = |f: &FormulaAnswer| f.answer.as_ref().is_some_and(|answer| !answer.holds);
    let violated = answers().any(|(q, a)| q.modality.is_requirement() && a.answer == Some(false))
        || found.iter().flat_map(|f| &f.formulas).any(fails);
    let cuts = found.iter().filter_map(|f| f.cuts?.limit);
    Ok(exit(violated, answers().filter_map(|(_, a)| a.limit).chain(cuts)))
}

fn read(options: &Options, questions: &[Question], formulas: &[SltlFormula]) -> Result<Imported, Error> {
    let _line = Activity::new(format!("reading {}", options.input.title()), options.output.quiet);
    let input = options.input.open()?;
    let read = questions.iter().flat_map(|q| q.predicate.variables());
    let variables: BTreeSet<String> = read.chain(formulas.iter().flat_map(SltlFormula::variables)).collect();
    let settings = options
        .input
        .import(&input, Some(variables).filter(|_| options.report.is_none()));
    import(input, &settings).map_err(|error| options.input.refused(error))
}

/// The executions to look at.
fn chosen<'a>(options: &Options, imported: &'a Imported, trace: &'a str) -> Result<Vec<RecordedRun<'a>>, Error> {
    let several = imported.executions.len() > 1;
    let runs = imported
        .executions
        .iter()
        .enumerate()
        .map(|(k, execution)| RecordedRun {
            trace,
            format: imported.format,
            execution: several.then_some((k + 1, execution.name.as_deref())),
            computation: &execution.computation,
            sources: &imported.sources,
        });
    let Some(wanted) = options.execution.as_deref() else {
        return Ok(runs.collect());
    };
    let by_name = imported
        .executions
        .iter()
        .position(|e| e.name.as_deref() == Some(wanted));
    let by_number = wanted.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    let at = by_name.or(by_number.filter(|at| *at < imported.executions.len()));
    match at {
        Some(at) => Ok(runs.skip(at).take(1).collect()),
        None => {
            let mut wrong = Diagnostic::error(format!("there is no execution `{wanted}` in {trace}"));
            list(&mut wrong, &imported.executions);
            Err(wrong.into())
        }
    }
}

/// Says which executions there are.
fn list(wrong: &mut Diagnostic, executions: &[Execution]) {
    const MOST: usize = 20;
    for (k, execution) in executions.iter().enumerate().take(MOST) {
        let name = execution
            .name
            .as_ref()
            .map_or(String::new(), |name| format!(" ({name})"));
        wrong.note(format!("--execution {}{name}", k + 1));
    }
    if executions.len() > MOST {
        wrong.note(format!("and {} more", executions.len() - MOST));
    }
}

/// Whether all predicates fit an execution: before any search begins.
fn check(run: RecordedRun<'_>, questions: &[Question]) -> Result<(), Error> {
    let computation: &Computation = run.computation;
    let assigned = |_: usize, variable: &str| computation.variable(variable).is_some();
    for question in questions {
        let bound = question
            .predicate
            .bind_among(computation.names(), computation.variables(), &assigned);
        if let Err(errors) = bound {
            return Err(refused(run, question, DetectError::Predicate(errors)));
        }
    }
    Ok(())
}

/// Answers the questions about an execution; text is printed at once.
fn answer<'a>(
    options: &Options,
    run: RecordedRun<'a>,
    (questions, formulas): (&[Question], &[SltlFormula]),
    start: Instant,
    is_first: bool,
) -> Result<Found<'a>, Error> {
    let is_text = options.output.format == Format::Text;
    let text = options.output.text(options.verbose);
    // With the first answer: a question that has none leaves nothing behind.
    let mut heading = heading_of(run, is_first);
    let mut found = Found {
        run,
        answers: Vec::new(),
        formulas: Vec::new(),
        cuts: None,
    };
    if questions.is_empty() && !formulas.is_empty() {
        return Ok(found);
    }
    if questions.is_empty() {
        let begin = Instant::now();
        let line = Activity::new("counting global states", options.output.quiet);
        let cuts = count_cuts(run.computation, options.threads, options.limits(start));
        drop(line);
        if is_text {
            print_styled(&format!("{heading}{}", cuts_text(cuts, begin.elapsed())));
        }
        found.cuts = Some(cuts);
    }
    let mut interrupted = false;
    for question in questions {
        let answer = match interrupted {
            true => unanswered(options.method()),
            false => {
                let what = format!("{} {}", question.modality, question.predicate.text());
                let _line = Activity::new(what, options.output.quiet);
                let settings = Settings {
                    method: options.method(),
                    reduction: options.reduction.map(Into::into),
                    threads: options.threads,
                    limits: options.limits(start),
                    ..Settings::default()
                };
                detect(run.computation, question, &settings).map_err(|error| refused(run, question, error))?
            }
        };
        interrupted |= answer.limit == Some(Limit::Interrupt);
        if is_text {
            print_styled(&format!("{heading}{}", answer_text(run, question, &answer, &text)));
            heading = "\n".to_owned();
        }
        found.answers.push((question.clone(), answer));
    }
    Ok(found)
}

fn heading_of(run: RecordedRun<'_>, is_first: bool) -> String {
    format!("{}{}\n", if is_first { "" } else { "\n" }, run_text(run))
}

/// Whether formulas hold of an execution; text is printed at once.
fn check_formulas(
    options: &Options,
    found: &mut Found<'_>,
    formulas: &[SltlFormula],
    is_first: bool,
) -> Result<(), Error> {
    for formula in formulas {
        let begin = Instant::now();
        let line = Activity::new(format!("sltl {}", formula.text()), options.output.quiet);
        let answer = formula.check(found.run.computation);
        drop(line);
        let answer = FormulaAnswer {
            answer: Some(answer.map_err(|error| formulas::refused(formula.text(), &error))?),
            formula: formula.clone(),
            time: begin.elapsed(),
        };
        if options.output.format == Format::Text {
            // With the first answer, as above.
            let gap = match found.answers.is_empty() && found.formulas.is_empty() {
                true => heading_of(found.run, is_first),
                false => "\n".to_owned(),
            };
            print_styled(&format!("{gap}{}", formula_text(&answer)));
        }
        found.formulas.push(answer);
    }
    Ok(())
}

/// What there is to say to a question after Ctrl-C.
fn unanswered(method: mazurka_trace::Method) -> Answer {
    Answer {
        answer: None,
        method,
        states: 0,
        transitions: 0,
        time: Duration::ZERO,
        witness: None,
        limit: Some(Limit::Interrupt),
        remarks: Vec::new(),
    }
}

impl<'a> Found<'a> {
    fn detection(&self) -> Detection<'_> {
        Detection {
            run: self.run,
            answers: &self.answers,
            formulas: &self.formulas,
            cuts: self.cuts,
        }
    }
}

fn write_report(path: &Path, found: &Found<'_>, quiet: bool) -> Result<(), Error> {
    let mut answers: Vec<_> = found.answers.iter().map(|(q, a)| answer_view(q, a)).collect();
    let names = found.run.computation.names();
    answers.extend(found.formulas.iter().flat_map(|formula| formula_views(formula, names)));
    let title = match found.run.execution {
        None => found.run.trace.to_owned(),
        Some((number, name)) => format!("{}, execution {}", found.run.trace, name.unwrap_or(&number.to_string())),
    };
    let page = html(&SpaceTime {
        title: &title,
        computation: found.run.computation,
        answers: &answers,
        record_text: &|place| found.run.sources.text(place),
    });
    atomic_files::write_file(path, page)?;
    if !quiet {
        wrote(path);
    }
    Ok(())
}
