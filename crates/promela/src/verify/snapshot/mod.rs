//! Checks formulas with `snapshot(q)`, on the product of the model, a memory for snapshots, and the automaton.
//!
//! Niebert and Peled, section 4.3: `snapshot(q)` is a proposition of the product, and the memory tells after each step
//! whether it holds. The memory is deterministic, so it serves both
//! `snapshot(q)` and its negation. It holds freeze sets in their basis form, or with
//! [`SnapshotMethod::Tracker`] all states that were passed.
//!
//! A property that relates components, such as `x + y > 3`, is not a combination of conjuncts. It is followed by what remains of
//! it when some components are frozen (`symbolic.rs`), and so is one whose disjunctive normal form is large.
//!
//! A snapshot of several conjunctions needs a basis for each. Where a violation needs `snapshot(q)` to hold and
//! never not to hold (it occurs only positively in the negated formula), the conjunction that makes it hold first
//! may be guessed beforehand (4.4): then there is one search for each, with a single basis. That is
//! right, since on any execution `snapshot(q)` holds exactly where that of the right conjunction does, and
//! it holds wherever that of any conjunction does.
//!
//! # Reduction
//!
//! The reduced graph of [`reduced`](super::reduced) has, for each execution of the model, one that is obtained by
//! moving steps `α` to the front of independent ones, and by adding steps that are independent of all that
//! follows. Whether `snapshot(q)` holds at the positions of such an execution depends on its
//! partial order. Two things are needed.
//!
//! *Dependency*: steps that are exchanged must be independent in the sense of snapshots, that is, without
//! a common participant. What the reduction takes for independent by itself is more: two steps that read a variable, or a
//! send and a receive on a channel. Exchanging these changes the partial order: with `α1 α2` of a process
//! and `β` of another, where `α1` and `β` read a variable, `α1 α2 β` passes the state before `β` and after
//! `α2`, and `β α1 α2` does not. So persistent sets are computed with the relation in which
//! any two operations on an object are in conflict (`Alphabet::touching`). What a step touches without
//! doing anything to it counts as well: an `atomic` that waits in its middle touches what it waits for, and a
//! step that asks for `timeout` touches everybody, unless it needs the timeout, when no other is executable.
//!
//! *Visibility*: let `u` be an execution, `α` a step after it, and suppose that `snapshot(q)` holds after
//! `u α` and not after `u`. Then some set `C` of steps of `u α`, closed downwards in the partial order, leads to a state with
//! `q`, and `α` is in `C`. As `α` is the last step of all its participants, it is maximal in `C`, so that
//! `C` without `α` is closed downwards too, and was passed by `u`. There `q` does not hold, so `α` has
//! changed the truth of a proposition of `q`. Therefore a step that changes no proposition of `q`, in any state, changes
//! `snapshot(q)` nowhere. So the steps that must be kept visible are those that may change a proposition,
//! inside `snapshot(…)` or outside, as for any formula; components that `q` does not mention have none.
//!
//! With both, moving an invisible `α` before independent `β1 … βn` leaves the sequence of letters as it is up to
//! stuttering: after `u α β1 … βk` everything is as after `u β1 … βk α`, the same partial order,
//! and that is as after `u β1 … βk`.
//!
//! *Fairness* needs the dependency of `reduce/waits.rs` besides, which is another reason to keep some orders. Its proof follows a fair
//! execution by a permutation that keeps the order of dependent steps, and adds no step; with dependency and
//! visibility as above, the letters of the two are the same up to stuttering. `tests/it/snapshots.rs` compares with searches without reduction, and with the naive
//! product.

mod cuts;
mod explain;
mod frozen;
mod joined;
mod local;
mod memory;
mod names;
mod product;
mod propositions;
mod residual;
mod search;
mod symbolic;
mod tracked;

use super::checked::{Kind, PropertyFindings, PropertyResult, ReductionUsed};
use super::claim::automaton_of;
use super::options::{Options, SnapshotMethod};
use super::reduced::ReducedGraph;
use super::{CheckError, concerns_all, executed};
use crate::compile::compile;
use crate::diagnostic::Diagnostic;
use crate::ir::{COUNT, Node, Program};
use crate::model::{Ltl, Model};
use crate::reduce::{Observed, Participants, StubbornSets};
use crate::system::ModelSystem;
use frozen::Frozen;
use joined::Joined;
use local::Locality;
use mazurka_core::{End, Limit, Limits, Reduction, Statistics, Verdict};
use mazurka_logic::snapshot::{ComponentId, Conjunction, NotASnapshot, conjunctions};
use mazurka_logic::{AtomId, Buchi, Formula, StutterInvariance};
use names::Names;
use propositions::Propositions;
use residual::Residual;
use search::{Everything, Search};
use std::time::Instant;
use symbolic::{Leaf, Symbolic};
use tracked::Tracked;

/// The greatest number of searches with a guess that is still better than one search without.
const MOST_GUESSES: usize = 16;
/// The greatest number of snapshots in a formula: one bit of a word for each.
const MOST_SNAPSHOTS: usize = 64;
/// The greatest number of components that a state can list.
const MOST_COMPONENTS: usize = product::MOST_PENDING;

/// How many states are searched without reduction before the reduced graph is built, of at most ten times as many.
const EARLY: [u64; 3] = [10_000, 100_000, 1_000_000];

/// Checks a formula with snapshots.
pub(super) fn check(model: &Model, ltl: &Ltl, options: &Options<'_>) -> Result<PropertyResult, CheckError> {
    let mut compiled = compile(model, &ltl.atoms).map_err(CheckError::Start)?;
    compiled.program.asserts = false;
    let program = &compiled.program;
    refuse_unsupported(program, ltl)?;
    let forbidden = ltl.formula.clone().negated();
    let mut letters: Vec<AtomId> = Vec::new();
    let forbidden_letters = forbidden.clone().number_atoms(&mut letters);
    let automaton = automaton_of(&forbidden_letters, letters.len())?;
    let participants = Participants::new(program);
    refuse_too_many_components(&participants, ltl)?;
    let propositions = Propositions {
        program,
        atoms: &compiled.atoms,
    };
    let names = Names::new(model, &participants, &ltl.texts);
    let locality = Locality {
        model,
        program,
        participants: &participants,
        names: &names,
    };
    let forms = match options.snapshots {
        SnapshotMethod::Basis => Some(Forms::new(ltl, &forbidden, &locality, &compiled.atoms)?),
        SnapshotMethod::Tracker => None,
    };
    let note = why_unreduced(program, &forbidden, options);
    let system = executed(ModelSystem::new(program), options);
    let prepared = Prepared {
        model,
        ltl,
        system: &system,
        participants: &participants,
        propositions,
        automaton: &automaton,
        letters: &letters,
        names: &names,
        forms: forms.as_ref(),
        note,
    };
    let start = Instant::now();
    let mut result = prepared.decide(options)?;
    result.statistics.time = start.elapsed();
    Ok(result)
}

/// What all searches for a formula have in common.
struct Prepared<'a, 'p> {
    model: &'a Model,
    ltl: &'a Ltl,
    system: &'a ModelSystem<'p>,
    participants: &'a Participants<'p>,
    propositions: Propositions<'a>,
    automaton: &'a Buchi,
    letters: &'a [AtomId],
    names: &'a Names,
    forms: Option<&'a Forms>,
    /// Why the search cannot be reduced, if it cannot.
    note: Option<&'static str>,
}

impl Prepared<'_, '_> {
    /// Searches the product. Before the reduced graph is built, which takes time, violations that show early are looked
    /// for without it. If neither ends, both are tried again with more patience.
    fn decide(&self, options: &Options<'_>) -> Result<PropertyResult, CheckError> {
        if !options.reduction.persistent() || self.note.is_some() {
            return self.search(None, options);
        }
        let within = |most: u64| Options {
            limits: Limits {
                states: Some(most),
                ..options.limits
            },
            ..*options
        };
        for most in EARLY {
            if options.limits.states.is_some_and(|limit| limit <= 10 * most) {
                break;
            }
            let result = self.search(None, &within(most))?;
            if result.verdict == Verdict::Violated {
                return Ok(result);
            }
            let graph = reduced(self.system, self.propositions.atoms, &within(10 * most))?;
            if graph.end != End::Limit(Limit::States) {
                return self.search(Some(&graph), options);
            }
        }
        let graph = reduced(self.system, self.propositions.atoms, options)?;
        self.search(Some(&graph), options)
    }

    /// Searches the product with a reduced graph, or without one.
    fn search(&self, reduced: Option<&ReducedGraph>, options: &Options<'_>) -> Result<PropertyResult, CheckError> {
        let mut result = before_search(self.ltl, options, self.note, reduced);
        if result.end != End::Complete {
            return Ok(result);
        }
        let everything = self.forms.map(|forms| Everything {
            conjunctions: &forms.all,
            has_property: forms.properties.iter().map(Option::is_some).collect(),
            memory: frozen(self.propositions, &forms.all, self.participants),
        });
        let search = Search {
            model: self.model,
            ltl: self.ltl,
            system: self.system,
            participants: self.participants,
            propositions: self.propositions,
            automaton: self.automaton,
            letters: self.letters,
            reduced,
            options,
            names: self.names,
            everything,
        };
        match self.forms {
            Some(forms) => {
                let symbolic = forms.symbolic(self.propositions, self.participants);
                guess(&search, &forms.guesses, symbolic.as_ref(), &mut result)?;
            }
            None => track(&search, &mut result)?,
        }
        Ok(result)
    }
}

fn refused(ltl: &Ltl, message: String) -> CheckError {
    CheckError::Snapshot(Box::new(Diagnostic::error("promela::snapshot", ltl.span, message)))
}

/// Refuses what snapshots are not defined for, and formulas with too many of them.
fn refuse_unsupported(program: &Program, ltl: &Ltl) -> Result<(), CheckError> {
    if let Some(reason) = concerns_all(program) {
        let message = format!("snapshots are not supported with {reason}, since every step may affect every process");
        return Err(refused(ltl, message));
    }
    if ltl.snapshots.len() > MOST_SNAPSHOTS {
        let message = format!("the formula has more than {MOST_SNAPSHOTS} snapshots");
        return Err(refused(ltl, message));
    }
    Ok(())
}

/// Refuses models with more components than a state can list.
fn refuse_too_many_components(participants: &Participants<'_>, ltl: &Ltl) -> Result<(), CheckError> {
    if participants.most() <= MOST_COMPONENTS {
        return Ok(());
    }
    let message = format!(
        "the model has {} variables, elements of arrays and channels: at most {} can be told apart in snapshots",
        participants.objects(),
        MOST_COMPONENTS - (participants.most() - participants.objects())
    );
    Err(refused(ltl, message))
}

/// Why the search cannot be reduced, if it cannot.
fn why_unreduced(program: &Program, forbidden: &Formula, options: &Options<'_>) -> Option<&'static str> {
    if options.fair && program.features.timeout {
        return Some("no reduction: with `timeout`, every step may affect which processes are enabled");
    }
    if forbidden.stutter_invariance() != StutterInvariance::Invariant {
        return Some("no reduction: the formula may count steps (it is not known to be stutter-invariant)");
    }
    None
}

/// The graph that the product is made with, reduced as the formula allows.
fn reduced(system: &ModelSystem<'_>, atoms: &[Node], options: &Options<'_>) -> Result<ReducedGraph, CheckError> {
    let program = system.program;
    let seen = Observed::new(program, atoms);
    let sets = match options.fair {
        true => StubbornSets::touching_fair(program, options.persistent, seen),
        false => StubbornSets::touching(program, options.persistent, seen),
    };
    let mut sets = sets.within(options.limits);
    Ok(ReducedGraph::new(system, &mut sets, options.storage, options.limits)?)
}

/// The result before the product is searched. It is final if the reduced graph is not complete.
fn before_search(
    ltl: &Ltl,
    options: &Options<'_>,
    note: Option<&str>,
    reduced: Option<&ReducedGraph>,
) -> PropertyResult {
    let end = reduced.map_or(End::Complete, |reduced| reduced.end);
    let statistics = match reduced {
        Some(reduced) if end == End::Complete => Statistics {
            bytes: reduced.statistics.bytes,
            ..Statistics::default()
        },
        Some(reduced) => reduced.statistics,
        None => Statistics::default(),
    };
    PropertyResult {
        verdict: Verdict::of_no_findings(end),
        end,
        statistics,
        found: PropertyFindings {
            reduction: ReductionUsed {
                persistent: reduced.map(|_| options.persistent.name()),
                sleep: false,
                proviso: reduced.map(|_| "cycle"),
                note: note
                    .filter(|_| options.reduction != Reduction::None)
                    .map(str::to_string),
                trial: None,
            },
            ..PropertyFindings::new(&ltl.name, Kind::Ltl)
        },
    }
}

/// A memory for these conjunctions.
fn frozen<'a>(
    propositions: Propositions<'a>,
    conjunctions: &'a [Vec<Conjunction>],
    participants: &Participants<'_>,
) -> Frozen<'a> {
    let processes = usize::from(propositions.program.initial[COUNT]);
    Frozen::new(propositions, conjunctions, participants.objects(), processes)
}

/// Searches with a memory of all states that were passed.
fn track(search: &Search<'_, '_>, result: &mut PropertyResult) -> Result<(), CheckError> {
    let memory = Tracked {
        propositions: search.propositions,
        snapshots: &search.ltl.snapshots,
        participants: search.participants,
    };
    search.run(&memory, result)
}

/// Searches once for each guess, until one finds a violation or reaches a limit.
fn guess<'a>(
    search: &Search<'a, '_>,
    guesses: &'a [Vec<Vec<Conjunction>>],
    symbolic: Option<&Symbolic<'a>>,
    result: &mut PropertyResult,
) -> Result<(), CheckError> {
    let mut worst = Verdict::Holds;
    for guess in guesses {
        let frozen = frozen(search.propositions, guess, search.participants);
        match symbolic {
            None => search.run(&frozen, result)?,
            Some(symbolic) => search.run(&Joined { frozen, symbolic }, result)?,
        }
        worst = worst.max(result.verdict);
        if result.verdict == Verdict::Violated || matches!(result.end, End::Limit(_)) {
            break;
        }
    }
    result.verdict = worst;
    Ok(())
}

/// How snapshots are followed: their conjunctions, or what remains of their properties.
struct Forms {
    /// For each snapshot, all its conjunctions; none if it has a property.
    all: Vec<Vec<Conjunction>>,
    /// For each guess, the conjunctions of each snapshot that remain.
    guesses: Vec<Vec<Vec<Conjunction>>>,
    /// For each snapshot, its property, if it relates components or has too many conjunctions.
    properties: Vec<Option<Residual>>,
    leaves: Vec<Leaf>,
}

impl Forms {
    fn new(ltl: &Ltl, forbidden: &Formula, locality: &Locality<'_, '_>, nodes: &[Node]) -> Result<Self, CheckError> {
        let mut about: Vec<Vec<usize>> = vec![Vec::new(); ltl.atoms.len()];
        for atom in ltl.snapshots.iter().flat_map(|snapshot| atoms_of(&snapshot.q)) {
            about[atom] = locality
                .components(&ltl.atoms[atom], &nodes[atom])
                .map_err(CheckError::Snapshot)?;
        }
        let mut forms = Self {
            all: Vec::new(),
            guesses: vec![Vec::new()],
            properties: Vec::new(),
            leaves: Vec::new(),
        };
        for (k, snapshot) in ltl.snapshots.iter().enumerate() {
            let component = |atom: AtomId| about[atom.0 as usize].first().copied().map(ComponentId::new);
            let is_local = atoms_of(&snapshot.q).into_iter().all(|atom| about[atom].len() <= 1);
            let disjuncts = match is_local {
                true => conjunctions(&snapshot.q, &component),
                false => Err(NotASnapshot::TooLarge),
            };
            let disjuncts = match disjuncts {
                Ok(disjuncts) => {
                    forms.properties.push(None);
                    disjuncts
                }
                Err(NotASnapshot::TooLarge) => {
                    let property = forms.property(ltl, &snapshot.q, locality, nodes)?;
                    forms.properties.push(Some(property));
                    Vec::new()
                }
                Err(error) => return Err(refused(ltl, format!("`{}`: {error}", snapshot.text))),
            };
            forms.all.push(disjuncts.clone());
            forms.guess(AtomId(crate::narrow::index(ltl.atoms.len() + k)), disjuncts, forbidden);
        }
        Ok(forms)
    }

    /// Adds the conjunctions of another snapshot to all guesses.
    fn guess(&mut self, number: AtomId, disjuncts: Vec<Conjunction>, forbidden: &Formula) {
        let may_guess = disjuncts.len() > 1
            && self.guesses.len() * disjuncts.len() <= MOST_GUESSES
            && !occurs_negated(forbidden, number, true);
        let versions: Vec<Vec<Conjunction>> = match may_guess {
            true => disjuncts.into_iter().map(|one| vec![one]).collect(),
            false => vec![disjuncts],
        };
        let with = |guess: &Vec<Vec<Conjunction>>| {
            let extended = versions
                .iter()
                .map(|version| [&guess[..], std::slice::from_ref(version)].concat());
            extended.collect::<Vec<_>>()
        };
        self.guesses = self.guesses.iter().flat_map(with).collect();
    }

    /// A boolean combination of propositions, in parts that read one component each.
    fn property(
        &mut self,
        ltl: &Ltl,
        q: &Formula,
        locality: &Locality<'_, '_>,
        nodes: &[Node],
    ) -> Result<Residual, CheckError> {
        use Formula::*;
        let mut of = |f: &Formula| self.property(ltl, f, locality, nodes);
        Ok(match q {
            True => Residual::Known(true),
            False => Residual::Known(false),
            Atom(atom) => {
                let k = atom.0 as usize;
                let value = locality.residual(&ltl.atoms[k], &nodes[k], &mut self.leaves);
                Residual::holds(value.map_err(CheckError::Snapshot)?)
            }
            Not(f) => of(f)?.not(),
            And(f, g) => Residual::joined(vec![of(f)?, of(g)?], true),
            Or(f, g) => Residual::joined(vec![of(f)?, of(g)?], false),
            Implies(f, g) => Residual::joined(vec![of(f)?.not(), of(g)?], false),
            Equivalent(f, g) => Residual::same(of(f)?, of(g)?),
            Next(_) | Eventually(_) | Always(_) | Until(..) | Release(..) | WeakUntil(..) => {
                return Err(refused(ltl, NotASnapshot::Temporal.to_string()));
            }
        })
    }

    /// A memory for the snapshots that have a property; none if none has.
    fn symbolic<'a>(&'a self, propositions: Propositions<'a>, participants: &Participants<'_>) -> Option<Symbolic<'a>> {
        let any = self.properties.iter().any(Option::is_some);
        any.then(|| {
            let processes = usize::from(propositions.program.initial[COUNT]);
            Symbolic::new(
                propositions,
                &self.leaves,
                &self.properties,
                participants.objects(),
                processes,
            )
        })
    }
}

/// The atoms of a formula.
fn atoms_of(q: &Formula) -> Vec<usize> {
    let mut atoms = Vec::new();
    q.clone().map(&mut |atom: AtomId| {
        atoms.push(atom.0 as usize);
        atom
    });
    atoms
}

/// Whether an atom occurs negatively in a formula: under an odd number of negations, or under an even number if the formula
/// itself is negated (not `positive`).
fn occurs_negated(f: &Formula, atom: AtomId, positive: bool) -> bool {
    use Formula::*;
    let same = |f: &Formula| occurs_negated(f, atom, positive);
    let opposite = |f: &Formula| occurs_negated(f, atom, !positive);
    match f {
        True | False => false,
        Atom(a) => *a == atom && !positive,
        Not(f) => opposite(f),
        Implies(f, g) => opposite(f) || same(g),
        Equivalent(f, g) => same(f) || opposite(f) || same(g) || opposite(g),
        Next(f) | Eventually(f) | Always(f) => same(f),
        And(f, g) | Or(f, g) | Until(f, g) | Release(f, g) | WeakUntil(f, g) => same(f) || same(g),
    }
}
