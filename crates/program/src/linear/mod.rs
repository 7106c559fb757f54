//! Generated tests: small concurrent scenarios of an object, compared with what it does sequentially.
//!
//! [`Test`] takes the operations of an object, each beside what it does to a model, which is a value without any concurrency. It
//! makes scenarios: a few operations before, some in each of several threads, a few after. Each scenario is explored as
//! [`check`](crate::check) would, and every execution has to be *linearizable*: its responses are those that the model gives in some
//! order of the operations in which no operation comes after one that was invoked when it had returned already.
//!
//! ```
//! use mazurka::linear::Test;
//! use mazurka::sync::Mutex;
//!
//! Test::new(|| Mutex::new(Vec::new()), Vec::new)
//!     .operation("push", |g| g.below(3), |s, v| s.lock().unwrap().push(*v), |model, v| model.push(*v))
//!     .operation("pop", |_| (), |s, ()| s.lock().unwrap().pop(), |model, ()| model.pop())
//!     .scenarios(20)
//!     .check();
//! ```
//!
//! The idea is that of Lincheck (Koval, Fedorov, Sokolova, Tsitelov, Alistarh, CAV 2023). One execution of each Mazurkiewicz trace is
//! run, and stands for all orders of its events. So for each trace *every* total order of invocations and returns that some
//! execution of it has is checked, not only that of the one that was run: `moments.rs` says which orders these are, and
//! `mazurka_linear::partial` checks them. Invocations and returns are no operations of the search, and make no executions.

mod moments;
mod operation;
mod report;
mod run;
mod scenario;
mod test;

pub use operation::Arguments;
pub use report::{Called, Failure, Report};
pub use test::Test;
