//! The table `[settings]`: its written form and its checks.

use super::Problems;
use crate::policy::form::near::nearest;
use crate::policy::form::table::{Fits, Shape, Text, Written, table};
use crate::policy::form::texts::LINE;
use crate::policy::rule::raw::UNPARSED;
use crate::policy::rule::types::{Answer, Rule};
use crate::policy::settings::{ANY_HARNESS, HARNESSES, Settings};
use crate::policy::source::{leak, leak_text};
use std::collections::BTreeMap;

table! {
    /// How a policy answers.
    pub RawSettings as "table of settings" {
        /// Who is there: `attended` (a person can be asked, the default) or `unattended` (every question of every
        /// policy that applies is a denial).
        optional profile: Option<Written<String>> = Shape::Text(&PROFILE);
        /// What is answered to text that cannot be read and mentions what a rule guards: `ask` (the default),
        /// `deny` or `allow`. A rule may say otherwise.
        optional unparsed: Option<Written<String>> = Shape::Text(&UNPARSED);
        /// What is answered to text behind an option that a wrapper such as `sudo` is not known to have, when it
        /// mentions what a rule guards: `ask` or `deny`. It is what `unparsed` says when left out.
        optional unknown_wrapper: Option<Written<String>> = Shape::Text(&UNKNOWN);
        /// What becomes of a question that a harness cannot put, by the harness's name or `any`: `deny` (the
        /// default) or `allow`, which is silence and a record.
        optional on_ask: BTreeMap<String, String> = Shape::Map(&HARNESS, &Shape::Text(&ON_ASK));
        /// Ids of rules, and names of policies and packs, whose findings are only recorded. They may be those of
        /// this file or shipped ones.
        optional shadow: Vec<Written<String>> = Shape::OneOrMore(&Shape::Text(&LINE));
    }
}

static PROFILE: Text =
    Text { what: "a profile", remedy: "", fits: Fits::Names(|| vec!["attended", "unattended"]) };

static UNKNOWN: Text = Text { what: "an answer here", remedy: "", fits: Fits::Names(|| vec!["ask", "deny"]) };

static ON_ASK: Text =
    Text { what: "an answer here", remedy: "", fits: Fits::Names(|| vec!["deny", "allow"]) };

static HARNESS: Text = Text {
    what: "a harness",
    remedy: "",
    fits: Fits::Names(|| [ANY_HARNESS].into_iter().chain(HARNESSES).collect()),
};

impl RawSettings {
    /// Tells of names in `shadow` that nothing has.
    pub fn check(&self, name: &str, rules: &[Rule], foreign: &[&str], problems: &mut Problems<'_>) {
        let own = rules.iter().map(|rule| rule.id).chain([name]);
        let known: Vec<&str> = own.chain(foreign.iter().copied()).collect();
        for shadow in self.shadow.iter().filter(|shadow| !known.contains(&shadow.get_ref().as_str())) {
            let message = format!("no rule and no policy is named {:?}", shadow.get_ref());
            let remedy = match nearest(shadow.get_ref(), &known) {
                Some(near) => format!("did you mean {near:?}?"),
                None => "see `stanchion policy show` for the names".to_owned(),
            };
            problems.of_value(shadow.span(), message, &remedy);
        }
    }

    /// Whether nobody is there to ask.
    pub fn unattended(&self) -> bool {
        self.profile.as_ref().is_some_and(|profile| profile.get_ref() == "unattended")
    }

    /// What it says besides, in the policy of this name.
    pub fn meant(&self, name: &str) -> Settings {
        let on_ask = self.on_ask.iter();
        let on_ask = on_ask.filter_map(|(of, answer)| Some((leak_text(of), Answer::named(answer)?)));
        let unknown = self.unknown_wrapper.as_ref();
        Settings {
            unknown_wrapper: unknown.and_then(|answer| Answer::named(answer.get_ref())),
            on_ask: leak(on_ask.collect()),
            shadow: leak(self.shadow.iter().map(|name| leak_text(name.get_ref())).collect()),
            shadowed: self.shadow.iter().any(|shadow| shadow.get_ref() == name),
        }
    }
}
