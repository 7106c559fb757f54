//! The report as an HTML page: one column per thread, one row per step.

use crate::render;
use crate::report::{Report, Violation, counted};
use mazurka_outcome::Verdict;
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}pre{background:#f6f6f4;padding:.8rem;overflow:auto;border-radius:4px}\
table{border-collapse:collapse;font-size:.88rem}th{text-align:left;position:sticky;top:0;background:#fff;border-bottom:2px solid #888}\
td,th{padding:.25rem .8rem;vertical-align:top}td.n{color:#888;text-align:right}tr.idle td{color:#aaa}\
td.step{background:#eef3fb;border-radius:4px}td small{color:#667;display:block}code{background:#f6f6f4;padding:.1rem .3rem}\
@media(prefers-color-scheme:dark){body,th{background:#181a1b;color:#ddd}pre,code{background:#242728}td.step{background:#22303f}}";

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// The page.
pub(crate) fn page(report: &Report) -> String {
    let mut out = String::from("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">");
    let _ = write!(out, "<title>mazurka</title><style>{STYLE}</style><h1>mazurka</h1>");
    let verdict = match (report.verdict, report.violations.len()) {
        (Verdict::Holds, _) => "No violation: every inequivalent execution was seen.".to_owned(),
        (Verdict::Inconclusive(_), _) => "No violation was found, but not everything was seen.".to_owned(),
        (Verdict::Violated, 1) => "1 violation.".to_owned(),
        (Verdict::Violated, n) => format!("{n} violations."),
    };
    let _ = write!(
        out,
        "<p>{verdict} {}, {}, {:.1} ms.</p>",
        counted(report.executions, "execution"),
        counted(report.transitions, "transition"),
        report.duration.as_secs_f64() * 1e3
    );
    if let Some(outlook) = report.outlook() {
        let _ = write!(out, "<p>Not complete: {}.</p>", escape(&outlook));
    }
    for note in &report.notes {
        let _ = write!(out, "<p>Note: {}.</p>", escape(note));
    }
    for (violation, alike) in report.distinct() {
        section(&mut out, violation);
        if alike > 0 {
            let _ = write!(out, "<p>Other executions that end in the same way: {alike}.</p>");
        }
    }
    out.push_str("</html>\n");
    out
}

fn section(out: &mut String, violation: &Violation) {
    let _ = write!(
        out,
        "<h2>{}</h2><pre>{}</pre><p>Run it again: <code>MAZURKA_REPLAY={}</code></p><table><tr><th></th>",
        escape(&violation.kind.to_string()),
        escape(&violation.message),
        escape(&violation.token)
    );
    let columns = render::present(&violation.threads, &violation.steps.iter().collect::<Vec<_>>());
    for &thread in &columns {
        let _ = write!(out, "<th>{}</th>", escape(violation.name(thread)));
    }
    out.push_str("</tr>");
    for (i, step) in violation.steps.iter().enumerate() {
        let _ = write!(
            out,
            "<tr{}><td class=\"n\">{}</td>",
            if step.matters { "" } else { " class=\"idle\"" },
            i + 1
        );
        for &thread in &columns {
            if thread == step.thread {
                let _ = write!(
                    out,
                    "<td class=\"step\">{}<small>{}</small></td>",
                    escape(&step.what),
                    escape(&step.at)
                );
            } else {
                out.push_str("<td></td>");
            }
        }
        out.push_str("</tr>");
    }
    out.push_str("</table>");
}
