//! The same models as typed ones.

use super::{Case, STATES};
use mazurka_core::typed::{Footprint, Model, Parts};
use mazurka_core::{Algorithm, ObjectId, ProcessId, TransitionId, Verdict};
use mazurka_logic::AtomId;
use mazurka_ltl::TypedLtlSearch;
use mazurka_testkit::{Formula as StateFormula, seeds};
use std::sync::atomic::{AtomicU64, Ordering};

/// A random model as a typed one: its states are values of the plain interpreter, its actions transitions.
struct AsTyped<'c>(&'c Case);

/// A part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum StatePart {
    Process(ProcessId),
    Object(ObjectId),
}

impl AsTyped<'_> {
    fn transitions(&self) -> impl Iterator<Item = TransitionId> + '_ {
        let all = (0..self.0.model.transitions()).map(TransitionId::new);
        all.filter(|t| !self.0.model.is_monitors(*t))
    }

    /// What a property of states reads.
    fn reads(formula: &StateFormula, parts: &mut Vec<StatePart>) {
        match formula {
            StateFormula::At(process, ..) => parts.push(StatePart::Process(ProcessId::new(*process))),
            StateFormula::Is(object, ..) | StateFormula::AtLeast(object, ..) => {
                parts.push(StatePart::Object(ObjectId::new(*object)));
            }
            StateFormula::Not(f) => Self::reads(f, parts),
            StateFormula::And(f, g) | StateFormula::Or(f, g) => {
                Self::reads(f, parts);
                Self::reads(g, parts);
            }
        }
    }
}

impl Model for AsTyped<'_> {
    /// Its number in the state space.
    type State = usize;
    type Action = TransitionId;

    fn initial(&self) -> usize {
        0
    }

    fn actions(&self, state: &usize, actions: &mut Vec<TransitionId>) {
        let enabled = self.0.space.enabled(*state);
        actions.extend(enabled.filter(|t| !self.0.model.is_monitors(*t)));
    }

    fn apply(&self, state: &mut usize, t: TransitionId) {
        *state = self.0.space.after(*state, t).expect("it is enabled");
    }
}

impl Footprint for AsTyped<'_> {
    type Part = StatePart;

    fn alphabet(&self) -> Vec<TransitionId> {
        self.transitions().collect()
    }

    fn touches(&self, t: TransitionId, parts: &mut Parts<StatePart>) {
        for process in self.0.model.active(t) {
            parts.writes(StatePart::Process(*process));
        }
        for used in self.0.model.used(t) {
            let operations = self.0.model.object_type(used.object).operations();
            match operations[usize::from(used.op.kind)].modifies {
                true => parts.writes(StatePart::Object(used.object)),
                false => parts.reads(StatePart::Object(used.object)),
            }
        }
    }
}

/// The verdict of a search of the typed model, and whether it was reduced.
fn typed_verdict(case: &Case, reduced: bool) -> (Verdict, bool) {
    let typed = AsTyped(case);
    let formula = case.formula.clone().map(&mut |atom: AtomId| atom.to_string());
    let mut search = match reduced {
        true => TypedLtlSearch::reduced(&typed, formula),
        false => TypedLtlSearch::reduced(&typed, formula).persistent(Algorithm::AllEnabled),
    };
    for (k, atom) in case.atoms[..STATES].iter().enumerate() {
        let mut parts = Vec::new();
        AsTyped::reads(atom, &mut parts);
        let holds = |state: &usize| atom.holds(&case.space.states[*state]);
        search = search.state(format!("p{k}"), holds).reading(parts);
    }
    for (k, text) in case.labels.iter().enumerate() {
        search = search.action(format!("p{}", STATES + k), move |t| case.model.label(t) == text);
    }
    for process in &case.fair {
        search = search.fair(|t| case.model.active(t).contains(process));
    }
    let outcome = search.run().unwrap_or_else(|error| panic!("{error}"));
    (outcome.verdict, outcome.unreduced.is_none())
}

#[test]
fn typed_models_have_the_same_answers() {
    let reductions = AtomicU64::new(0);
    seeds(3000, |seed| {
        let case = match seed % 2 {
            0 => Case::of_everything(seed),
            _ => Case::of_loops(seed),
        };
        let Some(violated) = case.is_violated() else {
            return;
        };
        let expected = if violated { Verdict::Violated } else { Verdict::Holds };
        for reduced in [false, true] {
            let (verdict, was) = typed_verdict(&case, reduced);
            assert_eq!(
                verdict, expected,
                "reduced: {was}, {}, fair {:?}",
                case.formula, case.fair
            );
            reductions.fetch_add(u64::from(was), Ordering::Relaxed);
        }
    });
    assert!(mazurka_seeds::are_chosen() || reductions.into_inner() > 0);
}
