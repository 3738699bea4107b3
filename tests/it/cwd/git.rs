//! Real git as the judge of the scope: repositories, worktrees, submodules and bare repositories.

use crate::child::{feed, stanchion};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Git with nothing of the environment and of anybody's configuration.
fn git(directory: &Path, arguments: &[&str]) -> Option<String> {
    let variables = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_"));
    let mut git = Command::new("git");
    for (name, _) in variables {
        git.env_remove(name);
    }
    git.current_dir(directory).envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")]);
    git.args(["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "protocol.file.allow=always"]);
    let output = git.args(arguments).output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

fn must(directory: &Path, arguments: &[&str]) {
    assert!(git(directory, arguments).is_some(), "git {arguments:?} in {}", directory.display());
}

/// A repository with a commit that holds what the policy asks for.
fn repository(top: &Path, name: &str) -> PathBuf {
    let root = top.join(name);
    std::fs::create_dir_all(root.join("bin")).unwrap();
    std::fs::create_dir_all(root.join("src/deep")).unwrap();
    for file in ["AGENTS.md", "bin/run.sh", "src/deep/file"] {
        std::fs::write(root.join(file), "").unwrap();
    }
    must(&root, &["init", "-q"]);
    must(&root, &["add", "."]);
    must(&root, &["commit", "-qm", "first"]);
    root
}

/// What git says: whether this is a plain checkout with both entries at its root.
fn in_scope(directory: &Path) -> bool {
    let absolute = |what| git(directory, &["rev-parse", "--path-format=absolute", what]);
    let Some(root) = git(directory, &["rev-parse", "--show-toplevel"]) else { return false };
    let root = Path::new(root.trim_end_matches('\n'));
    let plain = absolute("--git-dir") == absolute("--git-common-dir");
    plain && root.join("AGENTS.md").is_file() && root.join("bin").is_dir()
}

/// Whether each way to call the program denies in a directory; they must agree.
fn denies(directory: &Path) -> bool {
    let payload = json!({ "cwd": directory, "tool_input": { "command": "cd src" } }).to_string();
    let line = json!({ "id": 1, "cwd": directory, "command": "cd src" }).to_string();
    let policy = ["--policy", "cwd"];
    let mut answers = Vec::new();
    let hook = feed(stanchion().args(["hook"]).args(policy), payload.as_bytes());
    answers.push(hook.status.code() == Some(2));
    let hook = ["hook", "--command", "cd src"];
    answers
        .push(feed(stanchion().current_dir(directory).args(hook).args(policy), b"").status.code() == Some(2));
    let rooted = stanchion().args(hook).args(policy).arg("--root").arg(directory).output().unwrap();
    answers.push(rooted.status.code() == Some(2));
    let check = ["check", "cd src", "--cwd"];
    answers
        .push(stanchion().args(check).arg(directory).args(policy).output().unwrap().status.code() == Some(2));
    let lines = feed(stanchion().args(["check", "--jsonl"]).args(policy), line.as_bytes());
    answers.push(String::from_utf8(lines.stdout).unwrap().contains("\"deny\""));
    // The environment is somebody else's.
    let lent =
        stanchion().current_dir(directory).args(hook).args(policy).env("GIT_DIR", "/nonexistent").output();
    answers.push(lent.unwrap().status.code() == Some(2));
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{}: {answers:?}", directory.display());
    answers[0]
}

/// Asserts what is wanted, of git and of the program.
fn scope(directory: &Path, wanted: bool) {
    assert!(directory.is_dir(), "{}", directory.display());
    assert_eq!(in_scope(directory), wanted, "git in {}", directory.display());
    assert_eq!(denies(directory), wanted, "{}", directory.display());
}

#[test]
fn plain_repositories_are_in_scope() {
    let top = tempfile::tempdir().unwrap();
    let plain = repository(top.path(), "plain");
    scope(&plain, true);
    scope(&plain.join("src/deep"), true);
    scope(&plain.join(".git"), false);
    scope(&plain.join(".git/refs"), false);

    let fresh = top.path().join("fresh");
    std::fs::create_dir_all(fresh.join("bin")).unwrap();
    std::fs::write(fresh.join("AGENTS.md"), "").unwrap();
    scope(&fresh, false);
    must(&fresh, &["init", "-q"]);
    scope(&fresh, true);
    std::fs::remove_file(fresh.join("AGENTS.md")).unwrap();
    scope(&fresh, false);
    std::os::unix::fs::symlink("../plain/AGENTS.md", fresh.join("AGENTS.md")).unwrap();
    scope(&fresh, true);
    std::fs::remove_dir(fresh.join("bin")).unwrap();
    scope(&fresh, false);
    std::fs::write(fresh.join("bin"), "").unwrap();
    scope(&fresh, false);
}

#[test]
fn worktrees_are_not_in_scope() {
    let top = tempfile::tempdir().unwrap();
    let plain = repository(top.path(), "plain");
    for tree in ["../beside", "trees/within"] {
        must(&plain, &["worktree", "add", "-q", "--detach", tree]);
        scope(&plain.join(tree), false);
        scope(&plain.join(tree).join("src"), false);
    }
    scope(&plain, true);
    scope(&plain.join("trees"), true);
    must(&plain, &["worktree", "move", "trees/within", "trees/moved"]);
    scope(&plain.join("trees/moved"), false);
    scope(&plain.join(".git/worktrees/beside"), false);

    let bare = top.path().join("bare.git");
    must(top.path(), &["clone", "-q", "--bare", "plain", "bare.git"]);
    scope(&bare, false);
    must(&bare, &["worktree", "add", "-q", "--detach", "../of-bare"]);
    scope(&top.path().join("of-bare"), false);
}

#[test]
fn submodules_are_plain() {
    let top = tempfile::tempdir().unwrap();
    let (plain, part) = (repository(top.path(), "plain"), repository(top.path(), "part"));
    must(&plain, &["submodule", "--quiet", "add", part.to_str().unwrap(), "part"]);
    must(&plain, &["commit", "-qm", "part"]);
    scope(&plain.join("part"), true);
    scope(&plain.join("part/src"), true);
    // A submodule of a worktree has a git directory of its own too.
    must(&plain, &["worktree", "add", "-q", "--detach", "../tree"]);
    let tree = top.path().join("tree");
    scope(&tree.join("part"), false);
    must(&tree, &["submodule", "--quiet", "update", "--init"]);
    scope(&tree.join("part"), true);
    scope(&tree, false);
}

#[test]
fn git_directories_elsewhere_are_followed() {
    let top = tempfile::tempdir().unwrap();
    let plain = repository(top.path(), "plain");
    std::fs::rename(plain.join(".git"), top.path().join("store")).unwrap();
    scope(&plain, false);
    std::os::unix::fs::symlink("../store", plain.join(".git")).unwrap();
    scope(&plain.join("src"), true);
    std::fs::remove_file(plain.join(".git")).unwrap();
    std::fs::write(plain.join(".git"), "gitdir: ../store\n").unwrap();
    scope(&plain, true);
    std::fs::write(plain.join(".git"), "gitdir: ../gone\n").unwrap();
    scope(&plain, false);
    std::fs::write(plain.join(".git"), "../store\n").unwrap();
    scope(&plain, false);

    let separate = top.path().join("separate");
    std::fs::create_dir_all(separate.join("bin")).unwrap();
    std::fs::write(separate.join("AGENTS.md"), "").unwrap();
    must(&separate, &["init", "-q", "--separate-git-dir", "../apart"]);
    scope(&separate, true);

    // A link to a directory is in the checkout of that directory.
    let link = top.path().join("link");
    std::os::unix::fs::symlink("separate/bin", &link).unwrap();
    scope(&link, true);
}

#[test]
fn an_empty_git_directory_is_none() {
    let top = tempfile::tempdir().unwrap();
    let plain = repository(top.path(), "plain");
    std::fs::create_dir(plain.join("src/.git")).unwrap();
    scope(&plain.join("src"), true);
    std::fs::create_dir_all(plain.join("own/deep")).unwrap();
    must(&plain.join("own"), &["init", "-q"]);
    scope(&plain.join("own/deep"), false);
}

/// The directory that the call names comes before `--root`, and that before a directory outside of it.
#[test]
fn the_directory_of_the_call_counts() {
    let top = tempfile::tempdir().unwrap();
    let (plain, other) = (repository(top.path(), "plain"), repository(top.path(), "other"));
    must(&plain, &["worktree", "add", "-q", "--detach", "tree"]);
    std::fs::remove_file(other.join("AGENTS.md")).unwrap();
    let tree = plain.join("tree");
    let asked = |working: &Path, named: Option<&Path>, root: &Path| {
        let mut hook = stanchion();
        hook.current_dir(working).args(["hook", "--policy", "cwd", "--root"]).arg(root);
        let payload = match named {
            Some(cwd) => json!({ "cwd": cwd, "tool_input": { "command": "cd src" } }),
            None => json!({ "tool_input": { "command": "cd src" } }),
        };
        feed(&mut hook, payload.to_string().as_bytes()).status.code() == Some(2)
    };
    assert!(!asked(&plain, Some(&tree), &plain));
    assert!(asked(&other, Some(&plain), &other));
    assert!(asked(&other, None, &plain));
    assert!(!asked(&plain, None, &other));
    assert!(!asked(&tree, None, &plain));
    assert!(!asked(&plain, Some(Path::new("/nonexistent")), &plain));
}
