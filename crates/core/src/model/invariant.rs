//! Invariants as monitors (thesis 6.4).
//!
//! An invariant becomes a process `{watching, violated}` with one transition per
//! case of the invariant's negation. A case is a conjunction: control points,
//! which join the preset (their processes take part and stay where they are),
//! and conditions on data, which are the guard. The monitor moves at most once
//! and blocks nobody, so the deadlocks of the model without its monitors are
//! unchanged.

use super::builder::{Builder, TransitionDraft};
use super::error::BuildError;
use super::expr::{Binary, Local, Node, Prop};
use crate::ids::PropertyId;

/// The most cases that an invariant's negation may have.
const MAX_CASES: usize = 4096;

/// One conjunction of the negated invariant.
#[derive(Clone, Default)]
struct Case {
    at: Vec<Local>,
    data: Vec<Node>,
}

/// Why an invariant has no monitor.
enum Refusal {
    TooManyCases,
    Foreign,
}

/// Adds the monitor of an invariant to the model.
pub(crate) fn watch(name: &str, holds: &Prop, property: PropertyId, m: &mut Builder, errors: &mut Vec<BuildError>) {
    let cases = match cases(holds, false, m) {
        Ok(cases) => cases,
        Err(refusal) => {
            let property = name.to_string();
            errors.push(match refusal {
                Refusal::Foreign => BuildError::ForeignProperty { property },
                Refusal::TooManyCases => BuildError::TooManyCases {
                    property,
                    limit: MAX_CASES,
                },
            });
            return;
        }
    };
    let [watching, violated] = m
        .add_process(format!("invariant {name}"), ["watching", "violated"], true)
        .try_into()
        .expect("two points");
    for (k, case) in cases.into_iter().enumerate() {
        let mut pre = case.at;
        let mut post = pre.clone();
        pre.push(watching);
        post.push(violated);
        m.transitions.push(TransitionDraft {
            name: format!("invariant {name}, case {}", k + 1),
            label: None,
            pre,
            post,
            guard: case.data,
            command: Vec::new(),
            violates: vec![property],
            origin: None,
        });
    }
}

/// The disjunctive normal form of `prop`, or of its negation.
fn cases(prop: &Prop, positive: bool, m: &Builder) -> Result<Vec<Case>, Refusal> {
    match prop {
        Prop::Not(p) => cases(p, !positive, m),
        Prop::And(a, b) if positive => product(cases(a, true, m)?, cases(b, true, m)?, m),
        Prop::Or(a, b) if !positive => product(cases(a, false, m)?, cases(b, false, m)?, m),
        Prop::And(a, b) | Prop::Or(a, b) => {
            let mut all = cases(a, positive, m)?;
            all.extend(cases(b, positive, m)?);
            bounded(all)
        }
        Prop::Data(expr) => {
            let node = expr.0.clone();
            let mut foreign = false;
            node.queries(&mut |q| foreign |= q.model != m.token);
            if foreign {
                return Err(Refusal::Foreign);
            }
            let mut data = Vec::new();
            if positive {
                node.conjuncts(&mut data);
            } else {
                // An expression without a value is not true.
                let valued = Box::new(Node::HasValue(Box::new(node.clone())));
                let holds = Node::Binary(Binary::And, valued, Box::new(node));
                data.push(Node::Not(Box::new(holds)));
            }
            Ok(vec![Case { at: Vec::new(), data }])
        }
        Prop::At(local) if local.model != m.token => Err(Refusal::Foreign),
        Prop::At(local) => {
            let process = m.locals[local.id.index()].process;
            let at = |id: usize| Case {
                at: vec![Local {
                    id: crate::ids::LocalId::new(id),
                    model: m.token,
                }],
                data: Vec::new(),
            };
            bounded(
                (0..m.locals.len())
                    .filter(|id| m.locals[*id].process == process)
                    .filter(|id| (*id == local.id.index()) == positive)
                    .map(at)
                    .collect(),
            )
        }
    }
}

/// All conjunctions of a case of `a` and one of `b` that are possible.
fn product(a: Vec<Case>, b: Vec<Case>, m: &Builder) -> Result<Vec<Case>, Refusal> {
    let process = |l: &Local| m.locals[l.id.index()].process;
    let mut all = Vec::new();
    for x in &a {
        for y in &b {
            let mut case = x.clone();
            let mut possible = true;
            for l in &y.at {
                match case.at.iter().find(|k| process(k) == process(l)) {
                    Some(k) => possible &= k == l,
                    None => case.at.push(*l),
                }
            }
            if possible {
                case.data.extend(y.data.iter().cloned());
                all.push(case);
            }
            if all.len() > MAX_CASES {
                return Err(Refusal::TooManyCases);
            }
        }
    }
    Ok(all)
}

fn bounded(cases: Vec<Case>) -> Result<Vec<Case>, Refusal> {
    if cases.len() > MAX_CASES {
        return Err(Refusal::TooManyCases);
    }
    Ok(cases)
}
