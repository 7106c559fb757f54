//! Snapshots on recorded runs, whatever their conditions relate, against the lattice of consistent cuts.

use fastrand::Rng;
use mazurka_core::Limits;
use mazurka_testkit::computations::{Preset, Shape, Truth, all_cuts, computation, disguised, formula};
use mazurka_testkit::seeds;
use mazurka_trace::{Computation, Cut, SltlFormula, Verdict};
use std::sync::atomic::{AtomicU64, Ordering};

/// The cuts of the observed order: records without places are in the order of their processes, as far as they can be.
fn observed(computation: &Computation) -> Vec<Cut> {
    let order = computation.causality();
    let mut path = vec![vec![0; computation.processes()]];
    while let Some(p) = order
        .process_ids()
        .find(|p| order.is_enabled(*p, &path[path.len() - 1]))
    {
        let mut next = path[path.len() - 1].clone();
        next[p.index()] += 1;
        path.push(next);
    }
    path
}

#[test]
fn a_snapshot_is_passed_when_a_consistent_cut_satisfies_it() {
    let (passed, never, undefined) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    seeds(900, |seed| {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            total: 11,
            ..Shape::any(&mut rng)
        };
        let computation = computation(&mut rng, &shape);
        let preset = Preset::ALL[seed as usize % Preset::ALL.len()];
        let condition = formula(&mut rng, &computation, preset);
        let text = match seed % 2 {
            0 => condition.to_cel(),
            _ => disguised(&mut rng, &condition).to_cel(),
        };
        let sltl = format!("<> snapshot({text})");
        let parsed = SltlFormula::parse(&sltl).unwrap_or_else(|error| panic!("{sltl}: {error}"));
        let cuts = all_cuts(&computation);
        if cuts
            .iter()
            .any(|cut| condition.evaluate(&computation, cut) == Truth::Error)
        {
            undefined.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let answer = parsed.check(&computation, Limits::default());
        let answer = answer.unwrap_or_else(|error| panic!("{sltl}: {error}"));
        let holds = |cut: &Cut| condition.evaluate(&computation, cut) == Truth::True;
        let is_part = |cut: &Cut, all: &Cut| cut.iter().zip(all).all(|(a, b)| a <= b);
        let first = observed(&computation)
            .iter()
            .position(|so_far| cuts.iter().any(|cut| is_part(cut, so_far) && holds(cut)));
        let shown = answer.found.snapshots[0].passed.clone();
        assert_eq!(
            shown.as_ref().map(|(events, _)| *events),
            first.map(|k| k as u64),
            "{sltl}"
        );
        assert_eq!(answer.verdict == Verdict::Holds, first.is_some(), "{sltl}");
        if let Some((_, by_name)) = shown {
            let cut: Cut = computation.names().iter().map(|name| by_name[name]).collect();
            assert!(cuts.contains(&cut) && holds(&cut), "{sltl}: {cut:?}");
        }
        if first.is_some() { &passed } else { &never }.fetch_add(1, Ordering::Relaxed);
    });
    if !mazurka_seeds::are_chosen() {
        let counts = [passed, never, undefined].map(AtomicU64::into_inner);
        assert!(counts[0] > 150 && counts[1] > 80, "{counts:?}");
    }
}
