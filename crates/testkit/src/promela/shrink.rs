//! Shrinking: smaller models that still satisfy a predicate.
//!
//! One node at a time is left out, or a compound statement is replaced by the contents
//! of one of its branches, as long as the predicate still holds; until no single change
//! is possible. A change may well produce nonsense: the predicate runs the model and is
//! false for text that is no model.

use super::program::{Branch, Node, Program};

impl Program {
    /// The smallest program found for which `interesting` is true. It must be true for
    /// `self`.
    pub fn shrink(&self, mut interesting: impl FnMut(&Program) -> bool) -> Program {
        let mut best = self.clone();
        loop {
            let before = best.clone();
            // Later positions are tried first: declarations come before their uses.
            for position in (0..size(&best.items)).rev() {
                for change in [Change::Remove, Change::Unwrap] {
                    let mut position = position;
                    let mut items = best.items.clone();
                    if apply(&mut items, &mut position, change) == Some(true) {
                        let smaller = Program { items };
                        if interesting(&smaller) {
                            best = smaller;
                            break;
                        }
                    }
                }
            }
            if best == before {
                return best;
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Change {
    Remove,
    Unwrap,
}

/// How many positions there are: each node and each branch is one.
fn size(nodes: &[Node]) -> usize {
    let of = |node: &Node| match node {
        Node::Line(_) => 1,
        Node::Group { branches, .. } => 1 + branches.iter().map(|b| 1 + size(&b.body)).sum::<usize>(),
    };
    nodes.iter().map(of).sum()
}

/// Changes what is at the position, counted in the order of the text. Returns whether
/// there was anything to change; `None` if the position is not in these nodes.
fn apply(nodes: &mut Vec<Node>, position: &mut usize, change: Change) -> Option<bool> {
    for k in 0..nodes.len() {
        if *position == 0 {
            return Some(change_node(nodes, k, change));
        }
        *position -= 1;
        if let Node::Group { branches, .. } = &mut nodes[k] {
            for b in 0..branches.len() {
                if *position == 0 {
                    return Some(change_branch(branches, b, change));
                }
                *position -= 1;
                let done = apply(&mut branches[b].body, position, change);
                if done.is_some() {
                    return done;
                }
            }
        }
    }
    None
}

fn change_node(nodes: &mut Vec<Node>, index: usize, change: Change) -> bool {
    match (change, &mut nodes[index]) {
        (Change::Remove, _) => {
            nodes.remove(index);
        }
        (Change::Unwrap, Node::Line(_)) => return false,
        (Change::Unwrap, Node::Group { branches, .. }) => {
            let inner: Vec<Node> = branches.drain(..).flat_map(|b| b.body).collect();
            nodes.splice(index..=index, inner);
        }
    }
    true
}

fn change_branch(branches: &mut Vec<Branch>, index: usize, change: Change) -> bool {
    let removable = branches.len() > 1 && branches[index].lead == "::";
    if let (Change::Remove, true) = (change, removable) {
        branches.remove(index);
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let line = Node::line;
        let options = vec![
            vec![line("a"), Node::braces("atomic {", vec![line("b"), line("c")])],
            vec![line("d")],
        ];
        let program = Program {
            items: vec![
                line("byte x"),
                Node::braces("init {", vec![line("e"), Node::options("do", "od", options)]),
                line("byte y"),
            ],
        };
        let shrunk = program.shrink(|p| p.to_string().contains("c;") && p.to_string().contains("do"));
        assert_eq!(shrunk.to_string(), "do\n::\n    c;\nod\n");
    }
}
