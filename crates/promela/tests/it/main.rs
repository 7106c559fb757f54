//! Tests of Promela, from text to verdicts. There is one executable, because linking several takes longer than running
//! them.

mod agreement;
mod corpus;
mod cycles;
mod dead;
mod diagnostics;
mod formulas;
mod front_end;
mod fuzz;
mod graph;
mod limits;
mod merging;
mod no_allocation;
mod reduction;
mod session;
mod shipped_models;
mod snapshots;
mod speed;
mod unread;
