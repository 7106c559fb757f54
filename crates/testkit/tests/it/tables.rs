//! The tables of the built-in object types agree with the definitions.
//!
//! All entries for small values are compared with Defs 3.18, 4.6, 4.13, 4.26 and
//! 6.6 of the thesis. `▷s` is exactly its definition; where `dependent` is larger
//! than necessary, the reason is given here.

use mazurka_core::{ChannelType, LockType, ObjectType, Relation, SemaphoreType, VariableType};
use mazurka_testkit::{Entry, ObjectTables};

/// Larger values are not checked. The tables distinguish fewer values than this.
const DEPTH: usize = 4;

fn variables() -> Vec<(VariableType, Vec<i64>)> {
    vec![
        (VariableType::boolean(), vec![0, 1]),
        (VariableType::range(-1..=1).initially(0), vec![-1, 0, 1]),
    ]
}

fn channels() -> Vec<ChannelType> {
    let mut all: Vec<ChannelType> = (1..=4).map(ChannelType::bounded).collect();
    all.push(ChannelType::unbounded());
    all
}

fn semaphores() -> Vec<SemaphoreType> {
    let bounded = [1, 2, 3, 4].map(|max| SemaphoreType::counting(0).at_most(max));
    bounded.into_iter().chain([SemaphoreType::counting(1)]).collect()
}

const MESSAGES: [i64; 2] = [0, 1];
const FINER: [Relation; 2] = [Relation::WeaklyUniform, Relation::Conditional];

/// Every type, with inputs.
fn all() -> Vec<(Box<dyn ObjectType>, Vec<i64>)> {
    let mut all: Vec<(Box<dyn ObjectType>, Vec<i64>)> = Vec::new();
    for (kind, inputs) in variables() {
        all.push((Box::new(kind), inputs));
    }
    for kind in channels() {
        all.push((Box::new(kind.messages(0..=1)), MESSAGES.to_vec()));
    }
    for kind in semaphores() {
        all.push((Box::new(kind), Vec::new()));
    }
    let mut lock = LockType::free();
    lock.fit(3);
    all.push((Box::new(lock), Vec::new()));
    all
}

#[test]
fn no_entry_is_wrong() {
    for (kind, inputs) in all() {
        let defects = ObjectTables::new(&*kind, &inputs, DEPTH).defects();
        assert!(defects.is_empty(), "{kind:?}: {defects:#?}");
    }
}

#[test]
fn wide_encodings_are_right() {
    // Two bytes per message, four per number, an offset that is not zero.
    let channel = ChannelType::bounded(3).messages(-300..=300);
    let defects = ObjectTables::new(&channel, &[-300, 300], DEPTH).encoding_defects();
    assert!(defects.is_empty(), "{defects:#?}");
    let variable = VariableType::range(-70_000..=70_000).initially(3);
    let defects = ObjectTables::new(&variable, &[1, 2], DEPTH).encoding_defects();
    assert!(defects.is_empty(), "{defects:#?}");
    let semaphore = SemaphoreType::counting(2).at_most(70_000);
    let defects = ObjectTables::new(&semaphore, &[], DEPTH).encoding_defects();
    assert!(defects.is_empty(), "{defects:#?}");
}

#[test]
fn the_widest_domain_does_not_overflow() {
    let variable = VariableType::range(i64::MIN..=i64::MAX).initially(3);
    let defects = ObjectTables::new(&variable, &[1, 2], DEPTH).encoding_defects();
    assert!(defects.is_empty(), "{defects:#?}");
}

#[test]
fn first_to_interfere_is_exactly_its_definition() {
    for (kind, inputs) in all() {
        for relation in FINER {
            let excess = ObjectTables::new(&*kind, &inputs, DEPTH).interfering_excess(relation);
            assert!(excess.is_empty(), "{kind:?}, {relation:?}: {excess:?}");
        }
    }
}

/// The entries in either order, by operations and what `show` says of the value.
fn listed(excess: Vec<Entry>, show: impl Fn(&[i64]) -> i64) -> Vec<(String, String, i64)> {
    let mut list: Vec<_> = excess
        .into_iter()
        .filter(|e| e.a <= e.b)
        .map(|e| (e.a, e.b, show(&e.value)))
        .collect();
    list.sort();
    list.dedup();
    list
}

fn entries(list: &[(&str, &str, i64)]) -> Vec<(String, String, i64)> {
    list.iter()
        .map(|(a, b, v)| (a.to_string(), b.to_string(), *v))
        .collect()
}

#[test]
fn dependent_is_as_small_as_it_can_be() {
    let lock = LockType::free();
    for relation in FINER {
        let excess = ObjectTables::new(&lock, &[], DEPTH).dependent_excess(relation);
        assert!(excess.is_empty(), "{excess:?}");
        // Adding 1 modulo 2 is complementing. A Complement that leaves the value
        // in the middle of an odd domain as it is does not disturb a Read there.
        for (kind, inputs) in variables() {
            let excess = ObjectTables::new(&kind, &inputs, DEPTH).dependent_excess(relation);
            let expected = if inputs.len() == 2 {
                entries(&[("Add", "Complement", 0), ("Add", "Complement", 1)])
            } else {
                entries(&[("Complement", "Read", 0)])
            };
            assert_eq!(listed(excess, |v| v[0]), expected);
        }
    }
    for kind in semaphores() {
        let excess = ObjectTables::new(&kind, &[], DEPTH).dependent_excess(Relation::Conditional);
        assert!(excess.is_empty(), "{kind:?}: {excess:?}");
    }
    for kind in channels() {
        // The table looks at the number of messages alone: it cannot see that
        // the two oldest are equal, so that it does not matter who gets which.
        for entry in ObjectTables::new(&kind, &MESSAGES, DEPTH).dependent_excess(Relation::Conditional) {
            assert_eq!((&entry.a[..], &entry.b[..]), ("Receive", "Receive"), "{kind:?}");
            assert_eq!(entry.value[0], entry.value[1], "{kind:?}");
        }
    }
}

#[test]
fn weak_uniformity_costs_few_entries() {
    // Example 6.7: Send and Full for n < N, Receive and Empty for n > 0.
    let kind = ChannelType::bounded(3);
    let excess = ObjectTables::new(&kind, &MESSAGES, DEPTH).dependent_excess(Relation::WeaklyUniform);
    let expected = entries(&[
        ("Empty", "Receive", 2),
        ("Empty", "Receive", 3),
        ("Full", "Send", 0),
        ("Full", "Send", 1),
        ("Receive", "Receive", 2),
        ("Receive", "Receive", 3),
    ]);
    assert_eq!(listed(excess, |v| v.len() as i64), expected);
    // Two Releases at 0 and two Acquires at the maximum.
    let kind = SemaphoreType::counting(0).at_most(3);
    let excess = ObjectTables::new(&kind, &[], DEPTH).dependent_excess(Relation::WeaklyUniform);
    let expected = entries(&[("Acquire", "Acquire", 3), ("Release", "Release", 0)]);
    assert_eq!(listed(excess, |v| v[0]), expected);
}

#[test]
fn example_6_7_the_conditional_relation_of_channels_is_not_weakly_uniform() {
    let kind = ChannelType::bounded(3);
    let tables = ObjectTables::new(&kind, &MESSAGES, DEPTH);
    let defects = tables.uniformity_defects(Relation::Conditional);
    let thesis = "Conditional is not weakly uniform at [0, 0]: t1 = Full, t2 = Send, t3 = Receive";
    assert!(defects.iter().any(|d| d == thesis), "{defects:#?}");
    assert!(tables.uniformity_defects(Relation::WeaklyUniform).is_empty());
}

#[test]
fn conditional_is_weakly_uniform_where_it_says_so() {
    for (kind, inputs) in all() {
        let tables = ObjectTables::new(&*kind, &inputs, DEPTH);
        let uniform = tables.uniformity_defects(Relation::Conditional).is_empty();
        let only_one = tables.values().iter().all(|v| v.len() < 2 && v.iter().all(|n| *n < 2));
        if only_one && !kind.conditional_is_weakly_uniform() {
            // A channel for one message and a binary semaphore are uniform too, but do not say so.
            assert!(uniform, "{kind:?}");
        } else {
            assert_eq!(uniform, kind.conditional_is_weakly_uniform(), "{kind:?}");
        }
    }
}
