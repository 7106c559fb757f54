//! Several questions about recorded executions, answered in order, with one budget of time and memory. If nothing is asked,
//! the consistent cuts of each execution are counted.
//!
//! A session first checks that everything fits every execution, so that mistakes are
//! reported before anything takes long. Then it answers the questions in turn. Each has an equal share of
//! the time that is left; the time that it does not use goes to those after it. A question that takes too long, or never
//! ends ([`Supervisor`]), costs its share of the time, but not the answers to the others. Neither does a question that
//! cannot be answered.

use crate::asked::{Asked, Queries};
use crate::detection::{Answer, CutCount, Detected, Question, Settings, count_cuts, detect};
use crate::ids::ExecutionId;
use crate::import::Imported;
use crate::patterns::{Pattern, PatternAnswer, PatternError, PatternFindings};
use crate::predicate::PredicateErrors;
use crate::sltl::{SltlAnswer, SltlError, SltlFindings, SltlFormula};
use crate::supervisor::{Ended, Supervisor};
use mazurka_core::{Doubt, End, Limit, Limits, Outcome, ProcessId, Progress, Statistics, Verdict};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Executions, and what is asked about them.
///
/// ```
/// use mazurka_trace::{
///     Budget, ImportOptions, Input, Modality, Predicate, Queries, Question, Session, Settings, Supervisor, Verdict, import,
/// };
/// let bytes = br#"{"process":"a","vars":{"x":1}}
/// {"process":"b","vars":{"y":1}}"#;
/// let input = Input::Text { name: "run.jsonl".into(), bytes: bytes.to_vec() };
/// let imported = import(input, &ImportOptions::default()).unwrap();
/// let predicate = Predicate::parse("a.x == null && b.y == 1").unwrap();
/// let question = Question { modality: Modality::Never, predicate };
/// let queries = Queries { questions: vec![question], ..Queries::default() };
/// let supervisor = Supervisor::new(Budget::default());
/// let executions = imported.execution_ids().collect();
/// let session = Session::new(imported, executions, queries, Settings::default(), supervisor);
/// let found = session.run(&mut ()).unwrap();
/// assert_eq!(found[0].answers[0].1.verdict, Verdict::Violated);
/// ```
#[derive(Debug)]
pub struct Session {
    imported: Arc<Imported>,
    executions: Vec<ExecutionId>,
    queries: Queries,
    settings: Settings<'static>,
    supervisor: Supervisor,
}

/// The answers about one execution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExecutionAnswers {
    /// Which execution of the input.
    pub execution: ExecutionId,
    /// The questions and their answers.
    pub answers: Vec<(Question, Answer)>,
    /// The formulas and whether they hold.
    pub formulas: Vec<(SltlFormula, SltlAnswer)>,
    /// The questions about orders of events and their answers.
    pub patterns: Vec<(Pattern, PatternAnswer)>,
    /// The number of consistent cuts, if nothing else was asked.
    pub cuts: Option<CutCount>,
}

impl ExecutionAnswers {
    /// The verdict on everything that was asked, and how each search ended. A "no" to a mere question is no violation.
    pub fn verdicts(&self) -> impl Iterator<Item = (Verdict, End)> {
        let questions = self.answers.iter();
        let questions = questions.map(|(question, answer)| (question.modality.judgement(answer.verdict), answer.end));
        let formulas = self.formulas.iter().map(|(_, answer)| (answer.verdict, answer.end));
        let patterns = self.patterns.iter();
        let patterns = patterns.map(|(pattern, answer)| (pattern.modality().judgement(answer.verdict), answer.end));
        let cuts = self
            .cuts
            .iter()
            .map(|cuts| cuts.limit.map_or(End::Complete, End::Limit));
        let cuts = cuts.map(|end| (Verdict::of_no_findings(end), end));
        questions.chain(formulas).chain(patterns).chain(cuts)
    }

    /// Whether something was answered or stopped by a limit; false if everything was refused.
    pub fn is_answered(&self) -> bool {
        let refused = Verdict::Inconclusive(Doubt::Refused);
        self.verdicts().any(|(verdict, _)| verdict != refused)
    }
}

/// Is told what a session does, and each answer as soon as it is known.
pub trait Companion {
    /// The questions about this execution come next.
    fn execution(&mut self, _execution: ExecutionId) {}

    /// This is being answered from now on.
    fn asking(&mut self, _asked: Asked<'_>) {}

    /// The consistent cuts are being counted from now on.
    fn counting(&mut self) {}

    /// A question has its answer.
    fn answered(&mut self, _question: &Question, _answer: &Answer) {}

    /// A formula has its answer.
    fn checked(&mut self, _formula: &SltlFormula, _answer: &SltlAnswer) {}

    /// A question about orders of events has its answer.
    fn ordered(&mut self, _pattern: &Pattern, _answer: &PatternAnswer) {}

    /// The consistent cuts are counted.
    fn counted(&mut self, _cuts: CutCount) {}
}

/// Ignores everything.
impl Companion for () {}

/// Something that is asked does not fit an execution.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// A question does not fit.
    #[error("{errors}")]
    Question {
        /// Which execution of the input.
        execution: ExecutionId,
        /// The question.
        question: Box<Question>,
        /// What is wrong with its predicate.
        errors: PredicateErrors,
    },
    /// A formula does not fit.
    #[error("{error}")]
    Formula {
        /// Which execution of the input.
        execution: ExecutionId,
        /// The formula.
        formula: Box<SltlFormula>,
        /// What is wrong with it.
        error: SltlError,
    },
    /// A question about orders of events does not fit.
    #[error("{error}")]
    Pattern {
        /// Which execution of the input.
        execution: ExecutionId,
        /// The question.
        pattern: Box<Pattern>,
        /// What is wrong with it.
        error: Box<PatternError>,
    },
}

/// Which limit was reached before it was known whether a question or a formula fits, if one was.
#[derive(Debug, Default)]
struct Fitting {
    questions: Vec<Option<Limit>>,
    formulas: Vec<Option<Limit>>,
    patterns: Vec<Option<Limit>>,
}

/// How many questions are still to be answered, each with a share of the time.
struct Turns(usize);

impl Turns {
    /// An equal share of the time that is left, for the next one.
    fn share(&mut self, supervisor: &Supervisor) -> Option<Duration> {
        let share = u32::try_from(self.0.max(1)).unwrap_or(u32::MAX);
        self.0 = self.0.saturating_sub(1);
        supervisor.left().map(|time| time / share)
    }
}

/// How long to check whether a question fits, before the first one is answered.
const AT_FIRST: Duration = Duration::from_millis(200);

impl Session {
    /// A session about some executions of the input, in which nothing is answered yet. Of the limits in `settings`,
    /// time and the interrupt are those of the supervisor.
    pub fn new(
        imported: Imported,
        executions: Vec<ExecutionId>,
        queries: Queries,
        settings: Settings<'static>,
        supervisor: Supervisor,
    ) -> Self {
        Self {
            imported: Arc::new(imported),
            executions,
            queries,
            settings,
            supervisor,
        }
    }

    /// What was read.
    pub fn imported(&self) -> &Arc<Imported> {
        &self.imported
    }

    /// What is asked.
    pub fn queries(&self) -> &Queries {
        &self.queries
    }

    /// Keeps the session to its limits.
    pub fn supervisor(&self) -> &Supervisor {
        &self.supervisor
    }

    /// Answers everything that is asked about the executions, one after the other.
    ///
    /// # Errors
    /// If something does not fit an execution: then nothing is answered.
    pub fn run(&self, companion: &mut dyn Companion) -> Result<Vec<ExecutionAnswers>, Misfit> {
        let mut turns = self.turns();
        let mut fitting = Vec::new();
        for execution in &self.executions {
            fitting.push(self.fit(*execution, &mut turns)?);
        }
        let mut turns = self.turns();
        let answered = self.executions.iter().zip(&fitting);
        let answered = answered.map(|(execution, fitting)| self.answer(*execution, fitting, &mut turns, companion));
        Ok(answered.collect())
    }

    fn turns(&self) -> Turns {
        Turns(self.executions.len() * self.queries.len().max(1))
    }

    /// Whether everything that is asked fits an execution.
    fn fit(&self, execution: ExecutionId, turns: &mut Turns) -> Result<Fitting, Misfit> {
        let mut fitting = Fitting::default();
        for question in &self.queries.questions {
            let limit = self.question_fits(execution, question, turns.share(&self.supervisor));
            fitting.questions.push(limit.map_err(|errors| Misfit::Question {
                execution,
                question: Box::new(question.clone()),
                errors,
            })?);
        }
        for formula in &self.queries.formulas {
            let (imported, asked) = (self.imported.clone(), formula.clone());
            let fits = move |_: &_| asked.fits(&imported.execution(execution).computation);
            let limit = match self.supervisor.run(turns.share(&self.supervisor), fits) {
                Ended::LeftBehind(limit) => Ok(Some(limit)),
                Ended::Done(fits, _) => fits.map(|()| None),
            };
            fitting.formulas.push(limit.map_err(|error| Misfit::Formula {
                execution,
                formula: Box::new(formula.clone()),
                error,
            })?);
        }
        for pattern in &self.queries.patterns {
            let limit = self.pattern_fits(execution, pattern, turns.share(&self.supervisor));
            fitting.patterns.push(limit.map_err(|error| Misfit::Pattern {
                execution,
                pattern: Box::new(pattern.clone()),
                error: Box::new(error),
            })?);
        }
        Ok(fitting)
    }

    /// Whether a question about orders fits; if a limit was reached first, which.
    fn pattern_fits(
        &self,
        execution: ExecutionId,
        pattern: &Pattern,
        share: Option<Duration>,
    ) -> Result<Option<Limit>, PatternError> {
        let (imported, asked) = (self.imported.clone(), pattern.clone());
        let ended = self
            .supervisor
            .with_little_memory()
            .run(self.at_first(share), move |stop| {
                asked.fits(&imported.execution(execution).computation, Some(stop.flag()))
            });
        match ended {
            Ended::LeftBehind(limit) => Ok(Some(limit)),
            Ended::Done(_, Some(_)) => Ok(None),
            Ended::Done(fits, None) => fits.map(|()| None),
        }
    }

    /// How long it may take to find out whether something fits. If there is a limit, what takes long has to wait for
    /// its turn.
    fn at_first(&self, share: Option<Duration>) -> Option<Duration> {
        let limited = self.supervisor.is_limited();
        limited.then(|| share.map_or(AT_FIRST, |share| share.min(AT_FIRST)))
    }

    /// Whether a question fits; if a limit was reached first, which.
    fn question_fits(
        &self,
        execution: ExecutionId,
        question: &Question,
        share: Option<Duration>,
    ) -> Result<Option<Limit>, PredicateErrors> {
        let (imported, asked) = (self.imported.clone(), question.clone());
        let ended = self
            .supervisor
            .with_little_memory()
            .run(self.at_first(share), move |stop| {
                let computation = &imported.execution(execution).computation;
                let assigned = |_: ProcessId, variable: &str| computation.variable(variable).is_some();
                let (names, variables) = (computation.names(), computation.variables());
                let bound = asked
                    .predicate
                    .bind_until(names, variables, &assigned, Some(stop.flag()));
                bound.map(drop)
            });
        match ended {
            Ended::LeftBehind(limit) => Ok(Some(limit)),
            // It was stopped to leave time and memory to the others. Whether it fits is found out when its turn comes.
            Ended::Done(_, Some(_)) => Ok(None),
            Ended::Done(fits, None) => fits.map(|()| None),
        }
    }

    /// Answers everything that is asked about an execution.
    fn answer(
        &self,
        execution: ExecutionId,
        fitting: &Fitting,
        turns: &mut Turns,
        companion: &mut dyn Companion,
    ) -> ExecutionAnswers {
        companion.execution(execution);
        let mut found = ExecutionAnswers {
            execution,
            answers: Vec::new(),
            formulas: Vec::new(),
            patterns: Vec::new(),
            cuts: None,
        };
        if self.queries.is_empty() {
            let share = turns.share(&self.supervisor);
            let cuts = match self.supervisor.reached() {
                Some(limit) => CutCount::none(limit),
                None => {
                    companion.counting();
                    self.count(execution, share)
                }
            };
            companion.counted(cuts);
            found.cuts = Some(cuts);
        }
        for (question, limit) in self.queries.questions.iter().zip(&fitting.questions) {
            let share = turns.share(&self.supervisor);
            let answer = match limit.or(self.supervisor.reached()) {
                Some(limit) => Answer::unanswered(limit.into(), Detected::new(self.settings.method)),
                None => {
                    companion.asking(Asked::Question(question));
                    self.detect(execution, question, share)
                }
            };
            companion.answered(question, &answer);
            found.answers.push((question.clone(), answer));
        }
        for (formula, limit) in self.queries.formulas.iter().zip(&fitting.formulas) {
            let share = turns.share(&self.supervisor);
            let answer = match limit.or(self.supervisor.reached()) {
                Some(limit) => SltlAnswer::unanswered(limit.into(), SltlFindings::default()),
                None => {
                    companion.asking(Asked::Formula(formula));
                    self.check(execution, formula, share)
                }
            };
            companion.checked(formula, &answer);
            found.formulas.push((formula.clone(), answer));
        }
        for (pattern, limit) in self.queries.patterns.iter().zip(&fitting.patterns) {
            let share = turns.share(&self.supervisor);
            let answer = match limit.or(self.supervisor.reached()) {
                Some(limit) => PatternAnswer::unanswered(limit.into(), PatternFindings::default()),
                None => {
                    companion.asking(Asked::Pattern(pattern));
                    self.order(execution, pattern, share)
                }
            };
            companion.ordered(pattern, &answer);
            found.patterns.push((pattern.clone(), answer));
        }
        found
    }

    fn detect(&self, execution: ExecutionId, question: &Question, share: Option<Duration>) -> Answer {
        let (imported, question, settings) = (self.imported.clone(), question.clone(), self.settings);
        let detected = self.supervised(share, Detected::new(settings.method), move |limits| {
            let computation = &imported.execution(execution).computation;
            detect(computation, &question, &Settings { limits, ..settings })
        });
        detected.unwrap_or_else(|error| {
            let found = Detected {
                remarks: vec![error.to_string()],
                refusal: Some(error),
                ..Detected::new(settings.method)
            };
            Answer::unanswered(Doubt::Refused, found)
        })
    }

    fn check(&self, execution: ExecutionId, formula: &SltlFormula, share: Option<Duration>) -> SltlAnswer {
        let (imported, formula) = (self.imported.clone(), formula.clone());
        let checked = self.supervised(share, SltlFindings::default(), move |limits| {
            formula.check(&imported.execution(execution).computation, limits)
        });
        checked.unwrap_or_else(|error| {
            let found = SltlFindings {
                refusal: Some(error),
                ..SltlFindings::default()
            };
            SltlAnswer::unanswered(Doubt::Refused, found)
        })
    }

    fn order(&self, execution: ExecutionId, pattern: &Pattern, share: Option<Duration>) -> PatternAnswer {
        let (imported, pattern, settings) = (self.imported.clone(), pattern.clone(), self.settings);
        let ordered = self.supervised(share, PatternFindings::default(), move |limits| {
            let computation = &imported.execution(execution).computation;
            pattern.answer(computation, &Settings { limits, ..settings })
        });
        ordered.unwrap_or_else(|error| {
            let found = PatternFindings {
                refusal: Some(error),
                ..PatternFindings::default()
            };
            PatternAnswer::unanswered(Doubt::Refused, found)
        })
    }

    /// Does work within the limits and its share of the time. `nothing` is the finding of work that does not end.
    fn supervised<T: Send + 'static, E: Send + 'static>(
        &self,
        share: Option<Duration>,
        nothing: T,
        work: impl FnOnce(Limits<'_>) -> Result<Outcome<T>, E> + Send + 'static,
    ) -> Result<Outcome<T>, E> {
        let (begin, limits) = (Instant::now(), self.settings.limits);
        let ended = self.supervisor.run(share, move |stop| {
            work(Limits {
                time: share,
                interrupt: Some(stop.flag()),
                ..limits
            })
        });
        match ended {
            Ended::LeftBehind(limit) => {
                let mut outcome = Outcome::unanswered(limit.into(), nothing);
                outcome.statistics.time = begin.elapsed();
                Ok(outcome)
            }
            Ended::Done(done, asked) => done.map(|outcome| match stopped_by(outcome.limit(), asked) {
                Some(limit) => outcome.stopped_by(limit),
                None => outcome,
            }),
        }
    }

    /// Counts the consistent cuts of an execution.
    fn count(&self, execution: ExecutionId, share: Option<Duration>) -> CutCount {
        let begin = Instant::now();
        // The count in the last report of progress, in case the work is left behind.
        let so_far = Arc::new(AtomicU64::new(0));
        let (imported, settings, counted) = (self.imported.clone(), self.settings, so_far.clone());
        let ended = self.supervisor.run(share, move |stop| {
            let note = |so_far: &Statistics| {
                counted.fetch_max(so_far.states, Ordering::Relaxed);
            };
            let limits = Limits {
                time: share,
                interrupt: Some(stop.flag()),
                progress: Some(Progress(&note)),
                ..settings.limits
            };
            count_cuts(&imported.execution(execution).computation, settings.threads, limits)
        });
        match ended {
            Ended::LeftBehind(limit) => CutCount {
                counted: so_far.load(Ordering::Relaxed),
                time: begin.elapsed(),
                ..CutCount::none(limit)
            },
            Ended::Done(cuts, asked) => CutCount {
                limit: stopped_by(cuts.limit, asked),
                ..cuts
            },
        }
    }
}

/// The limit that work met: if it was asked to stop, why.
fn stopped_by(limit: Option<Limit>, asked: Option<Limit>) -> Option<Limit> {
    match limit {
        Some(Limit::Interrupt) => asked.or(limit),
        limit => limit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervisor::Budget;

    #[test]
    fn shares_of_the_time_that_is_left() {
        let supervisor = Supervisor::new(Budget {
            time: Some(Duration::from_secs(1200)),
            ..Budget::default()
        });
        let mut turns = Turns(3);
        let shares: Vec<u64> = (0..4).map(|_| turns.share(&supervisor).unwrap().as_secs()).collect();
        // A few seconds may pass on a busy machine.
        for (share, most) in shares.iter().zip([400, 600, 1200, 1200]) {
            assert!((most - 60..=most).contains(share), "{shares:?}");
        }
        assert_eq!(Turns(3).share(&Supervisor::new(Budget::default())), None);
    }
}
