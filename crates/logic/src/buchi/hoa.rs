//! Büchi automata in the Hanoi format, for other tools.
//!
//! Babiak et al., *The Hanoi omega-automata format* (CAV 2015), version 1.

use std::fmt::{Display, Write};

use super::{Buchi, Cube};

impl Buchi {
    /// The automaton in the Hanoi format; `atoms` are the names of the atoms by number, `name` is a comment.
    ///
    /// ```
    /// use mazurka_logic::{Buchi, parse};
    /// let mut atoms = vec![];
    /// let formula = parse("<> p").unwrap().number_atoms(&mut atoms);
    /// let text = Buchi::new(&formula).unwrap().to_hoa("<>p", &atoms);
    /// assert!(text.starts_with("HOA: v1\nname: \"<>p\"\nStates: 2\n"));
    /// ```
    pub fn to_hoa(&self, name: &str, atoms: &[impl Display]) -> String {
        let mut out = String::new();
        let quoted =
            |text: &dyn Display| format!("\"{}\"", text.to_string().replace('\\', "\\\\").replace('"', "\\\""));
        let _ = writeln!(out, "HOA: v1\nname: {}", quoted(&name));
        let _ = writeln!(out, "States: {}\nStart: {}", self.edges.len(), self.initial().0);
        let _ = write!(out, "AP: {}", atoms.len());
        for atom in atoms {
            let _ = write!(out, " {}", quoted(atom));
        }
        out.push_str("\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n");
        out.push_str("properties: trans-labels explicit-labels state-acc\n--BODY--\n");
        for state in self.states() {
            let mark = if self.is_accepting(state) { " {0}" } else { "" };
            let _ = writeln!(out, "State: {}{mark}", state.0);
            for edge in self.edges(state) {
                let _ = writeln!(out, "[{}] {}", label(edge.guard), edge.to.0);
            }
        }
        out.push_str("--END--\n");
        out
    }
}

fn label(guard: Cube) -> String {
    let literals = guard.literals().map(|(atom, positive)| {
        if positive {
            atom.0.to_string()
        } else {
            format!("!{}", atom.0)
        }
    });
    let literals: Vec<String> = literals.collect();
    if literals.is_empty() {
        "t".to_string()
    } else {
        literals.join("&")
    }
}

#[cfg(test)]
mod tests {
    use crate::{Buchi, parse};

    #[test]
    fn an_automaton_as_text() {
        let mut atoms = vec![];
        let formula = parse("p U (x > 1)").unwrap();
        let automaton = Buchi::new(&formula.number_atoms(&mut atoms)).unwrap();
        let expected = "\
HOA: v1
name: \"p U (x > 1)\"
States: 2
Start: 0
AP: 2 \"p\" \"x > 1\"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc
--BODY--
State: 0
[0] 0
[1] 1
State: 1 {0}
[t] 1
--END--
";
        assert_eq!(automaton.to_hoa("p U (x > 1)", &atoms), expected);
    }
}
