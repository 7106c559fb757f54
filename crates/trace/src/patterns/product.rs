//! The histories of a computation together with a formula: is there one that satisfies it?
//!
//! A state is a cut and the residual of the formula after the letters on the way to it. In the last cut its
//! letter is repeated for ever. Where a residual is settled, nothing more is explored: any continuation will do, or none.

use super::Found;
use super::letters::Letters;
use super::query::PatternError;
use super::visibility::Visibility;
use crate::causality::{Cut, Event};
use crate::detection::{Explored, Histories, Width};
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::PersistentSets;
use mazurka_core::{AllDependent, Fault, Limits, Observer, Path, StateId, Strategy, System};
use mazurka_logic::{Formula, ResidualId, Residuals};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many bytes of a state hold the residual.
const RESIDUAL: usize = 4;

/// Looks for a history that satisfies a formula. To `reduce`, the formula must be stutter-invariant.
pub(super) fn search(
    letters: &Letters<'_>,
    formula: &Formula,
    reduce: bool,
    limits: Limits<'_>,
) -> Result<Found, PatternError> {
    let residuals = Residuals::new(formula).map_err(|error| PatternError::general(error.to_string()))?;
    let product = Product::new(letters, residuals)?;
    let mut observer = Finder {
        product: &product,
        history: None,
    };
    let mut sets = Unseen {
        product: &product,
        visibility: reduce.then(|| Visibility::new(letters)),
        cut: Cut::new(),
    };
    let strategy = Strategy {
        sleep: false,
        limits,
        ..Strategy::default()
    };
    let run = strategy.run_acyclic::<_, _, _, _, false>(&product, &AllDependent, &mut sets, &mut observer);
    let (statistics, end) = run.expect("no sleep sets, no proviso, depth first");
    let history = observer.history;
    if let Some(error) = product.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    Ok(Explored {
        result: history,
        states: statistics.states,
        transitions: statistics.transitions,
        end,
    })
}

struct Product<'a> {
    letters: &'a Letters<'a>,
    histories: Histories<'a>,
    width: Width,
    residuals: Mutex<Residuals>,
    /// The residual after the letter of the first cut.
    start: ResidualId,
    /// Why a letter could not be read, if one could not.
    error: Mutex<Option<PatternError>>,
}

impl<'a> Product<'a> {
    fn new(letters: &'a Letters<'a>, mut residuals: Residuals) -> Result<Self, PatternError> {
        let before = residuals.initial();
        let cut = vec![0; letters.order().processes()];
        let letter = letters.letter(0, None, residuals.relevant(before), &cut)?;
        Ok(Self {
            letters,
            histories: Histories::new(letters.order()),
            width: Width::of(letters.order()),
            start: residuals.step(before, letter),
            residuals: Mutex::new(residuals),
            error: Mutex::new(None),
        })
    }

    fn residuals(&self) -> MutexGuard<'_, Residuals> {
        self.residuals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cut of a state and its residual.
    fn parts<'s>(&self, state: &'s [u8]) -> (&'s [u8], ResidualId) {
        let (cut, residual) = state.split_at(state.len() - RESIDUAL);
        let bytes = residual.try_into().expect("four bytes");
        (cut, ResidualId(u32::from_le_bytes(bytes)))
    }
}

impl System for Product<'_> {
    type Transition = Event;
    type Scratch = Cut;

    fn scratch(&self) -> Cut {
        Cut::new()
    }

    fn initial(&self, state: &mut Vec<u8>) {
        self.histories.initial(state);
        state.extend(self.start.0.to_le_bytes());
    }

    fn enabled(&self, state: &[u8], out: &mut Vec<Event>) {
        let (cut, residual) = self.parts(state);
        if self.residuals().verdict(residual).is_none() {
            self.histories.enabled(cut, out);
        }
    }

    fn fire(&self, scratch: &mut Cut, state: &[u8], t: Event, next: &mut Vec<u8>) -> Result<(), Fault> {
        let (cut, residual) = self.parts(state);
        self.histories.fire(&mut (), cut, t, next)?;
        self.width.decode(next, scratch);
        let mut residuals = self.residuals();
        let (last, relevant) = (residuals.last(residual), residuals.relevant(residual));
        match self.letters.letter(last, Some(t.process), relevant, scratch) {
            Ok(letter) => {
                next.extend(residuals.step(residual, letter).0.to_le_bytes());
                Ok(())
            }
            Err(error) => {
                let fault = Fault::new(error.to_string());
                *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(fault)
            }
        }
    }

    fn state_len(&self) -> Option<usize> {
        self.histories.state_len().map(|cut| cut + RESIDUAL)
    }
}

/// Takes an event alone that the rest of the formula cannot see.
struct Unseen<'a> {
    product: &'a Product<'a>,
    visibility: Option<Visibility<'a>>,
    cut: Cut,
}

impl PersistentSets<Event> for Unseen<'_> {
    fn reduces(&self) -> bool {
        self.visibility.is_some()
    }

    fn chosen(&mut self, state: &[u8], enabled: &[Event], out: &mut BitSet) -> bool {
        let (cut, residual) = self.product.parts(state);
        out.set_all(enabled.len());
        if let Some(visibility) = &self.visibility {
            let relevant = self.product.residuals().relevant(residual);
            self.product.width.decode(cut, &mut self.cut);
            let unseen = |event: &Event| !visibility.sees(relevant, &self.cut, *event);
            if let Some(k) = enabled.iter().position(unseen) {
                out.reset(enabled.len());
                bitset::insert(out, k);
            }
        }
        true
    }

    fn containing(&mut self, _: &[u8], enabled: &[Event], _: usize, _: usize, out: &mut BitSet) -> bool {
        out.set_all(enabled.len());
        true
    }
}

/// Stops where the formula is certain to hold, or holds at the end.
struct Finder<'a> {
    product: &'a Product<'a>,
    history: Option<Vec<Event>>,
}

impl<'a> Observer<Product<'a>> for Finder<'_> {
    fn state(&mut self, _: StateId, state: &[u8], enabled: &[Event], path: &dyn Path<Event>) -> ControlFlow<()> {
        let (_, residual) = self.product.parts(state);
        let residuals = self.product.residuals();
        let holds = match residuals.verdict(residual) {
            Some(holds) => holds,
            // Nothing is enabled in the last cut only.
            None => enabled.is_empty() && residuals.ends(residual),
        };
        if !holds {
            return ControlFlow::Continue(());
        }
        self.history = Some(path.transitions());
        ControlFlow::Break(())
    }
}
