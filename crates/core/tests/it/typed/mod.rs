//! Models in types of one's own: random ones against a naive search of typed states, and single cases.

mod cases;
mod lies;
mod naive;
mod searches;
mod world;
