//! Tests of reports: read back, and in a browser. There is one executable, because linking several takes longer than
//! running them.

mod browser;
mod check;
mod round_trip;
mod space_time;
