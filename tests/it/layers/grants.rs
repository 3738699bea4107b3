//! `stanchion grant`: given by a person, for one text, once.

use super::World;
use crate::child::{feed, text};
use std::process::{Command, Output};

const PUSH: &str = "git push --force origin main";

/// The program at a terminal at which this is typed.
fn at_terminal(world: &World, arguments: &[&str], typed: &str) -> Output {
    let quoted = |word: &&str| format!("'{}'", word.replace('\'', "'\\''"));
    let words: Vec<String> = arguments.iter().map(quoted).collect();
    let mut script = Command::new("script");
    script.args(["-qec", &format!("{} {}", env!("CARGO_BIN_EXE_stanchion"), words.join(" ")), "/dev/null"]);
    let command = world.command(&[]);
    script.current_dir(world.path("project"));
    script.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    feed(&mut script, typed.as_bytes())
}

fn grant(world: &World, command: &str, typed: &str) -> Output {
    at_terminal(world, &["grant", "--policy", "firstmate,core", command], typed)
}

#[test]
fn a_grant_is_used_up_by_the_first_match_and_recorded() {
    let world = World::new();
    let output = grant(&world, PUSH, "yes\n");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("git.force-push"), "{}", text(&output.stdout));
    assert_eq!(world.hook(&format!("{PUSH} ")), 2, "another text");
    assert_eq!(world.hook(PUSH), 0);
    assert_eq!(world.hook(PUSH), 2);
    let records = std::fs::read_to_string(world.path("state/stanchion/decisions.jsonl")).unwrap();
    let granted: Vec<&str> = records.lines().filter(|line| line.contains("\"granted\":true")).collect();
    assert_eq!(granted.len(), 1, "{records}");
    assert!(granted[0].contains("\"answered\":\"allow\"") && granted[0].contains("\"decision\":\"deny\""));
}

#[test]
fn a_grant_holds_under_the_same_policies_only() {
    let world = World::new();
    assert_eq!(grant(&world, PUSH, "yes\n").status.code(), Some(0));
    world.project("[paths]\nprotected = [\"infra/\"]\n");
    assert_eq!(world.hook(PUSH), 2);
    std::fs::remove_file(world.path("project/.stanchion.toml")).unwrap();
    assert_eq!(world.hook(PUSH), 0);
}

#[test]
fn nothing_is_granted_without_a_person() {
    let world = World::new();
    for typed in ["", "y\n", "no\nyes\n"] {
        assert_eq!(grant(&world, PUSH, typed).status.code(), Some(1), "{typed:?}");
    }
    let output = world.run(&["grant", "--policy", "core", PUSH]);
    assert_eq!(output.status.code(), Some(64));
    assert!(text(&output.stderr).contains("terminal"), "{}", text(&output.stderr));
    assert_eq!(world.hook(PUSH), 2);
    assert_eq!(grant(&world, "ls", "yes\n").status.code(), Some(1), "nothing to grant");
}

#[test]
fn a_copy_under_another_name_grants_nothing() {
    let world = World::new();
    let copy = world.path("s");
    // Not in this process: a child that another test starts at that moment would hold the file open for
    // writing, and such a file is not run.
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_stanchion")).arg(&copy).status().unwrap().success());
    let link = world.path("t");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_stanchion"), &link).unwrap();
    for program in [copy, link] {
        for arguments in [["grant", PUSH], ["trust", "--yes"]] {
            let output =
                Command::new(&program).args(arguments).current_dir(world.path("project")).output().unwrap();
            assert_eq!(output.status.code(), Some(64));
            assert!(text(&output.stderr).contains("own name"), "{}", text(&output.stderr));
        }
    }
}

/// What is told to an agent never says how to lift it.
#[test]
fn no_denial_tells_of_grants() {
    let telling = ["grant", "trust", "--yes", "uninstall", "--only", "override", "bypass"];
    for policy in stanchion::policy::NAMES.iter().filter_map(|name| stanchion::policy::shipped(name)) {
        let reasons = stanchion::policy::CODES.iter().map(|code| policy.reason(code));
        for said in reasons.chain(policy.rules.iter().flat_map(|rule| [rule.reason, rule.advice])) {
            assert!(!telling.iter().any(|word| said.contains(word)), "{said}");
        }
    }
}
