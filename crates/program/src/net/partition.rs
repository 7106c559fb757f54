//! Partitions: for a while, nothing passes between two sets of nodes.
//!
//! Whether a partition is there is an object of the search. What passes between two nodes looks at it, and the beginning and the end of a
//! partition change it. So the search tries both orders of these, and no order of anything else.
//!
//! The partitions that [`Faults`](crate::Faults) allows begin and end in threads of the search. On which side a node is, is chosen when
//! it starts. Each partition has its own object, at which only what passes between its two sides looks.

use super::place::Place;
use crate::ids::ThreadId;
use crate::runtime::{self, Runtime};
use crate::thread;
use std::collections::HashMap;
use std::panic::Location;
use std::rc::Rc;

/// The partitions of an execution.
#[derive(Default)]
pub(super) struct Partitions {
    /// The object of those that the program makes.
    made: Option<Rc<Place>>,
    /// Between which nodes they are, by name.
    between: Vec<Sides>,
    /// Those that the search makes: the thread that starts the nodes, and which of its partitions.
    chosen: HashMap<(ThreadId, usize), Chosen>,
}

/// The names of the nodes on both sides of a partition.
type Sides = (Vec<Rc<str>>, Vec<Rc<str>>);

/// A partition that the search makes.
struct Chosen {
    object: Rc<Place>,
    active: bool,
}

/// From now on, nothing passes between the nodes of these names: datagrams are lost, connecting fails, and a connection is reset when a
/// side writes to it. A datagram that has passed before may still be on the last part of its way. A node that restarts is on the same side as
/// before. Call [`heal`] to end it. Outside a check it does nothing.
///
/// ```
/// use mazurka::net::{self, TcpListener, TcpStream};
/// use mazurka::node;
///
/// mazurka::check(|| {
///     let server = node::spawn("server", || TcpListener::bind("10.0.0.1:80").unwrap());
///     let _listener = server.join().unwrap();
///     let (go, wait) = mazurka::sync::mpsc::channel();
///     let client = node::spawn("client", move || {
///         wait.recv().unwrap();
///         TcpStream::connect("10.0.0.1:80").is_err()
///     });
///     net::partition(&["server"], &["client"]);
///     go.send(()).unwrap();
///     assert!(client.join().unwrap());
///     net::heal();
/// });
/// ```
///
/// # Panics
/// If no node of such a name has been started.
#[track_caller]
pub fn partition(some: &[&str], others: &[&str]) {
    if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
        let network = rt.network.borrow();
        for name in some.iter().chain(others) {
            let known = network.members.iter().any(|member| *member.name == **name);
            assert!(known, "no node of the name {name:?} has been started");
        }
    }
    let names = |nodes: &[&str]| nodes.iter().map(|name| Rc::from(*name)).collect();
    change(|between| between.push((names(some), names(others))));
}

/// Ends all partitions that the program has made.
#[track_caller]
pub fn heal() {
    change(Vec::clear);
}

#[track_caller]
fn change(how: impl FnOnce(&mut Vec<Sides>)) {
    let at = Location::caller();
    if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
        made(&rt).access(&rt, true, at);
        how(&mut rt.network.borrow_mut().partitions.between);
    }
}

/// The object of the partitions that the program makes.
fn made(rt: &Runtime) -> Rc<Place> {
    let mut network = rt.network.borrow_mut();
    let made = network
        .partitions
        .made
        .get_or_insert_with(|| Place::new("the partitions of the program"));
    Rc::clone(made)
}

/// True if nothing passes from one node to another now. Looking at each partition that may be between them is a step of the search.
pub(super) fn separates(rt: &Runtime, from: u32, to: u32, at: &'static Location<'static>) -> bool {
    if from == 0 || to == 0 || from == to {
        return false;
    }
    let (a, b) = {
        let network = rt.network.borrow();
        (network.member(from).clone(), network.member(to).clone())
    };
    if a.name == b.name {
        return false;
    }
    made(rt).access(rt, false, at);
    let has = |side: &[Rc<str>], name: &Rc<str>| side.contains(name);
    let parts = |(some, others): &Sides| {
        has(some, &a.name) && has(others, &b.name) || has(some, &b.name) && has(others, &a.name)
    };
    if rt.network.borrow().partitions.between.iter().any(parts) {
        return true;
    }
    if a.starter != b.starter {
        return false;
    }
    let differ = a.sides ^ b.sides;
    (0..usize::BITS as usize)
        .filter(|i| differ >> i & 1 == 1)
        .any(|i| active(rt, (a.starter, i), at))
}

/// True if a partition of the search is there now.
fn active(rt: &Runtime, partition: (ThreadId, usize), at: &'static Location<'static>) -> bool {
    let object = rt
        .network
        .borrow()
        .partitions
        .chosen
        .get(&partition)
        .map(|p| Rc::clone(&p.object));
    let Some(object) = object else { return false };
    object.access(rt, false, at);
    rt.network.borrow().partitions.chosen[&partition].active
}

/// Chooses on which side of each partition a node is that the current thread starts. The first node is on the first side of all.
#[track_caller]
pub(crate) fn side(rt: &Runtime) -> usize {
    let most = rt.execution.borrow().settings.faults.partitions as usize;
    if most == 0 {
        return 0;
    }
    assert!(
        most <= 16,
        "Faults::partitions: more than 16 partitions cannot be tried"
    );
    let starter = rt.thread();
    if rt.network.borrow().partitions.chosen.contains_key(&(starter, 0)) {
        return crate::choose(1 << most);
    }
    for i in 0..most {
        let chosen = Chosen {
            object: Place::new("the partition"),
            active: false,
        };
        rt.network.borrow_mut().partitions.chosen.insert((starter, i), chosen);
        begin_and_end(rt, (starter, i));
    }
    0
}

/// Starts the thread in which a partition begins and ends.
#[track_caller]
fn begin_and_end(rt: &Runtime, partition: (ThreadId, usize)) {
    let at = Location::caller();
    let thread = thread::Builder::new().name("partition".to_owned());
    let thread = thread.spawn_local(move || {
        let Some(rt) = runtime::current() else { return };
        for active in [true, false] {
            let object = Rc::clone(&rt.network.borrow().partitions.chosen[&partition].object);
            object.access(&rt, true, at);
            if let Some(chosen) = rt.network.borrow_mut().partitions.chosen.get_mut(&partition) {
                chosen.active = active;
            }
        }
    });
    if let Some(id) = thread.ok().and_then(|t| t.controlled_id()) {
        let mut execution = rt.execution.borrow_mut();
        (execution.threads[id.index()].node, execution.threads[id.index()].joined) = (0, true);
    }
}
