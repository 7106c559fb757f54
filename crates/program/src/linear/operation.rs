//! Operations whose arguments and responses have types of their own, side by side.

use mazurka_linear::Specification;
use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;

/// Where arguments of operations come from.
#[derive(Clone, Debug)]
pub struct Arguments(pub(super) fastrand::Rng);

impl Arguments {
    /// A number below `n`.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0.u64(0..n)
    }

    /// One of these values.
    ///
    /// # Panics
    /// If there are none.
    pub fn one_of<V: Clone>(&mut self, values: &[V]) -> V {
        self.0.choice(values).expect("some values").clone()
    }

    /// True or false.
    pub fn flip(&mut self) -> bool {
        self.0.bool()
    }
}

type Same = fn(&(dyn Any + Send + Sync), &(dyn Any + Send + Sync)) -> bool;

/// What an operation answered.
#[derive(Clone)]
pub(super) struct Response {
    value: Arc<dyn Any + Send + Sync>,
    same: Same,
    pub(super) text: String,
}

impl Response {
    fn new<R: PartialEq + Debug + Send + Sync + 'static>(response: R) -> Response {
        Response {
            text: format!("{response:?}"),
            value: Arc::new(response),
            same: |a, b| match (a.downcast_ref::<R>(), b.downcast_ref::<R>()) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }
}

impl PartialEq for Response {
    fn eq(&self, other: &Response) -> bool {
        (self.same)(&*self.value, &*other.value)
    }
}

impl Eq for Response {}

impl Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// An operation with its argument, on an object of type `T` and on a model of type `M`.
pub(super) struct Call<T, M> {
    pub(super) text: String,
    pub(super) on_object: Arc<dyn Fn(&T) -> Response + Send + Sync>,
    pub(super) on_model: Arc<dyn Fn(&mut M) -> Response + Send + Sync>,
}

impl<T, M> Clone for Call<T, M> {
    fn clone(&self) -> Self {
        Call {
            text: self.text.clone(),
            on_object: Arc::clone(&self.on_object),
            on_model: Arc::clone(&self.on_model),
        }
    }
}

/// Makes a call with an argument.
type Make<T, M> = dyn Fn(&mut Arguments) -> Call<T, M>;

/// An operation without its argument.
pub(super) struct Kind<T, M> {
    pub(super) call: Box<Make<T, M>>,
}

impl<T: 'static, M: 'static> Kind<T, M> {
    pub(super) fn new<A, R>(
        name: &str,
        argument: impl Fn(&mut Arguments) -> A + 'static,
        object: impl Fn(&T, &A) -> R + Send + Sync + 'static,
        model: impl Fn(&mut M, &A) -> R + Send + Sync + 'static,
    ) -> Kind<T, M>
    where
        A: Debug + Send + Sync + 'static,
        R: PartialEq + Debug + Send + Sync + 'static,
    {
        let (name, object, model) = (name.to_owned(), Arc::new(object), Arc::new(model));
        let call = move |arguments: &mut Arguments| {
            let given = Arc::new(argument(arguments));
            let shown = format!("{given:?}");
            let shown = shown
                .strip_prefix('(')
                .and_then(|s| s.strip_suffix(')'))
                .unwrap_or(&shown);
            let (for_object, for_model) = (Arc::clone(&given), given.clone());
            let (object, model) = (Arc::clone(&object), Arc::clone(&model));
            Call {
                text: format!("{name}({shown})"),
                on_object: Arc::new(move |this| Response::new(object(this, &for_object))),
                on_model: Arc::new(move |this| Response::new(model(this, &for_model))),
            }
        };
        Kind { call: Box::new(call) }
    }
}

/// The model as a specification. Its operations are the numbers of calls.
pub(super) struct Model<'a, T, M> {
    pub(super) initial: M,
    pub(super) calls: &'a [Call<T, M>],
    pub(super) object: PhantomData<T>,
}

impl<T, M: Clone + Eq + Hash> Specification for Model<'_, T, M> {
    type State = M;
    type Operation = usize;
    type Response = Response;

    fn initial(&self) -> M {
        self.initial.clone()
    }

    fn step(&self, state: &M, operation: &usize, response: Option<&Response>, next: &mut Vec<M>) {
        let mut after = state.clone();
        let answer = (self.calls[*operation].on_model)(&mut after);
        if response.is_none_or(|response| *response == answer) {
            next.push(after);
        }
    }
}
