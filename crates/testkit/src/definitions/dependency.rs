//! Valid dependency (thesis, Def. 3.17) and weak uniformity (Def. 6.6).

use super::IndependenceTable;
use crate::StateSpace;
use mazurka_core::{Model, TransitionId};

/// Whether a relation is a valid conditional dependency relation on the
/// reachable states (Def. 3.17): transitions that it calls independent neither
/// enable nor disable each other, and commute.
///
/// # Errors
/// The first state and pair that contradict it.
pub fn valid_dependency(model: &Model, space: &StateSpace, relation: &IndependenceTable) -> Result<(), String> {
    for s in 0..space.states.len() {
        for (t, u) in pairs(model) {
            if !relation.independent(s, t, u) {
                continue;
            }
            let wrong = |what: &str| {
                let (t, u) = (model.transition_name(t), model.transition_name(u));
                Err(format!("`{t}` and `{u}` {what} in {:?}", space.states[s]))
            };
            if !relation.independent(s, u, t) {
                return wrong("are independent in one order only");
            }
            let Some(after_t) = space.after(s, t) else {
                continue;
            };
            if space.after(s, u).is_some() != space.after(after_t, u).is_some() {
                return wrong("are called independent, but the first enables or disables the second");
            }
            if let Some(after_u) = space.after(s, u)
                && space.after(after_t, u) != space.after(after_u, t)
            {
                return wrong("are called independent, but do not commute");
            }
        }
    }
    Ok(())
}

/// Whether a relation is weakly uniform on the reachable states (Def. 6.6): if
/// `s -t1-> s1 -t2->` and `s -t3-> s'`, with `t3` independent of `t1` in `s` and
/// of `t2` in `s1`, then `t1` and `t2` are still dependent in `s'` if they are
/// dependent in `s`.
///
/// # Errors
/// The first state and triple that contradict it.
pub fn weakly_uniform(model: &Model, space: &StateSpace, relation: &IndependenceTable) -> Result<(), String> {
    for s in 0..space.states.len() {
        for (t1, s1) in space.edges(s) {
            for t2 in space.enabled(s1) {
                if relation.independent(s, t1, t2) {
                    continue;
                }
                for (t3, other) in space.edges(s) {
                    if relation.independent(s, t1, t3)
                        && relation.independent(s1, t2, t3)
                        && relation.independent(other, t1, t2)
                    {
                        let [t1, t2, t3] = [t1, t2, t3].map(|t| model.transition_name(t));
                        return Err(format!(
                            "t1 = `{t1}`, t2 = `{t2}`, t3 = `{t3}` are not weakly uniform in {:?}",
                            space.states[s]
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

fn pairs(model: &Model) -> impl Iterator<Item = (TransitionId, TransitionId)> {
    let n = model.transitions();
    (0..n * n).map(move |k| (TransitionId::new(k / n), TransitionId::new(k % n)))
}
