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
use super::tracks::{Sight, Tracks};

/// The searches for a history that avoids the predicate.
#[derive(Debug, Default)]
pub(super) struct Frontier {
    tracks: Tracks,
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
        self.tracks.held() + self.searches().map(Avoiding::held).sum::<usize>()
    }

    /// The lowest state of a process that may be looked at.
    pub(super) fn floor(&self, k: usize) -> u32 {
        match self.stretch_floor(k) {
            u32::MAX => u32::MAX,
            _ if self.certain.is_none() => 0,
            stretch => self.tracks.begin(k, stretch),
        }
    }

    /// The lowest stretch of a process that may be looked at.
    fn stretch_floor(&self, k: usize) -> u32 {
        match self.certain.is_some() {
            true => self.searches().map(|search| search.floor(k)).min().unwrap_or(0),
            false => 0,
        }
    }

    /// Goes on as far as what has arrived allows.
    pub(super) fn advance(&mut self, live: &Live, stream: &Stream) {
        let all_heard = live.support.iter().all(|p| stream.last(*p).is_some());
        if !all_heard {
            return;
        }
        self.tracks.extend(live, stream);
        if self.certain.is_none() {
            let tracks = &self.tracks;
            self.certain = Some(Avoiding::new(Sight { live, stream, tracks }));
        }
        self.each(live, stream, Avoiding::advance);
    }

    /// Drops what is of no use.
    pub(super) fn tidy(&mut self, live: &Live, stream: &Stream) {
        if self.certain.is_none() {
            return;
        }
        self.each(live, stream, Avoiding::tidy);
        for k in 0..live.support.len() {
            self.tracks.drop_before(k, self.stretch_floor(k));
        }
    }

    /// Does the same with both searches; if it is found out that they differ, divides them.
    fn each(&mut self, live: &Live, stream: &Stream, act: impl Fn(&mut Avoiding, Sight<'_>) -> Result<(), InDoubt>) {
        let tracks = &self.tracks;
        let sight = Sight { live, stream, tracks };
        let Some(certain) = &mut self.certain else { return };
        if act(certain, sight).is_err() {
            let mut perhaps = certain.clone();
            certain.decide(Doubt::IsFalse);
            perhaps.decide(Doubt::IsTrue);
            self.perhaps = Some(perhaps);
            act(certain, sight).expect("it is decided what has no value is");
        }
        if let Some(perhaps) = &mut self.perhaps {
            act(perhaps, sight).expect("it is decided what has no value is");
        }
    }
}
