//! Persistent sets (thesis, Def. 4.1).

use super::IndependenceTable;
use crate::StateSpace;
use mazurka_core::{Model, TransitionId};

/// Whether `set` is a nonempty persistent set in a state: whatever is executed
/// from there without its members is independent of all of them where it is
/// executed.
///
/// # Errors
/// The transition outside the set, the member, and the state where they are dependent.
pub fn persistent(
    model: &Model,
    space: &StateSpace,
    relation: &IndependenceTable,
    state: usize,
    set: &[TransitionId],
) -> Result<(), String> {
    if set.is_empty() {
        return Err("the set is empty".into());
    }
    let name = |t: TransitionId| model.transition_name(t);
    if let Some(t) = set.iter().find(|t| space.after(state, **t).is_none()) {
        return Err(format!("its member `{}` is not enabled", name(*t)));
    }
    let mut visited = vec![false; space.states.len()];
    let mut stack = vec![state];
    visited[state] = true;
    while let Some(s) = stack.pop() {
        for (t, to) in space.edges(s).filter(|(t, _)| !set.contains(t)) {
            if let Some(member) = set.iter().find(|u| !relation.independent(s, t, **u)) {
                return Err(format!(
                    "from {:?}, `{}` can be executed in {:?}, where it is dependent with the member `{}`",
                    space.states[state],
                    name(t),
                    space.states[s],
                    name(*member)
                ));
            }
            if !visited[to] {
                visited[to] = true;
                stack.push(to);
            }
        }
    }
    Ok(())
}
