//! Automata against the meaning of formulas, on random formulas and words.

use crate::oracle::lassos::Word;
use crate::oracle::random;
use crate::oracle::tableau::Tableau;
use fastrand::Rng;
use mazurka_logic::{Buchi, BuchiError, Formula, StutterInvariance};
use mazurka_seeds::seeds;

/// The automaton of a formula accepts the words on which it holds; that of its negation accepts the others.
#[test]
fn automata_accept_what_the_definition_says() {
    seeds(3000, |seed| {
        let mut random = Rng::with_seed(seed);
        let atoms = random.u32(1..=3);
        let size = random.usize(1..=14);
        let formula = random::formula(&mut random, size, atoms);
        let automaton = Buchi::new(&formula).unwrap();
        let negation = Buchi::new(&formula.clone().negated()).unwrap();
        for _ in 0..40 {
            let word = random::word(&mut random, 8, atoms);
            let holds = word.satisfies(&formula);
            assert_eq!(word.is_accepted_by(&automaton), holds, "{formula} on {word:?}");
            assert_eq!(word.is_accepted_by(&negation), !holds, "not {formula} on {word:?}");
        }
    });
}

/// The automaton and the textbook tableau have the same language: neither meets the other's complement.
#[test]
fn automata_agree_with_the_textbook_tableau() {
    seeds(1500, |seed| {
        let mut random = Rng::with_seed(seed);
        let atoms = random.u32(1..=2);
        let size = random.usize(1..=9);
        let formula = random::formula(&mut random, size, atoms);
        let negation = formula.clone().negated();
        let (Some(tableau), Some(complement)) = (Tableau::new(&formula, atoms), Tableau::new(&negation, atoms)) else {
            return;
        };
        let automaton = Buchi::new(&formula).unwrap();
        assert!(!complement.meets(&automaton), "{formula}");
        assert!(!tableau.meets(&Buchi::new(&negation).unwrap()), "{formula}");
        // A formula without models has the automaton without transitions.
        let empty = !tableau.meets(&Buchi::new(&Formula::True).unwrap());
        assert_eq!(automaton.edges(automaton.initial()).is_empty(), empty, "{formula}");
    });
}

/// Simplification changes the formula and not its meaning, on all short words.
#[test]
fn simplified_formulas_mean_the_same() {
    let words: Vec<Word> = Word::all(4, 2).collect();
    seeds(4000, |seed| {
        let mut random = Rng::with_seed(seed);
        let size = random.usize(1..=10);
        let formula = random::formula(&mut random, size, 2);
        let simplified = formula.simplified();
        for word in words.iter().skip(random.usize(..7)).step_by(7) {
            assert_eq!(
                word.satisfies(&formula),
                word.satisfies(&simplified),
                "{formula} is not {simplified} on {word:?}"
            );
        }
    });
}

/// Stretching words never refutes "invariant", and always confirms "sensitive" when enough
/// words are tried.
#[test]
fn stutter_invariance_is_what_stretched_words_show() {
    let words: Vec<Word> = Word::all(4, 2).collect();
    seeds(1000, |seed| stretch(seed, &words, 0));
}

/// The same where one of two atoms, or both, are events, which repetitions do not have.
#[test]
fn invariance_with_events_is_what_quiet_positions_show() {
    let words: Vec<Word> = Word::all(4, 2).collect();
    seeds(1000, |seed| stretch(seed, &words, 1 + seed % 3));
}

fn stretch(seed: u64, words: &[Word], events: u64) {
    let mut random = Rng::with_seed(seed);
    let formula = random::formula(&mut random, 3 + seed as usize % 5, 2);
    let answer = formula.stutter_invariance_with(|atom| events >> atom.0 & 1 != 0);
    let mut stretched = |word: &Word| word.stretched(&mut random, events).satisfies(&formula);
    let differs = words
        .iter()
        .find(|word| (0..2).any(|_| word.satisfies(&formula) != stretched(word)));
    match (answer, differs) {
        (StutterInvariance::Invariant, Some(word)) => panic!("{formula} is not invariant: {word:?}"),
        (StutterInvariance::Sensitive, None) => panic!("{formula} may be invariant"),
        (StutterInvariance::Unknown, _) => panic!("{formula} is small enough to tell"),
        _ => {}
    }
}

/// Formulas with `X` to which stuttering does not matter.
#[test]
fn some_formulas_with_next_are_invariant() {
    seeds(300, |seed| {
        let mut random = Rng::with_seed(seed);
        let size = random.usize(1..=6);
        let f = random::without_next(random::formula(&mut random, size, 2));
        // f || X f is not f, but <> (f || X f) is <> f; f U X f is not, but X <> [] f is <> [] f.
        let next = |f: Formula| Formula::Next(Box::new(f));
        let eventually = |f: Formula| Formula::Eventually(Box::new(f));
        let or = |f: Formula, g: Formula| Formula::Or(Box::new(f), Box::new(g));
        let formula = or(f.clone(), eventually(or(f.clone(), next(f))));
        assert_eq!(formula.stutter_invariance(), StutterInvariance::Invariant, "{formula}");
    });
}

/// Every formula of moderate size has an automaton; a huge one is refused quickly.
#[test]
fn only_huge_formulas_are_refused() {
    seeds(500, |seed| {
        let mut random = Rng::with_seed(seed);
        let atoms = random.u32(2..6);
        let formula = random::formula(&mut random, 22, atoms);
        assert!(Buchi::new(&formula).is_ok(), "{formula}");
    });
    let joined = |n: usize, operator: &str| {
        let atoms: Vec<String> = (0..n).map(|i| format!("p{}", i % 60)).collect();
        mazurka_logic::parse(&atoms.join(operator))
            .unwrap()
            .number_atoms(&mut vec![])
    };
    assert_eq!(Buchi::new(&joined(1000, " <-> ")).unwrap_err(), BuchiError::TooLarge);
    assert_eq!(Buchi::new(&joined(1000, " U ")).unwrap_err(), BuchiError::TooLarge);
    assert!(Buchi::new(&joined(1000, " && ")).is_ok());
    let many: Vec<String> = (0..65).map(|i| format!("p{i}")).collect();
    let formula = mazurka_logic::parse(&many.join(" && "))
        .unwrap()
        .number_atoms(&mut vec![]);
    assert_eq!(Buchi::new(&formula).unwrap_err(), BuchiError::TooManyAtoms);
}
