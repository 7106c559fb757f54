//! How many executions there are, estimated from those that were run.

/// A state of the present execution, and the branches that are explored from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// How many were explored before the current one.
    pub(super) explored: usize,
    /// How many are known to come after it.
    pub(super) left: usize,
    /// How many executions were run before the search came to this state.
    pub(super) begun: u64,
}

/// What a search has seen of its tree.
#[derive(Default)]
pub(super) struct Shape {
    /// How many executions were run.
    pub(super) run: u64,
    /// For each depth, how many branches the states had that are explored, and how many states there were.
    widths: Vec<(u64, u64)>,
}

impl Shape {
    /// A state at this depth is explored, and had so many branches.
    pub(super) fn explored(&mut self, depth: usize, branches: usize) {
        if self.widths.len() <= depth {
            self.widths.resize(depth + 1, (0, 0));
        }
        let (all, states) = &mut self.widths[depth];
        *all += branches as u64;
        *states += 1;
    }

    /// How many branches a state at this depth has on average.
    fn width(&self, depth: usize) -> f64 {
        match self.widths.get(depth) {
            Some((all, states)) if *states > 0 => *all as f64 / *states as f64,
            _ => 1.0,
        }
    }

    pub(super) fn part(&self, levels: &[Level]) -> f64 {
        match std::env::var("EST").as_deref() {
            Ok("w") => super::part_seen(levels.iter().map(|l| (l.explored, l.left))),
            Ok("r") => self.run as f64 / self.recursive(levels, false),
            _ => self.run as f64 / self.recursive(levels, true),
        }
    }

    pub(super) fn recursive(&self, levels: &[Level], widths: bool) -> f64 {
        let mut size = 1.0;
        // The executions before the present one.
        let mut before = self.run.saturating_sub(1);
        for (depth, level) in levels.iter().enumerate().rev() {
            let done = before.saturating_sub(level.begun) as f64;
            let taken = (level.explored + 1) as f64;
            let known = taken + level.left as f64;
            let all = if widths { known.max(self.width(depth)) } else { known };
            size = (done + size) * all / taken;
            before = level.begun;
        }
        size.max(self.run as f64)
    }
}
