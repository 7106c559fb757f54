//! Tests of linearizability.

mod long;
mod naive;
mod partial;
mod random;
mod specifications;
