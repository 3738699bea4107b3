//! The written form of a policy (TOML) and its checks. Nothing behind this file sees TOML.

mod cwd;
mod mission;
mod repair;
mod settings;

use super::digest::digest;
use super::facts::types::Facts;
use super::form::table::{Described as _, Fits, Shape, Table, Text, Written, table};
use super::form::texts::{ANY, LINE, PROCESS, PROGRAM, PROTECTED, RELATIVE, SENTENCE, VARIABLE};
use super::problems::Problems;
use super::rule::needles::union;
use super::rule::raw::{RawRule, answer, compile as compile_rules};
use super::rule::types::Answer;
use super::settings::Settings;
use super::source::{leak, leak_text};
use super::types::{CODES, Kill, KillVerb, Policy, PolicyErrors, Protected, ProtectedScript};
use std::collections::{BTreeMap, BTreeSet};

table! {
    /// A policy: what is guarded, and why.
    pub RawPolicy as "policy" {
        /// The version of this form. It is 1.
        required version: Written<u32> = Shape::Exactly(1);
        /// The policy's name, by which records tell it.
        required name: Written<String> = Shape::Text(&LINE);
        /// The variable that names the home of the guarded system. Without it the project's root is the home.
        optional home_variable: Option<String> = Shape::Text(&VARIABLE);
        /// Scripts that may run in one shape only.
        optional protected: RawProtected = Shape::Table(RawProtected::table);
        /// Processes that must not be killed by pattern.
        optional kill: RawKill = Shape::Table(RawKill::table);
        /// Changes of the directory that outlast the call.
        optional cwd: cwd::RawCwd = Shape::Table(cwd::RawCwd::table);
        /// How this policy answers.
        optional settings: settings::RawSettings = Shape::Table(settings::RawSettings::table);
        /// Paths of which rules speak.
        optional paths: RawPaths = Shape::Table(RawPaths::table);
        /// Commands that must always work, so that nobody is locked out.
        optional repair: repair::RawRepair = Shape::Table(repair::RawRepair::table);
        /// Which tools the task needs.
        optional task: Option<mission::RawTask> = Shape::Table(mission::RawTask::table);
        /// What agents of some kinds may not use, by the name of their role.
        optional roles: mission::RawRoles = Shape::Map(&mission::ROLE, &Shape::Table(mission::RawRole::table));
        /// Where the records of a guest are kept.
        optional records: Option<mission::RawRecords> = Shape::Table(mission::RawRecords::table);
        /// Rules.
        optional rule: Vec<RawRule> = Shape::List(&Shape::Table(RawRule::table), 0);
        /// What is told to the agent for each code that is not a rule's: what is wrong and how to do it right.
        optional reasons: Written<Reasons> = Shape::Map(&CODE, &Shape::Text(&SENTENCE));
    }
}

type Reasons = BTreeMap<Written<String>, Written<String>>;

static CODE: Text = Text { what: "a code of the guards", remedy: "", fits: Fits::Names(|| CODES.to_vec()) };

table! {
    /// Paths of which rules speak.
    pub RawPaths as "table of paths" {
        /// Paths that rules call `protected`: suffixes, or absolute ones, or `~/…`; `*` stands for anything within a
        /// part, and `/` at the end for all that is below.
        optional protected: Vec<Written<String>> = Shape::List(&Shape::Text(&PROTECTED), 0);
    }
}

table! {
    /// Scripts that may run in one shape only.
    pub RawProtected as "table of protected scripts" {
        /// Commands that put a script into the background.
        optional background: Vec<String> = Shape::List(&Shape::Text(&PROGRAM), 0);
        /// Wrappers that may stand before the final command, without options.
        optional exec: Vec<String> = Shape::List(&Shape::Text(&PROGRAM), 0);
        /// Files that may be sourced before it, relative to the home.
        optional setup_files: Vec<Written<String>> = Shape::List(&Shape::Text(&RELATIVE), 0);
        /// The scripts.
        optional script: Vec<RawScript> = Shape::List(&Shape::Table(RawScript::table), 0);
    }
}

table! {
    /// A protected script.
    pub RawScript as "script" {
        /// A short name. No other script may have it.
        required identity: Written<String> = Shape::Text(&LINE);
        /// Its path below any root, such as `bin/script.sh`.
        required path: Written<String> = Shape::Text(&RELATIVE);
        /// Whether there is a shape in which it may run.
        required blessed: bool = Shape::Bool;
    }
}

table! {
    /// Processes that must not be killed by pattern.
    pub RawKill as "table of kills" {
        /// What names the process, as in a pattern of `pkill`.
        optional names: Vec<Written<String>> = Shape::List(&Shape::Text(&PROCESS), 0);
        /// Programs that kill by pattern or by file.
        optional verbs: Vec<RawVerb> = Shape::List(&Shape::Table(RawVerb::table), 0);
        /// Programs that kill what another program found.
        optional kill: Vec<String> = Shape::List(&Shape::Text(&PROGRAM), 0);
        /// Programs that find processes.
        optional finders: Vec<String> = Shape::List(&Shape::Text(&PROGRAM), 0);
    }
}

table! {
    /// A program that kills by pattern.
    pub RawVerb as "killing program" {
        /// Its base name.
        required program: String = Shape::Text(&PROGRAM);
        /// Its options with an argument.
        optional options: Vec<String> = Shape::List(&Shape::Text(&ANY), 0);
        /// Options without one of which it does not kill.
        optional only: Vec<String> = Shape::List(&Shape::Text(&ANY), 0);
    }
}

/// What the schema is made from.
pub fn description() -> &'static Table {
    RawPolicy::table()
}

/// Compiles a policy's text, or tells everything that is wrong with it.
///
/// `foreign` are the names of other policies and their rules, of which its settings may speak.
pub fn compile(file: &str, text: &str, facts: &Facts, foreign: &[&str]) -> Result<Policy, PolicyErrors> {
    let mut problems = Problems::new(file, text);
    let Some(raw) = problems.read::<RawPolicy>() else {
        return Err(problems.errors());
    };
    check(&raw, &mut problems);
    let reasons = reasons(&raw, &mut problems);
    let unparsed = answer(raw.settings.unparsed.as_ref(), Answer::Ask);
    let rules = compile_rules(&raw.rule, unparsed, facts, &mut problems);
    raw.settings.check(raw.name.get_ref(), rules, foreign, &mut problems);
    let unattended = raw.settings.unattended();
    let settings = raw.settings.meant(raw.name.get_ref());
    let needles = leak(union(rules.iter().map(|rule| rule.needles)).unwrap_or_default());
    let policy =
        Policy { digest: digest(text), rules, needles, unattended, settings, ..meant(&raw, reasons) };
    problems.finish(policy)
}

fn check(raw: &RawPolicy, problems: &mut Problems<'_>) {
    let mut seen = BTreeSet::new();
    for identity in raw.protected.script.iter().map(|script| &script.identity) {
        if !seen.insert(identity.get_ref()) {
            let message = format!("the identity {:?} stands twice", identity.get_ref());
            problems.of_value(identity.span(), message, "give each script its own identity");
        }
    }
    raw.cwd.check(problems);
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

fn reasons(policy: &RawPolicy, problems: &mut Problems<'_>) -> Vec<&'static str> {
    let raw = policy.reasons.get_ref();
    let text = |code: &&str| {
        raw.iter().find(|(name, _)| name.get_ref() == code).map(|(_, reason)| leak_text(reason.get_ref()))
    };
    let lacks = |code: &&&str| text(code).is_none() && gives(policy, code) && !problems.refused(code);
    let lacking: Vec<&str> = CODES.iter().filter(lacks).copied().collect();
    if !lacking.is_empty() && !problems.refused("reasons") {
        let message = format!("without a reason: {}", lacking.join(", "));
        problems.add(policy.reasons.span(), message, "add each under [reasons]");
    }
    CODES.iter().map(|code| text(code).unwrap_or_default()).collect()
}

fn meant(raw: &RawPolicy, reasons: Vec<&'static str>) -> Policy {
    let script = |script: &RawScript| ProtectedScript {
        identity: leak_text(script.identity.get_ref()),
        path: leak_text(script.path.get_ref()),
        blessed: script.blessed,
    };
    let verb = |verb: &RawVerb| KillVerb {
        program: leak_text(&verb.program),
        options: texts(&verb.options),
        only: texts(&verb.only),
    };
    Policy {
        name: leak_text(raw.name.get_ref()),
        digest: 0,
        home_variable: raw.home_variable.as_deref().map(leak_text),
        protected: Protected {
            scripts: leak(raw.protected.script.iter().map(script).collect()),
            background: texts(&raw.protected.background),
            exec: texts(&raw.protected.exec),
            setup_files: written(&raw.protected.setup_files),
        },
        kill: Kill {
            names: written(&raw.kill.names),
            verbs: leak(raw.kill.verbs.iter().map(verb).collect()),
            kill: texts(&raw.kill.kill),
            finders: texts(&raw.kill.finders),
        },
        cwd: raw.cwd.meant(),
        protected_paths: written(&raw.paths.protected),
        repair: raw.repair.meant(),
        mission: mission::meant(raw.task.as_ref(), &raw.roles, raw.records.as_ref()),
        rules: &[],
        needles: &[],
        unattended: false,
        settings: Settings::default(),
        reasons: leak(reasons),
    }
}

fn texts(all: &[String]) -> &'static [&'static str] {
    leak(all.iter().map(|text| leak_text(text)).collect())
}

fn written(all: &[Written<String>]) -> &'static [&'static str] {
    leak(all.iter().map(|text| leak_text(text.get_ref())).collect())
}
