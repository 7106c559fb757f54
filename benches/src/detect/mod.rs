//! Detection: speed of the search, of the linear algorithms, of loading and counting.
//!
//! No peer that answers the same questions can be run here. The rates are compared with
//! published ones, which were measured on other machines.

mod synthetic;

use crate::heap;
use mazurka_core::{Limits, Statistics};
use mazurka_experiments::Protocol;
use mazurka_trace::{
    Computation, ImportOptions, Input, Keep, Method, Modality, Monitor, Place, Predicate, Question, Recording,
    Reduction, Settings, Watching, count_cuts, detect, import, native,
};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::{Duration, Instant};
use synthetic::Ring;

/// Runs all benchmarks; with `quick`, at a tenth of the size or less.
pub fn run(quick: bool) {
    search(quick);
    conjunctive(quick);
    loading(quick);
    counting(quick);
    on_line(quick);
}

fn ask(computation: &Computation, modality: Modality, text: &str, settings: &Settings<'_>) -> mazurka_trace::Answer {
    let predicate = Predicate::parse(text).expect("a correct predicate");
    detect(computation, &Question { modality, predicate }, settings).expect("an answer")
}

/// The four levels on the two protocols.
fn search(quick: bool) {
    println!("search: transitions a second, the published prototype: 15,300 without reduction, 9,600 with");
    println!(
        "{:<20} {:>3} {:>6}  {:<12} {:>11} {:>10} {:>11} {:>10} {:>7}",
        "protocol", "N", "S", "level", "N_T", "N_S", "Mtrans./s", "ns/trans.", "ratio"
    );
    let sizes = match quick {
        true => [(5, 20, 200), (7, 30, 60)],
        false => [(5, 80, 20_000), (9, 60, 400)],
    };
    for (protocol, (processes, states, long)) in Protocol::ALL.into_iter().zip(sizes) {
        let mut unreduced = None;
        for reduction in Reduction::ALL {
            // The reduced searches need longer runs to be measured.
            let states = match reduction {
                Reduction::None | Reduction::Sleep => states,
                Reduction::Persistent | Reduction::Full => long,
            };
            let (time, cost) = best_of_three(protocol, processes, states, reduction);
            let nanoseconds = time.as_nanos() as f64 / cost.transitions as f64;
            let full = *unreduced.get_or_insert(nanoseconds);
            println!(
                "{:<20} {:>3} {:>6}  {:<12} {:>11} {:>10} {:>11.2} {:>10.0} {:>7.2}",
                protocol.name(),
                processes,
                states,
                format!("{reduction:?}").to_lowercase(),
                cost.transitions,
                cost.states,
                1e3 / nanoseconds,
                nanoseconds,
                nanoseconds / full
            );
        }
        many_processes(protocol);
    }
    println!();
}

/// The shortest time of a search, and its counts.
fn best_of_three(protocol: Protocol, processes: usize, states: u32, reduction: Reduction) -> (Duration, Statistics) {
    let run = protocol.run(processes, states, 0).expect("enough processes");
    let run = run.computation();
    let settings = Settings {
        method: Method::Search,
        reduction: Some(reduction),
        ..Settings::default()
    };
    let searches = [(); 3].map(|()| ask(&run, Modality::Always, protocol.invariant(), &settings).statistics);
    let best = searches.iter().map(|s| s.time).min().expect("three");
    (best, searches[0])
}

/// The two methods on 32 processes.
fn many_processes(protocol: Protocol) {
    let run = protocol.run(32, 50, 0).expect("enough processes").computation();
    let settings = Settings {
        method: Method::Search,
        reduction: Some(Reduction::Full),
        limits: Limits {
            time: Some(Duration::from_secs(10)),
            ..Limits::default()
        },
        ..Settings::default()
    };
    let ask = |settings| {
        let answer = ask(&run, Modality::Always, protocol.invariant(), settings);
        let seconds = answer.statistics.time.as_secs_f64();
        let (truth, transitions) = (answer.verdict.truth(), answer.statistics.transitions);
        format!("{truth:?} after {seconds:.3} s, {transitions} transitions")
    };
    println!("{} with N = 32, S = 50: {}", protocol.name(), ask(&settings));
    println!("{:<20}   by sequences: {}", "", ask(&Settings::default()));
}

/// Linear time in the events, and at worst quadratic in the processes.
fn conjunctive(quick: bool) {
    println!("conjunctive Possibly and Definitely, computation loaded, predicate: all processes have x == 1");
    println!(
        "{:>4} {:>10} {:>12} {:>14} {:>12} {:>14} {:>12}",
        "N", "S", "Possibly/s", "ns per event", "Definitely/s", "ns per event", "B/event"
    );
    let scale = if quick { 50 } else { 1 };
    let sizes = [
        (16, 125_000),
        (16, 250_000),
        (16, 500_000),
        (16, 1_000_000),
        (2, 1_000_000),
        (4, 1_000_000),
        (8, 1_000_000),
    ];
    for (processes, events) in sizes {
        let ring = Ring {
            processes,
            events: events / scale,
            round: 5,
        };
        let computation = ring.computation();
        let total = computation.causality().total() as f64;
        let time = |modality| {
            let answer = ask(
                &computation,
                modality,
                "processes.all(p, p.x == 1)",
                &Settings::default(),
            );
            assert_eq!(answer.method, Method::Conjunctive);
            answer.statistics.time.as_secs_f64()
        };
        let (possibly, definitely) = (time(Modality::Possibly), time(Modality::Definitely));
        println!(
            "{processes:>4} {:>10} {possibly:>12.3} {:>14.1} {definitely:>12.3} {:>14.1} {:>12.1}",
            ring.events,
            possibly * 1e9 / total,
            definitely * 1e9 / total,
            computation.bytes() as f64 / total
        );
    }
    println!();
}

/// Records per second from a file in the native format, and memory.
fn loading(quick: bool) {
    let ring = Ring {
        processes: 16,
        events: if quick { 10_000 } else { 200_000 },
        round: 5,
    };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("ring.jsonl");
    let mut out = BufWriter::new(File::create(&path).expect("a temporary file"));
    ring.write(&mut out).and_then(|()| out.flush()).expect("room for it");
    let bytes = std::fs::metadata(&path).expect("it is there").len();
    let options = ImportOptions {
        recording: Recording {
            keep: Keep::Only(["x".to_owned()].into()),
            ..Recording::default()
        },
        ..ImportOptions::default()
    };
    let mut best = Duration::MAX;
    let mut measured = None;
    for _ in 0..3 {
        let start = Instant::now();
        let (imported, peak) =
            heap::peak(|| import(Input::Paths(vec![path.clone()]), &options).expect("a correct trace"));
        best = best.min(start.elapsed());
        measured = Some((imported, peak));
    }
    let (imported, peak) = measured.expect("it was measured");
    let computation = &imported.executions[0].computation;
    let records = computation.causality().total() as f64;
    println!(
        "loading a native trace: {records} records, {} MB: {:.2} million records a second",
        bytes / 1_000_000,
        records / best.as_secs_f64() / 1e6
    );
    println!(
        "memory: {:.1} bytes per event held, {:.1} at the peak while loading",
        computation.bytes() as f64 / records,
        peak as f64 / records
    );
    println!();
}

/// Consistent cuts per second.
fn counting(quick: bool) {
    println!("counting consistent cuts in lexical order (published for 10 processes: 16 million a CPU-second)");
    let events = if quick { 12 } else { 30 };
    let ring = Ring {
        processes: 10,
        events,
        round: 5,
    };
    let computation = ring.computation();
    let mut single = None;
    for threads in [1, 2] {
        let start = Instant::now();
        let cuts = count_cuts(&computation, threads, Limits::default()).counted;
        let time = start.elapsed().as_secs_f64();
        let speedup = *single.get_or_insert(time) / time;
        println!(
            "{threads} thread(s): {cuts} cuts, {:.0} million a second, {speedup:.2} times one thread",
            cuts as f64 / time / 1e6
        );
    }
    let settings = Settings {
        method: Method::Enumerate,
        limits: Limits {
            states: Some(if quick { 2_000_000 } else { 100_000_000 }),
            ..Limits::default()
        },
        ..Settings::default()
    };
    let answer = ask(
        &computation,
        Modality::Possibly,
        "processes.all(p, p.x == 1)",
        &settings,
    );
    println!(
        "with a predicate evaluated in each: {:.0} million a second",
        answer.statistics.states as f64 / answer.statistics.time.as_secs_f64() / 1e6
    );
    println!();
}

/// Cost per record while the run grows.
fn on_line(quick: bool) {
    println!("on-line: time per record (reading it included) and local states held, as the run grows");
    let ring = Ring {
        processes: 8,
        events: if quick { 5_000 } else { 100_000 },
        round: 5,
    };
    let mut text = Vec::new();
    ring.write(&mut text).expect("memory takes everything");
    for (modality, predicate) in [
        (Modality::Possibly, "p1.x == 1 && p2.x == 1 && p3.x == 1"),
        (Modality::Definitely, "p1.x == 1 && p2.x == 1 && p3.x == 1"),
        (Modality::Possibly, "p1.x + p2.x + p3.x == 3"),
        (Modality::Definitely, "p1.x + p2.x + p3.x == 3"),
    ] {
        let question = Question {
            modality,
            predicate: Predicate::parse(predicate).expect("a correct predicate"),
        };
        let mut monitor = Monitor::new(&[question], &Watching::default()).expect("a correct predicate");
        let lines: Vec<&[u8]> = text.split(|b| *b == b'\n').filter(|l| !l.is_empty()).collect();
        print!("{modality:<11} {predicate:<40}");
        for tenth in lines.chunks(lines.len().div_ceil(5)) {
            let start = Instant::now();
            for line in tenth {
                native::record(line, Place::NOWHERE, &mut monitor);
                let announced = monitor.advance().expect("a correct trace");
                assert!(announced.is_empty(), "it is never true");
            }
            let each = start.elapsed().as_nanos() as f64 / tenth.len() as f64;
            print!(" {each:>5.0} ns ({})", monitor.held());
        }
        println!();
    }
}
