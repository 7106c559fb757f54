//! Message sequence charts in a browser: the scripts step through a counterexample,
//! react to mouse and keyboard, and withstand whatever a model contains.
//!
//! The pages stay in the target folder (`tmp/*.html`), so that one can look at them.

#[allow(dead_code)]
#[path = "../../../src/check/sample.rs"]
mod sample;

use crate::browser::probe;
use mazurka_report::check::{CheckedModel, checked_html};
use sample::Sample;
use serde_json::json;

fn page(sample: &Sample) -> String {
    checked_html(&sample.view())
}

#[test]
fn stepping_through_a_counterexample() {
    let script = "
        const now = () => ({ seen: page.seen(), marked: page.text('.step.now .statement'), line: page.text('.line.now code'),
            values: page.text('#details .values tr'), changed: page.text('#details .values tr.changed'), lit: document.querySelectorAll('.arrow.lit').length });
        const report = { start: now() };
        page.key('ArrowUp');
        page.key('ArrowUp');
        report.third = now();
        page.key('Home');
        report.first = now();
        document.getElementById('step-on').click();
        report.on = now();
        const slider = document.getElementById('step');
        slider.value = 2;
        slider.dispatchEvent(new Event('input'));
        report.slider = now();
        page.key('End');
        page.key('ArrowDown');
        report.end = now();
        return report;
    ";
    let Some(report) = probe("check-steps.html", &page(&Sample::handshake()), script) else {
        return;
    };
    assert_eq!(report["start"]["seen"]["step"], "5", "where it is wrong");
    assert_eq!(report["start"]["line"], json!(["assert(got == 2);"]));
    assert_eq!(
        report["start"]["values"],
        json!(["Receiver[1]:got1", "Sender[0]:n2", "c[]", "sum0"])
    );
    assert_eq!(report["start"]["changed"], json!([]));
    let third = &report["third"];
    assert_eq!(third["seen"]["step"], "3");
    assert_eq!(third["marked"], json!(["c?got"]));
    assert_eq!(third["line"], json!(["c?got;"]));
    assert_eq!(third["changed"], json!(["Receiver[1]:got0 → 1", "c[1] → []"]));
    assert_eq!(third["lit"], 1, "the message that it receives");
    assert_eq!(report["first"]["seen"]["step"], "0");
    assert_eq!(report["first"]["line"], json!([]));
    assert_eq!(report["on"]["seen"]["step"], "1");
    assert_eq!(report["slider"]["seen"]["step"], "2");
    assert_eq!(report["end"]["seen"]["step"], "5");
}

#[test]
fn pointing_shows_a_step_and_a_click_goes_there() {
    let script = "
        const step = (k) => document.querySelectorAll('.step')[k].querySelector('rect');
        const at = (kind, k) => step(k).dispatchEvent(new PointerEvent(kind, { bubbles: true }));
        const report = {};
        at('pointerover', 0);
        report.over = { seen: page.seen(), text: page.text('#details')[0] };
        page.stage.dispatchEvent(new PointerEvent('pointerleave'));
        report.left = page.seen();
        step(3).dispatchEvent(new MouseEvent('click', { bubbles: true }));
        report.clicked = { seen: page.seen(), text: page.text('#details')[0] };
        return report;
    ";
    let Some(report) = probe("check-point.html", &page(&Sample::handshake()), script) else {
        return;
    };
    assert_eq!(
        (&report["over"]["seen"]["looked"], &report["over"]["seen"]["step"]),
        (&json!("1"), &json!("5"))
    );
    assert!(report["over"]["text"].as_str().unwrap().contains("sends 1"));
    assert_eq!(report["left"]["looked"], "5");
    assert_eq!(report["clicked"]["seen"]["step"], "4");
    assert!(report["clicked"]["text"].as_str().unwrap().contains("Printssent"));
}

#[test]
fn zoom_and_several_counterexamples() {
    let mut sample = Sample::handshake();
    let cycle = Sample::cycle().checked.properties.remove(0);
    sample.checked.properties.push(cycle);
    let script = "
        const report = { start: page.seen() };
        page.key('+');
        report.larger = page.seen();
        page.key('-');
        page.key('-');
        report.smaller = page.seen();
        const radios = document.querySelectorAll('input[name=answer]');
        radios[1].click();
        report.other = { seen: page.seen(), hidden: document.getElementById('chart-0').hidden, hits: page.text('.line.hit .at'), marked: page.text('.chart:not([hidden]) .step.now .statement') };
        page.key('ArrowUp');
        report.rendezvous = page.text('.chart:not([hidden]) .step.now .statement');
        return report;
    ";
    let Some(report) = probe("check-zoom.html", &page(&sample), script) else {
        return;
    };
    assert_eq!(report["start"]["zoom"], "1.000");
    assert_eq!(report["larger"]["zoom"], "1.200");
    assert_eq!(report["smaller"]["zoom"], "0.833");
    assert_eq!(report["other"]["seen"]["violation"], "1");
    assert_eq!(report["other"]["hidden"], true);
    assert_eq!(report["other"]["hits"], json!(["4", "5", "11"]));
    assert_eq!(report["other"]["marked"], json!(["skip"]));
    assert_eq!(report["rendezvous"], json!(["c!1", "c?1"]), "both ends of it");
}

#[test]
fn a_long_counterexample() {
    let script = "
        const report = { steps: document.querySelectorAll('.step').length, start: page.seen(), scrolled: page.stage.scrollTop > 10000 };
        page.key('Home');
        report.top = page.stage.scrollTop;
        page.key('PageDown');
        report.ten = page.seen();
        return report;
    ";
    let Some(report) = probe("check-long.html", &page(&Sample::long(2000)), script) else {
        return;
    };
    assert_eq!(report["steps"], 2000);
    assert_eq!(report["start"]["step"], "2000");
    assert_eq!((&report["scrolled"], &report["top"]), (&json!(true), &json!(0)));
    assert_eq!(report["ten"]["step"], "10");
}

#[test]
fn what_a_model_contains_stays_text() {
    let nasty =
        "</script><script>document.body.id='hacked'</script><img src=x onerror=alert(1)> & \"quotes\" 'too'\u{202e}";
    let mut sample = Sample::handshake();
    let property = &mut sample.checked.properties[0];
    property.name = nasty.to_owned();
    let violation = &mut property.violations[0];
    violation.message = nasty.to_owned();
    for step in &mut violation.steps {
        step.process = nasty.to_owned();
        step.statement = nasty.to_owned();
        step.printed = nasty.to_owned();
        step.changes = vec![
            (nasty.to_owned(), nasty.to_owned()),
            ("__proto__".to_owned(), "1".to_owned()),
        ];
        if let Some(exchange) = &mut step.exchange {
            exchange.message = nasty.to_owned();
        }
    }
    sample.sources.add(nasty, nasty);
    let html = checked_html(&CheckedModel {
        model: nasty,
        ..sample.view()
    });
    let script = "
        return { title: document.title, strangers: document.querySelectorAll('img, #hacked').length, values: page.text('#details .values tr').length,
            heading: page.text('#details h2')[0], seen: page.seen() };
    ";
    let Some(report) = probe("check-nasty.html", &html, script) else {
        return;
    };
    assert_eq!(report["strangers"], 0);
    assert_eq!(report["values"], 6);
    assert_eq!(report["seen"]["step"], "5");
    let heading = report["heading"].as_str().unwrap();
    assert!(
        heading.starts_with("</script><script>document") && heading.ends_with("⟨U+202E⟩"),
        "{heading}"
    );
}

#[test]
fn nothing_is_wrong() {
    let mut sample = Sample::handshake();
    sample.checked.properties.remove(0);
    let script =
        "return { lines: document.querySelectorAll('.line').length, unreached: page.text('.line.unreached .at') };";
    if let Some(report) = probe("check-holds.html", &page(&sample), script) {
        assert_eq!(report["lines"], 12);
        assert_eq!(report["unreached"], json!(["11"]));
    }
}
