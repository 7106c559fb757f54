//! On-line detection: answers while the run goes on.
//!
//! A [`Monitor`] is told records as they arrive, in any interleaving of the processes,
//! and announces an answer as soon as what has arrived implies it, whatever is still to
//! come; an announcement is never taken back. That some history passes through the
//! predicate is implied once the local states of such a cut have arrived. That all do is
//! implied once no history can have avoided it so far, see [`frontier`]. The opposite
//! answers need the end of the run.
//!
//! A question reads certain processes. If it names them, or the user does, what no
//! question can look at any more is dropped. A question about "all processes" has its
//! processes only at the end of the run: then nothing is dropped, every new process makes
//! it start anew, and it is answered before the end only if more processes cannot change
//! the answer.

mod bounds;
mod branches;
mod frontier;
mod heaviest;
mod intervals;
mod linear;
mod live;
mod pairs;
mod sltl;
mod stream;
mod stuck;
mod telling;
mod watched;

use crate::causality::Cut;
use crate::detection::{Method, Modality, Question};
use crate::predicate::{EvaluationError, PredicateErrors};
use crate::problem::{Part as RecordPart, Problem, Rule};
use crate::sltl::{SltlAnswer, SltlError, SltlFormula};
use crate::value::{Value, ValueId};
use foldhash::HashSet;
use live::{Live, LiveCut};
use sltl::WatchedFormula;
use std::collections::{BTreeMap, BTreeSet};
use stream::{Arrived, Stream};
use telling::NAMES;
use watched::{Watched, Watcher};

/// How to watch a run.
#[derive(Clone, Debug, Default)]
pub struct Watching {
    /// All processes of the run, if they are known beforehand.
    pub processes: Option<Vec<String>>,
    /// Initial values of variables that have none.
    pub defaults: Vec<(String, Value)>,
}

/// An answer that is certain.
#[derive(Clone, Debug)]
pub struct Announcement {
    /// Which question, in the order in which they were asked.
    pub question: usize,
    /// Whether what the modality says of the predicate is true.
    pub answer: bool,
    /// How many records had been told.
    pub records: u64,
    /// How it was found.
    pub method: Method,
    /// Global states looked at.
    pub states: u64,
    /// For Possibly: a consistent cut in which the predicate holds, as the executed
    /// events of each process by name, and the values of what the questions read there.
    pub witness: Option<Sighting>,
}

/// A cut of a run that goes on.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// The executed events of each process, by name.
    pub cut: BTreeMap<String, u32>,
    /// The values of the variables that questions read, where they are assigned.
    pub variables: BTreeMap<String, BTreeMap<String, Value>>,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MonitorError {
    /// The predicate is wrong.
    #[error("{errors}")]
    Predicate {
        /// Which question.
        question: usize,
        /// What is wrong.
        errors: PredicateErrors,
    },
    /// The records break a rule.
    #[error("the records break a rule of the format")]
    Problems(Vec<Problem>),
    /// The predicate has no value in a global state that decides the answer.
    #[error("{}", error.message)]
    Undefined {
        /// Which question.
        question: usize,
        /// What is wrong, and where in the predicate.
        error: EvaluationError,
        /// The process and the event whose value is to blame.
        record: Option<(String, u32)>,
    },
    /// A formula is wrong, or has no value.
    #[error("{error}")]
    Formula {
        /// Which formula.
        number: usize,
        /// What is wrong.
        error: SltlError,
    },
    /// The run has ended and a process that a predicate names was never heard of.
    #[error("no record of process `{process}`")]
    Unheard {
        /// Which question.
        question: usize,
        /// The process.
        process: String,
    },
}

/// Watches a run.
#[derive(Debug)]
pub struct Monitor {
    stream: Stream,
    watched: Vec<Watched>,
    formulas: Vec<WatchedFormula>,
    /// Answers about formulas that nobody has taken.
    settled: Vec<(usize, SltlAnswer)>,
    /// How many processes there are, if that is known.
    declared: Option<usize>,
    /// The record that is being told.
    current: Option<Current>,
    records: u64,
    problems: Vec<Problem>,
    changed: Vec<usize>,
    announcements: Vec<Announcement>,
    /// The number of messages at which it is worth looking which are of no use.
    many_messages: usize,
    /// How much may be held before it is worth looking what is of no use.
    much: usize,
    /// The names of the variables that have values, to tell which do not exist.
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
        for (number, formula) in formulas.iter().enumerate() {
            let watched = WatchedFormula::new(formula.clone(), options.processes.as_deref());
            watched_formulas.push(watched.map_err(|error| MonitorError::Formula { number, error })?);
        }
        for name in options.processes.iter().flatten() {
            let p = stream.process(name);
            stream.mention(p);
        }
        let watched = questions.iter().map(|question| {
            let predicate = match question.modality {
                Modality::Always => question.predicate.negated(),
                _ => question.predicate.clone(),
            };
            Watched {
                modality: question.modality,
                closed: options.processes.is_some() || !predicate.quantifies(),
                predicate,
                bound_to: 0,
                parts: Vec::new(),
                answered: false,
            }
        });
        let mut watched: Vec<_> = watched.collect();
        for (question, w) in watched.iter_mut().enumerate() {
            for name in w.predicate.named_processes() {
                if options.processes.is_none() {
                    stream.process(&name);
                }
            }
            if w.closed {
                w.bind(&stream)
                    .map_err(|errors| MonitorError::Predicate { question, errors })?;
            }
        }
        Ok(Self {
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

    /// The record that is being told is complete. Returns what can be announced since.
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

    /// The formulas that were settled since this was asked, by number.
    pub fn settled(&mut self) -> Vec<(usize, SltlAnswer)> {
        std::mem::take(&mut self.settled)
    }

    /// What the formulas say if the run ends here, by number, of those that were not settled before.
    ///
    /// # Errors
    /// If a process that a formula names was never heard of.
    pub fn ended(&mut self) -> Result<Vec<(usize, SltlAnswer)>, MonitorError> {
        self.end_record();
        self.follow_formulas()?;
        let mut answers = std::mem::take(&mut self.settled);
        for (number, formula) in self.formulas.iter_mut().enumerate() {
            let answer = formula.finish();
            let answer = answer.map_err(|error| MonitorError::Formula { number, error })?;
            answers.extend(answer.map(|answer| (number, answer)));
        }
        Ok(answers)
    }

    fn follow_formulas(&mut self) -> Result<(), MonitorError> {
        let Some(log) = &mut self.stream.log else { return Ok(()) };
        for delivered in std::mem::take(log) {
            for (number, formula) in self.formulas.iter_mut().enumerate() {
                let followed = formula.delivered(&delivered, &self.stream);
                followed.map_err(|error| MonitorError::Formula { number, error })?;
                self.settled.extend(formula.settled().map(|answer| (number, answer)));
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

    /// As [`finish`](Self::finish), with the answers to the other questions where one has none.
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
            errors.extend((0..self.watched.len()).filter_map(|question| self.conclude(question).err()));
        }
        (std::mem::take(&mut self.announcements), errors)
    }

    /// How many local states, messages and waiting events are held.
    pub fn held(&self) -> usize {
        self.stream.held()
    }

    /// Whether a record of a process has assigned a variable that is asked about, or it has a
    /// value from the beginning; true of a process that was not heard of.
    pub fn has_assigned(&self, process: &str, variable: &str) -> bool {
        self.stream.has_assigned(process, variable)
    }

    /// The processes that were heard of.
    pub fn names(&self) -> Vec<&str> {
        let heard = self.stream.lanes.iter().filter(|lane| lane.heard);
        heard.map(|lane| lane.name.as_str()).collect()
    }

    /// How many processes were heard of.
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

    fn end_record(&mut self) {
        let Some(mut current) = self.current.take() else { return };
        let p = current.process;
        self.records += 1;
        if self.declared.is_some_and(|declared| p >= declared) {
            let message = format!(
                "process `{}` is not among those that were declared",
                self.stream.lanes[p].name
            );
            let problem = Problem::new(Rule::Field, current.event.place, message);
            self.problems
                .push(problem.expected("a process that `--processes` names; without it all are accepted"));
        }
        if current.init {
            if self.stream.lanes[p].heard {
                let name = &self.stream.lanes[p].name;
                let message = format!("the initial state of `{name}` comes after another record of it");
                let problem = Problem::new(Rule::InitFirst, current.event.place, message)
                    .expected("an `init` record before all events of its process, and only one");
                self.problems.push(problem);
            } else {
                self.stream.hear(p, &current.event.sets);
                self.changed.push(p);
            }
            return;
        }
        if !self.stream.lanes[p].heard {
            self.stream.hear(p, &[]);
            self.changed.push(p);
        }
        self.check_clock(p, &mut current);
        self.check_sends(&current);
        if self.problems.is_empty() {
            self.stream.arrive(p, current.event, &mut self.changed);
        }
    }

    fn check_clock(&mut self, p: usize, current: &mut Current) {
        let Some(clock) = &current.event.clock else { return };
        let number = self.stream.arrived(p) + 1;
        let own = clock.iter().find(|(q, _)| *q == p).map_or(0, |(_, k)| *k);
        let name = self.stream.lanes[p].name.clone();
        if own != number {
            let message = format!("this is event {number} of `{name}`, but its clock says `{name}: {own}`");
            self.problems.push(
                Problem::new(Rule::OwnEntry, current.event.place, message)
                    .part(RecordPart::Clock(name.clone()))
                    .expected(format!("`{name}: {number}`")),
            );
        }
        let mut now = vec![0; self.stream.lanes.len()];
        for (q, events) in clock {
            now[*q] = *events;
        }
        let told = self.stream.told(p);
        let back = told.iter().zip(&now).position(|(before, now)| now < before);
        let before = back.map(|q| told[q]);
        *told = now.clone();
        if let (Some(q), Some(before)) = (back, before) {
            let other = &self.stream.lanes[q].name;
            let message = format!(
                "the clock of `{name}` goes back: it knew {before} events of `{other}`, now {}",
                now[q]
            );
            self.problems.push(
                Problem::new(Rule::Monotone, current.event.place, message)
                    .part(RecordPart::Clock(other.clone()))
                    .expected(format!("`{other}: {before}` or more")),
            );
        }
    }

    fn check_sends(&mut self, current: &Current) {
        let mut names = HashSet::default();
        for message in &current.event.sends {
            if !names.insert(message.as_str()) || self.stream.is_told(message) {
                let problem = Problem::new(
                    Rule::SentOnce,
                    current.event.place,
                    format!("message `{message}` is sent a second time"),
                );
                self.problems.push(
                    problem
                        .part(RecordPart::Send(message.clone()))
                        .expected("a name of its own for every message"),
                );
            }
        }
    }

    fn watch(&mut self) -> Result<(), MonitorError> {
        for question in 0..self.watched.len() {
            let w = &mut self.watched[question];
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

    /// Announces the answer to a question if it is implied.
    fn announce(&mut self, question: usize) {
        let w = &self.watched[question];
        let found = w.parts.iter().find_map(|part| match &part.watcher {
            Watcher::Linear(certain, _) if certain.found => Some(Some((part, certain.cut.clone()))),
            Watcher::Pairs(pairs) => pairs.found.clone().map(|cut| Some((part, cut))),
            Watcher::Branches(b) => b.found.clone().map(|cut| Some((part, cut))),
            Watcher::Intervals(certain, _) if certain.found => Some(None),
            Watcher::Frontier(f) if f.is_certain() => Some(None),
            _ => None,
        });
        if let Some(found) = found {
            let witness = found.map(|(part, cut)| self.sighting(&part.live, &cut));
            self.answer(question, true, witness);
        }
    }

    /// The answer to a question now that the run has ended.
    fn conclude(&mut self, question: usize) -> Result<(), MonitorError> {
        let w = &self.watched[question];
        if w.answered {
            return Ok(());
        }
        self.check_names(w)
            .map_err(|errors| MonitorError::Predicate { question, errors })?;
        for part in &w.parts {
            if let Some(p) = part.live.support.iter().find(|p| !self.stream.lanes[**p].heard) {
                let process = self.stream.lanes[*p].name.clone();
                return Err(MonitorError::Unheard { question, process });
            }
            let undefined = match &part.watcher {
                Watcher::Linear(_, perhaps) => perhaps.found,
                Watcher::Pairs(pairs) => pairs.undefined,
                Watcher::Branches(b) => b.undefined,
                Watcher::Intervals(_, perhaps) => perhaps.found,
                Watcher::Frontier(f) => f.last_reached && !f.last_surely,
            };
            if undefined {
                let found = part.live.undefined.borrow().clone();
                let (error, place) = found.expect("what has no value was met");
                let record = place.map(|(p, event)| (self.stream.lanes[p].name.clone(), event));
                return Err(MonitorError::Undefined {
                    question,
                    error,
                    record,
                });
            }
        }
        self.answer(question, false, None);
        Ok(())
    }

    /// Whether everything that a predicate names has occurred; only the end can tell.
    fn check_names(&self, w: &Watched) -> Result<(), PredicateErrors> {
        if self.assigned.len() >= NAMES {
            return Ok(());
        }
        // A process that was declared exists, even if nothing was heard of it.
        let declared = self.declared.unwrap_or(0);
        let lanes = self.stream.lanes.iter().enumerate();
        let names = lanes.filter(|(p, lane)| *p < declared || lane.heard);
        let names: Vec<String> = names.map(|(_, lane)| lane.name.clone()).collect();
        let variables: Vec<String> = self.assigned.iter().cloned().collect();
        let assigned = |_: usize, variable: &str| self.assigned.contains(variable);
        w.predicate.bind_among(&names, &variables, &assigned).map(drop)
    }

    fn answer(&mut self, question: usize, positive: bool, witness: Option<Sighting>) {
        let w = &mut self.watched[question];
        w.answered = true;
        let negative = matches!(w.modality, Modality::Never | Modality::Always);
        let (mut states, mut method) = (0, Method::Conjunctive);
        for part in &w.parts {
            match &part.watcher {
                Watcher::Linear(..) | Watcher::Intervals(..) => {}
                Watcher::Pairs(pairs) => (states, method) = (states + pairs.states, Method::Search),
                Watcher::Branches(b) => (states, method) = (states + b.states, Method::Search),
                Watcher::Frontier(f) => (states, method) = (states + f.states, Method::Search),
            }
        }
        w.parts.clear();
        self.announcements.push(Announcement {
            question,
            answer: positive != negative,
            records: self.records,
            method,
            states,
            witness,
        });
    }

    /// A cut of the processes that a question reads, completed for all.
    fn sighting(&self, live: &Live, cut: &LiveCut) -> Sighting {
        // What a state knew only through a message that is forgotten by now, an earlier state
        // of a process of the support knew, too, and clocks only grow.
        let mut events: Cut = vec![0; self.stream.lanes.len()];
        let mut variables = BTreeMap::new();
        for (&p, &k) in live.support.iter().zip(cut) {
            let state = self.stream.state(p, k);
            events[p] = events[p].max(state.event);
            for (q, known) in state.clock.iter().enumerate() {
                events[q] = events[q].max(*known);
            }
        }
        for (&p, &k) in live.support.iter().zip(cut) {
            let state = self.stream.state(p, k);
            let assigned: BTreeMap<String, Value> = self
                .stream
                .variables()
                .iter()
                .zip(state.values.iter())
                .filter(|(_, value)| **value != ValueId::NULL)
                .map(|(name, value)| (name.clone(), self.stream.values.get(*value).clone()))
                .collect();
            variables.insert(self.stream.lanes[p].name.clone(), assigned);
        }
        let names = self.stream.lanes.iter().map(|l| l.name.clone());
        Sighting {
            cut: names.zip(events).collect(),
            variables,
        }
    }

    /// How many local states, messages, waiting events, branches and cuts are held.
    fn held_by_all(&self) -> usize {
        let parts = self.watched.iter().flat_map(|w| &w.parts);
        self.stream.held() + parts.map(|part| part.watcher.held()).sum::<usize>()
    }

    /// Drops what no question can look at any more.
    fn tidy(&mut self) {
        let open = |w: &Watched| !w.answered && !w.closed;
        if self.changed.is_empty() || self.watched.iter().any(open) {
            self.changed.clear();
            return;
        }
        self.changed.clear();
        // Looking takes as long as there are branches and cuts that wait: only when twice as
        // much is held as was left the last time, so that a record costs little on average.
        if self.held_by_all() < self.much {
            return;
        }
        for part in self.watched.iter_mut().flat_map(|w| &mut w.parts) {
            part.watcher.tidy(&part.live, &self.stream);
        }
        // What no question reads is kept for nobody.
        let mut floors = vec![u32::MAX; self.stream.lanes.len()];
        for part in self.watched.iter().flat_map(|w| &w.parts) {
            for (k, &p) in part.live.support.iter().enumerate() {
                floors[p] = floors[p].min(part.watcher.floor(&part.live, &self.stream, k));
            }
        }
        for (p, floor) in floors.into_iter().enumerate() {
            self.stream.drop_before(p, floor);
        }
        self.much = 2 * self.held_by_all();
        if self.stream.messages() > self.many_messages {
            let mut base = vec![u32::MAX; self.stream.lanes.len()];
            for part in self.watched.iter().flat_map(|w| &w.parts) {
                for (least, known) in base.iter_mut().zip(part.watcher.base(&part.live, &self.stream)) {
                    *least = (*least).min(known);
                }
            }
            self.stream.forget_messages(&base);
            self.many_messages = 2 * self.stream.messages() + 1024;
        }
    }
}
