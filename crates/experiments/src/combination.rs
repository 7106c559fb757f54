//! The six searches that the thesis compares (section 8.3), and one with its other proviso.

use mazurka_core::{ProvisoKind, Strategy};
use mazurka_promela::verify::PersistentAlgorithm;

/// Which partial-order methods a search uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Combination {
    /// None: a classical search (Fig. 2.1).
    Dfs,
    /// Sleep sets (Thm 5.4).
    Sleep,
    /// Persistent sets (Fig. 4.1).
    Persistent,
    /// Persistent sets and sleep sets (Fig. 5.2).
    PersistentSleep,
    /// Persistent sets and the proviso of Def. 6.2.
    PersistentProviso,
    /// All three (Fig. 6.2).
    PersistentSleepProviso,
    /// Persistent sets and the proviso of Def. 6.15. It is not compatible with sleep sets (section 6.5).
    PersistentComponent,
}

impl Combination {
    /// Those of Table 8.1, in its order.
    pub const TABLE: [Self; 6] = [
        Self::Dfs,
        Self::Sleep,
        Self::Persistent,
        Self::PersistentSleep,
        Self::PersistentProviso,
        Self::PersistentSleepProviso,
    ];

    /// Its name in the thesis, which has none for the last.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dfs => "DFS",
            Self::Sleep => "SLEEP",
            Self::Persistent => "PS",
            Self::PersistentSleep => "PS+SLEEP",
            Self::PersistentProviso => "PS+PROV",
            Self::PersistentSleepProviso => "PS+SLEEP+PROV",
            Self::PersistentComponent => "PS+COMPONENT",
        }
    }

    /// Whether it uses persistent sets: the others do not depend on how these are computed.
    pub(crate) fn is_persistent(self) -> bool {
        !matches!(self, Self::Dfs | Self::Sleep)
    }

    /// The algorithm for persistent sets, if they are used.
    pub(crate) fn persistent(self, algorithm: PersistentAlgorithm) -> Option<PersistentAlgorithm> {
        self.is_persistent().then_some(algorithm)
    }

    /// The rest of the search: depth first, every state stored.
    pub(crate) fn strategy<'a>(self) -> Strategy<'a> {
        use Combination::{PersistentComponent, PersistentProviso, PersistentSleep, PersistentSleepProviso, Sleep};
        Strategy {
            sleep: matches!(self, Sleep | PersistentSleep | PersistentSleepProviso),
            proviso: match self {
                PersistentProviso | PersistentSleepProviso => ProvisoKind::Stack,
                PersistentComponent => ProvisoKind::Component,
                _ => ProvisoKind::None,
            },
            ..Strategy::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_is_used() {
        for combination in Combination::TABLE.into_iter().chain([Combination::PersistentComponent]) {
            let uses = |part: &str| combination.name().split('+').any(|p| p == part);
            let strategy = combination.strategy();
            assert_eq!(strategy.sleep, uses("SLEEP"));
            assert_eq!(strategy.proviso == ProvisoKind::Stack, uses("PROV"));
            assert_eq!(strategy.proviso == ProvisoKind::Component, uses("COMPONENT"));
            let persistent = combination.persistent(PersistentAlgorithm::Overman);
            assert_eq!(persistent.is_some(), uses("PS"));
        }
    }
}
