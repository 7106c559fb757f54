//! Tests of the command, as users call it. There is one executable, because linking several takes longer than running
//! them.

mod check;
mod command_line;
mod detect;
#[cfg(unix)]
mod documents;
mod export;
mod follow;
mod generate;
#[cfg(unix)]
mod interrupt;
mod linearizable;
mod lint;
mod registrations;
mod reproduce;
mod scenario;
mod snapshots;
#[cfg(unix)]
mod whatever_happens;
