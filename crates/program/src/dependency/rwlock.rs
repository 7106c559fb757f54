//! Reader-writer locks. Readers commute; a writer races with everybody.
//!
//! As for mutexes, entries are acquisitions that know their release, and releases are
//! transitions of their own where `try_read` or `try_write` can notice them.

use super::Order;
use crate::operation::Kind::{self, *};

fn reads(kind: Kind) -> bool {
    matches!(kind, Read | TryReadOk)
}

fn writes(kind: Kind) -> bool {
    matches!(kind, Write | TryWriteOk)
}

pub(super) fn order(first: Kind, second: Kind) -> Order {
    let races = match second {
        Read => writes(first),
        Write => reads(first) || writes(first),
        TryRead => writes(first) || first == UnlockWrite,
        TryReadOk => writes(first) || first == UnlockWrite,
        TryReadFail => writes(first),
        TryWrite | TryWriteOk => reads(first) || writes(first) || matches!(first, UnlockRead | UnlockWrite),
        TryWriteFail => reads(first) || writes(first),
        UnlockRead => first == TryWriteFail,
        UnlockWrite => matches!(first, TryReadFail | TryWriteFail),
        _ => false,
    };
    super::races_if(races)
}

pub(super) fn dependent(a: Kind, b: Kind) -> bool {
    let idle = |k| matches!(k, TryReadFail | TryWriteFail);
    let unlocks = |k| matches!(k, UnlockRead | UnlockWrite);
    let independent = (reads(a) || a == TryReadFail) && (reads(b) || b == TryReadFail)
        || idle(a) && idle(b)
        || unlocks(a) && unlocks(b)
        || (a == TryRead && reads(b) || reads(a) && b == TryRead)
        || (a == UnlockRead && reads(b) || reads(a) && b == UnlockRead)
        || (a == TryRead && b == TryRead);
    !independent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_commute_and_writers_do_not() {
        assert_eq!(order(Read, Read), Order::Unordered);
        assert_eq!(order(Read, Write), Order::Races);
        assert_eq!(order(Write, Read), Order::Races);
        assert!(!dependent(Read, TryReadOk));
        assert!(dependent(Write, Write));
    }
}
