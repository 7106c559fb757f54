//! An object type of one's own: a register that keeps the largest number written.
//!
//! Two writes commute, whatever they write: with a plain variable they would not.
//! Eight processes write to it, and one order of their writes is enough.

use mazurka_core::{Builder, ObjectType, Op, Operated, Operation, OutOfRange, Relation, Search, Verdict};
use std::ops::Range;

/// Keeps the maximum of what was written, up to 255.
#[derive(Debug)]
struct MaxRegister;

const WRITE_MAX: u8 = 0;
const READ: u8 = 1;

impl MaxRegister {
    /// Reading and writing interfere; nothing else does.
    fn interfere(a: Op, b: Op) -> bool {
        a.kind != b.kind
    }
}

impl ObjectType for MaxRegister {
    fn operations(&self) -> &'static [Operation] {
        const OPERATIONS: [Operation; 2] = [Operation::update("WriteMax").with_input(), Operation::query("Read")];
        &OPERATIONS
    }

    fn initial(&self) -> Vec<i64> {
        vec![0]
    }

    fn operate(&self, op: Op, input: i64, value: &[i64]) -> Operated {
        match op.kind {
            WRITE_MAX if !(0..256).contains(&input) => Operated::OutOfRange,
            WRITE_MAX => Operated::Done(0, vec![value[0].max(input)]),
            READ => Operated::Done(value[0], value.to_vec()),
            _ => unreachable!("there are two operations"),
        }
    }

    fn fixed_len(&self) -> Option<usize> {
        Some(1)
    }

    fn encoded_len(&self, _: &[u8]) -> usize {
        1
    }

    fn encode(&self, value: &[i64], out: &mut Vec<u8>) {
        out.push(value[0] as u8);
    }

    fn decode(&self, bytes: &[u8]) -> Vec<i64> {
        vec![bytes[0].into()]
    }

    fn defined(&self, _: Op, _: &[u8]) -> bool {
        true
    }

    fn query(&self, _: Op, bytes: &[u8]) -> i64 {
        bytes[0].into()
    }

    fn modify(&self, _: Op, input: i64, state: &mut Vec<u8>, at: Range<usize>) -> Result<i64, OutOfRange> {
        let input = u8::try_from(input).map_err(|_| OutOfRange)?;
        state[at.start] = state[at.start].max(input);
        Ok(0)
    }

    fn dependent(&self, a: Op, b: Op, _: &[u8], _: Relation) -> bool {
        Self::interfere(a, b)
    }

    fn first_to_interfere(&self, a: Op, b: Op, _: &[u8], _: Relation) -> bool {
        Self::interfere(a, b)
    }

    fn can_be_dependent(&self, a: Op, b: Op, _: Relation) -> bool {
        Self::interfere(a, b)
    }

    fn do_not_accord(&self, a: Op, b: Op, _: Relation) -> bool {
        Self::interfere(a, b)
    }

    fn conditional_is_weakly_uniform(&self) -> bool {
        true
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut m = Builder::new("who is the largest?");
    let register = m.object("largest", MaxRegister);
    for i in 0..8 {
        let [start, wrote] = m.process(format!("P{i}"), ["start", "wrote"]);
        m.may_end_at(wrote);
        m.transition(format!("P{i} writes"), start, wrote)
            .then(register.operate_with(WRITE_MAX, i * 10));
    }
    let model = m.build()?;
    let full = Search::full(&model).run()?;
    let reduced = Search::new(&model).run()?;
    println!(
        "full search:    {:>4} states, {:?}",
        full.statistics.states, full.verdict
    );
    println!(
        "reduced search: {:>4} states, {:?}",
        reduced.statistics.states, reduced.verdict
    );
    assert_eq!((full.verdict, reduced.verdict), (Verdict::Holds, Verdict::Holds));
    Ok(())
}
