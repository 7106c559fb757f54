//! From a bound predicate to cells, tables and tracks.
//!
//! Each maximal part that reads at most two processes becomes a cell. Its table is filled
//! by evaluating it on every combination of values that occur; values that make no
//! difference are then one class.

use super::track::Stretches;
use super::{Cell, Part, Reading, View, truth};
use crate::computation::{Computation, VariableId};
use crate::narrow::short;
use crate::predicate::{Formula, Node};
use crate::value::{Value, ValueId};
use foldhash::HashMap;
use mazurka_core::ProcessId;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A table has at most this many entries, or this many for each stretch of its processes:
/// filling it must not take longer than a search is likely to.
const TABLE: usize = 1 << 12;
const TABLE_PER_STRETCH: usize = 16;

/// Compiles the parts of a predicate.
pub(super) struct Compiler<'a> {
    computation: &'a Computation,
    formula: &'a Formula,
    reading: Reading,
    pub(super) cells: Vec<Cell>,
    /// Per process: the stretches of each slot.
    pub(super) slots: Vec<Vec<Stretches>>,
    /// What a set of variables looks like in a process.
    known: HashMap<(ProcessId, Vec<VariableId>), Rc<Lens>>,
    /// The slots of a set of variables of a process under some names for its classes.
    named: HashMap<(ProcessId, Vec<VariableId>, Vec<u32>), usize>,
    /// Whether a part without a value was met.
    pub(super) undefined: bool,
}

/// The values of some variables of a process over time.
#[derive(Debug)]
struct Lens {
    /// Per class the values, one row after the other.
    values: Vec<ValueId>,
    /// How many variables a row has, and how many rows there are.
    width: usize,
    classes: usize,
    stretches: Stretches,
}

impl Lens {
    /// The values of each class.
    fn classes(&self) -> impl Iterator<Item = &[ValueId]> {
        (0..self.classes).map(|class| &self.values[class * self.width..(class + 1) * self.width])
    }
}

impl<'a> Compiler<'a> {
    pub(super) fn new(computation: &'a Computation, formula: &'a Formula, reading: Reading) -> Self {
        Self {
            computation,
            formula,
            reading,
            cells: Vec::new(),
            slots: vec![Vec::new(); computation.processes()],
            known: HashMap::default(),
            named: HashMap::default(),
            undefined: false,
        }
    }

    /// Compiles a part.
    pub(super) fn compile(&mut self, node: &Node) -> Part {
        let reads = self.reads(node);
        let cell = match reads.len() {
            0 => {
                let none = |_: ProcessId, _: VariableId| unreachable!("nothing is read");
                let truth = truth(self.formula, self.computation, node, &none, self.reading);
                self.undefined |= truth.undefined;
                return Part::Constant(truth.value);
            }
            1 => return self.local(node, reads.into_iter().next().expect("one")),
            2 => self.pair(node, reads),
            _ => None,
        };
        if let Some(cell) = cell {
            self.cells.push(cell);
            return Part::Cell(self.cells.len() - 1);
        }
        match node {
            Node::And(nodes) => self.connective(nodes, true, Part::And),
            Node::Or(nodes) => self.connective(nodes, false, Part::Or),
            _ => {
                let cell = self.wide(node);
                self.cells.push(cell);
                Part::Cell(self.cells.len() - 1)
            }
        }
    }

    /// "And" or "or" of some parts, without those that are always `neutral`.
    fn connective(&mut self, nodes: &[Node], neutral: bool, join: fn(Box<[Part]>) -> Part) -> Part {
        let parts = nodes.iter().map(|n| self.compile(n));
        let parts = parts.filter(|part| !matches!(part, Part::Constant(truth) if *truth == neutral));
        join(parts.collect())
    }

    /// What a formula reads: per process, the variables that exist.
    fn reads(&self, node: &Node) -> BTreeMap<ProcessId, Vec<VariableId>> {
        let mut all: BTreeMap<ProcessId, BTreeSet<VariableId>> = BTreeMap::new();
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            match node {
                Node::Constant(_) => {}
                Node::And(nodes) | Node::Or(nodes) => todo.extend(nodes),
                Node::Literal { atom, .. } => {
                    for read in &self.formula.atoms[*atom].reads {
                        let variables = all.entry(read.process).or_default();
                        variables.extend(self.computation.variable(&read.variable));
                    }
                }
            }
        }
        all.into_iter().map(|(p, vs)| (p, vs.into_iter().collect())).collect()
    }

    fn local(&mut self, node: &Node, (process, variables): (ProcessId, Vec<VariableId>)) -> Part {
        let lens = self.lens(process, &variables);
        let truths: Vec<u32> = lens
            .classes()
            .map(|values| {
                let value = |_: ProcessId, v: VariableId| self.value(&variables, values, v);
                let truth = truth(self.formula, self.computation, node, &value, self.reading);
                self.undefined |= truth.undefined;
                u32::from(truth.value)
            })
            .collect();
        // What never changes during the run need not be looked up.
        if truths.iter().all(|truth| *truth == truths[0]) {
            return Part::Constant(truths[0] != 0);
        }
        let slot = self.slot(process, &variables, &lens, truths);
        self.cells.push(Cell::Local { process, slot });
        Part::Cell(self.cells.len() - 1)
    }

    fn pair(&mut self, node: &Node, reads: BTreeMap<ProcessId, Vec<VariableId>>) -> Option<Cell> {
        let mut reads = reads.into_iter();
        let ((p, p_reads), (q, q_reads)) = (reads.next()?, reads.next()?);
        let (p_lens, q_lens) = (self.lens(p, &p_reads), self.lens(q, &q_reads));
        if let Some(equal) = self.equality(node, &p_lens, &q_lens) {
            let numbered = |lens: &Lens| {
                let number = |values: &[ValueId]| values.first().map_or(0, |id| short(id.index()));
                lens.classes().map(number).collect::<Vec<_>>()
            };
            return Some(Cell::Same {
                first: (p, self.slot(p, &p_reads, &p_lens, numbered(&p_lens))),
                second: (q, self.slot(q, &q_reads, &q_lens, numbered(&q_lens))),
                equal,
            });
        }
        let (height, width) = (p_lens.classes, q_lens.classes);
        let stretches = p_lens.stretches.len() + q_lens.stretches.len();
        if height.saturating_mul(width) > TABLE.max(TABLE_PER_STRETCH * stretches) {
            return None;
        }
        let mut table = Vec::with_capacity(height * width);
        for p_values in p_lens.classes() {
            for q_values in q_lens.classes() {
                let value = |process: ProcessId, v: VariableId| match process == p {
                    true => self.value(&p_reads, p_values, v),
                    false => self.value(&q_reads, q_values, v),
                };
                let truth = truth(self.formula, self.computation, node, &value, self.reading);
                self.undefined |= truth.undefined;
                table.push(truth.value);
            }
        }
        // Values that the cell cannot tell apart are one class.
        let rows: Vec<&[bool]> = table.chunks(width).collect();
        let (p_names, rows) = classes(&rows);
        let columns: Vec<Vec<bool>> = (0..width).map(|c| rows.iter().map(|r| r[c]).collect()).collect();
        let (q_names, columns) = classes(&columns);
        let truth = (0..rows.len())
            .flat_map(|r| columns.iter().map(move |c| c[r]))
            .collect();
        Some(Cell::Pair {
            first: (p, self.slot(p, &p_reads, &p_lens, p_names)),
            second: (q, self.slot(q, &q_reads, &q_lens, q_names)),
            width: columns.len(),
            truth,
        })
    }

    /// Whether a part says that two variables are equal or different, and their values are
    /// such that this is whether they are one value.
    fn equality(&self, node: &Node, p: &Lens, q: &Lens) -> Option<bool> {
        let Node::Literal { atom, positive } = node else {
            return None;
        };
        let equal = self.formula.atoms[*atom].is_equality()?;
        // A double can equal an int; of lists and objects the members can. Null is neither
        // equal to anything nor different from it.
        let plain = |id: &ValueId| {
            !matches!(
                self.computation.value_of(*id),
                Value::Null | Value::Double(_) | Value::List(_) | Value::Map(_)
            )
        };
        let all = p.values.iter().chain(&q.values).all(plain);
        all.then_some(equal == *positive)
    }

    fn wide(&mut self, node: &Node) -> Cell {
        let views = self.reads(node).into_iter().map(|(process, variables)| {
            let lens = self.lens(process, &variables);
            View {
                process,
                slot: self.slot(process, &variables, &lens, (0..short(lens.classes)).collect()),
                variables,
                values: lens.values.clone(),
            }
        });
        Cell::Wide {
            views: views.collect(),
            node: node.clone(),
        }
    }

    fn value(&self, variables: &[VariableId], values: &[ValueId], v: VariableId) -> &'_ Value {
        let at = variables.iter().position(|known| *known == v).expect("it is read");
        self.computation.value_of(values[at])
    }

    /// The slot of a process that holds its classes as a lens sees them, under these
    /// names.
    fn slot(&mut self, process: ProcessId, variables: &[VariableId], lens: &Lens, names: Vec<u32>) -> usize {
        let slots = &mut self.slots[process.index()];
        *self
            .named
            .entry((process, variables.to_vec(), names))
            .or_insert_with_key(|(_, _, names)| {
                let stretches = renamed(&lens.stretches, names);
                slots.iter().position(|s| *s == stretches).unwrap_or_else(|| {
                    slots.push(stretches);
                    slots.len() - 1
                })
            })
    }

    fn lens(&mut self, process: ProcessId, variables: &[VariableId]) -> Rc<Lens> {
        let key = (process, variables.to_vec());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let columns: Vec<_> = variables
            .iter()
            .map(|v| self.computation.assignments(process, *v))
            .collect();
        let mut at = vec![0; columns.len()];
        let mut values = vec![ValueId::NULL; columns.len()];
        // Per variable: the number of its value together with those of the variables before.
        let mut numbers: Vec<HashMap<(u32, ValueId), u32>> = vec![HashMap::default(); columns.len()];
        let mut lens = Lens {
            values: Vec::new(),
            width: columns.len(),
            classes: 0,
            stretches: Vec::new(),
        };
        let mut event = 0;
        loop {
            for (k, column) in columns.iter().enumerate() {
                if let Some((e, value)) = column.get(at[k])
                    && *e == event
                {
                    values[k] = *value;
                    at[k] += 1;
                }
            }
            let class = numbers.iter_mut().zip(&values).fold(0, |before, (numbers, value)| {
                let next = short(numbers.len());
                *numbers.entry((before, *value)).or_insert(next)
            });
            if class as usize == lens.classes {
                lens.classes += 1;
                lens.values.extend_from_slice(&values);
            }
            lens.stretches.push((event, class));
            let next = columns.iter().zip(&at).filter_map(|(c, k)| c.get(*k)).map(|(e, _)| *e);
            match next.min() {
                Some(next) => event = next,
                None => break,
            }
        }
        let lens = Rc::new(lens);
        self.known.insert(key, lens.clone());
        lens
    }
}

/// Numbers the elements, equal ones alike, in the order in which they first occur. Returns the numbers and the
/// distinct elements.
fn classes<T: Eq + std::hash::Hash + Clone>(all: &[T]) -> (Vec<u32>, Vec<T>) {
    let mut numbers: HashMap<&T, u32> = HashMap::default();
    let mut different = Vec::new();
    let names = all.iter().map(|item| {
        *numbers.entry(item).or_insert_with(|| {
            different.push(item.clone());
            short(different.len()) - 1
        })
    });
    (names.collect(), different)
}

/// The stretches with other names for their classes; neighbours that became equal are one.
fn renamed(stretches: &Stretches, names: &[u32]) -> Stretches {
    let mut new: Stretches = Vec::new();
    for &(event, class) in stretches {
        let class = names[class as usize];
        if new.last().is_none_or(|(_, last)| *last != class) {
            new.push((event, class));
        }
    }
    new
}
