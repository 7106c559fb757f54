//! The progress line on standard error.
//!
//! It is shown only on a terminal, leaves nothing behind and has no colours, so
//! there is nothing that `NO_COLOR` would have to switch off.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mazurka_experiments::Progress;
use std::time::Duration;

/// A line that says what is being done, until it is dropped.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
    name: &'static str,
}

impl ProgressLine {
    pub(crate) fn new(name: &'static str, quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(None, target);
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
