//! A boolean combination of local propositions as a disjunction of conjunctions.
//!
//! Freeze sets are about conjunctions with one conjunct for each component, and
//! `snapshot(p || q)` is `snapshot(p) || snapshot(q)` (section 3 of the paper), so `q` is brought
//! into disjunctive normal form. A conjunct may be any boolean combination of propositions of
//! its component, so a subformula about a single component is left as it is: only
//! disjunctions between components make several conjunctions.

use std::collections::BTreeMap;

use super::ComponentId;
use crate::formula::{AtomId, Formula};

/// A conjunction: for each component that it is about, a conjunct.
pub type Conjunction = BTreeMap<ComponentId, Formula>;

/// The most conjunctions that are accepted.
pub const MAX_CONJUNCTIONS: usize = 64;

/// Why a formula cannot be a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum NotASnapshot {
    /// A temporal operator: a snapshot is about one state.
    #[error("a snapshot is about one state, so it cannot have temporal operators")]
    Temporal,
    /// There would be more than [`MAX_CONJUNCTIONS`].
    #[error("the disjunctive normal form of a snapshot has more than {MAX_CONJUNCTIONS} conjunctions")]
    TooLarge,
}

/// The conjunctions whose disjunction is `q`. `component` gives the component that an atom is about; `None` for an atom
/// that is the same in all states, which fits any component.
///
/// ```
/// use mazurka_logic::parse;
/// use mazurka_logic::snapshot::{ComponentId, conjunctions};
/// let mut atoms = vec![];
/// let q = parse("(a1 || a2) && (b || c)").unwrap().number_atoms(&mut atoms);
/// let component = |atom: &str| Some(ComponentId::new(atom.as_bytes()[0].into()));
/// let disjuncts = conjunctions(&q, &|atom| component(&atoms[atom.0 as usize])).unwrap();
/// // `a1 || a2` is about one component.
/// assert_eq!(disjuncts.len(), 2);
/// ```
pub fn conjunctions(
    q: &Formula,
    component: &dyn Fn(AtomId) -> Option<ComponentId>,
) -> Result<Vec<Conjunction>, NotASnapshot> {
    Search { component }.normal(q, true)
}

struct Search<'a> {
    component: &'a dyn Fn(AtomId) -> Option<ComponentId>,
}

/// What the atoms of a formula are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Nothing,
    One(ComponentId),
    Several,
}

impl Search<'_> {
    /// The disjuncts of `f`, or of its negation unless `positive`.
    fn normal(&self, f: &Formula, positive: bool) -> Result<Vec<Conjunction>, NotASnapshot> {
        use Formula::*;
        let local = |component| Ok(vec![Conjunction::from([(component, signed(f, positive))])]);
        match self.about(f)? {
            About::Nothing => return local(ComponentId::new(0)),
            About::One(component) => return local(component),
            About::Several => {}
        }
        match f {
            Not(f) => self.normal(f, !positive),
            And(f, g) if positive => product(self.normal(f, true)?, &self.normal(g, true)?),
            And(f, g) => sum(self.normal(f, false)?, self.normal(g, false)?),
            Or(f, g) if positive => sum(self.normal(f, true)?, self.normal(g, true)?),
            Or(f, g) => product(self.normal(f, false)?, &self.normal(g, false)?),
            Implies(f, g) if positive => sum(self.normal(f, false)?, self.normal(g, true)?),
            Implies(f, g) => product(self.normal(f, true)?, &self.normal(g, false)?),
            Equivalent(f, g) => sum(
                product(self.normal(f, true)?, &self.normal(g, positive)?)?,
                product(self.normal(f, false)?, &self.normal(g, !positive)?)?,
            ),
            True | False | Atom(_) | Next(_) | Eventually(_) | Always(_) | Until(..) | Release(..) | WeakUntil(..) => {
                Err(NotASnapshot::Temporal)
            }
        }
    }

    fn about(&self, f: &Formula) -> Result<About, NotASnapshot> {
        use Formula::*;
        let both = |f: &Formula, g: &Formula| {
            Ok(match (self.about(f)?, self.about(g)?) {
                (About::Nothing, about) | (about, About::Nothing) => about,
                (a, b) if a == b => a,
                _ => About::Several,
            })
        };
        match f {
            True | False => Ok(About::Nothing),
            Atom(atom) => Ok((self.component)(*atom).map_or(About::Nothing, About::One)),
            Not(f) => self.about(f),
            And(f, g) | Or(f, g) | Implies(f, g) | Equivalent(f, g) => both(f, g),
            Next(_) | Eventually(_) | Always(_) | Until(..) | Release(..) | WeakUntil(..) => {
                Err(NotASnapshot::Temporal)
            }
        }
    }
}

fn signed(f: &Formula, positive: bool) -> Formula {
    match positive {
        true => f.clone(),
        false => f.clone().negated(),
    }
}

/// The disjuncts of both; two about the same single component become one.
fn sum(mut left: Vec<Conjunction>, right: Vec<Conjunction>) -> Result<Vec<Conjunction>, NotASnapshot> {
    let single = |conjunction: &Conjunction| match conjunction.len() {
        1 => conjunction.keys().next().copied(),
        _ => None,
    };
    for conjunction in right {
        let same = single(&conjunction).and_then(|c| left.iter().position(|other| single(other) == Some(c)));
        match same {
            Some(k) => {
                for (component, g) in conjunction {
                    let f = left[k].remove(&component).unwrap_or(Formula::False);
                    left[k].insert(component, Formula::Or(Box::new(f), Box::new(g)));
                }
            }
            None if left.contains(&conjunction) => {}
            None => left.push(conjunction),
        }
    }
    few(left)
}

/// Each disjunct of one with each of the other.
fn product(left: Vec<Conjunction>, right: &[Conjunction]) -> Result<Vec<Conjunction>, NotASnapshot> {
    let mut all = Vec::new();
    for a in &left {
        for b in right {
            let mut both = a.clone();
            for (component, g) in b {
                let conjunct = match both.remove(component) {
                    Some(f) if f == *g => f,
                    Some(f) => Formula::And(Box::new(f), Box::new(g.clone())),
                    None => g.clone(),
                };
                both.insert(*component, conjunct);
            }
            if !all.contains(&both) {
                all.push(both);
            }
        }
        all = few(all)?;
    }
    Ok(all)
}

fn few(conjunctions: Vec<Conjunction>) -> Result<Vec<Conjunction>, NotASnapshot> {
    match conjunctions.len() <= MAX_CONJUNCTIONS {
        true => Ok(conjunctions),
        false => Err(NotASnapshot::TooLarge),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// Atoms are about the component that their first letter says; `k` is about none.
    fn disjuncts(text: &str) -> Result<Vec<String>, NotASnapshot> {
        let mut atoms = vec![];
        let q = parse(text).unwrap().number_atoms(&mut atoms);
        let about = |atom: AtomId| match atoms[atom.0 as usize].as_bytes()[0] {
            b'k' => None,
            letter => Some(ComponentId::new((letter - b'a').into())),
        };
        let name = |atom: AtomId| atoms[atom.0 as usize].clone();
        let shown = |conjunction: Conjunction| {
            let parts = conjunction.into_values().map(|f| f.map(&mut |a| name(a)).to_string());
            parts.collect::<Vec<_>>().join(" & ")
        };
        Ok(conjunctions(&q, &about)?.into_iter().map(shown).collect())
    }

    #[test]
    fn disjunctions_between_components_split() {
        assert_eq!(disjuncts("a1 && b1").unwrap(), ["a1 & b1"]);
        assert_eq!(disjuncts("a1 || b1").unwrap(), ["a1", "b1"]);
        assert_eq!(disjuncts("(a1 || a2) && b1").unwrap(), ["a1 || a2 & b1"]);
        assert_eq!(disjuncts("a1 <-> b1").unwrap(), ["a1 & b1", "!a1 & !b1"]);
        assert_eq!(disjuncts("!(a1 -> b1)").unwrap(), ["a1 & !b1"]);
        assert_eq!(disjuncts("a1 || b1 || a2").unwrap(), ["a1 || a2", "b1"]);
        assert_eq!(disjuncts("a1 && k || b1").unwrap(), ["a1 && k", "b1"]);
        assert_eq!(disjuncts("true").unwrap(), ["true"]);
    }

    #[test]
    fn large_forms_are_refused() {
        let pairs: Vec<_> = (b'a'..=b'h').map(|c| c as char).collect();
        let text: Vec<_> = pairs.windows(2).map(|w| format!("({}1 || {}2)", w[0], w[1])).collect();
        assert_eq!(disjuncts(&text.join(" && ")), Err(NotASnapshot::TooLarge));
    }
}
