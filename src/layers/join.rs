//! Puts policies together. Owns what replaces what and what is left out; must never apply a part of a
//! file that did not load whole, nor drop one without a fault.

use super::tighten::{Loosened, tightened};
use super::{Layer, Source, proof};
use crate::policy::binary::{Binary, Reader, binary_struct};
use crate::policy::source::leak;
use crate::policy::{self, Policy, Problems};
use serde::Deserialize;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use toml::Spanned;

/// The policies of files, put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// The files that are used, in order.
    pub parts: Vec<Part>,
    /// Rules of lower layers that do not apply any more.
    pub replaced: Vec<Replaced>,
    /// What was left out.
    pub faults: Vec<Fault>,
}

/// A file that is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its layer.
    pub layer: Layer,
    /// Its path.
    pub path: PathBuf,
    /// Whether it is a project's and trusted.
    pub trusted: bool,
    /// What it says.
    pub policy: Policy,
}

/// A rule in whose place another one applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The rule's id.
    pub rule: String,
    /// The layer of the rule that applies.
    pub by: Layer,
    /// Its file.
    pub path: PathBuf,
}

/// Something that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The layer.
    pub layer: Layer,
    /// The file.
    pub path: PathBuf,
    /// What is wrong, each problem with its place, one on a line.
    pub message: String,
}

binary_struct!(Stack { parts, replaced, faults });
binary_struct!(Part { layer, path, trusted, policy });
binary_struct!(Replaced { rule, by, path });
binary_struct!(Fault { layer, path, message });

impl Binary for PathBuf {
    fn put(&self, out: &mut Vec<u8>) {
        self.as_os_str().as_bytes().to_vec().put(out);
    }

    fn take(from: &mut Reader) -> Option<Self> {
        Vec::take(from).map(|bytes| std::ffi::OsString::from_vec(bytes).into())
    }
}

/// Where in a file rules are.
#[derive(Default, Deserialize)]
struct Written {
    #[serde(default)]
    rule: Vec<WrittenRule>,
    home_variable: Option<Spanned<toml::Value>>,
}

#[derive(Deserialize)]
struct WrittenRule {
    id: Spanned<String>,
}

impl Stack {
    /// Puts files on top of the shipped policies.
    #[must_use]
    pub fn join(shipped: &[Policy], sources: &[Source]) -> Self {
        let mut stack = Self::default();
        for source in sources {
            if let Err(message) = stack.add(shipped, source) {
                stack.fault(source, message);
            }
        }
        stack
    }

    /// The policies that apply, the shipped ones first.
    #[must_use]
    pub fn policies(&self, shipped: Vec<Policy>) -> Vec<Policy> {
        let parts = self.parts.iter().map(|part| (part.layer, part.policy.clone()));
        let all = shipped.into_iter().map(|policy| (Layer::Shipped, policy)).chain(parts);
        let mut policies: Vec<Policy> =
            all.map(|(layer, policy)| self.without_replaced(layer, policy)).collect();
        // Whether somebody is there to ask is no matter of one file.
        if policies.iter().any(|policy| policy.unattended) {
            policies.iter_mut().for_each(|policy| policy.unattended = true);
        }
        policies
    }

    fn without_replaced(&self, layer: Layer, policy: Policy) -> Policy {
        let gone = |id: &str| self.replaced.iter().any(|replaced| replaced.rule == id && layer < replaced.by);
        if !policy.rules.iter().any(|rule| gone(rule.id)) {
            return policy;
        }
        let kept = policy.rules.iter().filter(|rule| !gone(rule.id)).copied().collect();
        Policy { rules: leak(kept), ..policy }
    }

    /// The same without what only people read, for the hook.
    #[must_use]
    pub fn bare(mut self) -> Self {
        for part in &mut self.parts {
            let bare = |rule: &policy::rule::types::Rule| policy::rule::types::Rule {
                matches: &[],
                not_matches: &[],
                ..*rule
            };
            part.policy.rules = leak(part.policy.rules.iter().map(bare).collect());
        }
        self
    }

    fn fault(&mut self, source: &Source, message: String) {
        self.faults.push(Fault { layer: source.layer, path: source.path.clone(), message });
    }

    fn add(&mut self, shipped: &[Policy], source: &Source) -> Result<(), String> {
        let file = source.path.display().to_string();
        let text = source.text.as_ref().map_err(|error| format!("{file}: {error}"))?;
        let mut policy = policy::parse(&file, text).map_err(|errors| errors.to_string())?;
        let guarded = source.layer == Layer::Project && !source.trusted;
        let mut left_out = Vec::new();
        if guarded {
            let parts = self.parts.iter().map(|part| &part.policy);
            (policy, left_out) = tightened(policy, shipped.iter().chain(parts));
        }
        let mut next = self.clone();
        if !guarded && source.layer != Layer::Named {
            next.replace(shipped, source, &policy);
        }
        let (layer, path, trusted) = (source.layer, source.path.clone(), source.trusted);
        next.parts.push(Part { layer, path, trusted, policy });
        let refused = proof::prove(shipped, &next, &file, text);
        if !refused.0.is_empty() {
            return Err(refused.to_string());
        }
        *self = next;
        for loosened in left_out {
            self.fault(source, told(&file, text, &loosened));
        }
        Ok(())
    }

    /// Notes which rules of lower layers a file's rules replace.
    fn replace(&mut self, shipped: &[Policy], source: &Source, policy: &Policy) {
        let parts = self.parts.iter().filter(|part| part.layer < source.layer).map(|part| &part.policy);
        let older: Vec<&str> =
            shipped.iter().chain(parts).flat_map(|policy| policy.rules).map(|rule| rule.id).collect();
        let replacing = policy.rules.iter().filter(|rule| older.contains(&rule.id));
        let replaced = replacing.map(|rule| Replaced {
            rule: rule.id.to_owned(),
            by: source.layer,
            path: source.path.clone(),
        });
        self.replaced.extend(replaced);
    }
}

/// A message about something that would loosen, with its place.
fn told(file: &str, text: &str, loosened: &Loosened) -> String {
    let written: Written = toml::from_str(text).unwrap_or_default();
    let mut problems = Problems::new(file, text);
    let rule = |id: &str| written.rule.iter().find(|rule| rule.id.get_ref() == id).map(|rule| rule.id.span());
    let at: Option<Range<usize>> = match loosened.rule {
        Some(id) => rule(id),
        None => written.home_variable.as_ref().map(Spanned::span),
    };
    let remedy = "it is left out, since a project's file may only tighten";
    problems.add(at.unwrap_or(0..0), loosened.message.clone(), remedy);
    problems.errors().to_string()
}
