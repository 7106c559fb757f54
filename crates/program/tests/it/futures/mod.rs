//! Asynchronous programs.

mod counts;
