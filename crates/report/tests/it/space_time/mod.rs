//! Space-time diagrams in a browser: the scripts draw what the data say, react
//! to mouse and keyboard, and withstand whatever a log contains.
//!
//! The pages stay in the target folder (`tmp/*.html`), so that one can look at them.

mod log;

use crate::browser::probe;
use log::{Log, chatter, execution, lease, page};
use mazurka_report::space_time::AnswerView;
use serde_json::{Value, json};

fn number(value: &Value) -> f64 {
    value
        .as_str()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn two_leases() -> AnswerView {
    AnswerView {
        modality: "never".into(),
        predicate: "alice.lease && bob.lease".into(),
        verdict: "violated".into(),
        summary: "The run could have passed through a state in which alice and bob both hold the lease.".into(),
        method: "conjunctive".into(),
        states: 14,
        transitions: 13,
        cut: Some(vec![4, 4, 2, 1]),
        observed: Some(false),
        ..AnswerView::default()
    }
}

fn more_answers() -> Vec<AnswerView> {
    let (computation, _) = lease();
    let path = execution(&computation, &computation.causality().last_cut());
    vec![
        two_leases(),
        AnswerView {
            modality: "always".into(),
            predicate: "processes.exists(p, p.name == \"server\" && p.epoch >= 0)".into(),
            verdict: "holds".into(),
            summary: "No consistent cut of the run violates it.".into(),
            method: "search (persistent and sleep sets)".into(),
            states: 1204,
            transitions: 1377,
            ..AnswerView::default()
        },
        AnswerView {
            modality: "definitely".into(),
            predicate: "store.writes == 1 && server.holder == \"bob\"".into(),
            verdict: "false".into(),
            summary: "There is an order of the same events that avoids it.".into(),
            method: "search".into(),
            states: 63,
            transitions: 81,
            path: Some(path),
            ..AnswerView::default()
        },
        AnswerView {
            modality: "inevitably".into(),
            predicate: "processes.map(p, p.counter).sum() < 0".into(),
            verdict: "inconclusive".into(),
            summary: "The limit of 1,000,000 states was reached.".into(),
            method: "enumerate".into(),
            states: 1_000_000,
            transitions: 2_310_442,
            ..AnswerView::default()
        },
    ]
}

#[test]
fn a_witness_is_drawn_between_the_events_around_it() {
    let html = page("lease.jsonl", &lease(), &more_answers());
    let script = "
        const start = page.seen();
        page.key('Home');
        return { start, title: document.title, rows: page.text('#cut-0 tbody tr'), hidden: document.getElementById('stepper').hidden };
    ";
    let Some(report) = probe("lease.html", &html, script) else {
        return;
    };
    let start = &report["start"];
    assert_eq!(start["events"], "19", "the whole run fits");
    assert_eq!(start["messages"], "11");
    assert_eq!(start["cut"], "4,4,2,1");
    let crossings: Vec<f64> = start["cutX"]
        .as_str()
        .unwrap()
        .split(',')
        .map(|x| x.parse().unwrap())
        .collect();
    assert_eq!(crossings.len(), 4);
    assert!(crossings.iter().all(|x| (60.0..1400.0).contains(x)), "{crossings:?}");
    assert_eq!(report["title"], "lease.jsonl · mazurka detect");
    assert_eq!(report["hidden"], true, "no execution to step through");
    assert_eq!(report["rows"].as_array().unwrap().len(), 4);
    assert!(report["rows"][1].as_str().unwrap().contains("alice4acknowledged"));
    assert!(report["rows"][1].as_str().unwrap().ends_with("lease = true"));
}

#[test]
fn zoom_pan_fit_and_go_to_cut() {
    let html = page("lease.jsonl", &lease(), &more_answers());
    let script = "
        const steps = {};
        steps.start = page.seen();
        page.mouse('wheel', 600, 100, { deltaY: -600 });
        steps.wheel = page.seen();
        page.key('ArrowRight');
        steps.right = page.seen();
        page.mouse('pointerdown', 500, 20);
        page.mouse('pointermove', 300, 20);
        page.mouse('pointerup', 300, 20);
        steps.drag = page.seen();
        page.key('-');
        steps.minus = page.seen();
        document.getElementById('zoom-in').click();
        steps.button = page.seen();
        document.getElementById('fit').click();
        steps.fit = page.seen();
        page.mouse('wheel', 200, 100, { deltaY: -900 });
        page.key('End');
        steps.end = page.seen();
        page.key('c');
        steps.cut = page.seen();
        page.key('f');
        page.key('s');
        steps.straight = page.seen();
        return steps;
    ";
    let Some(steps) = probe("lease-zoom.html", &html, script) else {
        return;
    };
    let column = |step: &str| number(&steps[step]["column"]);
    let left = |step: &str| number(&steps[step]["left"]);
    assert!(column("wheel") > column("start") * 1.5);
    assert_eq!(left("right"), left("wheel") + 80.0);
    assert_eq!(left("drag"), left("right") + 200.0);
    assert!(column("minus") < column("wheel") && column("button") > column("minus"));
    assert_eq!(column("fit"), column("start"));
    assert_eq!(left("fit"), 0.0);
    assert!(
        number(&steps["end"]["events"]) < 19.0,
        "what is out of view is not drawn"
    );
    assert!(left("cut") < left("end"));
    let straight = steps["straight"]["cutX"].as_str().unwrap();
    assert!(straight.split(',').all(|x| straight.starts_with(x)), "{straight}");
}

#[test]
fn pointing_at_an_event_shows_it_and_a_click_keeps_it() {
    let html = page("lease.jsonl", &lease(), &[two_leases()]);
    // The test finds the third event of alice by trying places along her line.
    let script = "
        const steps = {};
        const line = page.canvas.clientHeight / 4 * 1.5;
        let x = 0;
        for (; x < 1400 && page.stage.dataset.looked !== '1,2'; x += 4) page.mouse('pointermove', x, line);
        steps.hover = page.seen();
        steps.details = page.text('#details')[0];
        steps.changed = page.text('#details .changed');
        steps.causes = page.text('#details .event-link');
        page.mouse('pointerdown', x, line);
        page.mouse('pointerup', x, line);
        page.mouse('pointerleave', 0, 0);
        steps.pinned = page.seen();
        page.key('ArrowRight', { shiftKey: true });
        steps.next = page.seen();
        page.key('ArrowDown', { shiftKey: true });
        steps.down = page.seen();
        steps.spoken = page.text('#spoken')[0];
        document.querySelector('#details .event-link').click();
        steps.cause = page.seen();
        page.key('Escape');
        steps.free = page.seen();
        document.getElementById('find').value = 'GRANTED';
        document.getElementById('find').dispatchEvent(new Event('input'));
        steps.found = page.text('#found')[0];
        document.getElementById('find-form').requestSubmit();
        steps.first = page.seen();
        return steps;
    ";
    let Some(steps) = probe("lease-hover.html", &html, script) else {
        return;
    };
    assert_eq!(steps["hover"]["looked"], "1,2");
    assert_eq!(steps["hover"]["pinned"], "");
    let details = steps["details"].as_str().unwrap();
    assert!(details.contains("alice, event 2 of 5, before the cut"), "{details}");
    assert!(details.contains("\"recv\":[\"g1\"]"), "the record: {details}");
    assert_eq!(steps["changed"], json!(["leasefalse → true"]));
    assert_eq!(steps["causes"], json!(["server · 1 grant alice", "alice · 1 request"]));
    assert_eq!(steps["pinned"]["pinned"], "1,2");
    assert_eq!(steps["next"]["pinned"], "1,3");
    assert!(steps["down"]["pinned"].as_str().unwrap().starts_with("2,"));
    assert!(steps["spoken"].as_str().unwrap().starts_with("bob, event "));
    assert_ne!(steps["cause"]["pinned"], steps["down"]["pinned"]);
    assert_eq!(steps["free"]["pinned"], "");
    assert_eq!(steps["found"], "2 found");
    assert_eq!(steps["first"]["pinned"], "1,2");
}

#[test]
fn an_execution_is_stepped_through() {
    let html = page("lease.jsonl", &lease(), &more_answers());
    let script = "
        const steps = {};
        document.querySelector('input[name=answer][value=\"2\"]').click();
        steps.first = page.seen();
        const slider = document.getElementById('step');
        steps.most = slider.max;
        slider.value = 7;
        slider.dispatchEvent(new Event('input'));
        steps.seventh = page.seen();
        steps.text = page.text('#step-text')[0];
        steps.numbers = page.text('#cut-2 td.number');
        page.key('.');
        steps.eighth = page.seen();
        document.querySelector('#cut-2 li[data-step=\"19\"]').click();
        steps.last = page.seen();
        page.key('.');
        steps.still = page.seen();
        document.querySelector('input[name=answer][value=\"1\"]').click();
        steps.none = page.seen();
        steps.disabled = document.getElementById('to-cut').disabled;
        return steps;
    ";
    let Some(steps) = probe("lease-path.html", &html, script) else {
        return;
    };
    let (computation, _) = lease();
    let path = execution(&computation, &computation.causality().last_cut());
    let cut = |k: usize| path[k].iter().map(u32::to_string).collect::<Vec<_>>();
    assert_eq!(steps["first"]["cut"], "0,0,0,0");
    assert_eq!(steps["most"], "19");
    assert_eq!(steps["seventh"]["cut"], cut(7).join(","));
    assert_eq!(steps["numbers"], json!(cut(7)));
    assert!(steps["text"].as_str().unwrap().starts_with("Step 7 of 19: "));
    assert_eq!(steps["eighth"]["cut"], cut(8).join(","));
    assert_eq!(steps["last"]["cut"], "6,5,5,3");
    assert_eq!(steps["still"]["cut"], "6,5,5,3");
    assert_eq!(steps["none"]["cut"], "");
    assert_eq!(steps["disabled"], true);
}

#[test]
fn ten_thousand_events_on_sixteen_processes() {
    let run = chatter(16, 10_000, 7);
    let last = run.0.causality().last_cut();
    let mut cut: Vec<u32> = last.iter().map(|k| k / 2).collect();
    run.0.causality().close(&[0; 16], &mut cut);
    let answer = AnswerView {
        modality: "possibly".into(),
        predicate: "processes.filter(p, p.leader).size() > 9".into(),
        verdict: "true".into(),
        summary: "Ten nodes could have been leaders at once.".into(),
        method: "search (persistent and sleep sets)".into(),
        states: 48_211,
        transitions: 51_007,
        cut: Some(cut),
        observed: Some(false),
        ..AnswerView::default()
    };
    let html = page("chatter.jsonl", &run, &[answer]);
    println!("page: {} kB", html.len() / 1000);
    let script = "
        const start = page.seen();
        const near = page.time(() => page.key('ArrowRight'));
        const all = page.time(() => page.key('f'));
        const fitted = page.seen();
        page.key('s');
        page.key('f');
        const other = page.seen();
        const wheel = [];
        for (let k = 0; k < 12; k++) wheel.push(page.time(() => page.mouse('wheel', 600, 100, { deltaY: -200 })));
        return { start, near, all, fitted, other, wheel };
    ";
    let Some(report) = probe("chatter.html", &html, script) else {
        return;
    };
    let near = number(&report["start"]["events"]);
    assert!((50.0..1000.0).contains(&near), "{near} events around the cut are drawn");
    // The cut is ragged, so it is straight at first; every arrow points right in both layouts.
    for layout in ["fitted", "other"] {
        assert_eq!(report[layout]["events"], "10000");
        assert_eq!(report[layout]["backward"], "0");
    }
    let straight = report["fitted"]["cutX"].as_str().unwrap();
    assert!(straight.split(',').all(|x| straight.starts_with(x)), "{straight}");
    assert_ne!(report["fitted"]["cutX"], report["other"]["cutX"]);
    let ms = |value: &Value| value.as_f64().map_or_else(String::new, |ms| format!("{ms:.0}"));
    println!("redraw of {near} events near the cut: {} ms", ms(&report["near"]));
    println!("redraw of all 10,000 events: {} ms", ms(&report["all"]));
    let wheel: Vec<String> = report["wheel"].as_array().unwrap().iter().map(ms).collect();
    println!("redraws while zooming in from there: {} ms", wheel.join(", "));
}

#[test]
fn a_page_of_a_longer_run_holds_what_is_near_the_cut() {
    let run = chatter(8, 60_000, 3);
    let mut cut: Vec<u32> = run.0.causality().last_cut().iter().map(|k| k / 3).collect();
    run.0.causality().close(&[0; 8], &mut cut);
    let witness = AnswerView {
        verdict: "true".into(),
        cut: Some(cut.clone()),
        ..AnswerView::default()
    };
    let html = page("long.jsonl", &run, std::slice::from_ref(&witness));
    assert!(html.contains("This page holds 20,000 of the 60,000 events"));
    let script = "
        const start = page.seen();
        const rows = page.text('#cut-0 tbody tr');
        page.key('f');
        return { start, rows, fitted: page.seen() };
    ";
    let Some(report) = probe("long.html", &html, script) else {
        return;
    };
    assert_eq!(report["fitted"]["events"], "20000");
    let text: Vec<_> = cut.iter().map(u32::to_string).collect();
    assert_eq!(report["start"]["cut"], text.join(","));
    assert!(report["rows"][0].as_str().unwrap().contains("load = "));

    // The execution leaves the events that the page holds. There the slider ends.
    let path = AnswerView {
        verdict: "false".into(),
        path: Some(execution(&run.0, &run.0.causality().last_cut())),
        ..AnswerView::default()
    };
    let html = page("long.jsonl", &run, &[witness, path]);
    assert!(html.contains("of 60,000 steps, as far as the page holds their events"));
    let script = "
        document.querySelector('input[name=answer][value=\"1\"]').click();
        const slider = document.getElementById('step');
        slider.value = slider.max;
        slider.dispatchEvent(new Event('input'));
        return { most: slider.max, seen: page.seen() };
    ";
    let Some(report) = probe("long-path.html", &html, script) else {
        return;
    };
    assert!((100.0..20_000.0).contains(&number(&report["most"])));
    let sum: f64 = report["seen"]["cut"]
        .as_str()
        .unwrap()
        .split(',')
        .map(|k| k.parse::<f64>().unwrap())
        .sum();
    assert_eq!(sum, number(&report["most"]));
}

#[test]
fn what_a_log_contains_is_only_ever_text() {
    let nasty = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";
    let odd = "\"quotes' & <b>heavy</b> <!-- \u{0}\u{202e}\u{2028}\u{ffff} ${x} `";
    let mut log = Log::new();
    log.init(nasty, json!({ nasty: odd }));
    log.event(nasty, odd, json!({ odd: nasty, "t": "</title></style>" }), &["m"], &[]);
    log.event("__proto__", nasty, json!({"__proto__": 1}), &[], &["m"]);
    let answer = AnswerView {
        modality: nasty.into(),
        predicate: format!("{odd}{nasty}"),
        verdict: nasty.into(),
        summary: odd.into(),
        method: nasty.into(),
        path: Some(vec![vec![0, 0], vec![1, 0], vec![1, 1]]),
        ..AnswerView::default()
    };
    let html = page(&format!("</title>{nasty}"), &log.end(), &[answer]);
    assert!(!html.contains("<img") && !html.contains("<b>heavy"));
    let script = "
        page.key('ArrowRight', { shiftKey: true });
        page.key('.');
        page.key('.');
        const seen = page.seen();
        return { seen, title: document.title, details: page.text('#details')[0], rows: page.text('#cut-0 tbody tr'),
                 strangers: document.querySelectorAll('img, b > b, section.cut script').length };
    ";
    let Some(report) = probe("nasty.html", &html, script) else {
        return;
    };
    assert_eq!(report["title"], format!("</title>{nasty} · mazurka detect"));
    assert_eq!(report["strangers"], 0);
    assert_eq!(report["seen"]["cut"], "1,1");
    assert!(report["rows"][1].as_str().unwrap().starts_with("__proto__1</script>"));
    assert!(report["details"].as_str().unwrap().contains("⟨U+202E⟩"));
}

#[test]
fn runs_without_events_and_pages_without_answers() {
    let mut log = Log::new();
    log.init("alone", json!({"x": 1}));
    let html = page("empty.jsonl", &log.end(), &[]);
    let script = "page.key('f'); page.key('+'); page.key('c'); page.key('ArrowDown', { shiftKey: true }); return { seen: page.seen() };";
    if let Some(report) = probe("empty.html", &html, script) {
        assert_eq!(report["seen"]["events"], "0");
    }
    let answer = AnswerView {
        cut: Some(vec![]),
        ..AnswerView::default()
    };
    let html = page("nothing.jsonl", &Log::new().end(), &[answer]);
    if let Some(report) = probe("nothing.html", &html, script) {
        assert_eq!(report["seen"]["events"], "0");
    }
}
