//! `stanchion policy show`: the policies that apply, in short, and where each part comes from. Must
//! never leave a rule out.

use super::ShowArgs;
use crate::cli::layers::Around;
use crate::cli::out;
use crate::cli::place::Place;
use serde::Serialize;
use stanchion::layers::{Fault, Layer, Stack};
use stanchion::policy::Policy;
use std::fmt::Write as _;
use std::path::Path;

/// The version of the JSON.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    policies: Vec<Shown<'a>>,
    left_out: Vec<LeftOut<'a>>,
}

/// A policy as it applies.
#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    digest: String,
    layer: &'static str,
    file: Option<String>,
    trusted: bool,
    unattended: bool,
    scripts: Vec<&'a str>,
    processes: Vec<&'a str>,
    paths: &'a [&'static str],
    repair: &'a [&'static str],
    task: Option<Task<'a>>,
    roles: Vec<Role<'a>>,
    rules: Vec<Rule<'a>>,
}

#[derive(Serialize)]
struct Task<'a> {
    shadow: bool,
    allowed_tools: &'a [&'static str],
}

#[derive(Serialize)]
struct Role<'a> {
    name: &'a str,
    agent_types: &'a [&'static str],
    deny_tools: &'a [&'static str],
}

#[derive(Serialize)]
struct Rule<'a> {
    id: &'a str,
    decision: &'static str,
    shadow: bool,
    reason: &'a str,
    /// The file whose rule applies in its place.
    replaced_by: Option<String>,
}

#[derive(Serialize)]
struct LeftOut<'a> {
    layer: &'static str,
    file: String,
    message: &'a str,
}

/// Runs the command.
pub fn run(args: &ShowArgs) -> anyhow::Result<u8> {
    let root = Place::default().root(None);
    let selection = args.which.selection(args.only);
    let (shipped, stack) = selection.layers(Around::Fresh(root.as_deref()))?;
    let own = shipped.iter().map(|policy| shown(&stack, Layer::Shipped, None, policy));
    let parts = stack.parts.iter().map(|part| Shown {
        trusted: part.trusted,
        ..shown(&stack, part.layer, Some(&part.path), &part.policy)
    });
    let mut policies: Vec<Shown<'_>> = own.chain(parts).collect();
    // Where none is named all shipped ones are listed, which do not apply together.
    let named = !args.which.policies.is_empty();
    let unattended = policies.iter().any(|policy| policy.unattended && (named || policy.file.is_some()));
    policies.iter_mut().for_each(|policy| policy.unattended |= unattended);
    let report = Report { schema: SCHEMA, policies, left_out: stack.faults.iter().map(left_out).collect() };
    if args.json {
        out::json(&report)?;
    } else {
        out::say(people(&report)?);
    }
    Ok(0)
}

fn shown<'a>(stack: &Stack, layer: Layer, file: Option<&Path>, policy: &'a Policy) -> Shown<'a> {
    let replaced_by = |id: &str| {
        let found = stack.replaced.iter().find(|replaced| replaced.rule == id && layer < replaced.by);
        found.map(|replaced| replaced.path.display().to_string())
    };
    let rule = |rule: &'a stanchion::policy::rule::types::Rule| Rule {
        id: rule.id,
        decision: rule.answer.name(),
        shadow: rule.shadow,
        reason: rule.reason,
        replaced_by: replaced_by(rule.id),
    };
    let role = |role: &'a stanchion::policy::mission::Role| Role {
        name: role.name,
        agent_types: role.agent_types,
        deny_tools: role.deny_tools,
    };
    Shown {
        name: policy.name,
        digest: format!("{:016x}", policy.digest),
        layer: layer.name(),
        file: file.map(|file| file.display().to_string()),
        trusted: false,
        unattended: policy.unattended,
        scripts: policy.protected.scripts.iter().map(|script| script.path).collect(),
        processes: policy.kill.names.to_vec(),
        paths: policy.protected_paths,
        repair: policy.repair,
        task: policy.mission.task.map(|task| Task { shadow: task.shadow, allowed_tools: task.allowed_tools }),
        roles: policy.mission.roles.iter().map(role).collect(),
        rules: policy.rules.iter().map(rule).collect(),
    }
}

fn left_out(fault: &Fault) -> LeftOut<'_> {
    LeftOut { layer: fault.layer.name(), file: fault.path.display().to_string(), message: &fault.message }
}

fn people(report: &Report<'_>) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for policy in &report.policies {
        let file = policy.file.as_ref().map(|file| format!(", {file}")).unwrap_or_default();
        let trusted = if policy.trusted { ", trusted" } else { "" };
        let unattended = if policy.unattended { ", nobody is asked" } else { "" };
        let Shown { name, digest, layer, .. } = policy;
        writeln!(text, "policy {name} {digest} ({layer}{file}{trusted}{unattended})")?;
        let lists: [(&str, &[&str]); 4] = [
            ("script", &policy.scripts),
            ("process", &policy.processes),
            ("path", policy.paths),
            ("repair", policy.repair),
        ];
        for (what, list) in lists {
            list.iter().try_for_each(|one| writeln!(text, "  {what:<7} {one}"))?;
        }
        if let Some(Task { shadow, allowed_tools }) = &policy.task {
            let shadow = if *shadow { " (only recorded)" } else { "" };
            writeln!(text, "  {:<7} {}{shadow}", "task", allowed_tools.join(", "))?;
        }
        for Role { name, agent_types, deny_tools } in &policy.roles {
            let (kinds, tools) = (agent_types.join(", "), deny_tools.join(", "));
            writeln!(text, "  {:<7} {name} ({kinds}) may not use {tools}", "role")?;
        }
        for rule in &policy.rules {
            let shadow = if rule.shadow { " (only recorded)" } else { "" };
            let replaced = rule.replaced_by.as_ref().map(|file| format!(" (replaced by {file})"));
            let replaced = replaced.unwrap_or_default();
            writeln!(text, "  {:<7} {}{shadow}{replaced}: {}", rule.decision, rule.id, rule.reason)?;
        }
    }
    for LeftOut { layer, message, .. } in &report.left_out {
        writeln!(text, "left out of the {layer} layer: {message}")?;
    }
    Ok(text)
}
