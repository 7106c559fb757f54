//! A formula that follows a run, event by event.

use super::frozen::FrozenRows;
use super::{PassedSnapshot, SltlAnswer, SltlError, SltlFindings, SltlFormula};
use crate::causality::{Cut, Event};
use crate::narrow::short;
use crate::predicate::{self, EvaluationError, Node};
use crate::value::Value;
use mazurka_core::{End, ProcessId, Statistics};
use mazurka_logic::snapshot::{ComponentId, Conjunction, conjunctions};
use mazurka_logic::{AtomId, Formula, Lasso, Monitor};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A predicate bound to the processes of the run.
#[derive(Debug)]
struct Bound {
    formula: predicate::Formula,
    /// Where it begins in the text.
    at: usize,
    support: BTreeSet<ProcessId>,
    /// Whether it occurs outside of snapshots, so that it needs a value in each global state.
    observed: bool,
}

/// An atom of a bound predicate that a snapshot uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Local {
    predicate: usize,
    atom: usize,
}

/// The values of variables, by name.
pub(crate) type Values = BTreeMap<String, Value>;

/// A run that is followed.
#[derive(Debug)]
pub(crate) struct Watch {
    snapshots: Vec<String>,
    names: Vec<String>,
    bound: Vec<Bound>,
    locals: Vec<Local>,
    /// Per snapshot, its conjunctions with their freeze sets.
    frozen: Vec<Vec<(Conjunction, FrozenRows)>>,
    passed: Vec<Option<(u64, Cut)>>,
    /// Per process, its local state.
    values: Vec<Values>,
    monitor: Monitor,
    letter: u64,
    events: u64,
    settled: Option<(bool, u64)>,
}

impl Watch {
    /// A watch before the first event. `variables` serve to guess what a misspelt one was meant to be.
    pub(crate) fn new(
        sltl: &SltlFormula,
        names: &[String],
        variables: &[String],
        assigned: &dyn Fn(ProcessId, &str) -> bool,
        initial: Vec<Values>,
    ) -> Result<Self, SltlError> {
        let wrong = |message: String| SltlError {
            message,
            span: 0..sltl.text.len(),
            hint: None,
        };
        let mut observed = vec![false; sltl.predicates.len() + sltl.snapshots.len()];
        sltl.formula.clone().map(&mut |atom| observed[atom.0 as usize] = true);
        if observed.len() > 64 {
            return Err(wrong("the formula has more than 64 atoms".to_string()));
        }
        let mut bound = Vec::new();
        for (k, (predicate, at)) in sltl.predicates.iter().enumerate() {
            let formula = predicate.bind_among(names, variables, assigned);
            let formula = formula.map_err(|errors| SltlError::of_predicate(&errors, *at))?;
            let support = formula.support(&formula.root);
            bound.push(Bound {
                formula,
                at: *at,
                support,
                observed: observed[k],
            });
        }
        let mut watch = Self {
            snapshots: sltl.snapshots.iter().map(|snapshot| snapshot.text.clone()).collect(),
            names: names.to_vec(),
            bound,
            locals: Vec::new(),
            frozen: Vec::new(),
            passed: vec![None; sltl.snapshots.len()],
            values: initial,
            monitor: Monitor::new(&sltl.formula).map_err(|error| wrong(error.to_string()))?,
            letter: 0,
            events: 0,
            settled: None,
        };
        for snapshot in &sltl.snapshots {
            let q = watch.expanded(&snapshot.q);
            let frozen = watch.freeze(&q, |why| wrong(format!("`{}`: {why}", snapshot.text)))?;
            watch.frozen.push(frozen);
        }
        watch.look(None)?;
        Ok(watch)
    }

    /// The conjunctions of a snapshot with their freeze sets. `wrong` says that it has none.
    fn freeze(
        &self,
        q: &Formula,
        wrong: impl Fn(String) -> SltlError,
    ) -> Result<Vec<(Conjunction, FrozenRows)>, SltlError> {
        let mut about = Vec::new();
        for local in &self.locals {
            about.push(self.process_of(*local, &self.names)?);
        }
        let disjuncts = conjunctions(q, &|atom| about[atom.0 as usize].map(component));
        let mut frozen = Vec::new();
        for conjunction in disjuncts.map_err(|error| wrong(error.to_string()))? {
            let mut satisfied = Vec::new();
            for p in ProcessId::first(self.names.len()) {
                satisfied.push(self.conjunct(&conjunction, p)?);
            }
            frozen.push((conjunction, FrozenRows::new(&satisfied)));
        }
        Ok(frozen)
    }

    /// Adds a process that the formula does not mention.
    pub(crate) fn add_process(&mut self, name: String) {
        self.names.push(name);
        self.values.push(Values::new());
        for (_, rows) in self.frozen.iter_mut().flatten() {
            rows.add_process();
        }
    }

    /// An event happens whose causes have happened; `changes` are the variables that it assigns.
    pub(crate) fn event(
        &mut self,
        event: Event,
        causes: &[Event],
        changes: impl Iterator<Item = (String, Value)>,
    ) -> Result<(), SltlError> {
        let p = event.process;
        self.values[p.index()].extend(changes);
        self.events += 1;
        for k in 0..self.frozen.len() {
            if self.passed[k].is_some() {
                continue;
            }
            for c in 0..self.frozen[k].len() {
                let holds = self.conjunct(&self.frozen[k][c].0, p)?;
                self.frozen[k][c].1.event(event, causes, holds);
            }
        }
        self.look(Some(p))
    }

    /// Whether the formula holds, if that is settled whatever comes.
    pub(crate) fn verdict(&self) -> Option<bool> {
        self.settled.map(|(holds, _)| holds)
    }

    /// The answer, found in this time, if nothing more happens.
    pub(crate) fn answer(&self, time: Duration) -> SltlAnswer {
        let holds = self.verdict().unwrap_or_else(|| self.monitor.ends(self.letter));
        let by_name = |cut: &Cut| self.names.iter().cloned().zip(cut.iter().copied()).collect();
        let snapshot = |(text, passed): (&String, &Option<(u64, Cut)>)| PassedSnapshot {
            text: text.clone(),
            passed: passed.as_ref().map(|(events, cut)| (*events, by_name(cut))),
        };
        SltlAnswer {
            verdict: holds.into(),
            end: match self.settled {
                Some(_) => End::Stopped,
                None => End::Complete,
            },
            statistics: Statistics {
                time,
                ..Statistics::default()
            },
            found: SltlFindings {
                settled: self.settled.map(|(_, events)| events),
                snapshots: self.snapshots.iter().zip(&self.passed).map(snapshot).collect(),
                refusal: None,
            },
        }
    }

    /// A combination of predicates as one of their atoms.
    fn expanded(&mut self, q: &Formula) -> Formula {
        use Formula::*;
        let mut of = |f: &Formula| Box::new(self.expanded(f));
        match q {
            Atom(k) => {
                let predicate = k.0 as usize;
                let root = self.bound[predicate].formula.root.clone();
                self.expanded_node(predicate, &root)
            }
            Not(f) => of(f).negated(),
            And(f, g) => And(of(f), of(g)),
            Or(f, g) => Or(of(f), of(g)),
            Implies(f, g) => Implies(of(f), of(g)),
            Equivalent(f, g) => Equivalent(of(f), of(g)),
            // The parser allows nothing else in a snapshot.
            other => other.clone(),
        }
    }

    fn expanded_node(&mut self, predicate: usize, node: &Node) -> Formula {
        let mut all = |members: &[Node], join: fn(Box<Formula>, Box<Formula>) -> Formula| {
            let parts: Vec<Formula> = members.iter().map(|m| self.expanded_node(predicate, m)).collect();
            let joined = parts.into_iter().reduce(|f, g| join(Box::new(f), Box::new(g)));
            joined.unwrap_or(Formula::True)
        };
        match node {
            Node::Constant(true) => Formula::True,
            Node::Constant(false) => Formula::False,
            Node::And(members) => all(members, Formula::And),
            Node::Or(members) => all(members, Formula::Or),
            Node::Literal { atom, positive } => {
                let local = Local { predicate, atom: *atom };
                let known = self.locals.iter().position(|other| *other == local);
                let number = known.unwrap_or_else(|| {
                    self.locals.push(local);
                    self.locals.len() - 1
                });
                let atom = Formula::Atom(AtomId(short(number)));
                if *positive { atom } else { atom.negated() }
            }
        }
    }

    /// The process that an atom reads; `None` if it reads none.
    fn process_of(&self, local: Local, names: &[String]) -> Result<Option<ProcessId>, SltlError> {
        let Bound { formula, at, .. } = &self.bound[local.predicate];
        let atom = &formula.atoms[local.atom];
        match atom.support()[..] {
            [] => Ok(None),
            [p] => Ok(Some(p)),
            [p, q, ..] => {
                let span = atom.span();
                Err(SltlError {
                    message: format!("`{}` reads several processes, and a snapshot needs one", atom.text()),
                    span: span.start + at..span.end + at,
                    hint: Some(format!(
                        "it reads `{}` and `{}`; write it as a combination of conditions on one process each",
                        names[p.index()],
                        names[q.index()]
                    )),
                })
            }
        }
    }

    /// Whether the conjunct of a process holds in its local state.
    fn conjunct(&self, conjunction: &Conjunction, process: ProcessId) -> Result<bool, SltlError> {
        let Some(conjunct) = conjunction.get(&component(process)) else {
            return Ok(true);
        };
        let mut truth = Vec::new();
        for local in &self.locals {
            let Bound { formula, at, .. } = &self.bound[local.predicate];
            let atom = &formula.atoms[local.atom];
            // Atoms about other processes are not looked at.
            let relevant = atom.support().iter().all(|p| *p == process);
            let holds = || {
                self.evaluate(atom)
                    .map_err(|error| SltlError::of_evaluation(&error, *at))
            };
            truth.push(relevant && holds()?);
        }
        let one = Lasso::new(1, 0).expect("one position");
        Ok(conjunct.holds_on(one, |atom, _| truth[atom.0 as usize]))
    }

    /// Looks at the global state after an event of a process.
    fn look(&mut self, changed: Option<ProcessId>) -> Result<(), SltlError> {
        for (frozen, passed) in self.frozen.iter().zip(&mut self.passed) {
            if passed.is_none() {
                let cut = frozen.iter().find_map(|(_, rows)| rows.cut());
                *passed = cut.map(|cut| (self.events, cut));
            }
        }
        let mut letter = self.letter;
        for (k, bound) in self.bound.iter().enumerate() {
            if !bound.observed || changed.is_some_and(|p| !bound.support.contains(&p)) {
                continue;
            }
            let mut truth = |atom: usize| self.evaluate(&bound.formula.atoms[atom]);
            let holds = bound.formula.root.evaluate(&mut truth);
            let holds = holds.map_err(|error| SltlError::of_evaluation(&error, bound.at))?;
            letter = letter & !(1 << k) | u64::from(holds) << k;
        }
        for (k, passed) in self.passed.iter().enumerate() {
            letter |= u64::from(passed.is_some()) << (self.bound.len() + k);
        }
        self.letter = letter;
        if self.settled.is_none() {
            self.monitor.step(letter);
            self.settled = self.monitor.verdict().map(|holds| (holds, self.events));
        }
        Ok(())
    }

    /// The truth of an atom in the global state.
    fn evaluate(&self, atom: &predicate::Atom) -> Result<bool, EvaluationError> {
        let null = Value::Null;
        let values = atom.reads.iter();
        let values = values.map(|read| self.values[read.process.index()].get(&read.variable).unwrap_or(&null));
        atom.evaluate(&values.collect::<Vec<_>>())
    }
}

/// Here the components are the processes.
fn component(process: ProcessId) -> ComponentId {
    ComponentId::new(process.index())
}
