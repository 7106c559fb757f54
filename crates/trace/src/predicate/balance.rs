//! Comparisons of sums, as weights that each process adds on its own.
//!
//! `a.x + b.x > 3`, `a.x < b.x`, `processes.map(p, p.x).sum() == 1` and
//! `processes.filter(p, p.leader).size() > 1` all compare a sum with zero. Each process
//! adds a number of its own, which depends on the state of that process alone, so a search
//! for a cut need not try all combinations of states.
//!
//! Weights only guide the search. Whether a comparison holds is always decided by
//! evaluating it.

use super::evaluate::Frame;
use super::evaluated::Evaluated;
use super::formula::Atom;
use super::syntax::{Comparison, Function, Operator};
use super::term::{Element, Op, Term};
use crate::value::Value;
use mazurka_core::ProcessId;

/// The most that one part or a constant may add, so that sums of weights are exact.
const LARGEST: f64 = (1_u64 << 40) as f64;
/// How many parts a sum may have.
const PARTS: usize = 1 << 12;

/// How a sum compares with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Less,
    AtMost,
    Equal,
    Unequal,
    AtLeast,
    More,
}

impl Relation {
    /// The relation that holds where this one does not.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Less => Self::AtLeast,
            Self::AtMost => Self::More,
            Self::Equal => Self::Unequal,
            Self::Unequal => Self::Equal,
            Self::AtLeast => Self::Less,
            Self::More => Self::AtMost,
        }
    }
}

/// A comparison as a sum that compares with zero.
#[derive(Clone, Debug)]
pub(crate) struct Balance {
    pub(crate) relation: Relation,
    /// What is added, whatever the processes do.
    pub(crate) constant: f64,
    /// The sum of the absolute values of the numbers in the constant.
    pub(crate) constants: f64,
    /// Whether arithmetic with it is exact.
    exact: bool,
    parts: Vec<Part>,
}

/// What a process adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Weight {
    /// A number, and whether arithmetic with it is exact.
    Number(f64, bool),
    /// A side of the comparison is null: it is false, unless another part has no value.
    Null,
    /// The comparison has no value.
    Undefined,
    /// The state of this process alone does not tell.
    Other,
}

/// A part of the sum that reads one process.
#[derive(Clone, Debug)]
struct Part {
    process: ProcessId,
    factor: i64,
    /// It is added only where this holds.
    guard: Option<Term>,
    /// What is added; 1 if this is `None`.
    term: Option<Term>,
    /// Whether it is a whole side of the comparison.
    side: bool,
}

impl Atom {
    /// The atom as a sum that compares with zero, if it is one and each part reads one process.
    pub(crate) fn balance(&self) -> Option<Balance> {
        let Op::Compare(comparison, sides) = self.op() else {
            return None;
        };
        let relation = match comparison {
            Comparison::Equal => Relation::Equal,
            Comparison::Unequal => Relation::Unequal,
            Comparison::Less => Relation::Less,
            Comparison::LessOrEqual => Relation::AtMost,
            Comparison::Greater => Relation::More,
            Comparison::GreaterOrEqual => Relation::AtLeast,
        };
        let mut balance = Balance {
            relation,
            constant: 0.0,
            constants: 0.0,
            exact: true,
            parts: Vec::new(),
        };
        for (side, factor) in sides.iter().zip([1, -1]) {
            balance.add(self, side, factor, true)?;
        }
        (balance.constants <= LARGEST && balance.parts.len() <= PARTS).then_some(balance)
    }

    /// What a process adds to the sum that the atom is, given the values of its reads. The values of other
    /// processes are ignored.
    pub(crate) fn weight(&self, balance: &Balance, process: ProcessId, values: &[&Value]) -> Weight {
        let mut frame = Frame::new(values, self.names());
        let (mut sum, mut exact, mut null, mut other) = (0.0, true, false, false);
        let mut numbers = 0;
        for part in balance.parts.iter().filter(|part| part.process == process) {
            match part.guard.as_ref().map_or(Ok(true), |guard| frame.truth(guard)) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(_) => return Weight::Undefined,
            }
            let Some(term) = &part.term else {
                sum += part.factor as f64;
                continue;
            };
            let added = match frame.value(term) {
                Ok(value @ (Evaluated::Int(_) | Evaluated::Double(_))) => {
                    exact &= matches!(value, Evaluated::Int(_));
                    value.number().unwrap_or(f64::NAN) * part.factor as f64
                }
                Ok(Evaluated::Null) if part.side => {
                    null = true;
                    continue;
                }
                Ok(Evaluated::Null) | Err(_) => return Weight::Undefined,
                Ok(_) => f64::NAN,
            };
            sum += added;
            numbers += 1;
            // This includes NaN.
            other |= !matches!(added.abs().partial_cmp(&LARGEST), Some(order) if order.is_le());
        }
        // Adding several numbers in another order may round differently, which the sum does not show.
        other |= numbers > 1 && !exact;
        match (other, null) {
            (true, _) => Weight::Other,
            (_, true) => Weight::Null,
            _ => Weight::Number(sum, exact && balance.exact),
        }
    }
}

impl Balance {
    /// How many parts the sum has.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    fn add_constant(&mut self, x: f64) {
        self.constant += x;
        self.constants += x.abs();
    }

    /// Adds a term, `factor` times.
    fn add(&mut self, atom: &Atom, term: &Term, factor: i64, side: bool) -> Option<()> {
        let mut reads = Vec::new();
        term.collect_reads(&mut reads);
        let mut processes: Vec<ProcessId> = reads.iter().map(|read| atom.reads[*read as usize].process).collect();
        processes.sort_unstable();
        processes.dedup();
        match (&processes[..], &term.op) {
            ([], Op::Constant(Value::Int(n))) => {
                self.add_constant(*n as f64 * factor as f64);
                Some(())
            }
            ([], Op::Constant(Value::Double(x))) => {
                self.add_constant(x * factor as f64);
                self.exact = false;
                Some(())
            }
            ([process], _) => {
                self.parts.push(Part {
                    process: *process,
                    factor,
                    guard: None,
                    term: Some(term.clone()),
                    side,
                });
                Some(())
            }
            (_, Op::Negate(inner)) => self.add(atom, inner, -factor, false),
            (_, Op::Arithmetic(operator, pair)) => self.add_arithmetic(atom, *operator, pair, factor),
            (_, Op::Call(function @ (Function::Sum | Function::Size), arguments)) => match &arguments[..] {
                [
                    Term {
                        op: Op::List(elements), ..
                    },
                ] => self.add_elements(atom, elements, *function == Function::Size, factor),
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds a sum, a difference, or a multiple, `factor` times.
    fn add_arithmetic(&mut self, atom: &Atom, operator: Operator, [a, b]: &[Term; 2], factor: i64) -> Option<()> {
        match (operator, &a.op, &b.op) {
            (Operator::Add, ..) => {
                self.add(atom, a, factor, false)?;
                self.add(atom, b, factor, false)
            }
            (Operator::Subtract, ..) => {
                self.add(atom, a, factor, false)?;
                self.add(atom, b, -factor, false)
            }
            (Operator::Multiply, Op::Constant(Value::Int(n)), _) => self.add(atom, b, times(factor, *n)?, false),
            (Operator::Multiply, _, Op::Constant(Value::Int(n))) => self.add(atom, a, times(factor, *n)?, false),
            _ => None,
        }
    }

    /// Adds the elements of a list, or 1 for each element if they are counted, `factor` times.
    fn add_elements(&mut self, atom: &Atom, elements: &[Element], counts: bool, factor: i64) -> Option<()> {
        for element in elements {
            let Some(guard) = &element.guard else {
                match counts {
                    true => self.add_constant(factor as f64),
                    false => self.add(atom, &element.value, factor, false)?,
                }
                continue;
            };
            let mut reads = Vec::new();
            guard.collect_reads(&mut reads);
            if !counts {
                element.value.collect_reads(&mut reads);
            }
            let mut processes = reads.iter().map(|read| atom.reads[*read as usize].process);
            let process = processes.next()?;
            if processes.any(|other| other != process) {
                return None;
            }
            self.parts.push(Part {
                process,
                factor,
                guard: Some(guard.clone()),
                term: (!counts).then(|| element.value.clone()),
                side: false,
            });
        }
        Some(())
    }
}

/// The product, unless it is too large.
fn times(factor: i64, n: i64) -> Option<i64> {
    factor.checked_mul(n).filter(|product| product.abs() <= 1 << 20)
}

#[cfg(test)]
mod tests {
    use super::super::Predicate;
    use super::*;

    fn atom(text: &str) -> Atom {
        let names = ["a", "b", "c"].map(str::to_owned);
        let formula = Predicate::parse(text).unwrap().bind(&names, &|_, _| true).unwrap();
        assert_eq!(formula.atoms.len(), 1, "{text}");
        formula.atoms[0].clone()
    }

    /// What a process adds if all its variables have this value.
    fn added(text: &str, process: usize, value: &Value) -> Option<Weight> {
        let atom = atom(text);
        let balance = atom.balance()?;
        let values: Vec<&Value> = atom.reads.iter().map(|_| value).collect();
        Some(atom.weight(&balance, ProcessId::new(process), &values))
    }

    #[test]
    fn each_process_adds_what_it_has() {
        let three = Value::Int(3);
        let number = |x: f64| Some(Weight::Number(x, true));
        assert_eq!(added("a.x + 2 * (b.x - 1) > 7", 0, &three), number(3.0));
        assert_eq!(added("a.x + 2 * (b.x - 1) > 7", 1, &three), number(4.0));
        assert_eq!(added("2 * (a.x - b.x) > 7", 1, &three), number(-6.0));
        assert_eq!(atom("a.x + 2 * (b.x - c.x - 1) > 7").balance().unwrap().constant, -9.0);
        assert_eq!(added("a.x < b.x", 0, &three), number(3.0));
        assert_eq!(added("a.x < b.x", 1, &three), number(-3.0));
        assert_eq!(added("processes.map(p, p.x + p.y).sum() == 1", 2, &three), number(6.0));
        let count = "processes.filter(p, p.x > 2).size() > 1";
        assert_eq!(added(count, 1, &three), number(1.0));
        assert_eq!(added(count, 1, &Value::Int(0)), number(0.0));
        assert_eq!(added("a.x + b.x > 1", 2, &three), number(0.0));
        assert_eq!(added("a.x + b.x > 1.5", 0, &three), Some(Weight::Number(3.0, false)));
    }

    #[test]
    fn what_is_no_number_is_told_apart() {
        assert_eq!(added("a.x < b.x", 0, &Value::Null), Some(Weight::Null));
        assert_eq!(added("a.x < b.x + c.x", 1, &Value::Null), Some(Weight::Undefined));
        assert_eq!(added("a.x < b.x", 0, &Value::string("s")), Some(Weight::Other));
        assert_eq!(added("a.x < b.x", 0, &Value::Int(1 << 50)), Some(Weight::Other));
        assert_eq!(added("a.x < b.x", 0, &Value::Double(f64::NAN)), Some(Weight::Other));
        assert_eq!(
            added("a.x < b.x", 0, &Value::Double(0.5)),
            Some(Weight::Number(0.5, false))
        );
    }

    #[test]
    fn what_is_no_sum_has_no_balance() {
        for text in [
            "a.x * b.x > 3",
            "[a.x, b.x].max() > 3",
            "a.x + b.x == null",
            "a.x in [b.x, 1]",
            "processes.filter(p, p.x > a.x).size() > 1",
            "a.x + b.x > 9000000000000000000",
        ] {
            assert!(atom(text).balance().is_none(), "{text}");
        }
    }
}
