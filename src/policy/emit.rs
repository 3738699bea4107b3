//! Writes compiled policies as Rust source, for `build.rs`. Must never read a file.

use super::rule::needles::union;
use super::source::{Source as _, leak};
use super::types::{Cwd, DirectoryCommand, KillVerb, Policy, ProtectedScript, ShellText};

/// The source of `shipped`, which finds a policy by its name.
pub fn emit(policies: &[Policy]) -> String {
    let arm = |policy: &Policy| format!("        {:?} => {},\n", policy.name, source(policy));
    let arms: String = policies.iter().map(arm).collect();
    let names: Vec<String> = policies.iter().map(|policy| format!("{:?}", policy.name)).collect();
    let names = names.join(", ");
    // One list for all, so that a text is looked through once however many packs are on.
    let needles = union(policies.iter().flat_map(|policy| policy.rules).map(|rule| rule.needles));
    let needles = leak(needles.unwrap_or_default()).source();
    format!(
        "/// The names of the shipped policies.\npub const NAMES: &[&str] = &[{names}];\n\n\
         static NEEDLES: &[&str] = {needles};\n\n\
         /// A shipped policy by name.\n#[must_use]\npub fn shipped(name: &str) -> Option<Policy> {{\n    \
         Some(match name {{\n{arms}        _ => return None,\n    }})\n}}\n"
    )
}

fn source(policy: &Policy) -> String {
    let Policy {
        name,
        digest,
        home_variable,
        protected,
        kill,
        cwd,
        protected_paths,
        repair,
        rules,
        needles: _,
        unattended,
        settings,
        reasons,
    } = policy;
    let home = home_variable.as_ref().map_or("None".to_owned(), |name| format!("Some({})", text(name)));
    let scripts = list(&protected.scripts, script);
    let verbs = list(&kill.verbs, verb);
    format!(
        "Policy {{ name: {}, digest: {digest:#x}, home_variable: {home}, protected: Protected {{ scripts: {scripts}, background: {}, \
         exec: {}, setup_files: {} }}, kill: Kill {{ names: {}, verbs: {verbs}, kill: {}, finders: {} }}, \
         cwd: {}, protected_paths: {}, repair: {}, rules: {}, needles: {}, unattended: {unattended}, settings: {}, reasons: {} }}",
        text(name),
        texts(&protected.background),
        texts(&protected.exec),
        texts(&protected.setup_files),
        texts(&kill.names),
        texts(&kill.kill),
        texts(&kill.finders),
        directory(cwd),
        protected_paths.source(),
        repair.source(),
        rules.source(),
        if rules.is_empty() { "&[]" } else { "NEEDLES" },
        settings.source(),
        texts(reasons),
    )
}

fn script(script: &ProtectedScript) -> String {
    let ProtectedScript { identity, path, blessed } = script;
    format!("ProtectedScript {{ identity: {}, path: {}, blessed: {blessed} }}", text(identity), text(path))
}

fn verb(verb: &KillVerb) -> String {
    let KillVerb { program, options, only } = verb;
    format!("KillVerb {{ program: {}, options: {}, only: {} }}", text(program), texts(options), texts(only))
}

fn directory(cwd: &Cwd) -> String {
    let Cwd { commands, keep, texts: read, plain_checkout, entries } = cwd;
    format!(
        "Cwd {{ commands: {}, keep: {}, texts: {}, plain_checkout: {plain_checkout}, entries: {} }}",
        list(commands, command),
        texts(keep),
        list(read, shell_text),
        texts(entries),
    )
}

fn command(command: &DirectoryCommand) -> String {
    let DirectoryCommand { name, inert } = command;
    format!("DirectoryCommand {{ name: {}, inert: {} }}", text(name), texts(inert))
}

fn shell_text(read: &ShellText) -> String {
    let ShellText { program, conditions } = read;
    format!("ShellText {{ program: {}, conditions: {} }}", text(program), texts(conditions))
}

fn text(text: &String) -> String {
    format!("{text:?}.to_owned()")
}

fn texts(all: &[String]) -> String {
    list(all, text)
}

fn list<T>(all: &[T], one: impl Fn(&T) -> String) -> String {
    format!("vec![{}]", all.iter().map(one).collect::<Vec<_>>().join(", "))
}
