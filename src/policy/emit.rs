//! Writes compiled policies as Rust source, for `build.rs`. Must never read a file.

use super::rule::needles::union;
use super::source::{Source as _, leak};
use super::types::Policy;

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
    format!(
        "Policy {{ name: {}, digest: {digest:#x}, home_variable: {}, protected: {}, kill: {}, cwd: {}, \
         protected_paths: {}, repair: {}, rules: {}, needles: {}, unattended: {unattended}, settings: {}, reasons: {} }}",
        name.source(),
        home_variable.source(),
        protected.source(),
        kill.source(),
        cwd.source(),
        protected_paths.source(),
        repair.source(),
        rules.source(),
        if rules.is_empty() { "&[]" } else { "NEEDLES" },
        settings.source(),
        reasons.source(),
    )
}
