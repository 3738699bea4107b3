//! What is proved of a file before it is used, and that the culprit is named with its place.

use super::{World, rule, shown};
use crate::child::text;
use stanchion::layers::prove_shipped;
use stanchion::policy;

/// The build compiles the shipped policies; this proves them.
#[test]
fn the_shipped_policies_hold() {
    let all: Vec<_> = policy::NAMES.iter().filter_map(|name| policy::shipped(name)).collect();
    assert!(all.iter().map(|policy| policy.repair.len()).sum::<usize>() >= 8);
    let mut wrong = prove_shipped(&all);
    wrong.extend(all.iter().flat_map(|policy| prove_shipped(std::slice::from_ref(policy))));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A file that is left out, and what is told of it.
fn refused(rest: &str, places: &[&str]) {
    for user in [true, false] {
        let world = World::new();
        let more = rule("own.marker", "deny", "marker", "");
        let rest = format!("{rest}{more}");
        let file = if user { world.user("ours", &rest) } else { world.project(&rest) };
        assert_eq!(world.hook("marker"), 0, "the file is left out: {rest}");
        let (check, faults) = (world.run(&["policy", "check"]), world.faults());
        assert_eq!(check.status.code(), Some(1));
        for place in places {
            let told = format!("{}:{place}", shown(&file));
            assert!(text(&check.stdout).contains(&told), "{told} in {}", text(&check.stdout));
            assert!(faults.contains(&told), "{told} in {faults}");
        }
        let by_name = world.run(&["policy", "check", &shown(&file)]);
        assert_eq!(by_name.status.code(), Some(1), "{}", text(&by_name.stdout));
        let named =
            world.run(&["install", "claude", "--policy", "firstmate,core", "--policy", &shown(&file)]);
        assert_eq!(named.status.code(), Some(64), "{}", text(&named.stdout));
        assert!(!world.path("home/.claude").exists(), "nothing is installed");
    }
}

#[test]
fn a_rule_that_blocks_repair_is_refused() {
    refused(
        &rule("ours.no-stanchion", "ask", "stanchion", ""),
        &["4:6: ours.no-stanchion objects to the repair command `stanchion doctor`"],
    );
    refused(
        &rule("ours.no-arm", "deny", "fm-watch-arm.sh", ""),
        &["4:6: ours.no-arm objects to the repair command `bin/fm-watch-arm.sh`"],
    );
}

#[test]
fn a_repair_command_that_is_blocked_is_refused() {
    refused(
        "[repair]\ncommands = [\"make\", \"git reset --hard\"]\n",
        &["4:21: git.reset-hard objects to the repair command `git reset --hard`"],
    );
    // By a rule of the file itself: the rule is the culprit.
    let own = rule("ours.fix", "deny", "fixctl", "");
    refused(
        &format!("[repair]\ncommands = [\"fixctl now\"]\n{own}"),
        &["6:6: ours.fix objects to the repair command `fixctl now`"],
    );
    // Only together with a lower layer, or without it.
    refused(
        "[repair]\ncommands = [\"bin/fm-watch.sh\"]\n",
        &["4:13: watcher-direct objects to the repair command"],
    );
}

#[test]
fn advice_into_a_denial_is_refused() {
    let rule = |advice: &str| rule("ours.deploy", "deny", "deployctl", "").replace("ask first", advice);
    for advice in ["run `deployctl --slowly`", "use `cd x && sudo deployctl`"] {
        refused(&rule(advice), &["7:10: the advice of ours.deploy names"]);
    }
    let git = |advice: &str| {
        format!(
            "[[rule]]\nid = \"ours.push\"\ndecision = \"deny\"\nreason = \"x\"\nadvice = \"{advice}\"\n\
             when = {{ program = \"git\", subcommand = \"push\" }}\nmatch = [\"git push\", \"git push a\", \"git push b\"]\n\
             not_match = [\"git\", \"git log\", \"git fetch\"]\n"
        )
    };
    refused(
        &git("ask a colleague, or use git push slowly"),
        &["7:10: the advice of ours.push names `git push slowly`"],
    );
    let world = World::new();
    world.project(&git("ask a colleague, or use git fetch"));
    assert_eq!((world.hook("git push"), world.faults()), (2, String::new()));
}

#[test]
fn who_asks_about_a_text_is_not_denied() {
    refused(
        "[[rule]]\nid = \"ours.word\"\ndecision = \"deny\"\nreason = \"x\"\nadvice = \"y\"\nwhen = { operand = \"*forbidden*\" }\n\
         match = [\"a forbidden\", \"b forbidden\", \"c forbidden\"]\nnot_match = [\"a\", \"b\", \"c\"]\n",
        &["4:6: ours.word objects to `stanchion explain 'a forbidden'`"],
    );
}
