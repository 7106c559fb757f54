//! Checked statements as text, for tests.
//!
//! The statements that replace sugar were compared by hand with those that SPIN's
//! verifiers list (`spin -a -o1 -o2 -o3 m.pml; gcc -o pan pan.c; ./pan -d`).

use crate::model::{
    Access, Base, Binary, ChannelTest, Expr, ExprKind, Initial, Model, Pattern, Place, Proctype, Sequence,
    StatementKind, Unary,
};
use crate::{Options, load};

/// The body of the last proctype of a text, on one line.
fn body(text: &str) -> String {
    let model = load("m.pml", text, &Options::default())
        .unwrap_or_else(|errors| panic!("{errors}"))
        .model;
    let proctype = model.proctypes.last().expect("a proctype");
    let lister = Lister {
        model: &model,
        proctype,
    };
    lister.sequence(&proctype.body)
}

struct Lister<'a> {
    model: &'a Model,
    proctype: &'a Proctype,
}

impl Lister<'_> {
    fn sequence(&self, sequence: &Sequence) -> String {
        let one = |statement: &crate::model::Statement| {
            let labels = statement
                .labels
                .iter()
                .map(|label| self.proctype.labels[label.0 as usize].name.clone() + ": ");
            labels.collect::<String>() + &self.statement(&statement.kind)
        };
        sequence.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    fn statement(&self, kind: &StatementKind) -> String {
        let options = |options: &[Sequence]| {
            let one = |option: &Sequence| format!(":: {}", self.sequence(option));
            options.iter().map(one).collect::<Vec<_>>().join(" ")
        };
        match kind {
            StatementKind::Expression(value) => self.value(value),
            StatementKind::Else => "else".to_owned(),
            StatementKind::Assign { place, value } => format!("{} = {}", self.place(place), self.value(value)),
            StatementKind::Send {
                channel,
                message,
                sorted,
            } => {
                format!(
                    "{}{}{}",
                    self.value(channel),
                    if *sorted { "!!" } else { "!" },
                    self.values(message)
                )
            }
            StatementKind::Receive {
                channel,
                patterns,
                random,
                copy,
            } => {
                let sign = if *random { "??" } else { "?" };
                let inside = self.patterns(patterns);
                let inside = if *copy { format!("<{inside}>") } else { inside };
                format!("{}{sign}{inside}", self.value(channel))
            }
            StatementKind::If(all) => format!("if {} fi", options(all)),
            StatementKind::Do(all) => format!("do {} od", options(all)),
            StatementKind::Break => "break".to_owned(),
            StatementKind::Goto(label) => format!("goto {}#{}", self.proctype.labels[label.0 as usize].name, label.0),
            StatementKind::Atomic(inside) => format!("atomic {{ {} }}", self.sequence(inside)),
            StatementKind::DStep(inside) => format!("d_step {{ {} }}", self.sequence(inside)),
            StatementKind::Block(inside) => format!("{{ {} }}", self.sequence(inside)),
            StatementKind::Unless { main, escape } => {
                format!("{{ {} }} unless {{ {} }}", self.sequence(main), self.sequence(escape))
            }
            StatementKind::Assert(value) => format!("assert({})", self.value(value)),
            StatementKind::Print { format, arguments } => format!("printf({format:?}, {})", self.values(arguments)),
        }
    }

    fn values(&self, values: &[Expr]) -> String {
        values
            .iter()
            .map(|value| self.value(value))
            .collect::<Vec<_>>()
            .join(",")
    }

    fn patterns(&self, patterns: &[Pattern]) -> String {
        let one = |pattern: &Pattern| match pattern {
            Pattern::Store(place) => self.place(place),
            Pattern::Match(value) => format!("eval({})", self.value(value)),
            Pattern::Any(_) => "_".to_owned(),
        };
        patterns.iter().map(one).collect::<Vec<_>>().join(",")
    }

    fn place(&self, place: &Place) -> String {
        let variable = match place.base {
            Base::Global(id) => &self.model.globals[id.0 as usize],
            Base::Local(id) => &self.proctype.locals[id.0 as usize],
            Base::Scratch => return "_".to_owned(),
        };
        let mut text = variable.name.clone();
        let mut kind = variable.kind;
        for access in &place.path {
            match access {
                Access::Index(index) => text += &format!("[{}]", self.value(index)),
                Access::Field(field) => {
                    let crate::model::Type::Record(id) = kind else {
                        panic!("a record")
                    };
                    let field = &self.model.records[id.0 as usize].fields[*field as usize];
                    text += &format!(".{}", field.name);
                    kind = field.kind;
                }
            }
        }
        text
    }

    fn value(&self, value: &Expr) -> String {
        match &value.kind {
            ExprKind::Constant(value) => value.to_string(),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(Unary::Not, inside) => format!("!{}", self.value(inside)),
            ExprKind::Unary(Unary::Negate, inside) => format!("-{}", self.value(inside)),
            ExprKind::Binary(operator, left, right) => {
                let sign = match operator {
                    Binary::Add => "+",
                    Binary::Subtract => "-",
                    Binary::Less => "<",
                    Binary::LessEqual => "<=",
                    Binary::Greater => ">",
                    Binary::Equal => "==",
                    Binary::And => "&&",
                    Binary::Or => "||",
                    _ => "?",
                };
                format!("({}{sign}{})", self.value(left), self.value(right))
            }
            ExprKind::Len(channel) => format!("len({})", self.value(channel)),
            ExprKind::Poll(ChannelTest::Empty, channel) => format!("empty({})", self.value(channel)),
            ExprKind::Run { arguments, .. } => format!("run({})", self.values(arguments)),
            ExprKind::Timeout => "timeout".to_owned(),
            other => format!("{other:?}"),
        }
    }
}

/// The statements of a body that declares `i` and `j`.
fn statements(text: &str) -> String {
    body(&format!("byte arr[4]; active proctype P() {{ byte i, j; {text} }}"))
}

#[test]
fn for_counts_from_outside_of_its_loop() {
    assert_eq!(
        statements("for (i : 1 .. j) { j = i }"),
        "i = 1; do :: (i<=j); j = i; i = (i+1) :: else; break od"
    );
    assert_eq!(
        statements("for (i in arr) { skip }"),
        "i = 0; do :: (i<=3); 1; i = (i+1) :: else; break od"
    );
    // A jump to the label does not start the index again.
    assert_eq!(
        statements("L: for (i : 1 .. 3) { skip }; goto L"),
        "i = 1; L: do :: (i<=3); 1; i = (i+1) :: else; break od; goto L#0"
    );
}

#[test]
fn for_over_a_channel_takes_each_message_and_puts_it_back() {
    let text = "typedef M { byte a; byte b }; chan q = [3] of { M };
        active proctype P() { M m; byte j; for (m in q) { j = m.a } }";
    assert_eq!(
        body(text),
        "for_2 = 0; do :: (for_2<len(q)); q?m.a,m.b; q!m.a,m.b; j = m.a; for_2 = (for_2+1) :: else; break od"
    );
}

#[test]
fn select_is_a_choice_if_it_is_written_with_numbers() {
    assert_eq!(
        statements("L: select (j : 1 .. 3)"),
        "L: if :: j = 1 :: j = 2 :: j = 3 fi"
    );
    assert_eq!(
        statements("M: select (j : 0 .. 50)"),
        "M: j = 0; do :: (j<50); j = (j+1) :: break od"
    );
    assert_eq!(
        statements("M: select (j : i .. 4)"),
        "j = i; M: do :: break :: (j<4); j = (j+1) od"
    );
}

#[test]
fn a_declaration_after_a_statement_is_an_assignment() {
    assert_eq!(
        statements("i = 1; byte a[3]; byte b[3] = 4; int z = i + 1; chan c"),
        "i = 1; a[0] = 0; b[0] = 4; z = (i+1); c = 0"
    );
    assert_eq!(statements("{ byte y = 3; y = 1 }; byte w"), "{ y = 3; y = 1 }; w = 0");
    let text = "typedef T { byte a }; active proctype P() { skip; T t; t.a = 1 }";
    assert_eq!(body(text), "1; 1; t.a = 1");
}

#[test]
fn a_declaration_before_is_an_initial_value() {
    let text = "active proctype P(byte x) { byte y = x + 1; byte a[2] = { 3, 4 }; skip }";
    let model = load("m.pml", text, &Options::default()).unwrap().model;
    let proctype = &model.proctypes[0];
    assert_eq!((proctype.parameters, proctype.body.len()), (1, 1));
    assert!(matches!(proctype.locals[1].initial, Initial::Value(_)));
    assert!(matches!(&proctype.locals[2].initial, Initial::List(values) if values.len() == 2));
}

#[test]
fn an_inline_is_a_block_with_its_own_labels() {
    let text = "inline f(a, b) { byte t = a; if :: goto L :: skip fi; a = b + t; L: skip }
        active proctype P() { byte x, y; f(x, y + 1); f(y, 2) }";
    assert_eq!(
        body(text),
        "{ t = x; if :: goto L#0 :: 1 fi; x = ((y+1)+t); L: 1 }; \
         { t = y; if :: goto L#1 :: 1 fi; y = (2+t); L: 1 }"
    );
    let text = "inline g(a) { byte t; t = a + 1; return t } active proctype P() { byte x; x = g(3) }";
    assert_eq!(body(text), "{ t = 0; t = (3+1); x = t }");
}

#[test]
fn records_in_messages_are_spread_out() {
    let text = "typedef P { byte x; byte y[2] }; chan q = [1] of { byte, P };
        active proctype S() { P p; byte n; q!n,p; q?n,p; q?1(p) }";
    assert_eq!(
        body(text),
        "q!n,p.x,p.y[0],p.y[1]; q?n,p.x,p.y[0],p.y[1]; q?eval(1),p.x,p.y[0],p.y[1]"
    );
    let text = "typedef T { byte a; byte b }; proctype P(T t; byte k) { t.a = k } init { T u; run P(u, 4) }";
    assert_eq!(body(text), "run(u.a,u.b,4)");
}

#[test]
fn short_messages_are_filled_up() {
    let text = "mtype = { a, b }; chan q = [1] of { mtype, byte, byte };
        active proctype P() { byte x; q!a(x); q?b,_; q?eval(x) }";
    assert_eq!(body(text), "q!2,x,0; q?eval(1),_,_; q?eval(x),_,_");
}

#[test]
fn unless_and_else_keep_their_places() {
    assert_eq!(
        statements("{ i = 1; j = 2 } unless { timeout; i = 3 }"),
        "{ i = 1; j = 2 } unless { timeout; i = 3 }"
    );
    assert_eq!(
        statements("if :: i == 1 -> skip :: atomic { else -> i = 2 } fi"),
        "if :: (i==1); 1 :: atomic { else; i = 2 } fi"
    );
}

#[test]
fn a_line_end_ends_a_statement_as_in_spin() {
    assert_eq!(
        statements("i = j\n-j == 0\n i = 1\n (i > 0)\n!i"),
        "i = j; (-j==0); i = 1; (i>0); !i"
    );
}

#[test]
fn symbolic_names_count_down_in_each_declaration() {
    let text = "mtype = { a, b, c }; mtype = { d, e }; mtype:f = { x, y };
        active proctype P() { printf(\"\", a, b, c, d, e, x, y) }";
    assert_eq!(body(text), "printf(\"\", 3,2,1,5,4,2,1)");
}
