//! Wrong footprints: the audit finds them, and where it finds nothing, the searches are right.

use super::searches::Case;
use super::world::{Lie, Part, Predicate, World};
use mazurka_core::Verdict;
use mazurka_core::typed::{Mistake, Search, SearchError};
use mazurka_seeds::{are_chosen, seeds};
use std::collections::BTreeMap;
use std::sync::Mutex;

fn random_lie(world: &World, rng: &mut fastrand::Rng) -> Lie {
    let rule = rng.usize(0..world.rules());
    match rng.u8(0..6) {
        0 | 1 => Lie::Touch {
            rule,
            which: rng.usize(0..3),
        },
        2 => Lie::Reads(rule),
        3 => Lie::Adds(rule),
        4 => Lie::Alphabet(rule),
        _ => Lie::Obstacle(match rng.u8(0..4) {
            0 => Part::At(rng.usize(0..world.processes())),
            1 => Part::Variable(rng.usize(0..world.variables())),
            2 => Part::Queue,
            _ => Part::Bag,
        }),
    }
}

fn name(mistake: &Mistake<World>) -> &'static str {
    match mistake {
        Mistake::NotInAlphabet { .. } => "alphabet",
        Mistake::Enables { .. } => "enables",
        Mistake::Disables { .. } => "disables",
        Mistake::DoNotCommute { .. } => "does not commute",
        Mistake::NoObstacle { .. } => "no obstacle",
        Mistake::ChangesProperty { .. } => "property",
        _ => unreachable!("these are all"),
    }
}

/// Whether a reduced search says something wrong.
///
/// Without sleep sets, which notice in debug builds that something is wrong.
fn is_misled(case: &Case, parts: &[Vec<Part>; 3], sleep: bool) -> bool {
    let [always, sometimes, eventually] = case.predicates;
    let outcome = Search::reduced(&case.world)
        .always("never", move |s| !always.holds(s))
        .reading(parts[0].clone())
        .sometimes("once", move |s| sometimes.holds(s))
        .reading(parts[1].clone())
        .eventually("at last", move |s| eventually.holds(s))
        .reading(parts[2].clone())
        .run();
    let only_deadlocks = Search::reduced(&case.world).sleep(sleep).run();
    let (outcome, only_deadlocks) = match (outcome, only_deadlocks) {
        (Ok(outcome), Ok(only_deadlocks)) => (outcome, only_deadlocks),
        // Found on the way: the user is told.
        (Err(SearchError::NotInAlphabet { .. }), _) | (_, Err(SearchError::NotInAlphabet { .. })) => return false,
        (outcome, _) => panic!("{outcome:?}"),
    };
    let verdicts: Vec<Verdict> = outcome.properties.iter().map(|f| f.verdict).collect();
    let expected = case
        .answers
        .map(|holds| if holds { Verdict::Holds } else { Verdict::Violated });
    verdicts != expected || only_deadlocks.deadlocks.len() != case.deadlocks.len()
}

#[test]
fn the_audit_finds_every_lie_that_misleads() {
    let counts = Mutex::new(BTreeMap::new());
    let count = |what| *counts.lock().unwrap().entry(what).or_insert(0) += 1;
    seeds(4_000, |seed| {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let Some(mut case) = Case::random(rng) else {
            return;
        };
        let mut parts = case.predicates.map(Predicate::parts);
        if rng.u8(0..8) == 0 {
            parts[rng.usize(0..3)].pop();
        } else {
            case.world.lie = random_lie(&case.world, rng);
        }
        let [always, sometimes, eventually] = case.predicates;
        let audit = Search::reduced(&case.world)
            .always("never", move |s| !always.holds(s))
            .reading(parts[0].clone())
            .sometimes("once", move |s| sometimes.holds(s))
            .reading(parts[1].clone())
            .eventually("at last", move |s| eventually.holds(s))
            .reading(parts[2].clone())
            .audit();
        let misled = is_misled(&case, &parts, audit.is_ok());
        match audit {
            Ok(audit) => assert!(audit.complete && !misled, "{:?}", case.world),
            Err(mistake) => {
                count(name(&mistake));
                if misled {
                    count("misled");
                }
            }
        }
    });
    let counts = counts.into_inner().unwrap();
    println!("{counts:?}");
    assert!(are_chosen() || counts.len() == 7, "{counts:?}");
}
