//! The current thread as a task.

use mazurka::thread;

/// A task: a thread of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskId(thread::ThreadId);

impl From<thread::ThreadId> for TaskId {
    fn from(thread: thread::ThreadId) -> TaskId {
        TaskId(thread)
    }
}

/// The current task.
pub fn me() -> TaskId {
    TaskId(thread::current().id())
}

/// The current task.
pub fn get_current_task() -> Option<TaskId> {
    Some(me())
}

/// The current task, or none outside a test.
pub fn try_get_current_task() -> Option<TaskId> {
    mazurka::is_checking().then(me)
}

/// Asks shuttle to count steps from here. Here the bound is on the whole execution, so it does nothing.
pub fn reset_step_count() {}
