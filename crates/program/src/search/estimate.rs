//! How many executions there are, estimated from those that were run.
//!
//! The executions are the leaves of a tree, which is explored depth first. Two estimates:
//!
//! * *Weighted*: every branch of a state weighs the same, and what was explored has this weight (Knuth, *Estimating the Efficiency of Backtrack
//!   Programs*, 1975; Kilby, Slaney, Thiébaux, Walsh, *Estimating Search Tree Size*, AAAI 2006). It knows only the branches that races have asked for so far,
//!   and the states at the top get most of theirs late.
//! * *Recursive* (Kilby et al.): a branch that is left has as many leaves as those beside it have on average. Here a state is
//!   expected to have at least as many branches as the explored ones at its depth, which is too many at the bottom.
//!
//! The geometric mean of both is better than either, see the test `estimates`. It is a guess all the same.

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

    /// The part of all executions that was seen, after an execution whose states are these: the geometric mean of two estimates, of which
    /// one is usually too low and the other usually too high.
    pub(super) fn part(&self, levels: &[Level]) -> f64 {
        (weighted(levels) * self.run as f64 / self.recursive(levels)).sqrt()
    }

    /// How many executions there are if a branch that is not explored has as many as those beside it that are, and a state as many branches as
    /// others at its depth.
    fn recursive(&self, levels: &[Level]) -> f64 {
        let mut size = 1.0;
        // The executions before the present one.
        let mut before = self.run.saturating_sub(1);
        for (depth, level) in levels.iter().enumerate().rev() {
            let done = before.saturating_sub(level.begun) as f64;
            let taken = (level.explored + 1) as f64;
            let branches = self.width(depth).max(taken + level.left as f64);
            size = (done + size) * branches / taken;
            before = level.begun;
        }
        size.max(self.run as f64)
    }
}

/// The part that was seen if all known branches of a state weigh the same, and there are no others.
fn weighted(levels: &[Level]) -> f64 {
    let (mut seen, mut weight) = (0.0, 1.0);
    for level in levels {
        let each = weight / (level.explored + 1 + level.left) as f64;
        seen += each * level.explored as f64;
        weight = each;
    }
    seen + weight
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part that was seen of a tree of this height in which each state has two branches, after this many executions.
    fn binary(height: u32, run: u64) -> f64 {
        let mut shape = Shape {
            run,
            ..Shape::default()
        };
        let present = run - 1;
        let mut levels = Vec::new();
        for depth in 0..height {
            let leaves = height - depth;
            let before = present >> leaves;
            (0..before).for_each(|_| shape.explored(depth as usize, 2));
            let second = present >> (leaves - 1) & 1 == 1;
            levels.push(Level {
                explored: usize::from(second),
                left: usize::from(!second),
                begun: before << leaves,
            });
        }
        shape.part(&levels)
    }

    #[test]
    fn a_tree_that_is_the_same_everywhere_is_estimated_exactly() {
        for height in [1, 2, 5] {
            for run in 1..=1 << height {
                let part = binary(height, run);
                let exact = run as f64 / f64::from(1 << height);
                assert!((part - exact).abs() < 1e-9, "{run} of {}: {part}", 1 << height);
            }
        }
    }
}
