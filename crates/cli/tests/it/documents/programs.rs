//! Rust programs: the reports of failing tests in the documents are what `mazurka::check` prints.
//!
//! A report names the file of the test, `tests/NAME.rs`. Here this file is
//! `programs/NAME.rs`. Its lines are those that the document shows before the report, except that the
//! function is not a test.

use crate::documents::console::timeless;
use crate::documents::document::{Document, root};
use regex::Regex;
use std::panic::{UnwindSafe, catch_unwind};

/// The line that replaces `#[test]`.
const NO_TEST: &str = "#[allow(dead_code)]";

macro_rules! programs {
    ($($name:ident: $test:ident;)*) => {
        $(
            #[allow(unsafe_code)]
            mod $name {
                include!(concat!("programs/", stringify!($name), ".rs"));
                pub fn run() {
                    $test();
                }
            }
        )*
        /// The programs, by name.
        const PROGRAMS: &[(&str, fn())] = &[$((stringify!($name), $name::run)),*];
    };
}

programs! {
    bank: transfers_do_not_deadlock;
    counter: both_increments_count;
    publish: a_value_is_published;
    wakeup: the_main_thread_wakes_up;
}

/// The report of a failing check.
fn report(run: impl FnOnce() + UnwindSafe) -> String {
    let panic = catch_unwind(run).expect_err("the check fails");
    *panic.downcast::<String>().expect("a report is a text")
}

/// A report without the parts that differ between runs and machines.
fn plain(report: &str) -> Vec<String> {
    let file = Regex::new(r"[^\s(]*programs/").expect("it is one");
    let token = Regex::new(r"mz[0-9a-f]+(\.[a-z]+)?").expect("it is one");
    let line = |line: &str| {
        token
            .replace_all(&file.replace_all(&timeless(line), "tests/"), "TOKEN")
            .into_owned()
    };
    report.lines().map(line).collect()
}

#[test]
fn failing_tests_say_what_the_documents_show() {
    let named = Regex::new(r"tests/([a-z_]+)\.rs").expect("it is one");
    let mut shown = Vec::new();
    for document in Document::all() {
        let blocks = document.blocks();
        for pair in blocks.windows(2).filter(|pair| pair[1].is("text")) {
            let [program, said] = pair else { continue };
            let Some(name) = named.captures(&said.text).map(|found| found[1].to_owned()) else {
                continue;
            };
            let known = PROGRAMS.iter().find(|(known, _)| *known == name);
            let (_, run) = known.unwrap_or_else(|| panic!("{}: there is no program {name}", document.name()));
            let file = format!("crates/cli/tests/it/documents/programs/{name}.rs");
            let text = std::fs::read_to_string(root().join(&file)).expect("it is compiled");
            assert_eq!(
                text.replace(NO_TEST, "#[test]"),
                program.text,
                "{}: {file}",
                document.name()
            );
            assert_eq!(
                plain(&report(run)).join("\n"),
                plain(&said.text).join("\n"),
                "{}",
                document.name()
            );
            shown.push(name);
        }
    }
    for (name, _) in PROGRAMS {
        assert!(shown.iter().any(|shown| shown == name), "no document shows {name}");
    }
}
