//! Ids of what is asked and of what it is asked about: positions in lists, which the compiler keeps apart.
//!
//! Processes have [`mazurka_core::ProcessId`], variables [`crate::VariableId`].

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(usize);

        impl $name {
            /// The id with this position in its list.
            pub fn new(index: usize) -> Self {
                Self(index)
            }

            /// Its position in its list, from 0.
            pub fn index(self) -> usize {
                self.0
            }
        }
    };
}

id! {
    /// A question, by its position in [`crate::Queries::questions`], or in the list that a monitor was given.
    QuestionId
}
id! {
    /// A formula with snapshots, by its position in [`crate::Queries::formulas`], or in the list that a monitor was given.
    FormulaId
}
id! {
    /// An execution, by its position in [`crate::Imported::executions`].
    ExecutionId
}
