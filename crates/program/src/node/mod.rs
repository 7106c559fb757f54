//! Nodes of a distributed system: processes with their own threads, connected by [`net`](crate::net).
//!
//! A node is a thread, together with all threads that it spawns. It must share nothing with other nodes but the
//! network; this is not checked. It has a disk, [`fs`](crate::fs), and a clock. If [`Checker::faults`](crate::Checker::faults)
//! allows crashes, the search chooses which nodes crash, and before which of their operations on the network and on their
//! disks. Crashes at other moments need not be tried, because nobody can see the difference. In an execution, a crash runs no
//! destructors; they run afterwards, only to free memory.

pub(crate) mod crash;

pub(crate) use crash::{may_crash, waits};

use crate::ids::ThreadId;
use crate::runtime::{self, Runtime};
use crate::thread::{self, JoinHandle};
use crate::time::Watch;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// A node that was started.
pub struct Node<T> {
    name: String,
    life: Life<T>,
}

/// A node from its start to its end, or to its next crash.
struct Life<T> {
    main: JoinHandle<T>,
    /// The thread that waits for the crash.
    watcher: Option<ThreadId>,
    next: Next<T>,
}

/// The life after a crash, if it has begun.
type Next<T> = Arc<Mutex<Option<Life<T>>>>;

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

/// What the execution knows of a node. A node that restarts is another one.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) name: Rc<str>,
    /// How many times it, and those that it restarts as, will crash at most.
    pub(crate) crashes: u32,
    /// The thread that has started it, or the first one that it has restarted from.
    pub(crate) starter: ThreadId,
    /// On which side it is in each partition of the network: bit `i` is for the `i`-th.
    pub(crate) sides: usize,
    pub(crate) watch: Watch,
    /// It has restarted.
    lives_again: bool,
}

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
    let crashes = doom(1);
    start(name, f, crashes)
}

/// Starts a node that never crashes, whatever faults are allowed.
#[track_caller]
pub fn spawn_reliable<F, T>(name: &str, f: F) -> Node<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    start(name, f, 0)
}

/// Starts a node that runs `f` from its beginning again whenever it has crashed, at any later moment. Its disk keeps what it held in
/// the crash, see [`fs`](crate::fs). It may also crash at the end of `f`.
///
/// ```
/// use mazurka::{Checker, Faults, fs, node};
///
/// let crashes = Faults { crashes: 1, ..Faults::default() };
/// let report = Checker::new().faults(crashes).run(|| {
///     let node = node::spawn_restarting("counter", || {
///         let runs = fs::read("runs").map_or(0, |bytes| bytes[0]) + 1;
///         fs::write("new", [runs]).unwrap();
///         fs::File::open("new").unwrap().sync_all().unwrap();
///         fs::rename("new", "runs").unwrap();
///         fs::File::open(".").unwrap().sync_all().unwrap(); // the name
///         runs
///     });
///     assert!([1, 2].contains(&node.join().unwrap()));
/// });
/// assert!(report.complete && report.violations.is_empty(), "{report}");
/// ```
#[track_caller]
pub fn spawn_restarting<F, T>(name: &str, f: F) -> Node<T>
where
    F: Fn() -> T + Send + Sync + 'static,
    T: Send + 'static,
{
    let f = Arc::new(f);
    let Some(rt) = runtime::current() else {
        return start(name, move || f(), 0);
    };
    let crashes = doom(u32::MAX);
    let member = member(&rt, name, crashes);
    Node {
        name: name.to_owned(),
        life: live(&rt, member, f),
    }
}

#[track_caller]
fn start<F, T>(name: &str, f: F, crashes: u32) -> Node<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let builder = thread::Builder::new().name(name.to_owned());
    let next = Next::default();
    let life = |main| Life {
        main,
        watcher: None,
        next: Arc::clone(&next),
    };
    let life = match runtime::current() {
        None => life(builder.spawn(f).expect("a thread can be started")),
        Some(rt) => {
            let member = member(&rt, name, crashes);
            let mut life = life(builder.spawn(f).expect("a thread can be started"));
            life.watcher = join_network(&rt, &life.main, member, |_, _| {});
            life
        }
    };
    Node {
        name: name.to_owned(),
        life,
    }
}

/// Starts a node that restarts. It has the name and the faults of `member`.
#[track_caller]
fn live<F, T>(rt: &Runtime, member: Member, f: Arc<F>) -> Life<T>
where
    F: Fn() -> T + 'static,
    T: 'static,
{
    let body = Arc::clone(&f);
    let lives_again = member.lives_again;
    let builder = thread::Builder::new().name(member.name.to_string());
    let main = builder.spawn_local(move || {
        if lives_again && let Some(rt) = runtime::current() {
            crate::fs::recover(&rt);
        }
        let result = body();
        if let Some(rt) = runtime::current() {
            may_crash(&rt);
        }
        result
    });
    let main = main.expect("a thread can be started");
    let next = Next::default();
    let slot = Arc::clone(&next);
    let watcher = join_network(rt, &main, member, move |rt, mut member| {
        member.crashes -= 1;
        member.lives_again = true;
        let life = live(rt, member, f);
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(life);
    });
    Life { main, watcher, next }
}

/// The settings of a new node, which the search chooses.
#[track_caller]
fn member(rt: &Runtime, name: &str, crashes: u32) -> Member {
    Member {
        name: Rc::from(name),
        crashes,
        starter: rt.thread(),
        sides: crate::net::partition::side(rt),
        watch: Watch::choose(rt),
        lives_again: false,
    }
}

/// Makes a thread the first one of a node. If that may crash, `then` is what happens afterwards.
fn join_network<T>(
    rt: &Runtime,
    main: &JoinHandle<T>,
    member: Member,
    then: impl FnOnce(&Runtime, Member) + 'static,
) -> Option<ThreadId> {
    let id = main.controlled_id()?;
    let node = rt.network.borrow_mut().add(member.clone());
    {
        let mut execution = rt.execution.borrow_mut();
        execution.threads[id.index()].node = node;
    }
    (member.crashes > 0).then(|| {
        let name = Rc::clone(&member.name);
        crash::watch(rt, node, &name, move |rt| then(rt, member))
    })
}

/// Chooses how many times a node that starts will crash, at most `most` times. Outside a check it never does.
#[track_caller]
fn doom(most: u32) -> u32 {
    let Some(rt) = runtime::current() else { return 0 };
    let id = rt.thread();
    let possible = {
        let execution = rt.execution.borrow();
        let left = execution.settings.faults.crashes - execution.threads[id.index()].faults.crashes;
        left.min(most)
    };
    if possible == 0 {
        return 0;
    }
    let crashes = crate::choose(possible as usize + 1);
    let crashes = crate::narrow::limit(crashes);
    rt.execution.borrow_mut().threads[id.index()].faults.crashes += crashes;
    crashes
}

impl<T> Node<T> {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits for the end of its first thread. If it restarts, that is the first thread of its last life.
    #[track_caller]
    pub fn join(self) -> Result<T, Failure> {
        let mut life = self.life;
        loop {
            let id = life.main.controlled_id();
            let result = life.main.join();
            let crashed = match (runtime::current(), id) {
                (Some(rt), Some(id)) => rt.execution.borrow().threads[id.index()].crashed,
                _ => false,
            };
            if !crashed {
                return result.map_err(|_| Failure::Panicked);
            }
            if let (Some(rt), Some(watcher)) = (runtime::current(), life.watcher) {
                thread::wait_for(&rt, watcher);
            }
            let next = life.next.lock().unwrap_or_else(PoisonError::into_inner).take();
            life = next.ok_or(Failure::Crashed)?;
        }
    }
}

impl<T> fmt::Debug for Node<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("name", &self.name).finish_non_exhaustive()
    }
}
