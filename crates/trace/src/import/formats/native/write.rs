//! Writes a computation in mazurka's own format.
//!
//! Every process gets an initial state, in the order of the processes, so that none is
//! lost and their ids stay the same. Then come the events, causes first. Each event that
//! is a direct cause of another one sends a message of its own, `m1`, `m2`, …. Reading
//! the text gives the same order, and the same values in all local states.

use crate::causality::Event;
use crate::computation::{Computation, VariableId};
use crate::narrow::short;
use crate::value::ValueId;
use foldhash::{HashMap, HashMapExt};
use mazurka_core::ProcessId;
use std::io::{self, Write};

/// Writes a computation in mazurka's own format.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(computation: &Computation, out: &mut impl Write) -> io::Result<()> {
    let order = computation.causality();
    let mut events = Vec::new();
    // A recorder admits no cycle, so all events are told.
    let _ = order.in_order(|event| events.push(event));
    let mut sends: HashMap<Event, u64> = HashMap::new();
    for event in &events {
        for cause in order.causes(event.process, event.index) {
            sends.insert(*cause, 0);
        }
    }
    let mut next = 0;
    for event in &events {
        if let Some(number) = sends.get_mut(event) {
            next += 1;
            *number = next;
        }
    }
    let mut assignments: Vec<_> = computation
        .process_ids()
        .map(|p| Assignments::of(computation, p))
        .collect();
    for (p, assignments) in computation.process_ids().zip(&mut assignments) {
        out.write_all(b"{\"process\":")?;
        serde_json::to_writer(&mut *out, computation.name(p))?;
        out.write_all(b",\"init\":true")?;
        assignments.write(computation, 0, out)?;
        out.write_all(b"}\n")?;
    }
    for event in &events {
        let p = event.process;
        out.write_all(b"{\"process\":")?;
        serde_json::to_writer(&mut *out, computation.name(p))?;
        let label = computation.label(p, event.index);
        if !label.is_empty() {
            out.write_all(b",\"event\":")?;
            serde_json::to_writer(&mut *out, label)?;
        }
        assignments[p.index()].write(computation, event.index, out)?;
        if let Some(number) = sends.get(event) {
            write!(out, ",\"send\":[\"m{number}\"]")?;
        }
        let mut receives = order
            .causes(p, event.index)
            .iter()
            .map(|cause| sends[cause])
            .collect::<Vec<_>>();
        receives.dedup();
        for (k, number) in receives.iter().enumerate() {
            let before = if k == 0 { ",\"recv\":[" } else { "," };
            write!(out, "{before}\"m{number}\"")?;
        }
        out.write_all(if receives.is_empty() { b"}\n" } else { b"]}\n" })?;
    }
    Ok(())
}

/// The assignments of a process that are not written yet, the next one last.
struct Assignments(Vec<(u32, VariableId, ValueId)>);

impl Assignments {
    fn of(computation: &Computation, p: ProcessId) -> Self {
        let mut all = Vec::new();
        for v in (0..computation.variables().len()).map(|v| VariableId(short(v))) {
            all.extend(
                computation
                    .assignments(p, v)
                    .iter()
                    .map(|(event, value)| (*event, v, *value)),
            );
        }
        all.sort_unstable_by(|a, b| b.cmp(a));
        Self(all)
    }

    /// Writes the `vars` of an event.
    fn write(&mut self, computation: &Computation, event: u32, out: &mut impl Write) -> io::Result<()> {
        let mut any = false;
        while let Some((_, v, value)) = self.0.pop_if(|(at, ..)| *at == event) {
            out.write_all(if any { b"," } else { b",\"vars\":{" })?;
            any = true;
            serde_json::to_writer(&mut *out, &computation.variables()[v.index()])?;
            out.write_all(b":")?;
            serde_json::to_writer(&mut *out, &computation.value_of(value).to_json())?;
        }
        if any { out.write_all(b"}") } else { Ok(()) }
    }
}
