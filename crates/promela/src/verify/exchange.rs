//! The messages that a step sends and receives, found by comparing the states before and after it.

use super::checked::{Exchange, ExchangeKind};
use super::step_id::StepId;
use crate::model::{Model, Type};
use crate::plain::print::shown;
use crate::plain::{Channel, Pid, State};

/// Follows the messages of an execution.
pub(super) struct Exchanges<'m> {
    model: &'m Model,
    /// For each channel, the steps that sent the messages in it.
    senders: Vec<Vec<StepId>>,
}

impl<'m> Exchanges<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        Self {
            model,
            senders: Vec::new(),
        }
    }

    /// The messages that a step sends and receives.
    pub(super) fn of_step(
        &mut self,
        step: StepId,
        statement: &str,
        partner: Option<Pid>,
        before: &State,
        after: &State,
    ) -> Option<Exchange> {
        self.senders.resize(after.channels.len(), Vec::new());
        if let Some(partner) = partner {
            let (channel, message) = statement.split_once('!').unwrap_or((statement, ""));
            let message = message.trim_start_matches('!').trim();
            return Some(Exchange {
                partner: Some(partner),
                ..Exchange::new(ExchangeKind::Rendezvous, channel.trim(), 0, message)
            });
        }
        for (k, (old, new)) in before.channels.iter().zip(&after.channels).enumerate() {
            let (longer, shorter) = match old.messages.len().cmp(&new.messages.len()) {
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Less => (new, old),
                std::cmp::Ordering::Greater => (old, new),
            };
            let same = longer
                .messages
                .iter()
                .zip(&shorter.messages)
                .take_while(|(a, b)| a == b)
                .count();
            let sends = std::ptr::eq(longer, new);
            let senders = &mut self.senders[k];
            let sent_by = if sends {
                senders.insert(same.min(senders.len()), step);
                None
            } else {
                (same < senders.len()).then(|| senders.remove(same))
            };
            let kind = match sends {
                true => ExchangeKind::Send,
                false => ExchangeKind::Receive,
            };
            let number = crate::narrow::index(k + 1);
            let message = self.text(new, &longer.messages[same]);
            return Some(Exchange {
                sent_by,
                ..Exchange::new(kind, &new.name, number, message)
            });
        }
        None
    }

    /// A message as text.
    fn text(&self, channel: &Channel, message: &[i32]) -> String {
        let field = |(value, kind): (&i32, &Type)| shown(self.model, *kind, *value);
        let fields: Vec<_> = message.iter().zip(&channel.fields).map(field).collect();
        fields.join(", ")
    }
}
