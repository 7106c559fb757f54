//! Büchi automata as never claims, for SPIN and for readers who know it.

use std::fmt::{Display, Write};

use super::{Buchi, BuchiState, Cube};

impl Buchi {
    /// The automaton as a Promela never claim; `atoms` are the expressions of the atoms by number.
    ///
    /// ```
    /// use mazurka_logic::{Buchi, parse};
    /// let mut atoms = vec![];
    /// let formula = parse("[] (x > 1)").unwrap().number_atoms(&mut atoms);
    /// let claim = Buchi::new(&formula).unwrap().to_never_claim(&atoms);
    /// assert!(claim.contains(":: ((x > 1)) -> goto accept_init"));
    /// ```
    pub fn to_never_claim(&self, atoms: &[impl Display]) -> String {
        let label = |state: BuchiState| {
            let kind = if self.is_accepting(state) { "accept" } else { "T0" };
            match state.0 {
                0 => format!("{kind}_init"),
                n => format!("{kind}_S{n}"),
            }
        };
        let mut out = String::from("never {\n");
        for state in self.states() {
            let _ = writeln!(out, "{}:", label(state));
            if self.edges(state).is_empty() {
                out.push_str("\tfalse;\n");
                continue;
            }
            out.push_str("\tdo\n");
            for edge in self.edges(state) {
                let _ = writeln!(
                    out,
                    "\t:: ({}) -> goto {}",
                    condition(edge.guard, atoms),
                    label(edge.to)
                );
            }
            out.push_str("\tod;\n");
        }
        out.push_str("}\n");
        out
    }
}

fn condition(guard: Cube, atoms: &[impl Display]) -> String {
    let literal = |(atom, positive): (crate::AtomId, bool)| {
        let sign = if positive { "" } else { "!" };
        match atoms.get(atom.0 as usize) {
            Some(text) => format!("{sign}({text})"),
            None => format!("{sign}({atom})"),
        }
    };
    let literals: Vec<String> = guard.literals().map(literal).collect();
    if literals.is_empty() {
        "true".to_string()
    } else {
        literals.join(" && ")
    }
}

#[cfg(test)]
mod tests {
    use crate::{Buchi, parse};

    #[test]
    fn an_automaton_as_a_never_claim() {
        let mut atoms = vec![];
        let formula = parse("!p U (x > 1)").unwrap().number_atoms(&mut atoms);
        let expected = "\
never {
T0_init:
\tdo
\t:: (!(p)) -> goto T0_init
\t:: ((x > 1)) -> goto accept_S1
\tod;
accept_S1:
\tdo
\t:: (true) -> goto accept_S1
\tod;
}
";
        assert_eq!(Buchi::new(&formula).unwrap().to_never_claim(&atoms), expected);
    }
}
