//! Searches of systems that are not models: random graphs, compared with a naive search.

mod acceptance;
mod graph;
mod safety;
