//! The documents: what README and the book show is what the program does.

mod book;
mod console;
mod document;
mod links;
mod outputs;
mod programs;
mod schema;
