//! Detection: could a recorded run have passed through a bad global state?
//!
//! A run of a distributed system is a partial order of events. What was observed
//! is one of its interleavings; the others could have happened as well. This
//! crate reads traces, derives the order, and answers whether some interleaving
//! passes through a global state that satisfies a predicate (*Possibly*) and
//! whether all of them do (*Definitely*), after Stoller, Unnikrishnan and Liu,
//! *Efficient Detection of Global Properties in Distributed Systems Using
//! Partial-Order Methods* (CAV 2000, called "paper" below, and its long version).

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod asked;
mod causality;
mod clocks;
mod computation;
mod condition;
mod detection;
mod ids;
mod import;
mod narrow;
mod online;
mod patterns;
mod predicate;
mod problem;
mod projection;
mod recorder;
mod session;
mod sltl;
mod sources;
mod stamp;
mod supervisor;
mod value;

pub use asked::{Asked, Queries, never_assigned, unread_defaults};
pub use causality::{Causality, Cut, Event};
pub use clocks::Clocks;
pub use computation::{Computation, SkewUse, VariableId};
pub use detection::{
    Answer, CutCount, DetectError, Detected, MemberOrder, Method, Modality, Question, Settings, Witness, count_cuts,
    detect,
};
pub use ids::{ExecutionId, FormulaId, QuestionId};
pub use import::{
    Execution, Extent, Finding, Format, ImportError, ImportOptions, Imported, Input, LineParser, Lint, ProcessBy,
    Rejected, Severity, Sink, Spot, clocked, import, lint, native,
};
pub use mazurka_core::{Doubt, ProcessId, Reduction, Verdict};
pub use online::{Announced, Announcement, Monitor, MonitorError, Sighting, Watching};
pub use patterns::{Pattern, PatternAnswer, PatternError, PatternFindings, PatternModality, PatternOrder};
pub use predicate::{Atom, EvaluationError, Formula, Node, Predicate, PredicateError, PredicateErrors, Read};
pub use problem::{Part, Place, Problem, ProblemCount, Rule};
pub use recorder::{Keep, Recorder, Recording};
pub use session::{Companion, ExecutionAnswers, Misfit, Session};
pub use sltl::{PassedSnapshot, SltlAnswer, SltlError, SltlFindings, SltlFormula};
pub use sources::Sources;
pub use stamp::Stamp;
pub use supervisor::{Budget, Ended, Stop, Supervisor};
pub use value::{Value, ValueId, Values};
