//! The engine, through its public interface. One executable, because linking many takes longer than running them.

mod answers;
mod bad_models;
mod graphs;
mod liveness;
mod no_allocation;
mod registrations;
mod thesis;
mod typed;
