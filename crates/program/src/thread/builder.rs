//! Starting threads.

use super::handle::{self, JoinHandle, JoinInner, Packet, Thread};
use super::{Scope, ScopedJoinHandle};
use crate::execution::symmetry::Origin;
use crate::fiber::Body;
use crate::fiber::captured::bytes_of;
use crate::ids::{ObjectId, ThreadId};
use crate::runtime::{self, Runtime};
use std::io;
use std::panic::Location;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// An object that a thread can declare to use, see [`Builder::uses`].
pub trait Uses {
    #[doc(hidden)]
    fn declared(&self) -> Declared;
}

/// The numbers of what was declared: one for most primitives.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Declared(pub(crate) Vec<ObjectId>);

/// The settings of a new thread, as `std::thread::Builder`.
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
    uses: Option<Vec<ObjectId>>,
}

impl Builder {
    /// The default settings: a thread without a name.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Sets the name of the thread, which reports use as well.
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// Sets the size of its stack. Controlled threads have at least two mebibytes.
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.stack_size = Some(size);
        self
    }

    /// Declares all objects that the thread and the threads it spawns may use. [`Strategy::Selective`](crate::Strategy::Selective)
    /// computes persistent sets from the declarations (Algorithm 2-MLD). A thread that uses another object is reported.
    ///
    /// Anything with operations can be declared: locks, atomics, cells, both ends of channels. Sockets cannot. Ending, joining, parking, sleeping and choices need not be declared.
    pub fn uses(mut self, objects: &[&dyn Uses]) -> Builder {
        if runtime::inside() {
            let declared = objects.iter().flat_map(|o| o.declared().0);
            self.uses = Some(declared.collect());
        }
        self
    }

    /// Starts the thread.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        match runtime::current_uncounted() {
            None => {
                let handle = self.os().spawn(f)?;
                let thread = Thread::os(handle.thread().clone());
                let inner = JoinInner::Os { handle, thread };
                Ok(JoinHandle { inner })
            }
            Some(rt) => Ok(self.controlled(&rt, f, Location::caller())),
        }
    }

    /// Starts a thread in a check, which can then own and return what is not `Send`; see [`spawn_local`](super::spawn_local).
    ///
    /// # Panics
    /// Outside a check.
    #[track_caller]
    pub fn spawn_local<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + 'static,
        T: 'static,
    {
        let rt = runtime::current_uncounted();
        let rt = rt.expect("outside a check a thread can own only what is `Send`: use `spawn`");
        Ok(self.controlled(&rt, f, Location::caller()))
    }

    fn controlled<F, T>(self, rt: &Rc<Runtime>, f: F, at: &'static Location<'static>) -> JoinHandle<T>
    where
        F: FnOnce() -> T + 'static,
        T: 'static,
    {
        let packet: Packet<T> = Arc::new(Mutex::new(None));
        let closure = Closure::of(rt, &f);
        let body = body(rt, &packet, f);
        let id = self.start(rt, Body::new(body), closure, at);
        let thread = Thread::controlled(rt, id);
        let inner = JoinInner::Controlled { id, packet, thread };
        JoinHandle { inner }
    }

    /// Starts the thread in a scope.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        super::scope::spawn(self, scope, f, Location::caller())
    }

    pub(super) fn os(&self) -> std::thread::Builder {
        let mut builder = std::thread::Builder::new();
        if let Some(name) = &self.name {
            builder = builder.name(name.clone());
        }
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        builder
    }

    /// Starts a controlled thread.
    pub(super) fn start(
        self,
        rt: &Rc<Runtime>,
        body: Body,
        closure: Option<Closure>,
        at: &'static Location<'static>,
    ) -> ThreadId {
        let parent = rt.thread();
        let id = rt.spawn(Some(parent), body, self.stack_size.unwrap_or(0), at);
        let mut execution = rt.execution.borrow_mut();
        let inherited = execution.threads[parent.index()].uses.clone();
        let thread = &mut execution.threads[id.index()];
        thread.name = self.name.as_deref().map(Rc::from);
        let name = thread.name.clone();
        thread.uses = self.uses.or(inherited);
        let declared = thread.uses.is_some();
        if let Some(Closure { code, captured }) = closure.filter(|_| !declared) {
            let origin = Origin {
                parent,
                at,
                code,
                captured,
                name,
                stack: self.stack_size.unwrap_or(0),
                events: execution.threads[parent.index()].events.len(),
                calls: runtime::calls(),
            };
            execution.started(id, origin);
        }
        id
    }
}

/// What tells the closures of two threads apart, if that is of interest.
pub(super) struct Closure {
    code: usize,
    captured: Vec<u8>,
}

impl Closure {
    pub(super) fn of<T, F: FnOnce() -> T>(rt: &Runtime, f: &F) -> Option<Closure> {
        /// Has the code of the closure in it, so that two of them at one address do the same.
        fn call<T, F: FnOnce() -> T>(f: F) -> T {
            f()
        }
        rt.execution.borrow().settings.symmetry.then(|| Closure {
            code: call::<T, F> as fn(F) -> T as usize,
            captured: bytes_of(f),
        })
    }
}

/// What a controlled thread runs.
pub(super) fn body<T, F: FnOnce() -> T>(rt: &Rc<Runtime>, packet: &Packet<T>, f: F) -> impl FnOnce() + use<T, F> {
    let (rt, packet) = (Rc::clone(rt), Arc::clone(packet));
    move || handle::run(&rt, &packet, f)
}

/// Implements [`Uses`] for types that have a method `object`.
macro_rules! uses {
    ($([$($parameter:tt)*] $type:ty),+ $(,)?) => {
        $(
            impl<$($parameter)*> $crate::thread::Uses for $type {
                fn declared(&self) -> $crate::thread::Declared {
                    let number = |rt: std::rc::Rc<_>| self.object(&rt);
                    $crate::thread::Declared($crate::runtime::current().map(number).into_iter().collect())
                }
            }
        )+
    };
}
pub(crate) use uses;
