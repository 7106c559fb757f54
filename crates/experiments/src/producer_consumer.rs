//! Producer and consumer (thesis, Example 8.1).
//!
//! One process sends for ever, another receives for ever. The full state space
//! grows with the channel's capacity and is infinite without a bound; the reduced
//! one has two states whatever the capacity.

use mazurka_core::{Builder, ChannelType, Model};

/// The system with a channel of this capacity, or without a bound.
///
/// ```
/// use mazurka_core::Search;
/// let model = mazurka_experiments::producer_consumer(Some(10));
/// let full = Search::full(&model).run()?;
/// let reduced = Search::deadlocks(&model).run()?;
/// assert_eq!((full.statistics.states, reduced.statistics.states), (11, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn producer_consumer(capacity: Option<usize>) -> Model {
    let mut m = Builder::new("producer-consumer");
    let [p0] = m.process("producer", ["p0"]);
    let [c0] = m.process("consumer", ["c0"]);
    let kind = capacity.map_or_else(ChannelType::unbounded, ChannelType::bounded);
    let q = m.channel("q", kind);
    m.transition("t1", p0, p0).when(!q.is_full()).then(q.send(0));
    m.transition("t2", c0, c0).when(!q.is_empty()).then(q.receive());
    m.build().expect("a correct model")
}
