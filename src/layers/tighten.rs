//! What a project's file may say when nobody trusted it: whoever writes the repository, the agent
//! included, writes it. Owns what counts as loosening; must never let a later file take away from an
//! earlier one.

use crate::policy::Policy;
use crate::policy::mission::Mission;
use crate::policy::rule::types::Rule;
use crate::policy::source::leak;

/// Something that would loosen, with the rule's id where it is one.
pub(super) struct Loosened {
    pub(super) rule: Option<&'static str>,
    pub(super) message: String,
}

/// The policy without what would loosen the ones below it.
pub(super) fn tightened<'p>(
    policy: Policy,
    below: impl Iterator<Item = &'p Policy> + Clone,
) -> (Policy, Vec<Loosened>) {
    let mut left_out = Vec::new();
    let mut kept = Vec::new();
    for rule in policy.rules {
        let older = below.clone().flat_map(|policy| policy.rules).find(|older| older.id == rule.id);
        match older.filter(|older| !is_as_strict(rule, older)) {
            None => kept.push(*rule),
            Some(_) => left_out.push(Loosened {
                rule: Some(rule.id),
                message: format!("the rule {} would weaken the one of a lower layer", rule.id),
            }),
        }
    }
    if policy.home_variable().is_some() {
        let message = "home_variable would move the home by which lower layers judge".to_owned();
        left_out.push(Loosened { rule: None, message });
    }
    let settings = policy.settings.tightened();
    if settings != policy.settings {
        let message =
            "its settings would loosen how lower layers answer (on_ask, unknown_wrapper, shadow)".to_owned();
        left_out.push(Loosened { rule: None, message });
    }
    if policy.mission.records.is_some() {
        let message = "records would move what lower layers keep".to_owned();
        left_out.push(Loosened { rule: None, message });
    }
    let mission = Mission { records: None, ..policy.mission };
    (Policy { rules: leak(kept), home_variable: None, settings, mission, ..policy }, left_out)
}

/// Whether a rule of the same name asks for no less. Both apply then, so its condition may be another.
fn is_as_strict(rule: &Rule, older: &Rule) -> bool {
    rule.answer >= older.answer && rule.unparsed >= older.unparsed && (!rule.shadow || older.shadow)
}
