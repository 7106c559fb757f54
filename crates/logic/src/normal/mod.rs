//! Formulas in negation normal form, each once.
//!
//! Negation stands before atoms only; what remains is `&&`, `||`, `X`, `U` and `V`
//! (`<> f` is `true U f`, `[] f` is `false V f`, `f W g` is `g V (f || g)`). Equal
//! formulas are one node, so that the negation of nested equivalences does not explode,
//! and questions about pairs of formulas are asked once.
//!
//! Each node knows whether it is a *pure eventuality* (if it holds of a suffix of a
//! word, it holds of the word) and *purely universal* (if it holds of a word, it holds of
//! each suffix). Etessami and Holzmann, *Optimizing Büchi automata* (CONCUR 2000), 3.
//! A formula that is both holds everywhere on a word or nowhere: it is *suspendable*,
//! after Babiak et al., *Compositional approach to suspension* (SPIN 2013).

mod implication;
mod simplify;

use std::collections::HashMap;
use std::rc::Rc;

use crate::formula::{AtomId, Formula};

/// A formula in negation normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

/// The formula that holds at every position.
pub(crate) const TRUE: NodeId = NodeId(0);

/// The formula that holds at no position.
pub(crate) const FALSE: NodeId = NodeId(1);

/// The outermost operator of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    False,
    Literal {
        atom: AtomId,
        positive: bool,
    },
    /// Two or more operands, ascending, none of which is a conjunction.
    And(Rc<[NodeId]>),
    /// Two or more operands, ascending, none of which is a disjunction.
    Or(Rc<[NodeId]>),
    Next(NodeId),
    Until(NodeId, NodeId),
    Release(NodeId, NodeId),
}

/// All nodes, and what is known about them.
pub(crate) struct Nodes {
    nodes: Vec<Entry>,
    ids: HashMap<Node, NodeId>,
    implied: HashMap<(NodeId, NodeId), bool>,
}

struct Entry {
    node: Node,
    eventual: bool,
    universal: bool,
    negation: Option<NodeId>,
}

impl Nodes {
    pub(crate) fn new() -> Self {
        let mut nodes = Self {
            nodes: vec![],
            ids: HashMap::new(),
            implied: HashMap::new(),
        };
        nodes.intern(Node::True);
        nodes.intern(Node::False);
        nodes
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize].node
    }

    /// Whether it is a pure eventuality.
    fn eventual(&self, id: NodeId) -> bool {
        self.nodes[id.0 as usize].eventual
    }

    /// Whether it is purely universal.
    fn universal(&self, id: NodeId) -> bool {
        self.nodes[id.0 as usize].universal
    }

    fn suspendable(&self, id: NodeId) -> bool {
        self.eventual(id) && self.universal(id)
    }

    /// The node as it is, without rewriting.
    fn intern(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let (eventual, universal) = match &node {
            Node::True | Node::False => (true, true),
            Node::Literal { .. } => (false, false),
            Node::And(fs) | Node::Or(fs) => (
                fs.iter().all(|&f| self.eventual(f)),
                fs.iter().all(|&f| self.universal(f)),
            ),
            Node::Next(f) => (self.eventual(*f), self.universal(*f)),
            // `true U g` is an eventuality whatever `g` is, and `f U g` if `g` is one,
            // since it is then the same as `g`.
            Node::Until(f, g) => {
                let eventual = *f == TRUE || self.eventual(*g);
                (eventual, self.universal(*f) && self.universal(*g))
            }
            Node::Release(f, g) => {
                let universal = *f == FALSE || self.universal(*g);
                (self.eventual(*f) && self.eventual(*g), universal)
            }
        };
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 formulas"));
        self.nodes.push(Entry {
            node: node.clone(),
            eventual,
            universal,
            negation: None,
        });
        self.ids.insert(node, id);
        id
    }

    pub(crate) fn literal(&mut self, atom: AtomId, positive: bool) -> NodeId {
        self.intern(Node::Literal { atom, positive })
    }

    /// The negation: every operator becomes its dual, nothing is rewritten.
    pub(crate) fn negate(&mut self, id: NodeId) -> NodeId {
        if let Some(known) = self.nodes[id.0 as usize].negation {
            return known;
        }
        let negation = match self.node(id).clone() {
            Node::True => FALSE,
            Node::False => TRUE,
            Node::Literal { atom, positive } => self.literal(atom, !positive),
            Node::And(fs) => {
                let fs = self.negate_all(&fs);
                self.intern(Node::Or(fs))
            }
            Node::Or(fs) => {
                let fs = self.negate_all(&fs);
                self.intern(Node::And(fs))
            }
            Node::Next(f) => {
                let f = self.negate(f);
                self.intern(Node::Next(f))
            }
            Node::Until(f, g) => {
                let (f, g) = (self.negate(f), self.negate(g));
                self.intern(Node::Release(f, g))
            }
            Node::Release(f, g) => {
                let (f, g) = (self.negate(f), self.negate(g));
                self.intern(Node::Until(f, g))
            }
        };
        self.nodes[id.0 as usize].negation = Some(negation);
        self.nodes[negation.0 as usize].negation = Some(id);
        negation
    }

    fn negate_all(&mut self, fs: &[NodeId]) -> Rc<[NodeId]> {
        let mut negations: Vec<NodeId> = fs.iter().map(|&f| self.negate(f)).collect();
        negations.sort_unstable();
        negations.into()
    }

    /// The formula in negation normal form, simplified on the way.
    pub(crate) fn normal_form(&mut self, formula: &Formula) -> NodeId {
        use Formula::*;
        match formula {
            True => TRUE,
            False => FALSE,
            Atom(atom) => self.literal(*atom, true),
            Not(f) => {
                let f = self.normal_form(f);
                self.negate(f)
            }
            And(f, g) => {
                let fs = [self.normal_form(f), self.normal_form(g)];
                self.and(fs)
            }
            Or(f, g) => {
                let fs = [self.normal_form(f), self.normal_form(g)];
                self.or(fs)
            }
            Implies(f, g) => {
                let (f, g) = (self.normal_form(f), self.normal_form(g));
                let f = self.negate(f);
                self.or([f, g])
            }
            Equivalent(f, g) => {
                let (f, g) = (self.normal_form(f), self.normal_form(g));
                let (not_f, not_g) = (self.negate(f), self.negate(g));
                let cases = [self.and([f, g]), self.and([not_f, not_g])];
                self.or(cases)
            }
            Next(f) => {
                let f = self.normal_form(f);
                self.next(f)
            }
            Eventually(f) => {
                let f = self.normal_form(f);
                self.until(TRUE, f)
            }
            Always(f) => {
                let f = self.normal_form(f);
                self.release(FALSE, f)
            }
            Until(f, g) => {
                let (f, g) = (self.normal_form(f), self.normal_form(g));
                self.until(f, g)
            }
            Release(f, g) => {
                let (f, g) = (self.normal_form(f), self.normal_form(g));
                self.release(f, g)
            }
            WeakUntil(f, g) => {
                let (f, g) = (self.normal_form(f), self.normal_form(g));
                let either = self.or([f, g]);
                self.release(g, either)
            }
        }
    }

    /// The node as a formula.
    fn formula(&self, id: NodeId) -> Formula {
        let go = |f: NodeId| Box::new(self.formula(f));
        let join = |fs: &[NodeId], operator: fn(Box<Formula>, Box<Formula>) -> Formula| {
            let fs = fs.iter().map(|&f| self.formula(f));
            fs.reduce(|f, g| operator(Box::new(f), Box::new(g)))
        };
        match self.node(id) {
            Node::True => Formula::True,
            Node::False => Formula::False,
            Node::Literal { atom, positive: true } => Formula::Atom(*atom),
            Node::Literal { atom, positive: false } => Formula::Atom(*atom).negated(),
            Node::And(fs) => join(fs, Formula::And).unwrap_or(Formula::True),
            Node::Or(fs) => join(fs, Formula::Or).unwrap_or(Formula::False),
            Node::Next(f) => Formula::Next(go(*f)),
            Node::Until(f, g) if *f == TRUE => Formula::Eventually(go(*g)),
            Node::Until(f, g) => Formula::Until(go(*f), go(*g)),
            Node::Release(f, g) if *f == FALSE => Formula::Always(go(*g)),
            Node::Release(f, g) => match self.weak_until(*f, *g) {
                Some(rest) => Formula::WeakUntil(Box::new(join(&rest, Formula::Or).unwrap_or(Formula::False)), go(*f)),
                None => Formula::Release(go(*f), go(*g)),
            },
        }
    }

    /// `f V g` is `h W f` where `g` is `f || h`: the disjuncts of `h`.
    fn weak_until(&self, f: NodeId, g: NodeId) -> Option<Vec<NodeId>> {
        match self.node(g) {
            Node::Or(gs) if gs.contains(&f) => Some(gs.iter().copied().filter(|&g| g != f).collect()),
            _ => None,
        }
    }

    /// [`Formula::size`] of the node as a formula, without negations; it can be exponential in the number of nodes.
    fn formula_size(&self, id: NodeId, known: &mut HashMap<NodeId, usize>) -> usize {
        if let Some(&size) = known.get(&id) {
            return size;
        }
        let sum = |fs: &[NodeId], known: &mut HashMap<NodeId, usize>| {
            let sizes = fs.iter().map(|&f| self.formula_size(f, known));
            sizes.fold(fs.len() - 1, usize::saturating_add)
        };
        let size = match self.node(id) {
            Node::True | Node::False | Node::Literal { .. } => 1,
            Node::And(fs) | Node::Or(fs) => sum(fs, known),
            Node::Next(f) => sum(&[*f], known).saturating_add(1),
            Node::Until(f, g) if *f == TRUE => sum(&[*g], known).saturating_add(1),
            Node::Release(f, g) if *f == FALSE => sum(&[*g], known).saturating_add(1),
            Node::Release(f, g) if self.weak_until(*f, *g).is_some() => sum(&[*g], known),
            Node::Until(f, g) | Node::Release(f, g) => sum(&[*f, *g], known),
        };
        known.insert(id, size);
        size
    }
}

impl Formula {
    /// An equivalent formula in negation normal form with the usual redundancies
    /// removed; the formula itself if that would be larger, not counting negations.
    ///
    /// ```
    /// let formula = mazurka_logic::parse("!<>!(<>[]<> p)").unwrap().number_atoms(&mut vec![]);
    /// assert_eq!(formula.simplified().to_string(), "[]<>p0");
    /// ```
    pub fn simplified(&self) -> Formula {
        let mut nodes = Nodes::new();
        let node = nodes.normal_form(self);
        if nodes.formula_size(node, &mut HashMap::new()) > self.size() {
            return self.clone();
        }
        nodes.formula(node)
    }
}
