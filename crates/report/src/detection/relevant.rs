//! Which processes make a predicate true in a global state.
//!
//! "Two of the processes are leaders" reads every process, but two of them are
//! enough to show it. If the predicate is a disjunction of not too many conjunctions, the
//! processes that matter are those of the true conjunction that reads the fewest processes.
//! Otherwise all processes matter that the predicate reads.

use mazurka_trace::{Atom, Computation, Formula, Modality, ProcessId, Question, Value};
use std::collections::BTreeSet;

/// With more conjunctions than this, all processes that are read matter.
const DISJUNCTS: usize = 4096;

/// What makes a predicate true: processes, and those of their variables that are read.
#[derive(Debug, Default)]
pub(super) struct Relevant {
    pub(super) processes: BTreeSet<ProcessId>,
    reads: BTreeSet<(ProcessId, String)>,
}

impl Relevant {
    /// What the answer to a question rests on in a global state.
    pub(super) fn of(computation: &Computation, question: &Question, cut: &[u32]) -> Self {
        let predicate = match question.modality {
            Modality::Always => question.predicate.negated(),
            _ => question.predicate.clone(),
        };
        let assigned = |_: ProcessId, variable: &str| computation.variable(variable).is_some();
        match predicate.bind_among(computation.names(), computation.variables(), &assigned) {
            Ok(formula) => Self::in_formula(computation, &formula, cut),
            Err(_) => Self::default(),
        }
    }

    fn in_formula(computation: &Computation, formula: &Formula, cut: &[u32]) -> Self {
        let truths: Vec<Option<bool>> = formula.atoms.iter().map(|a| truth(computation, a, cut)).collect();
        let disjuncts = formula.disjuncts(DISJUNCTS).unwrap_or_default().into_iter();
        let holds =
            |literals: &Vec<(usize, bool)>| literals.iter().all(|(atom, positive)| truths[*atom] == Some(*positive));
        let sets = disjuncts.filter(holds).map(|literals| {
            let atoms = literals.iter().map(|(atom, _)| &formula.atoms[*atom]);
            Self::reading(atoms)
        });
        sets.min_by_key(|set| set.processes.len())
            .unwrap_or_else(|| Self::reading(formula.atoms.iter()))
    }

    fn reading<'a>(atoms: impl Iterator<Item = &'a Atom>) -> Self {
        let reads = atoms.flat_map(|atom| &atom.reads);
        let reads: BTreeSet<_> = reads.map(|read| (read.process, read.variable.clone())).collect();
        Self {
            processes: reads.iter().map(|(process, _)| *process).collect(),
            reads,
        }
    }

    /// Whether the answer rests on this variable of a process.
    pub(super) fn reads(&self, process: ProcessId, variable: &str) -> bool {
        self.reads.contains(&(process, variable.to_owned()))
    }
}

/// Whether an atom holds in a global state.
fn truth(computation: &Computation, atom: &Atom, cut: &[u32]) -> Option<bool> {
    let value = |read: &mazurka_trace::Read| match computation.variable(&read.variable) {
        Some(variable) => computation.value(read.process, variable, cut[read.process.index()]),
        None => &Value::Null,
    };
    let values: Vec<&Value> = atom.reads.iter().map(value).collect();
    atom.evaluate(&values).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_trace::{Place, Predicate, Recorder, Recording, Sink};

    /// Three processes with a variable `leader`: true, unassigned, true.
    fn three() -> Computation {
        let mut recorder = Recorder::new(Recording::default());
        for (name, leader) in [("a", true), ("b", false), ("c", true)] {
            let process = recorder.process(name);
            recorder.event(process, Place::NOWHERE);
            if leader {
                recorder.set("leader", Value::Bool(true));
            }
        }
        recorder.finish().unwrap()
    }

    fn relevant(modality: Modality, predicate: &str) -> Vec<usize> {
        let predicate = Predicate::parse(predicate).unwrap();
        let question = Question { modality, predicate };
        Relevant::of(&three(), &question, &[1, 1, 1])
            .processes
            .into_iter()
            .map(ProcessId::index)
            .collect()
    }

    #[test]
    fn of_all_processes_the_two_that_are_leaders() {
        let two = "processes.exists(p, processes.exists(q, p.name != q.name && p.leader && q.leader))";
        assert_eq!(relevant(Modality::Possibly, two), [0, 2]);
    }

    #[test]
    fn of_a_requirement_what_breaks_it() {
        assert_eq!(relevant(Modality::Always, "processes.all(p, !(p.leader == true))"), [0]);
        assert_eq!(
            relevant(Modality::Never, "a.leader == c.leader && b.leader != true"),
            [0, 1, 2]
        );
    }
}
