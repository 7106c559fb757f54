//! Objects that users define, with their own dependency relation.
//!
//! Stoller's section 10 calls them classes of *method* and *atomic* granularity: the search
//! sees the call, not what happens inside. Here an object is a value of a type that implements
//! [`Object`], shared as [`Shared`]; each call of [`Shared::perform`] is one visible operation.

use crate::execution::Execution;
use crate::execution::thread::Thread;
use crate::handle::Handle;
use crate::ids::ObjectId;
use crate::object_type::{ObjectType, Order, Rivals, Step};
use crate::operation::Effect;
use crate::runtime;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// A type of shared object with its own dependency relation.
///
/// ```
/// use mazurka::{Object, Shared, thread};
///
/// /// A counter to which threads only add: additions commute.
/// struct Tally(u64);
///
/// #[derive(Clone, PartialEq, Eq, Hash)]
/// enum Op { Add(u64), Read }
///
/// impl Object for Tally {
///     type Operation = Op;
///     type Output = u64;
///     fn perform(&mut self, operation: &Op) -> u64 {
///         match operation {
///             Op::Add(n) => { self.0 += n; 0 }
///             Op::Read => self.0,
///         }
///     }
///     fn dependent(a: &Op, b: &Op) -> bool {
///         !matches!((a, b), (Op::Add(_), Op::Add(_)) | (Op::Read, Op::Read))
///     }
/// }
///
/// let report = mazurka::Checker::new().run(|| {
///     let tally = Shared::new(Tally(0));
///     let threads: Vec<_> = (0..4).map(|_| {
///         let tally = tally.clone();
///         thread::spawn(move || { tally.perform(Op::Add(1)); })
///     }).collect();
///     for thread in threads { thread.join().unwrap(); }
///     assert_eq!(tally.perform(Op::Read), 4);
/// });
/// assert_eq!(report.executions, 1);
/// ```
pub trait Object: Send + 'static {
    /// The operations. Equal operations depend on the same others.
    type Operation: Clone + Eq + Hash + 'static;
    /// The result of an operation.
    type Output;

    /// Performs an operation.
    fn perform(&mut self, operation: &Self::Operation) -> Self::Output;

    /// True if the operation is possible now. A thread waits until it is.
    fn enabled(&self, _operation: &Self::Operation) -> bool {
        true
    }

    /// The operation, together with the part of the present state that decides on what it depends.
    /// It is called just before the operation is performed; [`Object::dependent`] gets the result.
    fn record(&self, operation: &Self::Operation) -> Self::Operation {
        operation.clone()
    }

    /// True if the order of two operations may matter. It may be false only if, in every state in which both
    /// are possible, they can be performed in either order with the same outputs and the same resulting state,
    /// and neither makes the other possible or impossible. True is always safe.
    fn dependent(a: &Self::Operation, b: &Self::Operation) -> bool;
}

/// A shared object of a type that the user defines. Clones refer to the same object.
pub struct Shared<O> {
    inner: Arc<Inner<O>>,
}

struct Inner<O> {
    handle: Handle,
    value: Mutex<O>,
    changed: std::sync::Condvar,
}

impl<O> Clone for Shared<O> {
    fn clone(&self) -> Self {
        Shared {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<O: Object> Shared<O> {
    /// Shares a value.
    #[track_caller]
    pub fn new(value: O) -> Shared<O> {
        Shared {
            inner: Arc::new(Inner {
                handle: Handle::new(),
                value: Mutex::new(value),
                changed: std::sync::Condvar::new(),
            }),
        }
    }

    /// Performs an operation as one step, when it is possible.
    #[track_caller]
    pub fn perform(&self, operation: O::Operation) -> O::Output {
        let inner = &self.inner;
        let lock = || inner.value.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(rt) = runtime::current() else {
            let mut value = lock();
            while !value.enabled(&operation) {
                value = inner.changed.wait(value).unwrap_or_else(PoisonError::into_inner);
            }
            let output = value.perform(&operation);
            inner.changed.notify_all();
            return output;
        };
        let object = rt.object(&inner.handle, || State);
        let number = rt.execution.borrow_mut().users.number::<O>(&operation);
        let (shared, asked) = (self.clone(), operation.clone());
        let guard = Rc::new(move || {
            let value = shared.inner.value.lock().unwrap_or_else(PoisonError::into_inner);
            value.enabled(&asked)
        });
        rt.guarded(Op::User, object, number, guard);
        let mut value = lock();
        let recorded = value.record(&operation);
        if !rt.abandoning() {
            let mut execution = rt.execution.borrow_mut();
            let number = execution.users.number::<O>(&recorded);
            execution.refine(Op::User, number);
        }
        value.perform(&operation)
    }
}

impl<O> Shared<O> {
    fn object(&self, rt: &runtime::Runtime) -> ObjectId {
        rt.object(&self.inner.handle, || State)
    }
}

crate::thread::uses!([O] Shared<O>);

/// The operation of an object that the user defines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// The argument numbers it, see [`Operations`].
    User,
}

/// Only the user knows the state.
#[derive(Clone, Debug)]
pub(crate) struct State;

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "object";

    fn verb(_: Op) -> &'static str {
        "operation"
    }

    fn possible(_: &Execution, thread: &Thread, _: Op) -> bool {
        thread.guard.as_ref().is_none_or(|guard| guard())
    }

    fn perform(_: &mut Execution, step: Step, _: Op) -> u32 {
        step.choice
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, users: &Operations) -> Order {
        Order::races_if(users.dependent(first.arg, second.arg))
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, users: &Operations) -> bool {
        users.dependent(a.arg, b.arg)
    }

    /// It is unknown when a user's operation is possible.
    fn rivals(_: Op) -> Rivals {
        Rivals::Unknown
    }
}

type Relation = Box<dyn Fn(&dyn Any, &dyn Any) -> bool>;

/// The operations of users' objects, numbered; the same numbers in all executions of a search.
#[derive(Default)]
pub(crate) struct Operations {
    operations: Vec<(TypeId, Box<dyn Any>)>,
    numbers: HashMap<TypeId, Box<dyn Any>>,
    relations: HashMap<TypeId, Relation>,
}

impl Operations {
    pub(crate) fn number<O: Object>(&mut self, operation: &O::Operation) -> u32 {
        let key = TypeId::of::<O>();
        self.relations.entry(key).or_insert_with(|| {
            Box::new(|a, b| match (a.downcast_ref(), b.downcast_ref()) {
                (Some(a), Some(b)) => O::dependent(a, b) || O::dependent(b, a),
                _ => true,
            })
        });
        let numbers = self
            .numbers
            .entry(key)
            .or_insert_with(|| Box::new(HashMap::<O::Operation, u32>::new()));
        let numbers: &mut HashMap<O::Operation, u32> = numbers.downcast_mut().expect("the table of this type");
        if let Some(&number) = numbers.get(operation) {
            return number;
        }
        let number = crate::narrow::short(self.operations.len());
        numbers.insert(operation.clone(), number);
        self.operations.push((key, Box::new(operation.clone())));
        number
    }

    pub(crate) fn dependent(&self, a: u32, b: u32) -> bool {
        match (self.operations.get(a as usize), self.operations.get(b as usize)) {
            (Some((ta, a)), Some((tb, b))) if ta == tb => (self.relations[ta])(a.as_ref(), b.as_ref()),
            _ => true,
        }
    }
}
