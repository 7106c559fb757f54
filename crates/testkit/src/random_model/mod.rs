//! Random small models, the same for the same seed.
//!
//! Everything occurs that the builder allows and a reduction could get wrong: all
//! types of objects, bounded and unbounded; guards with one or several
//! conditions; commands that read, modify and assert; transitions of one, two or
//! three processes; cycles and processes that stop; invariants and safety
//! automata. Values are taken modulo the size of their domain, so that no
//! transition ever fails. Models with too many states are discarded, among them
//! those whose counters grow for ever.

mod formula;
mod writer;

pub use formula::Formula;

use crate::StateSpace;
use fastrand::Rng;
use mazurka_core::Model;
use std::ops::RangeInclusive;
use writer::Writer;

/// How large the models are.
#[derive(Clone, Debug)]
pub struct Shape {
    /// How many processes.
    pub processes: RangeInclusive<usize>,
    /// How many control points each.
    pub points: RangeInclusive<usize>,
    /// How many objects.
    pub objects: RangeInclusive<usize>,
    /// At most this many states.
    pub states: usize,
    /// Whether the model may state properties.
    pub properties: bool,
}

impl Shape {
    /// The shape for comparisons that look at each state a few times.
    pub fn small() -> Self {
        Self {
            processes: 2..=4,
            points: 2..=4,
            objects: 1..=4,
            states: 400,
            properties: true,
        }
    }

    /// The shape for definitions over all states, pairs and paths.
    pub fn tiny() -> Self {
        Self {
            processes: 2..=3,
            points: 2..=3,
            objects: 1..=3,
            states: 60,
            properties: false,
        }
    }
}

/// How many atoms come with a model.
const ATOMS: usize = 3;

/// A model, all of its states, and its invariants as formulas.
#[derive(Debug)]
pub struct RandomModel {
    /// The model.
    pub model: Model,
    /// All of its states.
    pub space: StateSpace,
    /// Each invariant's name, and the formula that it states.
    pub invariants: Vec<(String, Formula)>,
    /// Some more properties of states.
    pub atoms: Vec<Formula>,
}

/// The model of a seed.
pub fn random_model(seed: u64, shape: &Shape) -> RandomModel {
    let mut rng = Rng::with_seed(seed);
    loop {
        let mut writer = Writer::new(rng.fork(), shape);
        let invariants = writer.write(shape);
        let atoms = (0..ATOMS).map(|_| writer.atom()).collect();
        let model = writer.build().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let Some(space) = StateSpace::explore(&model, shape.states) else {
            continue;
        };
        // A model that gets stuck at once tests little; a few are enough.
        if space.states.len() >= 6 || rng.u8(..10) == 0 {
            return RandomModel {
                model,
                space,
                invariants,
                atoms,
            };
        }
    }
}
