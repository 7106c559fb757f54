//! Typed models: random ones, compared with a naive search of typed states, and single cases.

mod cases;
mod lies;
mod naive;
mod searches;
mod world;
