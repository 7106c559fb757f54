//! Example 8.1: a producer, a consumer, and a channel.
//!
//! The full state space grows with the channel's capacity and is infinite without
//! one. The reduced state space of Fig. 8.2 has 2 states and 2 transitions in each
//! case: after a send, the receive alone is a persistent set.

use crate::producer_consumer::producer_consumer;
use crate::registry::Entry;
use crate::result::{Experiment, Parameter, Point, Published, Quantity, Series};
use crate::sweep::{Failure, Method, Progress, Setup, Sweep};
use mazurka_core::{Algorithm, Enabling, Model};

/// A search without a bound on the channel is given up after this many states.
const LIMIT: u64 = 10_000;

const CAPACITIES: [Parameter; 4] = [
    Parameter::Number(1),
    Parameter::Number(10),
    Parameter::Number(1000),
    Parameter::Unbounded,
];

pub(crate) fn run(
    entry: &Entry,
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    let swept = Sweep {
        parameters: &CAPACITIES,
        methods: &methods(),
        deadlocks: 0,
    }
    .run(setup, progress)?;
    Ok(Experiment {
        name: entry.name.to_string(),
        title: entry.description.to_string(),
        parameter: "capacity of the channel".to_string(),
        quantity: Quantity::StatesAndTransitions,
        remarks: remarks(&swept.series),
        series: swept.series,
        published: published(entry),
        interrupted: swept.interrupted,
    })
}

fn methods() -> [Method; 3] {
    let method = |name, algorithm, sleep| Method {
        name,
        model,
        algorithm,
        enabling: Enabling::Fewest,
        sleep,
        limit: LIMIT,
    };
    [
        method("full", Algorithm::AllEnabled, false),
        method("persistent", Algorithm::Conditional, false),
        method("persistent+sleep", Algorithm::Conditional, true),
    ]
}

fn model(capacity: Parameter) -> Model {
    producer_consumer(match capacity {
        Parameter::Number(n) => Some(usize::try_from(n).expect("a small channel")),
        Parameter::Unbounded => None,
        _ => unreachable!("capacities are numbers"),
    })
}

fn published(entry: &Entry) -> Published {
    let two = CAPACITIES.map(|n| Point::new(n, 2, 2)).to_vec();
    Published {
        source: entry.source.to_string(),
        claims: vec![
            "The full state space is proportional to the capacity, and infinite without a bound.".to_string(),
            "The reduced state space has 2 states and 2 transitions (Fig. 8.2), whatever the capacity.".to_string(),
        ],
        series: vec![
            Series::new("full", vec![Point::uncounted(Parameter::Unbounded)]),
            Series::new("persistent", two),
        ],
    }
}

/// What the measurements show. Each sentence is written only if they do.
fn remarks(series: &[Series]) -> Vec<String> {
    let mut remarks = Vec::new();
    let (full, reduced) = (&series[0], &series[1..]);
    if full.fits(|capacity| capacity + 1) {
        remarks.push("The full state space has a state for each number of messages: capacity + 1.".to_string());
    }
    let measured = |s: &Series| s.points.len() == CAPACITIES.len();
    if reduced
        .iter()
        .all(|s| measured(s) && s.points.iter().all(|p| p.states == Some(2)))
    {
        remarks
            .push("The reduced state space has 2 states, whatever the capacity, and without a bound too.".to_string());
    } else if reduced.iter().all(measured) {
        remarks.push("The reduced state space differs from the published one.".to_string());
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn the_full_state_space_is_proportional_to_the_capacity() {
        let entry = registry::find("producer-consumer").unwrap();
        let experiment = entry.run(&Setup::default(), &mut |_| ()).unwrap();
        let full = &experiment.series[0];
        assert_eq!(full.at(Parameter::Number(1000)).unwrap().states, Some(1001));
        assert_eq!(
            full.at(Parameter::Unbounded),
            Some(&Point::uncounted(Parameter::Unbounded))
        );
        assert_eq!(full.cut.map(|c| c.n), Some(Parameter::Unbounded));
    }

    #[test]
    fn the_reduced_one_is_that_of_fig_8_2() {
        let entry = registry::find("producer-consumer").unwrap();
        let experiment = entry.run(&Setup::default(), &mut |_| ()).unwrap();
        let published = &experiment.published.series[1];
        for reduced in &experiment.series[1..] {
            assert_eq!(reduced.points, published.points, "{}", reduced.name);
        }
    }
}
