//! Detection on a run that is over.
//!
//! Every step that may take long is done under a [`Supervisor`]: a query that does
//! not come to an end costs its share of the time, not the answers to the others.

use super::supervisor::{Ended, Supervisor};
use super::undefined::refused;
use super::{Options, exit, formulas, warnings};
use crate::atomic_files;
use crate::diagnostic::{Diagnostic, shown};
use crate::exit::{Error, Exit};
use crate::output::{Format, print, print_styled, remark, wrote};
use crate::progress::Activity;
use mazurka_core::{Doubt, Limit, Limits, Verdict};
use mazurka_report::detection::{
    Detection, RecordedRun, answer_text, answer_view, cuts_text, detection_json, executions_json, formula_text,
    formula_views, run_text, unread_json, unread_text,
};
use mazurka_report::space_time::{AnswerView, SpaceTime, html};
use mazurka_trace::{
    Answer, CutCount, DetectError, Detected, Execution, Finding, ImportError, Imported, Question, Settings, SltlAnswer,
    SltlFindings, SltlFormula, count_cuts, detect, import,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What was found out about an execution.
struct Found<'a> {
    run: RecordedRun<'a>,
    answers: Vec<(Question, Answer)>,
    formulas: Vec<(SltlFormula, SltlAnswer)>,
    cuts: Option<CutCount>,
    warnings: Vec<Finding>,
    /// Why there is no answer to a question. The others have theirs.
    errors: Vec<Error>,
}

/// What is asked.
struct Asked {
    questions: Vec<Question>,
    formulas: Vec<SltlFormula>,
}

/// How long is tried to find out whether a query fits, before the first is answered.
const AT_FIRST: Duration = Duration::from_millis(200);

/// How long the page may take after the time is over, in parts of it.
const FOR_THE_PAGE: u32 = 10;

pub(super) fn run(options: &Options) -> Result<Exit, Error> {
    let supervisor = Supervisor::new(options.timeout, options.max_memory);
    let asked = Asked {
        questions: options.queries.questions()?,
        formulas: formulas::parse(&options.formulas)?,
    };
    let inputs = options.input.files();
    let report = options.report.iter().map(PathBuf::as_path);
    atomic_files::check_outputs(report, inputs.iter().map(PathBuf::as_path))?;
    let trace = options.input.name();
    let imported = match read(options, &supervisor, &asked)? {
        Ok(imported) => Arc::new(imported),
        Err(Limit::Interrupt) => return Err(Error::Interrupted),
        Err(limit) => return Ok(unread(options, &trace, &asked, limit)),
    };
    let several = imported.executions.len() > 1;
    let runs = chosen(options, &imported, &trace)?;
    if options.report.is_some() && runs.len() > 1 {
        let message = format!("{trace} has {} executions, and a report shows one", runs.len());
        let mut wrong = Diagnostic::error(message);
        list(&mut wrong, &imported.executions);
        return Err(wrong.into());
    }
    let answering = Answering {
        options,
        supervisor: &supervisor,
        imported: &imported,
        asked: &asked,
    };
    let mut general = imported.warnings.clone();
    general.extend(warnings::defaults(options, &asked.questions, &asked.formulas));
    warnings::say(&general, options.output.quiet);
    let mut left = runs.len() * (asked.questions.len() + asked.formulas.len());
    let mut fitting = Vec::new();
    for (number, run) in &runs {
        fitting.push(answering.check(*number, *run, &mut left)?);
    }
    let mut found = Vec::new();
    let mut left = runs.len() * (asked.questions.len() + asked.formulas.len());
    for ((number, run), fitting) in runs.iter().zip(fitting) {
        let mut odd = warnings::never_assigned(run.computation, &asked.questions, &asked.formulas);
        warnings::say(&odd, options.output.quiet);
        if !several {
            odd.splice(0..0, general.iter().cloned());
        }
        found.push(answering.answer(*number, *run, &fitting, odd, found.is_empty(), &mut left)?);
    }
    finish(options, &supervisor, &imported, &trace, several, &general, found)
}

/// Prints what is left to be printed, and writes the page.
fn finish(
    options: &Options,
    supervisor: &Supervisor,
    imported: &Arc<Imported>,
    trace: &str,
    several: bool,
    general: &[Finding],
    mut found: Vec<Found<'_>>,
) -> Result<Exit, Error> {
    let mut errors: Vec<Error> = found.iter_mut().flat_map(|f| f.errors.drain(..)).collect();
    let answered = |f: &Found<'_>| f.cuts.is_some() || !f.formulas.is_empty() || f.answers.iter().any(is_answered);
    if !errors.is_empty() && !found.iter().any(answered) {
        return Err(errors.swap_remove(0));
    }
    if options.output.format == Format::Json {
        let detections: Vec<Detection<'_>> = found.iter().map(Found::detection).collect();
        print(&match &detections[..] {
            [detection] if !several || options.execution.is_some() => detection_json(detection),
            detections => executions_json(trace, detections, general),
        });
    }
    if let (Some(report), [found]) = (&options.report, &found[..]) {
        write_report(options, supervisor, imported, report, found)?;
    }
    let answers = || found.iter().flat_map(|f| &f.answers);
    let formulas = || found.iter().flat_map(|f| &f.formulas);
    let verdicts = answers().map(|(q, a)| q.modality.judgement(a.verdict));
    let mut verdicts = verdicts.chain(formulas().map(|(_, a)| a.verdict));
    let violated = verdicts.any(|verdict| verdict == Verdict::Violated);
    for error in &errors {
        remark(&shown(error));
    }
    let cuts = found.iter().filter_map(|f| f.cuts?.limit);
    let formulas = formulas().filter_map(|(_, a)| a.limit());
    let limits = answers().filter_map(|(_, a)| a.limit()).chain(cuts).chain(formulas);
    Ok(match errors.first() {
        Some(error) if !violated => error.exit(),
        _ => exit(violated, limits),
    })
}

/// Whether there is something to say about a question, be it that a limit was reached.
fn is_answered((_, answer): &(Question, Answer)) -> bool {
    answer.verdict != Verdict::Inconclusive(Doubt::Refused)
}

/// Reads the input, unless a limit is reached.
fn read(options: &Options, supervisor: &Supervisor, asked: &Asked) -> Result<Result<Imported, Limit>, Error> {
    let _line = Activity::new(format!("reading {}", options.input.title()), options.output.quiet);
    let variables = warnings::variables(&asked.questions, &asked.formulas);
    let variables = Some(variables).filter(|_| options.report.is_none());
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
fn unread(options: &Options, trace: &str, asked: &Asked, limit: Limit) -> Exit {
    match options.output.format {
        Format::Text => print_styled(&unread_text(
            &options.input.title(),
            &asked.questions,
            &asked.formulas,
            limit,
        )),
        Format::Json => print(&unread_json(trace, &asked.questions, &asked.formulas, limit)),
    }
    exit(false, [limit])
}

/// The executions to look at, with their numbers from 0.
fn chosen<'a>(
    options: &Options,
    imported: &'a Imported,
    trace: &'a str,
) -> Result<Vec<(usize, RecordedRun<'a>)>, Error> {
    let several = imported.executions.len() > 1;
    let runs = imported.executions.iter().enumerate().map(|(k, execution)| {
        let run = RecordedRun {
            trace,
            format: imported.format,
            execution: several.then_some((k + 1, execution.name.as_deref())),
            computation: &execution.computation,
            sources: &imported.sources,
        };
        (k, run)
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

/// Which questions and formulas fit an execution; of the others, which limit was reached
/// before that was known.
struct Fitting {
    questions: Vec<Option<Limit>>,
    formulas: Vec<Option<Limit>>,
}

/// What is needed to answer.
struct Answering<'a> {
    options: &'a Options,
    supervisor: &'a Supervisor,
    imported: &'a Arc<Imported>,
    asked: &'a Asked,
}

impl Answering<'_> {
    /// An equal share of the time that is left, for each of the things to do.
    fn share(&self, left: &mut usize) -> Option<Duration> {
        let share = u32::try_from((*left).max(1)).unwrap_or(u32::MAX);
        *left = left.saturating_sub(1);
        self.supervisor.left().map(|time| time / share)
    }

    /// The same, but little if there is a limit: what takes long is to wait for its turn.
    fn short(&self, left: &mut usize) -> Option<Duration> {
        let is_limited = self.options.timeout.is_some() || self.options.max_memory.is_some();
        let share = self.share(left);
        match is_limited {
            true => Some(share.map_or(AT_FIRST, |share| share.min(AT_FIRST))),
            false => None,
        }
    }

    /// Whether all questions and formulas fit an execution: before any search begins.
    fn check(&self, number: usize, run: RecordedRun<'_>, left: &mut usize) -> Result<Fitting, Error> {
        let mut fitting = Fitting {
            questions: Vec::new(),
            formulas: Vec::new(),
        };
        for question in &self.asked.questions {
            let (imported, asked) = (self.imported.clone(), question.clone());
            let little = self.supervisor.with_little_memory();
            let ended = little.run(self.short(left), move |stop| {
                let computation = &imported.executions[number].computation;
                let assigned = |_: usize, variable: &str| computation.variable(variable).is_some();
                let (names, variables) = (computation.names(), computation.variables());
                let bound = asked
                    .predicate
                    .bind_until(names, variables, &assigned, Some(stop.flag()));
                bound.map(drop)
            });
            fitting.questions.push(match ended {
                Ended::LeftBehind(limit) => Some(limit),
                // It was stopped to leave time and memory to the others. Whether it fits is found out when its turn comes.
                Ended::Done(_, Some(_)) => None,
                Ended::Done(Err(errors), None) => {
                    return Err(refused(run, question, DetectError::Predicate(errors)));
                }
                Ended::Done(Ok(()), None) => None,
            });
        }
        for formula in &self.asked.formulas {
            let (imported, asked) = (self.imported.clone(), formula.clone());
            let ended = self.supervisor.run(self.share(left), move |_| {
                asked.fits(&imported.executions[number].computation)
            });
            fitting.formulas.push(match ended {
                Ended::LeftBehind(limit) => Some(limit),
                Ended::Done(fits, _) => {
                    fits.map_err(|error| formulas::refused(formula.text(), &error))?;
                    None
                }
            });
        }
        Ok(fitting)
    }

    /// Answers the questions about an execution; text is printed at once.
    fn answer<'r>(
        &self,
        number: usize,
        run: RecordedRun<'r>,
        fitting: &Fitting,
        warnings: Vec<Finding>,
        is_first: bool,
        left: &mut usize,
    ) -> Result<Found<'r>, Error> {
        let is_text = self.options.output.format == Format::Text;
        let text = self.options.output.text(self.options.verbose);
        // With the first answer: a question that has none leaves nothing behind.
        let mut heading = format!("{}{}\n", if is_first { "" } else { "\n" }, run_text(run));
        let mut found = Found {
            run,
            answers: Vec::new(),
            formulas: Vec::new(),
            cuts: None,
            warnings,
            errors: Vec::new(),
        };
        if self.asked.questions.is_empty() && self.asked.formulas.is_empty() {
            let begin = Instant::now();
            let cuts = self.count_cuts(number);
            if is_text {
                print_styled(&format!("{heading}{}", cuts_text(cuts, begin.elapsed())));
            }
            found.cuts = Some(cuts);
        }
        for (question, limit) in self.asked.questions.iter().zip(&fitting.questions) {
            let share = self.share(left);
            let answer = match limit.or(self.supervisor.reached()) {
                Some(limit) => Answer::unanswered(limit.into(), Detected::new(self.options.method())),
                None => match self.detect(number, question, share) {
                    Ok(answer) => answer,
                    Err(error) => {
                        let mut answer = Answer::unanswered(Doubt::Refused, Detected::new(self.options.method()));
                        answer.remarks.push(error.to_string());
                        found.errors.push(refused(run, question, error));
                        found.answers.push((question.clone(), answer));
                        continue;
                    }
                },
            };
            if is_text {
                print_styled(&format!("{heading}{}", answer_text(run, question, &answer, &text)));
                heading = "\n".to_owned();
            }
            found.answers.push((question.clone(), answer));
        }
        for (formula, limit) in self.asked.formulas.iter().zip(&fitting.formulas) {
            let share = self.share(left);
            let answer = match limit.or(self.supervisor.reached()) {
                Some(limit) => SltlAnswer::unanswered(limit.into(), SltlFindings::default()),
                None => self.check_formula(number, formula, share)?,
            };
            if is_text {
                print_styled(&format!("{heading}{}", formula_text(formula, &answer)));
                heading = "\n".to_owned();
            }
            found.formulas.push((formula.clone(), answer));
        }
        Ok(found)
    }

    fn detect(&self, number: usize, question: &Question, share: Option<Duration>) -> Result<Answer, DetectError> {
        let what = format!("{} {}", question.modality, question.predicate.text());
        let _line = Activity::new(what, self.options.output.quiet);
        let begin = Instant::now();
        let (imported, question) = (self.imported.clone(), question.clone());
        let (method, reduction) = (self.options.method(), self.options.reduction);
        let (threads, states) = (self.options.threads, self.options.max_states);
        let ended = self.supervisor.run(share, move |stop| {
            let settings = Settings {
                method,
                reduction,
                threads,
                limits: Limits {
                    states,
                    time: share,
                    interrupt: Some(stop.flag()),
                    ..Limits::default()
                },
                ..Settings::default()
            };
            detect(&imported.executions[number].computation, &question, &settings)
        });
        match ended {
            Ended::LeftBehind(limit) => {
                let mut answer = Answer::unanswered(limit.into(), Detected::new(method));
                answer.statistics.time = begin.elapsed();
                Ok(answer)
            }
            Ended::Done(answer, asked) => answer.map(|answer| match told(answer.limit(), asked) {
                Some(limit) => answer.stopped_by(limit),
                None => answer,
            }),
        }
    }

    fn count_cuts(&self, number: usize) -> CutCount {
        let _line = Activity::new("counting global states", self.options.output.quiet);
        let (imported, threads) = (self.imported.clone(), self.options.threads);
        let (states, time) = (self.options.max_states, self.supervisor.left());
        let ended = self.supervisor.run(None, move |stop| {
            let limits = Limits {
                states,
                time,
                interrupt: Some(stop.flag()),
                ..Limits::default()
            };
            count_cuts(&imported.executions[number].computation, threads, limits)
        });
        match ended {
            Ended::LeftBehind(limit) => CutCount {
                counted: 0,
                limit: Some(limit),
            },
            Ended::Done(cuts, asked) => CutCount {
                limit: told(cuts.limit, asked),
                ..cuts
            },
        }
    }

    fn check_formula(
        &self,
        number: usize,
        formula: &SltlFormula,
        share: Option<Duration>,
    ) -> Result<SltlAnswer, Error> {
        let begin = Instant::now();
        let _line = Activity::new(format!("sltl {}", formula.text()), self.options.output.quiet);
        let (imported, asked) = (self.imported.clone(), formula.clone());
        let ended = self.supervisor.run(share, move |stop| {
            let limits = Limits {
                time: share,
                interrupt: Some(stop.flag()),
                ..Limits::default()
            };
            asked.check(&imported.executions[number].computation, limits)
        });
        match ended {
            Ended::LeftBehind(limit) => {
                let mut answer = SltlAnswer::unanswered(limit.into(), SltlFindings::default());
                answer.statistics.time = begin.elapsed();
                Ok(answer)
            }
            Ended::Done(Err(error), _) => Err(formulas::refused(formula.text(), &error)),
            Ended::Done(Ok(answer), asked) => Ok(match told(answer.limit(), asked) {
                Some(limit) => answer.stopped_by(limit),
                None => answer,
            }),
        }
    }
}

/// The limit that work met: if it was asked to stop, why.
fn told(limit: Option<Limit>, asked: Option<Limit>) -> Option<Limit> {
    match limit {
        Some(Limit::Interrupt) => asked.or(limit),
        limit => limit,
    }
}

impl<'a> Found<'a> {
    fn detection(&self) -> Detection<'_> {
        Detection {
            run: self.run,
            answers: &self.answers,
            formulas: &self.formulas,
            cuts: self.cuts,
            warnings: &self.warnings,
        }
    }
}

fn write_report(
    options: &Options,
    supervisor: &Supervisor,
    imported: &Arc<Imported>,
    path: &Path,
    found: &Found<'_>,
) -> Result<(), Error> {
    let mut answers: Vec<AnswerView> = found.answers.iter().map(|(q, a)| answer_view(q, a)).collect();
    let names = found.run.computation.names();
    let formulas = found.formulas.iter();
    answers.extend(formulas.flat_map(|(formula, answer)| formula_views(formula, answer, names)));
    let title = match found.run.execution {
        None => found.run.trace.to_owned(),
        Some((number, name)) => format!("{}, execution {}", found.run.trace, name.unwrap_or(&number.to_string())),
    };
    let number = found.run.execution.map_or(0, |(number, _)| number - 1);
    let (imported, warnings) = (imported.clone(), found.warnings.clone());
    let more = options.timeout.map_or(Duration::ZERO, |time| time / FOR_THE_PAGE);
    let ended = supervisor.extended(more).run(None, move |_| {
        html(&SpaceTime {
            title: &title,
            computation: &imported.executions[number].computation,
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
