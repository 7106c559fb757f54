//! Formulas with snapshots while the run goes on.
//!
//! A formula is about the events in the order in which they are delivered: as they arrive, each as soon as its
//! causes have. The initial states of the processes that it mentions must be known first, so events are
//! kept until each of these has a record. The other processes matter too: their messages order the rest.

use super::stream::{Delivered, Stream};
use crate::causality::Event;
use crate::sltl::{SltlAnswer, SltlError, SltlFormula, Watch};
use crate::value::{Value, ValueId};
use mazurka_core::ProcessId;
use std::collections::HashMap;
use std::time::Instant;

/// A formula that is watched.
#[derive(Debug)]
pub(super) struct WatchedFormula {
    formula: SltlFormula,
    /// The processes that it mentions.
    names: Vec<String>,
    watch: Option<Watch>,
    /// What was delivered before all of them had records.
    waiting: Vec<Delivered>,
    /// By the number of a process in the stream: its number in the watch.
    numbers: HashMap<usize, usize>,
    initial: HashMap<String, Vec<(String, Value)>>,
    announced: bool,
    /// The names of the processes of the stream.
    lanes: Vec<String>,
}

impl WatchedFormula {
    pub(super) fn new(formula: SltlFormula, declared: Option<&[String]>) -> Result<Self, SltlError> {
        let names = match declared {
            Some(names) => names.to_vec(),
            None if formula.quantifies() => {
                return Err(SltlError {
                    message: "the formula is about all processes, which are not known while the run goes on".into(),
                    span: 0..formula.text().len(),
                    hint: Some("say which processes there are with --processes".into()),
                });
            }
            None => formula.named_processes().into_iter().collect(),
        };
        let mut watched = Self {
            formula,
            names,
            watch: None,
            waiting: Vec::new(),
            numbers: HashMap::new(),
            initial: HashMap::new(),
            announced: false,
            lanes: Vec::new(),
        };
        watched.begin()?;
        Ok(watched)
    }

    /// Begins to watch once all processes have records.
    fn begin(&mut self) -> Result<(), SltlError> {
        if self.watch.is_some() || !self.names.iter().all(|name| self.initial.contains_key(name)) {
            return Ok(());
        }
        let initial = self
            .names
            .iter()
            .map(|name| self.initial[name].iter().cloned().collect());
        let initial = initial.collect();
        let watch = Watch::new(&self.formula, &self.names, &[], &|_, _| true, initial)?;
        self.watch = Some(watch);
        for delivered in std::mem::take(&mut self.waiting) {
            self.event(delivered)?;
        }
        Ok(())
    }

    /// Something was delivered.
    pub(super) fn delivered(&mut self, delivered: &Delivered, stream: &Stream) -> Result<(), SltlError> {
        let p = delivered.process;
        let known = self.lanes.len();
        self.lanes
            .extend(stream.lanes[known..].iter().map(|lane| lane.name.clone()));
        if delivered.event == 0 {
            let name = stream.lanes[p].name.clone();
            if let Some(number) = self.names.iter().position(|other| *other == name) {
                self.numbers.insert(p, number);
                self.initial.insert(name, named(&delivered.sets, stream));
            }
            return self.begin();
        }
        let resolved = Delivered {
            values: named(&delivered.sets, stream),
            ..delivered.clone()
        };
        match self.watch {
            Some(_) => self.event(resolved),
            None => {
                self.waiting.push(resolved);
                Ok(())
            }
        }
    }

    fn number(&mut self, process: usize) -> usize {
        let next = self
            .numbers
            .values()
            .max()
            .map_or(0, |last| last + 1)
            .max(self.names.len());
        let (watch, lanes) = (&mut self.watch, &self.lanes);
        *self.numbers.entry(process).or_insert_with(|| {
            if let Some(watch) = watch {
                watch.add_process(lanes[process].clone());
            }
            next
        })
    }

    fn event(&mut self, delivered: Delivered) -> Result<(), SltlError> {
        let event = Event::new(ProcessId::new(self.number(delivered.process)), delivered.event);
        let mut causes = Vec::new();
        for (q, known) in delivered.clock.iter().enumerate() {
            if q != delivered.process && *known > 0 {
                causes.push(Event::new(ProcessId::new(self.number(q)), *known));
            }
        }
        match &mut self.watch {
            Some(watch) => watch.event(event, &causes, delivered.values.into_iter()),
            None => Ok(()),
        }
    }

    /// The answer, once, if it is settled whatever comes. Time counts from `start`.
    pub(super) fn settled(&mut self, start: Instant) -> Option<SltlAnswer> {
        let watch = self.watch.as_ref()?;
        if self.announced || watch.verdict().is_none() {
            return None;
        }
        self.announced = true;
        Some(watch.answer(start.elapsed()))
    }

    /// The answer at the end of the run, unless it was given before.
    pub(super) fn finish(&mut self, start: Instant) -> Result<Option<SltlAnswer>, SltlError> {
        match &self.watch {
            _ if self.announced => Ok(None),
            Some(watch) => Ok(Some(watch.answer(start.elapsed()))),
            None => {
                let unheard = self.names.iter().find(|name| !self.initial.contains_key(*name));
                Err(SltlError {
                    message: format!("there is no record of process `{}`", unheard.map_or("", |name| name)),
                    span: 0..self.formula.text().len(),
                    hint: None,
                })
            }
        }
    }
}

fn named(sets: &[(usize, ValueId)], stream: &Stream) -> Vec<(String, Value)> {
    let sets = sets.iter();
    sets.map(|(v, value)| (stream.variables()[*v].clone(), stream.values.get(*value).clone()))
        .collect()
}
