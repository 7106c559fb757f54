//! `mazurka detect --linearizable`: histories in all formats, verdicts with what shows them, and refusals with their place.

use crate::scenario::Scenario;
use serde_json::json;

/// A write of 1, and a read of 0 after another read has seen the 1.
const STALE: &str = "\
INFO  jepsen.util - 0\t:invoke\t:write\t1
INFO  jepsen.util - 1\t:invoke\t:read\tnil
INFO  jepsen.util - 1\t:ok\t:read\t1
INFO  jepsen.util - 2\t:invoke\t:read\tnil
INFO  jepsen.util - 2\t:ok\t:read\tnil
INFO  jepsen.util - 0\t:ok\t:write\t1
";

#[test]
fn a_stale_read_in_a_log_of_jepsen() {
    let ended = Scenario::with("etcd.log", STALE)
        .run(&["detect", "etcd.log", "--linearizable", "register"])
        .code(1);
    let ended = ended
        .says("etcd.log as register: not linearizable")
        .says("line 5: no order of the operations so far explains that process 2 returns from `read = nil`");
    ended.says("├").says("<--").says("Why: ");
}

#[test]
fn the_same_without_the_stale_read() {
    let good = STALE.replace(":ok\t:read\tnil", ":ok\t:read\t1");
    let scenario = Scenario::with("etcd.log", good);
    scenario
        .run(&["detect", "etcd.log", "--linearizable", "register"])
        .code(0)
        .says("linearizable");
    let verbose = scenario
        .run(&["detect", "etcd.log", "--linearizable", "cas-register", "--verbose"])
        .code(0);
    verbose.says("linearization: `write 1` (line 1), `read = 1` (line 2), `read = 1` (line 4)");
}

#[test]
fn keys_are_checked_one_by_one() {
    let history = r#"{:process 0, :type :invoke, :f :put, :key "x", :value "a"}
{:process 0, :type :ok, :f :put, :key "x", :value "a"}
{:process 1, :type :invoke, :f :append, :key "y", :value "b"}
{:process 1, :type :ok, :f :append, :key "y", :value "b"}
{:process 2, :type :invoke, :f :get, :key "y", :value nil}
{:process 2, :type :ok, :f :get, :key "y", :value "b"}
{:process 2, :type :invoke, :f :get, :key "x", :value nil}
{:process 2, :type :ok, :f :get, :key "x", :value ""}
"#;
    let ended = Scenario::with("kv.txt", history)
        .run(&["detect", "kv.txt", "--linearizable", "kv"])
        .code(1);
    ended.says("key \"x\": line 8:").says("`get = \"\"`");
}

#[test]
fn an_edn_history_with_tags_a_nemesis_and_unknown_outcomes() {
    let history = "[#jepsen.history.Op{:index 0 :time 1 :type :invoke :process 0 :f :cas :value [nil 3]}
 #jepsen.history.Op{:index 1 :time 2 :type :info :process :nemesis :f :kill :value nil}
 #jepsen.history.Op{:index 2 :time 3 :type :info :process 0 :f :cas :value [nil 3] :exception \"timeout\"}
 #jepsen.history.Op{:index 3 :time 4 :type :invoke :process 1 :f :read :value nil}
 #jepsen.history.Op{:index 4 :time 5 :type :ok :process 1 :f :read :value 3}
 #jepsen.history.Op{:index 5 :time 6 :type :invoke :process 2 :f :write :value 4}
 #jepsen.history.Op{:index 6 :time 7 :type :fail :process 2 :f :write :value 4}
 #jepsen.history.Op{:index 7 :time 8 :type :invoke :process 3 :f :write :value 5}]";
    let ended = Scenario::with("history.edn", history)
        .run(&["detect", "history.edn", "--linearizable", "cas-register"])
        .code(0);
    ended
        .says("4 operations, 2 with an unknown outcome, 1 failed")
        .complains("note: 1 records are not about operations of processes")
        .complains("note: the field `exception` is not read; 1 records have it")
        .complains("note: 1 invocations have no return");
}

#[test]
fn every_object_reads_its_operations() {
    let op = |process: u32, f: &str, value: &str, answer: &str| {
        format!(
            "{{\"process\":{process},\"type\":\"invoke\",\"f\":\"{f}\",\"value\":{value}}}\n\
             {{\"process\":{process},\"type\":\"ok\",\"f\":\"{f}\",\"value\":{answer}}}\n"
        )
    };
    let cases: [(&str, Vec<[&str; 3]>, &str); 10] = [
        ("register", vec![["write", "1", "1"]], "2"),
        ("cas-register", vec![["cas", "[null,1]", "true"]], "2"),
        ("kv", vec![["put", "[\"x\",1]", "[\"x\",1]"]], "[\"x\",2]"),
        (
            "counter",
            vec![["add", "2", "2"], ["inc", "null", "null"], ["dec", "null", "null"]],
            "1",
        ),
        ("set", vec![["add", "1", "true"], ["contains", "2", "false"]], "[1,2]"),
        ("g-set", vec![["add", "1", "1"]], "[1,2]"),
        ("queue", vec![["enqueue", "1", "1"], ["enqueue", "2", "2"]], "2"),
        ("stack", vec![["push", "1", "1"], ["push", "2", "2"]], "1"),
        ("mutex", vec![["acquire", "null", "null"]], "true"),
        ("append-list", vec![["append", "1", "1"], ["append", "2", "2"]], "[2,1]"),
    ];
    for (object, operations, wrong) in cases {
        let (last, good) = match object {
            "queue" => ("dequeue", "1"),
            "stack" => ("pop", "2"),
            "mutex" => ("try-acquire", "false"),
            "kv" => ("get", "[\"x\",1]"),
            "counter" => ("read", "2"),
            "set" | "g-set" => ("read", "[1]"),
            "append-list" => ("read", "[1,2]"),
            _ => ("read", "1"),
        };
        let value = if object == "kv" { "[\"x\",null]" } else { "null" };
        let begin: String = operations
            .iter()
            .map(|[f, value, answer]| op(0, f, value, answer))
            .collect();
        let scenario = Scenario::with("good.jsonl", begin.clone() + &op(1, last, value, good))
            .and("bad.jsonl", begin + &op(1, last, value, wrong));
        scenario
            .run(&["detect", "good.jsonl", "--linearizable", object])
            .code(0)
            .says(": linearizable");
        scenario
            .run(&["detect", "bad.jsonl", "--linearizable", object])
            .code(1)
            .says(": not linearizable");
    }
}

#[test]
fn what_is_wrong_with_an_input_has_a_place() {
    let refused = |text: &str, object: &str| {
        let ended = Scenario::with("h.txt", text)
            .run(&["detect", "h.txt", "--linearizable", object])
            .code(2);
        ended.prints_nothing().stderr
    };
    let text = refused("{:process 0, :type :invoke, :f :reed}\n", "register");
    assert!(
        text.contains("`register` has no operation `reed`; did you mean `read`?"),
        "{text}"
    );
    assert!(text.contains("h.txt:1:1"), "{text}");
    let text = refused(
        "{\"process\":0,\"type\":\"invoke\",\"f\":\"read\",\"vlaue\":1}\n",
        "register",
    );
    assert!(
        text.contains("there is no field `vlaue`; did you mean `value`?"),
        "{text}"
    );
    let text = refused(&(STALE.to_owned() + "INFO  jepsen.util - 7 :ok :read 1\n"), "register");
    assert!(
        text.contains("process 7 has invoked nothing") && text.contains("h.txt:7:1"),
        "{text}"
    );
    let text = refused(
        "{:process 0 :type :invoke :f :read}\n{:process 0 :type :invoke :f :read}",
        "register",
    );
    assert!(
        text.contains("its `read` has not returned") && text.contains("h.txt:2:1"),
        "{text}"
    );
    let text = refused("{:process 0 :type :invoke :f :write :value [1}", "register");
    assert!(text.contains("h.txt:1:"), "{text}");
    let text = refused("hello\n", "register");
    assert!(text.contains("this is no history"), "{text}");
    let text = refused("", "register");
    assert!(text.contains("the input is empty"), "{text}");
    let text = refused(STALE, "regster");
    assert!(text.contains("'register'"), "{text}");
    let both =
        Scenario::with("h.txt", STALE).run(&["detect", "h.txt", "--linearizable", "register", "--never", "a.x == 1"]);
    both.code(2)
        .complains("--linearizable does not go together with a query");
}

#[test]
fn json_has_the_lines_of_what_it_mentions() {
    let scenario = Scenario::with("etcd.log", STALE);
    let ended = scenario
        .run(&["detect", "etcd.log", "--linearizable", "register", "--format", "json"])
        .code(1);
    let json = ended.json();
    assert_eq!(json["verdict"], "violated");
    let violation = &json["parts"][0]["violation"];
    assert_eq!(
        (&violation["operation"]["line"], &violation["operation"]["end_line"]),
        (&json!(4), &json!(5))
    );
    assert_eq!(violation["before"], json!([1, 2]));
    assert_eq!(violation["reason"]["operations"].as_array().map(Vec::len), Some(3));
}

/// A register on which many processes write the same two values at the same time, and one read that nothing explains.
fn crowded() -> String {
    let mut text = String::new();
    for process in 0..60 {
        text += &format!(
            "{{:process {process} :type :invoke :f :add :value {}}}\n",
            1_u64 << (process % 50)
        );
    }
    text += "{:process 99 :type :invoke :f :read}\n{:process 99 :type :ok :f :read :value -1}\n";
    for process in 0..60 {
        text += &format!("{{:process {process} :type :ok :f :add}}\n");
    }
    text
}

#[test]
fn limits_are_said_to_be_reached() {
    let scenario = Scenario::with("crowded.edn", crowded());
    let limited = |limit: &str, value: &str| {
        scenario
            .run(&[
                "detect",
                "crowded.edn",
                "--linearizable",
                "counter",
                limit,
                value,
                "--quiet",
            ])
            .code(3)
    };
    limited("--max-states", "1000").says("the limit on states was reached");
    limited("--timeout", "300ms").says("the time is over");
    limited("--max-memory", "100MiB").says("the limit on memory was reached");
}
