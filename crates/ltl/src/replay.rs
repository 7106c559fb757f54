//! Counterexamples by definition: executed by the plain interpreter, without bytes and without automata.

use crate::alphabet::Alphabet;
use crate::executions::Executions;
use crate::outcome::Counterexample;
use mazurka_core::{Configuration, Model, ProcessId, ReplayError, TransitionId};
use mazurka_logic::{Formula, Lasso};

/// The counterexample of these transitions, if it is one: it is an infinite execution, on which the formula is false,
/// and which is fair. The automaton moves once more than the model, so the cycle may have begun earlier, and may be
/// repetitive.
pub(crate) fn confirmed(
    executions: &Executions<'_, '_>,
    formula: &Formula,
    (prefix, cycle): (Vec<TransitionId>, Vec<TransitionId>),
) -> Result<Counterexample, ReplayError> {
    let Executions {
        model, alphabet, fair, ..
    } = executions;
    let path = [prefix.as_slice(), &cycle].concat();
    let (states, _) = Configuration::replay(model, &path)?;
    let mut found = Counterexample { prefix, cycle, states };
    let closes = found.states.len() == path.len() + 1
        && found.states.last() == found.states.get(found.prefix.len())
        && (!found.cycle.is_empty() || enabled(model, &found.states[path.len()]).is_empty());
    if closes {
        shorten(&mut found);
    }
    if closes && is_violated(alphabet, formula, &found) && is_fair(model, fair, &found) {
        Ok(found)
    } else {
        Err(ReplayError::OtherState)
    }
}

/// Writes the same execution with a cycle that is no repetition, and begins as early as possible.
fn shorten(found: &mut Counterexample) {
    let Counterexample { prefix, cycle, states } = found;
    let returns = |len: &usize| {
        let repeats = cycle.iter().zip(cycle.iter().skip(*len)).all(|(t, u)| t == u);
        cycle.len() % len == 0 && repeats && states[prefix.len() + len] == states[prefix.len()]
    };
    if let Some(len) = (1..cycle.len()).find(returns) {
        cycle.truncate(len);
        states.truncate(prefix.len() + len + 1);
    }
    while !prefix.is_empty()
        && prefix.last() == cycle.last()
        && states[prefix.len() - 1] == states[prefix.len() + cycle.len() - 1]
    {
        prefix.pop();
        cycle.rotate_right(1);
        states.pop();
    }
}

/// What is enabled, but for monitors.
fn enabled(model: &Model, state: &Configuration) -> Vec<TransitionId> {
    let mut enabled = state.enabled(model);
    enabled.retain(|t| !model.is_monitors(*t));
    enabled
}

/// Whether the formula is false on the word of an execution.
fn is_violated(alphabet: &Alphabet<'_>, formula: &Formula, found: &Counterexample) -> bool {
    let taken = found.prefix.iter().chain(&found.cycle).map(|t| Some(*t));
    let mut positions: Vec<_> = std::iter::once(None).chain(taken).zip(&found.states).collect();
    if found.cycle.is_empty() {
        // The last state is repeated, without events.
        positions.extend(found.states.last().map(|state| (None, state)));
    }
    let letters: Vec<u64> = positions.iter().map(|(t, s)| alphabet.plain_letter(s, *t)).collect();
    is_false(formula, &letters, found.prefix.len())
}

/// Whether a formula is false on the word of an execution with so many transitions before its cycle. The first position
/// of the cycle is that after its first transition: at the one before, the transition just taken is the last of the
/// prefix, and later the last of the cycle.
pub(crate) fn is_false(formula: &Formula, letters: &[u64], prefix: usize) -> bool {
    let lasso = Lasso::new(letters.len(), prefix + 1);
    lasso.is_some_and(|lasso| !formula.holds_on(lasso, |atom, at| letters[at] >> atom.0 & 1 != 0))
}

/// Whether each fair process moves on the cycle, or cannot in some state of it.
fn is_fair(model: &Model, fair: &[ProcessId], found: &Counterexample) -> bool {
    let moves = |t: &TransitionId, process: &ProcessId| model.active(*t).contains(process);
    fair.iter().all(|process| {
        let cannot = |state: &Configuration| !enabled(model, state).iter().any(|t| moves(t, process));
        found.cycle.iter().any(|t| moves(t, process)) || found.states[found.prefix.len()..].iter().any(cannot)
    })
}
