//! Barriers. To the engine, arrivals are ordered, because the last one is the leader.

use crate::execution::Execution;
use crate::execution::thread::Thread;
use crate::handle::Handle;
use crate::ids::ObjectId;
use crate::narrow::limit;
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::runtime::{self, Runtime};
use crate::user::Operations;
use Op::{Arrive, Pass};
use std::sync::{Condvar, Mutex, PoisonError};

/// A barrier for `n` threads, as `std::sync::Barrier`.
#[derive(Debug)]
pub struct Barrier {
    handle: Handle,
    size: usize,
    /// Outside a check, how many threads have arrived, and the generation.
    state: Mutex<(usize, usize)>,
    changed: Condvar,
}

/// Whether a thread is the leader of its generation.
#[derive(Clone, Copy, Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// True for one thread: the last to arrive.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// Makes a barrier for `n` threads.
    #[track_caller]
    pub const fn new(n: usize) -> Barrier {
        Barrier {
            handle: Handle::new(),
            size: n,
            state: Mutex::new((0, 0)),
            changed: Condvar::new(),
        }
    }

    fn object(&self, rt: &Runtime) -> ObjectId {
        rt.object(&self.handle, || State {
            size: limit(self.size),
            arrived: 0,
            generation: 0,
        })
    }

    /// Waits until `n` threads have arrived.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        if let Some(rt) = runtime::current_for(&self.handle) {
            let object = self.object(&rt);
            let outcome = rt.visible(Arrive, object, 0);
            if outcome & 1 == 0 && outcome != runtime::ABANDONED {
                rt.visible(Pass, object, outcome >> 1);
            }
            return BarrierWaitResult(outcome & 1 == 1);
        }
        let lock = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = lock();
        state.0 += 1;
        if state.0 >= self.size {
            state.0 = 0;
            state.1 += 1;
            self.changed.notify_all();
            return BarrierWaitResult(true);
        }
        let generation = state.1;
        while state.1 == generation {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        BarrierWaitResult(false)
    }
}

crate::thread::uses!([] Barrier);

/// Operations on a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Arrives. The argument is refined to the generation.
    Arrive,
    /// Waits for the others of the generation in the argument.
    Pass,
}

/// The state of a barrier.
#[derive(Clone, Debug)]
pub(crate) struct State {
    size: u32,
    arrived: u32,
    generation: u32,
}

impl State {
    /// Another thread arrives. Returns its generation, and whether it is the last one, which need not wait.
    fn arrive(&mut self) -> (u32, bool) {
        let now = self.generation;
        self.arrived += 1;
        let last = self.arrived >= self.size;
        if last {
            self.arrived = 0;
            self.generation += 1;
        }
        (now, last)
    }
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "Barrier";
    const SILENT: &'static [&'static str] = &["mazurka::sync::barrier::Barrier"];

    fn verb(operation: Op) -> &'static str {
        match operation {
            Arrive => "wait: arrive",
            Pass => "wait: pass",
        }
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        operation == Arrive || execution.look::<State>(thread.pending.object).generation > thread.pending.arg
    }

    /// The result of an arrival is twice the generation, plus 1 for the last one.
    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        let (id, object) = (step.thread, step.object);
        if operation == Pass {
            execution.detectors.synchronised(id, object);
            return 0;
        }
        let (generation, last) = execution.state::<State>(object).arrive();
        execution.refine(Arrive, generation);
        execution.detectors.released(id, object, false);
        if last {
            execution.detectors.synchronised(id, object);
        }
        generation << 1 | u32::from(last)
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, _: &Operations) -> Order {
        match (first.kind, second.kind) {
            (Arrive, Arrive) => Order::Races,
            (Arrive, Pass) if first.arg == second.arg => Order::Enables,
            _ => Order::Unordered,
        }
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        a.kind == Arrive && b.kind == Arrive
    }
}
