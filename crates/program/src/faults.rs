//! The faults that a search tries.

use std::time::Duration;

/// The faults that a network, its nodes, their disks and their clocks may have, and how many of each.
///
/// Each bound on a number holds for each thread separately, so that threads do not depend on each other by sharing a
/// bound: of the datagrams that one thread sends, `losses` may get lost, and of the nodes
/// that one thread starts, `crashes` may crash.
///
/// ```
/// use mazurka::net::UdpSocket;
/// use mazurka::{Checker, Faults, ViolationKind};
///
/// let lossy = Faults { losses: 1, ..Faults::default() };
/// let report = Checker::new().faults(lossy).run(|| {
///     let a = UdpSocket::bind("10.0.0.1:1").unwrap();
///     let b = UdpSocket::bind("10.0.0.2:1").unwrap();
///     a.send_to(b"hello", "10.0.0.2:1").unwrap();
///     b.recv(&mut [0; 5]).unwrap();
/// });
/// assert_eq!(report.violations[0].kind, ViolationKind::Deadlock);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// How many datagrams may get lost.
    pub losses: u32,
    /// How many datagrams may arrive twice.
    pub duplications: u32,
    /// How many datagrams may be overtaken by others.
    pub delays: u32,
    /// How many nodes may crash, each before any of its operations on the network or its disk, and how often those that
    /// [restart](crate::node::spawn_restarting) may do so.
    pub crashes: u32,
    /// How many times the network may fall into two parts for a while: the nodes that one thread starts, in any two
    /// parts. Every partition begins at any moment, and ends at any later one.
    pub partitions: u32,
    /// How many connections may be reset, each at any operation on it.
    pub resets: u32,
    /// How many reads of a stream may return fewer bytes than there are.
    pub short_reads: u32,
    /// How many writes that come before the last one that a disk keeps in a crash may be missing nevertheless. Without any, a
    /// crash leaves a beginning of what was not synced.
    pub reordered_writes: u32,
    /// How many of the writes that a disk keeps in a crash may be cut off after some of their bytes.
    pub torn_writes: u32,
    /// How far the time of day of a node may be off: by this much, forwards or backwards, or not at all.
    pub skew: Duration,
    /// How much faster or slower the clock of a node may run, in percent: by this much, or not at all. At most 99.
    pub drift: u32,
}
