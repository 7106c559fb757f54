//! Reads: which variables of which processes a predicate looks at.
//!
//! For each read it is determined once whether the process ever assigns the variable. A
//! variable that none of the expected processes assigns is probably misspelt.

use super::check::Names;
use super::error::{PredicateError, Span, did_you_mean};
use super::formula::Read;
use super::term::{Op, Term};
use crate::narrow::short;
use mazurka_core::ProcessId;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// Who is expected to assign a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// Nobody: the predicate asks whether somebody does.
    Nobody,
    /// The process that is named.
    This,
    /// Some process that a quantifier ranges over.
    Some,
}

/// A use of a variable.
struct Use {
    variable: Arc<str>,
    process: Option<u32>,
    assigned: bool,
}

/// The reads of a predicate.
pub(super) struct Reads<'a> {
    names: &'a Names<'a>,
    /// Variables that occur, and their numbers.
    variables: Vec<Arc<str>>,
    variable_ids: HashMap<Arc<str>, u32>,
    /// Process, variable, and whether the process ever assigns the variable.
    reads: Vec<(u32, u32, bool)>,
    read_ids: HashMap<(u32, u32), u32>,
    /// The uses of variables, by their place in the text.
    uses: BTreeMap<(u32, u32), Use>,
}

impl<'a> Reads<'a> {
    pub(super) fn new(names: &'a Names<'a>) -> Self {
        Self {
            names,
            variables: Vec::new(),
            variable_ids: HashMap::new(),
            reads: Vec::new(),
            read_ids: HashMap::new(),
            uses: BTreeMap::new(),
        }
    }

    /// Whether the process ever assigns the variable.
    pub(super) fn is_assigned(&self, read: u32) -> bool {
        self.reads[read as usize].2
    }

    /// The number of the read at `span`.
    pub(super) fn read(&mut self, process: u32, variable: &Arc<str>, span: Span, expected: Expected) -> u32 {
        let id = match self.variable_ids.get(variable) {
            Some(id) => *id,
            None => {
                let id = short(self.variables.len());
                self.variables.push(variable.clone());
                self.variable_ids.insert(variable.clone(), id);
                id
            }
        };
        let read = match self.read_ids.get(&(process, id)) {
            Some(read) => *read,
            None => {
                let read = short(self.reads.len());
                let assigned = (self.names.assigned)(ProcessId::new(process as usize), variable);
                self.reads.push((process, id, assigned));
                self.read_ids.insert((process, id), read);
                read
            }
        };
        if expected != Expected::Nobody {
            let assigned = self.reads[read as usize].2;
            let entry = self.uses.entry((span.start, span.end));
            let known = entry.or_insert_with(|| Use {
                variable: variable.clone(),
                process: (expected == Expected::This).then_some(process),
                assigned,
            });
            known.assigned |= assigned;
        }
        read
    }

    /// The process and the variable.
    pub(super) fn named(&self, read: u32) -> Read {
        let (process, variable, _) = self.reads[read as usize];
        Read {
            process: ProcessId::new(process as usize),
            variable: self.variables[variable as usize].to_string(),
        }
    }

    /// Whether a term is a variable that is never assigned, or part of one.
    pub(super) fn is_null(&self, term: &Term) -> bool {
        match &term.op {
            Op::Read(read) => !self.reads[*read as usize].2,
            Op::Field(of, _) => self.is_null(of),
            Op::Index(pair) => self.is_null(&pair[0]) && pair[1].constant().is_some(),
            _ => false,
        }
    }

    /// The key that operands of `==` are sorted by: their reads, by process first.
    pub(super) fn order(&self, term: &Term) -> Vec<(u32, u32)> {
        let mut reads = Vec::new();
        term.collect_reads(&mut reads);
        let key = |read: &u32| {
            let (process, variable, _) = self.reads[*read as usize];
            (process, variable)
        };
        reads.iter().map(key).collect()
    }

    /// Errors for variables that none of the processes in question assigns.
    pub(super) fn never_assigned(&self, variables: &[String]) -> Vec<PredicateError> {
        let mut errors = Vec::new();
        let all = self.names.processes;
        for (
            (start, end),
            Use {
                variable,
                process,
                assigned,
            },
        ) in &self.uses
        {
            if *assigned {
                continue;
            }
            let assigning = |p: &ProcessId| (self.names.assigned)(*p, variable);
            let owners: Vec<_> = ProcessId::first(all.len())
                .filter(assigning)
                .take(5)
                .map(|p| all[p.index()].as_str())
                .collect();
            let who = match process {
                Some(process) => format!("`{}` never", all[*process as usize]),
                // It is assigned by a process that the quantifier left out.
                None if !owners.is_empty() => continue,
                None => "no process ever".to_owned(),
            };
            let span: Range<usize> = *start as usize..*end as usize;
            let similar = did_you_mean(
                variable,
                variables.iter().map(String::as_str).filter(|v| *v != &**variable),
            );
            let hint = match owners.len() {
                0 => similar,
                5 => Some(format!("{} and others do", owners[..4].join(", "))),
                1 => Some(format!("{} does", owners[0])),
                _ => Some(format!("{} do", owners.join(", "))),
            };
            errors.push(PredicateError::new(span, format!("{who} assigns `{variable}`")).perhaps(hint));
        }
        errors
    }
}
