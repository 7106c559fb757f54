//! Formulas made of formulas: what is bound apart becomes one.

use super::formula::{Formula, Node};

impl Formula {
    /// A formula that is always true, or always false.
    pub(crate) fn constant(truth: bool) -> Self {
        Self {
            atoms: Vec::new(),
            root: Node::Constant(truth),
        }
    }

    /// The formula that holds where this one does not.
    pub(crate) fn negated(self) -> Self {
        Self {
            atoms: self.atoms,
            root: self.root.negated(),
        }
    }

    /// The conjunction of two formulas, or their disjunction. The atoms of the second follow those of the first.
    pub(crate) fn joined(mut self, mut other: Self, and: bool) -> Self {
        let before = self.atoms.len();
        other.root.renumber(&|atom| atom + before);
        self.atoms.append(&mut other.atoms);
        let members = vec![self.root, other.root];
        Self {
            atoms: self.atoms,
            root: if and { Node::and(members) } else { Node::or(members) },
        }
    }
}

impl Node {
    fn negated(self) -> Self {
        let each = |members: Vec<Self>| members.into_iter().map(Self::negated).collect();
        match self {
            Self::Constant(truth) => Self::Constant(!truth),
            Self::Literal { atom, positive } => Self::Literal {
                atom,
                positive: !positive,
            },
            Self::And(members) => Self::or(each(members)),
            Self::Or(members) => Self::and(each(members)),
        }
    }
}
