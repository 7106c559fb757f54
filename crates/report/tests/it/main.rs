//! Reports, read back and in a browser. One executable, because linking many takes longer than running them.

mod browser;
mod check;
mod round_trip;
mod space_time;
