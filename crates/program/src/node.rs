//! Nodes of a distributed system: processes with their own threads, connected by [`net`](crate::net).
//!
//! A node is a thread, together with all threads that it spawns. It must share nothing with other nodes but the
//! network; this is not checked. If [`Checker::faults`](crate::Checker::faults) allows crashes, the search chooses
//! which nodes crash, and before which of their network operations. Crashes at other moments need not be tried, because
//! other nodes cannot see the difference.

use crate::ids::ThreadId;
use crate::runtime::{self, Runtime};
use crate::thread::{self, JoinHandle};
use std::fmt;

/// A node that was started.
pub struct Node<T> {
    name: String,
    main: JoinHandle<T>,
}

/// Why a node has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// It crashed.
    Crashed,
    /// It panicked.
    Panicked,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::Crashed => "the node crashed",
            Failure::Panicked => "the node panicked",
        })
    }
}

impl std::error::Error for Failure {}

/// Starts a node. Outside a check it is a thread.
///
/// ```
/// mazurka::check(|| {
///     let node = mazurka::node::spawn("adder", || 1 + 1);
///     assert_eq!(node.name(), "adder");
///     assert_eq!(node.join(), Ok(2));
/// });
/// ```
#[track_caller]
pub fn spawn<F, T>(name: &str, f: F) -> Node<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    start(name, f, runtime::current().is_some_and(|rt| doom(&rt)))
}

/// Starts a node that never crashes, whatever faults are allowed.
#[track_caller]
pub fn spawn_reliable<F, T>(name: &str, f: F) -> Node<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    start(name, f, false)
}

#[track_caller]
fn start<F, T>(name: &str, f: F, doomed: bool) -> Node<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let main = thread::Builder::new()
        .name(name.to_owned())
        .spawn(f)
        .expect("a thread can be started");
    if let Some(rt) = runtime::current()
        && let Some(id) = main.controlled_id()
    {
        let mut network = rt.network.borrow_mut();
        network.nodes += 1;
        if doomed {
            let node = network.nodes;
            network.doomed.push(node);
        }
        rt.execution.borrow_mut().threads[id.index()].node = network.nodes;
    }
    Node {
        name: name.to_owned(),
        main,
    }
}

/// Chooses whether a node that starts will crash.
fn doom(rt: &Runtime) -> bool {
    let id = rt.thread();
    let possible = {
        let execution = rt.execution.borrow();
        execution.threads[id.index()].faults.crashes < execution.settings.faults.crashes
    };
    let doomed = possible && crate::choose(2) == 1;
    if doomed {
        rt.execution.borrow_mut().threads[id.index()].faults.crashes += 1;
    }
    doomed
}

/// The payload with which a crash unwinds.
struct Crash;

/// A node that will crash may do so now.
pub(crate) fn crash_or_not(rt: &Runtime, node: u32, id: ThreadId) {
    if crate::choose(2) == 0 {
        return;
    }
    let others: Vec<ThreadId> = {
        let mut execution = rt.execution.borrow_mut();
        execution.threads[id.index()].crashed = true;
        let of_node = |t: &crate::execution::thread::Thread| t.node == node;
        let alive = |t: &crate::execution::thread::Thread| t.status == crate::execution::thread::Status::Pending;
        let others = execution.threads.iter().enumerate();
        others
            .filter(|(i, t)| *i != id.index() && of_node(t) && alive(t))
            .map(|(i, _)| ThreadId::new(i))
            .collect()
    };
    if !others.is_empty() {
        // The search has chosen the moment for the thread that crashes, but not for the others.
        let mut execution = rt.execution.borrow_mut();
        execution.uninterleaved = true;
        for other in others {
            execution.threads[other.index()].crashed = true;
            execution.threads[other.index()].status = crate::execution::thread::Status::Finished;
        }
    }
    crate::net::close_all(rt, node);
    std::panic::resume_unwind(Box::new(Crash));
}

impl<T> Node<T> {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits for the end of its first thread.
    #[track_caller]
    pub fn join(self) -> Result<T, Failure> {
        let id = self.main.controlled_id();
        let result = self.main.join();
        let crashed = match (runtime::current(), id) {
            (Some(rt), Some(id)) => rt.execution.borrow().threads[id.index()].crashed,
            _ => false,
        };
        match result {
            _ if crashed => Err(Failure::Crashed),
            Ok(value) => Ok(value),
            Err(_) => Err(Failure::Panicked),
        }
    }
}

impl<T> fmt::Debug for Node<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("name", &self.name).finish_non_exhaustive()
    }
}
