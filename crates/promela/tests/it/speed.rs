//! The time to read a large model. Run it by hand:
//! `cargo test -p mazurka-promela --release --test it speed:: -- --ignored --nocapture`.

use mazurka_promela::{Options, load};
use std::time::{Duration, Instant};

#[test]
#[ignore = "its answer depends on the machine"]
fn a_thousand_lines_take_less_than_50_milliseconds() {
    let mut text = String::from(
        "#define MAX(a, b) ((a > b) -> a : b)\n\
         mtype = { a, b, c }\n\
         chan q[8] = [4] of { mtype, byte };\n\
         byte total;\n\
         inline bump(x, n) { if :: x < n -> x = x + 1 :: else -> x = 0 fi }\n",
    );
    for k in 0..50 {
        text += &format!("active proctype P{k}() {{\n  byte x, y;\n  do\n");
        for j in 0..4 {
            text += &format!(
                "  :: q[{j}]?a(x) ->\n    y = MAX(x, {j});\n    bump(total, y)\n  :: x == {j} && y < 200 ->\n"
            );
        }
        text += "    break\n  od;\n  assert(total < 250)\n}\n";
    }
    let lines = text.lines().count();
    let mut times = Vec::new();
    for _ in 0..9 {
        let begin = Instant::now();
        load("m.pml", text.clone(), &Options::default()).unwrap_or_else(|errors| panic!("{errors}"));
        times.push(begin.elapsed());
    }
    times.sort();
    println!("{lines} lines in {:?}", times[4]);
    assert!(lines >= 1000 && times[4] < Duration::from_millis(50));
}
