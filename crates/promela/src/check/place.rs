//! Variables, elements and fields.

use super::Checker;
use super::scope::{Meaning, nearest};
use crate::arithmetic;
use crate::diagnostic::Diagnostic;
use crate::ir::Scalar;
use crate::model::{self, Access, Base, Expr, ExprKind, GlobalId, MtypeId, Place, Type, Variable};
use crate::narrow::index;
use crate::syntax::{self, Part, Reference};

/// Where a reference leads.
pub(super) struct Target {
    pub(super) place: Place,
    /// How many elements, if it is a whole array.
    pub(super) length: Option<u32>,
    /// What a channel holds, if it is one and was declared with it.
    pub(super) channel: Option<(u32, Vec<Type>)>,
}

impl Checker<'_> {
    /// The symbolic name that a reference is, if it is one.
    pub(super) fn symbol(&self, reference: &Reference) -> Option<(MtypeId, i32)> {
        let [part] = &reference.parts[..] else { return None };
        match self.scopes.find(&part.name.text)?.meaning {
            Meaning::Symbol(set, value) if part.index.is_none() => Some((set, value)),
            _ => None,
        }
    }

    /// The scalar that a reference leads to, which is assigned.
    pub(super) fn assigned(&mut self, reference: &Reference) -> Option<Place> {
        let place = self.place(reference)?;
        if let Base::Global(id) = place.base
            && let Some(reads) = self.reads.get_mut(&id)
        {
            *reads -= 1;
        }
        Some(place)
    }

    /// A hidden variable whose value is asked for decides what happens, so it is a part of the state.
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

    /// Where a reference leads, which may be a whole array or record. `within` is the
    /// proctype whose local it is, for remote references.
    pub(super) fn target(&mut self, reference: &Reference, within: Option<usize>) -> Option<Target> {
        let (first, rest) = reference.parts.split_first()?;
        let (base, variable) = match within {
            None => self.base(first)?,
            Some(proctype) => self.remote_base(first, proctype)?,
        };
        if let Base::Global(id) = base {
            *self.reads.entry(id).or_default() += 1;
        }
        if base == Base::Scratch {
            return Some(Target {
                place: Place {
                    base,
                    path: Vec::new(),
                    kind: Type::Int,
                    span: reference.at.span,
                },
                length: None,
                channel: None,
            });
        }
        let mut variable = variable?;
        let mut path = Vec::new();
        let mut part = first;
        let mut rest = rest.iter();
        let length = loop {
            let whole = self.element(part, &variable, &mut path);
            let Some(next) = rest.next() else { break whole };
            if whole.is_some() {
                let message = format!("the array `{}` needs an index here", part.name.text);
                self.error("promela::index", part.name.at, message);
                return None;
            }
            let Type::Record(id) = variable.kind else {
                let message = format!("`{}` has no fields", part.name.text);
                let diagnostic = Diagnostic::error("promela::type", next.name.at.span, message);
                self.report(diagnostic.note(variable.span, "declared here"), next.name.at);
                return None;
            };
            let record = &self.model.records[id.0 as usize];
            let Some(field) = record.fields.iter().position(|field| *field.name == *next.name.text) else {
                let message = format!("the type `{}` has no field `{}`", record.name, next.name.text);
                let mut diagnostic = Diagnostic::error("promela::undeclared", next.name.at.span, message);
                if let Some(near) = nearest(&next.name.text, record.fields.iter().map(|field| &*field.name)) {
                    diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
                }
                self.report(diagnostic, next.name.at);
                return None;
            };
            path.push(Access::Field(index(field)));
            variable = record.fields[field].clone();
            part = next;
        };
        let channel = match variable.initial {
            model::Initial::Channel { capacity, fields } => Some((capacity, fields)),
            _ => None,
        };
        Some(Target {
            place: Place {
                base,
                path,
                kind: variable.kind,
                span: reference.at.span,
            },
            length,
            channel,
        })
    }

    /// The index of a part, or the length of the array that has none.
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
                let message = format!("`{}` is no array: the index is ignored", variable.name);
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

    /// Whether a constant fits in what it is stored in; what does not is cut.
    pub(super) fn fits(&mut self, value: &syntax::Expr, kind: Type) {
        let Some(constant) = self.literal(value) else { return };
        let cut = cut(constant, kind);
        if cut != constant {
            let message = format!("{constant} does not fit in {}: it is stored as {cut}", shown(kind));
            self.warning("promela::truncated", value.at, message);
        }
    }

    /// The value of an expression that has only numbers in it.
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

    /// A value that is read.
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
                // In a trace assertion `_` stands for whatever is sent.
                "_" if self.body.is_trace => {}
                "_" => {
                    self.error("promela::write-only", reference.at, "`_` can be written, not read");
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

/// What remains of a value in a variable of a type.
fn cut(value: i32, kind: Type) -> i32 {
    match kind {
        Type::Record(_) => value,
        _ => Scalar::of(kind).cut(value),
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
