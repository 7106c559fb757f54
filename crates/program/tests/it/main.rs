//! Rust programs under test. One executable, because linking many takes longer than running them.

mod algorithms;
mod axioms;
mod composed;
mod control;
mod datagrams;
mod declared;
mod detection;
mod differential;
mod discipline;
mod distributed;
#[cfg(unix)]
mod end_of_process;
mod estimates;
mod examples;
mod futures;
mod generator;
mod like_std;
mod linear;
mod looks;
mod missed;
mod mixtures;
mod network;
mod nodes;
mod odd_corners;
mod orderings;
mod permits;
mod random;
mod reference_programs;
mod registrations;
mod rpc;
mod shared_values;
mod shrinking;
mod sources;
mod spinning;
#[cfg(target_os = "linux")]
mod statics;
mod std_names;
mod steps;
mod symmetry;
mod synchronises;
mod tokens;
mod verdicts;
mod waiting;
mod what_is_not_seen;
mod what_peers_get_wrong;
mod without_checks;
