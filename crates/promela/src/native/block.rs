//! A `d_step`, translated: its parts until its end.
//!
//! In each location the first part whose guard holds is taken, as in the interpreter. Where only one part begins, and its guard
//! always holds, it is joined to those that lead there, so that runs of assignments need no look at locations.

use super::effect::Effect;
use super::guard::Guard;
use super::value::Undecided;
use crate::runtime_error::LONGEST_D_STEP;

/// The greatest number of parts that are joined.
const JOINED: usize = 32;

/// A `d_step`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    /// The first location.
    start: u32,
    /// For each location its parts, from the first to the one after the last, or none if it is the end.
    locations: Box<[Option<(u32, u32)>]>,
    parts: Box<[Part]>,
    /// How it was made.
    pub(super) made: Made,
}

/// How a `d_step` was translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// Each location once.
    Once,
    /// Some locations several times, with different values known.
    Unrolled,
    /// Each location once and with nothing known, because there are too many ways.
    Plain,
}

/// Statements of a `d_step`, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    /// Of the first; the others are always executable.
    pub(super) guard: Guard,
    pub(super) effects: Box<[Effect]>,
    /// Where it leads.
    pub(super) to: u32,
    /// The number of statements.
    pub(super) count: u32,
}

impl Block {
    /// A `d_step` of single statements.
    pub(super) fn new(made: Made, start: u32, locations: Box<[Option<(u32, u32)>]>, parts: Box<[Part]>) -> Self {
        let single = Self {
            start,
            locations,
            parts,
            made,
        };
        let parts = single.parts.iter().map(|part| single.joined(part)).collect();
        Self { parts, ..single }
    }

    /// A part with those that always come after it.
    fn joined(&self, first: &Part) -> Part {
        let mut effects = first.effects.to_vec();
        let (mut to, mut count) = (first.to, first.count);
        while effects.len() < JOINED
            && (count as usize) < JOINED
            && let [only] = self.at(to)
            && only.guard == Guard::Always
        {
            effects.extend(only.effects.iter().cloned());
            count += only.count;
            to = only.to;
        }
        effects.retain(|effect| *effect != Effect::Nothing);
        Part {
            guard: first.guard.clone(),
            effects: effects.into(),
            to,
            count,
        }
    }

    /// The parts of a location. There are none at the end.
    #[inline]
    fn at(&self, location: u32) -> &[Part] {
        match self.locations[location as usize] {
            Some((first, end)) => &self.parts[first as usize..end as usize],
            None => &[],
        }
    }

    /// Executes it. If it is stuck, does not end, or fails, it is undecided.
    pub(super) fn run(&self, state: &mut [u8]) -> Result<(), Undecided> {
        let (mut location, mut count) = (self.start, 0);
        while count < LONGEST_D_STEP {
            let Some((first, end)) = self.locations[location as usize] else {
                return Ok(());
            };
            let part = self.first_executable(&self.parts[first as usize..end as usize], state)?;
            for effect in &part.effects {
                effect.apply(state)?;
            }
            location = part.to;
            count += part.count;
        }
        Err(Undecided)
    }

    #[inline]
    fn first_executable<'a>(&self, parts: &'a [Part], state: &[u8]) -> Result<&'a Part, Undecided> {
        for part in parts {
            if part.guard.holds(state)? {
                return Ok(part);
            }
        }
        Err(Undecided)
    }

    /// All parts.
    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }
}
