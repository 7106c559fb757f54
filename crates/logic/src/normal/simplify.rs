//! Building formulas without redundancies that their structure shows.
//!
//! Each rule is stated once, for `&&` and `U`; the rules for `||` and `V` are the same
//! rules on the negated formula. Below, `e` is a pure eventuality, `u` purely universal
//! and `s` both; a rule is tried on operands that are simplified already, and what it
//! builds is simplified again. A rule that joins operators (`[]f && []g = [](f && g)`)
//! and a rule that splits them never undo each other: the splitting rules take out only
//! operands that are suspendable, or become so, and the joining rules skip those.
//!
//! Etessami and Holzmann (CONCUR 2000), 3; Somenzi and Bloem (CAV 2000), 3; Duret-Lutz,
//! *LTL translation improvements in Spot 1.0* (IJCCBS 2014), whose catalogue has most.

use super::{FALSE, Node, NodeId, Nodes, TRUE};

impl Nodes {
    /// The conjunction.
    pub(crate) fn and(&mut self, fs: impl IntoIterator<Item = NodeId>) -> NodeId {
        let mut list = vec![];
        for f in fs {
            match self.node(f) {
                Node::And(inner) => list.extend_from_slice(inner),
                _ => list.push(f),
            }
        }
        list.sort_unstable();
        list.dedup();
        if !self.absorb(&mut list) {
            return FALSE;
        }
        if self.join(&mut list) {
            return self.and(list);
        }
        match list[..] {
            [] => TRUE,
            [f] => f,
            _ => self.intern(Node::And(list.into())),
        }
    }

    /// The disjunction.
    pub(crate) fn or(&mut self, fs: impl IntoIterator<Item = NodeId>) -> NodeId {
        let negations: Vec<NodeId> = fs.into_iter().map(|f| self.negate(f)).collect();
        let f = self.and(negations);
        self.negate(f)
    }

    /// `f V g`.
    pub(crate) fn release(&mut self, f: NodeId, g: NodeId) -> NodeId {
        let (f, g) = (self.negate(f), self.negate(g));
        let f = self.until(f, g);
        self.negate(f)
    }

    /// `X f`.
    pub(crate) fn next(&mut self, f: NodeId) -> NodeId {
        if self.suspendable(f) {
            return f;
        }
        // X (f && s) = X f && s, and likewise for ||.
        match self.node(f).clone() {
            Node::And(fs) => {
                if let Some((out, rest)) = self.split(&fs, |nodes, f| nodes.suspendable(f)) {
                    let rest = self.and(rest);
                    let rest = self.next(rest);
                    return self.and(out.into_iter().chain([rest]));
                }
            }
            Node::Or(fs) => {
                if let Some((out, rest)) = self.split(&fs, |nodes, f| nodes.suspendable(f)) {
                    let rest = self.or(rest);
                    let rest = self.next(rest);
                    return self.or(out.into_iter().chain([rest]));
                }
            }
            _ => {}
        }
        self.intern(Node::Next(f))
    }

    /// `f U g`.
    pub(crate) fn until(&mut self, f: NodeId, g: NodeId) -> NodeId {
        // f U e = e; f U g = g if f implies g.
        if self.eventual(g) || self.implies(f, g) {
            return g;
        }
        // f U g = <> g if g holds where f does not.
        if f != TRUE && self.exhaust(f, g) {
            return self.until(TRUE, g);
        }
        let changed = match self.node(g).clone() {
            // X f U X g = X (f U g), with true = X true.
            Node::Next(h) => match *self.node(f) {
                Node::Next(k) => Some((k, h)),
                Node::True => Some((TRUE, h)),
                _ => None,
            }
            .map(|(k, h)| {
                let inner = self.until(k, h);
                self.next(inner)
            }),
            Node::Or(gs) => self.until_disjunction(f, &gs),
            Node::And(gs) => self.until_conjunction(f, &gs),
            // f U (h U k) = h U k if f implies h, and f U k if h implies f.
            Node::Until(h, _) if self.implies(f, h) => Some(g),
            Node::Until(h, k) if self.implies(h, f) => Some(self.until(f, k)),
            // <>[] (h || u) = <>[] h || <> u
            Node::Release(h, k) if f == TRUE && h == FALSE => self.eventually_always(k),
            _ => None,
        };
        if let Some(result) = changed {
            return result;
        }
        match self.node(f).clone() {
            // (f || h) U g = f U g if h implies g.
            Node::Or(fs) => {
                if let Some((_, rest)) = self.split(&fs, |nodes, h| nodes.implies(h, g)) {
                    let f = self.or(rest);
                    return self.until(f, g);
                }
            }
            // (f && h) U g = f U g if g holds where h does not.
            Node::And(fs) => {
                if let Some((_, rest)) = self.split(&fs, |nodes, h| nodes.exhaust(h, g)) {
                    let f = self.and(rest);
                    return self.until(f, g);
                }
            }
            // (h U g) U g = h U g.
            Node::Until(_, k) if k == g => return f,
            _ => {}
        }
        self.intern(Node::Until(f, g))
    }

    /// `f U (g || e) = (f U g) || e`, and `<> (g || u) = <> g || <> u`, which is suspendable.
    fn until_disjunction(&mut self, f: NodeId, gs: &[NodeId]) -> Option<NodeId> {
        let (out, rest) = self.split(gs, |nodes, g| nodes.eventual(g) || (f == TRUE && nodes.universal(g)))?;
        let out: Vec<NodeId> = out.into_iter().map(|g| self.until(f, g)).collect();
        let rest = self.or(rest);
        let rest = self.until(f, rest);
        Some(self.or(out.into_iter().chain([rest])))
    }

    /// `f U (g && s) = (f U g) && s`.
    fn until_conjunction(&mut self, f: NodeId, gs: &[NodeId]) -> Option<NodeId> {
        let (out, rest) = self.split(gs, |nodes, g| nodes.suspendable(g))?;
        let rest = self.and(rest);
        let rest = self.until(f, rest);
        Some(self.and(out.into_iter().chain([rest])))
    }

    /// `<>[] f` where `f` is a disjunction with a universal operand: that one holds for ever once it holds.
    fn eventually_always(&mut self, f: NodeId) -> Option<NodeId> {
        let Node::Or(fs) = self.node(f).clone() else {
            return None;
        };
        let (out, rest) = self.split(&fs, |nodes, f| nodes.universal(f))?;
        let out: Vec<NodeId> = out.into_iter().map(|u| self.until(TRUE, u)).collect();
        let rest = self.or(rest);
        let rest = self.release(FALSE, rest);
        let rest = self.until(TRUE, rest);
        Some(self.or(out.into_iter().chain([rest])))
    }

    /// Removes conjuncts that others imply and disjuncts that others exclude; false if the list cannot hold.
    fn absorb(&mut self, list: &mut Vec<NodeId>) -> bool {
        let mut i = 0;
        while i < list.len() {
            let f = list[i];
            let mut others = list.clone();
            others.remove(i);
            if others.iter().any(|&g| self.exclude(f, g)) {
                return false;
            }
            if others.iter().any(|&g| self.implies(g, f)) {
                list.remove(i);
                continue;
            }
            // f && (g || h) = f && h if f excludes g.
            if let Node::Or(gs) = self.node(f).clone()
                && let Some((_, rest)) = self.split(&gs, |nodes, g| others.iter().any(|&f| nodes.exclude(f, g)))
            {
                let rest = self.or(rest);
                list.remove(i);
                match self.node(rest) {
                    Node::And(fs) => list.extend_from_slice(fs),
                    _ => list.push(rest),
                }
                list.sort_unstable();
                list.dedup();
                i = 0;
                continue;
            }
            i += 1;
        }
        !list.contains(&FALSE)
    }

    /// Joins two conjuncts into one, if a rule says how.
    fn join(&mut self, list: &mut Vec<NodeId>) -> bool {
        for i in 0..list.len() {
            for j in i + 1..list.len() {
                if let Some(joined) = self.joined(list[i], list[j]) {
                    list.remove(j);
                    list[i] = joined;
                    return true;
                }
            }
        }
        false
    }

    fn joined(&mut self, f: NodeId, g: NodeId) -> Option<NodeId> {
        let suspendable = self.suspendable(f) || self.suspendable(g);
        match (self.node(f).clone(), self.node(g).clone()) {
            // X f && X g = X (f && g)
            (Node::Next(f), Node::Next(g)) => {
                let both = self.and([f, g]);
                Some(self.next(both))
            }
            // (h V f) && (h V g) = h V (f && g)
            (Node::Release(h, f), Node::Release(k, g)) if h == k && !suspendable => {
                let both = self.and([f, g]);
                Some(self.release(h, both))
            }
            // (f U h) && (g U h) = (f && g) U h
            (Node::Until(f, h), Node::Until(g, k)) if h == k => {
                let both = self.and([f, g]);
                Some(self.until(both, h))
            }
            // <> f && (f V g) = g U (f && g); on the other side, [] f || (f U g) = f W g, as SPIN spells it.
            (Node::Until(TRUE, h), Node::Release(f, g)) | (Node::Release(f, g), Node::Until(TRUE, h)) if f == h => {
                let both = self.and([f, g]);
                Some(self.until(g, both))
            }
            // <>[] f && <>[] g = <>[] (f && g)
            (Node::Until(TRUE, f), Node::Until(TRUE, g)) => match (self.node(f), self.node(g)) {
                (&Node::Release(FALSE, f), &Node::Release(FALSE, g)) => {
                    let both = self.and([f, g]);
                    let always = self.release(FALSE, both);
                    Some(self.until(TRUE, always))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Those that satisfy `taken`, and the others; `None` if none does.
    fn split(
        &mut self,
        fs: &[NodeId],
        mut taken: impl FnMut(&mut Self, NodeId) -> bool,
    ) -> Option<(Vec<NodeId>, Vec<NodeId>)> {
        let (out, rest): (Vec<NodeId>, Vec<NodeId>) = fs.iter().partition(|&&f| taken(self, f));
        (!out.is_empty()).then_some((out, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::Nodes;
    use crate::{Formula, Lasso, parse};

    /// Each rule on an example: a formula, and what becomes of it.
    const EXAMPLES: [(&str, &str); 53] = [
        ("p && p || p", "p"),
        ("p || (p && q)", "p"),
        ("p && !p", "false"),
        ("[]p && <>!p", "false"),
        ("[]p || <>!p", "true"),
        ("p && (!p || q)", "p && q"),
        ("p || (!p && q)", "p || q"),
        ("!(p U q)", "!p V !q"),
        ("!X p", "X !p"),
        ("p W q", "p W q"),
        ("[]p || (p U q)", "p W q"),
        ("<>p && (p V q)", "q U (p && q)"),
        ("<><>p", "<>p"),
        ("[][]p", "[]p"),
        ("<>[]<>p", "[]<>p"),
        ("[]<>[]p", "<>[]p"),
        ("X []<>p", "[]<>p"),
        ("X (p && []<>q)", "[]<>q && X p"),
        ("X (p || []<>q)", "[]<>q || X p"),
        ("X p && X q", "X (p && q)"),
        ("X p || X q", "X (p || q)"),
        ("<>X p", "X <>p"),
        ("[]X p", "X []p"),
        ("X p U X q", "X (p U q)"),
        ("X p V X q", "X (p V q)"),
        ("p U <>q", "<>q"),
        ("p V []q", "[]q"),
        ("p U (p || q)", "p || q"),
        ("!p U p", "<>p"),
        ("!p V p", "[]p"),
        ("p U (p U q)", "p U q"),
        ("(p && q) U (p U q)", "p U q"),
        ("p U ((p && q) U r)", "p U r"),
        ("(p U q) U q", "p U q"),
        ("(p || q) U q", "p U q"),
        ("(p && !q) U q", "p U q"),
        ("<>(p U q)", "<>q"),
        ("[](p V q)", "[]q"),
        ("[]<>(p U q)", "[]<>q"),
        ("<>p || <>q", "<>(p || q)"),
        ("[]p && []q", "[](p && q)"),
        ("[]<>p || []<>q", "[]<>(p || q)"),
        ("<>[]p && <>[]q", "<>[](p && q)"),
        ("(p V q) && (p V r)", "p V (q && r)"),
        ("(p U r) && (q U r)", "(p && q) U r"),
        ("(p U q) || (p U r)", "p U (q || r)"),
        ("<>(p && []<>q)", "<>p && []<>q"),
        ("[](p || []<>q)", "[]p || []<>q"),
        ("p U (q && []<>r)", "[]<>r && (p U q)"),
        ("p U (q || <>r)", "<>r || (p U q)"),
        ("<>(p || []q)", "<>p || <>[]q"),
        ("<>[](p || []q)", "<>[]p || <>[]q"),
        ("[]<>(p && <>q)", "[]<>p && []<>q"),
    ];

    /// Each rule makes of its example what it says, with the same meaning.
    #[test]
    fn rules_rewrite_and_keep_the_meaning() {
        for (text, expected) in EXAMPLES {
            let mut atoms = ["p", "q", "r"].map(str::to_string).to_vec();
            let formula = parse(text).unwrap().number_atoms(&mut atoms);
            let expected = parse(expected).unwrap().number_atoms(&mut atoms);
            let mut nodes = Nodes::new();
            let node = nodes.normal_form(&formula);
            let found = nodes.formula(node);
            assert_eq!(meaning(&found), meaning(&formula), "{formula} became {found}");
            assert_eq!(sorted(&found), sorted(&expected), "{formula} became {found}");
        }
    }

    /// Whether the formula holds, on all words of three letters at most.
    fn meaning(f: &Formula) -> Vec<bool> {
        let lassos = [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)];
        let words = (0..1 << 9).flat_map(|code| lassos.map(|lasso| (code, lasso)));
        let holds = words.map(|(code, (len, cycle))| {
            f.holds_on(Lasso::new(len, cycle).unwrap(), |a, i| {
                code >> (3 * i + a.0 as usize) & 1 != 0
            })
        });
        holds.collect()
    }

    /// The words of a formula: the order of conjuncts and disjuncts is not part of the promise.
    fn sorted(f: &Formula) -> Vec<String> {
        let mut words: Vec<String> = f.to_string().split_whitespace().map(str::to_string).collect();
        words.sort();
        words
    }
}
