//! Searching for an execution that violates a formula.

use crate::alphabet::{Alphabet, Atom};
use crate::executions::Executions;
use crate::outcome::{LtlError, LtlFindings, Unreduced};
use crate::product::{Failures, Searched, violation};
use crate::replay::confirmed;
use crate::sets::{Unnoticed, fairness};
use mazurka_core::{
    Algorithm, CycleSearch, Doubt, Enabling, End, Independence, Limits, Model, Outcome, ProcessId, ReducedGraph,
    Relation, Storage, Unsupported, Verdict,
};
use mazurka_logic::{Formula, StutterInvariance};
use std::collections::BTreeMap;

/// Checks that every execution of a model satisfies a formula, to be configured and run.
///
/// ```
/// use mazurka_core::{Builder, ChannelType, Limit, Limits, Verdict};
/// use mazurka_ltl::{LtlSearch, Unreduced, label, parse};
///
/// let mut m = Builder::new("pipe");
/// let [p0] = m.process("Producer", ["p0"]);
/// let [c0] = m.process("Consumer", ["c0"]);
/// let pipe = m.channel("pipe", ChannelType::bounded(2).messages(0..=0));
/// m.transition("send", p0, p0).then(pipe.send(0));
/// m.transition("receive", c0, c0).then(pipe.receive());
/// let model = m.build()?;
/// let check = |text: &str| -> Result<_, Box<dyn std::error::Error>> {
///     let search = LtlSearch::new(&model, parse(text)?);
///     Ok(search.atom("full", pipe.is_full()).atom("sent", label("send")).atom("received", label("receive")))
/// };
///
/// // Neither waits for ever, even if nobody is fair: each has to wait for the other.
/// assert_eq!(check("[] (sent -> <> received)")?.run()?.verdict, Verdict::Holds);
/// // Two steps after a message it may be full, and the formula counts steps.
/// let outcome = check("[] (sent -> X !sent)")?.run()?;
/// assert_eq!(outcome.verdict, Verdict::Violated);
/// assert_eq!(outcome.unreduced, Some(Unreduced::CountsSteps));
/// // A search that met a limit proves nothing.
/// let limits = Limits { states: Some(1), ..Limits::default() };
/// let outcome = check("[] <> received")?.limits(limits).run()?;
/// assert_eq!(outcome.verdict, Verdict::Inconclusive(Limit::States.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LtlSearch<'m> {
    model: &'m Model,
    formula: Formula<String>,
    atoms: BTreeMap<String, Atom>,
    fair: Fair,
    algorithm: Algorithm,
    enabling: Enabling,
    storage: Storage,
    limits: Limits<'m>,
}

/// Which processes are assumed to be fair.
#[derive(Clone, Debug)]
enum Fair {
    These(Vec<String>),
    All,
}

impl<'m> LtlSearch<'m> {
    /// A search with Algorithm 4 for persistent sets, if the formula allows it, and without fairness.
    pub fn new(model: &'m Model, formula: Formula<String>) -> Self {
        Self {
            model,
            formula,
            atoms: BTreeMap::new(),
            fair: Fair::These(Vec::new()),
            algorithm: Algorithm::Conditional,
            enabling: Enabling::Fewest,
            storage: Storage::Exact,
            limits: Limits::default(),
        }
    }

    /// A search without reduction.
    pub fn full(model: &'m Model, formula: Formula<String>) -> Self {
        Self::new(model, formula).persistent(Algorithm::AllEnabled)
    }

    /// Says what a name in the formula stands for. Names that the formula does not have may be given as well.
    pub fn atom(mut self, name: impl Into<String>, atom: impl Into<Atom>) -> Self {
        self.atoms.insert(name.into(), atom.into());
        self
    }

    /// Assumes that these processes are weakly fair, besides those named before: executions in which one of them can
    /// always move from some time on, but never does, do not count.
    pub fn fair(mut self, processes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        if let Fair::These(names) = &mut self.fair {
            names.extend(processes.into_iter().map(Into::into));
        }
        self
    }

    /// Assumes that all processes are weakly fair.
    pub fn fair_all(mut self) -> Self {
        self.fair = Fair::All;
        self
    }

    /// Sets the algorithm for persistent sets; [`Algorithm::AllEnabled`] is no reduction.
    pub fn persistent(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Sets which necessary enabling sets Algorithms 3 and 4 take.
    pub fn enabling(mut self, enabling: Enabling) -> Self {
        self.enabling = enabling;
        self
    }

    /// Sets how states are stored.
    pub fn store(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// Sets bounds on states, depth, memory and time. With reduction there are two searches: each may have that many
    /// states, and both together that much time.
    pub fn limits(mut self, limits: Limits<'m>) -> Self {
        self.limits = limits;
        self
    }

    /// Runs the search.
    ///
    /// # Errors
    /// If a name of the formula, a label or a process is not known, the formula has no automaton of reasonable size,
    /// the storage forgets states, more than 63 processes are fair, or the algorithm is for deadlocks only.
    pub fn run(&self) -> Result<Outcome<LtlFindings>, LtlError> {
        if self.algorithm == Algorithm::Weak {
            return Err(Unsupported::WeakWithMore.into());
        }
        let mut names = Vec::new();
        let formula = self.formula.clone().number_atoms(&mut names);
        let mut atoms = Vec::new();
        for name in &names {
            let atom = self.atoms.get(name);
            atoms.push((name.as_str(), atom.ok_or_else(|| LtlError::UnknownName(name.clone()))?));
        }
        let alphabet = Alphabet::new(self.model, &atoms)?;
        let executions = Executions::new(self.model, &alphabet, self.fair_processes()?);
        let search = CycleSearch {
            storage: self.storage,
            limits: self.limits.from_now(),
        };
        let unreduced = self.why_unreduced(&formula, &alphabet);
        let reduced = match unreduced {
            None => Some(self.reduced(&search, &executions)?),
            Some(_) => None,
        };
        let Searched {
            lasso,
            statistics,
            end,
            failed,
        } = violation(&search, &executions, &formula, reduced.as_ref())?;
        let counterexample = lasso.map(|lasso| confirmed(&executions, &formula, lasso));
        let counterexample = counterexample.transpose()?;
        Ok(Outcome {
            verdict: verdict(counterexample.is_some(), end, failed),
            end,
            statistics,
            found: LtlFindings {
                counterexample,
                unreduced,
                failed,
            },
        })
    }

    /// The reduced graph of the model.
    fn reduced(&self, search: &CycleSearch<'_>, executions: &Executions<'_, '_>) -> Result<ReducedGraph, Unsupported> {
        let mut visible = executions.alphabet.visible();
        let ordered = fairness(self.model, &executions.fair, &mut visible);
        let independence = Independence::new(self.model, Relation::Conditional).with_order(&ordered);
        let sets = self.algorithm.open(&independence, self.enabling);
        let mut sets = Unnoticed::new(self.model, sets, visible);
        ReducedGraph::new(search, executions, &mut sets, &mut Failures::default())
    }

    fn why_unreduced(&self, formula: &Formula, alphabet: &Alphabet<'_>) -> Option<Unreduced> {
        if self.algorithm == Algorithm::AllEnabled {
            return Some(Unreduced::Asked);
        }
        let invariance = formula.stutter_invariance_with(|atom| alphabet.is_event(atom));
        (invariance != StutterInvariance::Invariant).then_some(Unreduced::CountsSteps)
    }

    /// The fair processes, ascending. Monitors move along with others and are not among them.
    fn fair_processes(&self) -> Result<Vec<ProcessId>, LtlError> {
        let mut fair: Vec<ProcessId> = match &self.fair {
            Fair::All => (0..self.model.processes()).map(ProcessId::new).collect(),
            Fair::These(names) => {
                let process = |name: &String| {
                    let found = self.model.process_named(name);
                    found.ok_or_else(|| LtlError::UnknownProcess(name.clone()))
                };
                names.iter().map(process).collect::<Result<_, _>>()?
            }
        };
        fair.retain(|process| !self.model.is_monitor(*process));
        fair.sort();
        fair.dedup();
        Ok(fair)
    }
}

/// The verdict of a search that ended like this.
pub(crate) fn verdict(violated: bool, end: End, failed: bool) -> Verdict {
    match end {
        _ if violated => Verdict::Violated,
        End::Complete if failed => Verdict::Inconclusive(Doubt::Unexplored),
        end => Verdict::of_no_findings(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{label, parse};
    use mazurka_core::{Builder, Limit, Local, PredicateError, VariableType};

    /// A counter that grows to three, and then fails.
    fn counter() -> (Model, Local) {
        let mut m = Builder::new("counter");
        let [a] = m.process("A", ["a"]);
        let n = m.variable("n", VariableType::range(0..=3));
        m.transition("count", a, a).then(n.write(n.read() + 1));
        (m.build().unwrap(), a)
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let ((model, a), (_, other)) = (counter(), counter());
        let search = || LtlSearch::new(&model, parse("<> p").unwrap());
        let error = |search: LtlSearch<'_>| search.run().unwrap_err();
        assert_eq!(error(search()), LtlError::UnknownName("p".into()));
        let name = "p".to_string();
        let foreign = PredicateError::Foreign;
        assert_eq!(
            error(search().atom("p", other)),
            LtlError::Atom { name, error: foreign }
        );
        assert_eq!(
            error(search().atom("p", label("cuont"))).to_string(),
            "no transition has the label `cuont`"
        );
        let unknown = error(search().atom("p", a).fair(["B"]));
        assert_eq!(unknown, LtlError::UnknownProcess("B".into()));
        let weak = error(search().atom("p", a).persistent(Algorithm::Weak));
        assert_eq!(weak, LtlError::Unsupported(Unsupported::WeakWithMore));
    }

    #[test]
    fn what_was_not_explored_is_not_proved() {
        let (model, a) = counter();
        for algorithm in [Algorithm::AllEnabled, Algorithm::Conditional] {
            let search = |text| {
                let search = LtlSearch::new(&model, parse(text).unwrap()).persistent(algorithm);
                search.atom("a", a).atom("counted", label("count"))
            };
            // The execution goes on after the fault, but nobody knows how.
            let outcome = search("[] <> counted").run().unwrap();
            assert_eq!(outcome.verdict, Verdict::Inconclusive(Doubt::Unexplored));
            assert!(outcome.failed);
            let limits = Limits {
                states: Some(1),
                ..Limits::default()
            };
            let outcome = search("[] a").limits(limits).run().unwrap();
            assert_eq!(outcome.verdict, Verdict::Inconclusive(Limit::States.into()));
        }
    }
}
