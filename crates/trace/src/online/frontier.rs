//! On-line Definitely of any predicate.
//!
//! Definitely can no longer be undone iff no history can have avoided the predicate so far and go on
//! ([`super::avoiding`]; the paper announces it when the to-do set is empty). That some history passes by the
//! predicate is known at the end of the run only.
//!
//! What has no value does not satisfy the predicate. If every history meets the predicate or a cut in which it
//! has no value, and some history only the latter, there is no answer. So there are two searches, one that reads
//! such conjuncts as false and one that reads them as true. They are the same up to where the first is met,
//! and divide there.

use super::arriving::Doubt;
use super::avoiding::{Avoiding, InDoubt};
use super::live::Live;
use super::stream::Stream;

/// The searches for a history that avoids the predicate.
#[derive(Debug, Default)]
pub(super) struct Frontier {
    /// What has no value is false.
    certain: Option<Avoiding>,
    /// What has no value is true; `None` if none was met.
    perhaps: Option<Avoiding>,
}

impl Frontier {
    /// Whether every history has passed through the predicate, whatever comes.
    pub(super) fn is_certain(&self) -> bool {
        self.certain.as_ref().is_some_and(Avoiding::has_failed)
    }

    /// At the end: whether every history that avoids the predicate meets a cut in which it has no value.
    pub(super) fn is_undefined(&self) -> bool {
        let last_reached = |search: &Option<Avoiding>| search.as_ref().is_some_and(|s| s.last_reached);
        last_reached(&self.certain) && self.perhaps.is_some() && !last_reached(&self.perhaps)
    }

    /// How many cuts were looked at.
    pub(super) fn states(&self) -> u64 {
        self.searches().map(|search| search.states).sum()
    }

    fn searches(&self) -> impl Iterator<Item = &Avoiding> {
        self.certain.iter().chain(&self.perhaps)
    }

    /// How many cuts are kept.
    pub(super) fn held(&self) -> usize {
        self.searches().map(Avoiding::held).sum()
    }

    /// The lowest state of a process that may be looked at.
    pub(super) fn floor(&self, k: usize) -> u32 {
        match self.certain.is_some() {
            true => self.searches().map(|search| search.floor(k)).min().unwrap_or(0),
            false => 0,
        }
    }

    /// Goes on as far as what has arrived allows.
    pub(super) fn advance(&mut self, live: &Live, stream: &Stream) {
        if self.certain.is_none() {
            if live.support.iter().any(|p| stream.last(*p).is_none()) {
                return;
            }
            self.certain = Some(Avoiding::new(live, stream));
        }
        self.each(|search| search.advance(live, stream));
    }

    /// Drops what is of no use.
    pub(super) fn tidy(&mut self, live: &Live, stream: &Stream) {
        self.each(|search| search.tidy(live, stream));
    }

    /// Does the same with both searches; if it is found out that they differ, divides them.
    fn each(&mut self, mut act: impl FnMut(&mut Avoiding) -> Result<(), InDoubt>) {
        let Some(certain) = &mut self.certain else { return };
        if act(certain).is_err() {
            let mut perhaps = certain.clone();
            certain.decide(Doubt::IsFalse);
            perhaps.decide(Doubt::IsTrue);
            self.perhaps = Some(perhaps);
            act(certain).expect("it is decided what has no value is");
        }
        if let Some(perhaps) = &mut self.perhaps {
            act(perhaps).expect("it is decided what has no value is");
        }
    }
}
