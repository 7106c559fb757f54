//! How things look on a terminal.

use anstyle::{AnsiColor, Style};

pub(super) const NAME: Style = Style::new().bold();
pub(super) const READ: Style = AnsiColor::Cyan.on_default();
pub(super) const FAINT: Style = Style::new().dimmed();

/// The style of a verdict.
pub(super) fn of_verdict(verdict: &str) -> Style {
    match verdict {
        "holds" => AnsiColor::Green.on_default().bold(),
        "violated" => AnsiColor::Red.on_default().bold(),
        "inconclusive" => AnsiColor::Yellow.on_default().bold(),
        _ => Style::new().bold(),
    }
}

/// A text in a style.
pub(super) fn styled(style: Style, text: &str) -> String {
    match text {
        "" => String::new(),
        _ => format!("{style}{text}{style:#}"),
    }
}
