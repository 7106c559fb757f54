//! Guards, compiled to comparisons of bytes.
//!
//! Whether a transition is enabled is asked more often than anything else. Most
//! of it is comparing a few bytes with a constant: another process is at its
//! control point, a lock is free, a variable has a value. Those comparisons are
//! laid out here one after the other, per control point of the transition's first
//! process. Conditions that are not that simple are evaluated by the model.

use super::expr::{Binary, Node, Query};
use super::{Model, Transition, Use};
use crate::ids::{ProcessId, TransitionId};
use crate::narrow;
use crate::objects::{ByteTest, Op, read_uint};
use std::ops::Range;

/// For each control point, the transitions that leave it with their tests.
#[derive(Debug, Default)]
pub(crate) struct Gates {
    /// Per control point: its gates.
    leaving: Vec<Range<u32>>,
    gates: Vec<Gate>,
    tests: Vec<Test>,
}

/// A transition whose first process is at the control point, and its other
/// conditions.
#[derive(Debug)]
struct Gate {
    transition: TransitionId,
    tests: Range<u32>,
}

#[derive(Debug)]
enum Test {
    /// These bytes of the state, as a number.
    Bytes { at: u32, len: u32, test: ByteTest },
    /// An operation of the command is defined.
    Defined(Use),
    /// The condition with this number holds.
    Condition(u32),
}

impl Gates {
    /// Compiles the guards of a model.
    pub(crate) fn new(model: &Model) -> Self {
        // Each transition is looked for once, at the first process it moves.
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); model.locals.len()];
        for (k, t) in model.transitions.iter().enumerate() {
            at[t.pre[0].index()].push(k);
        }
        let mut built = Self::default();
        for here in at {
            let first = narrow::short(built.gates.len());
            for k in here {
                let tests = narrow::short(built.tests.len());
                built.add_tests(model, &model.transitions[k]);
                built.gates.push(Gate {
                    transition: TransitionId::new(k),
                    tests: tests..narrow::short(built.tests.len()),
                });
            }
            built.leaving.push(first..narrow::short(built.gates.len()));
        }
        built
    }

    fn add_tests(&mut self, model: &Model, t: &Transition) {
        for (process, local) in t.active.iter().zip(&t.pre).skip(1) {
            let (at, value) = model.layout.control_place(*process, *local);
            self.push_bytes(at, ByteTest { value, equal: true });
        }
        for used in &t.partial {
            let kind = model.object_type(used.object);
            match (model.layout.fixed_place(used.object), kind.defined_as_bytes(used.op)) {
                (Some(at), Some(test)) => self.push_bytes(at, test),
                _ => self.tests.push(Test::Defined(*used)),
            }
        }
        for (k, condition) in t.conditions.iter().enumerate() {
            match simple(model, &condition.holds) {
                Some((at, test)) => self.push_bytes(at, test),
                None => self.tests.push(Test::Condition(narrow::short(k))),
            }
        }
    }

    fn push_bytes(&mut self, at: Range<usize>, test: ByteTest) {
        self.tests.push(Test::Bytes {
            at: narrow::short(at.start),
            len: narrow::short(at.len()),
            test,
        });
    }

    /// Appends the enabled transitions.
    #[inline]
    pub(crate) fn enabled(&self, model: &Model, state: &[u8], out: &mut Vec<TransitionId>) {
        for p in 0..model.processes.len() {
            let local = model.layout.local(state, ProcessId::new(p));
            let leaving = &self.leaving[local.index()];
            for gate in &self.gates[leaving.start as usize..leaving.end as usize] {
                let tests = &self.tests[gate.tests.start as usize..gate.tests.end as usize];
                if tests.iter().all(|test| test.passes(model, state, gate.transition)) {
                    out.push(gate.transition);
                }
            }
        }
    }
}

impl Test {
    #[inline(always)]
    fn passes(&self, model: &Model, state: &[u8], t: TransitionId) -> bool {
        match self {
            Self::Bytes { at, len, test } => {
                let at = *at as usize;
                let found = match len {
                    1 => u64::from(state[at]),
                    len => read_uint(&state[at..at + *len as usize]),
                };
                (found == test.value) == test.equal
            }
            Self::Defined(used) => model.is_defined(state, used),
            Self::Condition(k) => {
                let conditions = &model.transitions[t.index()].conditions;
                model.holds(state, &conditions[*k as usize])
            }
        }
    }
}

/// A condition as a comparison of bytes, if it is that simple.
fn simple(model: &Model, condition: &Node) -> Option<(Range<usize>, ByteTest)> {
    let (query, answer, equal) = match condition {
        Node::Binary(op @ (Binary::Eq | Binary::Ne), a, b) => match (&**a, &**b) {
            (Node::Query(q), Node::Const(c)) | (Node::Const(c), Node::Query(q)) => (*q, *c, *op == Binary::Eq),
            _ => return None,
        },
        other => {
            let (query, answer) = other.asks()?;
            // Anything but 0 is true.
            (query, 0, !answer)
        }
    };
    let Query { object, kind, .. } = query;
    let op = Op {
        kind,
        by: ProcessId::new(0),
    };
    let test = model.object_type(object).answer_as_bytes(op, answer)?;
    let at = model.layout.fixed_place(object)?;
    Some((
        at,
        ByteTest {
            equal: test.equal == equal,
            ..test
        },
    ))
}
