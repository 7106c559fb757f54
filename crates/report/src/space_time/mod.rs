//! A recorded run as a web page: its space-time diagram (Lamport 1978) and the
//! answers about it.
//!
//! The page is one file that needs no network. The answers and the tables of the
//! witness cuts are HTML made here, so they can be read without scripts and on
//! paper. The scripts beside this file draw the diagram from data that is
//! embedded once, as JSON (`data.rs`). An event is to the right of its
//! predecessor and of its causes (`layout.rs`), so every arrow points right, and a
//! cut is consistent iff no arrow crosses it from right to left. A page can hold
//! a limited number of events. If the run is longer, it holds those near the cuts (`window.rs`)
//! and says so.
//!
//! Everything from the input is escaped twice. Characters that are invisible, or that
//! would reorder the text around them, are shown by their numbers (`page/visible.rs`). Then the template escapes HTML,
//! and the data escape JSON.

mod data;
mod layout;
mod page;
mod window;

use mazurka_trace::{Computation, Finding, Place};

/// A run and what was found out about it.
pub struct SpaceTime<'a> {
    /// What to call it, such as the name of the trace file.
    pub title: &'a str,
    /// The run.
    pub computation: &'a Computation,
    /// What was asked, and the answers.
    pub answers: &'a [AnswerView],
    /// What is odd about the run or about what was asked.
    pub warnings: &'a [Finding],
    /// The text of the record at a place of the input.
    pub record_text: &'a dyn Fn(Place) -> Option<String>,
}

/// The answer to a query, ready to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerView {
    /// `possibly`, `definitely`, `never`, `always`, `inevitably`, or `sltl` for a formula.
    pub modality: String,
    /// What was asked about.
    pub predicate: String,
    /// `holds`, `violated`, `true`, `false` or `inconclusive`.
    pub verdict: String,
    /// What that means here, in a sentence.
    pub summary: String,
    /// How it was found.
    pub method: String,
    /// The number of global states that were explored, if the method explores any.
    pub states: u64,
    /// The number of transitions that were explored.
    pub transitions: u64,
    /// The witness: how many events each process has executed. If it is not a cut
    /// of the computation, it is not shown.
    pub cut: Option<Vec<u32>>,
    /// An execution, cut by cut. It is shown as far as its cuts are cuts of the
    /// computation.
    pub path: Option<Vec<Vec<u32>>>,
    /// Whether the observed order of the records passed through the witness.
    pub observed: Option<bool>,
}

impl AnswerView {
    /// The witness, if it is a cut of the computation.
    fn witness(&self, computation: &Computation) -> Option<&[u32]> {
        self.cut.as_deref().filter(|cut| is_cut(computation, cut))
    }

    /// The part of the execution that consists of cuts of the computation.
    fn execution(&self, computation: &Computation) -> Option<&[Vec<u32>]> {
        let path = self.path.as_deref()?;
        let wrong = path.iter().position(|cut| !is_cut(computation, cut));
        Some(&path[..wrong.unwrap_or(path.len())]).filter(|path| !path.is_empty())
    }
}

/// Whether a cut has an entry for each process and contains only events that exist.
fn is_cut(computation: &Computation, cut: &[u32]) -> bool {
    let order = computation.causality();
    cut.len() == computation.processes()
        && order
            .process_ids()
            .zip(cut)
            .all(|(p, &executed)| executed <= order.events(p))
}

/// The page.
pub fn html(view: &SpaceTime) -> String {
    page::render(view, window::EVENTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_trace::{Recorder, Recording, Sink};

    fn two_processes() -> Computation {
        let mut recorder = Recorder::new(Recording::default());
        let (p, q) = (recorder.process("p"), recorder.process("q"));
        for _ in 0..2 {
            recorder.event(p, Place::NOWHERE);
            recorder.event(q, Place::NOWHERE);
        }
        recorder.finish().unwrap()
    }

    #[test]
    fn only_cuts_of_the_computation_are_shown() {
        let computation = two_processes();
        let mut answer = AnswerView {
            cut: Some(vec![2, 1]),
            path: Some(vec![vec![0, 0], vec![1, 0], vec![1, 7], vec![2, 2]]),
            ..AnswerView::default()
        };
        assert_eq!(answer.witness(&computation), Some(&[2, 1][..]));
        assert_eq!(answer.execution(&computation).map(<[_]>::len), Some(2));
        for wrong in [vec![3, 0], vec![1], vec![0, 0, 0]] {
            answer.cut = Some(wrong);
            assert_eq!(answer.witness(&computation), None);
        }
    }
}
