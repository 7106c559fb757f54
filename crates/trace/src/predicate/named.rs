//! What a predicate reads from processes that it names.

use super::Predicate;
use super::syntax::{Expression, Kind, NAME, PROCESSES};
use crate::value::Value;
use std::collections::BTreeSet;

impl Predicate {
    /// The variables that it reads from processes that it names, as in `p1.x` or `process("p1").x`: process and
    /// variable. Variables that it tests with `has` are left out. So are variables that it reads from
    /// all processes, since not every process need have them.
    pub fn named_reads(&self) -> BTreeSet<(String, String)> {
        let mut found = BTreeSet::new();
        self.root.visit(&mut Vec::new(), &mut |e, bound| {
            let (of, variable) = match &e.kind {
                Kind::Field(of, field) => (&**of, field.to_string()),
                Kind::Index(pair) => match &pair[1].kind {
                    Kind::Constant(Value::String(field)) => (&pair[0], field.to_string()),
                    _ => return,
                },
                _ => return,
            };
            if let Some(process) = process(of, bound).filter(|_| variable != NAME) {
                found.insert((process, variable));
            }
        });
        found
    }
}

/// The process that an expression names.
fn process(e: &Expression, bound: &[&str]) -> Option<String> {
    match &e.kind {
        Kind::Name(name) if name != PROCESSES && !bound.contains(&name.as_str()) => Some(name.clone()),
        Kind::Process(inner) => match &inner.kind {
            Kind::Constant(Value::String(name)) => Some(name.to_string()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_of_named_processes_are_found_wherever_they_stand() {
        let reads = |text: &str| {
            let reads = Predicate::parse(text).unwrap().named_reads();
            reads.into_iter().map(|(p, v)| format!("{p}.{v}")).collect::<Vec<_>>()
        };
        assert_eq!(
            reads("p1.x == 1 && !(process('node-1').y > p1.z.deep)"),
            ["node-1.y", "p1.x", "p1.z"]
        );
        assert_eq!(reads("processes.exists(p, p.x && q.y)"), ["q.y"]);
        assert_eq!(reads("has(p1.x) || p1.name == 'p1'"), Vec::<String>::new());
        assert_eq!(reads("[a.x, b['y']].all(x, x > 1)"), ["a.x", "b.y"]);
    }
}
