//! A formula that follows a run, event by event.

use super::frozen::FrozenRows;
use super::remaining::{Condition, Remaining};
use super::{PassedSnapshot, SltlAnswer, SltlError, SltlFindings, SltlFormula};
use crate::causality::{Cut, Event};
use crate::narrow::short;
use crate::predicate::{self, EvaluationError, Node};
use crate::value::Value;
use mazurka_core::{End, ProcessId, Statistics};
use mazurka_logic::snapshot::{ComponentId, Conjunction, NotASnapshot, conjunctions};
use mazurka_logic::{AtomId, Formula, Lasso, Monitor};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// A predicate bound to the processes of the run.
#[derive(Debug)]
struct Bound {
    formula: predicate::Formula,
    /// Its atoms, to be shared.
    atoms: Vec<Arc<predicate::Atom>>,
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

/// How a snapshot is followed.
#[derive(Debug)]
enum Followed {
    /// By its conjunctions, with their freeze sets.
    Frozen(Vec<(Conjunction, FrozenRows)>),
    /// By what remains of it where processes have stopped.
    Remaining(Remaining),
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
    /// Per snapshot, how it is followed.
    followed: Vec<Followed>,
    /// How many events of each process have happened.
    last: Cut,
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
                atoms: formula.atoms.iter().cloned().map(Arc::new).collect(),
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
            followed: Vec::new(),
            last: vec![0; names.len()],
            passed: vec![None; sltl.snapshots.len()],
            values: initial,
            monitor: Monitor::new(&sltl.formula).map_err(|error| wrong(error.to_string()))?,
            letter: 0,
            events: 0,
            settled: None,
        };
        for snapshot in &sltl.snapshots {
            let q = watch.expanded(&snapshot.q);
            let followed = match watch.freeze(&q, |why| wrong(format!("`{}`: {why}", snapshot.text)))? {
                Some(frozen) => Followed::Frozen(frozen),
                None => Followed::Remaining(Remaining::new(watch.condition(&snapshot.q, true), names.len())),
            };
            watch.followed.push(followed);
        }
        watch.look(None)?;
        Ok(watch)
    }

    /// The conjunctions of a snapshot with their freeze sets; none if it relates processes or has too many. `wrong` says
    /// that it can have none.
    fn freeze(
        &self,
        q: &Formula,
        wrong: impl Fn(String) -> SltlError,
    ) -> Result<Option<Vec<(Conjunction, FrozenRows)>>, SltlError> {
        let supports: Vec<Vec<ProcessId>> = self.locals.iter().map(|local| self.support(*local)).collect();
        let mut is_local = true;
        q.clone()
            .map(&mut |atom: AtomId| is_local &= supports[atom.0 as usize].len() <= 1);
        if !is_local {
            return Ok(None);
        }
        let about = |atom: AtomId| supports[atom.0 as usize].first().copied().map(component);
        let disjuncts = match conjunctions(q, &about) {
            Err(NotASnapshot::TooLarge) => return Ok(None),
            disjuncts => disjuncts.map_err(|error| wrong(error.to_string()))?,
        };
        let mut frozen = Vec::new();
        for conjunction in disjuncts {
            let mut satisfied = Vec::new();
            for p in ProcessId::first(self.names.len()) {
                satisfied.push(self.conjunct(&conjunction, p)?);
            }
            frozen.push((conjunction, FrozenRows::new(&satisfied)));
        }
        Ok(Some(frozen))
    }

    /// A combination of predicates, or its negation, as a condition of which something may remain.
    fn condition(&self, q: &Formula, positive: bool) -> Condition {
        use Formula::*;
        let of = |f: &Formula, positive: bool| self.condition(f, positive);
        match q {
            True | False => Condition::Known((*q == True) == positive),
            Atom(k) => {
                let Bound { formula, atoms, at, .. } = &self.bound[k.0 as usize];
                Condition::of(&formula.root, positive, atoms, *at)
            }
            Not(f) => of(f, !positive),
            And(f, g) => Condition::joined(vec![of(f, positive), of(g, positive)], positive),
            Or(f, g) => Condition::joined(vec![of(f, positive), of(g, positive)], !positive),
            Implies(f, g) => Condition::joined(vec![of(f, !positive), of(g, positive)], !positive),
            Equivalent(f, g) => {
                let both = |f_too: bool, g_too: bool| Condition::joined(vec![of(f, f_too), of(g, g_too)], true);
                Condition::joined(vec![both(true, positive), both(false, !positive)], false)
            }
            // The parser allows nothing else in a snapshot.
            Next(_) | Eventually(_) | Always(_) | Until(..) | Release(..) | WeakUntil(..) => Condition::Known(false),
        }
    }

    /// Adds a process that the formula does not mention.
    pub(crate) fn add_process(&mut self, name: String) {
        self.names.push(name);
        self.values.push(Values::new());
        self.last.push(0);
        for followed in &mut self.followed {
            match followed {
                Followed::Frozen(frozen) => frozen.iter_mut().for_each(|(_, rows)| rows.add_process()),
                Followed::Remaining(remaining) => remaining.add_process(),
            }
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
        let open = self
            .followed
            .iter_mut()
            .zip(&self.passed)
            .filter(|(_, passed)| passed.is_none());
        for (followed, _) in open {
            if let Followed::Remaining(remaining) = followed {
                remaining.event(event, causes, &present(&self.values));
            }
        }
        self.values[p.index()].extend(changes);
        self.events += 1;
        self.last[p.index()] = event.index;
        for k in 0..self.followed.len() {
            self.step(k, event, causes)?;
        }
        self.look(Some(p))
    }

    /// A snapshot that is followed by freeze sets takes note of an event that has happened.
    fn step(&mut self, snapshot: usize, event: Event, causes: &[Event]) -> Result<(), SltlError> {
        let Followed::Frozen(frozen) = &self.followed[snapshot] else {
            return Ok(());
        };
        if self.passed[snapshot].is_some() {
            return Ok(());
        }
        let holds: Result<Vec<bool>, SltlError> = frozen
            .iter()
            .map(|(conjunction, _)| self.conjunct(conjunction, event.process))
            .collect();
        if let Followed::Frozen(frozen) = &mut self.followed[snapshot] {
            for ((_, rows), holds) in frozen.iter_mut().zip(holds?) {
                rows.event(event, causes, holds);
            }
        }
        Ok(())
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

    /// The processes that an atom reads.
    fn support(&self, local: Local) -> Vec<ProcessId> {
        self.bound[local.predicate].formula.atoms[local.atom].support()
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
        for (followed, passed) in self.followed.iter_mut().zip(&mut self.passed) {
            if passed.is_none() {
                let cut = match followed {
                    Followed::Frozen(frozen) => frozen.iter().find_map(|(_, rows)| rows.cut()),
                    Followed::Remaining(remaining) => {
                        let cut = remaining.cut(&self.last, &present(&self.values));
                        cut.map_err(|(error, at)| SltlError::of_evaluation(&error, at))?
                    }
                };
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

/// The present values of variables; what was never assigned is null.
fn present(values: &[Values]) -> impl Fn(ProcessId, &str) -> Value + '_ {
    |process, variable| values[process.index()].get(variable).cloned().unwrap_or(Value::Null)
}

/// Here the components are the processes.
fn component(process: ProcessId) -> ComponentId {
    ComponentId::new(process.index())
}
