//! Properties and their names.

use super::checked::Kind;
use crate::model::{Label, Ltl, Model};

/// A property to check.
#[derive(Clone, Debug)]
pub enum Property {
    /// Assertions, runtime errors, invalid end states.
    Safety,
    /// Assertions and runtime errors.
    Assertions,
    /// Invalid end states.
    Deadlock,
    /// A formula: an `ltl` block of the model, or one that was given separately.
    Ltl(Ltl),
    /// The `never` claim of the model.
    Never,
    /// No execution runs for ever without progress.
    Progress,
    /// No execution passes through `accept` labels of processes for ever.
    Acceptance,
}

impl Property {
    /// All properties that a model states: safety, its `ltl` blocks, its `never` claim, and
    /// acceptance if it has accept labels and neither formulas nor a claim.
    pub fn all(model: &Model) -> Vec<Self> {
        let mut all = vec![Self::Safety];
        all.extend(model.ltl.iter().cloned().map(Self::Ltl));
        if model.never.is_some() {
            all.push(Self::Never);
        }
        let accepts = model.proctypes.iter().any(|p| p.labels.iter().any(Label::is_accept));
        if accepts && model.never.is_none() && model.ltl.is_empty() {
            all.push(Self::Acceptance);
        }
        all
    }

    /// The properties of a model that have a name.
    pub fn named(model: &Model) -> Vec<Self> {
        let general = [
            Self::Safety,
            Self::Assertions,
            Self::Deadlock,
            Self::Progress,
            Self::Acceptance,
        ];
        let never = model.never.iter().map(|_| Self::Never);
        let formulas = model.ltl.iter().cloned().map(Self::Ltl);
        general.into_iter().chain(never).chain(formulas).collect()
    }

    /// Its name on the command line and in reports.
    pub fn name(&self) -> &str {
        match self {
            Self::Safety => "safety",
            Self::Assertions => "assertions",
            Self::Deadlock => "deadlock",
            Self::Never => "never",
            Self::Progress => "progress",
            Self::Acceptance => "acceptance",
            Self::Ltl(ltl) => &ltl.name,
        }
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Safety | Self::Assertions | Self::Deadlock => Kind::Safety,
            Self::Never => Kind::Never,
            Self::Progress => Kind::Progress,
            Self::Acceptance => Kind::Acceptance,
            Self::Ltl(_) => Kind::Ltl,
        }
    }
}
