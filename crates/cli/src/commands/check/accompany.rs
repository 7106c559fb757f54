//! What the command line does while properties are checked: it says which one, watches for signals, shows progress.

use crate::interrupt;
use crate::progress::Activity;
use crate::watchdog::{self, Watchdog};
use mazurka_core::{Limit, Statistics};
use mazurka_promela::verify::{Companion, Property};
use mazurka_report::check::progress_text;
use std::sync::atomic::Ordering;

pub(super) struct Accompany<'a> {
    pub(super) dog: &'a Watchdog,
    pub(super) line: Activity,
}

impl Companion for Accompany<'_> {
    fn begin(&self, property: &Property) -> bool {
        // The memory of the search before was released.
        interrupt::forgive_memory();
        if interrupt::flag().load(Ordering::Relaxed) {
            return false;
        }
        self.dog.phase(format!("checking {}", property.name()));
        self.line.say(|| property.name().to_owned());
        true
    }

    fn progress(&self, property: &Property, so_far: &Statistics) {
        self.line.say(|| progress_text(property.name(), so_far));
    }

    fn reached(&self, limit: Limit) -> Limit {
        watchdog::reached(limit)
    }
}
