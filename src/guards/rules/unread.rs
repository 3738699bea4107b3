//! Text that could not be read: whether it mentions what a rule guards. Must never object to one that
//! mentions nothing guarded.

use super::ground::Ground;
use super::made;
use crate::policy::rule::types::{Answer, Class, Condition, Rule};
use crate::policy::{Policy, facts};
use crate::shell::model::{Opaque, UNKNOWN_OPTION};
use crate::verdict::Finding;

/// The strongest answer that a rule has for an opaque region which mentions what it guards.
/// One of the rules that are only recorded comes beside it: it must not stand in its place.
pub(super) fn findings(policy: &Policy, ground: &Ground, opaque: &Opaque) -> Vec<Finding> {
    let text = Mentioned::new(&opaque.bytes, ground);
    let concerned = policy.rules.iter().filter(|rule| text.mentions(&rule.when).unwrap_or(false));
    let (shadow, enforced): (Vec<&Rule>, Vec<&Rule>) = concerned.partition(|rule| rule.shadow);
    let unknown = opaque.reason == UNKNOWN_OPTION;
    let answer = |rule: &Rule| if unknown { behind_unknown_option(policy, rule) } else { rule.unparsed };
    let strongest = [enforced, shadow].map(|rules| rules.into_iter().max_by_key(|rule| answer(rule)));
    let finding = |rule: &Rule| {
        let chain = vec![format!("could not be read: {}", opaque.reason)];
        made(policy, rule, answer(rule), opaque.span, &opaque.bytes, chain)
    };
    strongest.into_iter().flatten().filter_map(finding).collect()
}

/// What a rule answers behind an option that a wrapper is not known to have.
pub(super) fn behind_unknown_option(policy: &Policy, rule: &Rule) -> Answer {
    policy.settings.unknown_wrapper.unwrap_or(rule.unparsed)
}

struct Mentioned<'g> {
    text: Vec<u8>,
    words: Vec<Vec<u8>>,
    ground: &'g Ground,
}

impl<'g> Mentioned<'g> {
    fn new(bytes: &[u8], ground: &'g Ground) -> Self {
        let text: Vec<u8> = bytes.iter().copied().filter(|byte| !b"\\'\"".contains(byte)).collect();
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(byte);
        let words =
            text.split(|byte| !part(byte)).filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect();
        Self { text, words, ground }
    }

    /// Whether the text mentions what a condition is about; `None` when the condition names nothing that
    /// could be mentioned.
    fn mentions(&self, condition: &Condition) -> Option<bool> {
        match condition {
            Condition::All(all) => {
                let told: Vec<bool> = all.iter().filter_map(|inner| self.mentions(inner)).collect();
                (!told.is_empty()).then(|| told.into_iter().all(|told| told))
            }
            Condition::Any(any) => {
                let told: Vec<bool> = any.iter().filter_map(|inner| self.mentions(inner)).collect();
                (!told.is_empty()).then(|| told.into_iter().any(|told| told))
            }
            Condition::Program(names) => Some(names.iter().any(|name| self.program(name))),
            Condition::Subcommand(names) => {
                Some(names.iter().any(|name| name.split(' ').all(|word| self.word(word.as_bytes()))))
            }
            Condition::Option(names) => Some(names.iter().any(|name| self.option(name))),
            Condition::Environment(names) => {
                Some(names.iter().any(|name| self.word(name.trim_matches('*').as_bytes())))
            }
            Condition::Effect(happening) if happening.classes.contains(&Class::Protected) => {
                Some(self.ground.protected().iter().any(|path| self.path(path)))
            }
            Condition::Not(_)
            | Condition::Value(_)
            | Condition::Operand(_)
            | Condition::Effect(_)
            | Condition::FedBy(_)
            | Condition::Count(..)
            | Condition::Within(_) => None,
        }
    }

    fn program(&self, name: &str) -> bool {
        let names = facts::shipped().program(name.as_bytes()).map(|program| program.names);
        names.unwrap_or(&[name]).iter().any(|name| self.word(name.as_bytes()))
    }

    fn word(&self, wanted: &[u8]) -> bool {
        self.words.iter().any(|word| word == wanted)
    }

    /// An option by any of its names, as the programs have it that the text mentions.
    fn option(&self, name: &str) -> bool {
        let programs = facts::shipped().programs.iter();
        let mentioned =
            programs.filter(|program| program.names.iter().any(|name| self.word(name.as_bytes())));
        let mut other = mentioned.flat_map(|program| program.names_of(name));
        self.spelt(name.as_bytes()) || other.any(|name| self.spelt(name.as_bytes()))
    }

    /// An option by this name, or a short one in a cluster.
    fn spelt(&self, name: &[u8]) -> bool {
        let letter = name.get(1).filter(|_| name.len() == 2);
        let cluster = |word: &Vec<u8>| {
            letter.is_some_and(|letter| {
                word.starts_with(b"-") && !word.starts_with(b"--") && word.contains(letter)
            })
        };
        self.words.iter().any(|word| word == name || cluster(word))
    }

    fn path(&self, pattern: &str) -> bool {
        let named = pattern.trim_start_matches("~/").trim_start_matches("./");
        let longest = named.split('*').max_by_key(|part| part.len()).unwrap_or_default();
        let core = longest.trim_matches('/').as_bytes();
        core.len() > 2 && self.text.windows(core.len()).any(|window| window.eq_ignore_ascii_case(core))
    }
}
