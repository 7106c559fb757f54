//! A model as a tree of lines, which can be printed and shrunk.
//!
//! The tree knows only what is needed for this: what can be left out alone (a line, an option, a compound
//! statement), and what can stand in for a compound statement (its parts).

use std::fmt;

/// A model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Declarations, proctypes, claims.
    pub(super) items: Vec<Node>,
}

/// A declaration or a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// A simple one, without its semicolon.
    Line(String),
    /// A compound one: `open`, the branches, `close`.
    Group {
        open: String,
        branches: Vec<Branch>,
        close: &'static str,
    },
}

/// A sequence inside a compound statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    /// What is written before it: `::` for an option.
    pub lead: &'static str,
    pub body: Vec<Node>,
}

impl Node {
    pub fn line(text: impl Into<String>) -> Self {
        Self::Line(text.into())
    }

    /// `open body }`, where `open` ends with a brace.
    pub fn braces(open: impl Into<String>, body: Vec<Node>) -> Self {
        Self::Group {
            open: open.into(),
            branches: vec![Branch { lead: "", body }],
            close: "}",
        }
    }

    /// `if … fi` or `do … od`.
    pub fn options(open: &'static str, close: &'static str, options: Vec<Vec<Node>>) -> Self {
        let branches = options.into_iter().map(|body| Branch { lead: "::", body });
        Self::Group {
            open: open.to_string(),
            branches: branches.collect(),
            close,
        }
    }

    /// `{ main } unless { escape }`.
    pub fn unless(main: Vec<Node>, escape: Vec<Node>) -> Self {
        let branch = |lead, body| Branch { lead, body };
        Self::Group {
            open: String::new(),
            branches: vec![branch("{", main), branch("} unless {", escape)],
            close: "}",
        }
    }

    /// With a label in front of it.
    pub fn labelled(self, label: &str) -> Self {
        match self {
            Self::Line(text) => Self::Line(format!("{label}: {text}")),
            Self::Group { open, branches, close } => Self::Group {
                open: format!("{label}: {open}"),
                branches,
                close,
            },
        }
    }

    fn print(&self, indent: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pad = 4 * indent;
        match self {
            Self::Line(text) => write!(f, "{:pad$}{text}", ""),
            Self::Group { open, branches, close } => {
                if !open.is_empty() {
                    writeln!(f, "{:pad$}{open}", "")?;
                }
                for Branch { lead, body } in branches {
                    if !lead.is_empty() {
                        writeln!(f, "{:pad$}{lead}", "")?;
                    }
                    for (k, node) in body.iter().enumerate() {
                        node.print(indent + 1, f)?;
                        // A guard is followed by an arrow, which means the same.
                        let arrow = k == 0 && *lead == "::" && body.len() > 1;
                        writeln!(f, "{}", if arrow { " ->" } else { ";" })?;
                    }
                }
                write!(f, "{:pad$}{close}", "")
            }
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for item in &self.items {
            item.print(0, f)?;
            // Only plain declarations need a semicolon between them.
            let semicolon = matches!(item, Node::Line(text) if !text.starts_with('#'));
            writeln!(f, "{}", if semicolon { ";" } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_prints_as_promela() {
        let line = Node::line;
        let body = vec![
            Node::options(
                "do",
                "od",
                vec![vec![line("x < 2"), line("x++")], vec![line("else"), line("break")]],
            )
            .labelled("end"),
            Node::unless(vec![line("c!x")], vec![line("timeout")]),
        ];
        let program = Program {
            items: vec![line("byte x"), Node::braces("active proctype P() {", body)],
        };
        let expected = "byte x;
active proctype P() {
    end: do
    ::
        x < 2 ->
        x++;
    ::
        else ->
        break;
    od;
    {
        c!x;
    } unless {
        timeout;
    };
}
";
        assert_eq!(program.to_string(), expected);
    }
}
