//! The layout of events in the diagram: by causal rank.
//!
//! The rank of an event is the length of the longest chain of events that ends
//! with it, so it is greater than the ranks of its predecessor and of its causes,
//! and every rank up to the greatest is taken. Where only some events are shown,
//! their ranks are numbered again from 1, which keeps their order.

use mazurka_trace::Causality;

/// Per process, the rank of each event; the entry of event 0 is 0.
pub(super) fn ranks(order: &Causality) -> Vec<Vec<u32>> {
    let mut ranks: Vec<Vec<u32>> = order
        .process_ids()
        .map(|p| vec![0; order.events(p) as usize + 1])
        .collect();
    let ranked = order.in_order(|event| {
        let (p, index) = (event.process.index(), event.index as usize);
        let causes = order.causes(event.process, event.index).iter();
        let before = causes.map(|c| ranks[c.process.index()][c.index as usize]).max();
        ranks[p][index] = 1 + before.unwrap_or(0).max(ranks[p][index - 1]);
    });
    if ranked.is_err() {
        // A computation has no cycles. If it had one, its events would still be in the order of their processes.
        for lane in &mut ranks {
            for index in 1..lane.len() {
                lane[index] = lane[index].max(lane[index - 1] + 1);
            }
        }
    }
    ranks
}

/// Numbers the ranks that occur from 1, in their order. Returns how many there are.
pub(super) fn renumber(lanes: &mut [Vec<u32>]) -> u32 {
    let mut taken: Vec<u32> = lanes.iter().flatten().copied().collect();
    taken.sort_unstable();
    taken.dedup();
    for rank in lanes.iter_mut().flatten() {
        *rank = count(taken.partition_point(|r| r < rank) + 1);
    }
    count(taken.len())
}

/// There are at most as many ranks as events, and their numbers have 32 bits.
fn count(ranks: usize) -> u32 {
    u32::try_from(ranks).expect("ranks are numbered with 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_trace::{Event, ProcessId};

    #[test]
    fn an_event_stands_right_of_its_causes() {
        let mut order = Causality::new(3);
        let p = ProcessId::new;
        order.push(p(0), []);
        let sent = order.push(p(0), []);
        order.push(p(1), [sent]);
        order.push(p(2), [Event::new(p(1), 1)]);
        order.push(p(2), []);
        assert_eq!(ranks(&order), [vec![0, 1, 2], vec![0, 3], vec![0, 4, 5]]);
    }

    #[test]
    fn renumbering_keeps_the_order() {
        let mut lanes = [vec![7, 9], vec![], vec![9, 40]];
        assert_eq!(renumber(&mut lanes), 3);
        assert_eq!(lanes, [vec![1, 2], vec![], vec![2, 3]]);
    }
}
