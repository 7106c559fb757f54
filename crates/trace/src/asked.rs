//! What is asked about a run, and warnings about questions that are allowed but seldom meant: their answers are
//! right, but may say nothing about what the user had in mind.

use crate::detection::Question;
use crate::ids::{FormulaId, QuestionId};
use crate::import::Finding;
use crate::patterns::Pattern;
use crate::predicate::did_you_mean;
use crate::sltl::SltlFormula;
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that is asked about a run.
#[derive(Clone, Debug, Default)]
pub struct Queries {
    /// Questions about global states.
    pub questions: Vec<Question>,
    /// Formulas with snapshots, which are asked after the questions.
    pub formulas: Vec<SltlFormula>,
    /// Questions about orders of events, which are asked last.
    pub patterns: Vec<Pattern>,
}

impl Queries {
    /// Everything that is asked, in order.
    pub fn iter(&self) -> impl Iterator<Item = Asked<'_>> {
        let questions = self.questions.iter().map(Asked::Question);
        let formulas = self.formulas.iter().map(Asked::Formula);
        questions
            .chain(formulas)
            .chain(self.patterns.iter().map(Asked::Pattern))
    }

    /// A question.
    pub fn question(&self, id: QuestionId) -> &Question {
        &self.questions[id.index()]
    }

    /// A formula.
    pub fn formula(&self, id: FormulaId) -> &SltlFormula {
        &self.formulas[id.index()]
    }

    /// How many questions, formulas and patterns there are.
    pub fn len(&self) -> usize {
        self.questions.len() + self.formulas.len() + self.patterns.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of all variables that they may read.
    pub fn variables(&self) -> BTreeSet<String> {
        let questions = self
            .questions
            .iter()
            .flat_map(|question| question.predicate.variables());
        let formulas = self.formulas.iter().flat_map(SltlFormula::variables);
        let patterns = self.patterns.iter().flat_map(Pattern::variables);
        questions.chain(formulas).chain(patterns).collect()
    }
}

/// Something that is asked about a run.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    /// A question about global states.
    Question(&'a Question),
    /// A formula.
    Formula(&'a SltlFormula),
    /// A question about orders of events.
    Pattern(&'a Pattern),
}

impl Asked<'_> {
    /// As it was asked.
    pub fn text(&self) -> String {
        match self {
            Self::Question(question) => format!("{} {}", question.modality, question.predicate.text()),
            Self::Formula(formula) => format!("sltl {}", formula.text()),
            Self::Pattern(pattern) => format!("{} {}", pattern.modality(), pattern.text()),
        }
    }

    fn named_reads(&self) -> BTreeSet<(String, String)> {
        match self {
            Self::Question(question) => question.predicate.named_reads(),
            Self::Formula(formula) => formula.named_reads(),
            Self::Pattern(pattern) => pattern.named_reads(),
        }
    }
}

/// Warns about processes that never assign a variable that is read from them, so that it is always null.
/// `processes` lists all processes of the run, and `assigns` says which variables they assign.
pub fn never_assigned(asked: Asked<'_>, processes: &[&str], assigns: &dyn Fn(&str, &str) -> bool) -> Vec<Finding> {
    let reads = asked.named_reads();
    let missing = reads
        .iter()
        .filter(|(process, variable)| processes.contains(&process.as_str()) && !assigns(process, variable));
    missing
        .map(|(process, variable)| {
            let others: Vec<&str> = processes
                .iter()
                .copied()
                .filter(|p| assigns(p, variable))
                .take(4)
                .collect();
            let others = match &others[..] {
                [] => String::new(),
                [one] => format!("; {one} does"),
                [few @ .., _] if few.len() == 3 => format!("; {} and others do", few.join(", ")),
                all => format!("; {} do", all.join(", ")),
            };
            let message = format!(
                "`{process}` never assigns `{variable}`, which `{}` reads{others}",
                asked.text()
            );
            Finding {
                expected: Some(format!(
                    "a record of `{process}` with `{variable}` in its `vars`, or `--default {variable}=VALUE`"
                )),
                ..Finding::warning("never-assigned", message)
            }
        })
        .collect()
}

/// Warns about defaults of variables that no query reads. `read` has the variables that are read.
pub fn unread_defaults(defaults: &[(String, Value)], read: &BTreeSet<String>) -> Vec<Finding> {
    let once: BTreeMap<&str, &Value> = defaults.iter().map(|(name, value)| (name.as_str(), value)).collect();
    let unread = once.into_iter().filter(|(name, _)| !read.contains(*name));
    unread
        .map(|(name, value)| {
            let similar = did_you_mean(name, read.iter().map(String::as_str));
            let similar = similar.map_or(String::new(), |similar| format!("; {similar}"));
            Finding {
                expected: Some("the name of a variable that a query reads".to_owned()),
                ..Finding::warning(
                    "unread-default",
                    format!("no query reads `{name}`, so `--default {name}={value}` has no effect{similar}"),
                )
            }
        })
        .collect()
}
