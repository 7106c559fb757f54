//! Implications between formulas that can be seen from their structure.
//!
//! `implies(f, g)` answers "certainly" or "not known". Somenzi and Bloem,
//! *Efficient Büchi automata from LTL formulae* (CAV 2000), 3, with the rules for
//! eventual and universal formulas after Babiak et al., *LTL to Büchi automata
//! translation: fast and more deterministic* (TACAS 2012).

use super::{FALSE, Node, NodeId, Nodes, TRUE};

/// The most questions that are asked: large formulas are simplified less.
const MAX_QUESTIONS: usize = 200_000;

impl Nodes {
    /// Whether every word that satisfies `f` certainly satisfies `g`.
    pub(super) fn implies(&mut self, f: NodeId, g: NodeId) -> bool {
        if f == g || f == FALSE || g == TRUE {
            return true;
        }
        if f == TRUE || g == FALSE {
            return false;
        }
        if let Some(&known) = self.implied.get(&(f, g)) {
            return known;
        }
        if self.implied.len() > MAX_QUESTIONS {
            return false;
        }
        let answer = self.implies_by_left(f, g) || self.implies_by_right(f, g) || self.implies_by_both(f, g);
        self.implied.insert((f, g), answer);
        answer
    }

    /// Rules that take `f` apart.
    fn implies_by_left(&mut self, f: NodeId, g: NodeId) -> bool {
        match self.node(f).clone() {
            Node::And(fs) => fs.iter().any(|&f| self.implies(f, g)),
            Node::Or(fs) => fs.iter().all(|&f| self.implies(f, g)),
            // `X f` says that a suffix satisfies `f`, hence `g`, hence so does the word.
            Node::Next(a) => self.eventual(g) && self.implies(a, g),
            // `a U b` implies `a || b`; and that a suffix satisfies `b`.
            Node::Until(a, b) => self.implies(b, g) && (self.eventual(g) || self.implies(a, g)),
            Node::Release(_, b) => self.implies(b, g),
            Node::True | Node::False | Node::Literal { .. } => false,
        }
    }

    /// Rules that take `g` apart, the duals of the others.
    fn implies_by_right(&mut self, f: NodeId, g: NodeId) -> bool {
        match self.node(g).clone() {
            Node::And(gs) => gs.iter().all(|&g| self.implies(f, g)),
            Node::Or(gs) => gs.iter().any(|&g| self.implies(f, g)),
            Node::Next(a) => self.universal(f) && self.implies(f, a),
            Node::Until(_, b) => self.implies(f, b),
            Node::Release(a, b) => self.implies(f, b) && (self.universal(f) || self.implies(f, a)),
            Node::True | Node::False | Node::Literal { .. } => false,
        }
    }

    /// Rules that compare operators.
    fn implies_by_both(&mut self, f: NodeId, g: NodeId) -> bool {
        match (self.node(f).clone(), self.node(g).clone()) {
            (Node::Next(a), Node::Next(b)) => self.implies(a, b),
            (Node::Until(a, b), Node::Until(c, d)) => self.implies(b, d) && self.implies(a, c),
            (Node::Release(a, b), Node::Release(c, d)) => self.implies(b, d) && self.implies(a, c),
            _ => false,
        }
    }

    /// Whether `f` and `g` certainly exclude each other.
    pub(crate) fn exclude(&mut self, f: NodeId, g: NodeId) -> bool {
        let (not_f, not_g) = (self.negate(f), self.negate(g));
        self.implies(f, not_g) || self.implies(g, not_f)
    }

    /// Whether `f || g` certainly holds on every word.
    pub(super) fn exhaust(&mut self, f: NodeId, g: NodeId) -> bool {
        let (not_f, not_g) = (self.negate(f), self.negate(g));
        self.implies(not_f, g) || self.implies(not_g, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn implications_that_are_seen_and_some_that_do_not_hold() {
        for (f, g, seen) in [
            ("p && q", "q", true),
            ("p", "p || q", true),
            ("[] p", "p", true),
            ("p", "<> p", true),
            ("[] p", "X X p", true),
            ("X X p", "<> p", true),
            ("p U q", "<> q", true),
            ("p U q", "p || q", true),
            ("[] (p && q)", "q V p", true),
            ("[] p", "[]<> p", true),
            ("<>[] p", "[]<> p", true),
            ("[]<> p", "<>[] p", false),
            ("p V q", "p", false),
            ("<> p", "p", false),
            ("p U q", "<> p", false),
            ("X p", "p U q", false),
        ] {
            let mut nodes = Nodes::new();
            let mut atoms = vec!["p".to_string(), "q".to_string()];
            let mut node = |text: &str| {
                let formula = parse(text).unwrap().number_atoms(&mut atoms);
                nodes.normal_form(&formula)
            };
            let (f_node, g_node) = (node(f), node(g));
            assert_eq!(nodes.implies(f_node, g_node), seen, "{f} implies {g}");
        }
    }
}
