//! Every example has a mistake, which is found, and a repaired version, in which nothing is found.

#[path = "../../examples/bounded_buffer.rs"]
mod bounded_buffer;
#[path = "../../examples/leader_election.rs"]
mod leader_election;
#[path = "../../examples/lock_free_stack.rs"]
mod lock_free_stack;
#[path = "../../examples/mutual_calls.rs"]
mod mutual_calls;
#[path = "../../examples/philosophers_who_lock.rs"]
mod philosophers_who_lock;
#[path = "../../examples/raft.rs"]
mod raft;
#[path = "../../examples/register_quorum.rs"]
mod register_quorum;
#[path = "../../examples/two_phase_commit.rs"]
mod two_phase_commit;
#[path = "../../examples/writer_starvation.rs"]
mod writer_starvation;

use mazurka::{Checker, Report, ViolationKind};

fn wrong_and_right(wrong: &Report, kind: ViolationKind, message: &str, right: &Report) {
    assert_eq!(wrong.violations[0].kind, kind, "{wrong}");
    assert!(wrong.violations[0].message.contains(message), "{wrong}");
    assert!(right.violations.is_empty() && right.complete, "{right}");
}

#[test]
fn philosophers_who_lock() {
    wrong_and_right(
        &Checker::new().run(|| philosophers_who_lock::dinner(4, false)),
        ViolationKind::Deadlock,
        "philosopher 3 waits",
        &Checker::new().run(|| philosophers_who_lock::dinner(4, true)),
    );
    philosophers_who_lock::main();
}

#[test]
fn bounded_buffer() {
    wrong_and_right(
        &Checker::new().run(|| bounded_buffer::exchange(false)),
        ViolationKind::Deadlock,
        "to be notified",
        &Checker::new().run(|| bounded_buffer::exchange(true)),
    );
    bounded_buffer::main();
}

#[test]
fn lock_free_stack() {
    wrong_and_right(
        &Checker::new().run(|| lock_free_stack::share(false)),
        ViolationKind::Panic,
        "two owners",
        &Checker::new().run(|| lock_free_stack::share(true)),
    );
    lock_free_stack::main();
}

#[test]
fn writer_starvation() {
    wrong_and_right(
        &Checker::new().run(|| writer_starvation::compete(false)),
        ViolationKind::Panic,
        "overtaken",
        &Checker::new().run(|| writer_starvation::compete(true)),
    );
    writer_starvation::main();
}

#[test]
fn two_phase_commit() {
    wrong_and_right(
        &two_phase_commit::search(true),
        ViolationKind::Panic,
        "one commits, the other aborts",
        &two_phase_commit::search(false),
    );
    two_phase_commit::main();
}

#[test]
fn leader_election() {
    wrong_and_right(
        &leader_election::search(false),
        ViolationKind::Panic,
        "two leaders",
        &leader_election::search(true),
    );
    leader_election::main();
}

#[test]
fn register_quorum() {
    let wrong = register_quorum::search(5, 2, 2);
    let right = register_quorum::search(3, 2, 2);
    wrong_and_right(&wrong, ViolationKind::Panic, "the read does not see the write", &right);
    // A search without random executions needs 140,801.
    assert!(wrong.executions + wrong.probes < 1_500, "{wrong}");
    register_quorum::main();
}

#[test]
fn raft() {
    let right = raft::search(&[raft::CANDIDATE, raft::FRAIL_VOTER], raft::Bug::None, 20_000);
    for (bug, plans, message) in raft::scenarios() {
        let wrong = raft::search(&plans, bug, 100_000);
        wrong_and_right(&wrong, ViolationKind::Panic, message, &right);
    }
    raft::without_mistakes(300);
}

#[test]
fn mutual_calls() {
    wrong_and_right(
        &Checker::new().run(|| mutual_calls::both_call(false)),
        ViolationKind::Deadlock,
        "left waits",
        &Checker::new().run(|| mutual_calls::both_call(true)),
    );
    mutual_calls::main();
}
