//! Random walks of random systems of communicating processes (section 2 of the paper).

use fastrand::Rng;

/// How many local states a component has.
pub const LOCALS: usize = 3;

/// A finite execution.
#[derive(Debug)]
pub struct Walk {
    /// The participants of each step.
    pub steps: Vec<u64>,
    /// The local states before the first step and after each.
    pub states: Vec<Vec<u8>>,
}

/// An action: who takes part, and where it takes each of them from each local state, if it can.
struct Action {
    participants: Vec<usize>,
    moves: Vec<[Option<u8>; LOCALS]>,
}

impl Walk {
    pub fn random(random: &mut Rng) -> Self {
        let components = random.usize(1..=5);
        let local = |random: &mut Rng| random.u8(..LOCALS as u8);
        let action = |random: &mut Rng| {
            let mut participants: Vec<usize> = (0..components).collect();
            random.shuffle(&mut participants);
            participants.truncate(random.usize(1..=3));
            let moves = participants
                .iter()
                .map(|_| std::array::from_fn(|_| (random.u32(..4) > 0).then(|| local(random))));
            let moves = moves.collect();
            Action { participants, moves }
        };
        let actions: Vec<Action> = (0..random.usize(2..8)).map(|_| action(random)).collect();
        let first: Vec<u8> = (0..components).map(|_| local(random)).collect();
        let mut walk = Self {
            steps: vec![],
            states: vec![first],
        };
        for _ in 0..random.usize(..14) {
            let state = walk.states.last().unwrap();
            let target = |action: &Action, k: usize| action.moves[k][usize::from(state[action.participants[k]])];
            let enabled = |action: &&Action| (0..action.participants.len()).all(|k| target(action, k).is_some());
            let enabled: Vec<&Action> = actions.iter().filter(enabled).collect();
            if enabled.is_empty() {
                break;
            }
            let action = enabled[random.usize(..enabled.len())];
            let mut next = state.clone();
            for (k, participant) in action.participants.iter().enumerate() {
                next[*participant] = target(action, k).unwrap();
            }
            walk.steps
                .push(action.participants.iter().fold(0, |bits, i| bits | 1 << i));
            walk.states.push(next);
        }
        walk
    }

    pub fn components(&self) -> usize {
        self.states[0].len()
    }

    /// The states after all sets of steps that contain whatever comes before a member in the partial
    /// order: by definition those that are subsumed.
    pub fn cuts(&self) -> Vec<Vec<u8>> {
        let closed = |cut: u64| {
            (0..self.steps.len()).all(|k| {
                let before = |j: usize| self.steps[j] & self.steps[k] != 0;
                cut >> k & 1 == 0 || (0..k).all(|j| !before(j) || cut >> j & 1 == 1)
            })
        };
        let state = |cut: u64| {
            let mut state = self.states[0].clone();
            for k in (0..self.steps.len()).filter(|k| cut >> k & 1 == 1) {
                for i in (0..self.components()).filter(|i| self.steps[k] >> i & 1 == 1) {
                    state[i] = self.states[k + 1][i];
                }
            }
            state
        };
        (0..1_u64 << self.steps.len())
            .filter(|cut| closed(*cut))
            .map(state)
            .collect()
    }
}
