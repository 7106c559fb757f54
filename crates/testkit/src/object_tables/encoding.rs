//! The encoding, compared with plain values.

use super::ObjectTables;
use mazurka_core::Op;

impl ObjectTables<'_> {
    /// Values whose bytes behave differently from the definition.
    pub fn encoding_defects(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for value in &self.values {
            let bytes = self.bytes(value);
            let mut report = |what: String| wrong.push(format!("encoding of {value:?}: {what}"));
            if self.kind.decode(&bytes) != *value || self.kind.encoded_len(&bytes) != bytes.len() {
                report("round trip".into());
            }
            if self.kind.fixed_len().is_some_and(|len| len != bytes.len()) {
                report("length".into());
            }
            for op in &self.ops {
                let operation = self.kind.operations()[usize::from(op.kind)];
                let defined = self.is_defined(*op, value);
                if self.kind.defined(*op, &bytes) != defined || (operation.total && !defined) {
                    report(format!("`defined` of {}", self.name(*op)));
                }
                if let Some((query, answer)) = self.kind.defined_iff(*op) {
                    let query = Op { kind: query, by: op.by };
                    let says = self.run(query, 0, value).is_some_and(|(out, _)| (out != 0) == answer);
                    if says != defined {
                        report(format!("`defined_iff` of {}", self.name(*op)));
                    }
                }
                for input in self.inputs_of(*op) {
                    let Some((output, next)) = self.run(*op, *input, value) else {
                        continue;
                    };
                    if !operation.modifies {
                        if next != *value || self.kind.query(*op, &bytes) != output {
                            report(format!("`query` of {}", self.name(*op)));
                        }
                        continue;
                    }
                    // The object stands between others in a state.
                    let mut state = [&[7, 8, 9], &bytes[..], &[5, 6]].concat();
                    let outcome = self.kind.modify(*op, *input, &mut state, 3..3 + bytes.len());
                    let expected = [&[7, 8, 9], &self.bytes(&next)[..], &[5, 6]].concat();
                    if outcome != Ok(output) || state != expected {
                        report(format!("`modify` of {}", self.name(*op)));
                    }
                }
            }
        }
        wrong
    }
}
