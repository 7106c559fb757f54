//! A barrier for tasks.

use super::batch::wake_all;
use super::permits::Wakers;
use super::waiters::{Wait, Waiters};
use mazurka::future::__private::{Cell, Need};
use std::future::{Future, poll_fn};

/// A barrier for `n` tasks, as `tokio::sync::Barrier`.
#[derive(Debug)]
pub struct Barrier {
    size: usize,
    cell: Cell<State>,
}

#[derive(Debug)]
struct State {
    arrived: usize,
    generation: u32,
    waiters: Waiters,
}

/// Whether a task is the leader of its generation.
#[derive(Clone, Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// True for one task: the last to arrive.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// Makes a barrier for `n` tasks; 0 is taken as 1.
    #[track_caller]
    pub fn new(n: usize) -> Barrier {
        let state = State {
            arrived: 0,
            generation: 0,
            waiters: Waiters::new(),
        };
        Barrier {
            size: n.max(1),
            cell: Cell::new("Barrier", state, |state| [state.generation, 0]),
        }
    }

    /// Waits until `n` tasks have arrived.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = BarrierWaitResult> {
        let mut wait = Wait::new(&self.cell, "the others at a Barrier", |state| &mut state.waiters);
        async move {
            let (generation, wakers) = self.cell.change(|state| {
                state.arrived += 1;
                if state.arrived < self.size {
                    return (Some(state.generation), Wakers::new());
                }
                state.arrived = 0;
                state.generation += 1;
                (None, state.waiters.take())
            });
            wake_all(wakers);
            let Some(generation) = generation else {
                return BarrierWaitResult(true);
            };
            let need = Need {
                index: 0,
                least: generation + 1,
                reads: true,
            };
            poll_fn(|context| wait.poll(need, context, |state| (state.generation > generation).then_some(()))).await;
            BarrierWaitResult(false)
        }
    }
}
