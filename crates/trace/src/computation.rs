//! Computations: what each process did, and what happened before what.
//!
//! N processes, each a sequence of local states, together with happened-before
//! (Stoller, Unnikrishnan and Liu, CAV 2000, section 2). Local state 0 is a
//! process's initial state; event k leads to local state k. Variables are kept as
//! lists of their assignments, and each value and name is kept once.

use crate::causality::{Causality, Event};
use crate::narrow::short;
use crate::problem::Place;
use crate::value::{Value, ValueId, Values};
use mazurka_core::ProcessId;
use std::collections::BTreeMap;

/// A variable, by the number of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub(crate) u32);

impl VariableId {
    /// Its position in [`Computation::variables`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The assignments of one variable by one process: after which event, which
/// value, in the order of the events, at most one for each.
pub(crate) type Column = Vec<(u32, ValueId)>;

/// A computation.
#[derive(Clone, Debug, Default)]
pub struct Computation {
    pub(crate) names: Vec<String>,
    pub(crate) causality: Causality,
    pub(crate) values: Values,
    pub(crate) variables: Vec<String>,
    /// Per process: its columns by variable, absent or empty if never assigned.
    pub(crate) columns: Vec<Vec<Column>>,
    /// Per process and event, from 0 (the initial state): its label, an index
    /// into `label_texts`, if labels are kept.
    pub(crate) labels: Vec<Vec<u32>>,
    pub(crate) label_texts: Vec<Box<str>>,
    /// Per process and event, from 0: where its record is.
    pub(crate) places: Vec<Places>,
    /// The events that the input lacks.
    pub(crate) holes: Vec<Event>,
    /// How times were used to order events, if they were.
    pub(crate) skew: Option<SkewUse>,
}

/// How times were used to order events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkewUse {
    /// By how much clocks are assumed to differ at most, in nanoseconds.
    pub nanoseconds: u128,
    /// How many events have a time.
    pub timed: u64,
    /// How many direct causes times added, besides those that the records name.
    pub ordered: u64,
}

impl SkewUse {
    /// By how much clocks are assumed to differ at most, in a unit that suits it, such as `5 ms`.
    pub fn bound(&self) -> String {
        crate::recorder::skew::duration(self.nanoseconds)
    }
}

/// Where the records of a process are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// File in the upper 16 bits, offset in the lower 48.
    pub(crate) starts: Vec<u64>,
    pub(crate) lengths: Vec<u32>,
}

impl Places {
    pub(crate) fn push(&mut self, place: Place) {
        self.starts
            .push(u64::from(place.file) << 48 | place.offset & ((1 << 48) - 1));
        self.lengths.push(place.length);
    }

    fn set(&mut self, at: usize, place: Place) {
        self.starts[at] = u64::from(place.file) << 48 | place.offset & ((1 << 48) - 1);
        self.lengths[at] = place.length;
    }

    fn get(&self, at: usize) -> Option<Place> {
        let start = *self.starts.get(at)?;
        let file = (start >> 48) as u16;
        (file != u16::MAX).then(|| Place {
            file,
            offset: start & ((1 << 48) - 1),
            length: self.lengths[at],
        })
    }
}

impl Computation {
    /// The names of the processes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.names.len()
    }

    /// The processes, in order.
    pub fn process_ids(&self) -> impl DoubleEndedIterator<Item = ProcessId> + ExactSizeIterator + Clone + use<> {
        ProcessId::first(self.processes())
    }

    /// The name of a process.
    pub fn name(&self, process: ProcessId) -> &str {
        &self.names[process.index()]
    }

    /// How times were used to order events; none if the order rests on what the records say alone.
    pub fn skew(&self) -> Option<SkewUse> {
        self.skew
    }

    /// What happened before what.
    pub fn causality(&self) -> &Causality {
        &self.causality
    }

    /// The process of this name.
    pub fn process(&self, name: &str) -> Option<ProcessId> {
        self.names.iter().position(|n| n == name).map(ProcessId::new)
    }

    /// The names of all variables that some process assigns and that are kept.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The variable of this name.
    pub fn variable(&self, name: &str) -> Option<VariableId> {
        let at = self.variables.iter().position(|v| v == name)?;
        Some(VariableId(short(at)))
    }

    /// Whether a process ever assigns a variable.
    pub fn assigns(&self, process: ProcessId, variable: VariableId) -> bool {
        !self.assignments(process, variable).is_empty()
    }

    /// The assignments of a variable by a process: after which event, which value.
    pub fn assignments(&self, process: ProcessId, variable: VariableId) -> &[(u32, ValueId)] {
        self.columns[process.index()]
            .get(variable.index())
            .map_or(&[], Vec::as_slice)
    }

    /// The value of a variable in a local state.
    pub fn value_id(&self, process: ProcessId, variable: VariableId, state: u32) -> ValueId {
        let column = self.assignments(process, variable);
        match column.partition_point(|(event, _)| *event <= state) {
            0 => ValueId::NULL,
            k => column[k - 1].1,
        }
    }

    /// The value of a variable in a local state; [`Value::Null`] if it is not assigned yet.
    pub fn value(&self, process: ProcessId, variable: VariableId, state: u32) -> &Value {
        self.values.get(self.value_id(process, variable, state))
    }

    /// The value with this id.
    pub fn value_of(&self, id: ValueId) -> &Value {
        self.values.get(id)
    }

    /// The variables of a local state that are assigned, by name.
    pub fn local_state(&self, process: ProcessId, state: u32) -> BTreeMap<&str, &Value> {
        let all = self.variables.iter().enumerate().map(|(v, name)| {
            let value = self.value(process, VariableId(short(v)), state);
            (name.as_str(), value)
        });
        all.filter(|(_, value)| !matches!(value, Value::Null)).collect()
    }

    /// What an event assigns, by name; event 0 stands for the initial state.
    pub fn assigned_by(&self, process: ProcessId, event: u32) -> BTreeMap<&str, &Value> {
        let all = self.variables.iter().enumerate().filter_map(|(v, name)| {
            let column = self.assignments(process, VariableId(short(v)));
            let at = column.binary_search_by_key(&event, |(event, _)| *event).ok()?;
            Some((name.as_str(), self.values.get(column[at].1)))
        });
        all.collect()
    }

    /// What an event is called in the input; empty if it has no name there, or names are not kept.
    pub fn label(&self, process: ProcessId, event: u32) -> &str {
        match self.labels[process.index()].get(event as usize) {
            Some(&at) => &self.label_texts[at as usize],
            None => "",
        }
    }

    /// Where the record of an event is; event 0 stands for the initial state.
    pub fn place(&self, process: ProcessId, event: u32) -> Option<Place> {
        self.places[process.index()].get(event as usize)
    }

    /// The events that the input lacks, and that were put in because others depend on them.
    pub fn holes(&self) -> &[Event] {
        &self.holes
    }

    /// Bytes held, apart from the text of values and names.
    pub fn bytes(&self) -> usize {
        let columns = self.columns.iter().flatten().map(|c| c.capacity() * 8);
        let labels = self.labels.iter().map(|l| l.capacity() * 4);
        let places = self
            .places
            .iter()
            .map(|p| p.starts.capacity() * 8 + p.lengths.capacity() * 4);
        self.causality.bytes() + columns.chain(labels).chain(places).sum::<usize>()
    }

    pub(crate) fn set_place(&mut self, process: ProcessId, event: u32, place: Place) {
        self.places[process.index()].set(event as usize, place);
    }
}
