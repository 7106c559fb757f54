//! Recorded runs, from files to answers. One executable, because linking many takes longer than running them.

mod import;
mod import_broken;
mod import_fuzz;
mod import_messages;
mod import_round_trip;
mod import_speed;
mod methods;
mod online;
mod paper;
mod registrations;
mod session;
mod skew;
mod sltl;
mod sltl_online;
