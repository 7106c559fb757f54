//! The progress line on standard error.
//!
//! It is shown only on a terminal, leaves nothing behind and has no colours, so
//! there is nothing that `NO_COLOR` would have to switch off.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mazurka_experiments::Progress;
use std::time::Duration;

/// A line that says what is being done and for how long, until it is dropped.
pub(crate) struct Activity {
    bar: ProgressBar,
}

impl Activity {
    pub(crate) fn new(what: impl Into<String>, quiet: bool) -> Self {
        let bar = hidden_if(quiet);
        bar.set_style(ProgressStyle::with_template("{wide_msg} {elapsed}").expect("a correct template"));
        bar.set_message(what.into());
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        Self { bar }
    }

    /// Changes the text, if the line is visible.
    pub(crate) fn say(&self, what: impl FnOnce() -> String) {
        if !self.bar.is_hidden() {
            self.bar.set_message(what());
        }
    }

    /// Prints something while the line is hidden.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn hidden_if(quiet: bool) -> ProgressBar {
    let target = match quiet {
        true => ProgressDrawTarget::hidden(),
        false => ProgressDrawTarget::stderr(),
    };
    ProgressBar::with_draw_target(None, target)
}

/// A line that says what is being done, until it is dropped.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
    name: &'static str,
}

impl ProgressLine {
    pub(crate) fn new(name: &'static str, quiet: bool) -> Self {
        let bar = hidden_if(quiet);
        let style = ProgressStyle::with_template("{msg}  {pos}/{len}  {elapsed}").expect("a correct template");
        bar.set_style(style);
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        Self { bar, name }
    }

    pub(crate) fn show(&self, progress: Progress<'_>) {
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(progress.done as u64);
        self.bar
            .set_message(format!("{}: n = {}, {}", self.name, progress.n, progress.series));
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
