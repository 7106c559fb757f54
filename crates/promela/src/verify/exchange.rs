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
            return Some(Exchange {
                kind: ExchangeKind::Rendezvous,
                channel: channel.trim().to_string(),
                number: 0,
                message: message.trim_start_matches('!').trim().to_string(),
                partner: Some(partner),
                sent_by: None,
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
            return Some(Exchange {
                kind: if sends {
                    ExchangeKind::Send
                } else {
                    ExchangeKind::Receive
                },
                channel: new.name.clone(),
                number: crate::narrow::index(k + 1),
                message: self.text(new, &longer.messages[same]),
                partner: None,
                sent_by,
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
