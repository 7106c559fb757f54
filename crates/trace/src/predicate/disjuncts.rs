//! Disjunctive normal form, where it is small.
//!
//! Algorithms for conjunctions of local predicates handle a disjunction one disjunct
//! at a time. The normal form can be exponentially larger than the formula (the paper's
//! ¬I_pr is an example), so there is a limit on its size.

use super::formula::{Formula, Node};

/// Literals of different atoms, sorted: which atom, and whether it must hold.
type Conjunction = Vec<(usize, bool)>;

/// Above this size, pairs are not compared for subsumption.
const PAIRS: usize = 512;

impl Formula {
    /// The formula as a disjunction of conjunctions of literals, if there are at most
    /// `limit` conjunctions. A conjunction is left out if it contains a literal and its
    /// negation, or implies another one.
    pub fn disjuncts(&self, limit: usize) -> Option<Vec<Conjunction>> {
        // Intermediate results may be larger than the final one.
        let all = disjuncts(&self.root, limit.saturating_mul(2).max(PAIRS))?;
        (all.len() <= limit).then_some(all)
    }

    /// The formula as a disjunction of conjunctions whose parts read at most one process each, which is what the
    /// linear algorithms take; `None` if it is not such a formula, or has more than `limit` disjuncts.
    pub(crate) fn local_disjuncts(&self, limit: usize) -> Option<Vec<Vec<Node>>> {
        let local = |node: &Node| self.support(node).len() <= 1;
        let conjuncts = self.conjuncts();
        if conjuncts.iter().all(|node| local(node)) {
            return Some(vec![conjuncts.into_iter().cloned().collect()]);
        }
        let literal = |(atom, positive)| Node::Literal { atom, positive };
        let disjuncts = self.disjuncts(limit)?.into_iter();
        let disjuncts: Vec<Vec<Node>> = disjuncts.map(|d| d.into_iter().map(literal).collect()).collect();
        disjuncts.iter().flatten().all(local).then_some(disjuncts)
    }
}

fn disjuncts(node: &Node, limit: usize) -> Option<Vec<Conjunction>> {
    match node {
        Node::Constant(false) => Some(vec![]),
        Node::Constant(true) => within(vec![vec![]], limit),
        Node::Literal { atom, positive } => within(vec![vec![(*atom, *positive)]], limit),
        Node::Or(members) => {
            let mut all = Vec::new();
            for member in members {
                all.extend(disjuncts(member, limit)?);
                if all.len() > limit {
                    all = within(all, limit)?;
                }
            }
            within(all, limit)
        }
        Node::And(members) => {
            let mut all = vec![vec![]];
            for member in members {
                let choices = disjuncts(member, limit)?;
                let mut product = Vec::new();
                for left in &all {
                    for right in &choices {
                        product.extend(both(left, right));
                    }
                    if product.len() > limit.saturating_mul(4) {
                        product = within(product, limit)?;
                    }
                }
                all = within(product, limit)?;
            }
            Some(all)
        }
    }
}

/// The conjunction of two, unless they contradict each other.
fn both(left: &[(usize, bool)], right: &[(usize, bool)]) -> Option<Conjunction> {
    let mut merged = [left, right].concat();
    merged.sort_unstable();
    merged.dedup();
    let contradictory = merged.windows(2).any(|pair| pair[0].0 == pair[1].0);
    (!contradictory).then_some(merged)
}

/// Drops subsumed conjunctions, then applies the limit.
fn within(mut all: Vec<Conjunction>, limit: usize) -> Option<Vec<Conjunction>> {
    all.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    all.dedup();
    if all.len() <= PAIRS {
        let mut kept: Vec<Conjunction> = Vec::with_capacity(all.len());
        for conjunction in all {
            let implied = |weaker: &Conjunction| weaker.iter().all(|l| conjunction.binary_search(l).is_ok());
            if !kept.iter().any(implied) {
                kept.push(conjunction);
            }
        }
        all = kept;
    }
    all.sort_unstable();
    (all.len() <= limit).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::super::Predicate;

    fn form(text: &str, limit: usize) -> Option<Vec<Vec<String>>> {
        let processes = ["p".to_owned()];
        let formula = Predicate::parse(text).unwrap().bind(&processes, &|_, _| true).unwrap();
        let show = |(atom, positive): &(usize, bool)| {
            let sign = if *positive { "" } else { "!" };
            format!("{sign}{}", formula.atoms[*atom])
        };
        let all = formula.disjuncts(limit)?;
        Some(all.iter().map(|literals| literals.iter().map(show).collect()).collect())
    }

    #[test]
    fn conjunctions_are_distributed_over_disjunctions() {
        let all = form("p.a && (p.b || !p.c)", 2).unwrap();
        assert_eq!(all, [["p.a", "p.b"], ["p.a", "!p.c"]]);
        assert_eq!(form("p.a && (p.b || !p.c)", 1), None);
    }

    #[test]
    fn contradictions_and_what_is_subsumed_are_dropped() {
        assert_eq!(form("(p.a || p.b) && (!p.a || p.b)", 1).unwrap(), [["p.b"]]);
        assert_eq!(form("p.a || p.a && p.b", 1).unwrap(), [["p.a"]]);
        assert_eq!(form("p.a && !p.a", 1).unwrap(), Vec::<Vec<String>>::new());
        assert_eq!(form("true", 1).unwrap(), [Vec::<String>::new()]);
    }

    #[test]
    fn a_large_form_is_given_up() {
        let text: Vec<_> = (0..40).map(|k| format!("(p.a{k} || p.b{k})")).collect();
        assert_eq!(form(&text.join(" && "), 1000), None);
    }
}
