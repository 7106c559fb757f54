//! What is missing from spans, so that an order is lost.
//!
//! A trace is seldom complete: a parent was not sampled, or a link leads into another
//! trace. Nothing replaces what is missing. There is a warning for each kind of gap.

use crate::import::doubt::Doubt;

/// What is missing, by kind.
pub(super) struct Gaps {
    /// The parent of a span is not there.
    pub(super) parents: Doubt,
    /// A linked span is not there, or belongs to another trace.
    pub(super) links: Doubt,
    /// Several spans have the same id, so that a parent may be any of them.
    pub(super) doubles: Doubt,
    /// It is not known which side of a call a span is.
    pub(super) kinds: Doubt,
    /// A document contains no span.
    pub(super) documents: Doubt,
}

impl Gaps {
    pub(super) fn new() -> Self {
        Self {
            parents: Doubt::new(
                "unknown-parent",
                "the parent of this span has no record, so nothing orders the span after it",
                "spans have a parent without a record, so nothing orders them after it",
                "a record of the parent",
            ),
            links: Doubt::new(
                "unknown-link",
                "this span is linked to a span without a record in its trace, so the link orders nothing",
                "links lead to spans without a record in their trace, so they order nothing",
                "a record of the linked span in the same trace",
            ),
            doubles: Doubt::new(
                "doubled-span",
                "another span of the trace has the id of this one; the first of them counts as the parent of others",
                "spans have the id of another one of their trace; the first counts as the parent of others",
                "an id of its own for every span",
            ),
            kinds: Doubt::new(
                "unknown-kind",
                "the kind of this span is unknown, so the span counts as neither side of a call",
                "spans have unknown kinds, so they count as neither side of a call",
                "`client`, `server`, `producer`, `consumer` or `internal`",
            ),
            documents: Doubt::new(
                "no-spans",
                "there is no span in this document, so it was skipped",
                "documents have no span in them, so they were skipped",
                "a list of spans",
            ),
        }
    }

    /// The kinds that were found.
    pub(super) fn doubts(self) -> Vec<Doubt> {
        let all = [self.parents, self.links, self.doubles, self.kinds, self.documents];
        all.into_iter().filter(|doubt| doubt.count() > 0).collect()
    }
}
