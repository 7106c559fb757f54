//! Checks references to variables, elements and fields.

use super::Checker;
use super::scope::{Meaning, nearest};
use crate::arithmetic;
use crate::diagnostic::Diagnostic;
use crate::ir::Scalar;
use crate::model::{self, Access, Base, Expr, ExprKind, GlobalId, MtypeId, Place, Type, Variable};
use crate::narrow::index;
use crate::syntax::{self, Part, Reference};

/// What a reference leads to.
pub(super) struct Target {
    pub(super) place: Place,
    /// The number of elements, if it is a whole array.
    pub(super) length: Option<u32>,
    /// The capacity and the fields of a channel that was declared with them.
    pub(super) channel: Option<(u32, Vec<Type>)>,
}

impl Checker<'_> {
    /// The set and value of a symbolic name, if the reference is one.
    pub(super) fn symbol(&self, reference: &Reference) -> Option<(MtypeId, i32)> {
        let [part] = &reference.parts[..] else { return None };
        match self.scopes.find(&part.name.text)?.meaning {
            Meaning::Symbol(set, value) if part.index.is_none() => Some((set, value)),
            _ => None,
        }
    }

    /// The scalar that an assignment changes. It does not count as read.
    pub(super) fn assigned(&mut self, reference: &Reference) -> Option<Place> {
        let place = self.place(reference)?;
        if let Base::Global(id) = place.base
            && let Some(reads) = self.reads.get_mut(&id)
        {
            *reads -= 1;
        }
        Some(place)
    }

    /// Makes hidden variables that are read part of the state, since their values decide what happens.
    pub(super) fn unhide(&mut self) {
        for (k, variable) in self.model.globals.iter_mut().enumerate() {
            let reads = self.reads.get(&GlobalId(index(k))).copied();
            variable.hidden &= reads.unwrap_or(0) == 0;
        }
    }

    /// The scalar that a reference leads to.
    pub(super) fn place(&mut self, reference: &Reference) -> Option<Place> {
        let target = self.target(reference, None)?;
        self.scalar(target, reference)
    }

    fn scalar(&mut self, target: Target, reference: &Reference) -> Option<Place> {
        if target.length.is_some() {
            let diagnostic = Diagnostic::error("promela::index", reference.at.span, "this array needs an index");
            self.report(diagnostic.help("say which element, as in `a[0]`"), reference.at);
            return None;
        }
        if let Type::Record(id) = target.place.kind {
            let name = &self.model.records[id.0 as usize].name;
            let message = format!("this is a whole record of type `{name}`: say which field");
            self.error("promela::type", reference.at, message);
            return None;
        }
        Some(target.place)
    }

    /// What a reference leads to, which may be a whole array or record. `within` is the
    /// proctype whose local variable it is, for remote references.
    pub(super) fn target(&mut self, reference: &Reference, within: Option<usize>) -> Option<Target> {
        let (first, rest) = reference.parts.split_first()?;
        let (base, variable) = match within {
            None => self.base(first)?,
            Some(proctype) => self.remote_base(first, proctype)?,
        };
        if let Base::Global(id) = base {
            *self.reads.entry(id).or_default() += 1;
        }
        let place = |path, kind| Place {
            base,
            path,
            kind,
            span: reference.at.span,
        };
        if base == Base::Scratch {
            return Some(Target {
                place: place(Vec::new(), Type::Int),
                length: None,
                channel: None,
            });
        }
        let (variable, path, length) = self.follow(variable?, first, rest)?;
        let channel = match variable.initial {
            model::Initial::Channel { capacity, fields } => Some((capacity, fields)),
            _ => None,
        };
        Some(Target {
            place: place(path, variable.kind),
            length,
            channel,
        })
    }

    /// Follows indices and fields from `variable`, which `first` names: the variable or field at the end, the path to
    /// it, and its length if it is a whole array.
    fn follow(
        &mut self,
        mut variable: Variable,
        first: &Part,
        rest: &[Part],
    ) -> Option<(Variable, Vec<Access>, Option<u32>)> {
        let mut path = Vec::new();
        let mut part = first;
        let mut rest = rest.iter();
        loop {
            let whole = self.element(part, &variable, &mut path);
            let Some(next) = rest.next() else {
                return Some((variable, path, whole));
            };
            if whole.is_some() {
                let message = format!("the array `{}` needs an index here", part.name.text);
                self.error("promela::index", part.name.at, message);
                return None;
            }
            let (position, field) = self.field(part, &variable, next)?;
            path.push(Access::Field(position));
            variable = field;
            part = next;
        }
    }

    /// The field of `variable` that `next` names, and its position.
    fn field(&mut self, part: &Part, variable: &Variable, next: &Part) -> Option<(u32, Variable)> {
        let Type::Record(id) = variable.kind else {
            let message = format!("`{}` has no fields", part.name.text);
            let diagnostic = Diagnostic::error("promela::type", next.name.at.span, message);
            self.report(diagnostic.note(variable.span, "declared here"), next.name.at);
            return None;
        };
        let record = &self.model.records[id.0 as usize];
        if let Some(k) = record.fields.iter().position(|field| *field.name == *next.name.text) {
            return Some((index(k), record.fields[k].clone()));
        }
        let message = format!("the type `{}` has no field `{}`", record.name, next.name.text);
        let mut diagnostic = Diagnostic::error("promela::undeclared", next.name.at.span, message);
        if let Some(near) = nearest(&next.name.text, record.fields.iter().map(|field| &*field.name)) {
            diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
        }
        self.report(diagnostic, next.name.at);
        None
    }

    /// Adds the index of `part` to the path. The length of the array, if the index is missing.
    fn element(&mut self, part: &Part, variable: &Variable, path: &mut Vec<Access>) -> Option<u32> {
        match (&part.index, variable.length) {
            (None, length) => return length,
            (Some(index), Some(length)) => {
                let index = self.value(index);
                if let ExprKind::Constant(value) = index.kind
                    && (value < 0 || value as u32 >= length)
                {
                    let message = format!("`{}` has the elements 0 to {}, not {value}", variable.name, length - 1);
                    let diagnostic = Diagnostic::warning("promela::index", index.span, message);
                    let at = part.index.as_ref().map_or(part.name.at, |index| index.at);
                    self.report(diagnostic.note(variable.span, "declared here"), at);
                }
                path.push(Access::Index(index));
            }
            (Some(index), None) => {
                let message = format!("`{}` is not an array: the index is ignored", variable.name);
                self.warning("promela::index", index.at, message);
            }
        }
        None
    }

    fn base(&mut self, part: &Part) -> Option<(Base, Option<Variable>)> {
        let name = &part.name;
        match &*name.text {
            "_" => return Some((Base::Scratch, None)),
            "STDIN" => {
                self.error("promela::unsupported", name.at, "reading from `STDIN` is not supported");
                return None;
            }
            _ => {}
        }
        match self.scopes.find(&name.text).map(|entry| entry.meaning) {
            Some(Meaning::Global(id)) => {
                let variable = self.model.globals[id.0 as usize].clone();
                Some((Base::Global(id), Some(variable)))
            }
            Some(Meaning::Local(id)) => {
                let variable = self.body.locals[id.0 as usize].clone();
                Some((Base::Local(id), Some(variable)))
            }
            Some(meaning) => {
                let what = match meaning {
                    Meaning::Symbol(..) => "a symbolic name",
                    Meaning::Proctype(_) => "a proctype",
                    _ => "a type",
                };
                self.error(
                    "promela::type",
                    name.at,
                    format!("`{}` is {what}, not a variable", name.text),
                );
                None
            }
            None => {
                self.undeclared("variable", name, |meaning| {
                    matches!(meaning, Meaning::Global(_) | Meaning::Local(_) | Meaning::Symbol(..))
                });
                None
            }
        }
    }

    fn remote_base(&mut self, part: &Part, proctype: usize) -> Option<(Base, Option<Variable>)> {
        let head = &self.model.proctypes[proctype];
        if let Some((k, variable)) = self.outlines[proctype].variable(head, &part.name.text) {
            let variable = variable.clone();
            return Some((Base::Local(model::VariableId(index(k))), Some(variable)));
        }
        let message = format!("the proctype `{}` has no variable `{}`", head.name, part.name.text);
        self.error("promela::undeclared", part.name.at, message);
        None
    }

    /// Warns about a constant that does not fit in the type it is stored in, and is truncated.
    pub(super) fn fits(&mut self, value: &syntax::Expr, kind: Type) {
        let Some(constant) = self.literal(value) else { return };
        let stored = truncate(constant, kind);
        if stored != constant {
            let message = format!("{constant} does not fit in {}: it is stored as {stored}", shown(kind));
            self.warning("promela::truncated", value.at, message);
        }
    }

    /// The value of an expression made of numbers only.
    fn literal(&self, value: &syntax::Expr) -> Option<i32> {
        match &value.kind {
            syntax::ExprKind::Constant(value) => Some(*value),
            syntax::ExprKind::Unary(operator, operand) => Some(arithmetic::unary(*operator, self.literal(operand)?)),
            syntax::ExprKind::Binary(operator, a, b) => {
                arithmetic::binary(*operator, self.literal(a)?, self.literal(b)?)
            }
            _ => None,
        }
    }

    /// Checks a reference whose value is read.
    pub(super) fn read(&mut self, reference: &Reference) -> Option<ExprKind> {
        if let [part] = &reference.parts[..] {
            let span = part.name.at.span;
            let pid = Expr {
                kind: ExprKind::Pid,
                span,
            };
            match &*part.name.text {
                "_pid" => return Some(ExprKind::Pid),
                "_nr_pr" => return Some(ExprKind::ProcessCount),
                "_last" => return Some(ExprKind::Last),
                "_priority" => return Some(ExprKind::GetPriority(Box::new(pid))),
                // In a trace assertion `_` stands for any value.
                "_" if self.body.is_trace => {}
                "_" => {
                    self.error("promela::write-only", reference.at, "`_` can be assigned but not read");
                    return None;
                }
                _ => {}
            }
            if let Some((_, value)) = self.symbol(reference) {
                return Some(ExprKind::Constant(value));
            }
        }
        self.place(reference).map(ExprKind::Read)
    }
}

/// The value that a variable of the given type stores.
fn truncate(value: i32, kind: Type) -> i32 {
    match kind {
        Type::Record(_) => value,
        _ => Scalar::of(kind).truncate(value),
    }
}

fn shown(kind: Type) -> String {
    match kind {
        Type::Bit => "a bit".to_owned(),
        Type::Bool => "a bool".to_owned(),
        Type::Byte | Type::Pid => "a byte".to_owned(),
        Type::Short => "a short".to_owned(),
        Type::Int => "an int".to_owned(),
        Type::Unsigned(bits) => format!("{bits} bits"),
        Type::Mtype(_) => "an mtype".to_owned(),
        Type::Chan => "a channel".to_owned(),
        Type::Record(_) => "a record".to_owned(),
    }
}
