//! Programs as text: what the parser of litmus tests reads back.

use std::fmt::{self, Display, Formatter};

use crate::program::{Expr, Location, Operator, Order, Program, Statement, Update};

impl Order {
    /// Its name in litmus tests.
    pub fn name(self) -> &'static str {
        match self {
            Order::Relaxed => "rlx",
            Order::Acquire => "acq",
            Order::Release => "rel",
            Order::AcqRel => "acqrel",
            Order::SeqCst => "sc",
        }
    }
}

impl Operator {
    /// How it is written.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Equal => "==",
            Operator::NotEqual => "!=",
            Operator::Less => "<",
        }
    }
}

impl Display for Order {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match ["x", "y", "z", "w", "v", "u"].get(usize::from(self.0)) {
            Some(name) => f.write_str(name),
            None => write!(f, "x{}", self.0),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Constant(value) => write!(f, "{value}"),
            Expr::Register(register) => write!(f, "r{}", register.0),
            Expr::Binary(operator, a, b) => write!(f, "({a} {} {b})", operator.symbol()),
        }
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Load { reg, loc, order } => write!(f, "r{} = load({loc}, {order})", reg.0),
            Statement::Store { loc, value, order } => write!(f, "store({loc}, {value}, {order})"),
            Statement::Rmw {
                reg,
                loc,
                op: Update::Add(by),
                order,
            } => {
                write!(f, "r{} = add({loc}, {by}, {order})", reg.0)
            }
            Statement::Rmw {
                reg,
                loc,
                op: Update::Swap(by),
                order,
            } => {
                write!(f, "r{} = swap({loc}, {by}, {order})", reg.0)
            }
            Statement::Cas {
                reg,
                flag,
                loc,
                expected,
                new,
                success,
                failure,
                weak,
            } => {
                let name = if *weak { "weak_cas" } else { "cas" };
                write!(
                    f,
                    "r{}, r{} = {name}({loc}, {expected}, {new}, {success}, {failure})",
                    reg.0, flag.0
                )
            }
            Statement::Fence(order) => write!(f, "fence({order})"),
            Statement::If { cond, then, else_ } => {
                write!(f, "if {cond} ")?;
                write_block(f, then)?;
                if else_.is_empty() {
                    return Ok(());
                }
                f.write_str(" else ")?;
                write_block(f, else_)
            }
            Statement::NonAtomicRead { reg, loc } => write!(f, "r{} = read({loc})", reg.0),
            Statement::NonAtomicWrite { loc, value } => write!(f, "write({loc}, {value})"),
            Statement::Lock(mutex) => write!(f, "lock(m{})", mutex.0),
            Statement::Unlock(mutex) => write!(f, "unlock(m{})", mutex.0),
        }
    }
}

fn write_block(f: &mut Formatter<'_>, block: &[Statement]) -> fmt::Result {
    f.write_str("{ ")?;
    for (k, statement) in block.iter().enumerate() {
        f.write_str(if k == 0 { "" } else { "; " })?;
        write!(f, "{statement}")?;
    }
    f.write_str(if block.is_empty() { "}" } else { " }" })
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (location, value) in (0..=u8::MAX).map(Location).zip(&self.initial) {
            f.write_str(if location.0 == 0 { "init " } else { ", " })?;
            write!(f, "{location} = {value}")?;
        }
        for thread in &self.threads {
            f.write_str("\nthread ")?;
            write_block(f, thread)?;
        }
        Ok(())
    }
}
