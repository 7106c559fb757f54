//! Crashes of nodes.
//!
//! What others notice of a crash is which of its operations on the network and on its disk the node has still performed. In a
//! node with several threads that is any set of them that is closed under what happened before. So each thread of a node that
//! will crash chooses by itself, before each such operation, whether it goes any further; if not, it is *frozen*. Nobody
//! can tell a thread that is frozen from one that is slow, so these choices depend on nothing, and all combinations are moments at
//! which the node may crash.
//!
//! The node *goes down* when all of its threads have ended, are frozen, or wait for each other. Only then its connections break and
//! its addresses become free. That is a step of a thread of the search (the *watcher*), which happens after everything that the node has
//! done, and which nothing can undo: as with the join of a thread, there is no race to reverse.
//!
//! A thread that has chosen to go on waits for the network. If nothing comes, the node is only half down when the execution
//! ends. That execution does not count, because in another one the thread is frozen before it waits.

use crate::execution::thread::{Status, Thread};
use crate::execution::{Execution, join};
use crate::ids::{ObjectId, ThreadId};
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::runtime::{self, Runtime};
use crate::thread;
use crate::user::Operations;

/// The current thread may crash now, if it belongs to a node that will.
#[track_caller]
pub(crate) fn may_crash(rt: &Runtime) {
    if rt.abandoning() || std::thread::panicking() {
        return;
    }
    let id = rt.thread();
    let node = rt.execution.borrow().threads[id.index()].node;
    if node == 0 || rt.network.borrow().member(node).crashes == 0 {
        return;
    }
    if crate::choose(2) == 1 {
        rt.freeze();
    }
}

/// The current thread is about to wait for the network, and has chosen not to crash before.
pub(crate) fn waits(rt: &Runtime) {
    let id = rt.thread();
    rt.execution.borrow_mut().threads[id.index()].goes_on = true;
}

/// Starts the watcher of a node that may crash; `then` is what happens after that.
pub(super) fn watch(rt: &Runtime, node: u32, name: &str, then: impl FnOnce(&Runtime) + 'static) -> ThreadId {
    let watcher = thread::Builder::new().name(format!("crash of {name}"));
    let watcher = watcher.spawn_local(move || {
        let Some(rt) = runtime::current() else { return };
        if rt.visible(Op::GoesDown, ObjectId::NONE, node) == 1 {
            crate::net::close_all(&rt, node);
            rt.unwind_node(node);
            then(&rt);
        }
    });
    let id = watcher
        .ok()
        .and_then(|w| w.controlled_id())
        .expect("a thread of this check");
    let mut execution = rt.execution.borrow_mut();
    let thread = &mut execution.threads[id.index()];
    (thread.node, thread.joined, thread.background) = (0, true, true);
    id
}

/// The operation of going down.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// The node that the argument names is no more.
    GoesDown,
}

/// A crash has no state: it is that of the node's threads.
#[derive(Clone, Debug)]
pub(crate) struct State;

/// The threads of a node.
fn threads(execution: &Execution, node: u32) -> impl Iterator<Item = (ThreadId, &Thread)> {
    ThreadId::all()
        .zip(&execution.threads)
        .filter(move |(_, thread)| thread.node == node)
}

/// True if a thread does nothing any more, unless another one of its node does something.
fn rests(execution: &Execution, id: ThreadId, thread: &Thread) -> bool {
    match thread.status {
        Status::Pending | Status::Waits => !thread.lives && !execution.enabled(id),
        Status::New | Status::Running => false,
        Status::Absent | Status::Finished | Status::Frozen | Status::Discarded => true,
    }
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "crash";
    const DECLARED: bool = false;

    fn verb(_: Op) -> &'static str {
        "go down"
    }

    fn target(_: &Execution, _: &crate::execution::Event, _: Op) -> String {
        String::new()
    }

    fn possible(execution: &Execution, thread: &Thread, _: Op) -> bool {
        let node = thread.pending.arg;
        let crashes = || threads(execution, node).any(|(_, t)| t.status == Status::Frozen);
        let ends = || threads(execution, node).all(|(_, t)| t.status == Status::Finished);
        threads(execution, node).all(|(id, t)| rests(execution, id, t)) && (crashes() || ends())
    }

    /// Ends the threads of the node. The result is 1 if it has crashed, and 0 if it has ended.
    fn perform(execution: &mut Execution, step: Step, _: Op) -> u32 {
        let alive = threads(execution, step.arg).filter(|(_, t)| t.status != Status::Finished);
        let alive: Vec<ThreadId> = alive.map(|(id, _)| id).collect();
        for &id in &alive {
            execution.wake(id);
            let thread = &mut execution.threads[id.index()];
            thread.cut_off = thread.status == Status::Pending;
            thread.crashed = true;
            thread.status = Status::Finished;
            execution.detectors.finished(id);
        }
        u32::from(!alive.is_empty())
    }

    fn order(&self, _: Effect<Op>, _: Effect<Op>, _: &Operations) -> Order {
        Order::Unordered
    }

    fn dependent(_: Effect<Op>, _: Effect<Op>, _: &Operations) -> bool {
        false
    }

    /// It comes after everything that the node has done.
    fn also_after(execution: &Execution, _: ObjectId, effect: Effect<Op>, clock: &mut Vec<u32>) {
        for (_, thread) in threads(execution, effect.arg) {
            join(clock, &thread.clock);
        }
    }
}
