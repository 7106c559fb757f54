//! The enumerator against definitions, theorems and the literature.

mod corpus;
mod random_programs;
