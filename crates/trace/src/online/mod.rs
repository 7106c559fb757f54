//! On-line detection: answers while the run goes on.
//!
//! A [`Monitor`] is told records as they arrive, in any interleaving of the processes,
//! and announces an answer as soon as what has arrived implies it, whatever comes
//! later; an announcement is never taken back. That some history passes through the
//! predicate is implied once the local states of such a cut have arrived. That all do is
//! implied once no history can have avoided it so far, see [`frontier`]. The opposite
//! answers need the end of the run.
//!
//! A question reads certain processes. If it names them, or the user does, what no
//! question can look at any more is dropped. The processes of a question about "all processes" are
//! known only at the end of the run: then nothing is dropped, every new process makes
//! it start anew, and it is answered before the end only if more processes cannot change
//! the answer.

mod answers;
mod arriving;
mod avoiding;
mod bounds;
mod branches;
mod error;
mod frontier;
mod heaviest;
mod intervals;
mod linear;
mod live;
mod pairs;
mod record;
mod sltl;
mod stream;
mod stuck;
mod telling;
mod tidy;
mod tracks;
mod watched;

pub use error::MonitorError;

use crate::detection::{Method, Question};
use crate::ids::{FormulaId, QuestionId};
use crate::problem::Problem;
use crate::sltl::{SltlAnswer, SltlFormula};
use crate::value::Value;
use mazurka_core::Outcome;
use sltl::WatchedFormula;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use stream::{Arrived, Stream};
use watched::Watched;

/// How to watch a run.
#[derive(Clone, Debug, Default)]
pub struct Watching {
    /// All processes of the run, if they are known beforehand.
    pub processes: Option<Vec<String>>,
    /// Initial values of variables that have none.
    pub defaults: Vec<(String, Value)>,
}

/// An answer that is certain. Its statistics have the time since the monitor was made.
pub type Announcement = Outcome<Announced>;

/// What is announced beside the verdict.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Announced {
    /// Which question, in the order in which they were asked.
    pub question: QuestionId,
    /// How many records had been told.
    pub records: u64,
    /// How it was found.
    pub method: Method,
    /// For Possibly: a consistent cut in which the predicate holds, as the executed
    /// events of each process by name, and the values of what the questions read there.
    pub witness: Option<Sighting>,
}

/// A cut of a run that goes on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sighting {
    /// The executed events of each process, by name.
    pub cut: BTreeMap<String, u32>,
    /// The values of the variables that questions read, where they are assigned.
    pub variables: BTreeMap<String, BTreeMap<String, Value>>,
}

/// Watches a run.
///
/// ```
/// use mazurka_trace::{Modality, Monitor, Place, Predicate, Question, Verdict, Watching, native};
/// let predicate = Predicate::parse("a.x == null && b.y == 1").unwrap();
/// let question = Question { modality: Modality::Never, predicate };
/// let mut monitor = Monitor::new(&[question], &Watching::default()).unwrap();
/// native::record(br#"{"process":"a","vars":{"x":1}}"#, Place::NOWHERE, &mut monitor);
/// assert!(monitor.advance().unwrap().is_empty());
/// native::record(br#"{"process":"b","vars":{"y":1}}"#, Place::NOWHERE, &mut monitor);
/// // No message orders the two events.
/// assert_eq!(monitor.advance().unwrap()[0].verdict, Verdict::Violated);
/// ```
#[derive(Debug)]
pub struct Monitor {
    start: Instant,
    stream: Stream,
    watched: Vec<Watched>,
    formulas: Vec<WatchedFormula>,
    /// Answers about formulas that were not taken yet.
    settled: Vec<(FormulaId, SltlAnswer)>,
    /// How many processes there are, if that is known.
    declared: Option<usize>,
    /// The record that is being told.
    current: Option<Current>,
    records: u64,
    problems: Vec<Problem>,
    changed: Vec<usize>,
    announcements: Vec<Announcement>,
    /// The number of messages from which on it is worth looking for useless ones.
    many_messages: usize,
    /// How much may be held before it is worth looking for what is of no use.
    much: usize,
    /// The names of the variables that were assigned, to tell which do not exist.
    assigned: BTreeSet<String>,
}

#[derive(Debug)]
struct Current {
    process: usize,
    init: bool,
    event: Arrived,
}

impl Monitor {
    /// Begins to watch for the answers to some questions.
    ///
    /// # Errors
    /// If a predicate is wrong.
    pub fn new(questions: &[Question], options: &Watching) -> Result<Self, MonitorError> {
        Self::with_formulas(questions, &[], options)
    }

    /// Begins to watch for the answers to some questions, and whether some formulas hold.
    ///
    /// # Errors
    /// If a predicate or a formula is wrong.
    pub fn with_formulas(
        questions: &[Question],
        formulas: &[SltlFormula],
        options: &Watching,
    ) -> Result<Self, MonitorError> {
        let mut variables: BTreeSet<String> = formulas.iter().flat_map(SltlFormula::variables).collect();
        for question in questions {
            variables.extend(question.predicate.variables());
        }
        let mut stream = Stream::new(variables.into_iter().collect(), &options.defaults);
        stream.log = (!formulas.is_empty()).then(Vec::new);
        let mut watched_formulas = Vec::new();
        for (k, formula) in formulas.iter().enumerate() {
            let watched = WatchedFormula::new(formula.clone(), options.processes.as_deref());
            let formula = FormulaId::new(k);
            watched_formulas.push(watched.map_err(|error| MonitorError::Formula { formula, error })?);
        }
        for name in options.processes.iter().flatten() {
            let p = stream.process(name);
            stream.mention(p);
        }
        let watched = questions.iter().map(|question| Watched::new(question, options));
        let mut watched: Vec<_> = watched.collect();
        for (k, w) in watched.iter_mut().enumerate() {
            for name in w.predicate.named_processes() {
                if options.processes.is_none() {
                    stream.process(&name);
                }
            }
            if w.closed {
                let question = QuestionId::new(k);
                w.bind(&stream)
                    .map_err(|errors| MonitorError::Predicate { question, errors })?;
            }
        }
        Ok(Self {
            start: Instant::now(),
            stream,
            watched,
            formulas: watched_formulas,
            settled: Vec::new(),
            declared: options.processes.as_ref().map(Vec::len),
            current: None,
            records: 0,
            problems: Vec::new(),
            changed: Vec::new(),
            announcements: Vec::new(),
            many_messages: 1024,
            much: 0,
            assigned: options.defaults.iter().map(|(name, _)| name.clone()).collect(),
        })
    }

    /// Ends the record that is being told. Returns what can be announced since the last one.
    ///
    /// # Errors
    /// If a record breaks a rule, or a predicate does not fit the processes.
    pub fn advance(&mut self) -> Result<Vec<Announcement>, MonitorError> {
        self.end_record();
        if !self.problems.is_empty() {
            return Err(MonitorError::Problems(std::mem::take(&mut self.problems)));
        }
        self.watch()?;
        self.follow_formulas()?;
        Ok(std::mem::take(&mut self.announcements))
    }

    /// The formulas that were settled since the last call.
    pub fn settled(&mut self) -> Vec<(FormulaId, SltlAnswer)> {
        std::mem::take(&mut self.settled)
    }

    /// The answers about the formulas that were not settled before, if the run ends here.
    ///
    /// # Errors
    /// If a process that a formula names has no record.
    pub fn ended(&mut self) -> Result<Vec<(FormulaId, SltlAnswer)>, MonitorError> {
        self.end_record();
        self.follow_formulas()?;
        let mut answers = std::mem::take(&mut self.settled);
        for (k, watched) in self.formulas.iter_mut().enumerate() {
            let formula = FormulaId::new(k);
            let answer = watched.finish(self.start);
            let answer = answer.map_err(|error| MonitorError::Formula { formula, error })?;
            answers.extend(answer.map(|answer| (formula, answer)));
        }
        Ok(answers)
    }

    fn follow_formulas(&mut self) -> Result<(), MonitorError> {
        let Some(log) = &mut self.stream.log else { return Ok(()) };
        for delivered in std::mem::take(log) {
            for (k, watched) in self.formulas.iter_mut().enumerate() {
                let formula = FormulaId::new(k);
                let followed = watched.delivered(&delivered, &self.stream);
                followed.map_err(|error| MonitorError::Formula { formula, error })?;
                let settled = watched.settled(self.start);
                self.settled.extend(settled.map(|answer| (formula, answer)));
            }
        }
        Ok(())
    }

    /// The run has ended. Returns the answers that were not announced before.
    ///
    /// # Errors
    /// If the records break a rule that only the end can show, or a predicate has no value
    /// where it matters.
    pub fn finish(mut self) -> Result<Vec<Announcement>, MonitorError> {
        let (announcements, errors) = self.conclusions();
        match errors.into_iter().next() {
            None => Ok(announcements),
            Some(error) => Err(error),
        }
    }

    /// As [`finish`](Self::finish), but if a question has no answer, the others have theirs.
    pub fn conclusions(&mut self) -> (Vec<Announcement>, Vec<MonitorError>) {
        self.end_record();
        if self.problems.is_empty() {
            self.problems = stuck::problems(&self.stream);
        }
        if !self.problems.is_empty() {
            let problems = std::mem::take(&mut self.problems);
            return (Vec::new(), vec![MonitorError::Problems(problems)]);
        }
        for lane in &mut self.stream.lanes {
            lane.ended = true;
        }
        for w in &mut self.watched {
            w.closed = true;
        }
        let mut errors: Vec<MonitorError> = self.watch().err().into_iter().collect();
        if errors.is_empty() {
            errors.extend((0..self.watched.len()).filter_map(|k| self.conclude(QuestionId::new(k)).err()));
        }
        (std::mem::take(&mut self.announcements), errors)
    }

    /// How many local states, messages and waiting events are held.
    pub fn held(&self) -> usize {
        self.stream.held()
    }

    /// Whether a process has assigned a variable that is asked about, or has a value of it from
    /// the beginning; true if there is no record of the process.
    pub fn has_assigned(&self, process: &str, variable: &str) -> bool {
        self.stream.has_assigned(process, variable)
    }

    /// The names of the processes that have records.
    pub fn names(&self) -> Vec<&str> {
        let heard = self.stream.lanes.iter().filter(|lane| lane.heard);
        heard.map(|lane| lane.name.as_str()).collect()
    }

    /// How many processes have records.
    pub fn processes(&self) -> usize {
        self.stream.lanes.iter().filter(|l| l.heard).count()
    }

    /// How many records were told.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many events have arrived.
    pub fn events(&self) -> u64 {
        (0..self.stream.lanes.len())
            .map(|p| u64::from(self.stream.arrived(p)))
            .sum()
    }

    fn watch(&mut self) -> Result<(), MonitorError> {
        for k in 0..self.watched.len() {
            let (question, w) = (QuestionId::new(k), &mut self.watched[k]);
            if w.answered {
                continue;
            }
            if w.bound_to < self.stream.edition() && (w.predicate.quantifies() || w.parts.is_empty()) {
                w.bind(&self.stream)
                    .map_err(|errors| MonitorError::Predicate { question, errors })?;
            }
            for part in &mut w.parts {
                part.watcher.advance(&part.live, &self.stream);
            }
            if w.closed || w.predicate.grows_with_processes() {
                self.announce(question);
            }
        }
        self.tidy();
        Ok(())
    }
}
