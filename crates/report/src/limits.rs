//! Limits that a search reached: their names for scripts, and what to do about them.

use mazurka_core::Limit;

/// Why there is no answer, and what to do about it.
pub(crate) fn unanswered(limit: Limit) -> String {
    match limit {
        Limit::States => format!("Not answered: {limit}; --max-states sets it."),
        Limit::Depth => format!("Not answered: {limit}; --max-depth sets it."),
        Limit::Memory => format!(
            "Not answered: {limit}; --max-memory sets it, and `--store bitstate=SIZE` gets by with less, but may miss states."
        ),
        Limit::Time => format!("Not answered: {limit}; --timeout sets it."),
        Limit::Bitstate => format!("Not answered: {limit}; `--store exact` misses none."),
        Limit::Cache => format!("Not answered: {limit}; `--store cache=N` with a larger N, or `--store exact`."),
        _ => format!("Not answered: {limit}."),
    }
}

/// The same for a query about a recorded run, for which there is no `--store`.
pub(crate) fn unanswered_query(limit: Limit) -> String {
    match limit {
        Limit::Memory => format!("Not answered: {limit}; --max-memory sets it."),
        limit => unanswered(limit),
    }
}

/// The name of a limit for scripts.
pub(crate) fn limit_name(limit: Limit) -> &'static str {
    match limit {
        Limit::States => "states",
        Limit::Depth => "depth",
        Limit::Memory => "memory",
        Limit::Time => "time",
        Limit::Interrupt => "interrupt",
        Limit::Cache => "cache",
        Limit::Bitstate => "bitstate",
        _ => "other",
    }
}
