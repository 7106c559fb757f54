//! Searches of systems that are no models: random graphs, against the naive answer.

mod acceptance;
mod graph;
mod safety;
