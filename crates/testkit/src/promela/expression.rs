//! Random expressions, and messages.

use super::scope::{ANY, Cell, Channel, Field, Sort};
use super::writer::Writer;

impl Writer {
    /// Replaces `#` by an index below `length`, most of the time.
    fn indexed(&mut self, text: &str, length: usize) -> String {
        if !text.contains('#') {
            return text.to_string();
        }
        let last = length - 1;
        let variable = text.split(['[', '.']).next().unwrap_or_default();
        let index = match self.rng.u8(..10) {
            // SPIN takes a send back by the index as it is afterwards.
            0 if self.faulty => {
                let number = self.number(1);
                match number.contains(variable) {
                    true => length.to_string(),
                    false => number,
                }
            }
            1 | 2 => format!("_pid % {length}"),
            // A number masked with 1 is below 2, whatever its sign.
            3..6 => {
                let cell = self.cell(|c| c.sort.is_number() && c.length == 1);
                cell.map_or("1".to_string(), |c| format!("{} & 1", c.text))
            }
            // SPIN refuses an array that indexes itself, and this inside a formula.
            6 if length == 2 && !self.shape.ltl => {
                let condition = self.comparison();
                match condition.contains(variable) {
                    true => "1".to_string(),
                    false => format!("({condition} -> 1 : 0)"),
                }
            }
            7 => last.to_string(),
            _ => self.rng.usize(..length).to_string(),
        };
        text.replace('#', &index)
    }

    /// A variable that fits.
    pub fn cell(&mut self, fits: impl Fn(&Cell) -> bool) -> Option<Cell> {
        let all: Vec<&Cell> = self.globals.iter().chain(&self.locals).filter(|c| fits(c)).collect();
        Self::pick(&mut self.rng, &all).map(|c| (*c).clone())
    }

    /// A place that can be assigned, written out.
    pub fn place(&mut self, fits: impl Fn(Sort) -> bool) -> Option<(String, Sort)> {
        let cell = self.cell(|c| fits(c.sort))?;
        Some((self.indexed(&cell.text, cell.length), cell.sort))
    }

    /// A channel that fits, written out.
    pub fn some_channel(&mut self, fits: impl Fn(&Channel) -> bool) -> Option<(String, Channel)> {
        let all: Vec<&Channel> = self
            .channels
            .iter()
            .chain(&self.local_channels)
            .filter(|c| fits(c))
            .collect();
        let channel = (*Self::pick(&mut self.rng, &all)?).clone();
        Some((self.indexed(&channel.text, channel.length), channel))
    }

    /// A number: small, positive mostly.
    pub fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.chance(35) {
            return match self.rng.u8(..14) {
                0..5 => self.rng.u8(..3).to_string(),
                5 => "_pid".to_string(),
                6 if !self.claimed() => "_nr_pr".to_string(),
                7 if !self.channels.is_empty() => {
                    let (name, _) = self.some_channel(|_| true).expect("there are channels");
                    format!("len({name})")
                }
                8 if self.has_macros => "LIMIT".to_string(),
                9 if self.asks_last => "_last".to_string(),
                9 if self.priorities => format!("get_priority({})", self.rng.u8(..3)),
                _ => match self.place(Sort::is_number) {
                    Some((text, _)) => text,
                    None => "1".to_string(),
                },
            };
        }
        let left = self.number(depth - 1);
        // The compiler of SPIN's verifiers leaves out a division whose result does not matter.
        if left.contains("5 /") {
            return format!("({left} + 1)");
        }
        match self.rng.u8(..16) {
            0..4 => format!("({left} + {})", self.number(depth - 1)),
            4 | 5 => format!("({left} - {})", self.number(depth - 1)),
            6 => format!("({left} * {})", self.number(depth - 1)),
            7 if self.faulty && self.chance(50) => format!("(5 / {left})"),
            7 => format!("({left} / {})", self.rng.u8(1..4)),
            8 => format!("({left} % {})", self.rng.u8(1..4)),
            9 => format!(
                "({left} {} {})",
                ["&", "|", "^"][self.rng.usize(..3)],
                self.number(depth - 1)
            ),
            10 => format!("({left} {} {})", ["<<", ">>"][self.rng.usize(..2)], self.rng.u8(..3)),
            11 => format!("(-{left})"),
            12 => format!("(~{left})"),
            13 => format!("(!{left})"),
            14 => format!("({} -> {left} : {})", self.comparison(), self.number(depth - 1)),
            _ => format!("({})", self.comparison()),
        }
    }

    /// A comparison of two values.
    pub fn comparison(&mut self) -> String {
        if self.has_mtype
            && self.chance(20)
            && let Some((place, _)) = self.place(|s| s == Sort::Mtype)
        {
            let operator = ["==", "!="][self.rng.usize(..2)];
            return format!("{place} {operator} {}", self.mtype());
        }
        let left = match self.place(Sort::is_number) {
            Some((text, _)) if self.chance(75) => text,
            _ => self.number(1),
        };
        let operator = ["==", "!=", "<", ">", "<=", ">=", "==", "!="][self.rng.usize(..8)];
        let right = if self.chance(75) {
            self.rng.u8(..3).to_string()
        } else {
            self.number(1)
        };
        format!("{left} {operator} {right}")
    }

    /// A condition.
    pub fn condition(&mut self, depth: usize) -> String {
        match self.rng.u8(..20) {
            0..3 if depth > 0 => {
                let operator = ["&&", "||"][self.rng.usize(..2)];
                format!(
                    "({} {operator} {})",
                    self.condition(depth - 1),
                    self.condition(depth - 1)
                )
            }
            3 if depth > 0 => format!("!({})", self.comparison()),
            10 | 11 if self.asks_enabled => format!("enabled({})", self.rng.u8(..3)),
            4..7 => self.poll().unwrap_or_else(|| self.comparison()),
            7 if self.has_macros => match self.place(Sort::is_number) {
                Some((text, _)) => format!("BELOW({text})"),
                None => self.comparison(),
            },
            8 if !self.remotes.is_empty() => self.remote(),
            // A constant would be refused as a loop that does nothing.
            9 => match self.place(Sort::is_number) {
                Some((text, _)) => format!("{text} * {}", self.number(1)),
                None => self.comparison(),
            },
            _ => self.comparison(),
        }
    }

    /// Something about another process.
    pub fn remote(&mut self) -> String {
        let all = self.remotes.clone();
        let remote = Self::pick(&mut self.rng, &all).expect("there are some");
        match &remote.variable {
            // In an `ltl` block SPIN does not read this.
            Some(variable) if !self.shape.ltl && self.chance(40) => {
                format!("{}:{variable} == {}", remote.name, self.rng.u8(..3))
            }
            _ => format!("{}@{}", remote.name, remote.label),
        }
    }

    /// A question about a channel that holds messages.
    fn poll(&mut self) -> Option<String> {
        let (name, channel) = self.some_channel(|c| c.buffered)?;
        let question = match self.rng.u8(..6) {
            0 => format!("empty({name})"),
            1 => format!("nempty({name})"),
            2 => format!("full({name})"),
            3 => format!("nfull({name})"),
            k if channel
                .fields
                .iter()
                .all(|f| matches!(f, Field::Number { .. } | Field::Mtype)) =>
            {
                let patterns: Vec<_> = channel.fields.iter().map(|f| self.constant_of(f)).collect();
                let random = if k == 4 { "?" } else { "??" };
                format!("{name}{random}[{}]", patterns.join(","))
            }
            _ => format!("nempty({name})"),
        };
        Some(question)
    }

    fn constant_of(&mut self, field: &Field) -> String {
        match field {
            Field::Number { modulus, .. } => {
                if self.chance(25) {
                    "_".to_string()
                } else {
                    self.rng.u32(..*modulus).to_string()
                }
            }
            _ => ["A", "B", "_"][self.rng.usize(..3)].to_string(),
        }
    }

    /// A symbolic name.
    pub fn mtype(&mut self) -> String {
        if self.chance(30)
            && let Some((text, _)) = self.place(|s| s == Sort::Mtype)
        {
            return text;
        }
        ["A", "B", "C"][self.rng.usize(..3)].to_string()
    }

    /// Whether a claim may run beside the processes: SPIN counts it in `_nr_pr`, also where
    /// a process asks.
    pub fn claimed(&self) -> bool {
        self.shape.ltl || self.shape.never || self.shape.cycles
    }

    /// What is sent in a field, if anything can be. A number is never more than a variable
    /// it is received into can hold: SPIN takes back such a receive by putting what is left
    /// of the number into the channel, and visits states that do not exist.
    pub fn sent(&mut self, field: &Field) -> Option<String> {
        Some(match field {
            Field::Number { kind, modulus } => match self.rng.u8(..4) {
                0 if self.faulty && self.chance(30) => format!("(5 / {}) & 1", self.number(0)),
                0 => format!("({}) & 1", self.number(1)),
                1 => match self.place(|s| s == Sort::BIT) {
                    Some((text, _)) => text,
                    None => "1".to_string(),
                },
                _ if *kind == ANY => self.rng.u32(..2).to_string(),
                _ => self.rng.u32(..*modulus).to_string(),
            },
            Field::Mtype => self.mtype(),
            Field::Pair => self.pair.clone()?,
            Field::Channel => {
                let (name, _) = self.some_channel(|c| matches!(c.fields[..], [Field::Number { .. }]) && c.buffered)?;
                name
            }
        })
    }

    /// What a field is received into or compared with; places are not used twice.
    pub fn received(&mut self, field: &Field, used: &mut Vec<String>) -> Option<String> {
        let mut stored = |place: Option<(String, Sort)>| match place {
            Some((text, _)) => {
                // SPIN refuses two elements of one array as well, and takes a receive back
                // by the indexes and the compared values as they are afterwards.
                let names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
                let names: Vec<&str> = names.filter(|n| n.starts_with(char::is_alphabetic)).collect();
                if names.iter().any(|n| used.iter().any(|u| u == n)) {
                    return "_".to_string();
                }
                used.extend(names.into_iter().map(str::to_string));
                text
            }
            None => "_".to_string(),
        };
        Some(match field {
            Field::Number { modulus, .. } => match self.rng.u8(..10) {
                0 => "_".to_string(),
                1 | 2 => self.rng.u32(..*modulus).to_string(),
                3 => match &stored(self.place(Sort::is_number))[..] {
                    "_" => "_".to_string(),
                    text if self.faulty && self.chance(50) => format!("eval(5 / {text})"),
                    text => format!("eval({text})"),
                },
                _ => {
                    let place = self.place(|s| matches!(s, Sort::Number { modulus: m, .. } if m >= *modulus));
                    stored(place)
                }
            },
            Field::Mtype => match self.rng.u8(..10) {
                0..5 => ["A", "B", "C"][self.rng.usize(..3)].to_string(),
                5 => "_".to_string(),
                _ => {
                    let place = self.place(|s| s == Sort::Mtype);
                    stored(place)
                }
            },
            Field::Pair => self.pair.clone()?,
            Field::Channel => self.received.clone()?,
        })
    }
}
