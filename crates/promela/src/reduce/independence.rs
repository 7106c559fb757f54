//! The dependency relation for sleep sets.
//!
//! Two steps of different processes are independent in a state if no operation of one conflicts there with an operation of
//! the other (thesis, Def. 3.21). The operations of a step come from its [instance](super::instance). Where they depend on
//! locals that change, they are determined in the state, as far as an edge's own indices and channel do not change
//! while it is executed. A send to a channel with room to spare does not conflict with a test for room, nor a receive from a channel with
//! messages to spare with a test for messages.
//!
//! So the relation depends on the state, which is all that sleep sets by themselves and with persistent sets
//! require (Thms 5.2 and 5.4). It is not weakly uniform (Def. 6.6), which sleep sets with a proviso require. For these there is a
//! relation that does not depend on the state. A step that needs `timeout` is dependent on everything.

use super::inquiry::{Inquiry, has_spare};
use super::instance::Instances;
use super::timeout::timeouts;
use crate::ir::{EXCLUSIVE, Program};
use crate::run::{ProcessRef, Processes, Step};
use mazurka_core::{Dependency, bitset};
use std::cell::RefCell;

/// The dependency relation of a compiled model.
#[derive(Debug)]
pub(crate) struct Independence<'p> {
    program: &'p Program,
    scratch: RefCell<Scratch<'p>>,
    mentions_timeout: Vec<Vec<bool>>,
    /// Whether the relation is the same in all states.
    uniform: bool,
}

#[derive(Debug)]
struct Scratch<'p> {
    instances: Instances<'p>,
    one: Operations,
    other: Operations,
}

/// What an edge does in a state, and what conflicts with that.
#[derive(Debug, Default)]
struct Operations {
    does: Vec<u64>,
    hits: Vec<u64>,
}

impl<'p> Independence<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            program,
            scratch: RefCell::new(Scratch {
                instances: Instances::new(program),
                one: Operations::default(),
                other: Operations::default(),
            }),
            mentions_timeout: timeouts(program),
            uniform: false,
        }
    }

    /// A relation that is the same in all states in which the processes have the same instances, and so weakly uniform.
    pub(crate) fn uniform(program: &'p Program) -> Self {
        Self {
            uniform: true,
            ..Self::new(program)
        }
    }

    /// The operations of an edge; `None` if it depends on everything.
    fn operations(
        &self,
        instances: &mut Instances<'p>,
        state: &[u8],
        process: ProcessRef<'_>,
        edge: usize,
        out: &mut Operations,
    ) -> Option<()> {
        // An `atomic` runs to its end or to a point where it waits, or it is global. So the others are executable afterwards.
        if self.mentions_timeout[process.proctype.0 as usize][edge] {
            return None;
        }
        let id = instances.find(state, process);
        let instance = instances.get(id);
        if instance.is_global(edge) {
            return None;
        }
        let view = self.program.view(state, process, false);
        let spare = !self.uniform && has_spare(&view, &process.automaton.graph.edges[edge]);
        out.does.clear();
        out.hits.clear();
        match instance.sharper_now[edge] && !self.uniform {
            true => {
                out.does.resize(instances.alphabet.words, 0);
                out.hits.resize(instances.alphabet.words, 0);
                instances.now(
                    Inquiry::unnoted(view),
                    process.proctype.0 as usize,
                    edge,
                    spare,
                    &mut out.does,
                    &mut out.hits,
                );
            }
            false => {
                out.does.extend_from_slice(instance.does(edge));
                out.hits.extend_from_slice(instance.hits_with(edge, spare));
            }
        }
        Some(())
    }

    fn accord(&self, state: &[u8], one: (u8, u16), other: (u8, u16)) -> Option<bool> {
        let mut processes = Processes::new(self.program, state);
        let p = processes.clone().nth(one.0 as usize)?;
        let q = processes.nth(other.0 as usize)?;
        let Scratch {
            instances,
            one: mine,
            other: theirs,
        } = &mut *self.scratch.borrow_mut();
        self.operations(instances, state, p, one.1 as usize, mine)?;
        self.operations(instances, state, q, other.1 as usize, theirs)?;
        // A test and an operation that has enough to spare are independent, whichever of them is asked.
        Some(!bitset::intersects(&mine.hits, &theirs.does) || !bitset::intersects(&theirs.hits, &mine.does))
    }
}

impl Dependency<Step> for Independence<'_> {
    fn independent(&self, state: &[u8], t: Step, u: Step) -> bool {
        if state[EXCLUSIVE] != 0 {
            return false;
        }
        let moves = |s: Step| {
            let partner = s.has_partner().then_some((s.partner, s.partner_edge));
            std::iter::once((s.pid, s.edge)).chain(partner)
        };
        moves(t).all(|one| moves(u).all(|other| one.0 != other.0 && self.accord(state, one, other) == Some(true)))
    }
}
