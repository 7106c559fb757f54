//! Translates a `d_step`, along the ways through it.
//!
//! On its way a `d_step` often knows its variables: `k = 0` at the beginning of a loop, and `k + 1` after each round. So each
//! location is translated as often as it is reached with different known values. A loop that counts to a constant
//! is unrolled by that: its guards are settled, and its indices are addresses. Nobody else moves meanwhile, so a value
//! is known from the assignment of a constant until the next assignment. If there are too many ways, each location
//! is translated once, with nothing known.

use super::block::{Block, Made, Part};
use super::effect::Effect;
use super::guard::Guard;
use super::translate::Translator;
use super::value::Value;
use crate::ir::{Action, Graph, LocationId, Node};
use crate::narrow::index;
use std::collections::{BTreeMap, HashMap};

/// The greatest number of parts of an unrolled `d_step`.
const MOST: usize = 256;

/// The bytes that are known, beyond those of the process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Overlay(BTreeMap<u32, u8>);

impl Overlay {
    /// What is known after an effect.
    fn after(&mut self, effect: &Effect) {
        match effect {
            Effect::SetByte(at, value) => {
                self.0.insert(*at, *value);
            }
            Effect::AddByte(at, _) | Effect::CopyByte(at, _) => {
                self.0.remove(at);
            }
            Effect::Store(at, scalar, value) => {
                let constant = match **value {
                    Value::Constant(value) => Some(scalar.truncate(value).to_le_bytes()),
                    _ => None,
                };
                for (k, at) in (*at..*at + index(scalar.size())).enumerate() {
                    match constant {
                        Some(bytes) => self.0.insert(at, bytes[k]),
                        None => self.0.remove(&at),
                    };
                }
            }
            Effect::StoreByteElement(element, _) => {
                let end = element.at + u32::from(element.length) * u32::from(element.stride);
                self.0.retain(|at, _| !(element.at..end).contains(at));
            }
            Effect::Take(take) => take.stores.iter().for_each(|store| self.after(store)),
            // They change a channel, which is never known, or nothing.
            Effect::Put(_) | Effect::Nothing | Effect::Require(_) => {}
            Effect::StoreElement(_) | Effect::Block(_) | Effect::Ask => self.0.clear(),
        }
    }
}

/// A location with what is known there.
type Station = (LocationId, Overlay);

/// The locations of a translation.
struct Stations {
    all: Vec<Station>,
    numbers: HashMap<Station, u32>,
}

impl Stations {
    fn number(&mut self, station: Station) -> u32 {
        let Self { all, numbers } = self;
        *numbers.entry(station).or_insert_with_key(|station| {
            all.push(station.clone());
            index(all.len() - 1)
        })
    }
}

impl Translator<'_> {
    /// A `d_step`, if all of it has a translation.
    pub(super) fn block(&self, graph: &Graph) -> Option<Block> {
        let most = MOST.min(self.unrolled.get());
        if let Some((block, parts)) = self.along(graph, Some(most)) {
            self.unrolled.set(self.unrolled.get() - parts);
            return Some(block);
        }
        self.along(graph, None).map(|(block, _)| block)
    }

    /// Whether a `d_step` can begin: whether some of its first edges can.
    pub(super) fn guard_of_block(&self, graph: &Graph) -> Option<Guard> {
        let first = graph.locations[graph.start.index()].edges();
        let guards: Option<Vec<Guard>> = first.map(|k| self.guard_of_part(graph, k)).collect();
        Some(Guard::any(guards?))
    }

    /// When an edge of a `d_step` is executable, if those before it are not.
    fn guard_of_part(&self, graph: &Graph, k: usize) -> Option<Guard> {
        let edge = &graph.edges[k];
        // The edges before an `else` were looked at.
        let was_seen = |i: &u32| (*i as usize) < k && graph.edges[*i as usize].inhibitors.is_empty();
        let is_else = matches!(edge.action, Action::Else);
        let is_plain = edge.inhibitors.is_empty() || is_else && edge.inhibitors.iter().all(was_seen);
        match is_plain {
            true => self.guard_of(edge),
            false => None,
        }
    }

    /// A `d_step`, and the number of its parts. With `most`, values are known on the way, and there are no more parts than that.
    fn along(&self, graph: &Graph, most: Option<usize>) -> Option<(Block, usize)> {
        let mut stations = Stations {
            all: Vec::new(),
            numbers: HashMap::new(),
        };
        let start = stations.number((graph.start, Overlay::default()));
        let (mut locations, mut parts) = (Vec::new(), Vec::new());
        while let Some((location, overlay)) = stations.all.get(locations.len()).cloned() {
            let location = &graph.locations[location.index()];
            if location.is_end && location.edges().is_empty() {
                locations.push(None);
                continue;
            }
            let (mut state, mut known) = (self.state.to_vec(), self.known.to_vec());
            for (at, value) in &overlay.0 {
                state[*at as usize] = *value;
                known.push(*at);
            }
            let here = Translator {
                state: &state,
                known: &known,
                ..*self
            };
            let first = index(parts.len());
            for k in location.edges() {
                let edge = &graph.edges[k];
                let guard = here.guard_of_part(graph, k)?;
                if guard == Guard::Never {
                    continue;
                }
                let effect = match &edge.action {
                    Action::Condition(Node::SetPriority(_)) => return None,
                    // Its guard holds.
                    Action::Condition(_) => Effect::Nothing,
                    action => here.effect(action)?,
                };
                let mut after = overlay.clone();
                if most.is_some() {
                    after.after(&effect);
                }
                let is_last = guard == Guard::Always;
                parts.push(Part {
                    guard,
                    effects: Box::new([effect]),
                    to: stations.number((edge.to, after)),
                    count: 1,
                });
                if is_last {
                    break;
                }
            }
            if most.is_some_and(|most| parts.len() > most) {
                return None;
            }
            locations.push(Some((first, index(parts.len()))));
        }
        let count = parts.len();
        let made = match most {
            None => Made::Plain,
            Some(_) if locations.len() > graph.locations.len() => Made::Unrolled,
            Some(_) => Made::Once,
        };
        Some((Block::new(made, start, locations.into(), parts.into()), count))
    }
}
