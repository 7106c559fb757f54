//! The words for verdicts and kinds, the same in text and JSON.

use mazurka_promela::verify::{ExchangeKind, Kind, Untrue, ViolationKind};

pub(super) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Safety => "safety",
        Kind::Ltl => "ltl",
        Kind::Never => "never",
        Kind::Progress => "progress",
        Kind::Acceptance => "acceptance",
    }
}

pub(super) fn violation(kind: ViolationKind) -> &'static str {
    match kind {
        ViolationKind::Assertion => "assertion",
        ViolationKind::Deadlock => "deadlock",
        ViolationKind::RuntimeError => "runtime-error",
        ViolationKind::AcceptanceCycle => "acceptance-cycle",
        ViolationKind::ClaimCompleted => "claim-completed",
        ViolationKind::NonProgressCycle => "non-progress-cycle",
        ViolationKind::TraceMismatch => "trace-mismatch",
    }
}

pub(super) fn promise(untrue: &Untrue) -> &'static str {
    match untrue.receives {
        true => "xr",
        false => "xs",
    }
}

pub(super) fn exchange(kind: ExchangeKind) -> &'static str {
    match kind {
        ExchangeKind::Send => "send",
        ExchangeKind::Receive => "receive",
        ExchangeKind::Copy => "copy",
        ExchangeKind::Rendezvous => "rendezvous",
    }
}
