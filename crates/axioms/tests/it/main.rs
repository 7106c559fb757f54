//! The enumerator against definitions, theorems and the literature.

mod corpus;
mod counts;
mod random_programs;
