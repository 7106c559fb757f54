//! The example has a mistake, which is found, and a repaired version, in which nothing is found.

#[path = "../../examples/lost_wakeup.rs"]
mod lost_wakeup;

use mazurka::{Checker, ViolationKind};

#[test]
fn lost_wakeup() {
    let wrong = Checker::new().quiet(true).run(|| lost_wakeup::serve(false));
    assert_eq!(wrong.violations[0].kind, ViolationKind::Deadlock, "{wrong}");
    let message = &wrong.violations[0].message;
    assert!(message.contains("to be woken, for a Notify at "), "{message}");
    assert!(message.contains("for oneshot channel"), "{message}");
    // The token runs the same execution again, with the same leaves polled.
    let again = Checker::new()
        .quiet(true)
        .replay(wrong.violations[0].token.clone())
        .run(|| lost_wakeup::serve(false));
    assert_eq!(&again.violations[0].message, message);
    let right = Checker::new().run(|| lost_wakeup::serve(true));
    assert!(right.violations.is_empty() && right.complete, "{right}");
    lost_wakeup::main();
}
