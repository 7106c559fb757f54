//! The results of detection in a recorded run, as text and as JSON.
//!
//! Text is for people: one block for each query, with the verdict first, then the
//! global state that shows it, as the log lines of the processes that matter
//! (`relevant.rs`), then the order of events that reaches it. It contains escape
//! sequences for terminals; whoever writes it elsewhere removes them. The shape of
//! the JSON (`json.rs`) is a contract with scripts.
//!
//! ```
//! use mazurka_report::detection::{Detection, RecordedRun, detection_json};
//! use mazurka_trace::{
//!     Budget, ImportOptions, Input, Modality, Predicate, Queries, Question, Session, Settings, Supervisor, import,
//! };
//! let bytes = br#"{"process":"a","vars":{"x":1}}"#.to_vec();
//! let input = Input::Text { name: "run.jsonl".into(), bytes };
//! let imported = import(input, &ImportOptions::default()).unwrap();
//! let predicate = Predicate::parse("a.x == 1").unwrap();
//! let question = Question { modality: Modality::Never, predicate };
//! let queries = Queries { questions: vec![question], ..Queries::default() };
//! let supervisor = Supervisor::new(Budget::default());
//! let executions = imported.execution_ids().collect();
//! let session = Session::new(imported, executions, queries, Settings::default(), supervisor);
//! let found = session.run(&mut ()).unwrap();
//! let run = RecordedRun {
//!     trace: "run.jsonl",
//!     format: session.imported().format,
//!     execution: None,
//!     computation: &session.imported().executions[0].computation,
//!     sources: &session.imported().sources,
//! };
//! let json = detection_json(&Detection { run, found: &found[0], warnings: &[] });
//! assert!(json.contains("\"verdict\": \"violated\""));
//! ```

mod assumption;
mod events;
mod formula;
mod json;
mod live;
mod pattern;
mod place;
mod relevant;
mod state;
mod text;
mod unread;

pub use assumption::{assumption, assumption_text};
pub use formula::{formula_text, formula_views};
pub use json::{detection_json, executions_json};
pub use live::{
    LiveAnswer, LiveFormula, LiveRun, announcement_json, announcement_text, formula_json, live_json, live_text,
};
pub use pattern::{pattern_text, pattern_view};
pub use text::{answer_text, cuts_text, run_text};
pub use unread::{unread_json, unread_text};

use crate::space_time::AnswerView;
use mazurka_trace::{Answer, Computation, ExecutionAnswers, Finding, Format, Modality, Question, Sources, Witness};

/// A run that questions are asked about.
#[derive(Clone, Copy)]
pub struct RecordedRun<'a> {
    /// What to call its input, such as the name of the file.
    pub trace: &'a str,
    /// What the input is written in.
    pub format: Format,
    /// Which execution of the input it is, if there are several: the number, from 1,
    /// and the name, if it has one.
    pub execution: Option<(usize, Option<&'a str>)>,
    /// The run.
    pub computation: &'a Computation,
    /// Where the text of its records is.
    pub sources: &'a Sources,
}

/// What was found out about a run.
#[derive(Clone, Copy)]
pub struct Detection<'a> {
    /// The run.
    pub run: RecordedRun<'a>,
    /// What was asked, and the answers.
    pub found: &'a ExecutionAnswers,
    /// What is odd about the run or about what was asked.
    pub warnings: &'a [Finding],
}

/// The verdict on a query, in a word.
pub(crate) fn verdict(modality: Modality, answer: Option<bool>) -> &'static str {
    match (modality.is_requirement(), answer) {
        (_, None) => "inconclusive",
        (true, Some(true)) => "holds",
        (true, Some(false)) => "violated",
        (false, Some(true)) => "yes",
        (false, Some(false)) => "no",
    }
}

/// What an answer means, in a sentence.
fn meaning(modality: Modality, answer: Option<bool>) -> &'static str {
    use Modality::{Always, Definitely, Inevitably, Never, Possibly};
    match (modality, answer) {
        (_, None) => "There is no answer.",
        (Possibly, Some(true)) | (Never, Some(false)) => "The run could have been in a global state that satisfies it.",
        (Possibly, Some(false)) | (Never, Some(true)) => {
            "No order of the events passes through a global state that satisfies it."
        }
        (Always, Some(true)) => "Every global state that the run could have been in satisfies it.",
        (Always, Some(false)) => "The run could have been in a global state that does not satisfy it.",
        (Definitely | Inevitably, Some(true)) => {
            "Every order of the events passes through a global state that satisfies it."
        }
        (Definitely | Inevitably, Some(false)) => "The run could have avoided every global state that satisfies it.",
    }
}

/// The answer to a query for the page of the run.
pub fn answer_view(question: &Question, answer: &Answer) -> AnswerView {
    let (cut, path, observed) = match &answer.witness {
        Some(Witness::Cut { cut, observed, .. }) => (Some(cut.clone()), None, *observed),
        Some(Witness::Path(path)) => (None, Some(path.clone()), None),
        None => (None, None, None),
    };
    let verdict = match verdict(question.modality, answer.verdict.truth()) {
        "yes" => "true",
        "no" => "false",
        other => other,
    };
    AnswerView {
        modality: question.modality.to_string(),
        predicate: question.predicate.text().to_owned(),
        verdict: verdict.to_owned(),
        summary: meaning(question.modality, answer.verdict.truth()).to_owned(),
        method: answer.method.to_string(),
        states: answer.statistics.states,
        transitions: answer.statistics.transitions,
        cut,
        path,
        observed,
    }
}
