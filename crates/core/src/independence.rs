//! Which transitions of a model interfere, from the tables of its objects.
//!
//! Two transitions are independent in a state if no process moves with both and
//! every two of their operations on a common object are independent there
//! (thesis, Def. 3.21). Everything that does not depend on the state is computed
//! here once, as bit sets.

use crate::bitset::{self, BitMatrix, BitSet};
use crate::ids::{LocalId, ObjectId, ProcessId, TransitionId};
use crate::model::{Model, Obstacle, Use};
use crate::objects::{Op, Relation, Succession};
use crate::structure::{Precision, Structure};
use crate::system::Dependency;

/// A model together with one of its valid dependency relations.
///
/// ```
/// # use mazurka_core::{Builder, Dependency, Independence, Relation, System};
/// # let mut m = Builder::new("m");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// let [b0, b1] = m.process("B", ["b0", "b1"]);
/// let (x, y) = (m.boolean("x"), m.boolean("y"));
/// m.transition("a", a0, a1).then(x.write(1));
/// m.transition("b", b0, b1).then(y.write(1));
/// m.transition("c", b0, b1).then(x.write(0));
/// let model = m.build()?;
/// let [a, b, c] = ["a", "b", "c"].map(|name| model.transition_named(name).expect("it was added"));
///
/// let mut state = Vec::new();
/// model.initial(&mut state);
/// let independence = Independence::new(&model, Relation::Conditional);
/// assert!(independence.independent(&state, a, b));
/// assert!(!independence.independent(&state, a, c)); // both write x
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Independence<'m> {
    model: &'m Model,
    relation: Relation,
    /// Per transition: the processes that move with it.
    active: BitMatrix,
    /// Per transition: those in conflict with it.
    conflict: BitMatrix,
    /// Per transition: those that move none of its processes.
    parallel: BitMatrix,
    /// Per transition, among the parallel ones.
    can_be_dependent: BitMatrix,
    /// Per transition, among the parallel ones.
    do_not_accord: BitMatrix,
    /// Per transition: see [`Structure::not_left_commuting`].
    not_left_commuting: BitMatrix,
    /// Per control point: the transitions that arrive there from elsewhere.
    entering: BitMatrix,
    /// Per control point: see [`Structure::processes_added`].
    processes_added: BitMatrix,
    /// Per object: the operations that the model uses on it.
    operations: Vec<Vec<Operation>>,
    /// Per transition: what could interfere with it.
    threats: Vec<Vec<Threat>>,
    /// The transitions that make values larger on balance.
    growing: BitSet,
    /// Per transition: those that are to count as dependent with it, if there are any.
    ordered: Option<BitMatrix>,
}

/// An operation that the model uses on some object.
#[derive(Debug)]
struct Operation {
    op: Op,
    /// The transitions that use it.
    users: Vec<u64>,
    /// The transitions that use an operation that can-be-dependent with it.
    can_be_dependent: Vec<u64>,
    /// The transitions that use an operation that does not accord with it.
    do_not_accord: Vec<u64>,
    /// The positions of the operations that can-be-dependent with it.
    partners: Vec<usize>,
}

/// A pair of operations, of one transition and of others, that do-not-accord.
#[derive(Debug)]
struct Threat {
    object: ObjectId,
    mine: Op,
    theirs: Op,
    /// Where `theirs` is among the operations on the object.
    position: usize,
}

impl<'m> Independence<'m> {
    /// Computes what does not depend on the state.
    pub fn new(model: &'m Model, relation: Relation) -> Self {
        let count = model.transitions();
        let all = || (0..count).map(TransitionId::new);
        let mut active = BitMatrix::new(count, model.processes());
        for t in all() {
            for p in model.active(t) {
                bitset::insert(active.row_mut(t.index()), p.index());
            }
        }
        let mut built = Self {
            model,
            relation,
            active,
            conflict: BitMatrix::new(count, count),
            parallel: BitMatrix::new(count, count),
            can_be_dependent: BitMatrix::new(count, count),
            do_not_accord: BitMatrix::new(count, count),
            not_left_commuting: BitMatrix::new(count, count),
            entering: BitMatrix::new(model.locals(), count),
            processes_added: BitMatrix::new(model.locals(), model.processes()),
            operations: operations(model, relation),
            threats: Vec::new(),
            growing: BitSet::new(count),
            ordered: None,
        };
        built.relate_control();
        built.relate_operations();
        for t in all() {
            let growth = |used: &Use| i32::from(model.object_type(used.object).growth(used.op));
            if model.used(t).iter().map(growth).sum::<i32>() > 0 {
                bitset::insert(&mut built.growing, t.index());
            }
        }
        built.threats = all().map(|t| built.threats_to(t)).collect();
        built.add_processes();
        built
    }

    /// The same relation, where transitions of one set are dependent too. Then a reduction keeps their order.
    ///
    /// ```
    /// # use mazurka_core::bitset::{self, BitSet};
    /// # use mazurka_core::{Builder, Dependency, Independence, Relation, System, TransitionId};
    /// # let mut m = Builder::new("m");
    /// # let [a] = m.process("A", ["a"]);
    /// # let [b] = m.process("B", ["b"]);
    /// # m.transition("a", a, a);
    /// # m.transition("b", b, b);
    /// # let model = m.build()?;
    /// # let mut state = Vec::new();
    /// # model.initial(&mut state);
    /// let [a, b] = [0, 1].map(TransitionId::new);
    /// let independence = Independence::new(&model, Relation::Conditional);
    /// assert!(independence.independent(&state, a, b));
    /// let mut both = BitSet::new(2);
    /// both.set_all(2);
    /// assert!(!independence.with_order(&[both]).independent(&state, a, b));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_order(mut self, sets: &[BitSet]) -> Self {
        let count = self.model.transitions();
        let mut ordered = self.ordered.take().unwrap_or_else(|| BitMatrix::new(count, count));
        for set in sets {
            for t in bitset::iter(set) {
                let row = ordered.row_mut(t);
                for (word, (set, parallel)) in row.iter_mut().zip(set.iter().zip(self.parallel.row(t))) {
                    *word |= set & parallel;
                }
            }
        }
        for t in 0..count {
            bitset::union(self.can_be_dependent.row_mut(t), ordered.row(t));
            bitset::union(self.do_not_accord.row_mut(t), ordered.row(t));
            bitset::union(self.not_left_commuting.row_mut(t), ordered.row(t));
        }
        self.ordered = Some(ordered);
        self.add_processes();
        self
    }

    /// Fills what Algorithm 2 adds for each control point.
    fn add_processes(&mut self) {
        for t in (0..self.model.transitions()).map(TransitionId::new) {
            for local in self.model.preset(t) {
                let row = self.processes_added.row_mut(local.index());
                bitset::union(row, self.active.row(t.index()));
                for u in bitset::iter(self.can_be_dependent.row(t.index())) {
                    bitset::union(row, self.active.row(u));
                }
            }
        }
    }

    /// The transitions that [`Self::with_order`] made dependent with `t`.
    #[inline]
    fn ordered_with(&self, t: TransitionId) -> Option<&[u64]> {
        self.ordered.as_ref().map(|ordered| ordered.row(t.index()))
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The relation that was chosen.
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// Fills what follows from control points alone.
    fn relate_control(&mut self) {
        let model = self.model;
        let count = model.transitions();
        let mut moving = BitMatrix::new(model.processes(), count);
        let mut leaving = BitMatrix::new(model.locals(), count);
        for t in (0..count).map(TransitionId::new) {
            for process in model.active(t) {
                bitset::insert(moving.row_mut(process.index()), t.index());
            }
            for (from, to) in model.preset(t).iter().zip(model.postset(t)) {
                bitset::insert(leaving.row_mut(from.index()), t.index());
                if from != to {
                    bitset::insert(self.entering.row_mut(to.index()), t.index());
                }
            }
        }
        let mut together = BitSet::default();
        for t in (0..count).map(TransitionId::new) {
            together.reset(count);
            for process in model.active(t) {
                bitset::union(&mut together, moving.row(process.index()));
            }
            let parallel = self.parallel.row_mut(t.index());
            for u in (0..count).filter(|u| !bitset::contains(&together, *u)) {
                bitset::insert(parallel, u);
            }
            let conflict = self.conflict.row_mut(t.index());
            for local in model.preset(t) {
                bitset::union(conflict, leaving.row(local.index()));
            }
            bitset::remove(conflict, t.index());
        }
    }

    /// Fills what follows from the operations on common objects. Only transitions
    /// that have a process or an object in common are ever compared.
    fn relate_operations(&mut self) {
        let model = self.model;
        let mut touching = BitMatrix::new(model.objects(), model.transitions());
        for (o, operations) in self.operations.iter().enumerate() {
            for operation in operations {
                bitset::union(touching.row_mut(o), &operation.users);
            }
        }
        let mut related = BitSet::default();
        for t in (0..model.transitions()).map(TransitionId::new) {
            let i = t.index();
            related.reset(model.transitions());
            for (word, parallel) in related.iter_mut().zip(self.parallel.row(i)) {
                *word = !parallel;
            }
            for used in model.used(t) {
                bitset::union(&mut related, touching.row(used.object.index()));
                let operations = &self.operations[used.object.index()];
                let operation = operations.iter().find(|o| o.op == used.op);
                let operation = operation.expect("every use is listed");
                bitset::union(self.can_be_dependent.row_mut(i), &operation.can_be_dependent);
                bitset::union(self.do_not_accord.row_mut(i), &operation.do_not_accord);
            }
            for k in 0..related.len() {
                let parallel = self.parallel.row(i)[k];
                self.can_be_dependent.row_mut(i)[k] &= parallel;
                self.do_not_accord.row_mut(i)[k] &= parallel;
            }
            for j in bitset::iter(&related).take_while(|j| *j < model.transitions()) {
                let u = TransitionId::new(j);
                if t != u && !self.left_commutes(u, t) {
                    bitset::insert(self.not_left_commuting.row_mut(i), j);
                }
            }
        }
    }

    /// Whether `u` and then `t` implies `t` and then `u`, with the same result.
    fn left_commutes(&self, u: TransitionId, t: TransitionId) -> bool {
        let mut shares_process = false;
        for (process, leaves) in self.model.active(t).iter().zip(self.model.preset(t)) {
            if let Ok(k) = self.model.active(u).binary_search(process) {
                shares_process = true;
                if self.model.postset(u)[k] != *leaves {
                    return true; // `t` cannot follow `u` at once
                }
            }
        }
        let mut matters = shares_process;
        for (o, b, a) in self.shared_pairs(t, u) {
            match self.model.object_type(o).succession(a, b) {
                Succession::Never => return true,
                Succession::Swaps => {}
                Succession::Matters => matters = true,
            }
        }
        !matters
    }

    /// Pairs of operations of `t` and `u` on a common object.
    fn shared_pairs(&self, t: TransitionId, u: TransitionId) -> impl Iterator<Item = (ObjectId, Op, Op)> + use<'m> {
        let model = self.model;
        model.used(t).iter().flat_map(move |a| {
            let same = model.used(u).iter().filter(move |b| b.object == a.object);
            same.map(move |b| (a.object, a.op, b.op))
        })
    }

    fn threats_to(&self, t: TransitionId) -> Vec<Threat> {
        let mut threats = Vec::new();
        for used in self.model.used(t) {
            let object = self.model.object_type(used.object);
            let parallel = self.parallel.row(t.index());
            for (position, other) in self.operations[used.object.index()].iter().enumerate() {
                if bitset::intersects(&other.users, parallel) && object.do_not_accord(used.op, other.op, self.relation)
                {
                    threats.push(Threat {
                        object: used.object,
                        mine: used.op,
                        theirs: other.op,
                        position,
                    });
                }
            }
        }
        threats
    }

    fn operation(&self, used: &Use) -> &Operation {
        let operations = &self.operations[used.object.index()];
        let found = operations.iter().find(|o| o.op == used.op);
        found.expect("every use is listed")
    }

    /// Adds the users of the operations that might be the first to interfere
    /// with `used` from `state`.
    fn first_users(&self, state: &[u8], used: &Use, out: &mut [u64]) {
        let object = self.model.object_type(used.object);
        let value = self.model.value(state, used.object);
        let operations = &self.operations[used.object.index()];
        for partner in &self.operation(used).partners {
            let other = &operations[*partner];
            if object.first_to_interfere(used.op, other.op, value, self.relation) {
                bitset::union(out, &other.users);
            }
        }
    }
}

/// The operations that transitions use, per object.
fn operations(model: &Model, relation: Relation) -> Vec<Vec<Operation>> {
    let words = bitset::words_for(model.transitions());
    let mut all: Vec<Vec<Operation>> = (0..model.objects()).map(|_| Vec::new()).collect();
    for t in (0..model.transitions()).map(TransitionId::new) {
        for used in model.used(t) {
            let list = &mut all[used.object.index()];
            let position = list.iter().position(|o| o.op == used.op);
            let position = position.unwrap_or_else(|| {
                list.push(Operation {
                    op: used.op,
                    users: vec![0; words],
                    can_be_dependent: vec![0; words],
                    do_not_accord: vec![0; words],
                    partners: Vec::new(),
                });
                list.len() - 1
            });
            bitset::insert(&mut list[position].users, t.index());
        }
    }
    for (o, list) in all.iter_mut().enumerate() {
        let object = model.object_type(ObjectId::new(o));
        for i in 0..list.len() {
            for j in 0..list.len() {
                let (a, b) = (list[i].op, list[j].op);
                let users = std::mem::take(&mut list[j].users);
                if object.can_be_dependent(a, b, relation) {
                    bitset::union(&mut list[i].can_be_dependent, &users);
                    list[i].partners.push(j);
                }
                if object.do_not_accord(a, b, relation) {
                    bitset::union(&mut list[i].do_not_accord, &users);
                }
                list[j].users = users;
            }
        }
    }
    all
}

impl Dependency<TransitionId> for Independence<'_> {
    #[inline]
    fn independent(&self, state: &[u8], t: TransitionId, u: TransitionId) -> bool {
        if !bitset::contains(self.parallel.row(t.index()), u.index()) {
            return false;
        }
        if !bitset::contains(self.can_be_dependent.row(t.index()), u.index()) {
            return true;
        }
        if self.ordered_with(t).is_some_and(|row| bitset::contains(row, u.index())) {
            return false;
        }
        self.shared_pairs(t, u).all(|(o, a, b)| {
            let value = self.model.value(state, o);
            !self.model.object_type(o).dependent(a, b, value, self.relation)
        })
    }
}

impl Structure for Independence<'_> {
    fn transitions(&self) -> usize {
        self.model.transitions()
    }

    fn processes(&self) -> usize {
        self.model.processes()
    }

    fn local(&self, state: &[u8], process: ProcessId) -> LocalId {
        self.model.local(state, process)
    }

    fn active(&self, t: TransitionId) -> &[u64] {
        self.active.row(t.index())
    }

    fn in_conflict(&self, t: TransitionId) -> &[u64] {
        self.conflict.row(t.index())
    }

    fn can_be_dependent(&self, t: TransitionId) -> &[u64] {
        self.can_be_dependent.row(t.index())
    }

    fn processes_added(&self, local: LocalId) -> &[u64] {
        self.processes_added.row(local.index())
    }

    #[inline]
    fn interfering(&self, state: &[u8], t: TransitionId, precision: Precision, out: &mut [u64]) {
        match precision {
            Precision::Static => bitset::union(out, self.do_not_accord.row(t.index())),
            // The operations of an enabled transition are defined and stay so
            // until something interferes, so what interferes does not accord.
            Precision::Conditional => {
                if let Some(ordered) = self.ordered_with(t) {
                    bitset::union(out, ordered);
                }
                let parallel = self.parallel.row(t.index());
                for threat in &self.threats[t.index()] {
                    let object = self.model.object_type(threat.object);
                    let value = self.model.value(state, threat.object);
                    if object.first_to_interfere(threat.mine, threat.theirs, value, self.relation) {
                        let users = &self.operations[threat.object.index()][threat.position].users;
                        for ((out, user), parallel) in out.iter_mut().zip(users).zip(parallel) {
                            *out |= user & parallel;
                        }
                    }
                }
            }
        }
    }

    fn not_left_commuting(&self, t: TransitionId) -> &[u64] {
        self.not_left_commuting.row(t.index())
    }

    fn grows(&self, t: TransitionId) -> bool {
        bitset::contains(&self.growing, t.index())
    }

    #[inline]
    fn enabling_sets(
        &self,
        state: &[u8],
        t: TransitionId,
        precision: Precision,
        scratch: &mut [u64],
        mut each: impl FnMut(&[u64]),
    ) {
        self.model.obstacles(state, t, |obstacle| {
            let one;
            let uses: &[Use] = match obstacle {
                Obstacle::NotAt(local) => {
                    return each(self.entering.row(local.index()));
                }
                Obstacle::Condition(uses) => uses,
                Obstacle::Undefined(used) => {
                    one = [used];
                    &one
                }
            };
            scratch.fill(0);
            for used in uses {
                match precision {
                    Precision::Static => bitset::union(scratch, &self.operation(used).can_be_dependent),
                    Precision::Conditional => self.first_users(state, used, scratch),
                }
            }
            each(scratch);
        });
    }
}
