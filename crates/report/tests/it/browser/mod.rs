//! Runs pages in a real browser without a window, and reads what their scripts did.

use std::path::{Path, PathBuf};
use std::process::Command;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A browser that can be started.
fn browser() -> Option<&'static str> {
    let starts = |name: &&&str| {
        Command::new(name)
            .arg("--version")
            .output()
            .is_ok_and(|o| o.status.success())
    };
    NAMES.iter().find(starts).copied()
}

/// Writes a page and returns its path, so that one can look at it after the test.
pub fn write(name: &str, page: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, page).unwrap();
    path
}

/// The document after its scripts ran; `None` if there is no browser and none is required.
fn document(path: &Path) -> Option<String> {
    let Some(browser) = browser() else {
        let required = std::env::var("MAZURKA_PEERS").is_ok_and(|v| v == "required");
        assert!(!required, "no browser: none of {NAMES:?} can be started");
        println!("skipped: no browser, none of {NAMES:?} can be started");
        return None;
    };
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(["--window-size=1400,900", "--dump-dom"])
        .arg(format!("file://{}", path.display()))
        .output()
        .unwrap();
    let document = String::from_utf8(output.stdout).unwrap();
    assert!(
        document.contains("</html>"),
        "no document: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(document)
}

/// The report of a script that is added to a page. The page must not fail.
pub fn probe(name: &str, page: &str, script: &str) -> Option<serde_json::Value> {
    let harness = include_str!("probe.js");
    let script = format!("<script>{harness}\nprobe(async (page) => {{ {script} }});</script></body>");
    let quiet = "<script>{}</script></head>".replace("{}", include_str!("quiet.js"));
    let path = write(name, &page.replace("</head>", &quiet).replace("</body>", &script));
    let document = document(&path)?;
    let report = document
        .split("<pre id=\"probe\" hidden=\"\">")
        .nth(1)
        .expect("the probe ran to its end");
    let report = report.split("</pre>").next().unwrap();
    let report = report.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["error"], serde_json::Value::Null, "in {}", path.display());
    Some(report)
}
