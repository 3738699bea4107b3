//! `stanchion trust`: what is shown, asked, kept and taken back.

use super::{World, rule};
use crate::child::text;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const PUSH: &str = "git push --force origin main";

fn looser() -> String {
    rule("git.force-push", "ask", "nothing-like-it", "")
}

#[test]
fn a_trusted_file_may_loosen_until_it_changes() {
    let world = World::new();
    let file = world.project(&looser());
    assert_eq!(world.hook(PUSH), 2);
    let output = world.run(&["trust", "--yes"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains(&fs::read_to_string(&file).unwrap()), "the content is shown: {told}");
    assert!(told.contains("without trust this would be left out"), "{told}");
    assert_eq!(world.hook(PUSH), 0);
    let pins = world.path("state/stanchion/trusted.json");
    assert_eq!(fs::metadata(&pins).unwrap().permissions().mode() & 0o777, 0o600);
    world.project(&format!("{}# another content\n", looser()));
    assert_eq!(world.hook(PUSH), 2, "it is the content that is trusted");
    let listed = world.run(&["trust", "--list", "--json"]);
    let value: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!((&value["schema"], &value["trusted"][0]["holds"]), (&1.into(), &false.into()));
    world.project(&looser());
    assert_eq!(world.hook(PUSH), 0);
    assert_eq!(world.run(&["trust", "--revoke"]).status.code(), Some(0));
    assert_eq!(world.hook(PUSH), 2);
    assert_eq!(world.run(&["trust", "--revoke"]).status.code(), Some(1));
    assert_eq!(text(&world.run(&["trust", "--list"]).stdout), "");
}

#[test]
fn the_same_content_elsewhere_is_not_trusted() {
    let world = World::new();
    let file = world.project(&looser());
    assert_eq!(world.run(&["trust", "--yes"]).status.code(), Some(0));
    let other = World::new();
    fs::copy(&file, other.path("project/.stanchion.toml")).unwrap();
    fs::create_dir_all(other.path("state/stanchion")).unwrap();
    fs::copy(world.path("state/stanchion/trusted.json"), other.path("state/stanchion/trusted.json")).unwrap();
    assert_eq!(other.hook(PUSH), 2);
}

#[test]
fn nobody_is_trusted_without_an_answer() {
    let world = World::new();
    world.project(&looser());
    let output = world.run(&["trust"]);
    assert_eq!(output.status.code(), Some(64));
    assert!(text(&output.stderr).contains("no terminal"), "{}", text(&output.stderr));
    assert_eq!(world.hook(PUSH), 2);
    assert!(!world.path("state/stanchion/trusted.json").exists());
}

#[test]
fn at_a_terminal_the_answer_counts() {
    for (answer, status) in [("yes", 0), ("y", 1), ("", 1)] {
        let world = World::new();
        world.project(&looser());
        let program = env!("CARGO_BIN_EXE_stanchion");
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &format!("{program} trust"), "/dev/null"]);
        let command = world.command(&[]);
        script.current_dir(world.path("project")).envs(command.get_envs().filter_map(|(k, v)| Some((k, v?))));
        let output = crate::child::feed(&mut script, format!("{answer}\n").as_bytes());
        let told = text(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{told}");
        let (shown, asked) = (told.find("git.force-push"), told.find("Type yes"));
        assert!(shown.is_some() && shown < asked, "shown before it is asked: {told}");
        assert_eq!(world.hook(PUSH), if status == 0 { 0 } else { 2 });
    }
}

#[test]
fn what_does_not_load_cannot_be_trusted() {
    let world = World::new();
    world.project("nonsense = 1\n");
    let output = world.run(&["trust", "--yes"]);
    assert_eq!(output.status.code(), Some(64));
    assert!(text(&output.stderr).contains(".stanchion.toml:3:1"), "{}", text(&output.stderr));
}

#[test]
fn pins_that_mean_nothing_trust_nothing() {
    let world = World::new();
    world.project(&looser());
    assert_eq!(world.run(&["trust", "--yes"]).status.code(), Some(0));
    let pins = world.path("state/stanchion/trusted.json");
    let good = fs::read_to_string(&pins).unwrap();
    for bad in ["", "{", "[]", &good.replace("\"schema\": 1", "\"schema\": 2")] {
        fs::write(&pins, bad).unwrap();
        assert_eq!(world.hook(PUSH), 2, "{bad}");
    }
}
