//! The task and the roles of a mission (CONTRACT 10): which tools may be called, and by whom. Must never
//! look at what a call says, only at its tool and at who makes it.

use super::{Guard, Subject};
use crate::call::{Origin, Tool, ToolCall};
use crate::policy::Policy;
use crate::policy::mission::{Role, Task, Tools};
use crate::shell::glob::glob_matches;
use crate::span::Span;
use crate::verdict::{Decision, Finding};

/// The guard.
pub(super) struct Mission;

/// Its identifier.
pub(crate) const ID: &str = "mission";

/// The code of a call that the task does not allow.
pub(crate) const TASK: &str = "task-permission";

/// The task comes before the roles, and both before paths and rules.
const RANKS: (u32, u32) = (10, 11);

impl Guard for Mission {
    fn id(&self) -> &'static str {
        ID
    }

    fn applies(&self, policy: &Policy) -> bool {
        policy.mission.asks()
    }

    fn fails_closed(&self) -> bool {
        false
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        findings(subject.policy, subject.call)
    }

    fn silence(&self, subject: &Subject<'_>) -> String {
        match &subject.call.origin.tool {
            Some(tool) => format!("the task and the roles of {} allow {tool}", subject.policy.name),
            None => "no tool is named".to_owned(),
        }
    }
}

/// Whether a task or a role of a policy objects to a tool.
pub(crate) fn objects(policy: &Policy, tool: Tool, origin: &Origin) -> bool {
    task(policy, tool, origin).is_some() || roles(policy, tool, origin).next().is_some()
}

/// What a policy's task and roles object to.
pub(crate) fn findings(policy: &Policy, call: &ToolCall) -> Vec<Finding> {
    let (tool, origin) = (call.tool, &call.origin);
    let name = origin.tool.as_deref().unwrap_or_default();
    let finding = |code: String, rank, reason| Finding {
        guard: ID,
        decision: Decision::Deny,
        code,
        reason,
        span: Span::new(0, call.command.len()),
        chain: Vec::new(),
        rank,
    };
    let of_task = task(policy, tool, origin).map(|task| {
        let advice = task.advice.map_or_else(|| work_with(task), ToOwned::to_owned);
        let reason = format!("the task does not allow the tool `{name}`; {advice}");
        finding(TASK.to_owned(), RANKS.0, reason)
    });
    let of_roles = roles(policy, tool, origin).map(|role| {
        let advice =
            role.advice.unwrap_or("report what is to be done, and leave it to an agent of another role");
        let reason = format!("the role {} may not use the tool `{name}`; {advice}", role.name);
        finding(format!("role.{}", role.name), RANKS.1, reason)
    });
    of_task.into_iter().chain(of_roles).collect()
}

fn work_with(task: &Task) -> String {
    match task.allowed_tools {
        [] => "answer without tools".to_owned(),
        tools => format!("work with {}", tools.join(", ")),
    }
}

/// The task, when it does not allow a tool. Where no tool is named there is only a text to judge.
fn task<'p>(policy: &'p Policy, tool: Tool, origin: &Origin) -> Option<&'p Task> {
    let name = origin.tool.as_deref()?;
    policy.mission.task.as_ref().filter(|task| !are_named(task.allowed_tools, tool, name))
}

/// The roles of whoever calls that may not use a tool.
fn roles<'p>(policy: &'p Policy, tool: Tool, origin: &Origin) -> impl Iterator<Item = &'p Role> {
    let called = origin.tool.clone().zip(origin.agent_type.clone());
    policy.mission.roles.iter().filter(move |role| {
        called.as_ref().is_some_and(|(name, kind)| {
            let has = |known: &&str| glob_matches(known.as_bytes(), kind.as_bytes());
            role.agent_types.iter().any(has) && are_named(role.deny_tools, tool, name)
        })
    })
}

/// Whether one of these is a tool's name or kind.
fn are_named(tools: &[&str], tool: Tool, name: &str) -> bool {
    tools.iter().any(|known| match known.strip_prefix('@') {
        Some(kind) => Tools::named(kind) == Some(kind_of(tool)),
        None => glob_matches(known.as_bytes(), name.as_bytes()),
    })
}

fn kind_of(tool: Tool) -> Tools {
    match tool {
        Tool::Shell | Tool::BackgroundShell | Tool::Monitor => Tools::Shell,
        Tool::Read => Tools::Read,
        Tool::Write | Tool::Edit | Tool::Patch | Tool::Notebook | Tool::Delete => Tools::Write,
        Tool::Agent => Tools::Agent,
        Tool::Other => Tools::Other,
    }
}
