//! Registers whose values are written once: no search is needed.
//!
//! Gibbons, Korach, *Testing Shared Memories*, SIAM Journal on Computing 1997, section 4. The *cluster* of a value is its write and the
//! reads that return it. In a linearization a cluster stands together, since no other write can be in between. Let `f` be the
//! first return in a cluster and `s` the last invocation. If `f < s`, the register must hold the value from `f` to `s`: a
//! *forward zone*. Otherwise all of the cluster can happen at one time between `s` and `f`: a *backward zone*. There is a
//! linearization if and only if
//!
//! * each value that is read was written, and no read of it returns before its write is invoked,
//! * no two forward zones overlap, and
//! * no backward zone lies within a forward zone.
//!
//! The initial value counts as written before everything else. A write whose outcome is unknown has taken effect if its
//! value is read; otherwise it is left out, as are reads without a response.

use super::register::{Operation, Register, Response};
use crate::{Completion, History, Moment, OperationId, Reason};
use mazurka_outcome::{Limit, Limits};
use std::collections::HashMap;
use std::hash::Hash;

/// What the operations of a value have in common.
#[derive(Clone, Default)]
struct Cluster {
    /// The write; none for the initial value.
    write: Option<OperationId>,
    reads: Vec<OperationId>,
    /// One more than when it returns first, or 0 for the initial value; and which operation that is.
    first_return: Extreme,
    /// One more than when it is invoked last; and which operation that is.
    last_invocation: Extreme,
}

type Extreme = (u64, Option<OperationId>);

type Clusters = Vec<Cluster>;

/// What `shortest` finds: the operation that returns too early, an order of what is before its return, and why.
pub(super) type Contradiction = (OperationId, Vec<OperationId>, Reason);

impl Cluster {
    fn is_forward(&self) -> bool {
        self.first_return.0 < self.last_invocation.0
    }

    /// The beginning of a sentence that its operations end.
    fn what_is_held(&self) -> &'static str {
        match self.write {
            None => "its initial value until",
            Some(_) => "one value through",
        }
    }

    fn extremes(&self) -> Vec<OperationId> {
        let mut all: Vec<OperationId> = self.write.into_iter().collect();
        for id in [self.first_return.1, self.last_invocation.1].into_iter().flatten() {
            if !all.contains(&id) {
                all.push(id);
            }
        }
        all
    }
}

/// The linearization of a history, or why there is none. None if values are written twice, or something else is done than
/// reading and writing.
pub(super) fn order<V: Clone + Eq + Hash>(
    register: &Register<V>,
    history: &History<Operation<V>, Response<V>>,
) -> Option<Result<Vec<OperationId>, Reason>> {
    let (numbers, mut clusters) = writes(register, history)?;
    if let Err(reason) = reads(history, &numbers, &mut clusters)? {
        return Some(Err(reason));
    }
    Some(sorted(history, clusters))
}

/// The clusters, with their writes.
fn writes<'a, V: Eq + Hash>(
    register: &'a Register<V>,
    history: &'a History<Operation<V>, Response<V>>,
) -> Option<(HashMap<&'a V, usize>, Clusters)> {
    let mut numbers = HashMap::from([(&register.initial, 0)]);
    let mut clusters = vec![Cluster::default()];
    for (id, invocation) in history.operations() {
        let response = invocation.response();
        match &invocation.operation {
            _ if invocation.failed() => {}
            Operation::Write(value) if matches!(response, None | Some(Response::Done)) => {
                if numbers.insert(value, clusters.len()).is_some() {
                    return None;
                }
                let returned = invocation.returned().map_or(u64::MAX, after);
                clusters.push(Cluster {
                    write: Some(id),
                    reads: Vec::new(),
                    first_return: (returned, Some(id)),
                    last_invocation: (after(invocation.at), Some(id)),
                });
            }
            Operation::Read if matches!(response, None | Some(Response::Value(_))) => {}
            _ => return None,
        }
    }
    Some((numbers, clusters))
}

/// A moment, counted from 1: 0 is before all of them.
fn after(moment: Moment) -> u64 {
    u64::from(moment) + 1
}

/// Puts the reads into the clusters.
fn reads<V: Eq + Hash>(
    history: &History<Operation<V>, Response<V>>,
    numbers: &HashMap<&V, usize>,
    clusters: &mut Clusters,
) -> Option<Result<(), Reason>> {
    for (id, invocation) in history.operations() {
        let Completion::Returned {
            at,
            response: Response::Value(value),
        } = &invocation.completion
        else {
            continue;
        };
        let Some(&number) = numbers.get(value) else {
            let reason = |text: &str| Reason {
                text: text.to_owned(),
                operations: vec![id],
            };
            return Some(Err(reason("{0} reads a value that nobody writes")));
        };
        let cluster = &mut clusters[number];
        if let Some(write) = cluster.write
            && history.get(write).at > *at
        {
            return Some(Err(Reason {
                text: "{0} returns before {1}, which it reads from, is invoked".to_owned(),
                operations: vec![id, write],
            }));
        }
        cluster.reads.push(id);
        cluster.first_return = cluster.first_return.min((after(*at), Some(id)));
        cluster.last_invocation = cluster.last_invocation.max((after(invocation.at), Some(id)));
    }
    Some(Ok(()))
}

/// The clusters in the order of their zones, if that exists.
fn sorted<O, R>(history: &History<O, R>, clusters: Clusters) -> Result<Vec<OperationId>, Reason> {
    let happened = |cluster: &Cluster| {
        let returned = |write: OperationId| history.get(write).returned().is_some();
        !cluster.reads.is_empty() || cluster.write.is_some_and(returned)
    };
    let (mut forward, backward): (Clusters, Clusters) =
        (clusters.into_iter().filter(happened)).partition(Cluster::is_forward);
    forward.sort_by_key(|cluster| cluster.first_return.0);
    for pair in forward.windows(2) {
        if pair[1].first_return.0 < pair[0].last_invocation.0 {
            return Err(overlapping(&pair[0], &pair[1]));
        }
    }
    // When each cluster happens: a time, and whether it is just after that.
    let mut times: Vec<((u64, bool), Cluster)> = Vec::new();
    for cluster in backward {
        let (from, to) = (cluster.last_invocation.0, cluster.first_return.0);
        let before = forward.partition_point(|zone| zone.first_return.0 < from);
        let around = before.checked_sub(1).map(|k| &forward[k]);
        match around.filter(|zone| from < zone.last_invocation.0) {
            Some(zone) if to < zone.last_invocation.0 => return Err(within(&cluster, zone)),
            Some(zone) => times.push(((zone.last_invocation.0, true), cluster)),
            None => times.push(((from, false), cluster)),
        }
    }
    times.extend(forward.into_iter().map(|zone| ((zone.first_return.0, false), zone)));
    times.sort_by_key(|(time, _)| *time);
    let members = times
        .into_iter()
        .flat_map(|(_, cluster)| cluster.write.into_iter().chain(cluster.reads));
    Ok(members.collect())
}

fn overlapping(first: &Cluster, second: &Cluster) -> Reason {
    let mut operations = first.extremes();
    let others = operations.len();
    operations.extend(second.extremes());
    Reason {
        text: format!(
            "the register must hold {} {}, and another value through {}, which overlaps",
            first.what_is_held(),
            named(0..others),
            named(others..operations.len())
        ),
        operations,
    }
}

fn within(inner: &Cluster, outer: &Cluster) -> Reason {
    let mut operations = outer.extremes();
    let others = operations.len();
    operations.extend(inner.extremes());
    Reason {
        text: format!(
            "the register must hold {} {}, but within that time another value through {}",
            outer.what_is_held(),
            named(0..others),
            named(others..operations.len())
        ),
        operations,
    }
}

/// Operations of a reason, by number.
fn named(range: std::ops::Range<usize>) -> String {
    let all: Vec<String> = range.map(|k| format!("{{{k}}}")).collect();
    all.join(", ")
}

/// The shortest prefix of a history that has no linearization. Prefixes of histories with a linearization have one, so halving
/// finds it.
pub(super) fn shortest<V: Clone + Eq + Hash>(
    register: &Register<V>,
    history: &History<Operation<V>, Response<V>>,
    limits: &Limits<'_>,
) -> Result<Contradiction, Limit> {
    let mut returns: Vec<(Moment, OperationId)> = (history.operations())
        .filter_map(|(id, o)| Some((o.returned()?, id)))
        .collect();
    returns.sort_unstable();
    let prefix = |count: usize| {
        let end = returns.get(count).map_or(Moment::MAX, |(at, _)| *at);
        order(register, &history.before(end)).expect("a prefix has the same values")
    };
    let (mut good, mut bad) = (0, returns.len());
    while bad - good > 1 {
        if let Some(limit) = limits.stop() {
            return Err(limit);
        }
        let middle = good.midpoint(bad);
        match prefix(middle) {
            Ok(_) => good = middle,
            Err(_) => bad = middle,
        }
    }
    let before = prefix(good).expect("a prefix that has a linearization");
    let reason = prefix(bad).expect_err("a prefix that has none");
    Ok((returns[good].1, before, reason))
}
