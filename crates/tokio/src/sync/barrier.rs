//! A barrier for tasks.

use super::batch::wake_all;
use super::permits::{Wakers, register};
use mazurka::future::__private::{Cell, Leaf, Need};
use std::future::{Future, poll_fn};
use std::task::Poll;

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
    waiters: Wakers,
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
            waiters: Wakers::new(),
        };
        Barrier {
            size: n.max(1),
            cell: Cell::new("Barrier", state, |state| [state.generation, 0]),
        }
    }

    /// Waits until `n` tasks have arrived.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = BarrierWaitResult> {
        let mut leaf = Leaf::new("the others at a Barrier");
        async move {
            let (generation, wakers) = self.cell.change(|state| {
                state.arrived += 1;
                if state.arrived < self.size {
                    return (Some(state.generation), Wakers::new());
                }
                state.arrived = 0;
                state.generation += 1;
                (None, std::mem::take(&mut state.waiters))
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
            poll_fn(|context| {
                leaf.poll(&self.cell, Some(need), context, |state, context| {
                    if state.generation > generation {
                        return Poll::Ready(());
                    }
                    register(&mut state.waiters, context);
                    Poll::Pending
                })
            })
            .await;
            BarrierWaitResult(false)
        }
    }
}
