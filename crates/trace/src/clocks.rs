//! Vector timestamps (Fidge, Mattern 1988), derived from direct causes.
//!
//! `known(p, k, q)` is how many events of process q have happened when event k
//! of p has, so two local states are compared in constant time (Fromentin and
//! Raynal 1994): state k of p and state l of q are in a common consistent cut iff
//! neither knows of an event that comes after the other
//! (`known(p, k, q) <= l` and `known(q, l, p) <= k`). A process's own entry
//! is the event's number and everything else changes only at an event with
//! causes, so a row is kept for those events alone.

use crate::causality::{Causality, Event};
use mazurka_core::ProcessId;

/// The vector timestamps of a computation.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    processes: usize,
    /// Per process and event, from 0: the number of its row.
    row_of: Vec<Vec<u32>>,
    /// Rows of `processes` entries. Row 0 is all zeros.
    rows: Vec<u32>,
}

impl Clocks {
    /// The timestamps of all events.
    ///
    /// # Errors
    /// A cycle, if there is one (see [`Causality::in_order`]).
    pub fn of(causality: &Causality) -> Result<Self, Vec<Event>> {
        let n = causality.processes();
        let mut clocks = Self {
            processes: n,
            row_of: causality
                .process_ids()
                .map(|p| vec![0; causality.events(p) as usize + 1])
                .collect(),
            rows: vec![0; n],
        };
        causality.in_order(|event| clocks.add(causality, event))?;
        Ok(clocks)
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// How many events of process `q` have happened when event `index` of `p`
    /// has; index 0 is the initial state.
    #[inline]
    pub fn known(&self, p: ProcessId, index: u32, q: ProcessId) -> u32 {
        if p == q {
            return index;
        }
        self.rows[self.row_of[p.index()][index as usize] as usize * self.processes + q.index()]
    }

    /// The entries of [`known`](Self::known) for every process; the entry of `p` itself has no meaning.
    #[inline]
    pub fn row(&self, p: ProcessId, index: u32) -> &[u32] {
        let at = self.row_of[p.index()][index as usize] as usize * self.processes;
        &self.rows[at..at + self.processes]
    }

    /// Whether state `k` of `p` and state `l` of `q` are in a common consistent cut.
    #[inline]
    pub fn concurrent(&self, p: ProcessId, k: u32, q: ProcessId, l: u32) -> bool {
        self.known(p, k, q) <= l && self.known(q, l, p) <= k
    }

    /// Whether one event happens before another.
    #[inline]
    pub fn happens_before(&self, a: Event, b: Event) -> bool {
        let known = self.known(b.process, b.index, a.process);
        match a.process == b.process {
            true => a.index < b.index,
            false => a.index <= known,
        }
    }

    fn add(&mut self, causality: &Causality, event: Event) {
        let (n, p, index) = (self.processes, event.process.index(), event.index as usize);
        let before = self.row_of[p][index - 1];
        let causes = causality.causes(event.process, event.index);
        if causes.is_empty() {
            self.row_of[p][index] = before;
            return;
        }
        let at = self.rows.len();
        self.row_of[p][index] = u32::try_from(at / n).expect("fewer than 2^32 rows");
        self.rows
            .extend_from_within(before as usize * n..(before as usize + 1) * n);
        for cause in causes {
            let q = cause.process.index();
            let row = self.row_of[q][cause.index as usize] as usize * n;
            for r in 0..n {
                let known = if r == q { cause.index } else { self.rows[row + r] };
                self.rows[at + r] = self.rows[at + r].max(known);
            }
        }
    }
}
