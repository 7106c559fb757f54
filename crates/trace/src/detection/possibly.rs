//! Possibly: which method, and what it found.
//!
//! A disjunction of conjunctions of 1-local predicates may go to the linear algorithm, one
//! disjunct after the other, since Possibly distributes over "or"; if there are many, a search that takes no longer than
//! that goes first. Everything else goes to the search by sequences of events; if that takes long and a small fixed set
//! makes it certain to end soon, to the decomposition.

use super::conjunctive::local_truths;
use super::search::PossiblySets;
use super::{
    DetectError, Detection, Explored, MemberOrder, Method, conjunctive, decompose, enumerate, insertion_order, search,
    sequences, witness,
};
use crate::causality::{Causality, Cut};
use crate::clocks::Clocks;
use crate::condition::{Condition, Reading};
use crate::detection::Answer;
use crate::narrow::short;
use crate::predicate::Node;
use mazurka_core::{End, Limit, Limits, Reduction};

/// Disjunctive normal forms are not made larger: the memory for them would be.
const DISJUNCTS: usize = 4096;
/// A disjunction of so few conjunctions goes to the linear algorithm: no search is worth the trouble.
const FEW: usize = 16;
/// How many events the linear algorithm goes through, with what it costs to begin, while the search looks at a state: roughly,
/// measured on runs of the paper's protocols.
const STATE: u64 = 100;
/// States that the search may look at before decomposition is considered.
const FIRST_TRY: u64 = 50_000;
/// A bound on the work of a decomposition that is worth trying, in local states.
const DECOMPOSITION: f64 = 3e8;

/// How it was looked for, a cut if there is one, and whether a part without a value was met.
type Found = (Method, Explored<Option<Cut>>, bool);

impl Detection<'_> {
    /// Answers Possibly.
    pub(super) fn possibly(mut self) -> Result<Answer, DetectError> {
        let (method, explored, undefined) = self.possibly_by(Reading::Certain)?;
        let limit = explored.limit();
        let minimal = method == Method::Conjunctive;
        match explored.result {
            Some(cut) => {
                let witness = witness::cut(self.computation, self.formula, cut, minimal, self.settings.limits)?;
                Ok(self.answer(true, method, Some(witness)))
            }
            None => {
                if let Some(limit) = limit {
                    return Ok(self.stopped(method, limit));
                }
                if undefined {
                    // No state certainly satisfies the predicate. If in some state it has
                    // no value, there is no answer. This is a second search for another
                    // predicate; what it costs is not counted.
                    let counted = (self.states, self.transitions);
                    let (_, explored, _) = self.possibly_by(Reading::Perhaps)?;
                    (self.states, self.transitions) = counted;
                    if let Some(cut) = explored.result {
                        return Err(witness::undefined(self.computation, self.formula, cut));
                    }
                    if let Some(limit) = explored.limit() {
                        return Ok(self.stopped(method, limit));
                    }
                }
                Ok(self.answer(false, method, None))
            }
        }
    }

    /// A cut of the computation in which the predicate holds under a reading, and
    /// whether a part without a value was met.
    fn possibly_by(&mut self, reading: Reading) -> Result<Found, DetectError> {
        let limits = self.settings.limits;
        match self.settings.method {
            Method::Auto => {
                if let Some(disjuncts) = self.formula.local_disjuncts(DISJUNCTS) {
                    return Ok(self.cheaper(&disjuncts, reading));
                }
            }
            Method::Conjunctive => {
                if let Some(disjuncts) = self.formula.local_disjuncts(DISJUNCTS) {
                    return Ok(self.disjunction(&disjuncts, reading));
                }
                let reason = match self.formula.disjuncts(DISJUNCTS) {
                    None => format!("as a disjunction of conjunctions it has more than {DISJUNCTS} disjuncts"),
                    Some(_) => "a literal reads more than one process; try `search`".to_owned(),
                };
                return Err(Self::unsuitable(Method::Conjunctive, reason));
            }
            Method::Conference => return Err(Self::unsuitable(Method::Conference, "it is for Definitely only")),
            Method::Search | Method::Enumerate | Method::Decompose | Method::Stubborn => {}
        }
        let condition = Condition::new(self.computation, self.formula, reading);
        let explored = match (self.settings.method, self.settings.reduction) {
            (Method::Enumerate, _) => {
                let condition = condition.expanded();
                let explored = enumerate::possibly(self.order(), &self.clocks(), &condition, limits);
                self.count(&explored);
                return Ok((Method::Enumerate, explored, condition.met_undefined()));
            }
            (Method::Search, Some(reduction)) => {
                let condition = condition.expanded();
                let explored = match self.settings.order {
                    MemberOrder::LastFirst => {
                        search::possibly(self.order(), &condition, reduction, PossiblySets::Specialised, limits)
                    }
                    MemberOrder::Insertion => {
                        insertion_order::possibly(self.order(), self.formula, &condition, reduction, limits)
                    }
                };
                self.count(&explored);
                return Ok((Method::Search, explored, condition.met_undefined()));
            }
            (Method::Stubborn, reduction) => {
                let condition = condition.expanded();
                let reduction = reduction.unwrap_or(Reduction::Full);
                let sets = PossiblySets::ConditionalStubborn;
                let explored = search::possibly(self.order(), &condition, reduction, sets, limits);
                self.count(&explored);
                return Ok((Method::Stubborn, explored, condition.met_undefined()));
            }
            (Method::Decompose, _) if self.settings.all_events => {
                let condition = condition.expanded();
                let explored = decompose::possibly(self.order(), &self.clocks(), &condition, limits);
                self.count(&explored);
                return Ok((Method::Decompose, explored, condition.met_undefined()));
            }
            (method, _) => {
                let order = condition.projected_order();
                self.remark(format!(
                    "{} of {} events can change it",
                    order.total(),
                    self.order().total()
                ));
                let (method, explored) = match method {
                    Method::Decompose => self.decompose(&order, &condition),
                    Method::Search => (Method::Search, self.sequences(&order, &condition, limits)),
                    _ => self.portfolio(&order, &condition),
                };
                let kept = |cut: Cut| witness::raw_cut(self.order(), &condition, &cut);
                (method, explored.map(|found| found.map(kept)))
            }
        };
        Ok((explored.0, explored.1, condition.met_undefined()))
    }

    fn sequences(&mut self, order: &Causality, condition: &Condition<'_>, limits: Limits<'_>) -> Explored<Option<Cut>> {
        let explored = sequences::possibly(order, condition, &order.last_cut(), limits);
        self.count(&explored);
        explored
    }

    fn decompose(&mut self, order: &Causality, condition: &Condition<'_>) -> (Method, Explored<Option<Cut>>) {
        let clocks = Clocks::of(order).expect("a projection of an acyclic order");
        let explored = decompose::possibly(order, &clocks, condition, self.settings.limits);
        self.count(&explored);
        (Method::Decompose, explored)
    }

    /// The search, and if it takes long, decomposition where that is bound to end soon.
    fn portfolio(&mut self, order: &Causality, condition: &Condition<'_>) -> (Method, Explored<Option<Cut>>) {
        let most = self.settings.limits.states.unwrap_or(u64::MAX);
        let mut limits = self.settings.limits;
        limits.states = Some(most.min(FIRST_TRY));
        self.remark("method: selective search by sequences of events");
        let explored = self.sequences(order, condition, limits);
        if explored.limit() != Some(Limit::States) || most <= FIRST_TRY {
            return (Method::Search, explored);
        }
        let fixed = decompose::fixed_set(condition);
        let combinations: f64 = fixed.iter().map(|p| f64::from(order.events(*p)) + 1.0).product();
        if combinations * order.total() as f64 <= DECOMPOSITION {
            self.remark(format!(
                "method: it takes more than {FIRST_TRY} states, so decomposition with {} fixed processes",
                fixed.len()
            ));
            return self.decompose(order, condition);
        }
        (Method::Search, self.sequences(order, condition, self.settings.limits))
    }

    /// A disjunction of conjunctions that suit the linear algorithm: that algorithm for each, or one search for all.
    ///
    /// How long the linear algorithm takes is known: it goes through the events once for each disjunct. How long the search
    /// takes nobody knows. So the search goes first, until it has taken as long as the linear algorithm would, and then that
    /// takes over. Together they take about twice as long as the faster of them, at most.
    fn cheaper(&mut self, disjuncts: &[Vec<Node>], reading: Reading) -> Found {
        if disjuncts.len() <= FEW {
            return self.disjunction(disjuncts, reading);
        }
        let events = self.order().total().saturating_add(self.order().processes() as u64);
        let affordable = events.saturating_mul(disjuncts.len() as u64) / STATE;
        let condition = Condition::new(self.computation, self.formula, reading);
        let order = condition.projected_order();
        let mut limits = self.settings.limits;
        let most = limits.states.unwrap_or(u64::MAX);
        limits.states = Some(most.min(affordable));
        self.remark(format!(
            "method: the linear algorithm would go through {events} events for each of {} conjunctions; selective search \
             by sequences of events, for {affordable} states at most",
            disjuncts.len()
        ));
        let explored = self.sequences(&order, &condition, limits);
        if explored.limit() == Some(Limit::States) && affordable < most {
            self.remark(format!("method: it takes more than {affordable} states"));
            return self.disjunction(disjuncts, reading);
        }
        let explored = explored.map(|found| found.map(|cut| witness::raw_cut(self.order(), &condition, &cut)));
        (Method::Search, explored, condition.met_undefined())
    }

    /// The smallest of the least cuts of the disjuncts: Possibly distributes over "or", and each disjunct that
    /// is a conjunction of 1-local literals has a least cut.
    fn disjunction(&mut self, disjuncts: &[Vec<Node>], reading: Reading) -> Found {
        self.remark(match disjuncts.len() {
            1 => "method: a conjunction of predicates of one process each: linear".to_owned(),
            n => {
                format!("method: a disjunction of {n} conjunctions of predicates of one process each: linear for each")
            }
        });
        let (mut undefined, mut best) = (false, None);
        let (mut states, mut transitions, mut end) = (0, 0, End::Complete);
        // With many disjuncts it pays to forget the events that change none of them.
        let projected = (disjuncts.len() > 1 && !self.settings.all_events).then(|| {
            let literals: Vec<&Node> = disjuncts.iter().flatten().collect();
            let condition = Condition::of(self.computation, self.formula, &literals, reading);
            let order = condition.projected_order();
            (condition, order)
        });
        for disjunct in disjuncts {
            let conjuncts: Vec<&Node> = disjunct.iter().collect();
            let condition = Condition::of(self.computation, self.formula, &conjuncts, reading);
            undefined |= condition.met_undefined();
            if condition.is_never() {
                continue;
            }
            let explored = match &projected {
                None => {
                    let truth = local_truths(&condition, |p| condition.changes(p).to_vec());
                    conjunctive::possibly(self.order(), &truth, self.settings.limits)
                }
                Some((whole, order)) => {
                    let truth = local_truths(&condition, |p| {
                        let kept = whole.changes(p);
                        let changes = condition.changes(p).iter();
                        changes.map(|e| short(kept.partition_point(|k| k < e))).collect()
                    });
                    conjunctive::possibly(order, &truth, self.settings.limits)
                        .map(|found| found.map(|cut| witness::raw_cut(self.order(), whole, &cut)))
                }
            };
            states += explored.states;
            transitions += explored.transitions;
            if let End::Limit(_) = explored.end {
                end = explored.end;
                break;
            }
            let size = |cut: &Cut| cut.iter().map(|k| u64::from(*k)).sum::<u64>();
            if let Some(cut) = explored.result
                && best.as_ref().is_none_or(|b| size(&cut) < size(b))
            {
                best = Some(cut);
            }
        }
        let explored = Explored {
            end: if best.is_some() { End::Stopped } else { end },
            result: best,
            states,
            transitions,
        };
        self.count(&explored);
        (Method::Conjunctive, explored, undefined)
    }
}
