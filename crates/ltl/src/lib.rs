//! Linear temporal logic for models written in Rust.
//!
//! [`LtlSearch`] checks that every execution of a [`Model`](mazurka_core::Model) satisfies a formula. The formula is
//! written with names, and each name stands for an [`Atom`]: a process is at a control point, an expression over
//! variables, channels and other objects is true, or the transition just taken has a label.
//!
//! ```
//! use mazurka_core::{Builder, Verdict};
//! use mazurka_ltl::{LtlSearch, label, parse};
//!
//! let mut m = Builder::new("a lamp");
//! let [off, on] = m.process("Lamp", ["off", "on"]);
//! let [idle] = m.process("Somebody", ["idle"]);
//! m.transition("switch on", off, on);
//! m.transition("switch off", on, off);
//! m.transition("whistle", idle, idle);
//! let model = m.build()?;
//!
//! let formula = parse("[] (on -> <> switched)")?;
//! let search = LtlSearch::new(&model, formula).atom("on", on).atom("switched", label("switch off"));
//! let outcome = search.clone().run()?;
//! let counterexample = outcome.counterexample.as_ref().expect("somebody may whistle for ever");
//! assert_eq!(counterexample.prefix.len(), 1);
//! assert_eq!(model.transition_name(counterexample.cycle[0]), "whistle");
//!
//! // A process that can always move moves at last.
//! let outcome = search.fair(["Lamp"]).run()?;
//! assert_eq!(outcome.verdict, Verdict::Holds);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **What a formula is about.** An execution `s0 t1 s1 t2 s2 …` is a word with a position for each state. An atom about
//! the state holds at position `i` if it holds in `si`. An atom about the transition holds there if it is true of `ti`;
//! none holds at position 0. If nothing is enabled in a state, the state is repeated for ever, without transitions.
//! Only what the user wrote counts: monitors of invariants do not move.
//!
//! **How it is checked.** The negation of the formula becomes a Büchi automaton, and its product with the model is
//! searched for an accepting cycle (thesis 7.2). If the formula does not notice transitions that change no atom and
//! have no label of the formula, the model is reduced first (7.3): see [`Unreduced`] for when it is not. With
//! [fairness](LtlSearch::fair), only executions count in which each fair process moves infinitely often or is
//! infinitely often unable to (7.4).
//!
//! **Typed models.** [`TypedLtlSearch`] does the same for [models](mazurka_core::typed) with states and actions of your
//! own types.
//!
//! Every counterexample is executed by the plain interpreter, and the definition of the formula is evaluated on it,
//! before it is shown.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod alphabet;
mod executions;
mod outcome;
mod product;
mod replay;
mod search;
mod sets;
mod typed;

pub use alphabet::{Atom, label};
pub use mazurka_logic::{Formula, parse};
pub use outcome::{Counterexample, LtlError, LtlFindings, Unreduced};
pub use search::LtlSearch;
pub use typed::{TypedLtlFindings, TypedLtlSearch};

/// The code of the guides to models in Rust is tested.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../docs/book/src/guide/models.md")]
    struct Models;
    #[doc = include_str!("../../../docs/book/src/guide/types.md")]
    struct Types;
}
