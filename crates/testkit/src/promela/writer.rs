//! Writes a random model: its declarations here, its processes and properties elsewhere.

use super::program::{Node, Program};
use super::scope::{Cell, Channel, Creatable, Field, Remote, Sort};
use super::shape::Shape;
use fastrand::Rng;

/// The state of the generator.
pub(super) struct Writer {
    pub rng: Rng,
    pub shape: Shape,
    pub items: Vec<Node>,
    pub globals: Vec<Cell>,
    pub channels: Vec<Channel>,
    /// The global arrays of numbers: name and length.
    pub arrays: Vec<(String, usize)>,
    /// Global channels of pairs with their names, for `for (m in c)`.
    pub pair_channels: Vec<String>,
    /// What the current process can name besides these.
    pub locals: Vec<Cell>,
    pub local_channels: Vec<Channel>,
    /// A local variable to count with, which nothing else assigns.
    pub counter: Option<String>,
    /// A local variable of type `Pair`.
    pub pair: Option<String>,
    /// A local variable for a received channel.
    pub received: Option<String>,
    /// Labels that a `goto` may name.
    pub labels: Vec<String>,
    pub creatable: Vec<Creatable>,
    pub remotes: Vec<Remote>,
    pub has_mtype: bool,
    pub has_colour: bool,
    pub has_macros: bool,
    pub has_inlines: bool,
    /// Whether what waits has an end label.
    pub forgiving: bool,
    /// Whether assertions always hold.
    pub careful: bool,
    /// Whether the model may go wrong at run time.
    pub faulty: bool,
    /// Whether processes have priorities.
    pub priorities: bool,
    /// A variable that is assigned and never read.
    pub has_hidden: bool,
    /// Whether processes ask who moved last.
    pub asks_last: bool,
    /// Whether processes ask who can move.
    pub asks_enabled: bool,
    /// Whether some loop has a progress label that a formula or a claim may ask for.
    pub progresses: bool,
    pub fresh: usize,
    /// How many processes there are from the start.
    pub instances: usize,
}

impl Writer {
    pub fn new(mut rng: Rng, shape: Shape) -> Self {
        let forgiving = !shape.violations || rng.u8(..100) < 70;
        let careful = !shape.violations || rng.u8(..100) < 60;
        let faulty = shape.faults > 0 && rng.u8(..100) < shape.faults;
        let has_hidden = rng.u8(..100) < 10;
        // SPIN counts the claim as a process.
        let alone = shape.scheduling && !(shape.ltl || shape.never || shape.cycles);
        let asks_last = alone && rng.u8(..100) < 4;
        let asks_enabled = alone && rng.u8(..100) < 4;
        Self {
            rng,
            shape,
            items: Vec::new(),
            globals: Vec::new(),
            channels: Vec::new(),
            arrays: Vec::new(),
            pair_channels: Vec::new(),
            locals: Vec::new(),
            local_channels: Vec::new(),
            counter: None,
            pair: None,
            received: None,
            labels: Vec::new(),
            creatable: Vec::new(),
            remotes: Vec::new(),
            has_mtype: false,
            has_colour: false,
            has_macros: false,
            has_inlines: false,
            forgiving,
            careful,
            faulty,
            priorities: false,
            has_hidden,
            asks_last,
            asks_enabled,
            progresses: false,
            fresh: 0,
            instances: 0,
        }
    }

    pub fn write(mut self) -> Program {
        self.text();
        self.types();
        self.variables();
        if self.shape.channels {
            self.channel_declarations();
        }
        self.processes();
        self.properties();
        Program { items: self.items }
    }

    /// True in that many cases of a hundred.
    pub fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    pub fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> Option<&'a T> {
        (!from.is_empty()).then(|| &from[rng.usize(..from.len())])
    }

    pub fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn item(&mut self, text: impl Into<String>) {
        self.items.push(Node::line(text));
    }

    /// Macros and inlines.
    fn text(&mut self) {
        if !self.shape.preprocessor {
            return;
        }
        if self.chance(40) {
            self.has_macros = true;
            self.item("#define LIMIT 3");
            self.item("#define BELOW(v) (v < LIMIT)");
            self.item("#define TURN(v, k) v = \\\n    (v + 1) % k");
        }
        if self.chance(10) {
            self.item("#define MANY");
            self.item("#undef MANY");
            self.item("#ifdef MANY\nbyte unused = 200;\n#elif 0\nshort unused;\n#else\nbit unused;\n#endif");
        }
        if self.chance(35) {
            self.has_inlines = true;
            let modulus = self.rng.u32(2..=3);
            self.items.push(Node::braces(
                "inline bump(x_, d_) {",
                vec![Node::line(format!("x_ = (x_ + d_) % {modulus}"))],
            ));
            let lower = Node::options(
                "if",
                "fi",
                vec![vec![Node::line("x_ > 0"), Node::line("x_--")], vec![Node::line("else")]],
            );
            self.items.push(Node::braces("inline lower(x_) {", vec![lower]));
            let swap = ["byte tmp", "tmp = x_", "x_ = y_", "y_ = tmp"].map(Node::line);
            self.items.push(Node::braces("inline swap(x_, y_) {", swap.to_vec()));
        }
    }

    fn types(&mut self) {
        if self.chance(50) {
            self.has_mtype = true;
            let text = ["mtype = { A, B, C }", "mtype { A, B, C }"][self.rng.usize(..2)];
            self.item(text);
        }
        if self.chance(10) {
            self.has_colour = true;
            self.item("mtype:colour = { red, green }");
        }
    }

    fn variables(&mut self) {
        for _ in 0..self.rng.usize(2..=3) {
            let name = self.name("g");
            let (text, cell) = self.scalar(&name);
            let visibility = ["show ", "local ", ""][usize::from(self.rng.u8(..12).min(2))];
            self.item(format!("{visibility}{text}"));
            self.globals.push(cell);
        }
        if self.has_hidden {
            self.item("hidden short unseen");
        }
        if self.chance(35) {
            let name = self.name("a");
            let length = self.rng.usize(2..=3);
            let (kind, modulus) = [("bit", 2), ("byte", 3), ("bool", 2), ("short", 2)][self.rng.usize(..4)];
            let list: Vec<_> = (0..self.rng.usize(1..=length))
                .map(|_| self.rng.u32(..modulus))
                .collect();
            let initial = match self.rng.u8(..4) {
                0 => format!(" = {}", self.rng.u32(..modulus)),
                1 => format!(" = {}", braced(&list)),
                _ => String::new(),
            };
            self.item(format!("{kind} {name}[{length}]{initial}"));
            self.globals.push(Cell {
                text: format!("{name}[#]"),
                sort: Sort::Number { modulus, wraps: false },
                length,
            });
            self.arrays.push((name, length));
        }
        if self.chance(20) {
            self.records();
        }
    }

    fn records(&mut self) {
        let number = |modulus| Sort::Number { modulus, wraps: false };
        let mut add = |text: &str, modulus, length| {
            self.globals.push(Cell {
                text: text.to_string(),
                sort: number(modulus),
                length,
            })
        };
        if self.rng.bool() {
            self.items.push(Node::line("typedef Inner { bit f[2]; byte n }"));
            self.items.push(Node::line("typedef Outer { Inner in; short s = 1 }"));
            // What a record is declared to start with is ignored.
            let initial = ["", " = 1"][self.rng.usize(..2)];
            self.items.push(Node::line(format!("Outer r{initial}")));
            add("r.in.f[#]", 2, 2);
            add("r.in.n", 2, 1);
            add("r.s", 3, 1);
        } else {
            self.items.push(Node::line("typedef Rec { byte x; bool y }"));
            let initial = ["", " = 1", " = { 1, 2 }"][self.rng.usize(..3)];
            self.items.push(Node::line(format!("Rec rs[2]{initial}")));
            add("rs[#].x", 2, 2);
            add("rs[#].y", 2, 2);
        }
    }

    /// The declaration of a scalar variable, and how to use it.
    pub fn scalar(&mut self, name: &str) -> (String, Cell) {
        let number = |modulus, wraps| Sort::Number { modulus, wraps };
        let (kind, sort) = match self.rng.u8(..12) {
            // SPIN takes such variables for padding.
            0 | 1 | 2 | 5 if self.priorities => ("byte", number(2, false)),
            0 => ("bit", number(2, true)),
            1 | 2 => ("bool", number(2, true)),
            3 => ("short", number(3, false)),
            4 => ("int", number(3, false)),
            5 => ("unsigned", number(4, true)),
            6 => ("pid", number(3, false)),
            7 | 8 if self.has_mtype => ("mtype", Sort::Mtype),
            9 if self.has_colour => ("mtype:colour", Sort::Colour),
            _ => ("byte", number(3, false)),
        };
        let bits = if kind == "unsigned" { " : 2" } else { "" };
        let initial = match sort {
            _ if self.rng.u8(..3) == 0 => String::new(),
            Sort::Number { modulus, .. } => format!(" = {}", self.rng.u32(..modulus)),
            Sort::Mtype => format!(" = {}", ["A", "B", "C"][self.rng.usize(..3)]),
            Sort::Colour => format!(" = {}", ["red", "green"][self.rng.usize(..2)]),
        };
        // What overflows does so in few steps.
        let initial = match kind {
            "short" if self.rng.u8(..15) == 0 => " = 32767".to_string(),
            "byte" if self.rng.u8(..15) == 0 => " = 255".to_string(),
            "int" if self.rng.u8(..10) == 0 => " = -1".to_string(),
            _ => initial,
        };
        let cell = Cell {
            text: name.to_string(),
            sort,
            length: 1,
        };
        (format!("{kind} {name}{bits}{initial}"), cell)
    }

    fn channel_declarations(&mut self) {
        let pairs = self.chance(12);
        if pairs {
            self.item("typedef Pair { bit b; byte n }");
        }
        for _ in 0..self.rng.usize(1..=2) {
            let name = self.name("c");
            let capacity = [0, 0, 1, 1, 1, 2][self.rng.usize(..6)];
            let fields: Vec<Field> = match self.rng.u8(..10) {
                0..4 => vec![self.number_field()],
                4..6 if self.has_mtype => vec![Field::Mtype, self.number_field()],
                6 if self.has_mtype => vec![Field::Mtype],
                7 => vec![self.number_field(), self.number_field()],
                8 if pairs => vec![Field::Pair],
                _ => vec![self.number_field()],
            };
            let length = if self.chance(15) { 2 } else { 1 };
            // A word of the language only in `for`, where a channel of pairs would stand; a record has a field of that name.
            let taken = |text: &str| text == "in" || text.starts_with("in[") || text.starts_with("r.in");
            let free = fields != [Field::Pair]
                && !self.globals.iter().any(|cell| taken(&cell.text))
                && !self.channels.iter().any(|channel| taken(&channel.text));
            let name = if free && self.chance(20) {
                "in".to_string()
            } else {
                name
            };
            self.channel(&name, length, capacity, fields);
        }
        if pairs && self.pair_channels.is_empty() {
            let name = self.name("c");
            self.channel(&name, 1, 2, vec![Field::Pair]);
        }
        if self.chance(15) {
            // A channel for channels, and one that surely can be sent over it.
            let carried = self.name("c");
            let field = self.number_field();
            self.channel(&carried, 1, 1, vec![field]);
            let carrier = self.name("c");
            let capacity = self.rng.usize(..2);
            self.channel(&carrier, 1, capacity, vec![Field::Channel]);
        }
    }

    fn channel(&mut self, name: &str, length: usize, capacity: usize, fields: Vec<Field>) {
        let kinds: Vec<_> = fields.iter().map(Field::kind).collect();
        let array = if length > 1 {
            format!("[{length}]")
        } else {
            String::new()
        };
        self.item(format!(
            "chan {name}{array} = [{capacity}] of {{ {} }}",
            kinds.join(", ")
        ));
        if fields == [Field::Pair] && length == 1 && capacity > 0 {
            self.pair_channels.push(name.to_string());
        }
        self.channels.push(Channel {
            text: format!("{name}{}", if length > 1 { "[#]" } else { "" }),
            length,
            fields,
            buffered: capacity > 0,
        });
    }

    fn number_field(&mut self) -> Field {
        let (kind, modulus) = [("byte", 2), ("byte", 3), ("bit", 2), ("bool", 2), ("short", 2)][self.rng.usize(..5)];
        Field::Number { kind, modulus }
    }
}

fn braced(values: &[u32]) -> String {
    let values: Vec<_> = values.iter().map(u32::to_string).collect();
    format!("{{ {} }}", values.join(", "))
}
