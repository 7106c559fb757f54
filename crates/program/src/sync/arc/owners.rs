//! Shared ownership for the engine. Adding and removing owners commute, unless the program counts them.
//!
//! The one exception is the last owner, which drops the value. Its removal comes after all other removals, and
//! races with each of them; these do not race among each other. So `n` owners have `n` orders and not `n!`.
//!
//! Two owners that are about to leave commute if a third one stays (the argument of [`Op::Disown`] is how many are left). That
//! changes later: when all but two have left, the order of these two matters. So an owner that leaves one other behind
//! depends on all that are about to leave, and wakes those that sleep. An announced removal does not know yet how many it
//! leaves. Its argument is 0, which depends on everything.

use crate::execution::Execution;
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::user::Operations;
use Op::{Count, Disown, Own};

/// Operations on the owners of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Adds or removes an owner, where that is visible.
    Own,
    /// Removes an owner of a value whose destructor may show which one was the last. The argument is refined to how many
    /// are left.
    Disown,
    /// Looks at how many owners there are, and may add or remove one.
    Count,
}

/// The owners of a value. std counts them.
#[derive(Clone, Debug)]
pub(crate) struct State;

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "Arc";

    fn verb(operation: Op) -> &'static str {
        match operation {
            Own => "clone or drop",
            Disown => "drop",
            Count => "count owners",
        }
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        if operation == Count {
            execution.notices_releases = true;
            return 0;
        }
        step.choice
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, _: &Operations) -> Order {
        Order::races_if(match (first.kind, second.kind) {
            (Count, _) | (_, Count) => true,
            (Disown, Disown) => second.arg == 0,
            _ => false,
        })
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        match (a.kind, b.kind) {
            (Count, _) | (_, Count) => true,
            (Disown, Disown) => a.arg <= 1 || b.arg <= 1,
            _ => false,
        }
    }

    /// Without the first operation its owner stays, so neither of two others is the last to leave.
    fn independent_without_first(between: Op, second: Op) -> bool {
        between == Disown && second == Disown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(arg: u32) -> Effect<Op> {
        Effect { kind: Disown, arg }
    }

    fn races(first: Effect<Op>, second: Effect<Op>) -> bool {
        State.order(first, second, &Operations::default()) == Order::Races
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>) -> bool {
        State::dependent(a, b, &Operations::default())
    }

    #[test]
    fn only_the_last_owner_races() {
        assert!(races(leaves(2), leaves(0)));
        assert!(!races(leaves(2), leaves(1)));
        let own = Effect { kind: Own, arg: 0 };
        assert!(!races(own, leaves(0)));
    }

    #[test]
    fn two_that_leave_commute_if_a_third_one_stays() {
        assert!(!dependent(leaves(2), leaves(2)));
        assert!(dependent(leaves(1), leaves(1)));
        assert!(dependent(leaves(1), leaves(2)));
    }
}
