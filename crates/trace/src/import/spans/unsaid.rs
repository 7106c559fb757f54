//! What spans leave unsaid, so that an order is lost.
//!
//! A trace is seldom complete: a parent was not sampled, a link leads into another trace.
//! Nothing is made up for what is missing, and each kind of it is said.

use crate::import::doubt::Doubt;

/// What was met, by kind.
pub(super) struct Unsaid {
    /// The parent of a span is not there.
    pub(super) parents: Doubt,
    /// A linked span is not there, or belongs to another trace.
    pub(super) links: Doubt,
    /// Several spans have one id, so that a parent may be any of them.
    pub(super) doubles: Doubt,
    /// Which side of a call a span is is not known.
    pub(super) kinds: Doubt,
    /// A document has nothing in it that is a span.
    pub(super) documents: Doubt,
}

impl Unsaid {
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
                "this span is linked to one that its trace has no record of, which orders nothing",
                "links lead to spans that their traces have no record of, which orders nothing",
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
                "the kind of this span is none that is known, so it is not taken for a side of a call",
                "spans have kinds that are not known, so they are not taken for sides of calls",
                "`client`, `server`, `producer`, `consumer` or `internal`",
            ),
            documents: Doubt::new(
                "no-spans",
                "there is no span in this document, which was passed over",
                "documents have no span in them and were passed over",
                "a list of spans",
            ),
        }
    }

    /// What was met.
    pub(super) fn doubts(self) -> Vec<Doubt> {
        let all = [self.parents, self.links, self.doubles, self.kinds, self.documents];
        all.into_iter().filter(|doubt| doubt.count() > 0).collect()
    }
}
