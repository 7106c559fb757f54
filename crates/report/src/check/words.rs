//! The words for promises and messages, the same in text and JSON.

use mazurka_promela::verify::{ExchangeKind, Untrue};

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
