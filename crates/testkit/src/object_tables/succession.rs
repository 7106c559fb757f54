//! One operation right after another, for weak stubborn sets.

use super::ObjectTables;
use mazurka_core::{Op, Succession};

impl ObjectTables<'_> {
    /// Claims of `succession` that some value contradicts.
    pub fn succession_defects(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for (a, b, value) in self.entries() {
            let contradicted = match self.kind.succession(a, b) {
                Succession::Matters => false,
                Succession::Never => self.follows(a, b, value).0,
                Succession::Swaps => !self.follows(a, b, value).1,
            };
            if contradicted {
                wrong.push(format!("`succession` is wrong: {:?}", self.entry(a, b, value)));
            }
        }
        wrong
    }

    /// Whether `b` can follow `a` for some inputs, and whether for all inputs for
    /// which it can, the other order gives the same outputs and the same value.
    fn follows(&self, a: Op, b: Op, value: &[i64]) -> (bool, bool) {
        let (mut can, mut swaps) = (false, true);
        for in_a in self.inputs_of(a) {
            for in_b in self.inputs_of(b) {
                let Some((out_a, after_a)) = self.run(a, *in_a, value) else {
                    continue;
                };
                let Some((out_b, end)) = self.run(b, *in_b, &after_a) else {
                    continue;
                };
                can = true;
                let other = self.run(b, *in_b, value).and_then(|(early_b, after_b)| {
                    let (late_a, end) = self.run(a, *in_a, &after_b)?;
                    Some((late_a, early_b, end))
                });
                swaps &= other == Some((out_a, out_b, end));
            }
        }
        (can, swaps)
    }
}
