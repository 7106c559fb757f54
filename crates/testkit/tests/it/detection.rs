//! Every method of detection against the full lattice, on random computations.
//!
//! The oracle evaluates the predicate by definition in every consistent cut. A
//! predicate may have no value in some cuts. Then the expected answers are as follows.
//! Possibly is true if some cut satisfies it, else undefined if some cut has no value,
//! else false. Definitely is true if all histories meet a cut that satisfies it, false
//! if some history meets only cuts in which it is false, else undefined.

use fastrand::Rng;
use mazurka_testkit::computations::{
    Formula, Preset, Shape, Truth, all_cuts, computation, definitely, disguised, edges, error, formula, is_minimal,
    is_path_avoiding, possibly, smallest_size,
};
use mazurka_testkit::seeds;
use mazurka_trace::{
    Answer, Computation, DetectError, MemberOrder, Method, Modality, Predicate, Question, Reduction, Settings, Verdict,
    Witness, detect,
};

/// The expected answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Is(bool),
    Undefined,
}

fn expected(computation: &Computation, formula: &Formula) -> (Expected, Expected) {
    let truth = |cut: &[u32]| formula.evaluate(computation, cut);
    let not_false = |cut: &[u32]| match truth(cut) {
        Truth::Error => Truth::True,
        truth => truth,
    };
    let possible = match (possibly(computation, &truth), error(computation, &truth)) {
        (Some(_), _) => Expected::Is(true),
        (None, Some(_)) => Expected::Undefined,
        (None, None) => Expected::Is(false),
    };
    let definite = match (definitely(computation, &truth), definitely(computation, &not_false)) {
        (true, _) => Expected::Is(true),
        (false, false) => Expected::Is(false),
        (false, true) => Expected::Undefined,
    };
    (possible, definite)
}

fn all_settings() -> Vec<Settings<'static>> {
    let by = |method| Settings {
        method,
        ..Settings::default()
    };
    let mut all = vec![
        by(Method::Auto),
        by(Method::Search),
        by(Method::Enumerate),
        by(Method::Conjunctive),
        by(Method::Decompose),
    ];
    all.extend(Reduction::ALL.map(|reduction| Settings {
        reduction: Some(reduction),
        ..by(Method::Search)
    }));
    for method in [Method::Stubborn, Method::Conference] {
        all.push(Settings {
            reduction: Some(Reduction::Persistent),
            ..by(method)
        });
        all.push(by(method));
    }
    all.extend([Method::Conjunctive, Method::Decompose].map(|method| Settings {
        all_events: true,
        ..by(method)
    }));
    all.extend([Reduction::Persistent, Reduction::Full].map(|reduction| Settings {
        reduction: Some(reduction),
        order: MemberOrder::Insertion,
        ..by(Method::Search)
    }));
    all
}

struct Case<'a> {
    computation: &'a Computation,
    formula: &'a Formula,
    text: &'a str,
    settings: Settings<'a>,
}

impl Case<'_> {
    fn ask(&self, modality: Modality) -> Result<Answer, DetectError> {
        let predicate = Predicate::parse(self.text).unwrap_or_else(|e| panic!("{}: {e}", self.text));
        detect(self.computation, &Question { modality, predicate }, &self.settings)
    }

    fn check(&self, modality: Modality, expected: Expected) {
        let asked = self.ask(modality);
        let context = || format!("{modality} {} by {:?}: {asked:?}", self.text, self.settings);
        let answer = match &asked {
            Err(DetectError::Unsuitable { .. }) => {
                let general = matches!(self.settings.method, Method::Auto | Method::Search | Method::Enumerate);
                let stubborn = self.settings.method == Method::Stubborn && modality == Modality::Possibly;
                assert!(!general && !stubborn, "{}", context());
                return;
            }
            Err(DetectError::Undefined { cut, .. }) => {
                assert_eq!(expected, Expected::Undefined, "{}", context());
                assert_eq!(
                    self.formula.evaluate(self.computation, cut),
                    Truth::Error,
                    "{}",
                    context()
                );
                return;
            }
            Err(other) => panic!("{other}: {}", context()),
            Ok(answer) => answer,
        };
        let Some(given) = answer.verdict.truth() else {
            panic!("no limit was set: {}", context())
        };
        assert_eq!(Expected::Is(given), expected, "{}", context());
        self.check_witness(modality, answer, &context);
    }

    fn check_witness(&self, modality: Modality, answer: &Answer, context: &dyn Fn() -> String) {
        let truth = |cut: &[u32]| self.formula.evaluate(self.computation, cut);
        match (modality, answer.verdict.truth(), &answer.witness) {
            (Modality::Possibly, Some(true), Some(Witness::Cut { cut, minimal, run, .. })) => {
                assert!(all_cuts(self.computation).contains(cut), "{}", context());
                assert_eq!(truth(cut), Truth::True, "{}", context());
                assert!(*minimal, "small enough to be made minimal: {}", context());
                assert!(is_minimal(self.computation, cut, &truth), "{}", context());
                assert_eq!(run.len() as u32, cut.iter().sum::<u32>(), "{}", context());
                let size = smallest_size(self.computation, &truth).unwrap();
                assert_eq!(cut.iter().sum::<u32>(), size, "{}", context());
            }
            (Modality::Definitely, Some(false), Some(Witness::Path(path))) => {
                assert!(is_path_avoiding(self.computation, path, &truth), "{}", context());
            }
            (Modality::Possibly, Some(false), None) | (Modality::Definitely, Some(true), None) => {}
            _ => panic!("a wrong kind of witness: {}", context()),
        }
    }
}

fn inputs(seed: u64) -> (Computation, Formula, String) {
    let mut rng = Rng::with_seed(seed);
    let shape = Shape::any(&mut rng);
    let computation = computation(&mut rng, &shape);
    let preset = Preset::ALL[seed as usize % Preset::ALL.len()];
    let formula = formula(&mut rng, &computation, preset);
    let text = match seed % 3 {
        0 => disguised(&mut rng, &formula).to_cel(),
        _ => formula.to_cel(),
    };
    (computation, formula, text)
}

#[test]
fn every_method_gives_the_answers_of_the_full_lattice() {
    seeds(500, |seed| {
        let (computation, formula, text) = inputs(seed);
        let (possible, definite) = expected(&computation, &formula);
        for settings in all_settings() {
            let case = Case {
                computation: &computation,
                formula: &formula,
                text: &text,
                settings,
            };
            case.check(Modality::Possibly, possible);
            case.check(Modality::Definitely, definite);
        }
    });
}

#[test]
fn requirements_are_the_modalities_in_other_words() {
    seeds(600, |seed| {
        let (computation, formula, text) = inputs(seed);
        let case = Case {
            computation: &computation,
            formula: &formula,
            text: &text,
            settings: Settings::default(),
        };
        let answer = |modality| case.ask(modality).ok().and_then(|a| a.verdict.truth());
        let negation = Case {
            text: &format!("!({text})"),
            ..case
        };
        assert_eq!(answer(Modality::Never), answer(Modality::Possibly).map(|a| !a));
        assert_eq!(answer(Modality::Inevitably), answer(Modality::Definitely));
        let impossible = negation.ask(Modality::Possibly).ok().and_then(|a| a.verdict.truth());
        assert_eq!(answer(Modality::Always), impossible.map(|a| !a));
    });
}

#[test]
fn the_four_levels_explore_what_they_must() {
    seeds(1500, |seed| {
        let (computation, formula, text) = inputs(seed);
        let count = |reduction| {
            let case = Case {
                computation: &computation,
                formula: &formula,
                text: &text,
                settings: Settings {
                    method: Method::Search,
                    reduction: Some(reduction),
                    ..Settings::default()
                },
            };
            case.ask(Modality::Possibly)
                .ok()
                .filter(|a| a.verdict == Verdict::Violated)
        };
        let Some(none) = count(Reduction::None) else { return };
        let [sleep, persistent, full] = [Reduction::Sleep, Reduction::Persistent, Reduction::Full].map(|r| {
            let answer = count(r).expect("all levels give one answer");
            (answer.statistics.states, answer.statistics.transitions)
        });
        let (cuts, edges) = (all_cuts(&computation).len() as u64, edges(&computation) as u64);
        assert_eq!(
            (none.statistics.states, none.statistics.transitions),
            (cuts, edges),
            "{text}"
        );
        // Sleep sets alone do not save states; they eliminate all state matches.
        assert_eq!(sleep, (cuts, cuts - 1), "{text}");
        assert!(persistent.0 <= cuts && persistent.1 <= edges, "{text}");
        assert!(
            full.0 <= persistent.0 && full.1 == full.0 - 1,
            "{text}: {persistent:?} {full:?}"
        );
    });
}
