//! Generated tests of objects: the right ones pass, each of the broken ones is found.

mod against_exhaustive;
mod objects;
mod reports;
