//! Which parts of the language a random model uses.

use std::ops::RangeInclusive;

/// What a random model may contain.
#[derive(Clone, Debug)]
pub struct Shape {
    /// How many proctypes, besides `init`.
    pub proctypes: RangeInclusive<usize>,
    /// How many statements each, not counting those inside compound ones.
    pub statements: RangeInclusive<usize>,
    /// `atomic`.
    pub atomic: bool,
    /// `d_step`.
    pub d_step: bool,
    /// `unless`.
    pub unless: bool,
    /// Processes may come to their end.
    pub ends: bool,
    /// Channels and what is done with them.
    pub channels: bool,
    /// `init`, `run`, proctypes with parameters.
    pub creation: bool,
    /// `provided` and `priority`, in a few models.
    pub scheduling: bool,
    /// Macros, inlines, conditional text.
    pub preprocessor: bool,
    /// `timeout`.
    pub timeout: bool,
    /// `P@label`, `P:x`.
    pub remote: bool,
    /// Assertions that may fail, missing end labels.
    pub violations: bool,
    /// How many of a hundred models may have indexes out of range, divisions by zero, waits inside
    /// `d_step`, channels that are not there or have other messages.
    pub faults: u8,
    /// `ltl` blocks.
    pub ltl: bool,
    /// The operator X in formulas, which SPIN only reads if it was compiled for that;
    /// Debian's was not.
    pub next: bool,
    /// A `never` claim.
    pub never: bool,
    /// Accept and progress labels.
    pub cycles: bool,
    /// A `trace` or `notrace` assertion.
    pub trace: bool,
}

impl Shape {
    /// Everything that a search for assertion violations and invalid end states sees.
    pub fn safety() -> Self {
        Self {
            proctypes: 2..=3,
            statements: 2..=5,
            atomic: true,
            d_step: true,
            unless: true,
            ends: true,
            channels: true,
            creation: true,
            scheduling: true,
            preprocessor: true,
            timeout: true,
            remote: true,
            violations: true,
            faults: 10,
            ltl: false,
            next: false,
            never: false,
            cycles: false,
            trace: false,
        }
    }

    /// Without `atomic`, `d_step` and processes that end, and without faults, after which
    /// SPIN's state is no longer that of the model: the number of reachable states is
    /// SPIN's (`-o1 -o2 -o3`, `-DNOREDUCE`).
    pub fn counted() -> Self {
        Self {
            atomic: false,
            d_step: false,
            ends: false,
            faults: 0,
            ..Self::safety()
        }
    }

    /// Everything may go wrong at run time.
    pub fn faulty() -> Self {
        Self {
            statements: 2..=3,
            violations: false,
            faults: 100,
            ..Self::safety()
        }
    }

    /// Small models with formulas over their global variables.
    pub fn ltl() -> Self {
        Self {
            proctypes: 1..=2,
            statements: 2..=4,
            scheduling: false,
            faults: 0,
            ltl: true,
            ..Self::safety()
        }
    }

    /// Small models with a `never` claim.
    pub fn never() -> Self {
        Self {
            ltl: false,
            never: true,
            ..Self::ltl()
        }
    }

    /// Small models with accept and progress labels.
    pub fn cycles() -> Self {
        Self {
            ltl: false,
            cycles: true,
            ..Self::ltl()
        }
    }

    /// Small models with a `trace` assertion.
    pub fn trace() -> Self {
        Self {
            ltl: false,
            trace: true,
            unless: false,
            ..Self::ltl()
        }
    }
}
