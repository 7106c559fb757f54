//! Tables of aligned columns.
//!
//! Numbers are aligned to the right, words to the left. A heading is broken at its spaces
//! and before `+`, so that a long name does not make a wide column. Its lines stand directly above the rule.

/// A table to be filled.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    heading: Vec<String>,
    cells: Vec<String>,
    words: bool,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self { columns: Vec::new() }
    }

    /// Adds a column of numbers. All columns need the same number of cells.
    pub(crate) fn column(&mut self, heading: &str, cells: Vec<String>) {
        self.add(heading, cells, false);
    }

    /// Adds a column of words.
    pub(crate) fn words(&mut self, heading: &str, cells: Vec<String>) {
        self.add(heading, cells, true);
    }

    fn add(&mut self, heading: &str, cells: Vec<String>, words: bool) {
        debug_assert!(self.columns.iter().all(|c| c.cells.len() == cells.len()));
        self.columns.push(Column {
            heading: broken(heading),
            cells,
            words,
        });
    }

    /// The lines of the table. No line ends in spaces.
    pub(crate) fn render(&self) -> String {
        let height = self.columns.iter().map(|c| c.heading.len()).max().unwrap_or(0);
        let rows = self.columns.first().map_or(0, |c| c.cells.len());
        let mut text = String::new();
        for line in 0..height {
            self.line(&mut text, |c| {
                let blank = height - c.heading.len();
                line.checked_sub(blank).map_or("", |k| &c.heading[k])
            });
        }
        let rules: Vec<_> = self.columns.iter().map(|c| "-".repeat(c.width())).collect();
        text += &rules.join("  ");
        text.push('\n');
        for row in 0..rows {
            self.line(&mut text, |c| &c.cells[row]);
        }
        text
    }

    fn line<'a>(&'a self, text: &mut String, cell: impl Fn(&'a Column) -> &'a str) {
        let cells: Vec<_> = (self.columns.iter())
            .map(|c| {
                let cell = cell(c);
                let space = " ".repeat(c.width() - cell.chars().count());
                if c.words {
                    format!("{cell}{space}")
                } else {
                    format!("{space}{cell}")
                }
            })
            .collect();
        *text += cells.join("  ").trim_end();
        text.push('\n');
    }
}

impl Column {
    fn width(&self) -> usize {
        let texts = self.heading.iter().chain(&self.cells);
        texts.map(|t| t.chars().count()).max().unwrap_or(0)
    }
}

/// The lines of a heading. Words share a line if it is no longer than `WIDTH`.
fn broken(heading: &str) -> Vec<String> {
    const WIDTH: usize = 11;
    let mut lines: Vec<String> = Vec::new();
    for word in heading.replace('+', " +").split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                *line += word;
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_headings_broken() {
        let mut table = Table::new();
        table.column("n", vec!["2".into(), "14".into()]);
        table.column("persistent+sleep (locks)", vec!["8".into(), "512".into()]);
        table.column("full", vec!["8".into(), String::new()]);
        let expected = [
            "    persistent",
            "        +sleep",
            " n     (locks)  full",
            "--  ----------  ----",
            " 2           8     8",
            "14         512",
        ];
        assert_eq!(table.render().lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn words_begin_where_their_column_does() {
        let mut table = Table::new();
        table.words("method", vec!["full".into(), "reduced".into()]);
        table.column("n", vec!["2".into(), "14".into()]);
        let expected = ["method    n", "-------  --", "full      2", "reduced  14"];
        assert_eq!(table.render().lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn short_words_share_a_line() {
        assert_eq!(broken("Algorithm 1 (locks)"), ["Algorithm 1", "(locks)"]);
    }
}
