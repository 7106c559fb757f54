//! Two closed enums, and the dispatch to object types, made from the list of types in `sync/mod.rs`.
//!
//! `Kind` is an operation of any type, and `State` is the state of an object of any type. Both have a variant for
//! each entry of the list, which holds the type's own operation or state. Two operations of different types never concern
//! the same object: an object has one type ([`Registered`]), and it gets that type when it is numbered, before an operation
//! on it is announced.

pub(crate) use crate::sync::{Kind, State};

use crate::object_type::ObjectType;

/// An object type that is in the list.
pub(crate) trait Registered: ObjectType {
    /// A state of the type.
    fn into_state(self) -> State;
    /// The state, if it is one of this type.
    fn of(state: &State) -> Option<&Self>;
    /// The same to change it.
    fn of_mut(state: &mut State) -> Option<&mut Self>;
    /// The operation, if it is one of this type.
    fn operation(kind: Kind) -> Option<Self::Operation>;
}

/// Makes the enums and the dispatch, and exports what users get.
///
/// An entry is `Name = type { exports }`.
macro_rules! objects {
    ($($name:ident = $state:ty { $($export:item)* })+) => {
        $($($export)*)+

        use $crate::execution::thread::Thread as Announcer;
        use $crate::execution::{Event, Execution, Race};
        use $crate::ids::{EventId, ObjectId, ThreadId};
        use $crate::object_type::{ObjectType, Order, Rivals, Step, Ways};
        use $crate::operation::{Effect, Operation};
        use $crate::registry::Registered;
        use $crate::user::Operations;

        /// An operation of an object: what a thread announces, and what that turned out to be.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(crate) enum Kind {
            $(#[allow(missing_docs)] $name(<$state as ObjectType>::Operation),)+
        }

        /// What decides whether operations on an object are possible.
        #[derive(Clone, Debug)]
        pub(crate) enum State {
            $(#[allow(missing_docs)] $name($state),)+
        }

        $(
            impl From<<$state as ObjectType>::Operation> for Kind {
                #[inline]
                fn from(operation: <$state as ObjectType>::Operation) -> Kind {
                    Kind::$name(operation)
                }
            }

            impl Registered for $state {
                fn into_state(self) -> State {
                    State::$name(self)
                }
                #[inline]
                fn of(state: &State) -> Option<&Self> {
                    if let State::$name(state) = state { Some(state) } else { None }
                }
                #[inline]
                fn of_mut(state: &mut State) -> Option<&mut Self> {
                    if let State::$name(state) = state { Some(state) } else { None }
                }
                #[inline]
                fn operation(kind: Kind) -> Option<Self::Operation> {
                    if let Kind::$name(operation) = kind { Some(operation) } else { None }
                }
            }
        )+

        /// See [`ObjectType::SILENT`].
        pub(crate) const SILENT: &[&[&str]] = &[$(<$state>::SILENT),+];

        impl State {
            /// How many types there are.
            pub(crate) const TYPES: usize = [$(stringify!($name)),+].len();

            /// The number of its type.
            pub(crate) fn number(&self) -> usize {
                enum Number { $($name),+ }
                match self { $(State::$name(_) => Number::$name as usize,)+ }
            }

            pub(crate) fn name(&self, ordinal: u32) -> String {
                match self { $(State::$name(state) => state.name(ordinal),)+ }
            }

            pub(crate) fn is_cell(&self) -> bool {
                match self { $(State::$name(_) => <$state>::CELL,)+ }
            }

            pub(crate) fn let_go(&mut self, reader: bool) {
                match self { $(State::$name(state) => state.let_go(reader),)+ }
            }

            pub(crate) fn order(&self, first: Effect, second: Effect, users: &Operations) -> Order {
                match (self, first.kind, second.kind) {
                    $((State::$name(state), Kind::$name(a), Kind::$name(b)) => {
                        state.order(first.with(a), second.with(b), users)
                    })+
                    _ => Order::Unordered,
                }
            }

            pub(crate) fn blocked_arg(&self, effect: Effect) -> u32 {
                match (self, effect.kind) {
                    $((State::$name(state), Kind::$name(op)) => state.blocked_arg(effect.with(op)),)+
                    _ => effect.arg,
                }
            }

            pub(crate) fn remarks(execution: &Execution) -> Vec<String> {
                [$(<$state>::remarks(execution)),+].concat()
            }
        }

        impl Kind {
            pub(crate) fn verb(self) -> &'static str {
                match self { $(Kind::$name(op) => <$state>::verb(op),)+ }
            }

            pub(crate) fn exact_verb(self) -> &'static str {
                match self { $(Kind::$name(op) => <$state>::exact_verb(op),)+ }
            }

            pub(crate) fn target(self, execution: &Execution, event: &Event) -> String {
                match self { $(Kind::$name(op) => <$state>::target(execution, event, op),)+ }
            }

            pub(crate) fn waits_for(self, execution: &Execution, thread: &Announcer) -> String {
                match self { $(Kind::$name(op) => <$state>::waits_for(execution, thread, op),)+ }
            }

            pub(crate) fn possible(self, execution: &Execution, thread: &Announcer) -> bool {
                match self { $(Kind::$name(op) => <$state>::possible(execution, thread, op),)+ }
            }

            pub(crate) fn ways(self, execution: &Execution, thread: &Announcer) -> Ways {
                match self { $(Kind::$name(op) => <$state>::ways(execution, thread, op),)+ }
            }

            #[inline]
            pub(crate) fn is_open(self) -> bool {
                match self { $(Kind::$name(op) => <$state>::is_open(op),)+ }
            }

            pub(crate) fn perform(self, execution: &mut Execution, step: Step) -> u32 {
                match self { $(Kind::$name(op) => <$state>::perform(execution, step, op),)+ }
            }

            /// See [`ObjectType::GRAPHED`].
            #[inline]
            pub(crate) fn is_graphed(self) -> bool {
                match self { $(Kind::$name(_) => <$state>::GRAPHED,)+ }
            }

            pub(crate) fn is_declared(self) -> bool {
                match self { $(Kind::$name(_) => <$state>::DECLARED,)+ }
            }

            #[inline]
            pub(crate) fn covers(self) -> bool {
                match self { $(Kind::$name(op) => <$state>::covers(op),)+ }
            }

            #[inline]
            pub(crate) fn acquires(self) -> bool {
                match self { $(Kind::$name(op) => <$state>::acquires(op),)+ }
            }

            #[inline]
            pub(crate) fn changes(self) -> bool {
                match self { $(Kind::$name(op) => <$state>::changes(op),)+ }
            }

            pub(crate) fn only_read(self) -> Option<Kind> {
                match self { $(Kind::$name(op) => <$state>::only_read(op).map(Kind::$name),)+ }
            }

            pub(crate) fn idle(self, execution: &Execution, event: &Event) -> bool {
                match self { $(Kind::$name(op) => <$state>::idle(execution, event, op),)+ }
            }

            #[inline]
            pub(crate) fn rivals(self) -> Rivals {
                match self { $(Kind::$name(op) => <$state>::rivals(op),)+ }
            }

            pub(crate) fn choices_without(self, execution: &Execution, race: &Race, asked: &Operation) -> Option<u32> {
                match self { $(Kind::$name(op) => <$state>::choices_without(execution, race, asked, op),)+ }
            }

            pub(crate) fn independent_without_first(self, second: Kind) -> bool {
                match (self, second) {
                    $((Kind::$name(a), Kind::$name(b)) => <$state>::independent_without_first(a, b),)+
                    _ => false,
                }
            }
        }

        impl Effect {
            /// True if the order of two operations on one object matters that are possible in the same state.
            pub(crate) fn dependent(self, other: Effect, users: &Operations) -> bool {
                match (self.kind, other.kind) {
                    $((Kind::$name(a), Kind::$name(b)) => <$state>::dependent(self.with(a), other.with(b), users),)+
                    _ => false,
                }
            }

            #[inline]
            pub(crate) fn possible_without(
                self,
                execution: &Execution,
                object: ObjectId,
                remain: impl Fn(EventId) -> bool,
            ) -> bool {
                match self.kind {
                    $(Kind::$name(op) => <$state>::possible_without(execution, object, self.with(op), remain),)+
                }
            }

            pub(crate) fn also_after(self, execution: &Execution, object: ObjectId, clock: &mut Vec<u32>) {
                match self.kind {
                    $(Kind::$name(op) => <$state>::also_after(execution, object, self.with(op), clock),)+
                }
            }

            pub(crate) fn awaits(self) -> Option<ThreadId> {
                match self.kind { $(Kind::$name(op) => <$state>::awaits(self.with(op)),)+ }
            }

            pub(crate) fn concerns(self) -> Option<ObjectId> {
                match self.kind { $(Kind::$name(op) => <$state>::concerns(self.with(op)),)+ }
            }
        }
    };
}
pub(crate) use objects;
