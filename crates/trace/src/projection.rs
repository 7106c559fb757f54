//! Weak vector clocks: the order of the events that matter, without the others.
//!
//! A predicate changes only with some events. Happened-before between these, with
//! the rest forgotten, is a smaller computation that satisfies Possibly and
//! Definitely of that predicate iff the whole does: a consistent cut restricts to
//! one of the kept events, the downward closure of a consistent set of kept events
//! has no other kept events in it, and every linear extension of the restricted
//! order extends to one of the whole. Paper, section 8, after Marzullo and Neiger
//! 1991.

use crate::causality::{Causality, Event};
use crate::clocks::Clocks;
use crate::narrow::short;
use mazurka_core::ProcessId;

/// Happened-before between kept events. `kept[p]` lists those of process p in
/// order, after a 0 for the initial state; `order` is acyclic.
pub(crate) fn project(order: &Causality, kept: &[&[u32]]) -> Causality {
    let n = order.processes();
    let mut projected = Causality::new(n);
    let all = order
        .process_ids()
        .zip(kept)
        .all(|(p, kept)| kept.len() as u64 == u64::from(order.events(p)) + 1);
    if all {
        return order.clone();
    }
    let clocks = Clocks::of(order).expect("the order of a computation is acyclic");
    // How many kept events of q are among its first `events`.
    let rank = |q: ProcessId, events: u32| short(kept[q.index()].partition_point(|k| *k <= events)) - 1;
    let mut known = vec![0; n];
    for p in order.process_ids() {
        known.fill(0);
        for &event in &kept[p.index()][1..] {
            let row = clocks.row(p, event);
            let mut causes: Vec<Event> = Vec::new();
            for q in order.process_ids().filter(|q| *q != p) {
                let now = match row[q.index()] {
                    0 => 0,
                    events => rank(q, events),
                };
                if now > known[q.index()] {
                    known[q.index()] = now;
                    causes.push(Event::new(q, now));
                }
            }
            if causes.len() > 1 {
                let implied = |c: &Event| {
                    causes.iter().any(|d| {
                        let (r, q) = (d.process, c.process);
                        r != q && rank(q, clocks.known(r, kept[r.index()][d.index as usize], q)) >= c.index
                    })
                };
                let needed: Vec<Event> = causes.iter().filter(|c| !implied(c)).copied().collect();
                causes = needed;
            }
            projected.push(p, causes);
        }
    }
    projected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_passes_through_what_is_forgotten() {
        // p0's first event is known to p2's first through a relay at p1.
        let mut order = Causality::new(3);
        let p = ProcessId::new;
        let a = order.push(p(0), []);
        let b = order.push(p(1), [a]);
        order.push(p(2), [b]);
        order.push(p(2), []);
        let projected = project(&order, &[&[0, 1], &[0], &[0, 2]]);
        assert_eq!(projected.last_cut(), [1, 0, 1]);
        assert_eq!(projected.causes(p(2), 1), [Event::new(p(0), 1)]);
    }
}
