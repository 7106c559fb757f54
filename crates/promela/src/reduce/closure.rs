//! Sets of edges, and how one grows to a stubborn set.
//!
//! A set has a bit for each edge of each process. What a rule brings in may name edges that a process cannot come to any
//! more from where it is. They do not count: see [`Closure::reach`].

use mazurka_core::bitset;

/// The set that is being closed, and what is known about the edges of the state.
#[derive(Clone, Debug, Default)]
pub(super) struct Closure {
    /// The number of words of a set.
    pub(super) row: usize,
    /// The current edges, and those of them that are executable.
    pub(super) here: Vec<u64>,
    pub(super) executable: Vec<u64>,
    /// The edges that processes may come to from where they are. No others belong to sets.
    pub(super) reach: Vec<u64>,
    /// The set.
    pub(super) set: Vec<u64>,
    /// Current edges of the set whose rules were not applied yet.
    pub(super) todo: Vec<usize>,
    /// Edges of the set that are not current and were not looked at yet.
    pub(super) pending: Vec<u64>,
    /// Whether there are any.
    pub(super) is_pending: bool,
    /// How many more executable edges the set may have.
    room: usize,
}

impl Closure {
    /// Prepares for the sets of another state, of so many words. What is known about its edges is to be filled in.
    pub(super) fn lay_out(&mut self, row: usize) {
        self.row = row;
        let all = [
            &mut self.here,
            &mut self.executable,
            &mut self.reach,
            &mut self.set,
            &mut self.pending,
        ];
        for set in all {
            set.clear();
            set.resize(row, 0);
        }
        self.is_pending = false;
    }

    /// Starts a set from a current edge, which may have so many executable edges besides.
    pub(super) fn start(&mut self, edge: usize, room: usize) {
        self.set.fill(0);
        bitset::insert(&mut self.set, edge);
        self.todo.clear();
        self.todo.push(edge);
        // A set that was given up may have left some.
        self.pending.fill(0);
        self.is_pending = false;
        self.room = room;
    }

    /// Adds edges. Returns whether there was room for those of them that are executable.
    #[inline]
    pub(super) fn add(&mut self, row: &[u64]) -> bool {
        let mut executable = 0;
        for (word, row) in row.iter().enumerate() {
            let new = row & self.reach[word] & !self.set[word];
            if new == 0 {
                continue;
            }
            self.set[word] |= new;
            executable += (new & self.executable[word]).count_ones() as usize;
            let mut here = new & self.here[word];
            if here != new {
                self.pending[word] |= new & !here;
                self.is_pending = true;
            }
            while here != 0 {
                self.todo.push(word * 64 + here.trailing_zeros() as usize);
                here &= here - 1;
            }
        }
        let fits = executable <= self.room;
        self.room = self.room.saturating_sub(executable);
        fits
    }

    /// Whether there is room for the executable edges of a row.
    #[inline]
    pub(super) fn has_room(&self, row: &[u64]) -> bool {
        self.executable_in(row) as usize <= self.room
    }

    /// Adds all current edges, as [`Closure::add`] does.
    pub(super) fn add_here(&mut self) -> bool {
        let here = self.here.clone();
        self.add(&here)
    }

    /// The alternative of several that adds the fewest executable edges, and how many it adds.
    #[inline]
    pub(super) fn cheapest(&self, rows: &[u64]) -> (usize, u32) {
        if rows.len() == self.row {
            return (0, self.executable_in(rows));
        }
        let cost = |at: usize| {
            let mut cost = (0, 0);
            for word in 0..self.row {
                let new = rows[at + word] & self.reach[word] & !self.set[word];
                cost.0 += (new & self.executable[word]).count_ones();
                cost.1 += new.count_ones();
            }
            cost
        };
        let all = (0..rows.len() / self.row).map(|n| n * self.row);
        let best = all.map(|at| (cost(at), at)).min();
        best.map_or((0, 0), |((cost, _), at)| (at, cost))
    }

    /// How many executable edges are new.
    #[inline]
    fn executable_in(&self, row: &[u64]) -> u32 {
        let new = |word: usize| (row[word] & self.reach[word] & self.executable[word] & !self.set[word]).count_ones();
        row.iter().enumerate().map(|(word, _)| new(word)).sum()
    }

    /// Whether there is nothing new in a row.
    #[inline]
    pub(super) fn has_all(&self, row: &[u64]) -> bool {
        (0..self.row).all(|word| row[word] & self.reach[word] & !self.set[word] == 0)
    }
}
