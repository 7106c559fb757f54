//! Checks declarations of symbolic names, records and variables.

use super::Checker;
use super::scope::Meaning;
use crate::diagnostic::Diagnostic;
use crate::model::{self, GlobalId, Mtype, MtypeId, Record, RecordId, Type, Variable};
use crate::narrow::{self, index};
use crate::preprocess::expansion::At;
use crate::source::Span;
use crate::syntax::{Declaration, Declared, Initial, Name, TypeName, Visibility};

/// The greatest number of elements of an array, and of messages in a channel.
const LENGTH: u32 = 1 << 20;
const CAPACITY: u32 = 255;

/// The greatest number of scalars of a record, and of a message.
const SCALARS: u64 = 1 << 16;

/// The greatest number of scalars of all global variables, of all locals of a proctype, and of all records in messages.
const ALL: u64 = 1 << 20;

/// How deep records may be nested.
const NESTED: usize = 32;

/// The size of a record.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    /// The number of its scalars.
    scalars: u64,
    /// The depth of nested records, itself included.
    nested: usize,
}

/// The number of scalars that records in messages may have in total.
pub(super) const SPREAD: u64 = ALL;

impl Checker<'_> {
    /// The set of symbolic names with this name, which is created if there is none.
    fn mtype(&mut self, set: Option<&Name>) -> MtypeId {
        let Some(set) = set else { return MtypeId(0) };
        let name = Some(set.text.to_string());
        let known = self.model.mtypes.iter().position(|mtype| mtype.name == name);
        let position = known.unwrap_or_else(|| {
            let names = Vec::new();
            self.model.mtypes.push(Mtype { name, names });
            self.model.mtypes.len() - 1
        });
        MtypeId(index(position))
    }

    /// Checks `mtype = { a, b, c }`. The last name gets the first free number of the set.
    pub(super) fn symbols(&mut self, set: Option<&Name>, names: &[Name]) {
        let id = self.mtype(set);
        let used = self.model.mtypes[id.0 as usize].names.len();
        if used + names.len() > 255 {
            self.error(
                "promela::out-of-range",
                names[0].at,
                "a set has at most 255 symbolic names",
            );
            return;
        }
        for (k, name) in names.iter().rev().enumerate() {
            let value = narrow::value(used + k + 1);
            self.model.mtypes[id.0 as usize]
                .names
                .push((name.text.to_string(), value));
            self.declare(name, Meaning::Symbol(id, value));
        }
    }

    /// Checks a typedef.
    pub(super) fn record(&mut self, name: &Name, declarations: &[Declaration]) {
        let mut fields: Vec<Variable> = Vec::new();
        for declaration in declarations {
            for declared in &declaration.variables {
                let Some(mut field) = self.variable(declaration, declared) else {
                    continue;
                };
                if let Some(before) = fields.iter().find(|other| other.name == field.name) {
                    let message = format!("the record already has a field `{}`", field.name);
                    let diagnostic = Diagnostic::error("promela::redeclared", field.span, message);
                    self.report(diagnostic.note(before.span, "declared here"), declared.name.at);
                    continue;
                }
                field.initial = self.initial(declared, &field);
                fields.push(field);
            }
        }
        let mut size = Size {
            scalars: fields.iter().map(|field| self.count(field)).sum(),
            nested: 1 + fields.iter().map(|field| self.nested(field.kind)).max().unwrap_or(0),
        };
        if size.scalars > SCALARS || size.nested > NESTED {
            let message = match size.nested > NESTED {
                true => format!("records are nested more than {NESTED} deep"),
                false => format!("this record has more than {SCALARS} scalars"),
            };
            self.error("promela::too-large", name.at, message);
            fields.clear();
            size = Size::default();
        }
        self.sizes.push(size);
        let id = RecordId(index(self.model.records.len()));
        self.model.records.push(Record {
            name: name.text.to_string(),
            fields,
        });
        self.declare(name, Meaning::Record(id));
    }

    /// The number of scalars of a variable. It is at least 1, so records that were too large
    /// and are therefore empty cannot be nested without end.
    pub(super) fn count(&self, variable: &Variable) -> u64 {
        let one = match variable.kind {
            Type::Record(id) => self.sizes[id.0 as usize].scalars.max(1),
            _ => 1,
        };
        one * u64::from(variable.length.unwrap_or(1))
    }

    fn nested(&self, kind: Type) -> usize {
        match kind {
            Type::Record(id) => self.sizes[id.0 as usize].nested,
            _ => 0,
        }
    }

    /// The number of scalars of a variable, including the contents of its channels.
    fn room(&self, variable: &Variable) -> u64 {
        let one = match (&variable.initial, variable.kind) {
            (model::Initial::Channel { capacity, fields }, _) => u64::from(*capacity) * fields.len() as u64 + 1,
            (_, Type::Record(id)) => {
                let fields = self.model.records[id.0 as usize].fields.iter();
                fields.map(|field| self.room(field)).sum()
            }
            _ => 1,
        };
        one.saturating_mul(u64::from(variable.length.unwrap_or(1)))
    }

    /// Reports variables that would make states too large.
    pub(super) fn sizes_fit(&mut self) {
        let locals = self.model.proctypes.iter().map(|proctype| &proctype.locals);
        let claims = self.model.never.iter().map(|claim| &claim.locals);
        let mut large = Vec::new();
        for variables in locals.chain(claims).chain([&self.model.globals]) {
            let mut sum = 0_u64;
            let too_many = |variable: &&Variable| {
                sum = sum.saturating_add(self.room(variable));
                sum > ALL
            };
            large.extend(variables.iter().find(too_many).map(|variable| variable.span));
        }
        let message = format!("these variables and channels have more than {ALL} scalars");
        let found = |span| Diagnostic::error("promela::too-large", span, message.clone());
        self.diagnostics.extend(large.into_iter().map(found));
    }

    /// Checks a declaration of global variables.
    pub(super) fn globals(&mut self, declaration: &Declaration) {
        for declared in &declaration.variables {
            let Some(mut variable) = self.variable(declaration, declared) else {
                continue;
            };
            variable.initial = self.initial(declared, &variable);
            let id = GlobalId(index(self.model.globals.len()));
            self.model.globals.push(variable);
            self.declare(&declared.name, Meaning::Global(id));
        }
    }

    /// The declared variable, without its initial value.
    pub(super) fn variable(&mut self, declaration: &Declaration, declared: &Declared) -> Option<Variable> {
        let kind = self.kind(&declaration.kind, declared)?;
        let mut length = None;
        if let Some(bound) = &declared.length {
            length = Some(self.constant(bound, "the length of an array", 1..=LENGTH)?);
        }
        let hidden = declaration.visibility == Visibility::Hidden;
        if hidden && matches!(kind, Type::Bit | Type::Bool) {
            self.error(
                "promela::hidden-bit",
                declared.name.at,
                "a bit or bool cannot be hidden",
            );
        }
        Some(Variable {
            name: declared.name.text.to_string(),
            kind,
            length,
            initial: model::Initial::Zero,
            hidden,
            span: declared.name.at.span,
        })
    }

    fn kind(&mut self, name: &TypeName, declared: &Declared) -> Option<Type> {
        if let TypeName::Unsigned = name {
            let Some(width) = &declared.width else {
                let message = format!("`{}` needs a width, as in `unsigned {0} : 5`", declared.name.text);
                self.error("promela::width", declared.name.at, message);
                return None;
            };
            return self.constant(width, "the width", 1..=31).map(Type::Unsigned);
        }
        if let Some(width) = &declared.width {
            self.error("promela::width", width.at, "only an unsigned variable has a width");
        }
        self.type_of(name)
    }

    /// The type with this name, except `unsigned`, which needs a width.
    fn type_of(&mut self, name: &TypeName) -> Option<Type> {
        Some(match name {
            TypeName::Bit => Type::Bit,
            TypeName::Bool => Type::Bool,
            TypeName::Byte => Type::Byte,
            TypeName::Pid => Type::Pid,
            TypeName::Short => Type::Short,
            TypeName::Int => Type::Int,
            TypeName::Unsigned => return None,
            TypeName::Mtype(set) => Type::Mtype(self.mtype(set.as_ref())),
            TypeName::Chan => Type::Chan,
            TypeName::User(name) => match self.scopes.find(&name.text).map(|entry| entry.meaning) {
                Some(Meaning::Record(id)) => Type::Record(id),
                _ => {
                    self.undeclared("type", name, |meaning| matches!(meaning, Meaning::Record(_)));
                    return None;
                }
            },
        })
    }

    /// The initial value of a variable.
    pub(super) fn initial(&mut self, declared: &Declared, variable: &Variable) -> model::Initial {
        let is_record = matches!(variable.kind, Type::Record(_));
        match &declared.initial {
            None => model::Initial::Zero,
            // SPIN uses the initial values of the fields, and does not even compute this one.
            Some(Initial::Value(value)) if is_record => {
                self.value(value);
                self.ignored(value.at);
                model::Initial::Zero
            }
            Some(Initial::List(values, at)) if is_record && variable.length.is_some() => {
                values.iter().for_each(|value| {
                    self.value(value);
                });
                self.ignored(*at);
                model::Initial::Zero
            }
            Some(Initial::Value(value)) => {
                self.fits(value, variable.kind);
                let value = self.value(value);
                model::Initial::Value(value)
            }
            Some(Initial::List(values, at)) => self.list(values, *at, variable),
            Some(Initial::Channel { capacity, fields, at }) => {
                if variable.kind != Type::Chan {
                    self.error("promela::type", *at, format!("`{}` is not a channel", variable.name));
                    return model::Initial::Zero;
                }
                self.channel(capacity, fields)
            }
        }
    }

    fn ignored(&mut self, at: At) {
        let message = "the initial value of a record is ignored: its fields have the initial values of its typedef";
        self.warning("promela::record-initial", at, message);
    }

    fn list(&mut self, values: &[crate::syntax::Expr], at: At, variable: &Variable) -> model::Initial {
        let Some(length) = variable.length else {
            self.error("promela::type", at, format!("`{}` is not an array", variable.name));
            return model::Initial::Zero;
        };
        if values.len() > length as usize {
            let message = format!(
                "`{}` has {length} elements, but {} values are given",
                variable.name,
                values.len()
            );
            self.warning("promela::too-many-values", at, message);
        }
        let kept = values.iter().take(length as usize);
        let checked = kept.map(|value| {
            self.fits(value, variable.kind);
            self.value(value)
        });
        model::Initial::List(checked.collect())
    }

    fn channel(&mut self, capacity: &crate::syntax::Expr, fields: &[(TypeName, At)]) -> model::Initial {
        let capacity = self
            .constant(capacity, "the capacity of a channel", 0..=CAPACITY)
            .unwrap_or(0);
        let mut all = Vec::new();
        for (name, at) in fields {
            if let TypeName::Unsigned = name {
                self.error("promela::type", *at, "a message cannot have an unsigned field");
                continue;
            }
            let Some(kind) = self.type_of(name) else { continue };
            all.extend(self.scalars(kind, None).into_iter().map(|(_, kind)| kind));
            if all.len() as u64 > SCALARS {
                let message = format!("a message has at most {SCALARS} fields");
                self.error("promela::too-large", *at, message);
                all.clear();
            }
        }
        model::Initial::Channel { capacity, fields: all }
    }

    /// Checks the head of a proctype.
    pub(super) fn head(&mut self, process: &crate::syntax::Process) -> model::Proctype {
        let mut locals = Vec::new();
        for declaration in &process.parameters {
            for declared in &declaration.variables {
                let Some(variable) = self.variable(declaration, declared) else {
                    continue;
                };
                let array = |this: &Self, variable: &Variable| {
                    let hidden = this.scalars(variable.kind, None);
                    let index = |access: &model::Access| matches!(access, model::Access::Index(_));
                    variable.length.is_some() || hidden.iter().any(|(path, _)| path.iter().any(index))
                };
                if array(self, &variable) {
                    let message = format!("the parameter `{}` is an array or contains one", variable.name);
                    self.error("promela::array-parameter", declared.name.at, message);
                }
                if declared.initial.is_some() {
                    self.error("promela::type", declared.at, "a parameter has no initial value");
                }
                locals.push(variable);
            }
        }
        let active = match &process.active {
            None => u32::from(process.is_init),
            Some(active) => match &active.count {
                None => 1,
                Some(count) => self.constant(count, "the number of processes", 0..=255).unwrap_or(1),
            },
        };
        let priority = process.priority.as_ref();
        let priority = priority.and_then(|value| self.constant(value, "the priority", 1..=255));
        model::Proctype {
            name: process.name.text.to_string(),
            parameters: index(locals.len()),
            locals,
            active,
            is_init: process.is_init,
            deterministic: process.deterministic,
            provided: None,
            priority,
            exclusive: Vec::new(),
            body: Vec::new(),
            labels: Vec::new(),
            span: process.name.at.span,
        }
    }

    /// The scalars of a type, for a message or a call.
    pub(super) fn written_out(&mut self, kind: Type, at: At) -> Vec<(Vec<model::Access>, Type)> {
        if let Type::Record(id) = kind {
            // The place of the unit is not known for a formula, which is too short to have many.
            let scalars = self.sizes.get(id.0 as usize).map_or(1, |size| size.scalars);
            if scalars > self.spread_left {
                let message = format!("records in messages and calls have more than {ALL} fields");
                self.error("promela::too-large", at, message);
                return Vec::new();
            }
            self.spread_left -= scalars;
        }
        self.scalars(kind, None)
    }

    /// The scalars of a type in order, with the path to each.
    pub(super) fn scalars(&self, kind: Type, length: Option<u32>) -> Vec<(Vec<model::Access>, Type)> {
        let one = match kind {
            Type::Record(id) => {
                let fields = self.model.records[id.0 as usize].fields.iter().enumerate();
                let inside = |(k, field): (usize, &Variable)| {
                    let first = model::Access::Field(index(k));
                    let rest = self.scalars(field.kind, field.length).into_iter();
                    rest.map(move |(mut path, kind)| {
                        path.insert(0, first.clone());
                        (path, kind)
                    })
                };
                fields.flat_map(inside).collect()
            }
            scalar => vec![(Vec::new(), scalar)],
        };
        let Some(length) = length else { return one };
        let index = |k: u32| {
            model::Access::Index(model::Expr {
                kind: model::ExprKind::Constant(k as i32),
                span: Span::default(),
            })
        };
        let element = |k| {
            let paths = one.iter().map(move |(path, kind)| {
                let path = std::iter::once(index(k)).chain(path.iter().cloned()).collect();
                (path, *kind)
            });
            paths.collect::<Vec<_>>()
        };
        (0..length).flat_map(element).collect()
    }
}
