//! Answers: what the records so far imply, and what the end of the run adds.
//!
//! A watcher says that its part of a question is found; the question is then answered, whatever is
//! still to come. At the end the remaining questions are answered in the negative, unless a
//! value that would decide them does not exist.

use super::live::{Live, LiveCut};
use super::telling::NAMES;
use super::watched::{Watched, Watcher};
use super::{Announced, Announcement, Monitor, MonitorError, Sighting};
use crate::causality::Cut;
use crate::detection::{Method, Modality};
use crate::ids::QuestionId;
use crate::predicate::PredicateErrors;
use crate::value::{Value, ValueId};
use mazurka_core::{End, ProcessId, Statistics};
use std::collections::BTreeMap;

impl Monitor {
    /// Announces the answer to a question if it is implied.
    pub(super) fn announce(&mut self, question: QuestionId) {
        let w = &self.watched[question.index()];
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
    pub(super) fn conclude(&mut self, question: QuestionId) -> Result<(), MonitorError> {
        let w = &self.watched[question.index()];
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
                Watcher::Frontier(f) => f.is_undefined(),
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
        // A process that was declared exists, even if it has no record.
        let declared = self.declared.unwrap_or(0);
        let lanes = self.stream.lanes.iter().enumerate();
        let names = lanes.filter(|(p, lane)| *p < declared || lane.heard);
        let names: Vec<String> = names.map(|(_, lane)| lane.name.clone()).collect();
        let variables: Vec<String> = self.assigned.iter().cloned().collect();
        let assigned = |_: ProcessId, variable: &str| self.assigned.contains(variable);
        w.predicate.bind_among(&names, &variables, &assigned).map(drop)
    }

    fn answer(&mut self, question: QuestionId, positive: bool, witness: Option<Sighting>) {
        let w = &mut self.watched[question.index()];
        w.answered = true;
        let negative = matches!(w.modality, Modality::Never | Modality::Always);
        let (mut states, mut method) = (0, Method::Conjunctive);
        for part in &w.parts {
            match &part.watcher {
                Watcher::Linear(..) | Watcher::Intervals(..) => {}
                Watcher::Pairs(pairs) => (states, method) = (states + pairs.states, Method::Search),
                Watcher::Branches(b) => (states, method) = (states + b.states, Method::Search),
                Watcher::Frontier(f) => (states, method) = (states + f.states(), Method::Search),
            }
        }
        w.parts.clear();
        self.announcements.push(Announcement {
            verdict: (positive != negative).into(),
            // What was found holds whatever comes; that nothing is found is known at the end only.
            end: if positive { End::Stopped } else { End::Complete },
            statistics: Statistics {
                states,
                time: self.start.elapsed(),
                ..Statistics::default()
            },
            found: Announced {
                question,
                records: self.records,
                method,
                witness,
            },
        });
    }

    /// A cut of the processes that a question reads, completed for all.
    fn sighting(&self, live: &Live, cut: &LiveCut) -> Sighting {
        // If a state knew something only through a message that is forgotten by now, an earlier state
        // of a process of the support knew it too, and clocks only grow.
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
}
