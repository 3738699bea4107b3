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
    let own = Policy { needles: &[], ..policy.clone() }.source();
    if policy.rules.is_empty() { own } else { format!("Policy {{ needles: NEEDLES, ..{own} }}") }
}
