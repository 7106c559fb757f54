//! Running one execution again, from the schedule in its token.

use super::{ExecutionEnd, Pick, Strategy, natural};
use crate::execution::Execution;
use crate::ids::ThreadId;
use crate::token::Schedule;
use mazurka_outcome::Doubt;

pub(crate) struct Replay {
    schedule: Schedule,
    /// The step at which the program did not follow the schedule, if it did not.
    pub(crate) strayed: std::rc::Rc<std::cell::Cell<Option<usize>>>,
}

impl Replay {
    pub(crate) fn new(schedule: Schedule) -> Replay {
        Replay {
            schedule,
            strayed: std::rc::Rc::default(),
        }
    }
}

impl Strategy for Replay {
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick {
        match self.schedule.at(depth) {
            Some((thread, choice)) if enabled.contains(&thread) && execution.ways(thread).has(choice) => {
                Pick::Run(thread, choice)
            }
            Some(_) => {
                self.strayed.set(Some(depth));
                Pick::Redundant
            }
            None => {
                let thread = natural(execution, enabled);
                Pick::Run(thread, execution.ways(thread).at(0))
            }
        }
    }

    fn finished(&mut self, _: &mut Execution, _: ExecutionEnd) {}

    fn advance(&mut self, _: &Execution) -> Option<usize> {
        None
    }

    fn doubt(&self) -> Option<Doubt> {
        Some(Doubt::Replay)
    }
}
