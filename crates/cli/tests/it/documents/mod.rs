//! The documents: the program does what the README and the book show.

mod book;
mod console;
mod document;
mod links;
mod outputs;
mod programs;
mod schema;
