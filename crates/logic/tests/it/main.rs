//! Formulas and automata, through the public interface. One executable, because linking many takes longer than running them.

mod automata;
mod linearisations;
mod oracle;
mod sizes;
mod snapshots;
mod well_known;
