//! Everything, compared with naive versions and with peers. There is one executable, because linking several takes longer
//! than running them.

mod against_spin;
mod composed_properties;
mod constructs;
mod dependency;
mod detection;
mod detection_online;
mod lattice;
mod misspelling;
mod mutants;
mod needles;
mod no_more_states;
mod online;
mod patterns;
mod persistent_sets;
mod promela;
mod retelling;
mod searches;
mod shipped_examples;
mod snapshots;
mod spin;
mod tables;
mod temporal;
mod wide_models;
