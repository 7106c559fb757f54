//! Several properties with one budget.

use mazurka_core::{Limit, Outcome};
use mazurka_promela::load;
use mazurka_promela::verify::{Companion, Options, Property, Session, Verdict};
use std::sync::atomic::{AtomicUsize, Ordering};

fn session() -> Session {
    let text = "bit x; active proctype P() { x = 1 } ltl rises { <> (x == 1) } ltl stays { [] (x == 0) }";
    let model = load("m.pml", text, &Default::default()).unwrap().model;
    let properties = Property::all(&model);
    Session::new(model, properties)
}

#[test]
fn every_property_has_an_answer_at_every_moment() {
    let session = session();
    let before = session.checked(Limit::Time);
    assert!(before.properties.iter().all(|p| p.limit() == Some(Limit::Time)));
    for threads in [1, 2, 7] {
        session.check(&Options::default(), threads, None, &());
        let verdicts: Vec<Verdict> = session
            .checked(Limit::Time)
            .properties
            .iter()
            .map(|p| p.verdict)
            .collect();
        assert_eq!(verdicts, [Verdict::Holds, Verdict::Holds, Verdict::Violated]);
    }
}

#[test]
fn once_it_is_asked_to_stop_no_other_property_is_begun() {
    struct Impatient(AtomicUsize);
    impl Companion for Impatient {
        fn begin(&self, _: &Property) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) == 0
        }
    }
    let session = session();
    session.check(&Options::default(), 1, None, &Impatient(AtomicUsize::new(0)));
    let ends: Vec<Option<Limit>> = session
        .checked(Limit::Interrupt)
        .properties
        .iter()
        .map(Outcome::limit)
        .collect();
    assert_eq!(ends, [None, Some(Limit::Interrupt), Some(Limit::Interrupt)]);
}
