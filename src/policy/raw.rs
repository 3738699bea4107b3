//! The written form of a policy (TOML) and its checks. Nothing behind this file sees serde.

mod cwd;
mod repair;

use super::digest::digest;
use super::facts::types::Facts;
use super::problems::Problems;
use super::rule::needles::union;
use super::rule::raw::{RawRule, compile as compile_rules};
use super::source::{leak, leak_text};
use super::types::{CODES, Kill, KillVerb, Policy, PolicyErrors, Protected, ProtectedScript};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPolicy {
    version: Spanned<u32>,
    name: Spanned<String>,
    home_variable: Option<String>,
    #[serde(default)]
    protected: RawProtected,
    #[serde(default)]
    kill: RawKill,
    #[serde(default)]
    cwd: cwd::RawCwd,
    #[serde(default)]
    settings: RawSettings,
    #[serde(default)]
    paths: RawPaths,
    #[serde(default)]
    repair: repair::RawRepair,
    #[serde(default)]
    rule: Vec<RawRule>,
    #[serde(default)]
    reasons: BTreeMap<Spanned<String>, Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSettings {
    profile: Option<Spanned<String>>,
    unparsed: Option<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPaths {
    #[serde(default)]
    protected: Vec<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProtected {
    #[serde(default)]
    background: Vec<String>,
    #[serde(default)]
    exec: Vec<String>,
    #[serde(default)]
    setup_files: Vec<Spanned<String>>,
    #[serde(default)]
    script: Vec<RawScript>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScript {
    identity: Spanned<String>,
    path: Spanned<String>,
    blessed: bool,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawKill {
    #[serde(default)]
    names: Vec<Spanned<String>>,
    #[serde(default)]
    verbs: Vec<RawVerb>,
    #[serde(default)]
    kill: Vec<String>,
    #[serde(default)]
    finders: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawVerb {
    program: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    only: Vec<String>,
}

/// Compiles a policy's text, or tells everything that is wrong with it.
pub fn compile(file: &str, text: &str, facts: &Facts) -> Result<Policy, PolicyErrors> {
    let mut problems = Problems::new(file, text);
    let Some(raw) = problems.read::<RawPolicy>("see policies/firstmate.toml for the form") else {
        return Err(problems.errors());
    };
    check(&raw, &mut problems);
    let reasons = reasons(&raw, &mut problems);
    let rules = compile_rules(&raw.rule, raw.settings.unparsed.as_ref(), facts, &mut problems);
    let unattended = unattended(&raw.settings, &mut problems);
    if !problems.is_empty() {
        return Err(problems.errors());
    }
    let needles = leak(union(rules.iter().map(|rule| rule.needles)).unwrap_or_default());
    Ok(Policy { digest: digest(text), rules, needles, unattended, ..meant(raw, reasons) })
}

/// Whether the profile says that nobody is there to ask.
fn unattended(settings: &RawSettings, problems: &mut Problems<'_>) -> bool {
    let Some(profile) = &settings.profile else { return false };
    if !matches!(profile.get_ref().as_str(), "attended" | "unattended") {
        let message = format!("unknown profile {:?}", profile.get_ref());
        problems.add(profile.span(), message, "write attended or unattended");
    }
    profile.get_ref() == "unattended"
}

fn check(raw: &RawPolicy, problems: &mut Problems<'_>) {
    if *raw.version.get_ref() != 1 {
        problems.add(
            raw.version.span(),
            format!("unknown version {}", raw.version.get_ref()),
            "write version = 1",
        );
    }
    if raw.name.get_ref().trim().is_empty() {
        problems.add(raw.name.span(), "the name is blank".to_owned(), "give the policy a name");
    }
    let mut seen = std::collections::BTreeSet::new();
    for script in &raw.protected.script {
        if !seen.insert(script.identity.get_ref().clone()) {
            let message = format!("the identity {:?} stands twice", script.identity.get_ref());
            problems.add(script.identity.span(), message, "give each script its own identity");
        }
        relative(&script.path, problems);
    }
    raw.protected.setup_files.iter().for_each(|file| relative(file, problems));
    for path in raw.paths.protected.iter().filter(|path| path.get_ref().trim_matches('/').is_empty()) {
        let message = "a path that would protect everything".to_owned();
        problems.add(path.span(), message, "name a file, or a directory with / at its end");
    }
    for name in &raw.kill.names {
        if name.get_ref().trim().is_empty() {
            problems.add(
                name.span(),
                "a blank name would match every process".to_owned(),
                "name the process",
            );
        }
    }
    raw.cwd.check(problems);
    raw.repair.check(problems);
}

fn relative(path: &Spanned<String>, problems: &mut Problems<'_>) {
    let text = path.get_ref();
    let odd = text.is_empty() || text.split('/').any(|part| matches!(part, "" | "." | ".."));
    if odd {
        let message = format!("{text:?} is not a plain relative path");
        problems.add(path.span(), message, "write it like bin/script.sh, without ., .. or a leading /");
    }
}

/// Whether a policy can give a code, and so must have its reason.
fn gives(raw: &RawPolicy, code: &str) -> bool {
    let (scripts, kills) = (!raw.protected.script.is_empty(), !raw.kill.names.is_empty());
    match code {
        "broad-watcher-kill" => kills,
        "unclassifiable-protected-command" => scripts || kills,
        "persistent-cd" => raw.cwd.guards(),
        _ => scripts,
    }
}

fn reasons(policy: &RawPolicy, problems: &mut Problems<'_>) -> Vec<String> {
    let raw = &policy.reasons;
    for (code, reason) in raw {
        if !CODES.contains(&code.get_ref().as_str()) {
            let remedy = format!("use one of {}", CODES.join(", "));
            problems.add(code.span(), format!("unknown code {:?}", code.get_ref()), &remedy);
        }
        if reason.get_ref().trim().is_empty() {
            problems.add(
                reason.span(),
                "the reason is blank".to_owned(),
                "say what is wrong and how to do it right",
            );
        }
    }
    let text = |code: &&str| {
        raw.iter().find(|(name, _)| name.get_ref() == code).map(|(_, reason)| reason.get_ref().clone())
    };
    let mut texts = Vec::new();
    for code in &CODES {
        match text(code) {
            Some(reason) => texts.push(reason),
            None if !gives(policy, code) => texts.push(String::new()),
            None => problems.add(0..0, format!("the code {code} has no reason"), "add it under [reasons]"),
        }
    }
    texts
}

fn meant(raw: RawPolicy, reasons: Vec<String>) -> Policy {
    let script = |script: RawScript| ProtectedScript {
        identity: script.identity.into_inner(),
        path: script.path.into_inner(),
        blessed: script.blessed,
    };
    let verb = |verb: RawVerb| KillVerb { program: verb.program, options: verb.options, only: verb.only };
    Policy {
        name: raw.name.into_inner(),
        digest: 0,
        home_variable: raw.home_variable,
        protected: Protected {
            scripts: raw.protected.script.into_iter().map(script).collect(),
            background: raw.protected.background,
            exec: raw.protected.exec,
            setup_files: raw.protected.setup_files.into_iter().map(Spanned::into_inner).collect(),
        },
        kill: Kill {
            names: raw.kill.names.into_iter().map(Spanned::into_inner).collect(),
            verbs: raw.kill.verbs.into_iter().map(verb).collect(),
            kill: raw.kill.kill,
            finders: raw.kill.finders,
        },
        cwd: raw.cwd.meant(),
        protected_paths: leak(raw.paths.protected.iter().map(|path| leak_text(path.get_ref())).collect()),
        repair: raw.repair.meant(),
        rules: &[],
        needles: &[],
        unattended: false,
        reasons,
    }
}
